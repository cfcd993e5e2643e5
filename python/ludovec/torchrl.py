"""TorchRL: a batch of games as an ``EnvBase``."""

from .adapters.torchrl import TorchRLEnv

__all__ = ["TorchRLEnv"]
