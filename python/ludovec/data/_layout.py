"""The columns of a file of decisions, and arrays as Parquet columns without copies."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .. import _core
from .._shared.errors import config_error, state_error
from .._shared.extras import extra
from ..spec import Spec, spec
from . import fragments

with extra("data"):
    import pyarrow as pa

Array = npt.NDArray[Any]
#: Raised with every change of the layout.
FORMAT = 2
_KEY = b"ludovec"

#: Columns of a file that a recorder has by another name.
RECORDED = {
    "observations": "observation",
    "action_mask_bits": "mask",
    "actions": "action",
    "seats": "seat",
    "values": "value",
}
#: Columns of one number per row.
NUMBERS: dict[str, Any] = {RECORDED.get(name, name): told for name, told in fragments.NUMBERS.items()}
NUMBERS |= {"seat": np.uint8, "seed": np.uint64, "game": np.uint32, "episode": np.uint32, "step": np.uint32}
#: Columns of one number per player.
FLOATS = ("rewards", "value")
#: Columns of bytes.
BYTES = ("observation", "mask")
NAMES: tuple[str, ...] = (
    "observation",
    "mask",
    "action",
    "seat",
    "rewards",
    "terminated",
    "truncated",
    "policy",
    "value",
)
NAMES += ("seed", "game", "episode", "step")


def row_types(known: Spec) -> dict[str, np.dtype[Any]]:
    """Data type of a row of every column but ``policy``, with the shape of an array."""
    types = {RECORDED.get(name, name): told for name, told in fragments.row_types(known, "packed").items()}
    types |= {name: np.dtype(told) for name, told in NUMBERS.items()}
    return {name: types[name] for name in NAMES if name != "policy"}


class Head(NamedTuple):
    """The metadata of a file."""

    spec: Spec
    players: list[str]


def widths(known: Spec) -> dict[str, int]:
    """Bytes per row of the columns of bytes."""
    types = row_types(known)
    return {name: types[name].itemsize for name in BYTES}


def schema(known: Spec, players: list[str]) -> pa.Schema:
    """The schema of a file, with its metadata."""
    types: dict[str, Any] = {name: pa.binary(width) for name, width in widths(known).items()}
    types |= {name: pa.from_numpy_dtype(np.dtype(dtype)) for name, dtype in NUMBERS.items()}
    types["rewards"] = pa.list_(pa.float32(), known.players)
    # Missing rows of fixed-size lists cannot be read before Arrow 26.
    types |= {name: pa.list_(pa.float32()) for name in ("policy", "value")}
    told = {
        "format": FORMAT,
        "env": known.env,
        "version": known.version,
        "options": known.options,
        "players": players,
    }
    fields = [pa.field(name, types[name], nullable=name in ("policy", "value")) for name in NAMES]
    return pa.schema(fields, metadata={_KEY: json.dumps(told).encode()})


def noted(known: pa.Schema, settings: dict[str, Any]) -> pa.Schema:
    """The schema with further settings in its metadata."""
    return known.with_metadata({_KEY: json.dumps(json.loads(known.metadata[_KEY]) | settings).encode()})


def head(found: pa.Schema, file: str, allow_options: Mapping[str, Any]) -> Head:
    """The metadata of a file.

    Raises:
        InvalidState: The file has other columns, or is of another version of the environment.
    """
    text = (found.metadata or {}).get(_KEY)
    try:
        told = json.loads(text or b"null")
        if told["format"] != FORMAT:
            raise state_error(f"{file}: format {told['format']!r:.100} is not known, {FORMAT} is")
        env, version, options = str(told["env"]), told["version"], dict(told["options"])
        players = [str(player) for player in told["players"]]
    except (TypeError, KeyError, ValueError) as error:
        raise state_error(f"{file}: it is no file of ludovec.data") from error
    _core.Trust([], dict(allow_options)).check_options(env, options)
    known = spec(env, **options)
    if known.version != version:
        raise state_error(f"{file}: decisions of version {version} of {env}, this is version {known.version}")
    wanted = schema(known, players)
    for field in wanted:
        if field.name not in found.names or found.field(field.name).type != field.type:
            raise state_error(f"{file}: the column {field.name} of type {field.type} is missing")
    return Head(known, players)


def to_arrow(name: str, array: Any, known: Spec) -> Any:
    """An array of rows as a column. The policy is a pair: offsets, int32 [n + 1], and float32 [total]."""
    if name == "policy":
        return lists_to_arrow(*array)
    rows = len(array)
    if name in BYTES:
        flat = np.ascontiguousarray(array).view(np.uint8)
        return pa.Array.from_buffers(pa.binary(widths(known)[name]), rows, [None, pa.py_buffer(flat)])
    if name == "value":
        told = ~np.isnan(array).all(axis=1)
        offsets = np.zeros(rows + 1, np.int32)
        np.cumsum(told * known.players, out=offsets[1:])
        return lists_to_arrow(offsets, (array if told.all() else array[told]).reshape(-1))
    if name == "rewards":
        inner = pa.array(np.ascontiguousarray(array, np.float32).reshape(-1))
        return pa.FixedSizeListArray.from_arrays(inner, known.players)
    return pa.array(np.ascontiguousarray(array, NUMBERS[name]))


def lists_to_arrow(offsets: Array, shares: Array) -> Any:
    """Ragged rows; an empty row is unknown."""
    rows = len(offsets) - 1
    inner = pa.array(np.ascontiguousarray(shares, np.float32))
    known = np.diff(offsets) > 0
    valid = None if known.all() else pa.py_buffer(np.packbits(known, bitorder="little"))
    buffer = pa.py_buffer(np.ascontiguousarray(offsets, np.int32))
    return pa.Array.from_buffers(pa.list_(pa.float32()), rows, [valid, buffer], children=[inner])


def check(table: Any, known: Spec, file: Any) -> None:
    """Checks contents beyond the schema: nulls, numbers of players, of actions and of values.

    Raises:
        InvalidState: The message names the file, the column and its first wrong row.
    """
    for name in table.schema.names:
        column = table.column(name)
        at = 0
        for chunk in column.chunks if isinstance(column, pa.ChunkedArray) else [column]:
            wrong = _wrong(name, chunk, known)
            if wrong is not None:
                row, what = wrong
                raise state_error(f"{file}: row {at + row} of the column {name}: {what}")
            at += len(chunk)


def _wrong(name: str, chunk: Any, known: Spec) -> tuple[int, str] | None:
    """The first wrong row of a chunk, and the fault."""
    is_list = name in (*FLOATS, "policy")
    if name not in ("policy", "value") and chunk.null_count:
        return _first(chunk.is_null()), "null"
    if is_list:
        lengths = chunk.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
        if chunk.flatten().null_count:
            rows = np.repeat(np.arange(len(chunk)), lengths)
            return int(rows[_first(chunk.flatten().is_null())]), "a null in the list"
        unfit = (lengths != 0) & (lengths != known.players)
        if name == "value" and unfit.any():
            row = int(unfit.argmax())
            return row, f"{lengths[row]} numbers, {known.players} players"
    limits = {"seat": known.players, "action": known.num_actions}
    if name in limits:
        numbers = chunk.to_numpy(zero_copy_only=False)
        outside = (numbers < 0) | (numbers >= limits[name])
        if outside.any():
            row = int(outside.argmax())
            return row, f"{numbers[row]}, 0 to {limits[name] - 1} is allowed"
    return None


def _first(flags: Any) -> int:
    return int(flags.to_numpy(zero_copy_only=False).argmax())


def from_arrow(name: str, column: Any, known: Spec) -> Any:
    """A column as an array of rows, the reverse of :func:`to_arrow`."""
    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    parts = [_from_chunk(name, chunk, known) for chunk in chunks]
    if name == "policy":
        ends = np.cumsum([0, *(len(shares) for _, shares in parts)])
        offsets = [np.zeros(1, np.int64), *(part[1:] + end for (part, _), end in zip(parts, ends))]
        return np.concatenate(offsets), np.concatenate([np.empty(0, np.float32), *(s for _, s in parts)])
    if len(parts) == 1:
        return parts[0]
    return (
        np.concatenate(parts)
        if parts
        else _from_chunk(name, to_arrow(name, empty(name, known), known), known)
    )


def empty(name: str, known: Spec) -> Any:
    """No rows of a column."""
    if name == "policy":
        return np.zeros(1, np.int32), np.empty(0, np.float32)
    return np.empty(0, row_types(known)[name])


def _from_chunk(name: str, chunk: Any, known: Spec) -> Any:
    rows = len(chunk)
    if name in BYTES:
        width = widths(known)[name]
        flat = np.frombuffer(chunk.buffers()[1], np.uint8)[chunk.offset * width :][: rows * width]
        array = flat.reshape(rows, width)
        return array.view(np.uint64) if name == "mask" else array
    if name == "rewards":
        flat = chunk.values.to_numpy(zero_copy_only=False)
        return flat.reshape(-1, known.players)[chunk.offset :][:rows]
    if name in ("policy", "value"):
        offsets = np.frombuffer(chunk.buffers()[1], np.int32)[chunk.offset :][: rows + 1].astype(np.int64)
        numbers = chunk.values.to_numpy(zero_copy_only=False)[offsets[0] : offsets[-1]]
        if name == "policy":
            return offsets - offsets[0], numbers
        told = np.diff(offsets) > 0
        if told.all():
            return numbers.reshape(rows, known.players)
        array = np.full((rows, known.players), np.nan, np.float32)
        array[told] = numbers.reshape(-1, known.players)
        return array
    return chunk.to_numpy(zero_copy_only=False)


def checked_columns(names: Any) -> list[str]:
    """Names of columns; all for None."""
    if names is None:
        return list(NAMES)
    listed = [names] if isinstance(names, str) else list(names)
    for name in listed:
        if name not in NAMES:
            raise config_error(f"columns: {name!r:.100} does not exist, {', '.join(NAMES)} do")
    return listed
