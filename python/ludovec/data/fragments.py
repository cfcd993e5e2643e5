"""Decisions as columns, one row per decision: the same for rollouts, files, clusters and training.

A :class:`Recorder` writes what is known of a decision, step by step. :func:`closed` adds what follows from
later steps: the reward until the player's next decision, that decision, and the end of the game.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .._shared.errors import config_error
from .advantages import _advantages, _until_next
from .columns import (
    Array,
    Columns,
    Flags,
    Floats,
    Ragged,
    offsets_of,
    ranges,
    selected,
    together,
)

if TYPE_CHECKING:
    from ..envs.vector import VectorEnv
    from ..spec import Spec


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
    cycles: npt.NDArray[np.int32] | None = None
    """int32 [n]: the cycle of its game, from 0 on, if the game has simultaneous decisions: those of a phase
    have the same one, and no player observes the others."""

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


# ---- columns by name, of which tuples are ragged ----


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
