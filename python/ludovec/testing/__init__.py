"""Checks for any Gymnasium vector environment, beyond Gymnasium's own checker.

>>> import gymnasium
>>> from ludovec.testing import check_vector_env
>>> env = gymnasium.make_vec("CartPole-v1", num_envs=3, vectorization_mode="sync")
>>> checks = ["spaces", "results", "infos", "seeding"]
>>> for finding in check_vector_env(env, checks=checks):
...     print(finding)

====================== ================================================================
``findings``           result of a check: :class:`Finding`, :class:`CheckError`
``playing``            :func:`play` and :func:`trace`: reproducible games for a seed
``vector_env_checks``  the checks, one function each
``checker``            :func:`check_vector_env`
``game_checks``        :func:`check_game`, for games of your own
====================== ================================================================
"""

from typing import TYPE_CHECKING, Any

from .findings import CheckError, Finding
from .game_checks import check_game

if TYPE_CHECKING:
    from .checker import CHECKS, Check, check_vector_env
    from .playing import Step, play, trace

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

#: Names that need Gymnasium, by module.
_OF = {"CHECKS": "checker", "Check": "checker", "check_vector_env": "checker"}
_OF |= {"Step": "playing", "play": "playing", "trace": "playing"}


def __getattr__(name: str) -> Any:
    if name not in _OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{_OF[name]}", __name__), name)
