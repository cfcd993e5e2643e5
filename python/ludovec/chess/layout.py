"""Builds a variant from the squares of a board."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from .. import _core
from .._shared.errors import config_error

_T = TypeVar("_T")

_OWN = "OXYVUW"
"""FEN letters for custom pieces, if the variant does not use them."""


@dataclass(frozen=True)
class PlannedSquare:
    """A square with its piece."""

    name: str | None = None
    own: type | None = None
    """Class name of a custom piece."""
    seat: int = 0


class BoardLayout:
    """Squares row by row from the top, with their pieces; None for holes.

    Raises:
        InvalidConfig: The squares are invalid; the message lists the allowed values.
    """

    def __init__(self, rows: Sequence[Sequence[PlannedSquare | None]], variant: str) -> None:
        widths = {len(row) for row in rows}
        if len(widths) != 1 or not 0 < len(rows) <= 16 or not 0 < max(widths) <= 16:
            raise config_error("squares: 1 to 16 rows of equal length, 1 to 16, are needed")
        self._rows = rows
        self._variant = variant
        self._known = _core.ChessBoard(variant, [], None)
        self.own_letters = "".join(letter for letter in _OWN if self._known.name_of(letter) is None)
        self._kinds = list(dict.fromkeys(p.own for row in rows for p in row if p is not None and p.own))

    def places(self, rows: Sequence[Sequence[_T]]) -> Iterator[tuple[tuple[int, int], _T]]:
        """All squares with their coordinates."""
        for y, row in enumerate(rows):
            for x, square in enumerate(row):
                yield (x, y), square

    def text(self, turn: int) -> str:
        """The variant in the format of a variant file; ``turn`` is the current player's seat."""
        width, height = len(self._rows[0]), len(self._rows)
        kings = [self._kings(seat) for seat in (0, 1)]
        placement = "/".join(re.sub(" +", _count, "".join(map(self._letter, row))) for row in self._rows)
        rights = "KQkq" if self._castles(kings) else "-"
        start = f"{placement} {'wb'[turn]} {rights} - 0 1"
        lines = [
            f"extends = {json.dumps(self._variant)}",
            'summary = "A board made of squares"',
            f"board = {{ width = {width}, height = {height}, start = {json.dumps(start)} }}",
        ]
        if height == 1:
            # Pawns of the standard game make double steps from the second rank only.
            lines.append("pawn.double_step = false")
        if rights == "-":
            lines.append("castling = false")
        mate = '{ when = "mate", value = "loss" }'
        if self._all_known(kings):
            lines.append(f'end = [{mate}, {{ when = "stalemate", value = "draw" }}]')
        else:
            # Without royal kings there is no check, and no mate.
            king = self._known.letter_of("king")
            lines.append(f"end = [{mate}]")
            lines += [f'pieces.{king}.role = "ordinary"'] if king else []
        for letter in self.own_letters:
            # The Python object generates the moves of a custom piece.
            lines.append(f'pieces.{letter} = {{ name = "own-{letter.lower()}", moves = "mW" }}')
        return "\n".join(lines) + "\n"

    def _letter(self, square: PlannedSquare | None) -> str:
        if square is None:
            return "*"
        if square.own is not None:
            letter: str | None = self.own_letters[self._kinds.index(square.own) % len(self.own_letters)]
        elif square.name is None:
            return " "
        else:
            letter = self._known.letter_of(square.name)
            if letter is None:
                raise config_error(f"squares: {self._variant} has no piece {square.name}")
        assert letter is not None
        return letter.lower() if square.seat else letter

    def _kings(self, seat: int) -> int:
        squares = (p for row in self._rows for p in row if p is not None and p.own is None)
        return sum(p.name == "king" and p.seat == seat for p in squares)

    def _all_known(self, kings: list[int]) -> bool:
        """True if the rules can detect check: only standard pieces, one king per player."""
        return not self._kinds and kings == [1, 1]

    def _castles(self, kings: list[int]) -> bool:
        """True if kings and rooks are on their squares of the standard game."""
        if not self._all_known(kings) or len(self._rows) != 8 or len(self._rows[0]) != 8:
            return False

        def home(seat: int, y: int) -> bool:
            names = [p.name if p is not None and p.seat == seat else None for p in self._rows[y]]
            return names[0] == names[7] == "rook" and names[4] == "king"

        return home(0, 7) and home(1, 0)


def _count(empty: re.Match[str]) -> str:
    return str(len(empty[0]))
