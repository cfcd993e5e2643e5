"""Columns by name, arrays and ragged ones: their types, lengths, selections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float32]
Flags = npt.NDArray[np.bool_]
#: Ragged columns of the same lengths: offsets [n + 1], then arrays [total].
Ragged = tuple[Array, ...]
#: Columns by name: arrays [n, ...] and ragged ones.
Columns = Mapping[str, Any]


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
