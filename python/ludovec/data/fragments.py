"""Decisions as columns, one row per decision: the same for rollouts, files, clusters and training.

A :class:`Recorder` writes what is known of a decision, step by step. :func:`closed` adds what follows from
later steps: the reward until the player's next decision, that decision, and the end of the game.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .._shared import checks
from .._shared.errors import config_error

if TYPE_CHECKING:
    from ..envs.vector import VectorEnv
    from ..spec import Spec

Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float32]
Flags = npt.NDArray[np.bool_]
#: Ragged columns of the same lengths: offsets [n + 1], then arrays [total].
Ragged = tuple[Array, ...]
#: Columns by name: arrays [n, ...] and ragged ones.
Columns = Mapping[str, Any]

#: Columns that a step overwrites, and the names that the environment has for them.
BEFORE = {"observations": "observations", "action_mask_bits": "action_mask_bits", "seats": "current_player"}
#: Columns that are results of a step, with the environment's names.
AFTER = ("rewards", "credit", "terminated", "truncated")
#: Recorded columns of one number per row.
NUMBERS: dict[str, Any] = {
    "actions": np.int32,
    "seats": np.int32,
    "terminated": np.bool_,
    "truncated": np.bool_,
}


def row_types(spec: Spec, obs: str = "u8") -> dict[str, np.dtype[Any]]:
    """Data type of a row of every recorded column, with the shape of an array."""
    shape: tuple[int, ...] = spec.observation_shape
    shape = {"packed": (spec.packed.row_bytes,), "none": (0,)}.get(obs, shape)
    types: dict[str, Any] = {
        "observations": (np.float32 if obs == "f32" else np.uint8, shape),
        "action_mask_bits": (np.uint64, (-(-spec.num_actions // 64),)),
        **{name: (np.float32, (spec.players,)) for name in ("rewards", "credit", "values")},
        **NUMBERS,
    }
    return {name: np.dtype(told) for name, told in types.items()}


@dataclass
class Fragment:
    """Decisions of a batch of games as columns, one row per decision.

    The next decision of a player, or the end of its game, closes a decision: its reward is the sum of the
    player's rewards until then. The last decisions of the players are still open: :attr:`known` is False. The
    rows of a game are in the order of its decisions.
    """

    observations: Array
    """[n, ...], as the environment's, of the current player."""
    action_mask_bits: npt.NDArray[np.uint64]
    """uint64 [n, W]: its legal actions as bits."""
    seats: npt.NDArray[np.int32]
    """int32 [n]: the current player."""
    actions: npt.NDArray[np.int32]
    """int32 [n]: its action."""
    games: npt.NDArray[np.int32]
    """int32 [n]: the game, as an index in the batch."""
    rewards: Floats
    """float32 [n]: its reward until its next decision, the end of the game or of the data."""
    next: npt.NDArray[np.int32]
    """int32 [n]: the row of its next decision in this game, -1 if there is none."""
    done: Flags
    """bool [n]: the game ended before its next decision, by rule or by a limit."""
    ended: Flags
    """bool [n]: this decision ended the game."""
    policy: Ragged | None = None
    """Offsets int64 [n + 1], and float32 [total]: the probabilities of the legal actions of all rows, in
    increasing order of the actions, if the player has told them."""
    more: dict[str, Array] = field(default_factory=dict)
    """Further columns of the policy, by name: ``values``, ``log_probs``."""
    advantages: Floats | None = None
    """float32 [n]: generalized advantage estimates, if asked for; 0 in open decisions."""
    returns: Floats | None = None
    """float32 [n]: ``advantages`` plus ``values``, the targets of a value network."""

    @property
    def known(self) -> Flags:
        """bool [n]: the reward is complete and the successor known. Learn from these decisions."""
        return self.done | (self.next >= 0)

    @property
    def values(self) -> Array | None:
        """float32 [n] or [n, P]: values of the current player, or of all players, if they are known."""
        return self.more.get("values")

    def __len__(self) -> int:
        return len(self.actions)

    def __repr__(self) -> str:
        """Data types and shapes of the columns."""
        columns = {one.name: getattr(self, one.name) for one in fields(self)}
        columns = {**columns, **self.more}
        arrays = {name: array for name, array in columns.items() if isinstance(array, np.ndarray)}
        shown = [f"{name}={array.dtype}{list(array.shape)}" for name, array in arrays.items()]
        return f"<ludovec.{type(self).__name__} {' '.join(shown)}>"


