//! Action indices of moves.
//!
//! All indices are relative to the mover: for black the board is mirrored, rank 1 for rank 8, so that pawns always
//! go up. `N` is the number of squares, holes included.
//!
//! ```text
//! flat (any variant)
//! 0            N*N              + pairs*choices    + 4N          + N*K          + 2
//! |  from*N+to  |   promotions   |  split (if any)  |  placements  |  pass, summon  |
//!
//! promotions   pair*choices + choice; pairs (from, to) in increasing order, choices in the variant's order
//! split        from*4 + direction: east, north, west, south from the mover's point of view
//! placements   slot*N + to; slots are the kinds in hand, or the neutral piece
//! special      pass, summon; only if the variant has either
//!
//! dense        the same, but only pairs (from, to) that are moves of some piece on an empty board are numbered
//!
//! az73         (orthodox chess, Chess960) from*73 + plane with from = file*8 + rank
//!              0..9 underpromotions (rook, bishop, knight) x (ahead, file+1, file-1)
//!              9..65 queen moves, 65..73 knight moves; see `az73.rs`
//! ```
//! Castling is the king's move to its destination. In Chess960, and where an ordinary step could have the same
//! destination, it is the king's move onto its rook.

mod az73;

use ludovec_engine::{ActionFamily, ActionLayout, ValueTables, table};

use crate::exchange::notation::square_names::square_name;
use crate::rules::board::bitboard::Bitboard;
use crate::rules::board::moves::{Move, MoveKind};
use crate::rules::board::position::{MoveRules, Position, kind};
use crate::rules::tables::Tables;
use crate::rules::variant::schema::{CastlingRule, PieceKind, Square};

/// The numbering of the actions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ActionView {
    /// `from*N+to` and the further ranges.
    Flat,
    /// Only the pairs (from, to) that are moves of some piece on an empty board.
    Dense,
    /// AlphaZero's planes.
    Az73,
}

/// Consecutive indices for a set of targets of one square.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Run<B> {
    /// The targets.
    targets: B,
    /// Index of the first target.
    base: u32,
}

impl<B: Bitboard> Run<B> {
    /// Index of `to`, which must be one of the targets.
    #[inline]
    pub(super) fn index(&self, to: Square) -> u32 {
        let below = B::square(to).words();
        let [low, high] = self.targets.words();
        let count = if below[0] != 0 {
            (low & (below[0] - 1)).count_ones()
        } else {
            low.count_ones() + (high & (below[1] - 1)).count_ones()
        };
        self.base + count
    }
    fn len(&self) -> u32 {
        self.targets.count()
    }
    /// The target with this index.
    fn target(&self, index: u32) -> Option<Square> {
        self.targets.squares().nth(index.checked_sub(self.base)? as usize)
    }
}

/// The kind of actions in a family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Family {
    Move,
    Promotion,
    Split,
    Place,
    Special,
}

impl Family {
    /// Its name in the spec.
    fn name(self) -> &'static str {
        match self {
            Self::Move => "move",
            Self::Promotion => "promotion",
            Self::Split => "split",
            Self::Place => "place",
            Self::Special => "special",
        }
    }
}

/// The numbering of one variant.
#[derive(Debug, Clone)]
pub(super) struct Actions<B: Bitboard> {
    pub(super) view: ActionView,
    families: Vec<ActionFamily>,
    /// Kind and first index of each of `families`.
    offsets: Vec<(Family, u32)>,
    len: u32,
    pub(super) squares: u32,
    width: u8,
    height: u8,
    /// By square: targets of the dense numbering.
    pairs: B::PerSquare<Run<B>>,
    /// By square: promotions, as pairs.
    pub(super) promoting: B::PerSquare<Run<B>>,
    pub(super) choices: Vec<PieceKind>,
    pub(super) promotions: u32,
    splits: u32,
    pub(super) placements: u32,
    slots: Vec<PieceKind>,
    special: u32,
    /// Whether castling is written king-takes-rook.
    castle_by_rook: bool,
}

