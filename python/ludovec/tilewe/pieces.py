"""Names of pieces, rotations and colours, and shapes of pieces."""

from collections.abc import Sequence as _Sequence

from .. import _core
from .._shared.errors import config_error as _config_error
from .tiles import A01, TILE_COORDS, Tile, tile_to_coords

#: Index of a piece in :data:`PIECES`.
Piece = int
#: Index of a rotation in :data:`ROTATIONS`.
Rotation = int
#: A player, equal to the seat.
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
"""Clockwise rotations; the last four are mirrored left to right afterwards."""
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
    """Number of tiles of a piece."""
    return len(_shape(piece, NORTH)[0])


def n_piece_contacts(piece: Piece) -> int:
    """Number of contacts of a piece: tiles of which one must cover an open corner."""
    return len(_shape(piece, NORTH)[1])


def n_piece_corners(piece: Piece) -> int:
    """Number of open corners of a piece on an empty board."""
    return _shape(piece, NORTH)[2]


def piece_tiles(piece: Piece, rotation: Rotation = NORTH) -> list[Tile]:
    """Tiles of a rotated piece, relative to the lower left of its bounding box, in order."""
    return list(_shape(piece, rotation)[0])


def piece_contacts(piece: Piece, rotation: Rotation = NORTH) -> list[Tile]:
    """Contacts of a rotated piece, relative to the lower left of its bounding box."""
    return list(_shape(piece, rotation)[1])


def piece_tile_coords(
    piece: Piece, rotation: Rotation = NORTH, contact: Tile | None = None
) -> list[tuple[int, int]]:
    """Columns and rows of the tiles of a rotated piece, in order.

    They are relative to the lower left of its bounding box, or to one of its contacts.
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
