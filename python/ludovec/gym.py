"""Gymnasium: spaces, and the ids ``ludovec/<Name>-v<version>`` for its ``make`` and ``make_vec``."""

from .adapters.gym import SeatEnv, make_selfplay, make_vec, not_alone, register
from .spaces import action_space, batched, observation_space

__all__ = [
    "SeatEnv",
    "action_space",
    "batched",
    "make_selfplay",
    "make_vec",
    "not_alone",
    "observation_space",
    "register",
]
