"""tianshou: one game with its multi-agent keys."""

from .adapters.tianshou import TianshouEnv

__all__ = ["TianshouEnv"]
