"""A single game with its history: inspect it, search in it, play it.

One class with all methods of a game: most are a docstring and one call of the engine, so the file is long.
"""

from __future__ import annotations

import itertools
import json
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict, overload

import numpy as np
import numpy.typing as npt

from .. import _core
from .._shared import checks, json_text
from .._shared.errors import config_error, illegal_action, state_error
from ..networks import Network, SentNetwork
from ..rules.registration import portable
from ..spec import Spec
from .analysis import Analysis, AnalysisPlayer, evaluating
from .review import GameReview, from_json

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..typing import EnvId, Options, Theme

#: A player that analyses, as the engine takes it: a text, a network, or a function with name and simulations.
_Adviser: TypeAlias = str | SentNetwork | tuple[str, Callable[..., Any], int]


class Game:
    """One game with its history.

    >>> g = Game("tilewe", seed=0, players=2)
    >>> while not g.is_terminal:
    ...     g.step(g.legal_actions()[0])
    >>> g.returns()

    ``Game(id, seed)`` plays the same game as game 0 of ``make(id, seed=seed)``; without a seed, one is drawn,
    which :attr:`seed` and :meth:`record` show. A method that raises leaves the game unchanged.
    """

    __slots__ = ("_core", "_shared")

    def __init__(self, id: EnvId, seed: int | None = None, **options: Unpack[Options]) -> None:
        self._core = _core.SingleGame.start(checks.word("id", id), {**options}, checks.seed(seed))
        self._shared = _SharedSpec()

    @classmethod
    def _wrap(cls, core: _core.SingleGame, spec: Spec | None = None) -> Game:
        """Wraps an engine game. Parsing a spec costs as much as many steps, so a known one is passed on."""
        game = cls.__new__(cls)
        game._core = core
        game._shared = _SharedSpec(spec)
        return game

    def _derived(self, core: _core.SingleGame) -> Game:
        """Wraps an engine game that was made from this one: they share their spec."""
        game = Game._wrap(core)
        game._shared = self._shared
        return game

    @property
    def spec(self) -> Spec:
        """Spec of the environment under the options of this game."""
        if self._shared.spec is None:
            self._shared.spec = Spec.from_json(self._core.spec_json())
        return self._shared.spec

    @property
    def seed(self) -> int:
        """Seed of the game's random stream, given or drawn."""
        return self._core.stream()[0]

    @property
    def position(self) -> Position:
        """The position as a hashable value that compares equal by content, for example as a dict key."""
        return Position(self._core.position_bytes())

    # ---- play ----

    @property
    def current_player(self) -> int:
        """The current player; any player once the game is over."""
        return self._core.current_player()

    @property
    def is_terminal(self) -> bool:
        """True once the game is terminated by its rules or truncated by a step limit (``max_steps``)."""
        return self._core.status() != "running"

    @property
    def status(self) -> str:
        """``"running"``, ``"terminated"`` or ``"truncated"``."""
        return self._core.status()

    @property
    def steps(self) -> int:
        """Number of steps played."""
        return self._core.steps()

    @property
    def turn(self) -> int | None:
        """The current turn or round, counted from 1; ``None`` if the game does not count them."""
        return self._core.turn()

    def legal_actions(self) -> list[int]:
        """Legal action indices in increasing order; empty once the game is over."""
        return self._core.legal_actions()

    def action_mask(self) -> npt.NDArray[np.int8]:
        """int8 [A]: 1 for a legal action, 0 otherwise."""
        return self._core.action_mask()

    def legal_moves(self) -> list[dict[str, Any]]:
        """Legal actions as objects, in the order of :meth:`legal_actions`."""
        moves: list[dict[str, Any]] = json.loads(self._core.legal_moves())
        return moves

    def step(self, action: int) -> None:
        """Plays an action. The game's own random stream decides chance outcomes.

        Raises:
            IllegalAction, InvalidPhase, GameOver: The action is refused; the message says why.
        """
        self._core.step(self._action(action))

    def step_scripted(self, action: int, outcomes: Sequence[int]) -> None:
        """Plays an action with given chance outcomes, as in :meth:`outcomes` or a :attr:`log`."""
        self._core.step_scripted(self._action(action), checks.indices("outcomes", outcomes))

    def compound_actions(self) -> list[tuple[list[Any], list[int]]]:
        """Complete actions in the game's own terms that take several decisions here.

        Each entry is the list of parts and the action indices for :meth:`step_all`. Empty if every decision
        is a complete action.
        """
        return [(json.loads(parts), actions) for parts, actions in self._core.compound_actions()]

    def step_all(self, actions: Sequence[int]) -> None:
        """Plays several actions in one call: all of them, or none if one is refused.

        Raises:
            IllegalAction, InvalidPhase, GameOver: An action is refused; the message says why.
        """
        listed = checks.listed("actions", actions, "actions")
        self._core.step_all([self._action(action) for action in listed])

    def submit(self, player: int, action: Mapping[str, Any]) -> None:
        """Plays an action given as an object, ``{"type": ..., ...}``, for ``player``, the current player."""
        self._core.submit(self._player(player), json_text.text("action", action))

    def undo(self) -> bool:
        """Takes back the last step; returns False at the start. The random stream is not rewound."""
        return self._core.undo()

    def bot_action(self, name: str = "greedy") -> int:
        """The action of a bot: one of :func:`ludovec.bots`, ``"search:500"``, ``"http://host:port"``.

        The game does not change. The engine's bots give the same answer again in the same position.
        """
        return self._core.bot_action(checks.word("bot", name))

    def analyse(self, player: AnalysisPlayer = "net:champion", simulations: int | None = None) -> Analysis:
        """Analyses the position: policy and values of a player. Notebooks draw the result.

        >>> game = ludovec.Game("smallworld", seed=0, players=2)
        >>> thought = game.analyse("net:champion", simulations=64)
        >>> action, words, share = thought.best(3)[0]
        >>> game.step(action)

        Args:
            player: ``"net:champion"``, ``"net:FILE"``, ``"search"``, ``"flat"``, a :class:`ludovec.Network`,
                or a function ``network(observations, action_mask_bits) -> (logits, values)`` as for
                :meth:`ludovec.TreeSearch.run`. The player gets the current player's view only.
            simulations: Simulations of a tree search; ``None`` for the network's answer without search.

        Raises:
            InvalidConfig: The player does not play this environment, or has no policy and values.
            GameOver: The game is over.
        """
        if simulations is not None:
            simulations = checks.count("simulations", simulations)
        return self._analysed(self._adviser(player, simulations))

    def _adviser(self, player: Any, simulations: int | None) -> _Adviser:
        """A player that analyses, as the engine takes it."""
        if isinstance(player, Network):
            text = with_simulations(player.player, simulations or None)
            return text if player.content is None else SentNetwork(text, player.content)
        if callable(player):
            name = getattr(player, "__name__", repr(player))
            function = evaluating(player, name, self.spec)
            name += f", {simulations} simulations" if simulations else ""
            return name, function, simulations or 0
        return with_simulations(checks.word("player", player), simulations)

    def _analysed(self, player: _Adviser, stop: _core.Stop | None = None) -> Analysis:
        """The analysis by a player; ``stop`` ends it."""
        name: Any = player[0] if isinstance(player, tuple) else getattr(player, "text", player)
        return self._analysis(self._core.analyse(player, stop), name)

    def _analysis(self, found: str, name: str) -> Analysis:
        said = _parsed(found)
        policy = np.zeros(self.spec.num_actions, np.float32)
        policy[said["actions"]] = said["shares"]
        values = np.array(said["values"], np.float32)
        return Analysis(self.clone(), name, said["action"], policy, values, said["forecast"])

    def review(self, player: AnalysisPlayer = "net:champion", simulations: int | None = None) -> GameReview:
        """Reviews the game so far: values, best lines, prices of actions. Notebooks step through it.

        >>> game = ludovec.Game("chess")
        >>> for move in ["f2f3", "e7e5", "g2g4", "d8h4"]:
        ...     game.step(game.string_to_action(move))
        >>> review = game.review("net:champion", simulations=64)
        >>> review.mistakes()[0].played
        'g4'

        Args:
            player: As for :meth:`analyse`: a text, a network or a function; of chess also an engine such as
                ``"uci:stockfish?nodes=20000"``. It gets the view of each position's current player only.
            simulations: Simulations of a tree search at every position; ``None`` for the network's answer
                without search, which takes the values of the positions after an action.

        Raises:
            InvalidConfig: The player does not play this environment, or has no values.
        """
        if simulations is not None:
            simulations = checks.count("simulations", simulations)
        said, page = self._core.review(self._adviser(player, simulations))
        return from_json(self.spec.env, self.names, _parsed(said), page)

    def bot_request(self) -> dict[str, Any]:
        """The request that a bot in another program, or an object with ``turn``, gets for this position."""
        return _parsed(self._core.bot_request())

    def outcomes(self, action: int, limit: int | None = None) -> Sequence[tuple[float, list[int], Game]]:
        """All outcomes of an action: probability, chance script and the game after it.

        The result is a lazy sequence that makes each outcome on first access, because a step that deals cards
        has too many to list (``len`` makes them all). With ``limit``, all are made at once.

        Raises:
            InvalidConfig: There are more than ``limit`` outcomes.
        """
        index = self._action(action)
        found: Iterable[tuple[float, list[int], _core.SingleGame]]
        if limit is None:
            found = self._core.outcomes(index)
        else:
            most = checks.count("limit", limit)
            found = self._core.list_outcomes(index, most)
        outcomes = ((probability, script, self._derived(core)) for probability, script, core in found)
        return _Outcomes(outcomes) if limit is None else list(outcomes)

    # ---- actions as text and objects ----

    def action_to_string(self, action: int) -> str:
        """Action index to text."""
        return self._core.action_to_string(self._action(action))

    def string_to_action(self, text: str) -> int:
        """Text to the legal action that it names."""
        return self._core.string_to_action(checks.word("text", text))

    def action_to_move(self, action: int) -> dict[str, Any]:
        """Action index to object."""
        return _parsed(self._core.action_to_json(self._action(action)))

    def move_to_action(self, action: Mapping[str, Any]) -> int:
        """Object to action index, legal or not."""
        return self._core.action_from_json(json_text.text("action", action))

    # ---- results and views ----

    def returns(self) -> npt.NDArray[np.float32]:
        """float32 [P]: outcome of each player in [-1, 1]; zeros until the game has terminated."""
        return self._core.returns()

    def scores(self) -> npt.NDArray[np.float32]:
        """float32 [P]: score of each player."""
        return self._core.scores()

    def observation(self, player: int | None = None) -> npt.NDArray[np.uint8]:
        """uint8 [*observation_shape]: observation of a player, by default the current one."""
        return self._core.observation(None if player is None else self._player(player))

    def observation_object(self, player: int | None = None) -> dict[str, Any]:
        """Observation of a player as an object for people and scripted bots."""
        return _parsed(self._core.observation_to_json(self._seat(player)))

    def information_state(self, player: int | None = None) -> dict[str, Any]:
        """Information state of a player (perfect recall)."""
        return _parsed(self._core.information_state(self._seat(player)))

    def determinize(self, player: int | None = None, seed: int | None = None) -> Game:
        """Determinization for a player: a game with hidden information resampled.

        ``seed`` seeds the draw and the chance of the new game; ``None`` draws one, and :attr:`seed` of the
        new game shows it.

        ``steps``, ``log`` and the last move of drawings keep the true history. Its steps cannot be undone,
        and ``record()`` begins at the redrawn position.
        """
        return self._derived(self._core.determinize(self._seat(player), checks.seed(seed)))

    def _seat(self, player: int | None) -> int:
        return self.current_player if player is None else self._player(player)

    def _player(self, player: Any) -> int:
        return checks.seat("player", player, self.spec.players)

    def _action(self, action: Any) -> int:
        """Checks that the engine can read the index; refuses other numbers in the engine's words."""
        number = checks.index("action", action)
        if number in _INDICES:
            return number
        if self.is_terminal:
            return _INDICES[-1]
        raise illegal_action(f"action {number}: actions are 0 to {self.spec.num_actions - 1}")

    # ---- saving ----

    def to_json(self) -> str:
        """Environment, version, options and position as JSON, without history."""
        spec = self.spec
        head = {"env": spec.env, "version": spec.version, "options": spec.options}
        return json.dumps({**head, "position": json.loads(self._core.to_json())})

    @classmethod
    def from_json(
        cls, text: str, seed: int | None = None, *, allow_options: Mapping[str, Any] | None = None
    ) -> Game:
        """Reads the output of :meth:`to_json` or a position set up by hand.

        Args:
            text: The position.
            seed: Seed of the chance draws; ``None`` draws one, which :attr:`seed` shows.
            allow_options: Options with paths that the text may have, such as ``{"variant": "my.toml"}``.
                Others are refused, because the text may come from elsewhere.

        Raises:
            InvalidState: The message names the key, the value and the allowed values.
            InvalidConfig: An option is a path.
        """
        data = _object(text)
        id, options = _member(data, "env", str), _member(data, "options", dict, {})
        _allowed(allow_options).check_options(id, options)
        position = json.dumps(_member(data, "position", dict))
        game = cls._wrap(_core.SingleGame.from_position(id, options, position, checks.seed(seed)))
        if data.get("version", game.spec.version) != game.spec.version:
            raise state_error(
                f"written by version {data['version']} of {id}, this is version {game.spec.version}"
            )
        return game

    def clone(self) -> Game:
        """A copy with the same position, history and random stream."""
        return self._derived(self._core.copy())

    @property
    def log(self) -> list[dict[str, Any]]:
        """The steps so far: ``player``, ``action``, ``label``, ``move``, ``chance`` (the chance outcomes).

        The first step also has the start of the game: ``setup`` (chance outcomes) or ``position``.
        """
        steps: list[dict[str, Any]] = json.loads(self._core.log())
        if steps:
            record = self.record()
            if len(record["actions"]) < len(steps):
                # Determinized: the record begins after these steps.
                return steps
            steps[0]["setup"] = record.get("setup", [])
            if "position" in record:
                steps[0]["position"] = record["position"]
        return steps

    @classmethod
    def from_pgn(cls, text: str, id: str = "chess") -> Game:
        """Reads the first game of a text in PGN; variations are skipped.

        Draws that have to be claimed end no game: it goes on after a threefold repetition and after 50
        moves, as under ``draws="claimed"``. A result that contradicts the moves is a warning.

        >>> game = ludovec.Game.from_pgn("1. e4 e5 2. Nf3 *")
        >>> game.to_json()

        The tag ``Variant`` names the variant, and ``FEN`` the start. ``ludovec import`` reads whole files.

        Raises:
            InvalidState: The text has no game, or a move is illegal; the message names the place.
                ``ludovec import`` keeps such a game up to the move.
        """
        games = _core.SingleGame.imported(checks.word("id", id), "pgn", checks.word("text", text))
        if not games:
            raise state_error("PGN: the text has no game")
        game, _, contradiction = games[0]
        if contradiction is not None:
            warnings.warn(f"PGN: {contradiction}", stacklevel=2)
        return cls._wrap(game)

    @classmethod
    def replay(cls, id: str, options: Mapping[str, Any] | None, log: Sequence[Mapping[str, Any]]) -> Game:
        """Replays a :attr:`log`.

        Raises:
            InvalidState: A step does not match the current rules; the message names the first one.
        """
        id = checks.word("id", id)
        if not isinstance(options or {}, Mapping):
            raise config_error(f"options={options!r:.100}: a dict is needed")
        options = dict(options or {})
        if not isinstance(log, Sequence) or not all(isinstance(entry, Mapping) for entry in log):
            raise state_error("log: a list of objects is needed")
        first = log[0] if log else {}
        if "position" in first:
            position = json_text.text("position", first["position"])
            core = _core.SingleGame.from_position(id, options, position, 0)
        else:
            core = _core.SingleGame.scripted(id, options, checks.indices("setup", first.get("setup", [])))
        game = cls._wrap(core)
        for i, entry in enumerate(log):
            try:
                player, action, label = entry["player"], game._action(entry["action"]), entry.get("label")
            except (KeyError, TypeError) as error:
                raise state_error(f"log, step {i}: player and action are needed") from error
            if player != game.current_player:
                raise state_error(
                    f"log, step {i}: player {player} acts, the current player is {game.current_player}"
                )
            if label is not None and label != game.action_to_string(action):
                raise state_error(
                    f"log, step {i}: action {action} is {game.action_to_string(action)!r}, not {label!r}"
                )
            game.step_scripted(action, entry.get("chance", []))
        return game

    def record(self) -> dict[str, Any]:
        """The complete record as an object, the input of ``ludovec replay``."""
        return _parsed(self._core.record())

    @classmethod
    def from_record(
        cls, record: Mapping[str, Any] | str, *, allow_options: Mapping[str, Any] | None = None
    ) -> Game:
        """Replays a record and checks every step and the result.

        Args:
            record: The record, as an object or as JSON.
            allow_options: Options with paths that the record may have, such as ``{"variant": "my.toml"}``.
                Others are refused, because the record may come from elsewhere.

        Raises:
            InvalidState: A step does not match the current rules; the message names the first one.
            InvalidConfig: An option is a path.
        """
        return cls._of_record(json_text.text("record", record), _allowed(allow_options))

    @classmethod
    def _of_record(cls, text: str, allowed: _core.Trust) -> Game:
        return cls._wrap(_core.SingleGame.from_record(text, allowed))

    def export(self, format: str) -> str:
        """The game in a format of other programs, for example ``"pgn"``.

        Raises:
            InvalidConfig: The environment does not have this format; the message lists its formats.
        """
        return self._core.export(checks.word("format", format))

    def objects(self) -> Any:
        """The position in the game's own concepts: objects to query and events to subscribe to.

        Returns a game of the module ``ludovec.<environment>`` that starts at this position and is independent
        of this one.

        Raises:
            InvalidConfig: The environment has no such module.
        """
        env = self.spec.env
        name = f"ludovec.{env}"
        module = import_module(name) if find_spec(name) else None
        objects: Any = getattr(module, "Game", None)
        if not hasattr(objects, "from_position"):
            raise config_error(f"objects: {env} has none")
        return objects.from_position(self.spec.options, json.loads(self._core.to_json()))

    def __reduce__(self) -> Any:
        return _restore, (self._core.record(), self._core.stream(), portable(self.spec.env))

    def __copy__(self) -> Game:
        return self.clone()

    def __deepcopy__(self, memo: Any) -> Game:
        return self.clone()

    # ---- drawing ----

    def to_text(self, player: int | Literal["current"] | None = "current") -> str:
        """The position as lines of text, as ``player`` sees it: by default the current player, everybody
        once the game is over. ``None`` shows everything, hidden information included."""
        if isinstance(player, str):
            if player != "current":
                raise config_error(
                    f"player={player!r:.100}: a player, 'current' or None for everything is allowed"
                )
            player = None if self.is_terminal else self.current_player
        return self._core.to_text(None if player is None else self._player(player))

    def to_svg(
        self, theme: Theme = "light", player: int | None = None, **drawing: Unpack[MarkedDrawingOptions]
    ) -> str:
        """The position as SVG; with ``player``, as that player sees it.

        Args:
            theme: ``"light"`` or ``"dark"``.
            player: The viewer; ``None`` shows everything.
            legal: Mark the targets of legal actions: ``True`` for all, or a list of actions (of one piece).
            weights: A policy or visit counts to draw over the board: A finite numbers of at least 0. Illegal
                actions are ignored.
            board_only: Omit everything beside the board.
            flipped: Draw a two-sided board from the second player's side.
            size: Longer side in pixels, 16 to 8192; 720 by default.

        Raises:
            InvalidConfig, IllegalAction: The message names the argument and the allowed values.
        """
        return self._core.to_svg(*self._marked(theme, player, **drawing))

    def to_png(
        self, theme: Theme = "light", player: int | None = None, **drawing: Unpack[MarkedDrawingOptions]
    ) -> bytes:
        """The drawing of :meth:`to_svg` as a PNG file."""
        return self._core.to_png(*self._marked(theme, player, **drawing))

    def to_rgb(
        self,
        theme: Theme = "light",
        player: int | None = None,
        *,
        frame: tuple[int, int] | None = None,
        **drawing: Unpack[DrawingOptions],
    ) -> npt.NDArray[np.uint8]:
        """The drawing without marks as pixels, uint8 [height, width, 3].

        ``frame`` sets width and height in pixels; the background is white.
        """
        if frame is not None:
            sides = checks.indices("frame", frame)
            width, height = sides if len(sides) == 2 else (0, 0)
            if not 1 <= width <= 8192 or not 1 <= height <= 8192:
                raise config_error(f"frame={frame!r:.100}: a width and a height from 1 to 8192 are needed")
            frame = width, height
        return self._core.to_rgb(self._drawing(theme, player, **drawing), frame)

    def _marked(
        self,
        theme: Theme,
        player: int | None,
        *,
        legal: bool | Iterable[int] = False,
        weights: npt.ArrayLike | None = None,
        **drawing: Unpack[DrawingOptions],
    ) -> tuple[tuple[str, int | None, bool, bool, int | None], list[int], list[float]]:
        return self._drawing(theme, player, **drawing), *self._marks(legal, weights)

    def _drawing(
        self, theme: Theme, player: int | None, **how: Unpack[DrawingOptions]
    ) -> tuple[str, int | None, bool, bool, int | None]:
        return drawing_options(theme, None if player is None else self._player(player), **how)

    def _marks(
        self, legal: bool | Iterable[int], weights: npt.ArrayLike | None
    ) -> tuple[list[int], list[float]]:
        if isinstance(legal, bool):
            actions = self.legal_actions() if legal else []
        else:
            if isinstance(legal, str) or not isinstance(legal, Iterable):
                raise config_error(f"legal={legal!r:.100}: True, False or actions are needed")
            actions = [self._action(action) for action in legal]
        if weights is None:
            return actions, []
        return actions, checks.floats("weights", weights, (self.spec.num_actions,)).tolist()

    @property
    def names(self) -> list[str]:
        """Player names, by seat, for drawings and records; set names have at most 60 characters.

        A player without a name (or with an empty one) gets the game's default name.
        """
        return self._core.names()

    @names.setter
    def names(self, names: Sequence[str]) -> None:
        self._core.set_names(checks.words("names", names))

    @property
    def title(self) -> str:
        """Name of the game and the options that a spectator cares about."""
        return self._core.headline()[0]

    @property
    def standing(self) -> str:
        """State of the game in one line: the current player, or the winner."""
        return self._core.headline()[1]

    def action_in_words(self, action: int) -> str:
        """An action as a sentence for people: ``"Conquer the hill 21 for 3 tokens"``; SAN in chess."""
        return self._core.action_in_words(self._action(action))

    def _repr_html_(self) -> str:
        return self.to_svg()

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        turn = f"player {self.current_player} to move" if not self.is_terminal else self.status
        return f"<ludovec.Game {self.spec.env}: {turn}, {self._core.steps()} steps>"


