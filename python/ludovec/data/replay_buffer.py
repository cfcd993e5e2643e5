"""A replay buffer: the newest rows of columns, sampled without loops over rows.

A column is an array ``[n, ...]``, or ragged: offsets ``[n + 1]`` and arrays ``[total, ...]``, such as the
legal actions of positions and their policies.
"""

from __future__ import annotations

from pathlib import Path
from typing import IO, Any

import numpy as np

from .._shared.errors import config_error
from .columns import (
    Array,
    Columns,
    Ragged,
    length,
    offsets_of,
    ranges,
    selected,
)


class ReplayBuffer:
    """The newest ``capacity`` rows. Memory grows with their number; then the oldest are overwritten first.

    Rows have numbers in the order of their addition, dropped ones included. Samples depend on the rows
    and the generator alone, not on the places of the rows in memory.
    """

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        #: Numbers of the oldest row and of the next one.
        self.first = self.added = 0
        self._columns: dict[str, _Fixed | _Varied] = {}
        #: Rows for which there is memory.
        self._size = 0

    def __len__(self) -> int:
        return self.added - self.first

    def add(self, columns: Columns) -> None:
        """Adds rows.

        Raises:
            InvalidConfig: Their columns differ from those of earlier rows.
        """
        count = length(columns)
        if not count:
            return
        if not self._columns:
            self._columns = {name: _kind(column)(column) for name, column in columns.items()}
        self._check(columns)
        if count > self.capacity:
            # Rows that never get in have numbers, too.
            self.added += count - self.capacity
            columns = selected(columns, np.arange(count - self.capacity, count))
            count = self.capacity
        self.first = max(self.first, self.added + count - self.capacity)
        self._grow(min(self.capacity, len(self) + count))
        at = np.arange(self.added, self.added + count) % self._size
        oldest = self.first % self._size if len(self) else None
        for name, column in columns.items():
            self._columns[name].put(at, column, oldest)
        self.added += count

    def sample(
        self,
        rng: np.random.Generator,
        rows: int,
        *,
        half_life: float | None = None,
        weights: str | None = None,
        window: int | None = None,
    ) -> dict[str, Any]:
        """Random rows with replacement: uniform, by age, or by weight.

        Args:
            rng: The generator.
            rows: Number of rows.
            half_life: A row has half the weight of one that was added this many rows later.
            weights: A column of weights, [n].
            window: The number of newest rows to sample from; all by default.
        """
        size = len(self) if window is None else min(window, len(self))
        start = self.added - size
        if weights is not None:
            column: Any = self._columns[weights].take(np.arange(start, self.added) % self._size)
            sums = np.cumsum(column, dtype=np.float64)
            drawn = np.searchsorted(sums, rng.random(rows) * sums[-1], side="right")
            return self.at(start + np.minimum(drawn, size - 1))
        if half_life is None:
            return self.at(rng.integers(start, self.added, size=rows))
        # Inverse of the distribution function of 2 ** (-age / half_life), cut at the oldest row.
        oldest = 1 - 2.0 ** (-size / half_life)
        ages = np.minimum(-np.log2(1 - rng.random(rows) * oldest) * half_life, size - 1).astype(np.int64)
        return self.at(self.added - 1 - ages)

    def rows(self, start: int, end: int) -> dict[str, Any]:
        """The rows with these numbers, as far as they are still here."""
        return self.at(np.arange(max(start, self.first), end))

    def at(self, numbers: Array) -> dict[str, Any]:
        """Rows by number."""
        places = numbers % max(self._size, 1)
        return {name: column.take(places) for name, column in self._columns.items()}

    def _check(self, columns: Columns) -> None:
        if set(columns) != set(self._columns):
            wanted = ", ".join(sorted(self._columns))
            raise config_error(
                f"rows: the columns {wanted} are needed, {', '.join(sorted(columns))} were given"
            )
        for name, column in columns.items():
            held = self._columns[name]
            if not isinstance(held, _kind(column)):
                raise config_error(f"rows: {name} is a list of arrays in some rows and an array in others")
            for (dtype, shape), new in zip(
                held.types(), column[1:] if isinstance(column, tuple) else [column]
            ):
                if (dtype, shape) != (new.dtype, new.shape[1:]):
                    raise config_error(
                        f"rows: {name} is {dtype} {shape} per row, {new.dtype} {new.shape[1:]} was given"
                    )

    def _grow(self, needed: int) -> None:
        if needed <= self._size:
            return
        size = min(self.capacity, max(needed, 2 * self._size, 1024))
        before = np.arange(self.first, self.added)
        for column in self._columns.values():
            column.resize(before % max(self._size, 1), before % size, size)
        self._size = size


