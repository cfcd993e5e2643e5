"""Gymnasium: spaces, and the ids ``ludovec/<Name>-v0`` for ``gymnasium.make_vec``."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from .._extras import require
from ..spec import Spec


def observation_space(spec: Spec, dtype: npt.DTypeLike = np.uint8) -> Any:
    """A Box over one observation, bounded field by field."""
    spaces = require("gymnasium.spaces", "gym")
    dtype = np.dtype(dtype)
    high = np.zeros(spec.observation_len, dtype=dtype)
    for field in spec.observation:
        # As the engine scales: in single precision.
        scale = np.float32(field.scale) if dtype.kind == "f" else 1
        high[field.indices] = np.float32(field.high) * scale
    high = high.reshape(spec.observation_shape)
    return spaces.Box(low=np.zeros_like(high), high=high, dtype=dtype.type)


def action_space(spec: Spec) -> Any:
    """Discrete over the action indices; ``sample(mask)`` takes an int8 mask."""
    return require("gymnasium.spaces", "gym").Discrete(spec.num_actions)


def batched(space: Any, num_envs: int) -> Any:
    """The space of a batch."""
    return require("gymnasium.vector.utils", "gym").batch_space(space, num_envs)


def make_vec(id: str, num_envs: int = 1, **arguments: Any) -> Any:
    """What ``gymnasium.make_vec("ludovec/<Name>-v0", num_envs, **arguments)`` calls: :func:`ludovec.make`."""
    from ..registry import make

    arguments.pop("max_episode_steps", None)
    return make(id, num_envs, **arguments)


def register() -> None:
    """Registers every environment with Gymnasium; importing ``ludovec`` does so."""
    registration = require("gymnasium.envs.registration", "gym")
    for id, name, _ in _core.list_envs():
        full = f"ludovec/{name}-v0"
        if full not in registration.registry:
            registration.register(full, vector_entry_point="ludovec.gym:make_vec", kwargs={"id": id})
