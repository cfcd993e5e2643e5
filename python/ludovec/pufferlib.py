"""PufferLib: a batch of games as a native environment over the shared buffers of its workers."""

from .adapters.pufferlib import PufferLibEnv

__all__ = ["PufferLibEnv"]
