"""Gymnasium spaces of an environment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .._shared.extras import extra
from ..spec import Spec

if TYPE_CHECKING:
    from gymnasium.spaces import Box, Discrete, Space


def observation_space(spec: Spec, dtype: npt.DTypeLike = np.uint8, *, packed: bool = False) -> Box:
    """A Box over one observation, with bounds per field; over one packed row with ``packed``."""
    with extra("gym"):
        from gymnasium.spaces import Box
    if packed:
        return Box(0, 255, (spec.packed.row_bytes,), np.uint8)
    dtype = np.dtype(dtype)
    high: npt.NDArray[Any] = np.zeros(spec.observation_len, dtype=dtype)
    for field in spec.observation:
        # Single precision, as in the engine.
        scale = np.float32(field.scale) if dtype.kind == "f" else 1
        high[field.indices] = np.float32(field.high) * scale
    high = high.reshape(spec.observation_shape)
    return Box(low=np.zeros_like(high), high=high, dtype=dtype.type)


def mask_space(spec: Spec, more: int = 0) -> Box:
    """A Box over the action mask of one game, with ``more`` actions after those of the game."""
    with extra("gym"):
        from gymnasium.spaces import Box
    return Box(0, 1, (spec.num_actions + more,), np.int8)


def action_space(spec: Spec, more: int = 0) -> Discrete:
    """Discrete over the action indices, with ``more`` actions after them; ``sample(mask)`` takes an int8
    mask."""
    with extra("gym"):
        from gymnasium.spaces import Discrete
    return Discrete(spec.num_actions + more)


def batched(space: Space[Any], num_envs: int) -> Space[Any]:
    """The batched space."""
    with extra("gym"):
        from gymnasium.vector.utils import batch_space
    return batch_space(space, num_envs)
