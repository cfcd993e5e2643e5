"""One game, to look at, search in, play."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypedDict, overload

import numpy as np
import numpy.typing as npt

from . import _arguments, _core, _json
from ._errors import config_error, illegal_action, state_error
from ._long import interruptible
from .analysis import Analysis, Thinker
from .spec import Spec

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .typing import EnvId, Options, Theme


class Game:
    """One game with its history.

    >>> g = Game("tilewe", seed=0, players=2)
    >>> while not g.is_terminal:
    ...     g.step(g.legal_actions()[0])
    >>> g.returns()

    ``Game(id, seed)`` plays the game that ``make(id, seed=seed)`` plays as its game 0. Methods that raise
    have changed nothing.
    """

    __slots__ = ("_core", "_spec")

    def __init__(self, id: EnvId, seed: int | None = 0, **options: Unpack[Options]) -> None:
        self._core = _core.SingleGame.start(_arguments.word("id", id), {**options}, _arguments.seed(seed))
        self._spec: Spec | None = None

    @classmethod
    def _wrap(cls, core: _core.SingleGame, spec: Spec | None = None) -> Game:
        """A game of the engine's; to read a spec takes as long as many steps, so that one known is kept."""
        game = cls.__new__(cls)
        game._core = core
        game._spec = spec
        return game

    @property
    def spec(self) -> Spec:
        """What the environment looks like under this game's options."""
        if self._spec is None:
            self._spec = Spec.from_json(self._core.spec_json())
        return self._spec

    @property
    def position(self) -> Position:
        """The position as a value that compares and hashes: a key of a dict, say."""
        return Position(self._core.position_bytes())

    # ---- play ----

    @property
    def current_player(self) -> int:
        """The seat to move; any seat when the game is over."""
        return self._core.current_player()

    @property
    def is_terminal(self) -> bool:
        """Whether the game is over: by its rules, or truncated by a limit: its own, or ``max_steps``."""
        return self._core.status() != "running"

    @property
    def status(self) -> str:
        """``"running"``, ``"terminated"`` or ``"truncated"``."""
        return self._core.status()

    @property
    def steps(self) -> int:
        """How many steps have been played."""
        return self._core.steps()

    @property
    def turn(self) -> int | None:
        """The turn or round that is being played, from 1, where the game counts them."""
        return self._core.turn()

    def legal_actions(self) -> list[int]:
        """Legal action indices in increasing order; empty when the game is over."""
        return self._core.legal_actions()

    def action_mask(self) -> npt.NDArray[np.int8]:
        """int8 [A]: 1 for a legal action."""
        return self._core.action_mask()

    def legal_moves(self) -> list[dict[str, Any]]:
        """Legal actions as objects, in the order of :meth:`legal_actions`."""
        moves: list[dict[str, Any]] = json.loads(self._core.legal_moves())
        return moves

    def step(self, action: int) -> None:
        """Plays an action; chance comes from the game's seed.

        Raises:
            IllegalAction, InvalidPhase, GameOver: Says why it is refused.
        """
        self._core.step(self._action(action))

    def step_scripted(self, action: int, outcomes: Sequence[int]) -> None:
        """Plays an action under given chance outcomes (of :meth:`outcomes`, a :attr:`log`)."""
        self._core.step_scripted(self._action(action), _arguments.indices("outcomes", outcomes))

    def compound_actions(self) -> list[tuple[list[Any], list[int]]]:
        """Whole actions in the game's own terms that take several decisions here.

        Each is its parts and the decisions to hand to :meth:`step_all`. Empty where a decision is an action.
        """
        return [(json.loads(parts), actions) for parts, actions in self._core.compound_actions()]

    def step_all(self, actions: Sequence[int]) -> None:
        """Plays several actions as one call: all of them, or none when one is refused.

        Raises:
            IllegalAction, InvalidPhase, GameOver: Says why one is refused.
        """
        listed = _arguments.listed("actions", actions, "actions")
        self._core.step_all([self._action(action) for action in listed])

    def submit(self, player: int, action: Mapping[str, Any]) -> None:
        """Plays an action given as an object, ``{"type": ..., ...}``, for the seat whose turn it must be."""
        self._core.submit(self._player(player), _json.text("action", action))

    def undo(self) -> bool:
        """Takes the last step back; False at the beginning. Chance goes on from where it is."""
        return self._core.undo()

    def bot_action(self, name: str = "greedy") -> int:
        """What a bot would play here: one of :func:`ludovec.bots`, ``"search:500"``, ``"http://host:port"``.

        Asking changes nothing, and the engine's bots answer the same again in the same position.
        """
        return self._core.bot_action(_arguments.word("bot", name))

    def analyse(self, player: Thinker = "net:champion", simulations: int | None = None) -> Analysis:
        """What a player thinks of the position: its policy, and what it expects; notebooks draw it.

        >>> game = ludovec.Game("smallworld", seed=0, players=2)
        >>> thought = game.analyse("net:champion", simulations=64)
        >>> action, words, share = thought.best(3)[0]
        >>> game.step(action)

        Args:
            player: ``"net:champion"``, ``"net:FILE"``, ``"search"``, ``"flat"``, a :class:`ludovec.Network`,
                or a function ``network(observations, action_mask_bits) -> (logits, values)`` as
                :meth:`ludovec.TreeSearch.run` takes it. It knows what the seat to move knows.
            simulations: Of a tree search; ``None`` for a network's answer without one.

        Raises:
            InvalidConfig: The player does not play this, or says only what it plays.
            GameOver: Nobody is to move.
        """
        if simulations is not None:
            simulations = _arguments.count("simulations", simulations)
        if callable(player):
            found: Analysis = import_module("._thinking", __package__).analyse(self, player, simulations or 0)
            return found
        name = _arguments.word("player", player)
        if simulations is not None:
            if name.rpartition(":")[2].isdecimal():
                raise config_error(f"simulations={simulations}: the player {name!r} has a number already")
            name = f"{name}:{simulations}"
        said = _parsed(self._core.analyse(name))
        policy = np.zeros(self.spec.num_actions, np.float32)
        policy[said["actions"]] = said["shares"]
        values = np.array(said["values"], np.float32)
        return Analysis(self.clone(), name, said["action"], policy, values, said["forecast"])

    def bot_request(self) -> dict[str, Any]:
        """What a bot in another program, or an object with ``turn``, is told to choose here."""
        return _parsed(self._core.bot_request())

    def outcomes(self, action: int, limit: int | None = None) -> Sequence[tuple[float, list[int], Game]]:
        """Every way an action can turn out: probability, chance script, the game after it.

        They are a lazy sequence: each is made when it is first asked for, because a step that deals cards has
        more of them than anybody lists (``len`` makes them all). With a ``limit`` all are made at once.

        Raises:
            InvalidConfig: There are more than ``limit``.
        """
        index = self._action(action)
        found: Iterable[tuple[float, list[int], _core.SingleGame]]
        if limit is None:
            found = self._core.outcomes(index)
        else:
            most = _arguments.count("limit", limit)
            found = interruptible(most > 1000, lambda: self._core.list_outcomes(index, most))
        spec = self._spec
        outcomes = ((probability, script, Game._wrap(core, spec)) for probability, script, core in found)
        return _Outcomes(outcomes) if limit is None else list(outcomes)

    # ---- words for actions ----

    def action_to_string(self, action: int) -> str:
        """An action as text."""
        return self._core.action_to_string(self._action(action))

    def string_to_action(self, text: str) -> int:
        """The legal action that a text names."""
        return self._core.string_to_action(_arguments.word("text", text))

    def action_to_move(self, action: int) -> dict[str, Any]:
        """An action as an object."""
        return _parsed(self._core.action_to_json(self._action(action)))

    def move_to_action(self, action: Mapping[str, Any]) -> int:
        """The action that an object describes, legal or not."""
        return self._core.action_from_json(_json.text("action", action))

    # ---- results and views ----

    def returns(self) -> npt.NDArray[np.float32]:
        """float32 [P]: outcome by seat in [-1, 1]; zeros unless the game has terminated."""
        return self._core.returns()

    def scores(self) -> npt.NDArray[np.float32]:
        """float32 [P]: scores by seat."""
        return self._core.scores()

    def observation(self, player: int | None = None) -> npt.NDArray[np.uint8]:
        """uint8 [*observation_shape]: what a seat, by default the one to move, sees."""
        return self._core.observation(None if player is None else self._player(player))

    def observation_object(self, player: int | None = None) -> dict[str, Any]:
        """What a seat sees, as an object for people and scripted bots."""
        return _parsed(self._core.observation_to_json(self._seat(player)))

    def information_state(self, player: int | None = None) -> dict[str, Any]:
        """What a seat knows when it forgets nothing."""
        return _parsed(self._core.information_state(self._seat(player)))

    def determinize(self, player: int | None = None, seed: int = 0) -> Game:
        """A game that the seat cannot tell from this one: hidden parts are redrawn.

        It keeps the history: ``steps``, ``log``, the last move of drawings. That is the true one; steps of it are not
        undone, and ``record()`` begins at the redrawn position.
        """
        return Game._wrap(self._core.determinize(self._seat(player), _arguments.seed(seed)), self._spec)

    def _seat(self, player: int | None) -> int:
        return self.current_player if player is None else self._player(player)

    def _player(self, player: Any) -> int:
        return _arguments.seat("player", player, self.spec.players)

    def _action(self, action: Any) -> int:
        """An index that the engine can read; others are refused here as it would, by the number given."""
        number = _arguments.index("action", action)
        if number in _INDICES:
            return number
        if self.is_terminal:
            return _INDICES[-1]
        raise illegal_action(f"action {number}: actions are 0 to {self.spec.num_actions - 1}")

    # ---- keeping ----

    def to_json(self) -> str:
        """Environment, version, options and position as JSON; no history."""
        spec = self.spec
        head = {"env": spec.env, "version": spec.version, "options": spec.options}
        return json.dumps({**head, "position": json.loads(self._core.to_json())})

    @classmethod
    def from_json(cls, text: str, seed: int = 0) -> Game:
        """The game that :meth:`to_json` wrote, or a position that somebody set up; chance is seeded anew.

        Raises:
            InvalidState: Names the key, the value and what is allowed.
        """
        data = _object(text)
        id, options = _member(data, "env", str), _member(data, "options", dict, {})
        position = json.dumps(_member(data, "position", dict))
        game = cls._wrap(_core.SingleGame.from_position(id, options, position, _arguments.seed(seed)))
        if data.get("version", game.spec.version) != game.spec.version:
            raise state_error(
                f"written by version {data['version']} of {id}, this is version {game.spec.version}"
            )
        return game

    def clone(self) -> Game:
        """The same game: position, history and future."""
        return Game._wrap(self._core.copy(), self._spec)

    @property
    def log(self) -> list[dict[str, Any]]:
        """The steps so far: ``player``, ``action``, ``label``, ``move``, ``chance`` (the outcomes drawn).

        The first one also holds how the game began: ``setup`` (chance outcomes), or ``position``.
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
    def replay(cls, id: str, options: Mapping[str, Any] | None, log: Sequence[Mapping[str, Any]]) -> Game:
        """Plays a :attr:`log` again.

        Raises:
            InvalidState: Names the first step that today's rules play differently.
        """
        id = _arguments.word("id", id)
        if not isinstance(options or {}, Mapping):
            raise config_error(f"options={options!r:.100}: a dict is needed")
        options = dict(options or {})
        if not isinstance(log, Sequence) or not all(isinstance(entry, Mapping) for entry in log):
            raise state_error("log: a list of objects is needed")
        first = log[0] if log else {}
        if "position" in first:
            position = _json.text("position", first["position"])
            core = _core.SingleGame.from_position(id, options, position, 0)
        else:
            core = _core.SingleGame.scripted(id, options, _arguments.indices("setup", first.get("setup", [])))
        game = cls._wrap(core)
        for i, entry in enumerate(log):
            try:
                player, action, label = entry["player"], game._action(entry["action"]), entry.get("label")
            except (KeyError, TypeError) as error:
                raise state_error(f"log, step {i}: player and action are needed") from error
            if player != game.current_player:
                raise state_error(
                    f"log, step {i}: player {player} acts, it is player {game.current_player}'s turn"
                )
            if label is not None and label != game.action_to_string(action):
                raise state_error(
                    f"log, step {i}: action {action} is {game.action_to_string(action)!r}, not {label!r}"
                )
            game.step_scripted(action, entry.get("chance", []))
        return game

    def record(self) -> dict[str, Any]:
        """The whole record as an object: what ``ludovec replay`` reads."""
        return _parsed(self._core.record())

    @classmethod
    def from_record(cls, record: Mapping[str, Any] | str) -> Game:
        """Plays a record again and checks every step and the result.

        Raises:
            InvalidState: Names the first step that today's rules play differently.
        """
        text = _json.text("record", record)
        return cls._wrap(interruptible(len(text) > 2**18, lambda: _core.SingleGame.from_record(text)))

    def export(self, format: str) -> str:
        """The game so far in a format that other programs read, ``"pgn"`` for one.

        Raises:
            InvalidConfig: Lists the formats that games of this environment are written in.
        """
        return self._core.export(_arguments.word("format", format))

    def objects(self) -> Any:
        """The position in the game's own concepts, with objects to ask and events to listen to.

        That is what the module ``ludovec.<environment>`` is for where there is one; it starts a game of its
        own from here.

        Raises:
            InvalidConfig: The environment has no such module.
        """
        env = self.spec.env
        module = import_module(f".{env}", __package__) if find_spec(f".{env}", __package__) else None
        objects: Any = getattr(module, "Game", None)
        if not hasattr(objects, "from_position"):
            raise config_error(f"objects: there are none for {env}")
        return objects.from_position(self.spec.options, json.loads(self._core.to_json()))

    def __reduce__(self) -> Any:
        return _restore, (self._core.record(), self._core.stream())

    def __copy__(self) -> Game:
        return self.clone()

    def __deepcopy__(self, memo: Any) -> Game:
        return self.clone()

    # ---- pictures ----

    def to_text(self, player: int | None = None) -> str:
        """The position as lines of text; with ``player``, as that seat may see it."""
        return self._core.to_text(None if player is None else self._player(player))

    def to_svg(self, theme: Theme = "light", player: int | None = None, **look: Unpack[MarkedLook]) -> str:
        """The position as SVG, ``"light"`` or ``"dark"``; with ``player``, as that seat may see it.

        Args:
            theme: ``"light"`` or ``"dark"``.
            player: The seat that looks; ``None`` sees everything.
            legal: Mark where legal actions lead: ``True`` for all of them, or those given (of one piece).
            weights: Finite, at least 0, one for each of the A actions: a policy or counts of visits, laid
                over the board; what is not legal does not count.
            board_only: Leave out what lies beside the board.
            flipped: Draw a board that has two sides from the second one's.
            size: The longer side in pixels, 16 to 8192; 720 by default.

        Raises:
            InvalidConfig, IllegalAction: Says which argument is wrong and what is allowed.
        """
        return self._core.to_svg(*self._marked(theme, player, **look))

    def to_png(self, theme: Theme = "light", player: int | None = None, **look: Unpack[MarkedLook]) -> bytes:
        """The same as the bytes of a PNG file."""
        return self._core.to_png(*self._marked(theme, player, **look))

    def to_rgb(
        self,
        theme: Theme = "light",
        player: int | None = None,
        *,
        frame: tuple[int, int] | None = None,
        **look: Unpack[Look],
    ) -> npt.NDArray[np.uint8]:
        """The same, without marks, as pixels, uint8 [height, width, 3].

        With ``frame`` it is of that width and height, on white.
        """
        if frame is not None:
            sides = _arguments.indices("frame", frame)
            width, height = sides if len(sides) == 2 else (0, 0)
            if not 1 <= width <= 8192 or not 1 <= height <= 8192:
                raise config_error(f"frame={frame!r:.100}: a width and a height from 1 to 8192 are needed")
            frame = width, height
        return self._core.to_rgb(self._look(theme, player, **look), frame)

    def _marked(
        self,
        theme: Theme,
        player: int | None,
        *,
        legal: bool | Iterable[int] = False,
        weights: npt.ArrayLike | None = None,
        **look: Unpack[Look],
    ) -> tuple[tuple[str, int | None, bool, bool, int | None], list[int], list[float]]:
        return self._look(theme, player, **look), *self._marks(legal, weights)

    def _look(
        self, theme: Theme, player: int | None, **how: Unpack[Look]
    ) -> tuple[str, int | None, bool, bool, int | None]:
        return look(theme, None if player is None else self._player(player), **how)

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
        return actions, _arguments.floats("weights", weights, (self.spec.num_actions,)).tolist()

    @property
    def names(self) -> list[str]:
        """What the players are called, by seat, in drawings and records; set names of at most 60 characters.

        Seats without a name (or with an empty one) are called as the game calls them.
        """
        return self._core.names()

    @names.setter
    def names(self, names: Sequence[str]) -> None:
        self._core.set_names(_arguments.words("names", names))

    @property
    def title(self) -> str:
        """What is played: the game's name and the options that matter to who looks on."""
        return self._core.headline()[0]

    @property
    def standing(self) -> str:
        """How it stands, in one line: whose turn it is, or who won."""
        return self._core.headline()[1]

    def action_in_words(self, action: int) -> str:
        """An action in a sentence for people: ``"Conquer the hill 21 for 3 tokens"``, SAN in chess."""
        return self._core.action_in_words(self._action(action))

    def _repr_html_(self) -> str:
        return self.to_svg()

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        turn = f"player {self.current_player} to move" if not self.is_terminal else self.status
        return f"<ludovec.Game {self.spec.env}: {turn}, {self._core.steps()} steps>"


