//! What a variant is, as plain validated data: the parser fills it in from a file, the compiler turns it
//! into tables.
//!
//! Conventions: a square is `rank * width + file`, a1 is 0. Offsets are `(files, ranks)` as white sees them;
//! black's are mirrored in the rank. A piece kind is an index into [`Variant::pieces`]. Whatever is given
//! for both colours is `[white, black]`.

/// A square of the board: `rank * width + file`, counted from a1.
pub type Square = u8;
/// An index into [`Variant::pieces`].
pub type PieceKind = u8;
/// A set of kinds; bit `k` is kind `k`.
pub(crate) type KindSet = u16;
/// Most kinds of pieces a variant may have.
pub const MAX_KINDS: usize = 12;
/// Most squares a board may have, holes included.
pub const MAX_SQUARES: usize = 128;
/// Longest side of a board.
pub const MAX_SIDE: u8 = 16;

/// A variant of chess, complete and checked for form; what its parts mean together is the compiler's concern.
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
    /// Where a game starts, as a FEN that the notation of this variant reads.
    pub start: String,
    /// Whether castling rights name rooks by file and castling is written king-takes-rook.
    pub chess960: bool,
    /// The kinds of pieces.
    pub pieces: Vec<Piece>,
    /// What the kinds with [`Role::Pawn`] can do besides their moves.
    pub pawn: PawnRules,
    /// Promotion of pawns; `None` when pawns stay pawns.
    pub promotion: Option<Promotion>,
    /// Castling; `None` when there is none.
    pub castling: Option<Castling>,
    /// What takes moves away.
    pub filters: Filters,
    /// What adds moves that are not a piece's own.
    pub generators: Generators,
    /// What happens after a move.
    pub effects: Effects,
    /// Pieces in hand; `None` when nothing is dropped.
    pub drops: Option<Drops>,
    /// Who moves when.
    pub turn: Turn,
    /// How games end. The first rule that holds decides.
    pub end: Vec<EndRule>,
}

/// A kind of piece.
#[derive(Debug, Clone, PartialEq)]
pub struct Piece {
    /// The letter of FEN, upper case; black's is the lower case one.
    pub letter: char,
    /// Its name in words, lower case.
    pub name: String,
    /// What its letter stands for in play.
    pub role: Role,
    /// Its moves.
    pub moves: Vec<Primitive>,
}

/// What the rules treat a kind as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// An ordinary piece.
    Ordinary,
    /// It may not be left attacked; being mated loses.
    Royal,
    /// It has [`PawnRules`], promotes, and resets the count of moves without progress.
    Pawn,
    /// It belongs to nobody, blocks everything and cannot be taken: the duck.
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

/// What a primitive may do at its destination.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Modality {
    /// Go to an empty square.
    Move,
    /// Take an enemy piece.
    Capture,
    /// Both.
    Both,
}

/// How a primitive gets from here to there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Path {
    /// Jumps straight to the offset.
    Leap,
    /// Jumps to the offset if the square at `via` (an offset from the start too) is there and empty.
    Lame {
        /// The square that must be empty.
        via: (i8, i8),
    },
    /// Repeats the offset over empty squares, at most `max` times (0: without limit).
    Ride {
        /// Most repetitions; 0 for no limit.
        max: u8,
    },
    /// Repeats the offset up to the first piece of either colour, which is jumped.
    Hop {
        /// True: lands on the square right behind the hurdle (grasshopper). False: goes on from there like a
        /// rider (cannon).
        beside: bool,
    },
}

/// What pawns do besides their moves.
#[derive(Debug, Clone, PartialEq)]
pub struct PawnRules {
    /// From where a pawn may make its forward one-step move twice in a row over empty squares (a sideways or
    /// backward step is never doubled).
    pub double_step: DoubleStep,
    /// Whether a double step can be taken on the square that was passed.
    pub en_passant: bool,
    /// Passed squares on which that is possible, per colour of the pawn that passed; empty means all.
    pub en_passant_squares: [Vec<Square>; 2],
}

/// From where a pawn may move twice.
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
    /// Where.
    pub region: PromotionRegion,
    /// Into what, in the order of the action index (orthodox: queen, rook, bishop, knight).
    pub choices: Vec<PieceKind>,
    /// Choices that a colour does not have, per colour (chigorin's sides promote to different pieces).
    pub denied: [Vec<PieceKind>; 2],
    /// A choice is open only while its side has fewer than this many of it on the board; 0: always.
    pub limit: u8,
    /// Whether a pawn that reaches the region must promote.
    pub mandatory: bool,
}

/// Where pawns promote.
#[derive(Debug, Clone, PartialEq)]
pub enum PromotionRegion {
    /// On these squares, per colour.
    Squares([Vec<Square>; 2]),
    /// On the last square before the edge or a hole as the pawn goes up its file.
    EndOfColumn,
}

/// Castling.
#[derive(Debug, Clone, PartialEq)]
pub struct Castling {
    /// The kind that castles.
    pub king: PieceKind,
    /// The kinds it castles with.
    pub rooks: Vec<PieceKind>,
    /// Where the two go.
    pub rule: CastlingRule,
    /// Whether the king may castle out of, through and into attack (it may where it is not royal).
    pub through_attack: bool,
}

/// Where king and rook go in castling.
#[derive(Debug, Clone, PartialEq)]
pub enum CastlingRule {
    /// To fixed files of their rank, all squares they cross empty but for themselves. Rights belong to single
    /// rooks.
    Files {
        /// Files of (king, rook) after castling with a rook to the king's right.
        right: (u8, u8),
        /// Files of (king, rook) after castling with a rook to the king's left.
        left: (u8, u8),
    },
    /// An unmoved king goes two squares toward any unmoved rook in line, at least two empty squares between
    /// them; the rook lands on the square the king crossed.
    TwoSquares {
        /// Whether it works along the file too, besides the rank.
        vertical: bool,
    },
}

