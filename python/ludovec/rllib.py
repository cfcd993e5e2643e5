"""RLlib: one game as a ``MultiAgentEnv``."""

from .adapters.rllib import RLlibEnv

__all__ = ["RLlibEnv"]