class _SharedSpec:
    """The spec of games with one origin, parsed when it is first needed by any of them."""

    __slots__ = ("spec",)

    def __init__(self, spec: Spec | None = None) -> None:
        self.spec = spec


class DrawingOptions(TypedDict, total=False):
    """Drawing options."""

    board_only: bool
    flipped: bool
    size: int | None


class MarkedDrawingOptions(DrawingOptions, total=False):
    """Drawing options with marks."""

    legal: bool | Iterable[int]
    weights: npt.ArrayLike | None


def drawing_options(
    theme: Theme,
    seat: int | None,
    *,
    board_only: bool = False,
    flipped: bool = False,
    size: int | None = None,
) -> tuple[str, int | None, bool, bool, int | None]:
    """Drawing options as the engine takes them."""
    pixels = None if size is None else min(checks.positive("size", size), 2**32 - 1)
    alone, turned = checks.switch("board_only", board_only), checks.switch("flipped", flipped)
    return checks.word("theme", theme), seat, alone, turned, pixels


class Position:
    """The position of a :class:`Game`, equal to another if environment, options and state are equal."""

    __slots__ = ("_bytes",)

    def __init__(self, octets: bytes) -> None:
        """Use :attr:`Game.position`."""
        self._bytes = octets

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Position) and self._bytes == other._bytes

    def __hash__(self) -> int:
        return hash(self._bytes)

    def __repr__(self) -> str:
        return f"<ludovec.Position {hash(self) & 0xFFFFFFFFFFFFFFFF:016x}>"


