"""LightZero: games as environments of DI-engine."""

from .adapters.lightzero import LightZeroEnv

__all__ = ["LightZeroEnv"]
