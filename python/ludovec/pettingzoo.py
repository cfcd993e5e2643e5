"""PettingZoo environments: turn by turn (AEC) and cycle by cycle (parallel).

Agents are ``player_0`` and so on, in seat order. Observations are dicts of ``"observation"`` (uint8) and
``"action_mask"`` (int8 [A], all zero unless the agent is the current one). With ``masks="infos"``
observations are plain arrays, as for SuperSuit's wrappers, and the mask is ``infos[agent]["action_mask"]``.
``state()`` is the observations of all players, uint8 ``[players, *observation_shape]``.

The module has the names of PettingZoo's own environments: ``raw_env`` is :func:`aec_env`, ``env`` has
PettingZoo's usual wrappers around it, and ``parallel_env``.
"""

from .adapters.pettingzoo import AECEnv, ParallelEnv, aec_env, env, parallel_env, raw_env, register

__all__ = ["AECEnv", "ParallelEnv", "aec_env", "env", "parallel_env", "raw_env", "register"]