def with_simulations(player: str, simulations: int | None) -> str:
    """The text of a player with a number of simulations."""
    if simulations is None:
        return player
    simulations = checks.count("simulations", simulations)
    if player.rpartition(":")[2].isdecimal():
        raise config_error(f"simulations={simulations}: the player {player!r} has a number already")
    return f"{player}:{simulations}"


def _restore(record: str, stream: tuple[int, int, int, int], env: str = "") -> Game:
    # The environment has registered itself when `env` was unpickled.
    game = Game.from_record(record, allow_options=json.loads(record)["options"])
    game._core.set_stream(*stream)
    return game


def _allowed(options: Mapping[str, Any] | None) -> _core.Trust:
    if options is not None and not isinstance(options, Mapping):
        raise config_error(f"allow_options={options!r:.100}: a mapping from names to values is needed")
    return _core.Trust([], dict(options or {}))


_INDICES = range(2**32)
"""Integers that the engine can read; the engine refuses the too large ones itself."""


def _parsed(text: str) -> dict[str, Any]:
    """Parses an object written by the engine."""
    data: dict[str, Any] = json.loads(text)
    return data


def _object(text: str) -> dict[str, Any]:
    data = json_text.parse(text)
    if not isinstance(data, dict):
        raise state_error("an object with env, options and position is needed")
    return data


