"""A game with the original's moves, with undo."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import _core
from .._shared import checks
from .._shared.errors import type_error
from ..game import Game
from .pieces import (
    PIECE_NAMES,
    ROTATION_NAMES,
    ROTATIONS,
    Color,
    Piece,
    Rotation,
    piece_contacts,
    piece_tiles,
)
from .tiles import TILE_NAMES, Tile

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..typing import TileweOptions


class Move(NamedTuple):
    """A piece, its rotation, one of its contacts, and the open corner for that contact.

    Several moves can place the same tiles; :meth:`spellings` lists them, and they share one :attr:`action`.

    >>> from ludovec import tilewe
    >>> str(tilewe.Move(tilewe.W5, tilewe.NORTH, contact=tilewe.A01, to_tile=tilewe.A01))
    'W5n-a1a1'
    """

    piece: Piece
    rotation: Rotation
    #: Relative to the lower left of the rotated piece.
    contact: Tile
    #: The open corner that the contact covers.
    to_tile: Tile

    @classmethod
    def parse(cls, text: str) -> Move:
        """Parses a move: ``"F5e-a2d4"``.

        Raises:
            IllegalAction: The text is not a move; the message says why.
        """
        return cls(*_core.tilewe_move(checks.word("move", text)))

    @property
    def action(self) -> int:
        """The action index in the environment ``tilewe`` on 20x20; see :meth:`Board.action` for other boards.

        Raises:
            IllegalAction: The contact does not belong to the piece, or the piece leaves the board.
        """
        return _core.tilewe_action(_parts(self))

    @property
    def tiles(self) -> list[Tile]:
        """The tiles that the piece covers, in order."""
        offset = self.to_tile - self.contact
        return [tile + offset for tile in piece_tiles(self.piece, self.rotation)]

    def spellings(self) -> list[Move]:
        """All moves that place the same tiles, this one included."""
        offset = self.to_tile - self.contact
        return [
            Move(self.piece, rotation, contact, contact + offset)
            for rotation in _same_shape(self.piece, self.rotation)
            for contact in piece_contacts(self.piece, rotation)
        ]

    def __str__(self) -> str:
        named = zip(self, (PIECE_NAMES, ROTATION_NAMES, TILE_NAMES, TILE_NAMES))
        if not all(isinstance(part, int) and 0 <= part < len(names) for part, names in named):
            return repr(self)
        turned = PIECE_NAMES[self.piece] + ROTATION_NAMES[self.rotation]
        return f"{turned}-{TILE_NAMES[self.contact]}{TILE_NAMES[self.to_tile]}"


class Board:
    """A game for 1 to 4 players.

    Methods with a player argument use the current player by default. If each player has two colours, this is
    a colour, and so is :attr:`current_player`; only scores and winners are those of the players.

    >>> from ludovec import tilewe
    >>> duo = tilewe.Board(mode="blokus_duo")
    >>> duo.n_players, duo.size, duo.n_legal_moves()
    (2, 14, 414)

    Args:
        n_players: Number of players; by default the mode's, 4 in the original.
        **options: Options of the environment ``tilewe``, such as ``mode="blokus"``.

    Raises:
        InvalidConfig: The number of players is not 1 to 4, or an option is wrong.
    """

    __slots__ = ("_core",)

    def __init__(self, n_players: int | None = None, **options: Unpack[TileweOptions]) -> None:
        given: dict[str, object] = {**options}
        if n_players is not None:
            given["players"] = checks.count("n_players", n_players)
        self._core = _core.TileweBoard(given)

    # ---- observing ----

    @property
    def n_players(self) -> int:
        """Number of players."""
        return self._core.n_players()

    @property
    def size(self) -> int:
        """Rows and columns: 20 in the original."""
        return self._core.size()

    @property
    def colors(self) -> list[Color]:
        """The colours in play, in turn order. Color ``c`` belongs to player ``c % n_players``."""
        return list(range(self._core.n_colors()))

    @property
    def options(self) -> dict[str, Any]:
        """The options of the environment ``tilewe`` with these rules."""
        options: dict[str, Any] = json.loads(self._core.options())
        return options

    @property
    def ply(self) -> int:
        """Number of moves made; a skipped player makes none."""
        return self._core.ply()

    @property
    def moves(self) -> list[Move]:
        """The moves made so far."""
        return [Move(*parts) for parts in self._core.moves()]

    @property
    def current_player(self) -> Color:
        """The current player, or its colour; after the end of the game, that of the last move."""
        return self._core.current_player()

    @property
    def cur_player(self) -> Color:
        """The same as :attr:`current_player`."""
        return self.current_player

    @property
    def finished(self) -> bool:
        """True if no player can move."""
        return self._core.finished()

    @property
    def scores(self) -> list[int]:
        """Points of each player: tiles on the board, and bonuses if the rules have them."""
        return self._core.scores()

    @property
    def color_scores(self) -> list[int]:
        """Points of each colour."""
        return self._core.color_scores()

    @property
    def winners(self) -> list[Color]:
        """The players with the most points so far; after the end of the game, the winners."""
        return self._core.winners()

    def player_score(self, player: Color | None = None) -> int:
        """Points of a player, or of a colour."""
        return self.color_scores[self._player(player)]

    def remaining_pieces(self, player: Color | None = None) -> list[Piece]:
        """Pieces that a player has not placed yet."""
        return self._core.remaining_pieces(self._player(player))

    def n_remaining_pieces(self, player: Color | None = None) -> int:
        """Number of :meth:`remaining_pieces`."""
        return len(self.remaining_pieces(player))

    def player_corners(self, player: Color | None = None) -> list[Tile]:
        """Open corners at which a player can place a remaining piece."""
        return self._core.player_corners(self._player(player))

    def n_player_corners(self, player: Color | None = None) -> int:
        """Number of :meth:`player_corners`."""
        return len(self.player_corners(player))

    def can_play(self, player: Color | None = None) -> bool:
        """True if a player can still move."""
        return self._core.can_play(self._player(player))

    def color_at(self, tile: Tile) -> Color | None:
        """Owner of a tile, or None."""
        return self._core.color_at(checks.count("tile", tile))

    # ---- moves ----

    def generate_legal_moves(self, for_player: Color | None = None, unique: bool = True) -> list[Move]:
        """Moves of a player, as if it were the current one.

        There is one move for every contact on an open corner, with the first rotation that gives the shape.
        ``unique=False`` adds the equivalent moves with other rotations.
        """
        moves = [Move(*parts) for parts in self._core.legal_moves(self._player(for_player))]
        if checks.switch("unique", unique):
            return moves
        return [
            Move(move.piece, rotation, move.contact, move.to_tile)
            for move in moves
            for rotation in _same_shape(move.piece, move.rotation)
        ]

    def n_legal_moves(self, for_player: Color | None = None) -> int:
        """Number of :meth:`generate_legal_moves`."""
        return self._core.n_legal_moves(self._player(for_player))

    def parse(self, text: str) -> Move:
        """The legal move that a text names: ``"F5e-a2d4"``, or the tiles of the piece, ``"d4,e4,f4,e5,f3"``.

        Raises:
            IllegalAction: No legal move has this name; the message says why.
        """
        return Move(*self._core.parse(checks.word("move", text)))

    def action(self, move: Move) -> int:
        """The action index of a move in the environment ``tilewe`` with this board's options.

        Raises:
            IllegalAction: The contact does not belong to the piece, or the piece leaves the board.
        """
        return self._core.action(_parts(move))

    def is_legal(self, move: Move) -> bool:
        """True if the move is legal for the current player, in any spelling."""
        return self._core.is_legal(_parts(move))

    def push(self, move: Move) -> None:
        """Plays a move.

        Raises:
            IllegalAction: The move is illegal; the message says why.
        """
        self._core.push(_parts(move))

    def pop(self) -> Move:
        """Takes back the last move and returns it.

        Raises:
            IllegalAction: No move has been made.
        """
        return Move(*self._core.pop())

    def copy(self) -> Board:
        """An independent copy with the same moves."""
        board = Board.__new__(Board)
        board._core = self._core.copy()
        return board

    def game(self, seed: int | None = None) -> Game:
        """The position as a :class:`ludovec.Game`: observe it, search in it, draw it."""
        game = Game("tilewe", seed, **self.options)
        game.step_all([self.action(move) for move in self.moves])
        return game

    def _player(self, player: Color | None) -> Color:
        if player is None:
            return self.current_player
        return checks.seat("player", player, self._core.n_colors())

    def __copy__(self) -> Board:
        return self.copy()

    def __deepcopy__(self, memo: object) -> Board:
        return self.copy()

    def __reduce__(self) -> tuple[object, ...]:
        return _replayed, (self.options, self.moves)

    def __str__(self) -> str:
        return self._core.to_text()

    def __repr__(self) -> str:
        return f"<ludovec.tilewe.Board: {self.n_players} players, {self.ply} moves>"


def _same_shape(piece: Piece, rotation: Rotation) -> list[Rotation]:
    """Rotations of a piece that cover the same tiles."""
    tiles = piece_tiles(piece, rotation)
    return [other for other in ROTATIONS if piece_tiles(piece, other) == tiles]


def _parts(move: object) -> tuple[int, int, int, int]:
    """A move as the engine reads it."""
    if not isinstance(move, tuple) or len(move) != 4:
        raise type_error(f"move={move!r:.100}: a tilewe.Move is needed; Move.parse reads one from text")
    piece, rotation, contact, to_tile = (checks.count(name, part) for name, part in zip(Move._fields, move))
    return piece, rotation, contact, to_tile


def _replayed(options: int | dict[str, Any], moves: list[Move]) -> Board:
    # Older pickles have the number of players.
    board = Board(options) if isinstance(options, int) else Board(**options)
    for move in moves:
        board.push(move)
    return board
