"""An environment of strings for text agents, with the interface of Gymnasium."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .. import _core
from .._shared import checks
from .._shared.errors import config_error, state_error
from ..evaluation.matches import play_move
from ..game import Game
from ..players import seating
from ..players.python_bots import PlayerPool
from .moves import Listing
from .obfuscation import Obfuscation
from .prompts import observation, prompt
from .replies import read_move

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..players import Player
    from ..spec import Spec
    from ..typing import EnvId, Options


def make_text(
    env: EnvId,
    opponents: Player | tuple[Player, ...] = "greedy",
    *,
    seat: int | Literal["rotating", "random"] = 0,
    legal: Listing = "grouped",
    retries: int = 2,
    short_rules: bool = False,
    obfuscate: int | None = None,
    seed: int | None = None,
    **options: Unpack[Options],
) -> TextEnv:
    """Makes an environment for a text agent: observations and actions are strings.

    >>> env = ludovec.make_text("tilewe", opponents="greedy", players=2)
    >>> text, info = env.reset(seed=0)
    >>> text, reward, terminated, truncated, info = env.step(model(text))

    Args:
        env: One of :func:`ludovec.list_envs`.
        opponents: The player of all other seats, or a tuple with one per seat, in turn order after the agent.
        seat: Seat of the agent, or ``"rotating"``: the next seat in every episode, or ``"random"``.
        legal: Legal moves in observations: ``"grouped"``, ``"dense"``, ``"listed"`` or ``"withheld"``.
        retries: Further tries after a reply without a legal move; then the game is lost.
        short_rules: The first observation has the rules in one paragraph.
        obfuscate: Seed of drawn names for all messages and replies (:class:`ludovec.text.Obfuscation`): the
            same game without a name to remember. Small World and chess have it.
        seed: Seed of the first game; ``None`` draws one.
        options: The environment's own options.

    Raises:
        InvalidConfig: The message names the argument and the allowed values.
    """
    return TextEnv(
        env,
        opponents,
        seat=seat,
        legal=legal,
        retries=retries,
        short_rules=short_rules,
        obfuscate=obfuscate,
        seed=seed,
        **options,
    )


class TextEnv:
    """One seat of a game as strings; see :func:`make_text`.

    ``reset`` returns ``(text, info)``, ``step`` ``(text, reward, terminated, truncated, info)``. The reward
    is 0 until the end of the game, then the outcome of the agent in [-1, 1]. A reply without a legal move
    gets its reason as the next observation, and -1 and the end of the episode after the last try. ``info``
    has ``action``, ``reason``, ``tries_left``, ``seat``, ``seed`` and, at the end, ``outcomes`` and
    ``scores`` by seat.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"]}

    def __init__(
        self,
        env: EnvId,
        opponents: Player | tuple[Player, ...] = "greedy",
        *,
        seat: int | Literal["rotating", "random"] = 0,
        legal: Listing = "grouped",
        retries: int = 2,
        short_rules: bool = False,
        obfuscate: int | None = None,
        seed: int | None = None,
        **options: Unpack[Options],
    ) -> None:
        """Use :func:`make_text`."""
        self._env, self._options = checks.word("env", env), {**options}
        self._legal, self._short = legal, checks.switch("short_rules", short_rules)
        self._retries = checks.count("retries", retries)
        self._seed = checks.seed(seed)
        game = Game(self._env, self._seed, **self._options)  # type: ignore[arg-type]
        observation(game, legal=legal)
        seats = game.spec.players
        rule = seating.seat_rule(seat, 1, seats)
        self._rule: str | None = rule if isinstance(rule, str) else None
        self._seat = 0 if self._rule else int(rule[0])
        others = opponents if isinstance(opponents, tuple) else (opponents,) * (seats - 1)
        if len(others) != seats - 1:
            raise config_error(f"opponents: {len(others)} were given, the game has {seats - 1} other seats")
        for player in {player for player in others if isinstance(player, str)}:
            _core.check_player(self._env, self._options, player)
        named = [(f"opponent_{k + 1}", player) for k, player in enumerate(others)]
        self._spec = game.spec
        self._names = None if obfuscate is None else Obfuscation(game, obfuscate)
        self._pool = PlayerPool(self._spec, named)
        self._game: Game | None = None
        self._over, self._tries, self._episodes = True, 0, 0

    @property
    def spec(self) -> Spec:
        """The spec of the games."""
        return self._spec

    @property
    def game(self) -> Game:
        """The game of the episode."""
        if self._game is None:
            raise state_error("the environment has no game yet: call reset")
        return self._game

    @property
    def seat(self) -> int:
        """Seat of the agent."""
        return self._seat

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Starts a game; returns rules, legend, position and legal moves as text, and info.

        Args:
            seed: Seed of the game; ``None`` is the next one.
            options: ``{"seat": k}`` sets the agent's seat.
        """
        if seed is not None:
            self._seed = checks.seed(seed)
        elif self._episodes:
            self._seed = (self._seed + 1) % 2**64
        self._episodes += 1
        self._game = Game(self._env, self._seed, **self._options)  # type: ignore[arg-type]
        seats = self._game.spec.players
        if options and "seat" in options:
            self._seat = checks.seat("seat", options["seat"], seats)
        elif self._rule:
            seeds, episodes = np.array([self._seed], np.uint64), np.array([self._episodes - 1])
            of_game = seating.learner_seats(self._rule, seeds, np.zeros(1, np.int64), episodes, seats)
            self._seat = int(of_game[0])
        self._over, self._tries = False, self._retries
        self._play_others()
        self._over = self._game.is_terminal
        text = prompt(self._game, self._seat, legal=self._legal, short_rules=self._short)  # pyright: ignore
        return self._shown(text), self._info()

    def step(self, reply: Any) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Plays a reply, and then the opponents until the agent decides again or the game is over.

        Args:
            reply: Text or a tool call, as for :func:`ludovec.text.read_move`.

        Raises:
            GameOver: The episode is over: call :meth:`reset`.
        """
        game = self.game
        if self._over:
            raise state_error("the episode is over: call reset")
        said = read_move(game, reply if self._names is None else self._names.read(reply))
        reason = None if said.reason is None else self._shown(said.reason)
        if said.action is None:
            if self._tries == 0:
                self._over = True
                text = f"{reason}\nNo tries are left: the game is lost."
                return text, -1.0, True, False, self._info(reason=reason)
            self._tries -= 1
            return reason or "", 0.0, False, False, self._info(reason=reason)
        game.step(said.action)
        self._tries = self._retries
        self._play_others()
        terminated, truncated = game.status == "terminated", game.status == "truncated"
        self._over = terminated or truncated
        reward = float(game.returns()[self._seat]) if terminated else 0.0
        text = observation(game, self._seat, legal=self._legal)  # pyright: ignore
        return self._shown(text), reward, terminated, truncated, self._info(action=said.action)

    def render(self) -> str:
        """The position as the agent sees it."""
        return self._shown(self.game.to_text(self._seat))

    def close(self) -> None:
        """Ends the opponents."""
        self._pool.close()

    def _shown(self, text: str) -> str:
        return text if self._names is None else self._names.hide(text)

    def _play_others(self) -> None:
        game = self.game
        while not game.is_terminal and game.current_player != self._seat:
            seats = game.spec.players
            bot = self._pool.players[(game.current_player - self._seat) % seats - 1][1]
            play_move(game, bot)

    def _info(self, action: int | None = None, reason: str | None = None) -> dict[str, Any]:
        game = self.game
        info: dict[str, Any] = {
            "action": action,
            "reason": reason,
            "tries_left": self._tries,
            "seat": self._seat,
            "seed": self._seed,
        }
        if game.is_terminal:
            info |= {"outcomes": game.returns().tolist(), "scores": game.scores().tolist()}
        return info

    def __enter__(self) -> TextEnv:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<ludovec.TextEnv {self._env}: seat {self._seat}>"
