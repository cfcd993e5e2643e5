"""Value types of boards and events: positions, players, move options."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, NamedTuple, TypeAlias

Extra: TypeAlias = "bool | int | str | Position"


class Position(NamedTuple):
    """A coordinate on the board: ``(0, 0)`` is the top left from white's side."""

    x: int
    y: int

    def offset(self, dx: int, dy: int) -> Position:
        """The position at an offset, on the board or not."""
        return Position(self.x + dx, self.y + dy)


@dataclass(eq=False)
class Player:
    """An owner of pieces. Players are distinct objects, even with equal names."""

    name: str = ""
    #: On a board: 0 for the first player (white, upper case in FEN), 1 for the second.
    seat: int | None = None


@dataclass
class MoveOption:
    """A move of a piece: its target, its captures, and further data.

    The rules use these keys of ``extra``: ``promotion`` and ``drop`` (name of a piece), ``castling`` and
    ``swap`` (position of the other piece), ``merge`` (name of the resulting piece), ``en_passant``,
    ``double_step``, ``swipe``, ``split``, ``summon``, ``pass`` (flags). An option of a custom piece, or one
    that a listener adds, is played literally: the captured pieces are removed and the piece moves.
    """

    position: Position
    captures: list[Position] = field(default_factory=list)
    extra: dict[str, Extra] = field(default_factory=dict)

    def _parts(self) -> tuple[Any, list[Any], dict[str, Any]]:
        return tuple(self.position), [tuple(p) for p in self.captures], dict(self.extra)

    @classmethod
    def _of(cls, parts: tuple[Any, list[Any], dict[str, Any]]) -> MoveOption:
        position, captures, extra = parts
        extra = {key: Position(*v) if isinstance(v, tuple) else v for key, v in extra.items()}
        return cls(Position(*position), [Position(*p) for p in captures], extra)


class EventPriority(IntEnum):
    """Order of listeners: higher values first, equal ones by subscription."""

    VERY_LOW = -2
    LOW = -1
    NORMAL = 0
    HIGH = 1
    VERY_HIGH = 2
