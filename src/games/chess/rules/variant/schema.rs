//! A variant as plain validated data: the parser fills it in from a file, the compiler turns it into tables.
//!
//! Conventions: a square is `rank * width + file`, a1 is 0. Offsets are `(files, ranks)` from white's point of
//! view; black's are mirrored in the rank. A piece kind is an index into [`Variant::pieces`]. Pairs for both
//! colours are `[white, black]`.

/// A square of the board: `rank * width + file`, counted from a1.
pub type Square = u8;
/// An index into [`Variant::pieces`].
pub type PieceKind = u8;
/// A set of kinds; bit `k` is kind `k`.
pub(crate) type KindSet = u16;
/// Maximum number of kinds of pieces of a variant.
pub const MAX_KINDS: usize = 12;
/// Maximum number of squares of a board, holes included.
pub const MAX_SQUARES: usize = 128;
/// Maximum side of a board.
pub const MAX_SIDE: u8 = 16;

/// A chess variant, complete and checked for form. The compiler checks that its parts are consistent.
#[derive(Debug, Clone, PartialEq)]
pub struct Variant {
    /// Its name, as on command lines.
    pub name: String,
    /// One sentence about it.
    pub summary: String,
    /// Files.
    pub width: u8,
    /// Ranks.
    pub height: u8,
    /// Squares that do not exist, in increasing order.
    pub holes: Vec<Square>,
    /// The start position, as a FEN in the notation of this variant.
    pub start: String,
    /// Whether castling rights name rooks by file and castling is written king-takes-rook.
    pub chess960: bool,
    /// The kinds of pieces.
    pub pieces: Vec<Piece>,
    /// Rules for the kinds with [`Role::Pawn`], besides their moves.
    pub pawn: PawnRules,
    /// Promotion of pawns; `None` when pawns stay pawns.
    pub promotion: Option<Promotion>,
    /// Castling; `None` if the variant has none.
    pub castling: Option<Castling>,
    /// Rules that forbid moves.
    pub filters: Filters,
    /// Rules that add moves to the pieces' own.
    pub generators: Generators,
    /// Effects after a move.
    pub effects: Effects,
    /// Pieces in hand; `None` if the variant has no drops.
    pub drops: Option<Drops>,
    /// Turn order.
    pub turn: Turn,
    /// End rules. The first rule that holds decides.
    pub end: Vec<EndRule>,
}

/// A kind of piece.
#[derive(Debug, Clone, PartialEq)]
pub struct Piece {
    /// The letter of FEN, upper case; black's is the lower case one.
    pub letter: char,
    /// Its name in words, lower case.
    pub name: String,
    /// The role of the kind in the rules.
    pub role: Role,
    /// Its moves.
    pub moves: Vec<Primitive>,
}

/// The role of a kind of piece in the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// An ordinary piece.
    Ordinary,
    /// It may not be left attacked; mate loses.
    Royal,
    /// It has [`PawnRules`], promotes, and resets the count of moves without progress.
    Pawn,
    /// It has no owner, blocks everything and cannot be taken: the duck.
    Neutral,
}

/// One direction of movement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Primitive {
    /// Whether it moves, captures or both.
    pub modality: Modality,
    /// Only for a piece that has not moved yet.
    pub initial: bool,
    /// The step, white's `(files, ranks)`.
    pub offset: (i8, i8),
    /// How the step is taken.
    pub path: Path,
}

/// The effects that a primitive allows at its destination.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Modality {
    /// Go to an empty square.
    Move,
    /// Take an enemy piece.
    Capture,
    /// Both.
    Both,
}

/// The path of a primitive from origin to destination.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Path {
    /// Jumps straight to the offset.
    Leap,
    /// Jumps to the offset if the square at `via` (also an offset from the start) exists and is empty.
    Lame {
        /// The square that must be empty.
        via: (i8, i8),
    },
    /// Repeats the offset over empty squares, at most `max` times (0: without limit).
    Ride {
        /// Maximum number of repetitions; 0 for no limit.
        max: u8,
    },
    /// Repeats the offset up to the first piece of either colour and jumps over it.
    Hop {
        /// True: lands on the square right behind the hurdle (grasshopper). False: goes on from there like a
        /// rider (cannon).
        beside: bool,
    },
}

/// Rules for pawns, besides their moves.
#[derive(Debug, Clone, PartialEq)]
pub struct PawnRules {
    /// The start squares of a double step: the forward one-step move twice in a row over empty squares (a sideways
    /// or backward step is never doubled).
    pub double_step: DoubleStep,
    /// Whether a pawn can be captured on the square that its double step passed.
    pub en_passant: bool,
    /// Passed squares that allow a capture en passant, per colour of the pawn that passed; empty means all.
    pub en_passant_squares: [Vec<Square>; 2],
}

