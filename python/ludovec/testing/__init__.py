"""Checks for any Gymnasium vector environment, beyond Gymnasium's own checker.

>>> import gymnasium
>>> from ludovec.testing import check_vector_env
>>> env = gymnasium.make_vec("CartPole-v1", num_envs=3, vectorization_mode="sync")
>>> checks = ["spaces", "results", "infos", "seeding"]
>>> for finding in check_vector_env(env, checks=checks):
...     print(finding)

=========== ===========================================================================
``findings`` result of a check: :class:`Finding`, :class:`CheckError`
``playing``  :func:`play` and :func:`trace`: reproducible games for a seed
``promises`` the checks, one function each
``checker``  :func:`check_vector_env`
``rules``    :func:`check_game`, for games of your own
=========== ===========================================================================
"""

from .checker import CHECKS, Check, check_vector_env
from .findings import CheckError, Finding
from .playing import Step, play, trace
from .rules import check_game

__all__ = [
    "CHECKS",
    "Check",
    "CheckError",
    "Finding",
    "Step",
    "check_game",
    "check_vector_env",
    "play",
    "trace",
]