impl<B: Bitboard> Actions<B> {
    pub(super) fn new(tables: &Tables<B>, view: ActionView) -> Self {
        let v = &tables.variant;
        let n = tables.squares as u32;
        let mut layout = ActionLayout::default();
        let mut pairs = B::per_square(Run::default());
        let mut promoting = B::per_square(Run::default());
        let (mut dense, mut promotion_pairs) = (0, 0);
        for from in tables.board.squares() {
            let (all, into_zone) = tables.reachable(from);
            pairs[from] = Run { targets: all, base: dense };
            promoting[from] = Run { targets: into_zone, base: promotion_pairs };
            dense += pairs[from].len();
            promotion_pairs += promoting[from].len();
        }
        let choices = tables.pawn.choices.clone();
        let mut slots: Vec<PieceKind> = v.drops.as_ref().map_or_else(Vec::new, |d| d.kinds.clone());
        slots.extend(v.turn.place);
        let mut actions = Self {
            view,
            families: Vec::new(),
            offsets: Vec::new(),
            len: 0,
            squares: n,
            width: v.width,
            height: v.height,
            pairs,
            promoting,
            promotions: 0,
            splits: 0,
            placements: 0,
            special: 0,
            castle_by_rook: castle_by_rook(tables),
            choices,
            slots,
        };
        let mut offsets = Vec::new();
        let mut push = |family: Family, count: u32, meaning: &str, shape: &[u32], tables: &[&str]| {
            let offset = layout.push(family.name(), count, meaning);
            layout.name(shape, tables);
            offsets.push((family, offset));
            offset
        };
        if view == ActionView::Az73 {
            push(
                Family::Move,
                64 * az73::PLANES,
                "from*73 + plane, from = file*8 + rank, as the mover sees the board",
                &[64, az73::PLANES],
                &["square_by_file", "plane"],
            );
        } else {
            if view == ActionView::Flat {
                push(
                    Family::Move,
                    n * n,
                    "from*N + to, as the mover sees the board (rank*width + file)",
                    &[n, n],
                    &["square", "square"],
                );
            } else {
                push(
                    Family::Move,
                    dense,
                    "the pairs (from, to) some piece could go, in increasing order",
                    &[],
                    &["pair"],
                );
            }
            let count = promotion_pairs * actions.choices.len() as u32;
            if count > 0 {
                actions.promotions = push(
                    Family::Promotion,
                    count,
                    "pair * choices + choice",
                    &[promotion_pairs, actions.choices.len() as u32],
                    &["promotion_pair", "promotion_choice"],
                );
            }
            if v.generators.split.is_some() {
                actions.splits = push(
                    Family::Split,
                    4 * n,
                    "from*4 + direction: east, north, west, south",
                    &[n, 4],
                    &["square", "direction"],
                );
            }
            if !actions.slots.is_empty() {
                let count = n * actions.slots.len() as u32;
                actions.placements = push(
                    Family::Place,
                    count,
                    "slot*N + to: a piece in hand, or the neutral one",
                    &[actions.slots.len() as u32, n],
                    &["slot", "square"],
                );
            }
            if v.turn.pass || v.generators.summon.is_some() {
                actions.special = push(Family::Special, 2, "pass, summon", &[], &["special"]);
            }
        }
        actions.len = layout.len();
        actions.families = layout.into_families();
        actions.offsets = offsets;
        actions
    }

    pub(super) fn len(&self) -> u32 {
        self.len
    }
    pub(super) fn families(&self) -> &[ActionFamily] {
        &self.families
    }

    /// The tables that name the indices of the families.
    pub(super) fn tables(&self, tables: &Tables<B>) -> ValueTables {
        let v = &tables.variant;
        let square = |square: Square| square_name(v, square);
        let kind = |&kind: &PieceKind| v.pieces[usize::from(kind)].name.clone();
        let pairs = |runs: &B::PerSquare<Run<B>>| {
            let of = |from: Square| runs[from].targets.squares().map(move |to| (from, to));
            let pairs = (0..self.squares as Square).flat_map(of);
            pairs.map(|(from, to)| square(from) + &square(to)).collect::<Vec<_>>()
        };
        let mut all = ValueTables::new();
        for family in &self.families {
            for name in family.values.tables() {
                all.extend(match name {
                    "pair" => Some(table(name, pairs(&self.pairs))),
                    "promotion_pair" => Some(table(name, pairs(&self.promoting))),
                    "promotion_choice" => Some(table(name, self.choices.iter().map(kind))),
                    "direction" => Some(table(name, ["east", "north", "west", "south"])),
                    "slot" => Some(table(name, self.slots.iter().map(kind))),
                    "special" => Some(table(name, ["pass", "summon"])),
                    "square_by_file" => {
                        Some(table(name, (0..64).map(|number| square(az73::from_file_major(number)))))
                    }
                    "plane" => Some(table(name, (0..az73::PLANES).map(az73::plane_name))),
                    _ => None,
                });
            }
        }
        all
    }

    /// A square, mirrored for black.
    #[inline]
    pub(super) fn flip(&self, turn: usize, square: Square) -> Square {
        if turn == 0 {
            return square;
        }
        let rank = square / self.width;
        (self.height - 1 - rank) * self.width + square % self.width
    }