/// The start squares of double steps.
#[derive(Debug, Clone, PartialEq)]
pub enum DoubleStep {
    /// Nowhere.
    Never,
    /// From these squares, per colour.
    Squares([Vec<Square>; 2]),
    /// From anywhere while it has not moved.
    Unmoved,
}

/// How pawns promote.
#[derive(Debug, Clone, PartialEq)]
pub struct Promotion {
    /// The promotion squares.
    pub region: PromotionRegion,
    /// The kinds to choose from, in the order of the action index (orthodox: queen, rook, bishop, knight).
    pub choices: Vec<PieceKind>,
    /// Kinds that a colour cannot choose, per colour (chigorin's sides promote to different pieces).
    pub denied: [Vec<PieceKind>; 2],
    /// A choice is open only while its side has fewer than this many pieces of the kind on the board; 0: always.
    pub limit: u8,
    /// Whether a pawn that reaches the region must promote.
    pub mandatory: bool,
}

/// The promotion squares of pawns.
#[derive(Debug, Clone, PartialEq)]
pub enum PromotionRegion {
    /// On these squares, per colour.
    Squares([Vec<Square>; 2]),
    /// On the last square before the edge or a hole, along the pawn's file.
    EndOfColumn,
}

/// Castling.
#[derive(Debug, Clone, PartialEq)]
pub struct Castling {
    /// The kind that castles.
    pub king: PieceKind,
    /// The kinds it castles with.
    pub rooks: Vec<PieceKind>,
    /// The destinations of king and rook.
    pub rule: CastlingRule,
    /// Whether the king may castle out of, through and into attack (allowed if it is not royal).
    pub through_attack: bool,
}

/// The destinations of king and rook in castling.
#[derive(Debug, Clone, PartialEq)]
pub enum CastlingRule {
    /// To fixed files of their rank. All squares they cross must be empty except for the two pieces. Rights belong
    /// to single rooks.
    Files {
        /// Files of (king, rook) after castling with a rook to the king's right.
        right: (u8, u8),
        /// Files of (king, rook) after castling with a rook to the king's left.
        left: (u8, u8),
    },
    /// An unmoved king goes two squares toward any unmoved rook in line, with at least two empty squares between
    /// them. The rook lands on the square that the king crossed.
    TwoSquares {
        /// Whether this also works along the file.
        vertical: bool,
    },
}

/// Rules that forbid moves.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Filters {
    /// Kinds that may not go to the listed squares, per colour.
    pub forbidden: Vec<(PieceKind, [Vec<Square>; 2])>,
    /// A side that can capture must do so.
    pub must_capture: bool,
    /// A side with a pseudo-legal capture en passant must capture en passant; legality is tested afterwards.
    pub must_en_passant: bool,
    /// No move may give check.
    pub no_checks: bool,
}

/// Rules that add moves.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Generators {
    /// Two own pieces merge into one.
    pub merges: Vec<Merge>,
    /// A pawn appears under an enemy piece.
    pub summon: Option<Summon>,
    /// A piece captures over blockers.
    pub leap_captures: Vec<LeapCapture>,
    /// Two own pieces swap and capture the pieces between them.
    pub swap_captures: Vec<SwapCapture>,
    /// A piece splits into three.
    pub split: Option<Split>,
}

/// `mover` may go to the square of an own `onto` that it could capture if it were an enemy; they become `into`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Merge {
    /// The kind that moves.
    pub mover: PieceKind,
    /// The kind at the destination.
    pub onto: PieceKind,
    /// The merged kind.
    pub into: PieceKind,
}

/// While an enemy piece is on `square` (the same square for both colours), the side to move may replace it with an
/// own `kind`, as its move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Summon {
    /// The square.
    pub square: Square,
    /// The kind that appears.
    pub kind: PieceKind,
}

/// An unmoved `kind` may take any enemy `victim` on its file over all blockers; a hole stops it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeapCapture {
    /// The kind that moves.
    pub kind: PieceKind,
    /// The kind that it captures.
    pub victim: PieceKind,
}

/// Two own `kind`, `distance` apart on a rank or file with only enemy pieces between them, swap and capture these
/// enemies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SwapCapture {
    /// The kind that swaps.
    pub kind: PieceKind,
    /// The distance between the two pieces.
    pub distance: u8,
}

