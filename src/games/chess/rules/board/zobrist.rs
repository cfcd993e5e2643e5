//! Zobrist keys: a random word for each feature of a position (a piece on a square, a castling right). The key of a
//! position is the exclusive or of the words of all its features. A move updates only the words of the features
//! that it changes.

use crate::rules::variant::schema::{MAX_KINDS, MAX_SQUARES, PieceKind, Square};

static PIECE: [u64; 2 * MAX_KINDS * MAX_SQUARES] = words(1);
static RIGHT: [u64; MAX_SQUARES] = words(2);
static EN_PASSANT: [u64; MAX_SQUARES] = words(3);
static PROMOTED: [u64; MAX_SQUARES] = words(8);
/// Black is the side to move.
pub(crate) const TURN: u64 = mix(4);

/// Finaliser of SplitMix64.
const fn mix(x: u64) -> u64 {
    let x = x.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

const fn words<const N: usize>(salt: u64) -> [u64; N] {
    let mut words = [0; N];
    let mut i = 0;
    while i < N {
        words[i] = mix(salt << 32 | i as u64);
        i += 1;
    }
    words
}

/// A piece on a square.
#[inline]
pub(crate) fn piece(colour: usize, kind: PieceKind, square: Square) -> u64 {
    PIECE[((colour & 1) * MAX_KINDS + usize::from(kind)) * MAX_SQUARES + usize::from(square) % MAX_SQUARES]
}

/// A rook that may castle.
#[inline]
pub(crate) fn right(square: Square) -> u64 {
    RIGHT[usize::from(square) % MAX_SQUARES]
}

/// A piece that was a pawn, on a square: when captured, it goes to the hand as a pawn.
#[inline]
pub(crate) fn promoted(square: Square) -> u64 {
    PROMOTED[usize::from(square) % MAX_SQUARES]
}

/// A square on which a pawn may be taken en passant.
#[inline]
pub(crate) fn en_passant(square: Square) -> u64 {
    EN_PASSANT[usize::from(square) % MAX_SQUARES]
}

/// `count` pieces of a kind in hand; the word for 0 pieces is 0.
#[inline]
pub(crate) fn pocket(colour: usize, kind: PieceKind, count: u8) -> u64 {
    if count == 0 {
        0
    } else {
        mix(5 << 32 | (colour as u64) << 16 | u64::from(kind) << 8 | u64::from(count))
    }
}

/// A colour has given its `count`-th check.
pub(crate) fn check(colour: usize, count: u8) -> u64 {
    mix(6 << 32 | (colour as u64) << 8 | u64::from(count))
}

/// The pieces that never moved, as the words of a bit set.
#[inline]
pub(crate) fn unmoved([low, high]: [u64; 2]) -> u64 {
    if low | high == 0 { 0 } else { mix(mix(low ^ 9 << 32) ^ mix(high ^ 10 << 32)) }
}

/// A hook's memory.
pub(crate) fn memory([a, b, c]: [u8; 3]) -> u64 {
    mix(7 << 32 | u64::from(a) << 16 | u64::from(b) << 8 | u64::from(c))
}