/// What takes moves away.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Filters {
    /// Kinds that may not go to the listed squares, per colour.
    pub forbidden: Vec<(PieceKind, [Vec<Square>; 2])>,
    /// A side that can capture must.
    pub must_capture: bool,
    /// A side that can capture en passant must, legality being judged afterwards.
    pub must_en_passant: bool,
    /// No move may give check.
    pub no_checks: bool,
}

/// What adds moves.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Generators {
    /// Two own pieces become one.
    pub merges: Vec<Merge>,
    /// A pawn appears under an enemy piece.
    pub summon: Option<Summon>,
    /// A piece takes over blockers.
    pub leap_captures: Vec<LeapCapture>,
    /// Two own pieces swap and take what is between.
    pub swap_captures: Vec<SwapCapture>,
    /// A piece becomes three.
    pub split: Option<Split>,
}

/// `mover` may go onto an own `onto` it could capture if that were an enemy; they become `into`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Merge {
    /// What moves.
    pub mover: PieceKind,
    /// What it moves onto.
    pub onto: PieceKind,
    /// What they become.
    pub into: PieceKind,
}

/// While an enemy piece stands on `square` (a white pawn's and a black pawn's the same), the mover may
/// replace it by an own `kind` as its move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Summon {
    /// Where.
    pub square: Square,
    /// What appears.
    pub kind: PieceKind,
}

/// An unmoved `kind` may take any enemy `victim` on its file over all blockers; a hole stops it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeapCapture {
    /// What moves.
    pub kind: PieceKind,
    /// What it takes.
    pub victim: PieceKind,
}

/// Two own `kind`, `distance` apart on a rank or file with nothing but enemy pieces between, swap and take
/// those.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SwapCapture {
    /// What swaps.
    pub kind: PieceKind,
    /// How far apart they stand.
    pub distance: u8,
}

/// A `kind` with an empty orthogonal run of length d >= the number of parts, which ends at the edge, a hole
/// or an own piece, goes; the parts appear on the last squares of the run, the last part on the last one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// What goes.
    pub kind: PieceKind,
    /// What appears, outward.
    pub into: Vec<PieceKind>,
}

/// What happens after a move.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Effects {
    /// A piece appears where another left.
    pub spawn_behind: Option<SpawnBehind>,
    /// Captures blow up the square, the capturer and all neighbours but `immune` kinds.
    pub blast: Option<Blast>,
    /// Kinds that turn into a wall when they capture.
    pub petrify: Vec<PieceKind>,
}

/// When `mover` moves by any vector and an enemy `watcher` stands directly next to where it left, opposite
/// to the direction of the move, an enemy `spawn` appears on the square it left. It may double-step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpawnBehind {
    /// What moves.
    pub mover: PieceKind,
    /// What must stand behind.
    pub watcher: PieceKind,
    /// What appears.
    pub spawn: PieceKind,
}

/// An explosion on every capture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blast {
    /// Kinds that survive next to it (not in its centre).
    pub immune: Vec<PieceKind>,
}

/// Pieces in hand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drops {
    /// What can be held and dropped, in the order of the action index.
    pub kinds: Vec<PieceKind>,
    /// Whether captured pieces go to the capturer's hand; promoted ones as what they were.
    pub captures_to_hand: bool,
    /// Squares on which a kind may not be dropped, per colour.
    pub forbidden: Vec<(PieceKind, [Vec<Square>; 2])>,
}

/// Who moves when.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Turn {
    /// After every move the mover puts this neutral kind on another empty square.
    pub place: Option<PieceKind>,
    /// A pawn that promotes to this kind moves on at once, once; having no move is stalemate.
    pub boost: Option<PieceKind>,
    /// A side may pass.
    pub pass: bool,
}

/// One way a game ends.
#[derive(Debug, Clone, PartialEq)]
pub struct EndRule {
    /// When.
    pub when: EndWhen,
    /// The result for the side the condition is about.
    pub value: SideResult,
}

/// A result as one side sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SideResult {
    /// It wins.
    Win,
    /// It loses.
    Loss,
    /// A draw.
    Draw,
}

/// When a game ends.
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
        /// Largest number that is too few.
        count: u8,
        /// Whether every kind is counted for itself.
        each: bool,
        /// Whose side; `None` for either.
        side: Option<u8>,
        /// A side that just reached this is spared when its next move brings the enemy down to it too
        /// (shatranj's bare king).
        reply: bool,
    },
    /// A piece of `kind` stands on one of its colour's squares.
    Reach {
        /// The kind.
        kind: PieceKind,
        /// The squares, per colour.
        squares: [Vec<Square>; 2],
        /// When white gets there first, black has one more move to do so too, which draws.
        reply: bool,
    },
    /// A side has given this many checks. (About the side that gave them.)
    Checks(u8),
    /// This many pieces attack the royal of a side right after the enemy's move. (About the attacked side.)
    Checkers(u8),
    /// The position occurred this many times. (The value must be a draw.)
    Repetition(u8),
    /// This many moves by each side went without capture and pawn move. (A draw.)
    MovesWithoutProgress(u8),
    /// No sequence of moves mates, judged by material: bare kings, one knight or bishop in all, or nothing
    /// but bishops, all on squares of one colour. (A draw.)
    DeadPosition,
}
