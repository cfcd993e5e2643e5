"""Gymnasium: spaces, and the ids for its ``make`` and ``make_vec``.

``ludovec/<Name>-v<version>`` is one seat against opponents, the same problem in ``make`` and in every mode of
``make_vec``. ``ludovec/<Name>-selfplay-v<version>``, for ``make_vec``, is the batch in which all seats are
the caller's. An illegal action ends its game at -1, unless ``on_illegal="raise"`` is given.
"""

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