class _Fixed:
    """A ring of rows of one shape."""

    def __init__(self, like: Array) -> None:
        self._rows = np.zeros((0, *like.shape[1:]), like.dtype)

    def types(self) -> list[tuple[Any, tuple[int, ...]]]:
        return [(self._rows.dtype, self._rows.shape[1:])]

    def put(self, at: Array, column: Array, oldest: int | None) -> None:
        self._rows[at] = column

    def take(self, at: Array) -> Array:
        return self._rows[at]

    def resize(self, old: Array, new: Array, size: int) -> None:
        grown = np.zeros((size, *self._rows.shape[1:]), self._rows.dtype)
        grown[new] = self._rows[old]
        self._rows = grown


class _Varied:
    """A ring of rows of different lengths; their entries are in the order of the rows."""

    def __init__(self, like: Ragged) -> None:
        self._starts, self._lengths = _Fixed(np.zeros(0, np.int64)), _Fixed(np.zeros(0, np.int64))
        self._entries = [column[:0].copy() for column in like[1:]]
        self._end = 0

    def types(self) -> list[tuple[Any, tuple[int, ...]]]:
        return [(column.dtype, column.shape[1:]) for column in self._entries]

    def put(self, at: Array, column: Ragged, oldest: int | None) -> None:
        offsets, *columns = column
        total = int(offsets[-1])
        if self._end + total > len(self._entries[0]):
            self._compact(total, self._end if oldest is None else int(self._starts.take(oldest)))  # type: ignore[arg-type]
        self._starts.put(at, self._end + offsets[:-1], None)
        self._lengths.put(at, np.diff(offsets), None)
        for held, new in zip(self._entries, columns):
            held[self._end : self._end + total] = new
        self._end += total

    def take(self, at: Array) -> Ragged:
        lengths = self._lengths.take(at)
        entries = ranges(self._starts.take(at), lengths)
        return offsets_of(lengths), *(column[entries] for column in self._entries)

    def resize(self, old: Array, new: Array, size: int) -> None:
        self._starts.resize(old, new, size)
        self._lengths.resize(old, new, size)

    def _compact(self, more: int, begin: int) -> None:
        """Makes room for more entries: entries before ``begin`` are of dropped rows."""
        live = self._end - begin
        for i, old in enumerate(self._entries):
            moved = np.zeros((max(len(old), 2 * (live + more)), *old.shape[1:]), old.dtype)
            moved[:live] = old[begin : self._end]
            self._entries[i] = moved
        self._starts._rows -= begin
        self._end = live


def _kind(column: Any) -> Any:
    return _Varied if isinstance(column, tuple) else _Fixed


# ---- files ----


def save(out: IO[bytes], columns: Columns) -> None:
    """Writes columns as arrays of NumPy."""
    parts: dict[str, Any] = {}
    for name, column in columns.items():
        if isinstance(column, tuple):
            parts[f"lengths {name}"] = np.diff(column[0])
            parts |= {f"ragged {name}" + f" {i}" * (i > 0): array for i, array in enumerate(column[1:])}
        else:
            parts[f"column {name}"] = column
    np.savez(out, **parts)


def load(file: Path) -> dict[str, Any]:
    """Reads columns.

    Raises:
        OSError, ValueError, KeyError: The file is missing or damaged.
    """
    columns: dict[str, Any] = {}
    with np.load(file, allow_pickle=False) as parts:
        for part in parts.files:
            kind, name = part.split(" ", 1)
            if kind == "column":
                columns[name] = parts[part]
            elif kind == "lengths":
                arrays = [parts[f"ragged {name}"]]
                while (more := f"ragged {name} {len(arrays)}") in parts.files:
                    arrays.append(parts[more])
                columns[name] = offsets_of(parts[part]), *arrays
    return columns
