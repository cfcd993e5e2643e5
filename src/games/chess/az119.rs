//! AlphaZero's observation of orthodox chess: 8x8 cells of 119 channels, eight boards among them.
//!
//! A state keeps the eight boards as the bits of the observation that white would see, 119 a cell. Playing a move
//! shifts them by one board; observing turns bits into bytes.

mod expand;

use bytemuck::{Pod, Zeroable};
use serde_json::{Value, json};

use super::bits::Bitboard;
use super::history::History;
use super::moves::{Move, MoveKind};
use super::position::{Plain, Position, Rules, kind};
use super::state::State;
use super::variant::schema::Cell;
use crate::engine::ObservationField;

/// Elements of a cell.
pub(super) const CHANNELS: usize = 119;
/// Elements in all.
pub(super) const LEN: usize = 64 * CHANNELS;
/// Words that hold a bit for every element.
const WORDS: usize = LEN / 64;
/// Boards shown.
const BOARDS: usize = 8;
/// Elements of a cell for one board: six kinds of the viewer, six of the opponent, two for repetition.
const PER_BOARD: usize = 14;
const PIECES: usize = 12;
const REPETITION: usize = PIECES;
/// Where the elements that are the same for the whole board start.
const GLOBAL: usize = BOARDS * PER_BOARD;
/// Elements that are numbers; all others are 0 or 1.
const PLIES: usize = GLOBAL + 1;
const PROGRESS: usize = GLOBAL + 6;
/// Bytes that hold the bits of a rank.
const RANK: usize = 8 * CHANNELS / 8;

/// The fields of the observation: channels last, the viewer's last rank first.
pub(super) fn fields() -> Vec<ObservationField> {
    let field =
        |name: &str, channel: usize, count: usize, high: u8, scale: f32, meaning: &str| ObservationField {
            name: name.into(),
            offset: channel,
            shape: vec![8, 8, count],
            strides: vec![8 * CHANNELS, CHANNELS, 1],
            meaning: meaning.into(),
            high,
            scale,
        };
    let mut fields = Vec::new();
    for t in 0..BOARDS {
        let at = t * PER_BOARD;
        let ago = if t == 0 { "now".to_string() } else { format!("{t} plies ago") };
        let name = |what: &str| format!("{what}_{t}");
        fields.push(field(&name("own"), at, 6, 1, 1.0, &format!("the viewer's P N B R Q K {ago}")));
        fields.push(field(&name("enemy"), at + 6, 6, 1, 1.0, &format!("the opponent's P N B R Q K {ago}")));
        fields.push(field(
            &name("repetition"),
            at + REPETITION,
            2,
            1,
            1.0,
            &format!("whether the position of {ago} was new, whether it had occurred before"),
        ));
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
        fields.push(field(name, GLOBAL + i, 1, high, scale, meaning));
    }
    fields
}

/// The bits of some piece channels of some boards, in every cell.
const fn pattern(boards: [usize; 2], pieces: [usize; 2]) -> [u64; WORDS] {
    let mut words = [0; WORDS];
    let mut bit = 0;
    while bit < LEN {
        let (board, piece) = (bit % CHANNELS / PER_BOARD, bit % CHANNELS % PER_BOARD);
        if boards[0] <= board && board < boards[1] && pieces[0] <= piece && piece < pieces[1] {
            words[bit / 64] |= 1 << (bit % 64);
        }
        bit += 1;
    }
    words
}

static NEWEST: [u64; WORDS] = pattern([0, 1], [0, PIECES]);
static OLDER: [u64; WORDS] = pattern([1, BOARDS], [0, PIECES]);
static OWN: [u64; WORDS] = pattern([0, BOARDS], [0, 6]);
static ENEMY: [u64; WORDS] = pattern([0, BOARDS], [6, PIECES]);

/// The last eight boards.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Boards {
    /// The piece channels as white sees them; every other bit is 0.
    bits: [u64; WORDS],
    /// Bit `t`: the board of `t` plies ago had occurred before.
    repeated: u8,
    /// Zero.
    padding: [u8; 7],
}

/// The piece channel of what stands on a cell, as white sees it.
fn channel<R: Rules>(position: &Position<R>, cell: Cell) -> Option<usize> {
    let kind = position.kind_at(cell)?;
    Some(usize::from(kind) + if position.colours[1].has(cell) { 6 } else { 0 })
}

