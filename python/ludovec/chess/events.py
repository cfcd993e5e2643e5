"""The events of a board."""

from __future__ import annotations

from dataclasses import dataclass

from .board import Event, Piece
from .values import MoveOption, Player, Position


@dataclass
class _PieceEvent(Event):
    piece: Piece
    #: The square that a piece enters or leaves; otherwise the square of the piece.
    position: Position


@dataclass
class BeforeGetMoveOptionsEvent(_PieceEvent):
    """A piece's options were requested; ``move_options`` may be changed. Cancelled: it has none."""

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
    """A piece is about to be captured. Cancelled: the whole move is not made."""

    cancelled: bool


class AfterCapturedEvent(_PieceEvent):
    """A piece was captured."""


@dataclass
class BeforeRemovePieceEvent(_PieceEvent):
    """A piece is about to leave a square. Cancelled: the whole move is not made."""

    cancelled: bool


class AfterRemovePieceEvent(_PieceEvent):
    """A piece has left a square."""


@dataclass
class BeforeAddPieceEvent(_PieceEvent):
    """A piece is about to enter a square. Cancelled: the whole move is not made."""

    cancelled: bool


class AfterAddPieceEvent(_PieceEvent):
    """A piece has entered a square."""


class AfterNewPieceEvent(_PieceEvent):
    """A new piece is on the board: promoted, dropped, spawned or set up."""


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
    """The turn is about to pass; ``next`` may be changed. Cancelled: the same player continues."""

    next: Player
    cancelled: bool


@dataclass
class AfterChangeTurnEvent(Event):
    """The turn has passed."""

    current: Player


@dataclass
class AfterGameEndEvent(Event):
    """The game has ended."""

    result: str
