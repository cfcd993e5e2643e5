"""Positions with answers, to measure players and language models by regret.

>>> positions = ludovec.text.suite.make("small", seed=0, envs=["tilewe", "empires"])
>>> print(positions.run("greedy"))    # a player by name
>>> print(positions.run(ask))         # a function from a message to a reply

The positions are from random games on random maps and boards, and from all shipped chess variants, so that no
reader knows them by heart. Equal arguments and versions give equal positions and answers.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .. import _core
from .._shared import checks
from .._shared.errors import config_error
from ..game import Game
from ..spec import spec
from .prompts import prompt
from .regrets import _search
from .replies import READER_VERSION, read_move

if TYPE_CHECKING:
    from .players import LanguageModel

Size = Literal["small", "medium", "large"]
#: A player's name, or a function from the message of a position to a reply.
Answering = str | Callable[[str], Any]

#: The settings of each size: maps, boards and numbers of players.
_SETTINGS: dict[str, dict[str, dict[str, Any]]] = {
    "small": {
        "smallworld": {"players": 2},
        "tilewe": {"players": 2, "board": 8},
        "starwars_risk": {},
        "empires": {"players": 2, "width": 6, "height": 5, "max_turns": 60},
    },
    "medium": {
        "smallworld": {"players": 3},
        "tilewe": {"players": 2, "board": 11},
        "starwars_risk": {},
        "empires": {"players": 2, "width": 9, "height": 7, "max_turns": 120},
    },
    "large": {
        "smallworld": {"players": 5},
        "tilewe": {"players": 2, "board": 14},
        "starwars_risk": {},
        "empires": {"players": 3, "width": 14, "height": 10, "max_turns": 200},
    },
}
#: The chess variants by the size of their board.
_SMALL_BOARDS = ("gardner", "hole", "losalamos")
_LARGE_BOARDS = ("capablanca", "chancellor", "embassy", "gothic", "janus", "modern")

#: Games without chance and hidden information, in which answers are proved.
_PROVED = ("chess", "tilewe")
#: Smallest difference between the best and the worst move of a position.
_SPREAD = 0.1
#: Most legal moves of a position.
_MOST_MOVES = 60
#: Simulations, searches per move, threads.
_How = tuple[int, int, int | None]
#: Positions per proof.
_BUDGET = 20_000
#: Decisions of a game that is looked at.
_LONGEST = 600
#: Games that are tried for a position.
_TRIES = 80


@dataclass(frozen=True)
class Answer:
    """The value of a legal move of a position."""

    #: Expected share of the points: 1 for a won game, 0 for a lost one.
    share: float
    #: Standard error of :attr:`share`; 0 if it is proved.
    error: float


@dataclass(frozen=True, eq=False)
class Position:
    """A position with the value of every legal move."""

    name: str
    group: str
    """The environment, or ``"chess variants"``."""
    game: Game
    answers: dict[int, Answer]
    exact: bool
    """True if the value of the best move is proved, and all moves as good are known."""
    best: int
    """The best move; of equal ones the first."""

    @property
    def message(self) -> str:
        """The position as a message for a language model."""
        return prompt(self.game)

    def regret(self, action: int | None) -> float:
        """The share lost against the best move; all of it without a legal move (``None``).

        Raises:
            InvalidConfig: The action is not legal here.
        """
        best = self.answers[self.best].share
        if action is None:
            return best
        if action not in self.answers:
            raise config_error(f"{self.name}: action {action} is not legal")
        return max(0.0, best - self.answers[action].share)


@dataclass(frozen=True)
class Row:
    """The result for a group of positions."""

    group: str
    positions: int
    regret: float
    """Mean regret."""
    error: float
    """Standard error of the mean over the positions."""
    solved: float
    """Share of the positions with a regret of 0."""
    refused: int
    """Replies without a legal move."""


@dataclass(frozen=True)
class Score:
    """The result of a player: rows by group, and the last one for all positions."""

    player: str
    rows: tuple[Row, ...]
    left_out: int = 0
    """Positions that the player does not play, such as variants that a network was not trained for."""

    @property
    def regret(self) -> float:
        """Mean regret of all positions."""
        return self.rows[-1].regret

    def __str__(self) -> str:
        lines = [("group", "positions", "regret", "+/-", "solved", "refused")]
        for row in self.rows:
            lines.append(
                (
                    row.group,
                    str(row.positions),
                    f"{row.regret:.3f}",
                    f"{row.error:.3f}",
                    f"{100 * row.solved:.0f} %",
                    str(row.refused),
                )
            )
        widths = [max(map(len, column)) for column in zip(*lines)]
        shown = [
            "  ".join([cells[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(cells[1:], widths[1:]))])
            for cells in lines
        ]
        rest = [f"{self.left_out} positions are left out: the player does not play them"]
        return "\n".join([*shown, *(rest if self.left_out else [])])


@dataclass(frozen=True, eq=False)
class Suite:
    """Positions with answers; see :func:`make`."""

    size: Size
    seed: int
    positions: tuple[Position, ...]
    versions: dict[str, int] = field(default_factory=dict)
    """Versions of the environments, and of the reader as ``replies``: other versions may have other
    positions and results."""

    def __len__(self) -> int:
        return len(self.positions)

    def __iter__(self) -> Iterator[Position]:
        return iter(self.positions)

    def run(self, player: Answering, *, name: str | None = None) -> Score:
        """Asks a player in every position.

        Args:
            player: A name such as ``"search:200"`` or ``"llm:MODEL@URL"``, or a function from a message to a
                reply, as for :func:`ludovec.text.read_move`.
            name: The name in the result.

        Raises:
            InvalidConfig: The player plays none of the positions.
        """
        if isinstance(player, str):
            chosen = self._chosen_by(player)
        elif callable(player):
            chosen = [
                read_move(position.game, player(position.message)).action for position in self.positions
            ]
        else:
            raise config_error(
                f"player={player!r:.100}: a name or a function from a message to a reply is needed"
            )
        return self.grade(chosen, name=name or (player if isinstance(player, str) else player.__name__))

    def grade(self, chosen: Sequence[int | Literal["left out"] | None], *, name: str = "") -> Score:
        """The result of chosen actions, one per position; ``None`` for a reply without a legal move.

        Raises:
            InvalidConfig: The number of actions is wrong, or one is not legal.
        """
        if len(chosen) != len(self.positions):
            raise config_error(
                f"{len(chosen)} actions were given, the suite has {len(self.positions)} positions"
            )
        found: dict[str, list[tuple[float, bool]]] = {}
        for position, action in zip(self.positions, chosen):
            if action != "left out":
                found.setdefault(position.group, []).append((position.regret(action), action is None))
        if not found:
            raise config_error(f"player {name!r:.100}: it plays none of the positions")
        rows = [_row(group, results) for group, results in found.items()]
        everything = [result for results in found.values() for result in results]
        left_out = len(self.positions) - len(everything)
        return Score(name, (*rows, _row("all", everything)), left_out)

    def _chosen_by(self, player: str) -> list[int | Literal["left out"] | None]:
        if player.startswith("llm:"):
            return _by_model(player, self.positions)
        chosen: list[int | Literal["left out"] | None] = []
        known: dict[str, bool] = {}
        for position in self.positions:
            options = position.game.spec.options
            key = json.dumps([position.game.spec.env, options], sort_keys=True, default=str)
            if key not in known:
                known[key] = _plays(position.game, player)
            chosen.append(position.game.bot_action(player) if known[key] else "left out")
        return chosen


def _by_model(text: str, positions: Sequence[Position]) -> list[int | Literal["left out"] | None]:
    from .players import make

    model: LanguageModel = make(text, None)
    answers = model.games([position.game._core for position in positions], lambda: False)
    return [answer if isinstance(answer, int) else None for answer in answers]


def _plays(game: Game, player: str) -> bool:
    try:
        _core.check_player(game.spec.env, game.spec.options, player)
    except _core.InvalidConfig:
        return False
    return True


def _row(group: str, results: list[tuple[float, bool]]) -> Row:
    regrets = np.array([regret for regret, _ in results])
    error = float(regrets.std(ddof=1) / math.sqrt(len(regrets))) if len(regrets) > 1 else 0.0
    return Row(
        group,
        len(results),
        float(regrets.mean()),
        error,
        float((regrets == 0).mean()),
        sum(refused for _, refused in results),
    )


def make(
    size: Size = "small",
    *,
    seed: int = 0,
    positions: int = 4,
    envs: Sequence[str] | None = None,
    simulations: int = 32,
    repeats: int = 32,
    num_threads: int | None = None,
) -> Suite:
    """Makes a suite.

    Chess and Tilewe positions are ends of games: the best move and all moves as good are proved by search to
    the end, except in variants in which few games end. The others are searched: independent searches evaluate
    every legal move, half of them choose the best one, and the other half says how good the moves are.

    Args:
        size: Size of maps, boards and tables: ``"small"``, ``"medium"`` or ``"large"``.
        seed: Seed of positions and searches.
        positions: Positions of each game. Each chess variant has one, in the size of its board.
        envs: Environments; ``None`` takes all five.
        simulations: Simulations of each search.
        repeats: Searches per move, an even number. Each resamples hidden information and chance, which
            often decides more than further simulations.
        num_threads: ``None`` uses all cores; the result does not depend on it.

    Raises:
        InvalidConfig: An argument is invalid.
    """
    if size not in _SETTINGS:
        raise config_error(f"size={size!r:.100}: {', '.join(_SETTINGS)} are allowed")
    seed, positions = checks.integer("seed", seed), checks.positive("positions", positions)
    simulations = checks.positive("simulations", simulations)
    repeats = checks.positive("repeats", repeats)
    if repeats % 2:
        raise config_error(f"repeats={repeats}: an even number is needed")
    everything = [*_SETTINGS[size], "chess"]
    chosen = everything if envs is None else list(envs)
    unknown = [env for env in chosen if env not in everything]
    if unknown:
        raise config_error(f"envs: {unknown[0]!r:.40}: {', '.join(everything)} are allowed")
    how = (simulations, repeats, num_threads)
    made: list[Position] = []
    for env in chosen:
        for options, group, count in _settings(env, size, positions):
            made.extend(_positions(env, options, group, count, seed, how))
    versions = {env: spec(env).version for env in chosen}
    return Suite(size, seed, tuple(made), versions | {"replies": READER_VERSION})


def _settings(env: str, size: str, positions: int) -> Iterator[tuple[dict[str, Any], str, int]]:
    """The options of an environment, with their group and number of positions."""
    if env != "chess":
        yield _SETTINGS[size][env], env, positions
        return
    small, large = {*_SMALL_BOARDS}, {*_LARGE_BOARDS}
    if size == "medium":
        yield {}, "chess", positions
    for variant in _core.chess_variants():
        its_size = "small" if variant in small else "large" if variant in large else "medium"
        if its_size == size and variant != "chess":
            yield {"variant": variant}, "chess variants", 1


def _positions(
    env: str,
    options: dict[str, Any],
    group: str,
    count: int,
    seed: int,
    how: _How,
) -> list[Position]:
    """Positions of one setting, from games with consecutive seeds."""
    label = options.get("variant", env)
    draw = random.Random(f"{label} {seed}")
    # A game without proofs, such as a variant that hardly ends, has searched answers.
    looks = [_proved, _searched] if env in _PROVED else [_searched]
    made: list[Position] = []
    for look in looks:
        for _ in range(_TRIES * count):
            if len(made) == count:
                break
            # A 63-bit seed: games of other suites and of training have other ones.
            found = look(env, options, draw.getrandbits(63), how)
            if found is not None:
                made.append(Position(f"{label} {len(made) + 1}", group, *found))
    return made


#: A position with its answers, whether they are proved, and the best move.
_Found = tuple[Game, dict[int, Answer], bool, int]


def _moves(env: str, options: dict[str, Any], seed: int) -> tuple[Game, list[int]]:
    """A game between a scripted bot and random moves, with the actions: half of each, by lot."""
    game, draw = Game(env, seed, **options), random.Random(seed)
    actions: list[int] = []
    # One seat plays better than the others, so that games are decided.
    strong = draw.randrange(game.spec.players)
    while not game.is_terminal and len(actions) < _LONGEST:
        good = draw.random() < (0.8 if game.current_player == strong else 0.2)
        legal = game.legal_actions()
        action = game.bot_action("greedy") if good else draw.choice(legal)
        game.step(action)
        actions.append(action)
    return game, actions


def _proved(env: str, options: dict[str, Any], seed: int, how: _How) -> _Found | None:
    """A position near the end of a game in which the value of the best move is proved."""
    game, actions = _moves(env, options, seed)
    if game.status != "terminated" or not np.any(game.returns()):
        return None
    found = None
    # Further from the end is harder, and takes longer to prove.
    for _back in range(1, min(len(actions), 12) + 1):
        game.undo()
        legal = game.legal_actions()
        if not 1 < len(legal) <= _MOST_MOVES:
            continue
        proof = _Proof(5 if env == "tilewe" else 3)
        try:
            bounds = proof.of_moves(game)
        except _TooLong:
            break
        sure = [low for low, _ in bounds.values()]
        # The best move is proved, and some other move is worse.
        best = max(sure)
        if best <= -1 or any(low < best < high for low, high in bounds.values()) or min(sure) == best:
            continue
        if all(high >= best for _, high in bounds.values()):
            continue
        found = game.clone(), bounds
    if found is None:
        return None
    game, bounds = found
    open_moves = [action for action, (low, high) in bounds.items() if low < high]
    searched = _values(game, open_moves, seed, how) if open_moves else {}
    answers = {}
    for action, (low, high) in bounds.items():
        if action in searched:
            share, error = searched[action][1]
            answers[action] = Answer(min(max(share, (low + 1) / 2), (high + 1) / 2), error)
        else:
            answers[action] = Answer((low + 1) / 2, 0.0)
    best_move = max(bounds, key=lambda action: (bounds[action][0], -action))
    return game, answers, True, best_move


class _TooLong(Exception):
    """A proof needs too many positions."""


class _Proof:
    """Bounds of the outcome of positions of two players, from the game tree to a depth."""

    def __init__(self, depth: int) -> None:
        self._depth = depth
        self._left = _BUDGET
        self._known: dict[tuple[Any, int, int], tuple[float, float]] = {}

    def of_moves(self, game: Game) -> dict[int, tuple[float, float]]:
        """Lowest and highest outcome for the current player after each legal move."""
        player = game.current_player
        return {action: self._after(game, action, player, self._depth - 1) for action in game.legal_actions()}

    def _after(self, game: Game, action: int, player: int, depth: int) -> tuple[float, float]:
        self._left -= 1
        if self._left < 0:
            raise _TooLong
        child = game.clone()
        child.step(action)
        return self._of(child, player, depth)

    def _of(self, game: Game, player: int, depth: int) -> tuple[float, float]:
        if game.is_terminal:
            outcome = float(game.returns()[player])
            return outcome, outcome
        if depth == 0:
            return -1.0, 1.0
        key = game.position, player, depth
        if key not in self._known:
            self._known[key] = self._best(game, player, depth)
        return self._known[key]

    def _best(self, game: Game, player: int, depth: int) -> tuple[float, float]:
        own = game.current_player == player
        low, high = (-1.0, -1.0) if own else (1.0, 1.0)
        for action in game.legal_actions():
            its_low, its_high = self._after(game, action, player, depth - 1)
            if own:
                low, high = max(low, its_low), max(high, its_high)
            else:
                low, high = min(low, its_low), min(high, its_high)
            # The player cannot do better, or the opponent.
            if low == high == (1.0 if own else -1.0):
                break
        return low, high


def _searched(env: str, options: dict[str, Any], seed: int, how: _How) -> _Found | None:
    """A position of the second half of a game in which the searched values of the moves differ."""
    game, actions = _moves(env, options, seed)
    draw = random.Random(seed + 1)
    for _ in range(draw.randrange(1, max(2, len(actions) // 2))):
        game.undo()
    # Forced moves and very long lists say little.
    while not game.is_terminal and not 1 < len(game.legal_actions()) <= _MOST_MOVES:
        game.step(draw.choice(game.legal_actions()))
    if game.is_terminal:
        return None
    # An own random stream: undone steps leave the stream of the played game advanced.
    game = game.clone()
    legal = game.legal_actions()
    few = _values(game, legal, seed, (max(4, how[0] // 4), 4, how[2]))
    first = [first[0] for first, _ in few.values()]
    if max(first) - min(first) < _SPREAD:
        return None
    values = _values(game, legal, seed, how)
    best = max(legal, key=lambda action: (values[action][0][0], -action))
    answers = {action: Answer(*second) for action, (_, second) in values.items()}
    if answers[best].share - min(answer.share for answer in answers.values()) < _SPREAD:
        return None
    return game, answers, False, best


def _values(
    game: Game, actions: Sequence[int], seed: int, how: _How
) -> dict[int, tuple[tuple[float, float], tuple[float, float]]]:
    """Share and standard error of each move for the current player, from each half of the searches."""
    simulations, repeats, num_threads = how
    player, children = game.current_player, []
    for k in range(repeats):
        start = game.determinize(seed=(seed + k) % 2**63)
        for action in actions:
            child = start.clone()
            child.step(action)
            children.append(child)
    values = _search(children, seed % 2**63, simulations, None, num_threads)[1]
    shares = (values[:, player].reshape(repeats, len(actions)) + 1) / 2
    half = repeats // 2

    def told(part: Any) -> tuple[float, float]:
        error = part.std(ddof=1) / math.sqrt(len(part)) if len(part) > 1 else 0.0
        return float(part.mean()), float(error)

    return {action: (told(shares[:half, i]), told(shares[half:, i])) for i, action in enumerate(actions)}
