"""What a board tells those who listen to it."""

from __future__ import annotations

from dataclasses import dataclass

from .board import Event, Piece
from .values import MoveOption, Player, Position


@dataclass
class _PieceEvent(Event):
    piece: Piece
    #: Where it happens: the square that a piece comes to or leaves, else where the piece stood.
    position: Position


@dataclass
class BeforeGetMoveOptionsEvent(_PieceEvent):
    """A piece has been asked for its options; ``move_options`` may be changed. Cancelled: it gets none."""

    move_options: list[MoveOption]
    cancelled: bool


@dataclass
class AfterGetMoveOptionsEvent(_PieceEvent):
    """A piece's options are known."""

    move_options: list[MoveOption]


@dataclass
class BeforeMoveEvent(_PieceEvent):
    """A move is about to be made; its ``move_option`` may be changed."""

    move_option: MoveOption
    cancelled: bool


@dataclass
class AfterMoveEvent(_PieceEvent):
    """A move has been made from ``position``."""

    move_option: MoveOption


@dataclass
class BeforeCapturedEvent(_PieceEvent):
    """A piece is about to be taken. Cancelled: the whole move is not made."""

    cancelled: bool


class AfterCapturedEvent(_PieceEvent):
    """A piece has been taken."""


@dataclass
class BeforeRemovePieceEvent(_PieceEvent):
    """A piece is about to leave a square. Cancelled: the whole move is not made."""

    cancelled: bool


class AfterRemovePieceEvent(_PieceEvent):
    """A piece has left a square."""


@dataclass
class BeforeAddPieceEvent(_PieceEvent):
    """A piece is about to come to a square. Cancelled: the whole move is not made."""

    cancelled: bool


class AfterAddPieceEvent(_PieceEvent):
    """A piece has come to a square."""


class AfterNewPieceEvent(_PieceEvent):
    """A piece is on the board that was not there before: promoted, dropped, spawned, set up."""


@dataclass
class _SquareEvent(Event):
    position: Position


@dataclass
class BeforeRemoveSquareEvent(_SquareEvent):
    """A square is about to become a hole."""

    cancelled: bool


class AfterRemoveSquareEvent(_SquareEvent):
    """A square has become a hole."""


@dataclass
class BeforeAddSquareEvent(_SquareEvent):
    """A hole is about to become a square."""

    cancelled: bool


class AfterAddSquareEvent(_SquareEvent):
    """A hole has become a square."""


@dataclass
class BeforeChangeTurnEvent(Event):
    """The turn is about to go on; ``next`` may be changed. Cancelled: the same player goes on."""

    next: Player
    cancelled: bool


@dataclass
class AfterChangeTurnEvent(Event):
    """The turn has gone on."""

    current: Player


@dataclass
class AfterGameEndEvent(Event):
    """The game has ended."""

    result: str
