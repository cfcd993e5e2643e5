"""Chess moves in long notation and in words: ``Ng1-f3``, ``knight takes e5``, ``e8(Q)``, ``castle short``."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..game import Game

_PIECES = {"king": "K", "queen": "Q", "rook": "R", "bishop": "B", "knight": "N", "pawn": "P"}
#: Figurines of both colours, signs of captures, and hyphens.
_SIGNS = str.maketrans(
    {
        **dict(zip("\u2654\u2655\u2656\u2657\u2658", "KQRBN")),
        **dict(zip("\u265a\u265b\u265c\u265d\u265e", "KQRBN")),
        **dict.fromkeys("\u2659\u265f\ufe0e\ufe0f", ""),
        "\u00d7": "x",
        **dict.fromkeys("\u2010\u2011\u2212", "-"),
    }
)
_NAMES = "|".join(_PIECES)
_MOVE = re.compile(
    rf"(?:(?P<letter>[A-Z])|(?P<name>(?i:{_NAMES})))?\s*[-\u2013]?\s*(?:(?i:from|on|at)\s+)?"
    r"(?P<start>[a-z]\d{1,2}|[a-z](?!\d)|\d{1,2}(?=[a-zx-]))?"
    r"\s*(?P<by>-|\u2013|x|:|(?i:to|takes(?: on)?|captures(?: on)?|moves to))?\s*"
    r"(?P<end>[a-z]\d{1,2})(?:\s*(?i:e\.?p\.?))?"
    r"(?:\s*(?:=|/|\(=?|(?i:(?:and )?promot\w+ to (?:an? )?))?"
    rf"\s*(?P<choice>[A-Z]|(?i:{_NAMES}))\)?)?"
    r"[+#!]*"
)
_CASTLING = re.compile(
    r"(?:(?:castles?|castling)\s+(?:on the\s+)?(?P<side>king\s?-?side|queen\s?-?side|short|long)|"
    r"(?P<signs>[0Oo](?:[-\u2013][0Oo]){1,2}))[+#!]*",
    re.IGNORECASE,
)
_SQUARES = re.compile(r"([a-z]\d{1,2})([a-z]\d{1,2})([a-z]?)")


@dataclass(frozen=True)
class _Move:
    piece: str
    start: str
    end: str
    choice: str


class ChessWords:
    """Reads moves of a position."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self._moves: dict[int, _Move] | None = None
        self._castling: dict[str, int] = {}

    @staticmethod
    def plain(text: str) -> str:
        """Letters instead of figurines, ``x`` and ``-`` instead of other signs."""
        return text.translate(_SIGNS)

    def read(self, text: str) -> int | None:
        """The legal action that a text names, if it is the only one."""
        text = text.strip()
        castling = _CASTLING.fullmatch(text)
        if castling is not None:
            signs, side = castling["signs"], (castling["side"] or "").casefold()
            is_long = len(signs) == 5 if signs else side.startswith(("queen", "long"))
            self._index()
            return self._castling.get("O-O-O" if is_long else "O-O")
        said = _MOVE.fullmatch(text)
        if said is None:
            return None
        piece = said["letter"] or _PIECES.get((said["name"] or "").casefold(), "")
        start, choice = said["start"] or "", said["choice"] or ""
        choice = _PIECES.get(choice.casefold(), choice)
        if not piece and len(start) == 1 and start == said["end"][0]:
            # Without a piece, one letter is a bishop or a file; the names of the moves tell.
            return None
        # A move without a piece is a pawn's, unless its squares say all.
        piece = piece or ("" if len(start) > 1 and start[0].isalpha() else "P")
        found = [
            action
            for action, move in self._index().items()
            if move.end == said["end"]
            and piece in ("", move.piece)
            and (start in (move.start, "") or start == move.start[:1] or start == move.start[1:])
            # A promotion without a choice is one to a queen.
            and (choice or ("Q" if move.choice else "")) == move.choice
        ]
        return found[0] if len(found) == 1 else None

    def _index(self) -> dict[int, _Move]:
        """The legal moves from square to square."""
        if self._moves is None:
            self._moves = {}
            for action in self._game.legal_actions():
                squares = _SQUARES.fullmatch(self._game.action_to_string(action))
                written = self._game.action_in_words(action).rstrip("+#")
                if written.startswith("O-O"):
                    self._castling[written] = action
                if squares is None:
                    continue
                first = "K" if written.startswith("O-O") else written[0]
                piece = first if first.isupper() else "P"
                self._moves[action] = _Move(piece, squares[1], squares[2], squares[3].upper())
        return self._moves