    /// A set of squares, mirrored for black.
    #[inline]
    pub(super) fn flip_set(&self, turn: usize, set: B) -> B {
        if turn == 0 {
            return set;
        }
        if self.width == 8 && self.height == 8 {
            return B::from_words([set.words()[0].swap_bytes(), 0]);
        }
        set.squares().fold(B::EMPTY, |flipped, square| flipped | B::square(self.flip(turn, square)))
    }

    /// The index of a move of `position`.
    pub(super) fn encode<R: MoveRules<Bits = B>>(
        &self,
        tables: &Tables<B>,
        position: &Position<R>,
        mv: Move,
    ) -> u32 {
        let turn = position.turn();
        let shown = match mv.what {
            MoveKind::Castle if !self.castle_by_rook => {
                let landing = position.castle_squares(tables, mv).map(|squares| squares.0);
                landing.filter(|&landing| castles_far(tables, turn, mv.from, landing)).unwrap_or(mv.to)
            }
            _ => mv.to,
        };
        let (from, to) = (self.flip(turn, mv.from), self.flip(turn, shown));
        match mv.what {
            MoveKind::Promote(kind) => self.encode_promotion(from, to, kind),
            MoveKind::Split(direction) => {
                let seen = if turn == 1 && direction % 2 == 1 { direction ^ 2 } else { direction };
                self.splits + u32::from(from) * 4 + u32::from(seen)
            }
            MoveKind::Drop(kind) => {
                let slot = self.slots.iter().position(|&k| k == kind).unwrap_or(0) as u32;
                self.placements + slot * self.squares + u32::from(to)
            }
            MoveKind::Place => self.placements + (self.slots.len() as u32 - 1) * self.squares + u32::from(to),
            MoveKind::Pass => self.special,
            MoveKind::Summon => self.special + 1,
            _ => self.encode_pair(from, to),
        }
    }

    #[inline]
    fn encode_pair(&self, from: Square, to: Square) -> u32 {
        match self.view {
            ActionView::Flat => u32::from(from) * self.squares + u32::from(to),
            ActionView::Dense => self.pairs[from].index(to),
            ActionView::Az73 => az73::file_major(from) * az73::PLANES + az73::plane(from, to),
        }
    }

    #[inline]
    fn encode_promotion(&self, from: Square, to: Square, kind: PieceKind) -> u32 {
        if self.view == ActionView::Az73 {
            if kind == kind::QUEEN {
                return self.encode_pair(from, to);
            }
            return az73::file_major(from) * az73::PLANES + az73::underpromotion(from, to, kind);
        }
        let choice = self.choices.iter().position(|&k| k == kind).unwrap_or(0) as u32;
        self.promotions + self.promoting[from].index(to) * self.choices.len() as u32 + choice
    }

    /// The move of an index in `position`; `None` if the index has no move. A legal index always gives its move; an
    /// illegal index may give an illegal move.
    #[inline]
    pub(super) fn decode<R: MoveRules<Bits = B>>(
        &self,
        tables: &Tables<B>,
        position: &Position<R>,
        action: u32,
    ) -> Option<Move> {
        let turn = position.turn();
        if action >= self.len {
            return None;
        }
        if self.view == ActionView::Az73 {
            let (from, plane) = ((action / az73::PLANES) as Square, action % az73::PLANES);
            let from = az73::from_file_major(from);
            let (to, under) = az73::target(from, plane)?;
            let (from, to) = (self.flip(turn, from), self.flip(turn, to));
            return match under {
                Some(kind) => Some(Move { from, to, what: MoveKind::Promote(kind) }),
                None => {
                    let promotes = tables.pawn.zone[turn].has(to) && position.pawns(tables).has(from);
                    let what = if promotes {
                        MoveKind::Promote(kind::QUEEN)
                    } else {
                        return self.read_pair(tables, position, from, to);
                    };
                    Some(Move { from, to, what })
                }
            };
        }
        if self.view == ActionView::Flat && action < self.squares * self.squares {
            // Division by the constant 64 compiles to a shift; division by a number known only at run time is slow.
            let squares = if R::ORTHODOX { 64 } else { self.squares };
            let (from, to) = ((action / squares) as Square, (action % squares) as Square);
            return self.read_pair(tables, position, self.flip(turn, from), self.flip(turn, to));
        }
        let &(family, offset) = self.offsets.iter().rfind(|&&(_, offset)| offset <= action)?;
        let index = action - offset;
        match family {
            Family::Move => {
                let (from, to) = self.find(&self.pairs, index)?;
                self.read_pair(tables, position, self.flip(turn, from), self.flip(turn, to))
            }
            Family::Promotion => {
                let choices = self.choices.len() as u32;
                let (from, to) = self.find(&self.promoting, index / choices)?;
                let kind = self.choices[(index % choices) as usize];
                let (from, to) = (self.flip(turn, from), self.flip(turn, to));
                Some(Move { from, to, what: MoveKind::Promote(kind) })
            }
            Family::Split => {
                let (from, seen) = (self.flip(turn, (index / 4) as Square), (index % 4) as u8);
                let direction = if turn == 1 && seen % 2 == 1 { seen ^ 2 } else { seen };
                let to = position.split_end(tables, from, direction)?;
                Some(Move { from, to, what: MoveKind::Split(direction) })
            }
            Family::Place => {
                let (slot, to) =
                    ((index / self.squares) as usize, self.flip(turn, (index % self.squares) as Square));
                let neutral = tables.variant.turn.place.is_some() && slot + 1 == self.slots.len();
                let what = if neutral { MoveKind::Place } else { MoveKind::Drop(self.slots[slot]) };
                Some(Move { from: to, to, what })
            }
            Family::Special if index == 0 => Some(Move { from: 0, to: 0, what: MoveKind::Pass }),
            Family::Special => {
                let square = tables.variant.generators.summon?.square;
                Some(Move { from: square, to: square, what: MoveKind::Summon })
            }
        }
    }

