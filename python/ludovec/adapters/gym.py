"""Gymnasium: spaces, and the ids ``ludovec/<Name>-v0`` for ``gymnasium.make_vec``."""

from __future__ import annotations

from typing import Any

from .. import _core
from .._extras import extra
from ..asynchronous import AsyncVectorEnv
from ..registry import make
from ..vector import VectorEnv


def make_vec(id: str, num_envs: int = 1, **arguments: Any) -> VectorEnv | AsyncVectorEnv:
    """What ``gymnasium.make_vec("ludovec/<Name>-v0", num_envs, **arguments)`` calls: :func:`ludovec.make`."""
    arguments.pop("max_episode_steps", None)
    env: VectorEnv | AsyncVectorEnv = make(id, num_envs, **arguments)
    return env


def register() -> None:
    """Registers every environment with Gymnasium; importing ``ludovec`` does so."""
    with extra("gym"):
        from gymnasium.envs import registration
    for id, name, _ in _core.list_envs():
        full = f"ludovec/{name}-v0"
        if full not in registration.registry:
            registration.register(full, vector_entry_point="ludovec.gym:make_vec", kwargs={"id": id})
