"""Refusals made in Python, worded like the engine's."""

from __future__ import annotations

from ._core import IllegalAction, InvalidConfig, InvalidState


def _line(what: str) -> str:
    """A message as one line: arrays, say, are printed in several."""
    return " ".join(what.split())


def config_error(what: str) -> InvalidConfig:
    """An argument is not acceptable; ``what`` names it and says what is allowed."""
    return InvalidConfig(f"invalid configuration: {_line(what)}")


class InvalidType(InvalidConfig, TypeError):
    """An argument is of the wrong type."""


def type_error(what: str) -> InvalidType:
    """The same of an argument that is not of the right kind; a TypeError, too."""
    return InvalidType(f"invalid configuration: {_line(what)}")


def illegal_action(what: str) -> IllegalAction:
    """An action does not exist, or is not legal now."""
    return IllegalAction(f"illegal action: {_line(what)}")


def state_error(what: str) -> InvalidState:
    """A position, snapshot or log is not acceptable."""
    return InvalidState(f"invalid state: {_line(what)}")
