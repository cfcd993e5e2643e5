//! Compiles a variant to its tables, and checks that it is consistent.

use super::Tables;
use super::grid::Grid;
use super::movement::{Leap, Rider};
use super::pawns::Pawns;
use super::rays::{LINES, Rays};
use crate::exchange::notation::fen;
use crate::rules::board::bitboard::Bitboard;
use crate::rules::board::position::{NOWHERE, kind};
use crate::rules::variant::schema::{
    CastlingRule, DoubleStep, EndWhen, KindSet, MAX_KINDS, MAX_SIDE, MAX_SQUARES, Modality, Path, PieceKind,
    Primitive, Role, SideResult, Square, Variant,
};
use ludovec_engine::{Error, Result};

impl<B: Bitboard> Tables<B> {
    /// Compiles a variant.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] names the inconsistency.
    pub(crate) fn compile(variant: &Variant) -> Result<Self> {
        let refuse = |why: String| Err(Error::config(format!("variant {}: {why}", variant.name)));
        let (width, height) = (variant.width, variant.height);
        let squares = usize::from(width) * usize::from(height);
        if !(1..=MAX_SIDE).contains(&width) || !(1..=MAX_SIDE).contains(&height) || squares > MAX_SQUARES {
            return refuse(format!(
                "a board of {width}x{height}: sides up to {MAX_SIDE}, {MAX_SQUARES} cells in all"
            ));
        }
        if squares > B::SQUARES {
            return refuse(format!("{squares} cells do not fit {}", B::SQUARES));
        }
        if variant.pieces.is_empty() || variant.pieces.len() > MAX_KINDS {
            return refuse(format!("{} kinds of pieces: 1 to {MAX_KINDS} are allowed", variant.pieces.len()));
        }
        let grid = Grid { width: width as i8, height: height as i8, holes: &variant.holes };
        let mut board = B::EMPTY;
        for square in (0..squares as Square).filter(|c| !variant.holes.contains(c)) {
            board |= B::square(square);
        }
        if board.none() {
            return refuse("the board has no cells".into());
        }
        let kinds_with = |role| {
            (0..variant.pieces.len()).filter(move |&k| variant.pieces[k].role == role).map(|k| k as PieceKind)
        };
        for (role, word) in [(Role::Pawn, "pawn"), (Role::Royal, "royal"), (Role::Neutral, "neutral")] {
            if kinds_with(role).count() > 1 {
                return refuse(format!("{} {word} kinds: at most one is allowed", kinds_with(role).count()));
            }
        }
        let royal = kinds_with(Role::Royal).next();
        let pawn_kind = kinds_with(Role::Pawn).next();

        let pawn = Pawns::compile(variant, &grid, pawn_kind);
        let progress_returns = pawn.returns
            || variant.drops.as_ref().is_some_and(|drops| drops.captures_to_hand)
            || variant.generators.summon.is_some()
            || variant.generators.split.is_some()
            || variant.effects.spawn_behind.is_some();
        let mut tables = Self {
            variant: variant.clone(),
            squares,
            board,
            rays: B::per_square(Rays::default()),
            orthogonal: 0,
            diagonal: 0,
            leaps: Vec::new(),
            riders: Vec::new(),
            mixed: 0,
            pawn,
            royal,
            blast: variant.effects.blast.as_ref().map(|b| b.immune.iter().fold(0, |set, k| set | 1 << k)),
            pins: true,
            pawns_appear: variant.effects.spawn_behind.is_some() || variant.generators.split.is_some(),
            tracks_unmoved: false,
            droppable: Vec::new(),
            forbidden: [[B::EMPTY; MAX_KINDS]; 2],
            neighbours: B::per_square(B::EMPTY),
            start_squares: [B::EMPTY; 2],
            has_royal: [false; 2],
            starts_placed: false,
            knights: 0,
            bishops: 0,
            dark: B::EMPTY,
            stalemate: SideResult::Draw,
            mate: SideResult::Loss,
            repetition: 0,
            progress_returns,
            progress: 0,
            dead: false,
            bare_kings: false,
            counts_checks: false,
            ends_early: false,
        };
        tables.compile_geometry(&grid);
        tables.compile_pieces(&grid);
        tables.compile_rules();
        tables.compile_start()?;
        Ok(tables)
    }

