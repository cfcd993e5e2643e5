"""An auxiliary target: fields of the observation at the end of the game, such as the owners of all cells.

The target is what the network would get as inputs, so numbers are logarithms and values of a field may be
one-hot. It has no part in search or play.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from .._shared.errors import config_error
from ..nets.inputs import Inputs
from ..spec import Spec
from .devices import moved

Array = npt.NDArray[Any]


def columns_of(spec: Spec, fields: Sequence[str]) -> Array:
    """int64 [F]: the bytes of some fields in an observation."""
    found = [field.indices.ravel() for field in spec.observation if field.name in fields]
    return np.concatenate(found).astype(np.int64) if found else np.zeros(0, np.int64)


class FinalInputs:
    """The targets of one kind of game on a device."""

    def __init__(
        self, network: Any, spec: Spec, fields: Sequence[str], device: torch.device, dtype: torch.dtype
    ) -> None:
        inputs: Inputs = network.inputs
        self._columns, self._length = columns_of(spec, fields), spec.observation_len
        self._device = device
        # An encoding of its own: the next call of another one would overwrite the inputs of the minibatch.
        self._encode = network.encoding(spec, device, dtype)
        self.planes = [i for i, channel in enumerate(inputs.planes) if channel.field in fields]
        self.scalars = [i for i, channel in enumerate(inputs.scalars) if channel.field in fields]
        if not self.planes and not self.scalars:
            raise config_error(f"final_fields: the network has no inputs from {', '.join(fields)}")

    def observations(self, ends: Array) -> Array:
        """uint8 [n, L]: observations that are 0 but for the fields, uint8 [n, F]."""
        found = np.zeros((len(ends), self._length), np.uint8)
        found[:, self._columns] = ends
        return found

    def __call__(self, observations: Array) -> tuple[Tensor, Tensor]:
        """Targets [n, cells, planes] and [n, scalars]."""
        planes, scalars = self._encode(moved(observations, self._device))
        return planes[..., self.planes].flatten(1, -2).float(), scalars[:, self.scalars].float()
