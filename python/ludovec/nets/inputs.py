"""Encodes observations as network inputs: every byte is looked up in a table of 256 numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from .._shared.errors import config_error
from ..envs.make import make
from ..spec import ObservationField, Spec

#: Index of the table that is 1 everywhere; table 0 is 0 everywhere, for missing elements.
ALWAYS = 1
#: Index of the first of eight tables, one per bit of a byte, for a network over a graph.
BITS = 2
#: Fields with more values than this are not one-hot encoded.
MOST_VALUES = 40


@dataclass(frozen=True)
class Channel:
    """One scalar input, or one plane."""

    #: Name of the observation field.
    field: str
    #: Index of the element; for a plane, the index along the axes other than the board's.
    at: tuple[int, ...]
    #: Index of the lookup table for the bytes.
    table: int


@dataclass(frozen=True)
class Board:
    """The board in the fields that have one."""

    #: A field with a board; it sets the size.
    field: str
    #: First board axis in every field with a board: 0, or -2 for the last two axes.
    axis: int

    def __post_init__(self) -> None:
        if self.axis not in (0, -2):
            raise config_error(f"board {self.field!r}: its axis is {self.axis}, 0 and -2 are allowed")

    def size(self, spec: Spec) -> tuple[int, int]:
        """Number of rows and columns."""
        shape = self.field_of(spec).shape
        start = self.axis % len(shape)
        rows, columns = shape[start : start + 2]
        return rows, columns

    def field_of(self, spec: Spec) -> ObservationField:
        """The field that sets the size of the board.

        Raises:
            InvalidConfig: No such field; the message lists the fields with rows and columns.
        """
        fields = [field for field in spec.observation if len(field.shape) >= 2]
        for field in fields:
            if field.name == self.field:
                return field
        named = ", ".join(field.name for field in fields)
        raise config_error(
            f"board {self.field!r}: the fields of {spec.env} with rows and columns are {named}"
        )


@dataclass(frozen=True)
class Graph:
    """The nodes of a map.

    Other fields have a number per node (the last axis has one element per node), or sets of nodes (one bit
    per node).
    """

    #: The field with the set of every node's neighbours, [nodes, bytes].
    field: str = "adjacency"

    def nodes(self, spec: Spec) -> int:
        """Number of nodes.

        Raises:
            InvalidConfig: No such field; the message lists the fields with two axes.
        """
        fields = {field.name: field.shape for field in spec.observation if len(field.shape) == 2}
        if self.field not in fields:
            raise config_error(
                f"graph {self.field!r}: the fields of {spec.env} with two axes are {', '.join(fields)}"
            )
        nodes, octets = fields[self.field]
        if octets != -(-nodes // 8):
            raise config_error(f"graph {self.field!r}: it has no set of {nodes} nodes for each of them")
        return nodes

    def channels_of(self, field: ObservationField, nodes: int) -> Literal["numbers", "bits"] | None:
        """Whether a field has numbers of nodes or sets of nodes."""
        if field.name == self.field or not field.shape:
            return None
        if field.shape[-1] == nodes:
            return "numbers"
        return "bits" if _is_set(field) and field.shape[-1] == -(-nodes // 8) else None


@dataclass(frozen=True)
class Inputs:
    """The inputs of a network, for all options it is made for.

    Fields and elements that are missing under some options (for example seats of a smaller game) are 0.
    """

    board: Board | None
    #: One input per cell of the board, or per node of the graph, each.
    planes: tuple[Channel, ...]
    #: One input each.
    scalars: tuple[Channel, ...]
    #: float32 [T, 256]
    tables: npt.NDArray[np.float32]
    graph: Graph | None = None

    def size(self, spec: Spec) -> tuple[int, int] | None:
        """Rows and columns of the board, or the number of nodes and 1; ``None`` without both."""
        if self.graph is not None:
            return self.graph.nodes(spec), 1
        return None if self.board is None else self.board.size(spec)

    @classmethod
    def of(
        cls,
        specs: Sequence[Spec],
        board: Board | None = None,
        one_hot: Iterable[str] = (),
        without: str | None = None,
        steps: int = 400,
        graph: Graph | None = None,
    ) -> Inputs:
        """Chooses the inputs for environments with different options, by random play.

        A set gets one input per member. A field in ``one_hot`` gets one input per value in addition to the
        number itself. Numbers are encoded as logarithms. Elements that are constant in ``steps`` random
        decisions of 256 games get no input. ``without`` is a regular expression of fields to omit.
        """
        tables: dict[bytes, int] = {}

        def table(values: npt.NDArray[np.float32]) -> int:
            return tables.setdefault(values.tobytes(), len(tables))

        byte = np.arange(256)
        table(np.zeros(256, np.float32))
        table(np.ones(256, np.float32))
        if graph is not None:
            if board is not None:
                raise config_error("a network has a board or a graph, not both")
            for bit in range(8):
                table((byte >> bit & 1).astype(np.float32))
        numbers = np.log1p(byte).astype(np.float32)
        planes: dict[Channel, None] = {}
        scalars: dict[Channel, None] = {}
        if board is not None:
            planes[Channel(board.field, _first(board, specs[0]), ALWAYS)] = None
        for spec in specs:
            seen = _values(spec, steps)
            size = None if board is None else board.size(spec)
            for field in spec.observation:
                if without is not None and re.fullmatch(without, field.name):
                    continue
                kind = None
                if graph is not None:
                    if field.name == graph.field:
                        continue
                    kind = graph.channels_of(field, graph.nodes(spec))
                    if kind == "numbers" and field.values.bits is not None:
                        for at, columns in _of_nodes(field):
                            values = np.flatnonzero(seen[columns].any(0))
                            varying = np.bitwise_or.reduce(values) ^ np.bitwise_and.reduce(values)
                            bits = [bit for bit in range(8) if varying >> bit & 1]
                            planes.update((Channel(field.name, at, BITS + bit), None) for bit in bits)
                        continue
                    if kind == "bits":
                        for at in np.ndindex(field.shape[:-1]):
                            if seen[field.indices[at].ravel()].any(0).sum() > 1:
                                planes[Channel(field.name, at, BITS)] = None
                        continue
                axis = _board_axis(field, board, size)
                of_nodes = kind == "numbers"
                groups = _of_nodes(field) if of_nodes else _elements(field, axis)
                for at, columns in groups:
                    values = np.flatnonzero(seen[columns].any(0))
                    if len(values) == 1:
                        continue
                    chosen = []
                    if _is_set(field):
                        varying = np.bitwise_or.reduce(values) ^ np.bitwise_and.reduce(values)
                        bits = [1 << bit for bit in range(8) if varying >> bit & 1]
                        chosen += [table(((byte & bit) > 0).astype(np.float32)) for bit in bits]
                    else:
                        chosen.append(table(byte.astype(np.float32) if field.high == 1 else numbers))
                        if field.name in one_hot and len(values) <= MOST_VALUES:
                            chosen += [table((byte == value).astype(np.float32)) for value in values]
                    into = planes if of_nodes or axis is not None else scalars
                    into.update((Channel(field.name, at, which), None) for which in chosen)
        stacked = np.stack([np.frombuffer(key, np.float32) for key in tables])
        return cls(board, tuple(planes), tuple(scalars), stacked, graph)

    def including(self, other: Inputs) -> Inputs:
        """The inputs of ``other``, over the same board or graph, then the further ones of this one."""
        tables = dict.fromkeys(table.tobytes() for table in (*other.tables, *self.tables))
        numbers = {key: number for number, key in enumerate(tables)}

        def joined(kind: str) -> tuple[Channel, ...]:
            channels: list[Channel] = [
                replace(channel, table=numbers[inputs.tables[channel.table].tobytes()])
                for inputs in (other, self)
                for channel in getattr(inputs, kind)
            ]
            return tuple(dict.fromkeys(channels))

        stacked = np.stack([np.frombuffer(key, np.float32) for key in tables])
        return Inputs(self.board, joined("planes"), joined("scalars"), stacked, self.graph)

    def place(self) -> str:
        """The board or the graph in words."""
        return str(self.board or self.graph or "no board")

    def encoder(self, spec: Spec) -> Encoder:
        """The encoder for observations under the options of ``spec``."""
        return Encoder(self, spec)

    def to_json(self) -> dict[str, Any]:
        """Everything except the tables."""
        channels = {
            name: [[channel.field, list(channel.at), channel.table] for channel in getattr(self, name)]
            for name in ("planes", "scalars")
        }
        board = None if self.board is None else {"field": self.board.field, "axis": self.board.axis}
        graph = {} if self.graph is None else {"graph": {"field": self.graph.field}}
        return {"board": board, **graph, **channels}

    @classmethod
    def from_json(cls, data: dict[str, Any], tables: npt.NDArray[np.float32]) -> Inputs:
        """Reads the output of :meth:`to_json`."""
        board = None if data["board"] is None else Board(**data["board"])
        planes, scalars = (
            tuple(Channel(field, tuple(at), table) for field, at, table in data[name])
            for name in ("planes", "scalars")
        )
        return cls(board, planes, scalars, tables, Graph(**data["graph"]) if "graph" in data else None)


class Encoder:
    """Encodes observations under one set of options."""

    def __init__(self, inputs: Inputs, spec: Spec) -> None:
        fields = {field.name: field for field in spec.observation}
        #: Number of rows and columns of the board, or of nodes and 1; (0, 0) without both.
        self.board = inputs.size(spec) or (0, 0)
        cells = self.board[0] * self.board[1]
        #: Number of planes; for a graph, those of the inputs and one per node: whether it is a neighbour.
        self.planes = len(inputs.planes) + (0 if inputs.graph is None else cells)
        # By plane, then by cell.
        of_planes = np.zeros((2, self.planes, cells), np.int64)
        for i, channel in enumerate(inputs.planes):
            found = _find(fields.get(channel.field), channel.at, inputs.board)
            if found is None:
                continue
            of_planes[1, i] = channel.table
            if inputs.graph is not None and found.size != cells:
                found = _bits(found, of_planes[1, i])
            of_planes[0, i] = found.ravel()
        if inputs.graph is not None:
            edges = fields[inputs.graph.field].indices
            for node in range(cells):
                of_planes[1, len(inputs.planes) :, node] = BITS
                bits = _bits(edges[node], of_planes[1, len(inputs.planes) :, node])
                of_planes[0, len(inputs.planes) :, node] = bits
        of_scalars = np.zeros((2, len(inputs.scalars)), np.int64)
        for i, channel in enumerate(inputs.scalars):
            found = _find(fields.get(channel.field), channel.at, None)
            if found is not None:
                of_scalars[:, i] = int(found), channel.table
        columns, tables = np.concatenate([of_planes.transpose(0, 2, 1).reshape(2, -1), of_scalars], 1)
        #: int64: index of the observation byte of every input, planes (by cell) first ...
        self.columns = columns
        #: ... and offset of its table in the concatenated tables.
        self.offsets = (256 * tables).astype(np.int32)
        self._numbers = np.ascontiguousarray(inputs.tables).ravel()

    def __call__(
        self, observations: npt.NDArray[np.uint8]
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Planes float32 [n, rows, columns, planes] and scalars float32 [n, scalars]."""
        seen = observations.reshape(len(observations), -1).take(self.columns, 1)
        inputs = self._numbers.take(seen + self.offsets)
        rows, columns = self.board
        end = rows * columns * self.planes
        return inputs[:, :end].reshape(len(inputs), rows, columns, self.planes), inputs[:, end:]


