"""Checks for anybody's vector environments: what Gymnasium's own checker leaves out.

>>> import gymnasium
>>> from ludovec.testing import check_vector_env
>>> env = gymnasium.make_vec("CartPole-v1", num_envs=3, vectorization_mode="sync")
>>> for finding in check_vector_env(env, checks=["spaces", "results", "infos", "seeding"]):
...     print(finding)

=========== ===========================================================================
``findings`` what a check found: :class:`Finding`, :class:`CheckError`
``playing``  :func:`play` and :func:`trace`: games that are the same again for a seed
``promises`` what an environment promises, one function a check
``checker``  :func:`check_vector_env`
=========== ===========================================================================
"""

from .checker import CHECKS, Check, check_vector_env
from .findings import CheckError, Finding
from .playing import Step, play, trace

__all__ = ["CHECKS", "Check", "CheckError", "Finding", "Step", "check_vector_env", "play", "trace"]
