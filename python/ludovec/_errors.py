"""Refusals made in Python, worded like the engine's."""

from __future__ import annotations

from ._core import IllegalAction, InvalidConfig, InvalidState


def config_error(what: str) -> InvalidConfig:
    """An argument is not acceptable; ``what`` names it and says what is allowed."""
    return InvalidConfig(f"invalid configuration: {what}")


class InvalidType(InvalidConfig, TypeError):
    """An argument is of the wrong type."""


def type_error(what: str) -> InvalidType:
    """The same of an argument that is not of the right kind; a TypeError, too."""
    return InvalidType(f"invalid configuration: {what}")


def illegal_action(what: str) -> IllegalAction:
    """An action does not exist, or is not legal now."""
    return IllegalAction(f"illegal action: {what}")


def state_error(what: str) -> InvalidState:
    """A position, snapshot or log is not acceptable."""
    return InvalidState(f"invalid state: {what}")
