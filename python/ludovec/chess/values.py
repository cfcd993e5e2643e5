"""Positions, players, move options: what boards and events speak in."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, NamedTuple, TypeAlias

Extra: TypeAlias = "bool | int | str | Position"


class Position(NamedTuple):
    """A place on the board: ``(0, 0)`` is at the top left, as white sees it."""

    x: int
    y: int

    def offset(self, dx: int, dy: int) -> Position:
        """The position so far from this one, on the board or not."""
        return Position(self.x + dx, self.y + dy)


@dataclass(eq=False)
class Player:
    """Who owns pieces. Any name will do; players of one name are different players."""

    name: str = ""
    #: On a board: 0 for the first player, whose letters in FEN are upper case (white), 1 for the second.
    seat: int | None = None


@dataclass
class MoveOption:
    """A move that a piece can make: where it goes, where it takes, what else is to be known.

    The rules use these keys of ``extra``: ``promotion`` and ``drop`` (a piece's name), ``castling`` and
    ``swap`` (where the other piece stands), ``merge`` (what the two become), ``en_passant``, ``double_step``,
    ``swipe``, ``split``, ``summon``, ``pass`` (flags). An option of a piece of one's own, or one that a
    listener adds, is played as written: the captures go, the piece moves.
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
    """Who hears of an event first: the higher, the earlier. Of equal ones, who subscribed first."""

    VERY_LOW = -2
    LOW = -1
    NORMAL = 0
    HIGH = 1
    VERY_HIGH = 2
