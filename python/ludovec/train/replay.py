"""The replay buffer of the trainer: positions with policies over their legal actions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .._shared.errors import config_error
from ..data.columns import Columns, offsets_of, padded, selected
from ..data.replay_buffer import ReplayBuffer
from ..spec import Spec

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Positions:
    """Columns of positions; the legal actions of all rows are in one array each, row by row."""

    #: uint8 [n, L], of the current player.
    observations: Array
    #: float32 [n, P] by the scale, the current player's first.
    values: Array
    #: int32 [n]: place of the played action among the legal ones.
    chosen: Array
    #: float32 [n]: advantage of the played action by the scale, where ``policies`` drew it; NaN where
    #: ``policies`` is a target.
    advantages: Array
    #: int32 [n]: number of legal actions.
    lengths: Array
    #: int32 [total] and float16 [total].
    actions: Array
    policies: Array

    def __len__(self) -> int:
        return len(self.lengths)

    @classmethod
    def joined(cls, parts: Sequence[Positions], spec: Spec) -> Positions:
        """The rows of all parts."""
        if not parts:
            return cls.empty(spec)
        return cls(*(np.concatenate([getattr(part, f.name) for part in parts]) for f in fields(cls)))

    @classmethod
    def empty(cls, spec: Spec) -> Positions:
        """No rows."""
        shapes: tuple[tuple[Any, Any], ...] = (
            ((0, spec.observation_len), np.uint8),
            ((0, spec.players), np.float32),
            (0, np.int32),
            (0, np.float32),
            (0, np.int32),
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
            if column.dtype != like.dtype or column.shape[1:] != like.shape[1:]:
                raise ValueError(f"{f.name} has the type {column.dtype} and the shape {column.shape}")
        rows, entries = len(self.lengths), int(self.lengths.sum(dtype=np.int64))
        for f in fields(self):
            count = entries if f.name in ("actions", "policies") else rows
            if len(getattr(self, f.name)) != count:
                raise ValueError(f"{f.name} has {len(getattr(self, f.name))} elements, {count} are needed")
        if self.lengths.min(initial=1) < 1 or self.lengths.max(initial=1) > spec.num_actions:
            raise ValueError("lengths has numbers of actions that no position has")
        if (self.chosen < 0).any() or (self.chosen >= self.lengths).any():
            raise ValueError("chosen has places of no action")
        if self.actions.min(initial=0) < 0 or self.actions.max(initial=0) >= spec.num_actions:
            raise ValueError("actions has indices of no action")

    def columns(self) -> dict[str, Any]:
        """The columns of a replay buffer; ``legal`` is ragged."""
        plain = {name: getattr(self, name) for name in _BY_ROW}
        return {**plain, "legal": (offsets_of(self.lengths), self.actions, self.policies)}

    @classmethod
    def of(cls, columns: Columns) -> Positions:
        """The reverse of :meth:`columns`."""
        offsets, actions, policies = columns["legal"]
        plain = {name: columns[name] for name in _BY_ROW}
        return cls(**plain, lengths=np.diff(offsets).astype(np.int32), actions=actions, policies=policies)

    def newest(self, rows: int) -> Positions:
        """The last rows."""
        return Positions.of(selected(self.columns(), np.arange(max(0, len(self) - rows), len(self))))


#: The columns with one element or row per position.
_BY_ROW = tuple(f.name for f in fields(Positions) if f.name not in ("lengths", "actions", "policies"))


class Minibatch(NamedTuple):
    """Sampled rows; legal actions are padded with -1, their policies with 0."""

    observations: Array
    actions: Array
    policies: Array
    values: Array
    chosen: Array
    advantages: Array


class Buffer:
    """The newest ``capacity`` positions. Row numbers count from the first position ever added.

    Positions of bots leave the samples as positions of self-play arrive: after ``fade`` of these, samples are
    of self-play alone.
    """

    def __init__(self, spec: Spec, capacity: int, fade: float = 1.0) -> None:
        self.spec, self.fade, self._rows = spec, fade, ReplayBuffer(capacity)
        #: The number of the first row of self-play: earlier ones are of bots.
        self.imitated = 0

    @property
    def first(self) -> int:
        """The number of the oldest row."""
        return self._rows.first

    @property
    def added(self) -> int:
        """The number of the next row."""
        return self._rows.added

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, new: Positions) -> None:
        """Adds positions; the oldest ones beyond the capacity are dropped."""
        self._rows.add(new.columns())

    def sample(self, rng: np.random.Generator, rows: int) -> Minibatch:
        """Random positions."""
        found = self._rows.at(self._sampled(rng, rows))
        actions, policies = padded(found["legal"])
        plain = {name: found[name] for name in Minibatch._fields if name in found}
        return Minibatch(actions=actions, policies=policies.astype(np.float32), **plain)

    def _sampled(self, rng: np.random.Generator, rows: int) -> Array:
        own = max(self.imitated, self.first)
        if not self.first < own < self.added:
            return rng.integers(self.first, self.added, size=rows)
        is_own = rng.random(rows) * self.fade < self.added - own
        return np.where(
            is_own, rng.integers(own, self.added, size=rows), rng.integers(self.first, own, size=rows)
        )

    def rows(self, start: int, end: int) -> Positions:
        """The positions with these numbers, as far as they are still here."""
        return self._positions(self._rows.rows(start, end))

    def _positions(self, columns: Columns) -> Positions:
        return Positions.of(columns) if columns else Positions.empty(self.spec)

    def restore(self, first: int, added: int, imitated: int, parts: Iterable[tuple[int, Positions]]) -> None:
        """Fills an empty buffer with the rows ``first`` to ``added``, from parts with their first numbers."""
        rows, self.imitated = self._rows, imitated
        rows.first = rows.added = first
        for start, part in parts:
            kept = np.arange(max(0, first - start), min(len(part), max(0, added - start)))
            rows.add(selected(part.columns(), kept))
        if rows.added != added:
            raise config_error(f"the replay buffer has {rows.added - first} positions of {added - first}")