class Look(TypedDict, total=False):
    """How a position is drawn."""

    board_only: bool
    flipped: bool
    size: int | None


class MarkedLook(Look, total=False):
    """How a position is drawn, and what is marked on it."""

    legal: bool | Iterable[int]
    weights: npt.ArrayLike | None


def look(
    theme: Theme,
    seat: int | None,
    *,
    board_only: bool = False,
    flipped: bool = False,
    size: int | None = None,
) -> tuple[str, int | None, bool, bool, int | None]:
    """How something is drawn, as the engine reads it."""
    pixels = None if size is None else min(_arguments.positive("size", size), 2**32 - 1)
    alone, turned = _arguments.switch("board_only", board_only), _arguments.switch("flipped", flipped)
    return _arguments.word("theme", theme), seat, alone, turned, pixels


class Position:
    """The position of a :class:`Game`: equal to those of the same environment, options and state."""

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


def _restore(record: str, stream: tuple[int, int, int, int]) -> Game:
    game = Game.from_record(record)
    game._core.set_stream(*stream)
    return game


_INDICES = range(2**32)
"""Numbers that the engine reads; it says itself which of them are too large."""


def _parsed(text: str) -> dict[str, Any]:
    """An object that the engine wrote."""
    data: dict[str, Any] = json.loads(text)
    return data


def _object(text: str) -> dict[str, Any]:
    data = _json.parse(text)
    if not isinstance(data, dict):
        raise state_error("an object with env, options and position is needed")
    return data


def _member(data: dict[str, Any], key: str, kind: type, default: Any = None) -> Any:
    value = data.get(key, default)
    if not isinstance(value, kind):
        raise state_error(f"{key}: {'text' if kind is str else 'an object'} is needed")
    return value


class _Outcomes(Sequence[tuple[float, list[int], Game]]):
    """Outcomes of an action, made in their order as far as somebody has asked for them."""

    def __init__(self, rest: Iterator[tuple[float, list[int], Game]]) -> None:
        self._rest = rest
        self._made: list[tuple[float, list[int], Game]] = []

    def _make(self, count: int | None) -> None:
        """Makes at least so many of them if there are, or all."""
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
        """The first three; there may be too many to make them all."""
        self._make(4)
        shown = [*map(repr, self._made[:3]), *(["..."] if len(self._made) > 3 else [])]
        return f"[{', '.join(shown)}]"

    def __iter__(self) -> Iterator[tuple[float, list[int], Game]]:
        for at in itertools.count():
            self._make(at + 1)
            if at >= len(self._made):
                return
            yield self._made[at]
