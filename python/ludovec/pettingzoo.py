"""PettingZoo environments: turn by turn (AEC) and cycle by cycle (parallel)."""

from .adapters.pettingzoo import AECEnv, ParallelEnv, aec_env, env, parallel_env, raw_env, register

__all__ = ["AECEnv", "ParallelEnv", "aec_env", "env", "parallel_env", "raw_env", "register"]
