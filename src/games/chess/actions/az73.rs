//! AlphaZero's numbering of moves: planes per square, compatible with other suites.
//!
//! ```text
//! plane  0..9   underpromotion: piece*3 + way; rook, bishop, knight; ahead, file+1, file-1
//! plane  9..65  queen moves, 7 per direction: S 7..1, N 1..7, W 7..1, E 1..7, SW 7..1, NE 1..7, NW 7..1, SE 1..7
//! plane 65..73  knight moves (files, ranks): (-2,-1) (-2,+1) (-1,-2) (-1,+2) (+2,-1) (+2,+1) (+1,-2) (+1,+2)
//! ```

use crate::rules::board::position::kind;
use crate::rules::variant::schema::{PieceKind, Square};

/// Planes of a square.
pub(crate) const PLANES: u32 = 73;
/// The first plane of queen moves.
const QUEEN: u32 = 9;

const KNIGHT: [(i8, i8); 8] = [(-2, -1), (-2, 1), (-1, -2), (-1, 2), (2, -1), (2, 1), (1, -2), (1, 2)];
/// Directions of queen moves, and whether their lengths are numbered downwards.
const DIRECTIONS: [((i8, i8), bool); 8] = [
    ((0, -1), true),
    ((0, 1), false),
    ((-1, 0), true),
    ((1, 0), false),
    ((-1, -1), true),
    ((1, 1), false),
    ((-1, 1), true),
    ((1, -1), false),
];
const UNDERPROMOTIONS: [PieceKind; 3] = [kind::ROOK, kind::BISHOP, kind::KNIGHT];
const WAYS: [i8; 3] = [0, 1, -1];

/// The file-major number of a square.
#[inline]
pub(crate) fn file_major(square: Square) -> u32 {
    u32::from(square % 8 * 8 + square / 8)
}

/// The square of a file-major number.
#[inline]
pub(crate) fn from_file_major(number: Square) -> Square {
    number % 8 * 8 + number / 8
}

/// `(files, ranks)` of a plane from [`QUEEN`] on.
const fn step(plane: u32) -> (i8, i8) {
    if plane >= QUEEN + 56 {
        return KNIGHT[(plane - QUEEN - 56) as usize];
    }
    let ((df, dr), downwards) = DIRECTIONS[((plane - QUEEN) / 7) as usize];
    let i = ((plane - QUEEN) % 7) as i8;
    let length = if downwards { 7 - i } else { i + 1 };
    (df * length, dr * length)
}

/// The name of a plane: its offset in files and ranks, and the piece of an underpromotion.
pub(crate) fn plane_name(plane: u32) -> String {
    if plane < QUEEN {
        let piece = ["rook", "bishop", "knight"][(plane / 3) as usize];
        return format!("{:+} +1 {piece}", WAYS[(plane % 3) as usize]);
    }
    let (files, ranks) = step(plane);
    format!("{files:+} {ranks:+}")
}

/// Plane by file difference + 7 and rank difference + 7.
static PLANE: [[u8; 15]; 15] = {
    let mut table = [[0; 15]; 15];
    let mut plane = QUEEN;
    while plane < PLANES {
        let (df, dr) = step(plane);
        table[(df + 7) as usize][(dr + 7) as usize] = plane as u8;
        plane += 1;
    }
    table
};

/// The plane of a move that is not an underpromotion.
#[inline]
pub(crate) fn plane(from: Square, to: Square) -> u32 {
    let (df, dr) = ((to % 8 + 7) - from % 8, (to / 8 + 7) - from / 8);
    u32::from(PLANE[usize::from(df)][usize::from(dr)])
}

/// The plane of an underpromotion.
pub(crate) fn underpromotion(from: Square, to: Square, kind: PieceKind) -> u32 {
    let piece = UNDERPROMOTIONS.iter().position(|&k| k == kind).unwrap_or(0);
    let files = (to % 8) as i8 - (from % 8) as i8;
    let way = WAYS.iter().position(|&w| w == files).unwrap_or(0);
    (piece * 3 + way) as u32
}

/// The destination of a plane from a square, and its underpromotion if any; `None` off the board.
#[inline]
pub(crate) fn target(from: Square, plane: u32) -> Option<(Square, Option<PieceKind>)> {
    let ((df, dr), under) = if plane < QUEEN {
        ((WAYS[(plane % 3) as usize], 1), Some(UNDERPROMOTIONS[(plane / 3) as usize]))
    } else {
        (step(plane), None)
    };
    if under.is_some() && from / 8 != 6 {
        return None;
    }
    let (file, rank) = ((from % 8) as i8 + df, (from / 8) as i8 + dr);
    ((0..8).contains(&file) && (0..8).contains(&rank)).then_some((((rank * 8) + file) as Square, under))
}
