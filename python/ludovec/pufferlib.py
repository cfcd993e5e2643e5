"""PufferLib: a batch of games as a native environment."""

from .adapters.pufferlib import PufferLibEnv

__all__ = ["PufferLibEnv"]
