"""The replay buffer: positions with policies over their legal actions, sampled without loops over rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .._errors import config_error
from ..spec import Spec

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Positions:
    """Columns of positions; the legal actions of all rows are in one array each, row by row."""

    #: uint8 [n, L], of the current player.
    observations: Array
    #: float32 [n, P] by the scale, the current player's first.
    values: Array
    #: float32 [n]: moves until the end of the game.
    moves_left: Array
    #: int32 [n]: the next decision of the game, or -1.
    replies: Array
    #: int32 [n]: number of legal actions.
    lengths: Array
    #: uint8 [n, S]: snapshots of the games, or S = 0 if positions are not searched again.
    states: Array
    #: uint8 [n, F]: fields of the observation at the end of the game, or F = 0 if they are no target.
    ends: Array
    #: int32 [total] and float16 [total].
    actions: Array
    policies: Array

    def __len__(self) -> int:
        return len(self.lengths)

    @classmethod
    def joined(cls, parts: Sequence[Positions], spec: Spec) -> Positions:
        """The rows of all parts."""
        # Empty parts have no width of their snapshots and ends.
        parts = [part for part in parts if len(part)]
        if not parts:
            return cls.empty(spec)
        return cls(*(np.concatenate([getattr(part, f.name) for part in parts]) for f in fields(cls)))

    @classmethod
    def empty(cls, spec: Spec) -> Positions:
        """No rows."""
        shapes: tuple[tuple[Any, Any], ...] = (
            ((0, spec.observation_len), np.uint8),
            ((0, spec.players), np.float32),
            (0, np.float32),
            (0, np.int32),
            (0, np.int32),
            ((0, 0), np.uint8),
            ((0, 0), np.uint8),
            (0, np.int32),
            (0, np.float16),
        )
        return cls(*(np.zeros(shape, dtype) for shape, dtype in shapes))

    def check(self, spec: Spec) -> None:
        """Refuses columns that do not fit one another or the game, such as those of a damaged file.

        Raises:
            ValueError: The message names the column.
        """
        empty = Positions.empty(spec)
        for f in fields(self):
            column, like = getattr(self, f.name), getattr(empty, f.name)
            # The widths of snapshots and ends are not known, and are 0 there.
            is_like = column.dtype == like.dtype and column.ndim == like.ndim
            if not is_like or any(known not in (0, here) for known, here in zip(like.shape, column.shape)):
                raise ValueError(f"{f.name} has the type {column.dtype} and the shape {column.shape}")
        rows, entries = len(self.lengths), int(self.lengths.sum(dtype=np.int64))
        for f in fields(self):
            count = rows if f.name in _BY_ROW else entries
            if len(getattr(self, f.name)) != count:
                raise ValueError(f"{f.name} has {len(getattr(self, f.name))} elements, {count} are needed")
        if self.lengths.min(initial=1) < 1 or self.lengths.max(initial=1) > spec.num_actions:
            raise ValueError("lengths has numbers of actions that no position has")
        if self.actions.min(initial=0) < 0 or self.actions.max(initial=0) >= spec.num_actions:
            raise ValueError("actions has indices of no action")

    def repeated(self, times: Array) -> Positions:
        """Every row ``times[i]`` times, in order."""
        rows = np.repeat(np.arange(len(self)), times)
        starts = np.cumsum(self.lengths) - self.lengths
        at = _ranges(starts[rows], self.lengths[rows])
        columns = {name: getattr(self, name)[rows] for name in _BY_ROW}
        return Positions(**columns, actions=self.actions[at], policies=self.policies[at])

    def newest(self, rows: int) -> Positions:
        """The last rows."""
        if rows >= len(self):
            return self
        times = np.zeros(len(self), np.int64)
        times[len(self) - rows :] = 1
        return self.repeated(times)


#: The columns with one element or row per position.
_BY_ROW = tuple(f.name for f in fields(Positions) if f.name not in ("actions", "policies"))


class Minibatch(NamedTuple):
    """Sampled rows; legal actions are padded with -1, their policies with 0."""

    observations: Array
    actions: Array
    policies: Array
    values: Array
    moves_left: Array
    replies: Array
    ends: Array


class Buffer:
    """The newest ``capacity`` positions. Row numbers count from the first position ever added."""

    def __init__(self, spec: Spec, capacity: int) -> None:
        self.spec, self.capacity = spec, capacity
        self.first = self.added = 0
        empty = Positions.empty(spec)
        # Memory grows with the number of rows, up to the capacity.
        self._columns = {name: getattr(empty, name) for name in _BY_ROW}
        self._starts = np.zeros(0, np.int64)
        #: Entries of legal actions: used up to ``_end``.
        self._actions, self._policies, self._end = empty.actions, empty.policies, 0

    def __len__(self) -> int:
        return self.added - self.first

    def add(self, new: Positions) -> None:
        """Adds positions; the oldest ones beyond the capacity are dropped."""
        if not len(new):
            return
        if not len(self):
            for name in ("states", "ends"):
                width = getattr(new, name).shape[1]
                self._columns[name] = np.zeros((len(self._starts), width), np.uint8)
        kept = new.newest(self.capacity)
        # Rows that never get in have numbers, too.
        self.added += len(new) - len(kept)
        self.first = max(self.first, min(self.added, self.added + len(kept) - self.capacity))
        self._make_room(len(kept), len(kept.actions))
        at = np.arange(self.added, self.added + len(kept)) % len(self._starts) if len(kept) else slice(0)
        for name, column in self._columns.items():
            column[at] = getattr(kept, name)
        self._starts[at] = self._end + np.cumsum(kept.lengths) - kept.lengths
        end = self._end + len(kept.actions)
        self._actions[self._end : end], self._policies[self._end : end] = kept.actions, kept.policies
        self._end, self.added = end, self.added + len(kept)

    def sample(self, rng: np.random.Generator, rows: int) -> Minibatch:
        """Random positions."""
        return self._padded(rng.integers(self.first, self.added, size=rows))

    def drawn(self, rng: np.random.Generator, rows: int) -> Positions:
        """Random positions, each at most once."""
        count = min(rows, len(self))
        return self._at(np.sort(rng.choice(len(self), count, replace=False)) + self.first)

    def rows(self, start: int, end: int) -> Positions:
        """The positions with these numbers, as far as they are still here."""
        return self._at(np.arange(max(start, self.first), end))

    def _at(self, numbers: Array) -> Positions:
        at = numbers % max(len(self._starts), 1)
        lengths = self._columns["lengths"][at]
        entries = _ranges(self._starts[at], lengths)
        columns = {name: column[at] for name, column in self._columns.items()}
        return Positions(**columns, actions=self._actions[entries], policies=self._policies[entries])

    def restore(self, first: int, added: int, parts: Iterable[tuple[int, Positions]]) -> None:
        """Fills an empty buffer with the rows ``first`` to ``added``, from parts with their first numbers."""
        self.first = self.added = first
        for start, part in parts:
            cut = np.zeros(len(part), np.int64)
            cut[max(0, first - start) : max(0, added - start)] = 1
            self.add(part.repeated(cut))
        if self.added != added:
            raise config_error(f"the replay buffer has {self.added - first} positions of {added - first}")

    def _padded(self, numbers: Array) -> Minibatch:
        at = numbers % len(self._starts)
        columns = {name: column[at] for name, column in self._columns.items()}
        lengths = columns.pop("lengths")
        del columns["states"]
        legal = np.arange(lengths.max(initial=1)) < lengths[:, None]
        entries = _ranges(self._starts[at], lengths)
        # Most of the padded places are empty where few rows have many actions.
        actions, policies = np.full(legal.shape, -1, np.int32), np.zeros(legal.shape, np.float32)
        actions[legal], policies[legal] = self._actions[entries], self._policies[entries]
        return Minibatch(actions=actions, policies=policies, **columns)

    def _make_room(self, rows: int, entries: int) -> None:
        """Grows the columns for more rows, and moves the entries of dropped rows out of the way."""
        size = len(self._starts)
        needed = min(self.capacity, len(self) + rows)
        if needed > size:
            size = min(self.capacity, max(needed, 2 * size, 1024))
            before = np.arange(self.first, self.added)
            for name, column in [*self._columns.items(), ("starts", self._starts)]:
                grown = np.zeros((size, *column.shape[1:]), column.dtype)
                if len(before):
                    grown[before % size] = column[before % len(column)]
                if name == "starts":
                    self._starts = grown
                else:
                    self._columns[name] = grown
        if self._end + entries > len(self._actions):
            begin = self._starts[self.first % size] if len(self) else self._end
            live = self._end - begin
            length = max(len(self._actions), 2 * (live + entries))
            for name in ("_actions", "_policies"):
                old = getattr(self, name)
                moved = np.zeros(length, old.dtype)
                moved[:live] = old[begin : self._end]
                setattr(self, name, moved)
            self._starts -= begin
            self._end = live


def _ranges(starts: Array, lengths: Array) -> Array:
    """The numbers from each start on, as many as its length, one after the other."""
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    return np.arange(total) + np.repeat(starts - (ends - lengths), lengths)
