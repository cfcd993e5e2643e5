//! AlphaZero's observation of orthodox chess: 8x8 squares of 119 channels with the last eight boards.
//!
//! A state keeps the eight boards packed: each square is a word of 32 bits with four bits for each board.
//! Making a move shifts every word by four bits and adds the new board; observing turns the words into channels
//! ([`expand`]), or into bitboards ([`transpose`]).

mod expand;
mod transpose;

use bytemuck::{Pod, Zeroable};
use serde_json::{Value, json};

use crate::rules::board::bitboard::Bitboard;
use crate::rules::board::position::{MoveRules, Orthodox, Position, kind};
use crate::rules::history::History;
use crate::rules::state::State;
use crate::rules::variant::schema::{PieceKind, Square};
use ludovec_engine::{ObservationField, Row, StateColumn, Values, state_columns};

/// Channels of a square.
pub(crate) const CHANNELS: usize = 119;
/// Bytes of the observation.
pub(crate) const LEN: usize = 64 * CHANNELS;
/// Boards shown.
const BOARDS: usize = 8;
/// Channels of one board: six kinds of the viewer's pieces, six of the opponent's, two for repetition.
const PER_BOARD: usize = 14;
/// Channels of a board that show pieces; they come first.
const PIECES: usize = 12;
/// The first of the two channels of a board for repetition: new, or occurred before.
const REPETITION: usize = PIECES;
/// The first channel after the boards: from here on every square has the same value.
const GLOBAL: usize = BOARDS * PER_BOARD;
/// The channel with half the number of plies; it and [`PROGRESS`] are numbers, all other channels are 0 or 1.
const PLIES: usize = GLOBAL + 1;
/// The channel with the plies since the last capture or pawn move.
const PROGRESS: usize = GLOBAL + 6;

/// The fields of the observation: channels last, the viewer's last rank first.
pub(crate) fn fields() -> Vec<ObservationField> {
    let field = |name: &str, channel: usize, count: usize, names: &str, meaning: &str| ObservationField {
        name: name.into(),
        offset: channel,
        shape: vec![8, 8, count],
        strides: vec![8 * CHANNELS, CHANNELS, 1],
        meaning: meaning.into(),
        high: 1,
        scale: 1.0,
        uniform: 0,
        values: Values::axes(&["rank_from_the_last", "file", names]),
    };
    let mut fields = Vec::new();
    for t in 0..BOARDS {
        let at = t * PER_BOARD;
        let ago = if t == 0 { "now".to_string() } else { format!("{t} plies ago") };
        let name = |what: &str| format!("{what}_{t}");
        fields.push(field(&name("own"), at, 6, "kind", &format!("the viewer's P N B R Q K {ago}")));
        fields.push(field(&name("enemy"), at + 6, 6, "kind", &format!("the opponent's P N B R Q K {ago}")));
        let repetition = format!("whether the position of {ago} was new, whether it had occurred before");
        let repetition = field(&name("repetition"), at + REPETITION, 2, "repetition", &repetition);
        fields.push(ObservationField { uniform: 2, ..repetition });
    }
    let globals = [
        ("black", 1, 1.0, "the viewer plays black"),
        ("plies", 255, 1.0 / 256.0, "half the number of plies played, at most 255: 512 plies are about 1"),
        ("own_queen_side", 1, 1.0, "the viewer may still castle toward the a-file"),
        ("own_king_side", 1, 1.0, "the viewer may still castle toward the h-file"),
        ("enemy_queen_side", 1, 1.0, "the opponent may still castle toward the a-file"),
        ("enemy_king_side", 1, 1.0, "the opponent may still castle toward the h-file"),
        ("progress", 100, 0.01, "plies since the last capture or pawn move"),
    ];
    for (i, (name, high, scale, meaning)) in globals.into_iter().enumerate() {
        let global = field(name, GLOBAL + i, 1, "", meaning);
        fields.push(ObservationField { high, scale, uniform: 2, ..global });
    }
    fields
}

/// The last eight boards, packed.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Boards {
    /// By square: the pieces there, four bits for each board, the newest board lowest; see [`code`].
    squares: [u32; 64],
    /// Bit `t`: the board of `t` plies ago had occurred before.
    repeated: u8,
    /// Always zero.
    padding: [u8; 7],
}

/// Four bits for the piece on a square: 0 for none, else 1 to 6 for P N B R Q K, plus 8 for black's.
fn code<R: MoveRules>(position: &Position<R>, square: Square) -> u32 {
    let black = u32::from(position.colours[1].has(square));
    position.kind_at(square).map_or(0, |kind| u32::from(kind) + 1 + 8 * black)
}