/// The bit of a cell's first piece channel of the board of `t` plies ago.
fn first_bit(cell: Cell, t: usize) -> usize {
    usize::from(cell ^ 56) % 64 * CHANNELS + t * PER_BOARD
}

impl Boards {
    /// Puts a piece, or none, on a cell of the board of `t` plies ago.
    #[inline]
    fn set(&mut self, cell: Cell, t: usize, channel: Option<usize>) {
        let first = first_bit(cell, t);
        let (word, shift) = (first / 64, first % 64);
        let pieces = ((1u128 << PIECES) - 1) << shift;
        self.bits[word] &= !(pieces as u64);
        if shift + PIECES > 64 {
            self.bits[word + 1] &= !((pieces >> 64) as u64);
        }
        if let Some(channel) = channel {
            let bit = first + channel;
            self.bits[bit / 64] |= 1 << (bit % 64);
        }
    }

    /// The piece channels of a cell on the board of `t` plies ago.
    fn get(&self, cell: Cell, t: usize) -> u16 {
        let first = first_bit(cell, t);
        (0..PIECES)
            .map(|i| first + i)
            .rev()
            .fold(0, |set, bit| set << 1 | (self.bits[bit / 64] >> (bit % 64) & 1) as u16)
    }

    /// The piece channels as black sees them: own for enemy, the first rank for the last.
    #[inline]
    fn seen_by_black(&self) -> [u64; WORDS] {
        let bits = &self.bits;
        let swap = |below: u64, word: u64, above: u64, i: usize| {
            ((word << 6 | below >> 58) & ENEMY[i]) | ((word >> 6 | above << 58) & OWN[i])
        };
        let mut swapped = [0; WORDS];
        swapped[0] = swap(0, bits[0], bits[1], 0);
        for i in 1..WORDS - 1 {
            swapped[i] = swap(bits[i - 1], bits[i], bits[i + 1], i);
        }
        swapped[WORDS - 1] = swap(bits[WORDS - 2], bits[WORDS - 1], 0, WORDS - 1);
        let mut seen = [0; WORDS];
        let ranks = bytemuck::cast_slice(&swapped).chunks_exact(RANK);
        for (to, from) in
            bytemuck::cast_slice_mut::<u64, u8>(&mut seen).chunks_exact_mut(RANK).zip(ranks.rev())
        {
            to.copy_from_slice(from);
        }
        seen
    }
}

/// Makes every board one ply older and keeps the newest.
#[inline]
fn shift(bits: &mut [u64; WORDS]) {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx512f")]
        fn shift_avx512(bits: &mut [u64; WORDS]) {
            shift_words(bits);
        }
        if std::arch::is_x86_feature_detected!("avx512f") {
            // Safety: the processor has what the function is compiled for.
            return unsafe { shift_avx512(bits) };
        }
    }
    shift_words(bits);
}

#[inline(always)]
fn shift_words(bits: &mut [u64; WORDS]) {
    let shift = |below: u64, word: u64, older: u64, newest: u64| {
        ((word << PER_BOARD | below >> (64 - PER_BOARD)) & older) | (word & newest)
    };
    // Blocks of one vector: what a whole block takes from the one below is known before it is written.
    let (blocks, rest) = bits.as_chunks_mut::<8>();
    let (older, rest_older) = OLDER.as_chunks::<8>();
    let (newest, rest_newest) = NEWEST.as_chunks::<8>();
    let mut below = 0;
    for ((block, older), newest) in blocks.iter_mut().zip(older).zip(newest) {
        let [a, b, c, d, e, f, g, h] = *block;
        let lower = [below, a, b, c, d, e, f, g];
        for j in 0..8 {
            block[j] = shift(lower[j], block[j], older[j], newest[j]);
        }
        below = h;
    }
    for ((word, &older), &newest) in rest.iter_mut().zip(rest_older).zip(rest_newest) {
        let was = *word;
        *word = shift(below, was, older, newest);
        below = was;
    }
}

impl History for Boards {
    const KEPT: bool = true;

    fn new<R: Rules>(position: &Position<R>) -> Self {
        let mut boards = Self::zeroed();
        for cell in 0..64 {
            boards.set(cell, 0, channel(position, cell));
        }
        boards
    }

