"""LightZero: one game as an environment of DI-engine, for MuZero and its relatives."""

from .adapters.lightzero import LightZeroEnv

__all__ = ["LightZeroEnv"]
