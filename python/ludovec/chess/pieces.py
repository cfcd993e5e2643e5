"""The pieces of the standard game; pieces of other variants are :class:`StandardPiece`."""

from __future__ import annotations

from .board import StandardPiece


class Pawn(StandardPiece):
    """A pawn."""

    name = "pawn"


class Knight(StandardPiece):
    """A knight."""

    name = "knight"


class Bishop(StandardPiece):
    """A bishop."""

    name = "bishop"


class Rook(StandardPiece):
    """A rook."""

    name = "rook"


class Queen(StandardPiece):
    """A queen."""

    name = "queen"


class King(StandardPiece):
    """A king."""

    name = "king"