def _member(data: dict[str, Any], key: str, kind: type, default: Any = None) -> Any:
    value = data.get(key, default)
    if not isinstance(value, kind):
        raise state_error(f"{key}: {'text' if kind is str else 'an object'} is needed")
    return value


class _Outcomes(Sequence[tuple[float, list[int], Game]]):
    """Outcomes of an action, made in order on first access."""

    def __init__(self, rest: Iterator[tuple[float, list[int], Game]]) -> None:
        self._rest = rest
        self._made: list[tuple[float, list[int], Game]] = []

    def _make(self, count: int | None) -> None:
        """Makes outcomes until there are ``count`` of them, or all."""
        missing = None if count is None else max(0, count - len(self._made))
        self._made.extend(itertools.islice(self._rest, missing))

    @overload
    def __getitem__(self, index: int) -> tuple[float, list[int], Game]: ...
    @overload
    def __getitem__(self, index: slice) -> list[tuple[float, list[int], Game]]: ...
    def __getitem__(self, index: Any) -> Any:
        last = index.stop if isinstance(index, slice) else index + 1
        from_end = last is None or last <= 0 or (isinstance(index, slice) and (index.start or 0) < 0)
        self._make(None if from_end else last)
        return self._made[index]

    def __len__(self) -> int:
        self._make(None)
        return len(self._made)

    def __repr__(self) -> str:
        """The first three; making all of them may be too expensive."""
        self._make(4)
        shown = [*map(repr, self._made[:3]), *(["..."] if len(self._made) > 3 else [])]
        return f"[{', '.join(shown)}]"

    def __iter__(self) -> Iterator[tuple[float, list[int], Game]]:
        for at in itertools.count():
            self._make(at + 1)
            if at >= len(self._made):
                return
            yield self._made[at]