/// The board's codes as four bit planes: the squares with bit 0, 1, 2, 3 of their [`code`] set.
#[inline]
fn code_planes<R: MoveRules>(position: &Position<R>) -> [u64; 4] {
    let of = |kinds: [PieceKind; 3]| kinds.iter().fold(0, |set, &kind| set | position.of(kind).words()[0]);
    [
        of([kind::PAWN, kind::BISHOP, kind::QUEEN]),
        of([kind::KNIGHT, kind::BISHOP, kind::KING]),
        of([kind::ROOK, kind::QUEEN, kind::KING]),
        position.colours[1].words()[0],
    ]
}

/// Shifts every board by one ply and adds the newest, given as [`code_planes`].
#[inline]
fn push_board(squares: &mut [u32; 64], planes: [u64; 4]) {
    #[cfg(target_arch = "x86_64")]
    if ludovec_engine::CpuLevel::Avx512.is_available() {
        // Safety: the processor has the features that the function is compiled for.
        return unsafe { push_board_avx512(squares, planes) };
    }
    push_board_by_squares(squares, planes);
}

fn push_board_by_squares(squares: &mut [u32; 64], planes: [u64; 4]) {
    for (square, seen) in squares.iter_mut().enumerate() {
        *seen = planes.iter().rev().fold(*seen, |seen, plane| seen << 1 | (plane >> square & 1) as u32);
    }
}

/// [`push_board`] with AVX-512, sixteen squares at a time: each bit plane is the mask of a masked or.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,bmi1,bmi2,lzcnt,popcnt")]
fn push_board_avx512(squares: &mut [u32; 64], planes: [u64; 4]) {
    use core::arch::x86_64::*;
    for (run, squares) in squares.as_chunks_mut::<16>().0.iter_mut().enumerate() {
        // Safety: a run has sixteen squares of 32 bits.
        unsafe {
            let to = squares.as_mut_ptr().cast();
            let mut seen = _mm512_slli_epi32::<4>(_mm512_loadu_si512(to));
            for (bit, plane) in planes.iter().enumerate() {
                let bit = _mm512_set1_epi32(1 << bit);
                seen = _mm512_mask_or_epi32(seen, (plane >> (run * 16)) as u16, seen, bit);
            }
            _mm512_storeu_si512(to, seen);
        }
    }
}

impl History for Boards {
    const KEPT: bool = true;

    fn new<R: MoveRules>(position: &Position<R>) -> Self {
        let mut boards = Self::zeroed();
        push_board(&mut boards.squares, code_planes(position));
        boards
    }

    #[inline]
    fn push<R: MoveRules>(&mut self, position: &Position<R>, occurrences: u8) {
        push_board(&mut self.squares, code_planes(position));
        self.repeated = self.repeated << 1 | u8::from(occurrences > 1);
    }

    fn columns() -> Vec<StateColumn> {
        state_columns!(Boards {
            squares: "what was on each square: four bits for each of the last eight boards, the newest lowest; 0 nothing, \
                      1 to 6 for P N B R Q K, 8 more for black's" => Values::axes(&["square"]),
            repeated: "bit t: the board of t plies ago had occurred before",
        })
    }

    fn to_json(&self) -> Option<Value> {
        let letter = |seen: u32, t| LETTERS[(seen >> (4 * t)) as usize % 16];
        let boards: Vec<String> =
            (0..BOARDS).map(|t| self.squares.iter().map(|&seen| letter(seen, t)).collect()).collect();
        Some(json!({ "boards": boards, "repeated": self.repeated }))
    }

    fn from_json(json: &Value) -> Option<Self> {
        let mut history = Self::zeroed();
        let boards = json.get("boards")?.as_array().filter(|boards| boards.len() == BOARDS)?;
        for (t, board) in boards.iter().enumerate() {
            let letters = board.as_str().filter(|letters| letters.len() == 64)?;
            for (seen, letter) in history.squares.iter_mut().zip(letters.chars()) {
                *seen |= (LETTERS.iter().position(|&l| l == letter)? as u32) << (4 * t);
            }
        }
        history.repeated = u8::try_from(json.get("repeated")?.as_u64()?).ok()?;
        Some(history)
    }

    fn is_valid<R: MoveRules>(&self, position: &Position<R>) -> bool {
        let known = |seen: u32| (0..BOARDS).all(|t| CODES >> (seen >> (4 * t) & 15) & 1 == 1);
        self.padding == [0; 7]
            && self.squares.iter().all(|&seen| known(seen))
            && (0..64).all(|square| self.squares[usize::from(square)] & 15 == code(position, square))
    }
}

