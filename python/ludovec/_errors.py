"""Errors raised by Python code, in the engine's wording."""

from __future__ import annotations

from ._core import IllegalAction, InvalidConfig, InvalidState


def _line(what: str) -> str:
    """A message as one line; arrays, for example, print on several lines."""
    return " ".join(what.split())


def config_error(what: str) -> InvalidConfig:
    """An invalid argument; ``what`` names it and says what is allowed."""
    return InvalidConfig(f"invalid configuration: {_line(what)}")


class InvalidType(InvalidConfig, TypeError):
    """An argument has the wrong type."""


def type_error(what: str) -> InvalidType:
    """An argument of the wrong type; also a TypeError."""
    return InvalidType(f"invalid configuration: {_line(what)}")


def illegal_action(what: str) -> IllegalAction:
    """An action does not exist or is not legal in this position."""
    return IllegalAction(f"illegal action: {_line(what)}")


def state_error(what: str) -> InvalidState:
    """An invalid position, snapshot or log."""
    return InvalidState(f"invalid state: {_line(what)}")