    fn compile_start(&mut self) -> Result<()> {
        let setup = fen::parse(&self.variant, &self.variant.start)?;
        for (square, piece) in setup.board.iter().enumerate().filter_map(|(c, m)| m.map(|m| (c as Square, m)))
        {
            let colour = usize::from(piece.colour);
            self.start_squares[colour] |= B::square(square);
            self.has_royal[colour] |= self.royal == Some(piece.kind);
            self.starts_placed |= self.variant.turn.place == Some(piece.kind);
        }
        if self.pawns_appear {
            self.pawn.find_double_unmoved(self.start_squares);
        }
        Ok(())
    }

    fn compile_geometry(&mut self, grid: &Grid) {
        for square in self.board.squares() {
            for (i, &(df, dr)) in LINES.iter().enumerate() {
                let [lower, upper] = [(-df, -dr), (df, dr)].map(|step| {
                    let mut ray = B::EMPTY;
                    let mut at = grid.step(square, step);
                    while let Some(c) = at {
                        ray |= B::square(c);
                        at = grid.step(c, step);
                    }
                    ray
                });
                self.rays[square].line[i] = (lower, upper);
            }
            let around = (-1..=1).flat_map(|df| (-1..=1).map(move |dr| (df, dr)));
            for near in around.filter_map(|step| grid.step(square, step)) {
                self.neighbours[square] |= B::square(near);
            }
            if (square % grid.width as u8 + square / grid.width as u8).is_multiple_of(2) {
                self.dark |= B::square(square);
            }
        }
    }

    fn compile_pieces(&mut self, grid: &Grid) {
        let pieces = self.variant.pieces.clone();
        for (k, piece) in pieces.iter().enumerate() {
            let set: KindSet = 1 << k;
            let mut moves = piece.moves.clone();
            for (half, component) in [(0..2, &mut self.orthogonal), (2..4, &mut self.diagonal)] {
                let full: Vec<Primitive> = half
                    .flat_map(|i: usize| [LINES[i], (-LINES[i].0, -LINES[i].1)])
                    .map(|offset| Primitive {
                        modality: Modality::Both,
                        initial: false,
                        offset,
                        path: Path::Ride { max: 0 },
                    })
                    .collect();
                if full.iter().all(|p| moves.contains(p)) {
                    *component |= set;
                    moves.retain(|p| !full.contains(p));
                }
            }
            for modality in [Modality::Both, Modality::Move, Modality::Capture] {
                for initial in [false, true] {
                    let mut offsets: Vec<(i8, i8)> = moves
                        .iter()
                        .filter(|p| p.modality == modality && p.initial == initial && p.path == Path::Leap)
                        .filter(|p| piece.role != Role::Pawn || p.initial)
                        .map(|p| p.offset)
                        .collect();
                    offsets.sort_unstable();
                    offsets.dedup();
                    if !offsets.is_empty() {
                        self.add_leap(grid, set, modality, initial, offsets);
                    }
                }
            }
            for p in moves.iter().filter(|p| p.path != Path::Leap) {
                let table = |sign: i8, offset: (i8, i8)| {
                    let mut next = B::per_square(NOWHERE);
                    for square in self.board.squares() {
                        next[square] = grid.step(square, (offset.0, offset.1 * sign)).unwrap_or(NOWHERE);
                    }
                    next
                };
                let via = if let Path::Lame { via } = p.path { via } else { (0, 0) };
                let rider = Rider {
                    kinds: set,
                    modality: p.modality,
                    initial: p.initial,
                    path: p.path,
                    next: [table(1, p.offset), table(-1, p.offset)],
                    via: [table(1, via), table(-1, via)],
                };
                self.riders.push(rider);
            }
        }
        self.mixed = (0..pieces.len()).filter(|&k| self.is_mixed(1 << k)).fold(0, |set, k| set | 1 << k);
        let initial = self.leaps.iter().any(|l| l.initial) || self.riders.iter().any(|r| r.initial);
        let two_squares = matches!(
            &self.variant.castling,
            Some(castling) if matches!(castling.rule, CastlingRule::TwoSquares { .. })
        );
        self.tracks_unmoved = initial
            || two_squares
            || self.variant.pawn.double_step == DoubleStep::Unmoved
            || !self.variant.generators.leap_captures.is_empty()
            || self.pawns_appear;
    }

