"""Names of the 400 tiles: ``A01`` is the lower left, ``T01`` the lower right, ``A20`` the upper left."""

from .._shared.errors import config_error as _config_error

#: Index of a tile: ``20 * row + column``, both from 0; contacts are relative to a piece's lower left.
Tile = int

# fmt: off
TILES: list[Tile] = list(range(400))
(
    A01, B01, C01, D01, E01, F01, G01, H01, I01, J01, K01, L01, M01, N01, O01, P01, Q01, R01, S01, T01,
    A02, B02, C02, D02, E02, F02, G02, H02, I02, J02, K02, L02, M02, N02, O02, P02, Q02, R02, S02, T02,
    A03, B03, C03, D03, E03, F03, G03, H03, I03, J03, K03, L03, M03, N03, O03, P03, Q03, R03, S03, T03,
    A04, B04, C04, D04, E04, F04, G04, H04, I04, J04, K04, L04, M04, N04, O04, P04, Q04, R04, S04, T04,
    A05, B05, C05, D05, E05, F05, G05, H05, I05, J05, K05, L05, M05, N05, O05, P05, Q05, R05, S05, T05,
    A06, B06, C06, D06, E06, F06, G06, H06, I06, J06, K06, L06, M06, N06, O06, P06, Q06, R06, S06, T06,
    A07, B07, C07, D07, E07, F07, G07, H07, I07, J07, K07, L07, M07, N07, O07, P07, Q07, R07, S07, T07,
    A08, B08, C08, D08, E08, F08, G08, H08, I08, J08, K08, L08, M08, N08, O08, P08, Q08, R08, S08, T08,
    A09, B09, C09, D09, E09, F09, G09, H09, I09, J09, K09, L09, M09, N09, O09, P09, Q09, R09, S09, T09,
    A10, B10, C10, D10, E10, F10, G10, H10, I10, J10, K10, L10, M10, N10, O10, P10, Q10, R10, S10, T10,
    A11, B11, C11, D11, E11, F11, G11, H11, I11, J11, K11, L11, M11, N11, O11, P11, Q11, R11, S11, T11,
    A12, B12, C12, D12, E12, F12, G12, H12, I12, J12, K12, L12, M12, N12, O12, P12, Q12, R12, S12, T12,
    A13, B13, C13, D13, E13, F13, G13, H13, I13, J13, K13, L13, M13, N13, O13, P13, Q13, R13, S13, T13,
    A14, B14, C14, D14, E14, F14, G14, H14, I14, J14, K14, L14, M14, N14, O14, P14, Q14, R14, S14, T14,
    A15, B15, C15, D15, E15, F15, G15, H15, I15, J15, K15, L15, M15, N15, O15, P15, Q15, R15, S15, T15,
    A16, B16, C16, D16, E16, F16, G16, H16, I16, J16, K16, L16, M16, N16, O16, P16, Q16, R16, S16, T16,
    A17, B17, C17, D17, E17, F17, G17, H17, I17, J17, K17, L17, M17, N17, O17, P17, Q17, R17, S17, T17,
    A18, B18, C18, D18, E18, F18, G18, H18, I18, J18, K18, L18, M18, N18, O18, P18, Q18, R18, S18, T18,
    A19, B19, C19, D19, E19, F19, G19, H19, I19, J19, K19, L19, M19, N19, O19, P19, Q19, R19, S19, T19,
    A20, B20, C20, D20, E20, F20, G20, H20, I20, J20, K20, L20, M20, N20, O20, P20, Q20, R20, S20, T20,
) = TILES
# fmt: on

TILE_NAMES: list[str] = [f"{chr(ord('a') + tile % 20)}{tile // 20 + 1}" for tile in TILES]
"""Names by index: ``"a1"`` to ``"t20"``."""

TILE_COORDS: list[tuple[int, int]] = [(tile % 20, tile // 20) for tile in TILES]
"""Column and row, from 0, by index."""


def tile_in_bounds(tile: Tile) -> bool:
    """True if a number is the index of a tile."""
    return 0 <= tile < len(TILES)


def coords_in_bounds(coords: tuple[int, int]) -> bool:
    """True if a column and a row are on the board."""
    x, y = coords
    return 0 <= x < 20 and 0 <= y < 20


def tile_to_coords(tile: Tile) -> tuple[int, int]:
    """Column and row of a tile, from 0."""
    if not isinstance(tile, int) or not tile_in_bounds(tile):
        raise _config_error(f"tile {tile}: 0 to 399 exist")
    return TILE_COORDS[tile]


def coords_to_tile(coords: tuple[int, int]) -> Tile:
    """The tile in a column and a row."""
    if not coords_in_bounds(coords):
        raise _config_error(f"coordinates {coords}: columns and rows are 0 to 19")
    x, y = coords
    return 20 * y + x