    fn find(&self, runs: &B::PerSquare<Run<B>>, index: u32) -> Option<(Square, Square)> {
        (0..self.squares as Square).find_map(|from| {
            let run = &runs[from];
            (index >= run.base && index < run.base + run.len()).then(|| Some((from, run.target(index)?)))?
        })
    }

    /// The move of the piece on `from` to `to`, with its kind (double step, en passant, castling, ...).
    #[inline]
    fn read_pair<R: MoveRules<Bits = B>>(
        &self,
        tables: &Tables<B>,
        position: &Position<R>,
        from: Square,
        to: Square,
    ) -> Option<Move> {
        let turn = position.turn();
        let own = position.own();
        if R::ORTHODOX && !(position.of(kind::PAWN) | position.of(kind::KING)).has(from) {
            return position.occupied().has(from).then_some(Move { from, to, what: MoveKind::Plain });
        }
        let kind = position.kind_at(from)?;
        let pawn = if R::ORTHODOX { kind == kind::PAWN } else { tables.pawn.kind == Some(kind) };
        if pawn {
            let takes = position.en_passant.has(to) && tables.pawn.takers[turn][to].has(from);
            let what =
                if takes { MoveKind::EnPassant } else { position.plain_or_double_step(tables, from, to) };
            return Some(Move { from, to, what });
        }
        let castling = tables.variant.castling.as_ref();
        if castling.is_some_and(|c| c.king == kind) {
            if self.castle_by_rook {
                let rooks = position.rights | position.unmoved;
                if (own & rooks).has(to) {
                    return Some(Move { from, to, what: MoveKind::Castle });
                }
            } else if own.has(to)
                && (position.rights | position.unmoved).has(to)
                && let mv = (Move { from, to, what: MoveKind::Castle })
                && let Some((landing, _)) = position.castle_squares(tables, mv)
                && !castles_far(tables, turn, from, landing)
            {
                return Some(mv);
            } else if !tables.king_steps(from, turn).has(to) {
                if let Some(rook) = position.castling_rook(tables, from, to) {
                    return Some(Move { from, to: rook, what: MoveKind::Castle });
                }
                if !R::HOOKED {
                    return None;
                }
            }
        }
        let mut what = MoveKind::Plain;
        if !R::ORTHODOX && own.has(to) {
            what = if position.kind_at(to) == Some(kind) { MoveKind::Swap } else { MoveKind::Merge };
        }
        Some(Move { from, to, what })
    }
}

/// Whether the king lands where no step leads, so that only castling can have this destination.
fn castles_far<B: Bitboard>(tables: &Tables<B>, turn: usize, from: Square, landing: Square) -> bool {
    landing != from && !tables.king_steps(from, turn).has(landing)
}

/// Whether castling is always written as the king taking its rook: in Chess960, and in variants where a king could
/// land next to its square.
fn castle_by_rook<B: Bitboard>(tables: &Tables<B>) -> bool {
    let v = &tables.variant;
    v.chess960
        || v.castling.as_ref().is_some_and(|castling| match castling.rule {
            CastlingRule::Files { right, left } => {
                // The king starts between the two files it castles to, two or more squares from either.
                right.0 < left.0 + 4
            }
            CastlingRule::TwoSquares { .. } => false,
        })
}
