"""A game in the original's moves, with undo."""

from __future__ import annotations

from typing import NamedTuple

from .. import _arguments, _core
from .._errors import type_error
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


class Move(NamedTuple):
    """A piece, how it is turned, and which of its contacts lies on which open corner.

    Several moves can place the same tiles; :meth:`spellings` lists them, and they have one :attr:`action`.

    >>> from ludovec import tilewe
    >>> str(tilewe.Move(tilewe.W5, tilewe.NORTH, contact=tilewe.A01, to_tile=tilewe.A01))
    'W5n-a1a1'
    """

    piece: Piece
    rotation: Rotation
    #: Counted from the lower left of the turned piece.
    contact: Tile
    #: The open corner that the contact lies on.
    to_tile: Tile

    @classmethod
    def parse(cls, text: str) -> Move:
        """The move that is written so: ``"F5e-a2d4"``.

        Raises:
            IllegalAction: Says what is wrong with the text.
        """
        return cls(*_core.tilewe_move(_arguments.word("move", text)))

    @property
    def action(self) -> int:
        """The action index of the environment ``tilewe``.

        Raises:
            IllegalAction: The contact is none, or the piece sticks out of the board.
        """
        return _core.tilewe_action(_parts(self))

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

    Methods that ask about a player mean the one to move where none is given.

    Raises:
        InvalidConfig: There cannot be so many players.
    """

    __slots__ = ("_core",)

    def __init__(self, n_players: int = 4) -> None:
        self._core = _core.TileweBoard(_arguments.count("n_players", n_players))

    # ---- what there is ----

    @property
    def n_players(self) -> int:
        """How many players there are."""
        return self._core.n_players()

    @property
    def ply(self) -> int:
        """How many moves have been made; a player that is skipped makes none."""
        return self._core.ply()

    @property
    def moves(self) -> list[Move]:
        """The moves made so far."""
        return [Move(*parts) for parts in self._core.moves()]

    @property
    def current_player(self) -> Color:
        """Who is to move; when the game is over, who moved last."""
        return self._core.current_player()

    @property
    def cur_player(self) -> Color:
        """The same as :attr:`current_player`."""
        return self.current_player

    @property
    def finished(self) -> bool:
        """Whether nobody can make another move."""
        return self._core.finished()

    @property
    def scores(self) -> list[int]:
        """How many tiles each player has on the board."""
        return self._core.scores()

    @property
    def winners(self) -> list[Color]:
        """The players with the most tiles so far; the winners once the game is finished."""
        return self._core.winners()

    def player_score(self, player: Color | None = None) -> int:
        """How many tiles a player has on the board."""
        return self.scores[self._player(player)]

    def remaining_pieces(self, player: Color | None = None) -> list[Piece]:
        """The pieces that a player has left."""
        return self._core.remaining_pieces(self._player(player))

    def n_remaining_pieces(self, player: Color | None = None) -> int:
        """How many those are."""
        return len(self.remaining_pieces(player))

    def player_corners(self, player: Color | None = None) -> list[Tile]:
        """The open corners at which a player can place one of the pieces it has left."""
        return self._core.player_corners(self._player(player))

    def n_player_corners(self, player: Color | None = None) -> int:
        """How many those are."""
        return len(self.player_corners(player))

    def can_play(self, player: Color | None = None) -> bool:
        """Whether a player can still make a move."""
        return self._core.can_play(self._player(player))

    def color_at(self, tile: Tile) -> Color | None:
        """Whose tile it is; None for nobody's."""
        return self._core.color_at(_arguments.count("tile", tile))

    # ---- moves ----

    def generate_legal_moves(self, for_player: Color | None = None, unique: bool = True) -> list[Move]:
        """The moves that a player could make if it were its turn.

        There is one for every contact on an open corner, spelled with the first rotation that gives the shape.
        ``unique=False`` adds the spellings with the other rotations.
        """
        moves = [Move(*parts) for parts in self._core.legal_moves(self._player(for_player))]
        if _arguments.switch("unique", unique):
            return moves
        return [
            Move(move.piece, rotation, move.contact, move.to_tile)
            for move in moves
            for rotation in _same_shape(move.piece, move.rotation)
        ]

    def n_legal_moves(self, for_player: Color | None = None) -> int:
        """How many those are."""
        return self._core.n_legal_moves(self._player(for_player))

    def is_legal(self, move: Move) -> bool:
        """Whether the player to move may play a move, however it is spelled."""
        return self._core.is_legal(_parts(move))

    def push(self, move: Move) -> None:
        """Plays a move.

        Raises:
            IllegalAction: Says why it may not be played.
        """
        self._core.push(_parts(move))

    def pop(self) -> Move:
        """Takes the last move back and returns it.

        Raises:
            IllegalAction: No move has been made.
        """
        return Move(*self._core.pop())

    def copy(self) -> Board:
        """The same game with its moves, which goes its own way."""
        board = Board.__new__(Board)
        board._core = self._core.copy()
        return board

    def game(self, seed: int = 0) -> Game:
        """The same game as the environment has it, to observe, search in and draw."""
        game = Game("tilewe", seed, players=self.n_players)
        game.step_all([move.action for move in self.moves])
        return game

    def _player(self, player: Color | None) -> Color:
        if player is None:
            return self.current_player
        return _arguments.seat("player", player, self.n_players)

    def __copy__(self) -> Board:
        return self.copy()

    def __deepcopy__(self, memo: object) -> Board:
        return self.copy()

    def __reduce__(self) -> tuple[object, ...]:
        return _replayed, (self.n_players, self.moves)

    def __str__(self) -> str:
        return self._core.to_text()

    def __repr__(self) -> str:
        return f"<ludovec.tilewe.Board: {self.n_players} players, {self.ply} moves>"


def _same_shape(piece: Piece, rotation: Rotation) -> list[Rotation]:
    """The rotations that turn a piece into the same tiles."""
    tiles = piece_tiles(piece, rotation)
    return [other for other in ROTATIONS if piece_tiles(piece, other) == tiles]


def _parts(move: object) -> tuple[int, int, int, int]:
    """A move as the engine reads it."""
    if not isinstance(move, tuple) or len(move) != 4:
        raise type_error(f"move={move!r:.100}: a tilewe.Move is needed; Move.parse reads one from text")
    piece, rotation, contact, to_tile = (
        _arguments.count(name, part) for name, part in zip(Move._fields, move)
    )
    return piece, rotation, contact, to_tile


def _replayed(n_players: int, moves: list[Move]) -> Board:
    board = Board(n_players)
    for move in moves:
        board.push(move)
    return board