    /// Whether two movements of a kind lead from some square to the same destination, unless one of them is for
    /// moves only and the other for captures only.
    fn is_mixed(&self, kind: KindSet) -> bool {
        self.board.squares().any(|from| {
            let rays = &self.rays[from];
            let mut seen: Vec<(Modality, B)> = Vec::new();
            if self.orthogonal & kind != 0 {
                seen.push((Modality::Both, rays.orthogonal(B::EMPTY)));
            }
            if self.diagonal & kind != 0 {
                seen.push((Modality::Both, rays.diagonal(B::EMPTY)));
            }
            let leaps = self.leaps.iter().filter(|l| l.kinds & kind != 0);
            seen.extend(leaps.map(|l| (l.modality, l.targets[0][from])));
            let riders = self.riders.iter().filter(|r| r.kinds & kind != 0);
            seen.extend(riders.map(|r| (r.modality, r.ever(0, from))));
            seen.iter().enumerate().any(|(i, a)| {
                let meets = |b: &(Modality, B)| {
                    (a.1 & b.1).any() && (a.0 == b.0 || a.0 == Modality::Both || b.0 == Modality::Both)
                };
                seen[i + 1..].iter().any(meets)
            })
        })
    }

    fn add_leap(
        &mut self,
        grid: &Grid,
        kinds: KindSet,
        modality: Modality,
        initial: bool,
        offsets: Vec<(i8, i8)>,
    ) {
        let same = self
            .leaps
            .iter_mut()
            .find(|l| l.modality == modality && l.initial == initial && l.offsets == offsets);
        if let Some(leap) = same {
            leap.kinds |= kinds;
            return;
        }
        let table = |mirror: i8, sign: i8| {
            let mut table = B::per_square(B::EMPTY);
            for square in self.board.squares() {
                for &(df, dr) in &offsets {
                    if let Some(to) = grid.step(square, (df * sign, dr * mirror * sign)) {
                        table[square] |= B::square(to);
                    }
                }
            }
            table
        };
        let (targets, sources) = ([table(1, 1), table(-1, 1)], [table(1, -1), table(-1, -1)]);
        self.leaps.push(Leap { kinds, modality, initial, targets, sources, offsets });
    }

