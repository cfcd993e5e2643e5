"""Renamed games: names of pieces, races, terrains, moves and places are drawn, and the game is the same.

A language model cannot answer from memory, because no name of the game is in its messages.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from typing import Any

from .._shared import checks
from .._shared.errors import config_error
from ..game import Game
from ..spec import Spec
from .chess_words import ChessWords
from .rulebook import rules

#: Names by environment. Their plurals and other forms follow.
_NAMES = {
    "smallworld": (
        "small world fantasy race power combo tribe lair hole encampment camp hero fortress dragon peace "
        "amazon dwarves elves ghoul giant halfling human orc ratmen skeleton sorcerer triton troll wizard "
        "alchemist berserk bivouac bivouacking commando diplomat ally master flying fortified heroic "
        "merchant mounted pillaging seafaring spirit stout underworld wealthy forest hill swamp farmland "
        "mountain sea lake mine magic cavern coast border conquer conquest redeploy abandon decline"
    ),
    "chess": (
        "chess king queen rook bishop knight pawn white black castle castling check checkmate stalemate mate "
        "passant algebraic fen"
    ),
}
_ENDINGS = ("", "s", "es", "d", "ed")
#: Letters of drawn words by place.
_SYLLABLES = ("bdfgklmnprtvz", "aiou", "bdglmnrvz", "aiou", "kmnxz")
_WORD = re.compile(r"[A-Za-z]+")
_TERRAIN = "(?:farmland|hill|forest|swamp|mountain|sea|lake)"
_KIND = (
    r"\b(?:ABANDON|CONQUER|FINAL_CONQUEST|(?:OPPONENT_)?REDEPLOY|PLACE_(?:BIVOUACS|FORTRESS|HEROES)"
    r"|USE_(?:DRAGON|SORCERER))\b"
)
#: A region alone: after a kind of move or a terrain.
_REGION = re.compile(rf"({_KIND} |\bthe {_TERRAIN} |\bregion )(\d+)\b", re.I)
#: Lists of regions: in legal moves, in the map, and in positions.
_REGIONS = re.compile(
    rf"^(?:({_KIND}[^\n:]*: |lost tribes: )([\d -]+)|(\d+)( {_TERRAIN}[^\n:]*: )([\d ]+))$", re.M
)
#: Regions with their tokens or markers, or behind their cost.
_HELD = re.compile(r"\b(\d+)(?=x\d)")
_MARKED = re.compile(r"(?<=: )(\d+)(?= [a-z])|(?<=, )(\d+)(?= [a-z])")
_PRICED = re.compile(r"(\d+: )([\d ]+)")
_CODE = re.compile(r"\b([a-z])(\d)\b", re.I)
#: Chess moves in any notation, and squares.
_SQUARE = re.compile(r"(?<!\w)([A-Z]?)([a-z]?)([1-8]?)([x@:-]?)([a-z])([1-8])(=?\(?)([A-Za-z]?)(?!\w)")
_CASTLING = re.compile(r"\b([0Oo])-\1(-\1)?(?![\w-])")
_ROW = re.compile(r"^( ?)([1-8])((?: +[A-Za-z.])+)$", re.M)
_FILES = re.compile(r"^(?: +[a-z]){8}$", re.M)
_FEN = re.compile(r"^(FEN: )(\S+) ([wb]) (\S+) (\S+)", re.M)


class Obfuscation:
    """Drawn names for the texts of a game, and the way back for replies.

    >>> game = ludovec.Game("smallworld", seed=0)
    >>> names = ludovec.text.Obfuscation(game, seed=7)
    >>> message = names.hide(ludovec.text.prompt(game))
    >>> said = ludovec.text.read_move(game, names.read("Move: ..."))

    Words are exchanged in pairs, so the usual names mean nothing in replies.
    """

    def __init__(self, game: Game | Spec, seed: int) -> None:
        """Draws the names.

        Args:
            game: A game of Small World or of chess (``variant=chess``), or its spec.
            seed: Seed of the names; equal seeds give equal names.

        Raises:
            InvalidConfig: The game has no renamed texts.
        """
        spec = game.spec if isinstance(game, Game) else game
        self.seed = checks.seed(seed)
        is_chess = spec.env == "chess"
        if spec.env not in _NAMES or (
            is_chess and (spec.options["variant"] != "chess" or spec.options["flags"])
        ):
            raise config_error("obfuscate: smallworld and chess with variant=chess are allowed")
        rng = random.Random(f"{spec.env} {self.seed}")
        stems = _NAMES[spec.env].split()
        known = {word.casefold() for word in _WORD.findall(rules(spec.env))}
        drawn: list[str] = []
        while len(drawn) < len(stems) + 2:
            word = "".join(
                rng.choice(letters) for letters in ("bdfgklmnprtvz", "aiou", "bdglmnrvz", "aiou", "kmnxz")
            )
            if word not in known and word not in drawn:
                drawn.append(word)
        #: Short castling and long castling.
        self._castlings = drawn[-2:]
        self._words = dict(zip(stems, drawn)) | dict(zip(drawn, stems))
        codes = [letter + digit for letter in "bcdfghjklmnpqrtvwz" for digit in "123456789"]
        #: Codes of the regions by number.
        self._codes = rng.sample(codes, len(codes))
        self._pieces = _pairs("KQRBNP", rng.sample("JLMSTVWYZ", 6))
        self._files = _pairs("abcdefgh", rng.sample("ijklmnpqrstuvwyz", 8))
        ranks = rng.sample("12345678", 8)
        self._ranks = _pairs(ranks[:4], ranks[4:])
        self._is_chess = is_chess

    def hide(self, text: str) -> str:
        """The text with the drawn names."""
        return self._renamed(self._squares(text) if self._is_chess else self._regions(text))

    def read(self, reply: Any) -> Any:
        """A reply, text or a tool call, with the usual names, for :func:`ludovec.text.read_move`."""
        if isinstance(reply, Mapping):
            return {name: self.read(value) for name, value in reply.items()}
        if isinstance(reply, Sequence) and not isinstance(reply, str):
            return [self.read(value) for value in reply]
        # Numbers of actions and regions are in no message.
        text = reply if isinstance(reply, str) else str(reply)
        if self._is_chess:
            text = ChessWords.plain(text)
            for word, castling in zip(self._castlings, ("0-0", "0-0-0")):
                text = re.sub(rf"\b{word}\b", castling, text, flags=re.I)
            # The signs of castling are changed by one of the two steps alone.
            hidden = _CASTLING.sub(lambda found: found[0] if found[1] == "0" else "none", text)
            return self._renamed(self._squares(hidden, castling=False))
        return _CODE.sub(self._number, _REGION.sub(r"\1nowhere", self._renamed(text)))

    def _renamed(self, text: str) -> str:
        return _WORD.sub(lambda found: self._word(found[0]), text)

    def _word(self, word: str) -> str:
        folded = word.casefold()
        for ending in _ENDINGS:
            other = self._words.get(folded.removesuffix(ending)) if folded.endswith(ending) else None
            if other is not None:
                other += ending
                return other.upper() if word.isupper() else other.capitalize() if word[0].isupper() else other
        return word

    # ---- regions of Small World ----

    def _regions(self, text: str) -> str:
        def code(number: str | int) -> str:
            return self._codes[int(number)]

        def codes(listed: str) -> str:
            return " ".join(map(code, _numbers(listed)))

        def of_list(found: re.Match[str]) -> str:
            if found[1]:
                return f"{found[1]}{codes(found[2])}"
            return f"{code(found[3])}{found[4]}{codes(found[5])}"

        lines = []
        for line in _REGION.sub(lambda found: found[1] + code(found[2]), text).split("\n"):
            if line.startswith("tokens to conquer: "):
                line = _PRICED.sub(lambda found: found[1] + codes(found[2]), line)
            elif line.startswith("markers on free regions: "):
                line = _MARKED.sub(lambda found: code(found[0]), line)
            elif line.startswith("  "):
                line = _HELD.sub(lambda found: code(found[0]), line)
            lines.append(line)
        return _REGIONS.sub(of_list, "\n".join(lines))

    def _number(self, found: re.Match[str]) -> str:
        code = found[0].casefold()
        return str(self._codes.index(code)) if code in self._codes else found[0]

    # ---- squares of chess ----

    def _squares(self, text: str, castling: bool = True) -> str:
        def file(letter: str) -> str:
            return self._files.get(letter, letter)

        def rank(digit: str) -> str:
            return self._ranks.get(digit, digit)

        def piece(letters: str) -> str:
            return "".join(_cased(self._pieces, letter) for letter in letters)

        def square(found: re.Match[str]) -> str:
            by, start, row, sign, end, last, equals, choice = found.groups()
            where = file(start) + rank(row) + sign + file(end) + rank(last)
            return piece(by) + where + equals + piece(choice)

        def fen(found: re.Match[str]) -> str:
            side = "white" if found[3] == "w" else "black"
            return f"{found[1]}{piece(found[2])} {side} {piece(found[4])} {square_of(found[5])}"

        def square_of(name: str) -> str:
            return name if name == "-" else file(name[0]) + rank(name[1:])

        text = _ROW.sub(lambda found: found[1] + rank(found[2]) + piece(found[3]), text)
        text = _FILES.sub(lambda found: "".join(map(file, found[0])), text)
        if castling:
            text = _CASTLING.sub(lambda found: self._castlings[bool(found[2])], text)
        # The FEN of a position has letters and digits that are no squares.
        lines = (
            _FEN.sub(fen, line) if _FEN.match(line) else _SQUARE.sub(square, line)
            for line in text.split("\n")
        )
        return "\n".join(lines)


def _pairs(some: Sequence[str], others: Sequence[str]) -> dict[str, str]:
    """Pairs of names that replace each other."""
    return dict(zip(some, others)) | dict(zip(others, some))


def _cased(letters: Mapping[str, str], letter: str) -> str:
    other = letters.get(letter.upper(), letter)
    return other if letter.isupper() else other.lower()


def _numbers(listed: str) -> list[int]:
    """Numbers of a list, in which ``3-5`` is 3, 4 and 5."""
    found: list[int] = []
    for part in listed.split():
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found