@dataclass(repr=False)
class Rollout(Fragment):
    """``T`` consecutive decisions in each of ``N`` games: a :class:`Fragment` with columns ``[T, N, ...]``.

    ``next`` has the step of the next decision. In the last steps some decisions are still open: ``known`` is
    False.
    """

    @classmethod
    def of(cls, fragment: Fragment, games: int) -> Rollout:
        """The rows of a fragment without carried decisions, step by step."""

        def grid(column: Any) -> Any:
            return column.reshape(-1, games, *column.shape[1:]) if isinstance(column, np.ndarray) else column

        columns = {f.name: grid(getattr(fragment, f.name)) for f in fields(fragment)}
        columns["more"] = {name: grid(column) for name, column in fragment.more.items()}
        following = columns["next"]
        columns["next"] = np.where(following < 0, -1, following // games).astype(np.int32)
        return cls(**columns)


class Recorder:
    """Records consecutive decisions of a batch, step by step: rows ``first + t * N + n`` of every column.

    The rows before ``first`` belong to the caller. Memory for a column is allocated with its first row.
    """

    def __init__(
        self,
        env: VectorEnv,
        steps: int,
        columns: Iterable[str] = (),
        *,
        first: int = 0,
        memory: dict[str, Array] | None = None,
    ) -> None:
        """``columns``: the environment's to record, of :data:`BEFORE`, :data:`AFTER` and ``actions``.
        Recorders that alternate may share ``memory``."""
        wanted = set(columns)
        self.games, self.steps, self.first = env.num_envs, steps, first
        #: Number of complete steps.
        self.at = 0
        #: Arrays of the environment, which a step overwrites.
        self.shown = {name: getattr(env, of_env) for name, of_env in BEFORE.items() if name in wanted}
        self._results = {name: getattr(env, name) for name in AFTER if name in wanted}
        self._has_actions = "actions" in wanted
        self.memory = {} if memory is None else memory
        #: Names of the further columns, and all names in memory that are this recorder's.
        self._more: set[str] = set()
        self._names: set[str] = set()
        #: By step: what the player has told of its policy.
        self.policies: list[Ragged | None] = []

    @property
    def is_full(self) -> bool:
        """Whether there is no room for another step."""
        return self.at == self.steps

    def before(self, actions: Array, more: Mapping[str, Array] = {}, policy: Ragged | None = None) -> None:
        """Records decisions before they are played. Further columns that are missing in a step are 0."""
        for name, array in self.shown.items():
            self._put(name, array)
        if self._has_actions:
            self._put("actions", actions)
        for name, array in more.items():
            self._put(name, array)
            if name not in self._more:
                self._rows(name, 0, self.at)[:] = 0
        for name in self._more - more.keys():
            self._rows(name, self.at, self.at + 1)[:] = 0
        self._more |= more.keys()
        self.policies.append(policy)

    def after(self, more: Mapping[str, Array] = {}) -> None:
        """Records the results of the step."""
        for name, array in [*self._results.items(), *more.items()]:
            self._put(name, array)
        self.at += 1

    def columns(self) -> dict[str, Array]:
        """The complete steps: views [T, N, ...] of the memory."""
        grid = (self.at, self.games)
        return {
            name: self._rows(name, 0, self.at).reshape(*grid, *self.memory[name].shape[1:])
            for name in sorted(self._names)
        }

    def clear(self) -> None:
        """Starts again, in the same memory."""
        self.at = 0
        self.policies = []

    def _put(self, name: str, row: Array) -> None:
        if name not in self.memory:
            rows = self.first + self.steps * self.games
            self.memory[name] = np.zeros((rows, *row.shape[1:]), row.dtype)
        self._rows(name, self.at, self.at + 1)[:] = row
        self._names.add(name)

    def _rows(self, name: str, start: int, stop: int) -> Array:
        rows: Array = self.memory[name][self.first + start * self.games : self.first + stop * self.games]
        return rows


# ---- ragged columns ----


def ranges(starts: Array, lengths: Array) -> Array:
    """The numbers from each start on, as many as its length, one after the other."""
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    numbers: Array = np.arange(total) + np.repeat(starts - (ends - lengths), lengths)
    return numbers


def offsets_of(lengths: Array) -> npt.NDArray[np.int64]:
    """int64 [n + 1]: where rows of these lengths begin and end."""
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def chosen(policy: Ragged, rows: Array) -> Ragged:
    """The rows of ragged columns, by index or as bool [n]."""
    offsets, *columns = policy
    lengths = np.diff(offsets)[rows]
    entries = ranges(offsets[:-1][rows], lengths)
    return offsets_of(lengths), *(column[entries] for column in columns)


def joined(parts: Sequence[Ragged | None], rows: Sequence[int]) -> Ragged | None:
    """Ragged columns one after the other; parts that are None have this many empty rows."""
    told = [part for part in parts if part is not None]
    if not told:
        return None
    lengths = [np.zeros(n, np.int64) if part is None else np.diff(part[0]) for part, n in zip(parts, rows)]
    return offsets_of(np.concatenate(lengths)), *(np.concatenate(columns) for columns in list(zip(*told))[1:])


def padded(ragged: Ragged) -> list[Array]:
    """The arrays of a ragged column as ``[n, longest, ...]``: integers are filled with -1, others with 0."""
    lengths = np.diff(ragged[0])
    is_there = np.arange(lengths.max(initial=1)) < lengths[:, None]
    found = []
    for column in ragged[1:]:
        filler = -1 if column.dtype.kind == "i" else 0
        found.append(np.full((*is_there.shape, *column.shape[1:]), filler, column.dtype))
        # Most of the places are empty where few rows are long.
        found[-1][is_there] = column
    return found


# ---- columns by name, of which tuples are ragged ----


def length(columns: Columns) -> int:
    """Number of rows."""
    for column in columns.values():
        return len(column[0]) - 1 if isinstance(column, tuple) else len(column)
    return 0


def selected(columns: Columns, rows: Array) -> dict[str, Any]:
    """Some rows, by index or as bool [n]."""
    return {
        name: chosen(column, rows) if isinstance(column, tuple) else column[rows]
        for name, column in columns.items()
    }


def together(parts: Sequence[Columns]) -> dict[str, Any]:
    """The rows of all parts. Columns that a part lacks are 0 there."""
    found: dict[str, Any] = {}
    rows = [length(part) for part in parts]
    for name, like in {name: column for part in parts for name, column in part.items()}.items():
        if isinstance(like, tuple):
            found[name] = joined([part.get(name) for part in parts], rows)
        else:
            missing = [np.zeros((count, *like.shape[1:]), like.dtype) for count in rows]
            found[name] = np.concatenate([part.get(name, none) for part, none in zip(parts, missing)])
    return found


class Unfinished:
    """The decisions of games that have not ended, until later ones complete them."""

    def __init__(self) -> None:
        #: The decisions so far, in the order of each game.
        self.columns: dict[str, Any] = {}

    def add(self, columns: Columns) -> tuple[dict[str, Any], Array]:
        """Adds decisions; returns the decisions of games that have ended, game by game in the order of
        their ends, and offsets of these games.

        The column ``games`` has the game of a decision, ``ended`` whether it ended the game.
        """
        columns = together([self.columns, columns]) if self.columns else columns
        games = columns["games"]
        order = np.argsort(games, kind="stable")
        ended = columns["ended"][order]
        is_first = np.ones(len(order), np.bool_)
        is_first[1:] = (games[order][1:] != games[order][:-1]) | ended[:-1]
        starts = np.flatnonzero(is_first)
        lengths = np.diff(np.append(starts, len(order)))
        is_whole = ended[starts + lengths - 1]
        self.columns = selected(columns, np.sort(order[~np.repeat(is_whole, lengths)]))
        starts, lengths = starts[is_whole], lengths[is_whole]
        by_end = np.argsort(order[starts + lengths - 1])
        starts, lengths = starts[by_end], lengths[by_end]
        return selected(columns, order[ranges(starts, lengths)]), offsets_of(lengths)


# ---- rewards until the next decision ----


def until_next(
    rewards: Floats, seats: npt.NDArray[Any], ended: Flags
) -> tuple[Floats, npt.NDArray[np.int32], Flags]:
    """The reward of every decision until the player's next one, the step of that one, and whether the game
    ended before.

    ``rewards`` [T, N, P] are the rewards of each step, ``seats`` [T, N] the deciding players, and ``ended``
    [T, N] the steps that end a game.
    """
    found: tuple[Floats, npt.NDArray[np.int32], Flags] = _until_next(rewards, seats, ended)[0]
    return found


def _until_next(rewards: Floats, seats: Array, ended: Flags) -> tuple[Any, Any]:
    """The same, and the same of decisions before the first step, of every player of every game: [N, P]."""
    steps, games, players = rewards.shape
    rows = np.arange(games)
    # The next decision of every player, found from the last step backwards.
    coming = np.zeros((games, players), np.float32)
    at = np.full((games, players), -1, np.int32)
    over = np.zeros((games, players), np.bool_)
    reward = np.empty((steps, games), np.float32)
    following = np.empty((steps, games), np.int32)
    done = np.empty((steps, games), np.bool_)
    for t in range(steps - 1, -1, -1):
        end, mine = ended[t], (rows, seats[t])
        coming[end], at[end], over[end] = 0, -1, True
        coming += rewards[t]
        reward[t], following[t], done[t] = coming[mine], at[mine], over[mine]
        coming[mine], at[mine], over[mine] = 0, t, False
    return (reward, following, done), (coming, at, over)


def advantages(
    rewards: Floats,
    values: Floats,
    following: npt.NDArray[np.int32],
    done: Flags,
    gamma: float,
    gae_lambda: float,
) -> Floats:
    """Generalized advantage estimates [T, N] along the decisions of each player; 0 in open decisions."""
    steps, games = rewards.shape
    rows = np.where(following < 0, -1, following * games + np.arange(games)).ravel()
    flat = (rewards.ravel(), values.ravel(), rows, done.ravel())
    return _advantages(*flat, gamma, gae_lambda, first=0, games=games).reshape(steps, games)


def _advantages(
    rewards: Floats,
    values: Floats,
    following: Array,
    done: Flags,
    gamma: float,
    gae_lambda: float,
    *,
    first: int,
    games: int,
) -> Floats:
    """The same of rows: ``first`` carried ones, then ``games`` in every step."""
    found = np.zeros(len(rewards), np.float32)
    known = done | (following >= 0)
    delta = rewards + gamma * np.where(following >= 0, values[following], 0) - values
    blocks = [slice(start, start + games) for start in range(first, len(rewards), games)]
    # The next decision is in a later block.
    for block in [*reversed(blocks), slice(0, first)]:
        then = following[block]
        rest = np.where(then >= 0, found[then], 0)
        found[block] = np.where(known[block], delta[block] + gamma * gae_lambda * rest, 0)
    return found


def checked_discounts(gamma: Any, gae_lambda: Any) -> tuple[float, float] | None:
    """The discounts of :func:`closed` from arguments; None without ``gamma``."""
    return None if gamma is None else (_share("gamma", gamma), _share("gae_lambda", gae_lambda))


def _share(name: str, value: Any) -> float:
    number = checks.number(name, value)
    if not 0 <= number <= 1:
        raise config_error(f"{name}={value!r}: 0 to 1 is allowed")
    return number


def closed(
    columns: Mapping[str, Array],
    paid: Floats,
    ended: Flags,
    *,
    payees: npt.NDArray[np.int32],
    more: Mapping[str, Array] = {},
    policy: Ragged | None = None,
    carried: Fragment | None = None,
    valid: Flags | None = None,
    scale: float = 1.0,
    discounts: tuple[float, float] | None = None,
) -> Fragment:
    """The fragment of recorded steps, with the decisions ``carried`` from earlier ones as its first rows.

    Args:
        columns: ``observations``, ``action_mask_bits``, ``seats`` and ``actions`` of all rows, ``[n, ...]``.
        paid: [T, N, P]: rewards of every step.
        ended: [T, N]: the steps that end a game.
        payees: [n]: the column of ``paid`` that pays a decision.
        more: Further columns [n, ...].
        policy: Ragged columns of all rows.
        carried: Open decisions; their columns are part of ``columns``.
        valid: [T, N]: decisions that are not stay open, with reward 0.
        scale: A factor of all rewards.
        discounts: The discount and the parameter of generalized advantage estimation.
    """
    steps, games = ended.shape
    first = 0 if carried is None else len(carried)
    (reward, following, done), (coming, at, over) = _until_next(
        paid, payees[first:].reshape(steps, games), ended
    )
    reward *= np.float32(scale)
    if valid is not None:
        reward[~valid], following[~valid], done[~valid] = 0, -1, False
    following = np.where(following < 0, -1, first + following * games + np.arange(games, dtype=np.int32))
    of_games = np.tile(np.arange(games, dtype=np.int32), steps)
    rows = {
        "games": of_games,
        "rewards": reward.ravel(),
        "next": following.ravel().astype(np.int32),
        "done": done.ravel(),
        "ended": ended.ravel(),
    }
    if carried is not None:
        own = carried.games, payees[:first]
        then = np.where(at[own] < 0, -1, first + at[own] * games + carried.games).astype(np.int32)
        earlier = {
            "games": carried.games,
            "rewards": carried.rewards + coming[own] * np.float32(scale),
            "next": then,
            "done": over[own],
            "ended": carried.ended,
        }
        rows = {name: np.concatenate([earlier[name], column]) for name, column in rows.items()}
    found = Fragment(**columns, **rows, policy=policy, more=dict(more))
    if discounts is not None:
        if found.values is None:
            raise config_error('gamma: the policy must return "values", too')
        values = found.values.astype(np.float32).reshape(len(found), -1)
        if values.shape[1] > 1:
            values = values[np.arange(len(found)), payees, None]
        values = values[:, 0]
        given = found.rewards, values, found.next, found.done
        found.advantages = _advantages(*given, *discounts, first=first, games=games)
        found.returns = found.advantages + values
    return found