/// By [`code`]: the letter for a square in JSON, where a board is a text from a1 to h8. Unused codes have the
/// letter of the empty square; a search by letter finds code 0 first.
const LETTERS: [char; 16] = ['.', 'P', 'N', 'B', 'R', 'Q', 'K', '.', '.', 'p', 'n', 'b', 'r', 'q', 'k', '.'];
/// Bit `c` is set when there is a [`code`] `c`.
const CODES: u16 = 0b0111_1110_0111_1111;

/// The channels with the same value on every square, from the point of view of `seat`: bit `c` is set if channel
/// `c` is on. The bits of the two channels that hold numbers are always set.
fn uniform(state: &State<Orthodox, Boards>, seat: usize) -> u128 {
    let (position, boards) = (&state.position, &state.history);
    let mut uniform = 1 << PLIES | 1 << PROGRESS | (seat as u128) << GLOBAL;
    for t in 0..BOARDS {
        let repeated = boards.repeated >> t & 1;
        uniform |= (1 << repeated) << (t * PER_BOARD + REPETITION);
    }
    for (i, side) in [seat, 1 - seat].into_iter().enumerate() {
        let rooks = position.rights & position.colours[side];
        if rooks.any() {
            let king = position.of(kind::KING) & position.colours[side];
            let below = king.wrapping_sub(1);
            let sides = u128::from((rooks & below).any()) | u128::from((rooks & !below).any()) << 1;
            uniform |= sides << (GLOBAL + 2 + 2 * i);
        }
    }
    uniform
}

/// The values of the channels [`PLIES`] and [`PROGRESS`].
fn numbers(position: &Position<Orthodox>) -> (u8, u8) {
    ((position.plies / 2).min(255) as u8, position.halfmoves.min(100) as u8)
}

/// Writes the observation of `seat`. `NONTEMPORAL` requests streaming stores, see [`expand::expand`].
#[inline]
pub(crate) fn write<const NONTEMPORAL: bool>(state: &State<Orthodox, Boards>, seat: usize, out: &mut [u8]) {
    if let Some(out) = out.first_chunk_mut() {
        let (uniform, (plies, progress)) = (uniform(state, seat), numbers(&state.position));
        let packed = expand::Packed { squares: &state.history.squares, seat, uniform, plies, progress };
        expand::expand::<NONTEMPORAL>(packed, out);
    }
}

/// Writes the packed observation of `seat`: bitboards, then the values that are uniform over the board.
pub(crate) fn write_packed(state: &State<Orthodox, Boards>, seat: usize, row: &mut [u8]) {
    let mut row = Row::<true>::new(row);
    let planes = transpose::transpose(&state.history.squares);
    for board in planes.as_chunks::<4>().0 {
        // The last rank comes first for white, the first for black.
        let [a, b, c, black] = board.map(|plane| if seat == 0 { plane.swap_bytes() } else { plane });
        let kinds = [a & !(b | c), b & !(a | c), a & b, c & !(a | b), a & c, b & c];
        let own = if seat == 0 { !black } else { black };
        row.flags(64, kinds.map(|kind| kind & own));
        row.flags(64, kinds.map(|kind| kind & !own));
    }
    let (uniform, (plies, progress)) = (uniform(state, seat), numbers(&state.position));
    for t in 0..BOARDS {
        row.flags(2, [(uniform >> (t * PER_BOARD + REPETITION)) as u64 & 3]);
    }
    for channel in GLOBAL..CHANNELS {
        match channel {
            PLIES => row.numbers::<8>(&[plies]),
            PROGRESS => row.numbers::<7>(&[progress]),
            _ => row.flags(1, [(uniform >> channel) as u64 & 1]),
        }
    }
    row.finish();
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn boards_age_the_same_square_by_square(squares in prop::collection::vec(any::<u32>(), 64), planes: [u64; 4]) {
            let mut squares: [u32; 64] = squares.try_into().unwrap();
            let mut slow = squares;
            push_board(&mut squares, planes);
            push_board_by_squares(&mut slow, planes);
            prop_assert_eq!(squares, slow);
            for (square, seen) in squares.into_iter().enumerate() {
                prop_assert_eq!(u64::from(seen & 15), (0..4).map(|bit| (planes[bit] >> square & 1) << bit).sum::<u64>());
            }
        }
    }
}
