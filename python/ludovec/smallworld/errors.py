"""The original's exceptions."""

from .._core import (
    GameOver,
    IllegalAction,
    InvalidConfig,
    InvalidPhase,
    LudovecError,
)

__all__ = ["GameOver", "IllegalAction", "InvalidConfig", "InvalidPhase", "SmallWorldError"]

SmallWorldError = LudovecError
"""The original's name for the base of all exceptions."""
