"""Conversion of events between the native board and Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .values import MoveOption, Player, Position


def event_fields(
    fields: dict[str, Any], piece: Callable[[tuple[Any, ...]], Any], players: Sequence[Player]
) -> dict[str, Any]:
    """The attributes of an event, from the fields of the native board."""
    found: dict[str, Any] = {}
    for key, value in fields.items():
        match key:
            case "piece":
                found[key] = piece(value)
                found["position"] = Position(*value[-1])
            case "position":
                found[key] = Position(*value)
            case "option":
                found["move_option"] = MoveOption._of(value)
            case "options":
                found["move_options"] = [MoveOption._of(option) for option in value]
            case "next" | "current":
                found[key] = players[value]
            case _:
                found[key] = value
    return found


def write_back(fields: dict[str, Any], event: dict[str, Any], seat: Callable[[Player], int]) -> None:
    """Writes changes by listeners back to the fields of an event that can be cancelled."""
    if "cancelled" not in fields:
        return
    fields["cancelled"] = bool(event["cancelled"])
    if "move_options" in event:
        fields["options"] = [option._parts() for option in event["move_options"]]
    if "move_option" in event:
        fields["option"] = event["move_option"]._parts()
    if "next" in event:
        fields["next"] = seat(event["next"])


class SilentHost:
    """A host that ignores all events, for copies of a board."""

    def _tell(self, function: int, kind: str, fields: dict[str, Any]) -> None: ...

    def _next_turn(self, number: int) -> int | None: ...
