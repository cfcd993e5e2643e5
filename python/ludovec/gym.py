"""Gymnasium: spaces, and the ids ``ludovec/<Name>-v0`` for ``gymnasium.make_vec``."""

from .adapters.gym import make_vec, register
from .spaces import action_space, batched, observation_space

__all__ = ["action_space", "batched", "make_vec", "observation_space", "register"]