def _is_set(field: ObservationField) -> bool:
    """Whether the numbers of a field are sets, one bit per member."""
    return field.meaning.startswith(("set", "of each seat: set"))


def _bits(octets: npt.NDArray[np.int64], tables: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Index of the byte with each node's bit in the bytes of a set; adds the bit's number to ``tables``."""
    nodes = np.arange(len(tables))
    tables += nodes % 8
    return octets.ravel()[nodes // 8]


def _find(
    field: ObservationField | None, at: tuple[int, ...], board: Board | None
) -> npt.NDArray[np.int64] | None:
    """Indices of the elements of a channel; ``None`` if the field has no such element."""
    if field is None:
        return None
    indices = field.indices
    if board is not None:
        # Moves the board axes to the end.
        indices = np.moveaxis(indices, (0, 1), (-2, -1)) if board.axis == 0 else indices
    if len(at) > indices.ndim or any(index >= size for index, size in zip(at, indices.shape)):
        return None
    found: npt.NDArray[np.int64] = indices[at]
    return found


def _board_axis(field: ObservationField, board: Board | None, size: tuple[int, int] | None) -> int | None:
    """First board axis of a field; ``None`` without a board."""
    if board is None or len(field.shape) < 2:
        return None
    start = board.axis % len(field.shape)
    return start if field.shape[start : start + 2] == size else None


def _elements(
    field: ObservationField, axis: int | None
) -> list[tuple[tuple[int, ...], npt.NDArray[np.int64]]]:
    """The elements of a field, or its planes: index in the field and columns in the observation."""
    indices = field.indices
    if axis is not None:
        indices = np.moveaxis(indices, (axis, axis + 1), (-2, -1))
        outer = indices.shape[:-2]
        return [(at, indices[at].ravel()) for at in np.ndindex(outer)]
    return [(at, indices[at].reshape(1)) for at in np.ndindex(indices.shape)]


def _of_nodes(field: ObservationField) -> list[tuple[tuple[int, ...], npt.NDArray[np.int64]]]:
    """The same for a field with numbers of nodes."""
    return [(at, field.indices[at].ravel()) for at in np.ndindex(field.shape[:-1])]


def _first(board: Board, spec: Spec) -> tuple[int, ...]:
    return (0,) * (len(board.field_of(spec).shape) - 2)


def _values(spec: Spec, steps: int) -> npt.NDArray[np.bool_]:
    """bool [L, 256]: the values of every byte that occur in random games."""
    options = {name: value for name, value in spec.options.items() if value is not None}
    env = make(spec.env, 256, seed=0, **options)
    seen = np.zeros((spec.observation_len, 256), np.bool_)
    every = max(1, steps // 400)
    for _ in range(steps // every):
        observations = env.step_sampled(every)[0]
        seen[np.arange(len(seen)), observations.reshape(256, -1)] = True
    env.close()
    return seen