    #[inline]
    fn push<R: Rules>(&mut self, position: &Position<R>, mv: Move, occurrences: u8) {
        shift(&mut self.bits);
        // A move changes its two cells, castling and en passant others of the same ranks too: the rank
        // of departure holds them all.
        let mut renew = |cell: Cell| self.set(cell, 0, channel(position, cell));
        renew(mv.from);
        renew(mv.to);
        match mv.what {
            MoveKind::Castle => (0..8).for_each(|file| renew((mv.from & !7) | file)),
            MoveKind::EnPassant => renew((mv.from & !7) | (mv.to & 7)),
            _ => {}
        }
        self.repeated = self.repeated << 1 | u8::from(occurrences > 1);
    }

    fn to_json(&self) -> Option<Value> {
        let letter = |cell, t| LETTERS.get(self.get(cell, t).trailing_zeros() as usize).unwrap_or(&EMPTY);
        let boards: Vec<String> =
            (0..BOARDS).map(|t| (0..64).map(|cell| letter(cell, t)).collect()).collect();
        Some(json!({ "boards": boards, "repeated": self.repeated }))
    }

    fn from_json(json: &Value) -> Option<Self> {
        let mut history = Self::zeroed();
        let boards = json.get("boards")?.as_array().filter(|boards| boards.len() == BOARDS)?;
        for (t, board) in boards.iter().enumerate() {
            let letters = board.as_str().filter(|letters| letters.len() == 64)?;
            for (cell, letter) in (0..64).zip(letters.chars()).filter(|(_, letter)| *letter != EMPTY) {
                history.set(cell, t, Some(LETTERS.iter().position(|&l| l == letter)?));
            }
        }
        history.repeated = u8::try_from(json.get("repeated")?.as_u64()?).ok()?;
        Some(history)
    }

    fn is_valid<R: Rules>(&self, position: &Position<R>) -> bool {
        let cells = || (0..64).map(|cell| (cell, channel(position, cell)));
        self.padding == [0; 7]
            && self.bits.iter().enumerate().all(|(i, word)| word & !(OLDER[i] | NEWEST[i]) == 0)
            && cells().all(|(cell, _)| (0..BOARDS).all(|t| self.get(cell, t).count_ones() <= 1))
            && cells().all(|(cell, channel)| self.get(cell, 0) == channel.map_or(0, |channel| 1 << channel))
    }
}

/// The letters of FEN by channel, boards being written from a1 to h8 in JSON.
const LETTERS: [char; PIECES] = ['P', 'N', 'B', 'R', 'Q', 'K', 'p', 'n', 'b', 'r', 'q', 'k'];
const EMPTY: char = '.';

/// Writes the observation as `seat` sees it; see [`expand::expand`] for `PAST_CACHES`.
#[inline]
pub(super) fn write<const PAST_CACHES: bool>(state: &State<Plain, Boards>, seat: usize, out: &mut [u8]) {
    let (position, boards) = (&state.position, &state.history);
    // Channels that are the same in every cell; those of numbers are always on, the values say how much.
    let mut everywhere = 1 << PLIES | 1 << PROGRESS | (seat as u128) << GLOBAL;
    for t in 0..BOARDS {
        let repeated = boards.repeated >> t & 1;
        everywhere |= (1 << repeated) << (t * PER_BOARD + REPETITION);
    }
    for (i, side) in [seat, 1 - seat].into_iter().enumerate() {
        let rooks = position.rights & position.colours[side];
        if rooks.any() {
            let king = position.of(kind::KING) & position.colours[side];
            let below = king.wrapping_sub(1);
            let sides = u128::from((rooks & below).any()) | u128::from((rooks & !below).any()) << 1;
            everywhere |= sides << (GLOBAL + 2 + 2 * i);
        }
    }
    let values = [1, (position.plies / 2).min(255) as u8, position.halfmoves.min(100) as u8];
    let Some(out) = out.first_chunk_mut() else { return };
    if seat == 0 {
        expand::expand::<PAST_CACHES>(&boards.bits, everywhere, values, out);
    } else {
        expand::expand::<PAST_CACHES>(&boards.seen_by_black(), everywhere, values, out);
    }
}