    fn compile_rules(&mut self) {
        let v = &self.variant;
        for (kind, squares) in &v.filters.forbidden {
            for (forbidden, squares) in self.forbidden.iter_mut().zip(squares) {
                for &square in squares {
                    forbidden[usize::from(*kind)] |= B::square(square);
                }
            }
        }
        if let Some(drops) = &v.drops {
            for &kind in &drops.kinds {
                let mut open = [self.board; 2];
                for (_, closed) in drops.forbidden.iter().filter(|(k, _)| *k == kind) {
                    for (side, squares) in open.iter_mut().zip(closed) {
                        for &square in squares {
                            *side &= !B::square(square);
                        }
                    }
                }
                self.droppable.push(open);
            }
        }
        for rule in &v.end {
            match rule.when {
                EndWhen::Mate => self.mate = rule.value,
                EndWhen::Stalemate => self.stalemate = rule.value,
                EndWhen::Repetition(n) => self.repetition = n,
                EndWhen::MovesWithoutProgress(n) => self.progress = 2 * u16::from(n),
                EndWhen::DeadPosition => self.dead = true,
                EndWhen::BareKings => self.bare_kings = true,
                EndWhen::Checks(_) => {
                    self.counts_checks = true;
                    self.ends_early = true;
                }
                EndWhen::Extinct { .. } | EndWhen::Reach { .. } | EndWhen::Checkers(_) => {
                    self.ends_early = true
                }
            }
        }
        for k in 0..self.variant.pieces.len() {
            let is = |set: KindSet| set >> k & 1 == 1;
            let leaps: Vec<_> = self.leaps.iter().filter(|l| is(l.kinds)).collect();
            let rides = is(self.orthogonal) || self.riders.iter().any(|r| is(r.kinds));
            let knight = |l: &Leap<B>| {
                let jump = |&(df, dr): &(i8, i8)| df.abs() * dr.abs() == 2;
                l.modality == Modality::Both && l.offsets.len() == 8 && l.offsets.iter().all(jump)
            };
            match leaps[..] {
                [leap] if knight(leap) && !rides && !is(self.diagonal) => self.knights |= 1 << k,
                [] if is(self.diagonal) && !rides => self.bishops |= 1 << k,
                _ => {}
            }
        }
        let v = &self.variant;
        let plain_capture = |m: Modality| m == Modality::Move;
        let (g, f, e, t) = (&v.generators, &v.filters, &v.effects, &v.turn);
        self.pins = self.royal.is_some()
            && self.riders.iter().all(|r| plain_capture(r.modality))
            && self.royal.is_none_or(|k| (self.orthogonal | self.diagonal) >> k & 1 == 0)
            && self.royal.is_none_or(|k| self.riders.iter().all(|r| r.kinds >> k & 1 == 0))
            && self.pawn.kind.is_none_or(|k| (self.orthogonal | self.diagonal) >> k & 1 == 0)
            && self.pawn.kind.is_none_or(|k| self.riders.iter().all(|r| r.kinds >> k & 1 == 0))
            && g.merges.is_empty()
            && g.summon.is_none()
            && g.leap_captures.is_empty()
            && g.swap_captures.is_empty()
            && g.split.is_none()
            && e.spawn_behind.is_none()
            && e.petrify.is_empty()
            && f.forbidden.is_empty()
            && !f.must_capture
            && !f.must_en_passant
            && !f.no_checks
            && t.place.is_none()
            && t.boost.is_none()
            && !t.pass
            && self.leaps.iter().all(|l| !l.initial)
            && v.castling.as_ref().is_none_or(|c| {
                matches!(c.rule, CastlingRule::Files { .. })
                    && !c.through_attack
                    && Some(c.king) == self.royal
            });
    }

    /// Whether these are the tables of orthodox chess, as [`Orthodox`](crate::rules::board::position::Orthodox) assumes.
    pub(crate) fn is_orthodox(&self) -> bool {
        let v = &self.variant;
        let bit = |k: PieceKind| 1 << k;
        let roles = [Role::Pawn, Role::Ordinary, Role::Ordinary, Role::Ordinary, Role::Ordinary, Role::Royal];
        let rays = [kind::ROOK, kind::BISHOP].map(|k| bit(k) | bit(kind::QUEEN));
        let castling = v.castling.as_ref().is_some_and(|c| {
            c.king == kind::KING
                && c.rooks == [kind::ROOK]
                && c.rule == CastlingRule::Files { right: (6, 5), left: (2, 3) }
        });
        let ends = v.end.iter().all(|rule| match rule.when {
            EndWhen::Mate => rule.value == SideResult::Loss,
            EndWhen::Stalemate | EndWhen::DeadPosition => rule.value == SideResult::Draw,
            EndWhen::Repetition(n) => n == 3 || n == 5,
            EndWhen::MovesWithoutProgress(n) => n == 50 || n == 75,
            _ => false,
        });
        (v.width, v.height) == (8, 8)
            && v.holes.is_empty()
            && v.pieces.iter().map(|p| p.role).eq(roles)
            && [self.orthogonal, self.diagonal] == rays
            && self.riders.is_empty()
            && self
                .leaps
                .iter()
                .map(|l| (l.kinds, l.modality, l.offsets.len()))
                .eq([(bit(kind::KNIGHT), Modality::Both, 8), (bit(kind::KING), Modality::Both, 8)])
            && self.pawn.is_orthodox()
            && self.pins
            && castling
            && v.effects.blast.is_none()
            && v.drops.is_none()
            && ends
            && v.end.len() == 5
    }
}
