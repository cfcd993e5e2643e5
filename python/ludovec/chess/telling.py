"""Between the words of the native board and those of events."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .values import MoveOption, Player, Position


def shown(
    fields: dict[str, Any], piece: Callable[[tuple[Any, ...]], Any], players: Sequence[Player]
) -> dict[str, Any]:
    """What an event holds, from what the native board tells."""
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


def changed(fields: dict[str, Any], event: dict[str, Any], seat: Callable[[Player], int]) -> None:
    """Writes back what listeners have changed in an event that can be cancelled."""
    if "cancelled" not in fields:
        return
    fields["cancelled"] = bool(event["cancelled"])
    if "move_options" in event:
        fields["options"] = [option._parts() for option in event["move_options"]]
    if "move_option" in event:
        fields["option"] = event["move_option"]._parts()
    if "next" in event:
        fields["next"] = seat(event["next"])


class Deaf:
    """Hears nothing of what happens to a copy of a board."""

    def _tell(self, function: int, kind: str, fields: dict[str, Any]) -> None: ...

    def _next_turn(self, number: int) -> int | None: ...
