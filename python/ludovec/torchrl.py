"""TorchRL: a batch of games as an ``EnvBase``, of one seat, turn by turn, or with a group of agents."""

from .adapters.torchrl import TorchRLEnv

__all__ = ["TorchRLEnv"]