/// A `kind` splits along an empty orthogonal run that ends at the edge, a hole or an own piece, if the run has at
/// least as many squares as there are parts. The parts appear on the last squares of the run, the last part on the
/// last one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// The kind that splits.
    pub kind: PieceKind,
    /// The parts, from the inside out.
    pub into: Vec<PieceKind>,
}

/// Effects after a move.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Effects {
    /// A piece appears on the square that another left.
    pub spawn_behind: Option<SpawnBehind>,
    /// Captures blow up the square, the capturer and all neighbours but `immune` kinds.
    pub blast: Option<Blast>,
    /// Kinds that turn into a wall when they capture.
    pub petrify: Vec<PieceKind>,
}

/// An enemy `spawn` appears on the square that a `mover` left, if an enemy `watcher` is directly next to this
/// square, opposite to the direction of the move. The move may be by any vector. The new piece may double-step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpawnBehind {
    /// The kind that moves.
    pub mover: PieceKind,
    /// The kind that must be behind the origin.
    pub watcher: PieceKind,
    /// The kind that appears.
    pub spawn: PieceKind,
}

/// An explosion on every capture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blast {
    /// Kinds that survive next to the explosion (not in its centre).
    pub immune: Vec<PieceKind>,
}

/// Pieces in hand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drops {
    /// The kinds that can be held and dropped, in the order of the action index.
    pub kinds: Vec<PieceKind>,
    /// Whether captured pieces go to the capturer's hand; promoted pieces go there as pawns.
    pub captures_to_hand: bool,
    /// Squares on which a kind may not be dropped, per colour.
    pub forbidden: Vec<(PieceKind, [Vec<Square>; 2])>,
}

/// Turn order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Turn {
    /// After every move the side to move puts this neutral kind on another empty square.
    pub place: Option<PieceKind>,
    /// A pawn that promotes to this kind moves once more at once; having no such move is stalemate.
    pub boost: Option<PieceKind>,
    /// A side may pass.
    pub pass: bool,
}

impl Variant {
    /// Leaves draws unclaimed: a repetition ends the game two occurrences later than otherwise, and moves without progress
    /// after half as many more. From threefold and 50 moves this makes fivefold and 75, as in the laws of FIDE.
    pub(crate) fn leave_draws_unclaimed(&mut self) {
        for rule in &mut self.end {
            match &mut rule.when {
                EndWhen::Repetition(count) => *count = count.saturating_add(2),
                EndWhen::MovesWithoutProgress(count) => *count = count.saturating_add(*count / 2),
                _ => {}
            }
        }
    }
}

/// One way to end a game.
#[derive(Debug, Clone, PartialEq)]
pub struct EndRule {
    /// The condition.
    pub when: EndWhen,
    /// The result for the side that the condition refers to.
    pub value: SideResult,
}

/// A result from the point of view of one side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SideResult {
    /// It wins.
    Win,
    /// It loses.
    Loss,
    /// A draw.
    Draw,
}

/// The condition of an end rule.
#[derive(Debug, Clone, PartialEq)]
pub enum EndWhen {
    /// The side to move has no legal move and its royal is attacked.
    Mate,
    /// The side to move has no legal move and its royal is not attacked (or it has none).
    Stalemate,
    /// A side has at most `count` pieces of the listed kinds together (all kinds if empty). With `each`, at
    /// most `count` of any one listed kind.
    Extinct {
        /// The kinds.
        kinds: Vec<PieceKind>,
        /// The largest number that meets the condition.
        count: u8,
        /// Whether every kind is counted separately.
        each: bool,
        /// The side with few pieces; `None` for either.
        side: Option<u8>,
        /// Spares a side that just reached this count if its next move brings the enemy down to the count too
        /// (shatranj's bare king).
        reply: bool,
    },
    /// A piece of `kind` is on one of its colour's squares.
    Reach {
        /// The kind.
        kind: PieceKind,
        /// The squares, per colour.
        squares: [Vec<Square>; 2],
        /// If white gets there first, black has one more move to do so too, and both there is a draw.
        reply: bool,
    },
    /// A side has given this many checks. (The result is about this side.)
    Checks(u8),
    /// This many pieces attack the royal of a side right after the enemy's move. (The result is about the attacked
    /// side.)
    Checkers(u8),
    /// The position occurred this many times. (The value must be a draw.)
    Repetition(u8),
    /// Each side made this many moves without capture or pawn move. (A draw.)
    MovesWithoutProgress(u8),
    /// No sequence of moves mates, by material alone: bare kings, one knight or bishop in all, or only bishops that
    /// are all on squares of one colour. Blocked pawns are not examined. (A draw.)
    DeadPosition,
    /// Two royal pieces are left, and nothing else on the board or in hand. (A draw.)
    BareKings,
}
