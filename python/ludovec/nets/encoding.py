"""Encoding of observations as tensors for training, several times as fast as a lookup of every byte.

Most inputs are bits of sets or one-hot values: ``(byte & mask) == value``. Only the other ones are looked up.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from ..spec import Spec
from .inputs import Encoder, Inputs

#: The masks of a single bit, and of the whole byte.
_MASKS = (255, *(1 << bit for bit in range(8)))


class Encoding:
    """Inputs of a network on a device; equal to those of :class:`ludovec.nets.Encoder`."""

    def __init__(
        self,
        inputs: Inputs,
        spec: Spec,
        device: torch.device | None = None,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        encoder = Encoder(inputs, spec)
        rows, columns = encoder.board
        self._planes = (rows, columns, encoder.planes)
        self._end = rows * columns * encoder.planes
        # Without a board, inputs by observations: a gather copies rows, and products read the result.
        self._inputs = Lookup(
            encoder.columns, encoder.offsets, inputs.tables, spec, not self._end, device, dtype
        )

    def __call__(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """Planes [n, rows, columns, planes] and scalars [n, scalars] of uint8 [n, ...].

        The next call with as many rows overwrites the result.
        """
        inputs = self._inputs(observations)
        return inputs[:, : self._end].unflatten(1, self._planes), inputs[:, self._end :]


class Lookup:
    """``tables[offset + byte]`` for every input, from ``columns`` of the observations."""

    def __init__(
        self,
        columns: npt.NDArray[np.int64],
        offsets: npt.NDArray[np.int32],
        tables: npt.NDArray[np.float32],
        spec: Spec,
        by_input: bool,
        device: torch.device | None,
        dtype: torch.dtype,
    ) -> None:
        self._device, self._dtype, self._by_input = device or torch.device("cpu"), dtype, by_input
        masks, wanted, looked_up = _tests(columns, offsets, tables, spec)

        def put(array: npt.NDArray[Any]) -> Tensor:
            return torch.from_numpy(array).to(self._device)

        self._numpy_columns = columns
        self._columns = put(columns)
        self._masks, self._wanted = put(masks), put(wanted)
        if self._by_input:
            self._masks, self._wanted = self._masks[:, None], self._wanted[:, None]
        self._looked_up = put(looked_up)
        self._looked_up_columns = put(columns[looked_up])
        starts = put(offsets[looked_up].astype(np.int64))
        self._offsets = starts[:, None] if self._by_input else starts
        self._numbers = put(tables.ravel().copy()).to(dtype)
        self._scratch: dict[int, tuple[Tensor, Tensor, Tensor]] = {}

    def __call__(self, observations: Tensor) -> Tensor:
        """The inputs [n, inputs] of uint8 [n, ...]; the next call with as many rows overwrites them."""
        seen = observations.flatten(1)
        axis = 0 if self._by_input else 1
        if self._by_input:
            seen = seen.T.contiguous()
        bytes_, flags, inputs = self._memory(len(observations))
        if self._device.type == "cpu" and not self._by_input:
            # torch gathers single bytes three times as slowly as numpy.
            np.take(seen.numpy(), self._numpy_columns, axis=1, out=bytes_.numpy(), mode="clip")
        else:
            torch.index_select(seen, axis, self._columns, out=bytes_)
        torch.eq(bytes_.bitwise_and_(self._masks), self._wanted, out=flags)
        inputs.copy_(flags)
        if len(self._looked_up):
            rows = seen.index_select(axis, self._looked_up_columns).long() + self._offsets
            inputs.index_copy_(axis, self._looked_up, self._numbers.take(rows))
        return inputs.T if self._by_input else inputs

    def _memory(self, rows: int) -> tuple[Tensor, Tensor, Tensor]:
        """Bytes, flags and inputs of this many rows: new memory would cost more than the encoding."""
        found = self._scratch.get(rows)
        if found is None:
            if len(self._scratch) >= 4:
                self._scratch.clear()
            shape = (len(self._columns), rows) if self._by_input else (rows, len(self._columns))
            kinds = (torch.uint8, torch.bool, self._dtype)
            one, two, three = (torch.empty(shape, dtype=kind, device=self._device) for kind in kinds)
            found = self._scratch[rows] = one, two, three
        return found


def _tests(
    columns: npt.NDArray[np.int64],
    offsets: npt.NDArray[np.int32],
    tables: npt.NDArray[np.float32],
    spec: Spec,
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
    """Masks and values of all inputs, and the indices of the inputs that are no such test."""
    highest = np.zeros(spec.observation_len, np.int64)
    for field in spec.observation:
        highest[field.indices] = field.high
    masks = np.zeros(len(columns), np.uint8)
    wanted = np.ones(len(columns), np.uint8)
    looked_up = []
    known: dict[tuple[int, int], tuple[int, int] | None] = {}
    for i, (high, offset) in enumerate(zip(highest[columns].tolist(), offsets.tolist())):
        if (high, offset) not in known:
            known[high, offset] = _test(tables[offset // 256][: high + 1])
        test = known[high, offset]
        if test is None:
            looked_up.append(i)
        else:
            masks[i], wanted[i] = test
    return masks, wanted, np.array(looked_up, np.int64)


def _test(numbers: npt.NDArray[np.float32]) -> tuple[int, int] | None:
    """A mask and a value that give these numbers for the bytes from 0 on."""
    if not np.isin(numbers, (0, 1)).all():
        return None
    if not numbers.any():
        return 0, 1
    if numbers.all():
        return 0, 0
    bytes_ = np.arange(len(numbers))
    for mask in _MASKS:
        value = int(np.flatnonzero(numbers)[0]) if mask == 255 else mask
        if np.array_equal((bytes_ & mask) == value, numbers == 1):
            return mask, value
    return None
