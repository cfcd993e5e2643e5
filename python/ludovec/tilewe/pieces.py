"""Pieces, rotations and colours by their names, and what pieces look like."""

from collections.abc import Sequence as _Sequence

from .. import _core
from .._errors import config_error as _config_error
from .tiles import A01, TILE_COORDS, Tile, tile_to_coords

#: A piece's number, in the order of :data:`PIECES`.
Piece = int
#: How a piece is turned before it is placed: a number in the order of :data:`ROTATIONS`.
Rotation = int
#: A player: the seat with the same number.
Color = int

# fmt: off
PIECE_NAMES: list[str] = [
    "O1", "I2", "I3", "L3", "O4", "I4", "L4", "Z4", "T4", "I5", "L5",
    "N5", "P5", "F5", "Y5", "T5", "U5", "V5", "W5", "X5", "Z5",
]
PIECES: list[Piece] = list(range(len(PIECE_NAMES)))
O1, I2, I3, L3, O4, I4, L4, Z4, T4, I5, L5, N5, P5, F5, Y5, T5, U5, V5, W5, X5, Z5 = PIECES
# fmt: on
PIECE_COUNT = len(PIECES)
NO_PIECE: Piece = PIECE_COUNT
"""No piece's number."""

ROTATION_NAMES: list[str] = ["n", "e", "s", "w", "nf", "ef", "sf", "wf"]
ROTATIONS: list[Rotation] = list(range(len(ROTATION_NAMES)))
NORTH, EAST, SOUTH, WEST, NORTH_F, EAST_F, SOUTH_F, WEST_F = ROTATIONS
"""Turned clockwise; the last four are then mirrored left to right."""
ROTATION_COUNT = len(ROTATIONS)

COLOR_NAMES: list[str] = ["blue", "yellow", "red", "green"]
COLORS: list[Color] = list(range(len(COLOR_NAMES)))
BLUE, YELLOW, RED, GREEN = COLORS
"""In turn order."""
COLOR_COUNT = len(COLORS)
NO_COLOR: Color = COLOR_COUNT
"""No player's number. :meth:`Board.color_at` returns None instead."""

_SHAPES = _core.tilewe_shapes()


def n_piece_tiles(piece: Piece) -> int:
    """How many tiles a piece has."""
    return len(_shape(piece, NORTH)[0])


def n_piece_contacts(piece: Piece) -> int:
    """How many of its tiles are contacts, one of which must lie on an open corner."""
    return len(_shape(piece, NORTH)[1])


def n_piece_corners(piece: Piece) -> int:
    """How many open corners a piece makes on an empty board."""
    return _shape(piece, NORTH)[2]


def piece_tiles(piece: Piece, rotation: Rotation = NORTH) -> list[Tile]:
    """The tiles of a turned piece, counted from the lower left of its bounding box, in their order."""
    return list(_shape(piece, rotation)[0])


def piece_contacts(piece: Piece, rotation: Rotation = NORTH) -> list[Tile]:
    """The contacts of a turned piece, counted as its tiles are."""
    return list(_shape(piece, rotation)[1])


def piece_tile_coords(
    piece: Piece, rotation: Rotation = NORTH, contact: Tile | None = None
) -> list[tuple[int, int]]:
    """Columns and rows of the tiles of a turned piece, in their order.

    They are counted from the lower left of its bounding box, or from one of its contacts.
    """
    x, y = tile_to_coords(A01 if contact is None else contact)
    return sorted((a - x, b - y) for a, b in (TILE_COORDS[tile] for tile in piece_tiles(piece, rotation)))


def _shape(piece: Piece, rotation: Rotation) -> tuple[_Sequence[Tile], _Sequence[Tile], int]:
    if piece not in PIECES or rotation not in ROTATIONS:
        raise _config_error(f"piece {piece}, rotation {rotation}: pieces are 0 to 20, rotations 0 to 7")
    return _SHAPES[piece][rotation]


N_PIECE_TILES = [n_piece_tiles(piece) for piece in PIECES]
N_PIECE_CORNERS = [n_piece_corners(piece) for piece in PIECES]
N_PIECE_CONTACTS = [n_piece_contacts(piece) for piece in PIECES]
