//! Chess960 for any variant: each side's pieces on its first rank in a random order.
//!
//! The pieces on a side's first rank in the variant's start position are permuted; pawns and all other pieces stay.
//! The order is uniform over all orders in which
//!
//! * colour-bound pieces of a kind (bishops), if there are two or more, are split evenly between light and dark
//!   squares;
//! * the castling king has a rook on each side on which it has one in the variant's own order.
//!
//! If both sides have the same first rank in the variant's own order, or one is the other reversed, this holds
//! after the permutation too; otherwise each side is drawn separately. The orders of the standard army have
//! Scharnagl's numbers.

use std::cmp::Reverse;

use ludovec_engine::chance::Chance;
use ludovec_engine::{Error, Result};

use super::board::bitboard::Bitboard;
use super::board::moves::MoveKind;
use super::board::position::{MoveRules, Position};
use super::tables::Tables;
use super::variant::schema::{CastlingRule, EndWhen, Modality, Piece, PieceKind, Role, Square, Variant};
use crate::exchange::notation::fen;
use crate::exchange::setup::{BoardPiece, Setup};

/// The start positions of a variant under Chess960.
#[derive(Debug, Clone)]
pub(crate) struct Shuffle {
    /// The variant's own start position.
    setup: Setup,
    /// The pieces on white's and on black's first rank.
    armies: [Army; 2],
    /// The relation of black's order to white's.
    likeness: Likeness,
}

/// The relation between the first ranks of both sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Likeness {
    Same,
    Turned,
    Unlike,
}

/// The pieces of a side that are permuted.
#[derive(Debug, Clone)]
struct Army {
    colour: u8,
    /// Their squares, file by file.
    squares: Vec<Square>,
    /// Whether each of these squares is light.
    light: Vec<bool>,
    /// Their kinds, in the variant's own order.
    kinds: Vec<PieceKind>,
    /// The castling king and the kinds of its rooks, if the side may castle in the start position.
    castling: Option<(PieceKind, Vec<PieceKind>)>,
    /// Whether the king may castle to the left and to the right.
    rights: [bool; 2],
    /// The sequence of choices that determine an order.
    steps: Vec<ArrangementChoice>,
}

/// One choice: the places of some pieces of a kind.
#[derive(Debug, Clone, Copy)]
struct ArrangementChoice {
    kind: PieceKind,
    count: usize,
    among: Among,
    /// The number of ways.
    ways: u64,
}

/// The free places that are open to a choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Among {
    Light,
    Dark,
    All,
    /// All except this many at the left end and this many at the right end.
    Inner(usize, usize),
}

impl Shuffle {
    /// The orders of a variant.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] if Chess960 has no meaning for the variant, with the reason.
    pub(crate) fn new(variant: &Variant) -> Result<Self> {
        let setup = fen::parse(variant, &variant.start)?;
        Self::of(variant, setup).map_err(|why| refused(variant, &why))
    }

    fn of(variant: &Variant, setup: Setup) -> Result<Self, String> {
        let [white, black] = [Army::of(variant, &setup, 0)?, Army::of(variant, &setup, 1)?];
        let files = |army: &Army| -> Vec<Square> { army.squares.iter().map(|c| c % variant.width).collect() };
        let mut turned: Vec<Square> = files(&black).iter().map(|file| variant.width - 1 - file).collect();
        turned.reverse();
        let likeness = if (files(&white), &white.kinds) == (files(&black), &black.kinds) {
            Likeness::Same
        } else if files(&white) == turned && white.kinds.iter().eq(black.kinds.iter().rev()) {
            Likeness::Turned
        } else {
            Likeness::Unlike
        };
        let shuffle = Self { setup, armies: [white, black], likeness };
        if shuffle.orders() == Some(1) {
            return Err("the pieces on the first rank have one order only".into());
        }
        Ok(shuffle)
    }

    /// The armies with a random order.
    fn drawn(&self) -> &[Army] {
        if self.likeness == Likeness::Unlike { &self.armies } else { &self.armies[..1] }
    }

    /// The number of ways of each choice.
    fn ways(&self) -> Vec<u64> {
        self.drawn().iter().flat_map(|army| &army.steps).map(|step| step.ways).collect()
    }

    /// The number of orders, if it fits 64 bits.
    fn orders(&self) -> Option<u64> {
        self.ways().into_iter().try_fold(1u64, u64::checked_mul)
    }

    /// Draws a start, uniformly at random.
    pub(crate) fn draw<C: Chance + ?Sized>(&self, chance: &mut C) -> Setup {
        // One random draw makes several choices: all that fit into a mixed-radix number of 32 bits.
        let ways = self.ways();
        let mut choices = Vec::with_capacity(ways.len());
        while choices.len() < ways.len() {
            let rest = &ways[choices.len()..];
            let mut outcomes = 1;
            let told = rest.iter().take_while(|&&ways| {
                let more = outcomes * ways;
                let fits = more <= u64::from(u32::MAX);
                if fits {
                    outcomes = more;
                }
                fits
            });
            let told = told.count();
            let number = u64::from(chance.uniform(outcomes as u32));
            choices.extend(digits(number, &rest[..told]));
        }
        self.arranged(&choices)
    }

    /// One of the 960 starts of a variant that has exactly 960.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] if there are more or fewer.
    pub(crate) fn numbered(&self, variant: &Variant, number: u32) -> Result<Setup> {
        let orders = self.orders();
        if orders != Some(960) {
            let orders = orders.map_or("more than 2^64".into(), |n| n.to_string());
            return Err(Error::config(format!(
                "option number960: variant {} has {orders} orders of its first rank, which are not numbered; only \
                 960 are",
                variant.name
            )));
        }
        Ok(self.arranged(&digits(u64::from(number % 960), &self.ways())))
    }

    /// Checks that games can begin from every order.
    ///
    /// Every order occupies the same squares. A condition that holds with every piece of a rank on every square of
    /// it at once therefore holds in each order: that no king is attacked, and that a piece outside the permutation
    /// has a move.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] with the problem that some order could have.
    pub(crate) fn check<R: MoveRules>(&self, tables: &Tables<R::Bits>) -> Result<()> {
        let variant = &tables.variant;
        let start: Position<R> = self.setup.to_position(tables)?;
        let mut all = start;
        for army in &self.armies {
            for &kind in &army.kinds {
                all.kinds[usize::from(kind)] |= set::<R>(&army.squares);
            }
        }
        if (0..2).any(|side| self.may_be_attacked(tables, &all, side)) {
            return Err(refused(variant, "in some orders a king would be attacked"));
        }
        for rule in &variant.end {
            if let EndWhen::Reach { kind, squares, .. } = &rule.when
                && (0..2).any(|side| (all.of(*kind) & all.colours[side] & set::<R>(&squares[side])).any())
            {
                return Err(refused(variant, "in some orders the game would be over"));
            }
        }
        let ranks = set::<R>(&self.armies[0].squares) | set::<R>(&self.armies[1].squares);
        let mut stays_free = false;
        start.visit_moves(tables, &mut |mv| {
            if stays_free
                || ranks.has(mv.from)
                || start.occupied().has(mv.to)
                || mv.what == MoveKind::EnPassant
            {
                return;
            }
            let mut next = all;
            next.apply(tables, mv);
            let us = start.turn();
            let gives_check = variant.filters.no_checks && self.may_be_attacked(tables, &next, 1 - us);
            stays_free = !gives_check && !self.may_be_attacked(tables, &next, us);
        });
        if !stays_free {
            return Err(refused(variant, "in some orders no piece might have a move"));
        }
        Ok(())
    }

    /// Whether the royal piece of `side` can be attacked on any square of its rank.
    fn may_be_attacked<R: MoveRules>(
        &self,
        tables: &Tables<R::Bits>,
        all: &Position<R>,
        side: usize,
    ) -> bool {
        let Some(royal) = tables.royal else { return false };
        all.royal(tables, side).squares().any(|square| {
            let mut one = *all;
            one.kinds[usize::from(royal)] &= !all.colours[side] | R::Bits::square(square);
            one.royal_attackers(tables, side).any()
        })
    }

    /// The start position for the given choices of all steps.
    fn arranged(&self, choices: &[u64]) -> Setup {
        let mut setup = self.setup.clone();
        setup.castling.clear();
        let mut rest = choices;
        let mut kinds = Vec::new();
        for army in &self.armies {
            if army.colour == 0 || self.likeness == Likeness::Unlike {
                let (own, others) = rest.split_at(army.steps.len());
                kinds = army.order(own);
                rest = others;
            } else if self.likeness == Likeness::Turned {
                kinds.reverse();
            }
            army.place(&kinds, &mut setup);
        }
        setup
    }
}

/// The digits of a number in the mixed radix `bases`, the lowest first.
fn digits(mut number: u64, bases: &[u64]) -> Vec<u64> {
    let digit = |base: &u64| {
        let digit = number % base;
        number /= base;
        digit
    };
    bases.iter().map(digit).collect()
}

fn refused(variant: &Variant, why: &str) -> Error {
    Error::config(format!("chess960 has no meaning in variant {}: {why}", variant.name))
}

/// A set of squares.
fn set<R: MoveRules>(squares: &[Square]) -> R::Bits {
    squares.iter().fold(R::Bits::EMPTY, |set, &square| set | R::Bits::square(square))
}

/// Whether a piece never changes the colour of its square by a move to an empty square.
fn is_colour_bound(piece: &Piece) -> bool {
    let mut steps = piece.moves.iter().filter(|step| step.modality != Modality::Capture);
    steps.all(|step| (step.offset.0 + step.offset.1) % 2 == 0)
}

/// The number of subsets of `count` among `open`.
fn binomial(open: usize, count: usize) -> u64 {
    if count > open {
        return 0;
    }
    (0..count as u64).fold(1, |ways, i| ways * (open as u64 - i) / (i + 1))
}

/// The subset of `count` places among `open` with this number, in lexicographic order.
fn combination(open: usize, count: usize, mut number: u64) -> Vec<usize> {
    let mut subset = Vec::with_capacity(count);
    for place in 0..open {
        let left = count - subset.len();
        if left == 0 {
            break;
        }
        let with = binomial(open - place - 1, left - 1);
        if number < with {
            subset.push(place);
        } else {
            number -= with;
        }
    }
    subset
}

impl Army {
    fn of(variant: &Variant, setup: &Setup, colour: u8) -> Result<Self, String> {
        let side = ["white", "black"][usize::from(colour)];
        let home = if colour == 0 { 0 } else { variant.width * (variant.height - 1) };
        let rank = home..home + variant.width;
        let (mut squares, mut kinds) = (Vec::new(), Vec::new());
        for square in rank.clone() {
            let Some(piece) = setup.board[usize::from(square)] else { continue };
            match variant.pieces[usize::from(piece.kind)].role {
                Role::Pawn | Role::Neutral => {}
                _ if piece.colour != colour => {
                    return Err(format!("pieces of both sides are on {side}'s first rank"));
                }
                _ => {
                    squares.push(square);
                    kinds.push(piece.kind);
                }
            }
        }
        let light = squares.iter().map(|c| (c % variant.width + c / variant.width) % 2 == 1).collect();
        let mut army =
            Self { colour, squares, light, kinds, castling: None, rights: [false; 2], steps: Vec::new() };
        let rights: Vec<Square> =
            setup.castling.iter().copied().filter(|square| rank.contains(square)).collect();
        if let Some(castling) = variant.castling.as_ref().filter(|_| !rights.is_empty()) {
            let mut kings = army.squares.iter().zip(&army.kinds).filter(|(_, kind)| **kind == castling.king);
            let (Some((&king, _)), None) = (kings.next(), kings.next()) else {
                return Err(format!("{side} needs one king on its first rank to castle"));
            };
            let crossed = matches!(castling.rule, CastlingRule::Files { .. });
            if crossed && variant.holes.iter().any(|hole| rank.contains(hole)) {
                return Err(format!("{side} cannot castle over the holes of its first rank"));
            }
            army.rights = [rights.iter().any(|&rook| rook < king), rights.iter().any(|&rook| rook > king)];
            army.castling = Some((castling.king, castling.rooks.clone()));
        }
        army.steps = army.steps(variant);
        if army.steps.iter().any(|step| step.ways == 0) {
            return Err(format!("{side}'s first rank has no order with its bishops on both colours"));
        }
        Ok(army)
    }

    /// The choices that determine an order: colour-bound pieces first, then the rarest kinds, the castling king and
    /// its rooks last.
    fn steps(&self, variant: &Variant) -> Vec<ArrangementChoice> {
        let castles = |kind: PieceKind| {
            self.castling.as_ref().is_some_and(|(king, rooks)| kind == *king || rooks.contains(&kind))
        };
        let (mut plan, mut others) = (Vec::new(), Vec::new());
        for kind in 0..variant.pieces.len() as PieceKind {
            let count = self.kinds.iter().filter(|&&k| k == kind).count();
            if count == 0 || castles(kind) {
                continue;
            }
            let halves = if is_colour_bound(&variant.pieces[usize::from(kind)]) { count / 2 } else { 0 };
            if halves > 0 {
                plan.extend([(kind, halves, Among::Light), (kind, halves, Among::Dark)]);
            }
            if count > 2 * halves {
                others.push((kind, count - 2 * halves, Among::All));
            }
        }
        others.sort_by_key(|&(kind, count, _)| (count, Reverse(kind)));
        plan.extend(others);
        if let Some((king, rooks)) = &self.castling {
            let [left, right] = self.rights.map(usize::from);
            plan.push((*king, 1, Among::Inner(left, right)));
            for &rook in rooks {
                plan.push((rook, self.kinds.iter().filter(|&&k| k == rook).count(), Among::All));
            }
        }
        let mut free = self.light.clone();
        let mut steps = Vec::new();
        for (kind, count, among) in plan {
            let open = match among {
                Among::Light => free.iter().filter(|light| **light).count(),
                Among::Dark => free.iter().filter(|light| !**light).count(),
                Among::All => free.len(),
                Among::Inner(left, right) => free.len().saturating_sub(left + right),
            };
            steps.push(ArrangementChoice { kind, count, among, ways: binomial(open, count) });
            // Only the number of free places matters here, so any places may be taken: later steps do not depend on
            // the colours of the places.
            for _ in 0..count.min(open) {
                let taken = free.iter().position(|light| match among {
                    Among::Light => *light,
                    Among::Dark => !*light,
                    _ => true,
                });
                taken.map(|at| free.remove(at));
            }
        }
        steps
    }

    /// The order for the given choices of the steps.
    fn order(&self, choices: &[u64]) -> Vec<PieceKind> {
        let mut order: Vec<Option<PieceKind>> = vec![None; self.squares.len()];
        for (step, &choice) in self.steps.iter().zip(choices) {
            let mut open: Vec<usize> = (0..order.len()).filter(|&place| order[place].is_none()).collect();
            match step.among {
                Among::All => {}
                Among::Inner(left, right) => open = open[left..open.len() - right].to_vec(),
                Among::Light | Among::Dark => {
                    open.retain(|&place| self.light[place] == (step.among == Among::Light))
                }
            }
            for at in combination(open.len(), step.count, choice) {
                order[open[at]] = Some(step.kind);
            }
        }
        order.into_iter().flatten().collect()
    }

    /// Puts the pieces on the board in an order, with castling rights.
    fn place(&self, order: &[PieceKind], setup: &mut Setup) {
        for (&square, &kind) in self.squares.iter().zip(order) {
            setup.board[usize::from(square)] =
                Some(BoardPiece { kind, colour: self.colour, promoted: false });
        }
        let Some((king, rooks)) = &self.castling else { return };
        let at = order.iter().position(|kind| kind == king).unwrap_or(0);
        let is_rook = |&place: &usize| rooks.contains(&order[place]);
        let outermost = [(0..at).find(is_rook), (at + 1..order.len()).rev().find(is_rook)];
        for (rook, right) in outermost.into_iter().zip(self.rights) {
            setup.castling.extend(rook.filter(|_| right).map(|place| self.squares[place]));
        }
        setup.castling.sort_unstable();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::board::position::Large;
    use super::*;
    use crate::rules::variant::{from_text, load, variants};
    use ludovec_engine::chance::SeededChance;

    fn shuffled(variant: &str) -> Variant {
        load(variant, &["chess960"]).unwrap()
    }

    fn orders(variant: &str) -> Option<u64> {
        Shuffle::new(&shuffled(variant)).unwrap().orders()
    }

    /// The first ranks of a start, white's first.
    fn ranks(variant: &Variant, setup: &Setup) -> [String; 2] {
        let text = fen::placement(variant, setup);
        let mut ranks = text.split('/');
        [ranks.next_back().unwrap().into(), ranks.next().unwrap().into()]
    }

    #[test]
    fn a_variant_has_as_many_orders_as_its_first_rank() {
        for name in ["chess", "duck", "amazon", "almost", "knightmate", "atomic", "horde", "hoppelpoppel"] {
            assert_eq!(orders(name), Some(960), "{name}");
        }
        // Bishops on 5 squares of either colour, then A, C, Q, two knights, and the king between the rooks.
        assert_eq!(orders("capablanca"), Some(25 * 8 * 7 * 6 * 10));
        // White: chancellor, four knights. Black: queen, four bishops. Each with king and rooks.
        assert_eq!(orders("chigorin"), Some((8 * 35) * (6 * 6 * 4)));
        // The rook and the chancellor that castle go either way round.
        assert_eq!(orders("perfect"), Some(8 * 7 * 6 * 5 * 4 * 2));
        // No castling: king and rooks go anywhere.
        assert_eq!(orders("nocastle"), Some(16 * 6 * 5 * 6));
        // Bishop and king go anywhere, subject to the bishops' colours.
        assert_eq!(orders("hole"), Some(2));
    }

    #[test]
    fn every_order_is_drawn_and_none_more_often_than_another() {
        let variant = shuffled("perfect");
        let shuffle = Shuffle::new(&variant).unwrap();
        let mut seen = BTreeSet::new();
        for number in 0..13_440 {
            let start = shuffle.arranged(&digits(number, &shuffle.ways()));
            assert!(seen.insert(fen::write(&variant, &start)), "{number}");
        }
        assert_eq!(shuffle.orders(), Some(seen.len() as u64));
    }

    #[test]
    fn every_start_is_a_position_of_the_variants_own_pieces_in_a_lawful_order() {
        let mut chance = SeededChance::from_seed(4);
        let mut unlike = BTreeSet::new();
        let mut refused = BTreeSet::new();
        for name in variants() {
            let variant = shuffled(name);
            let shuffle = match Shuffle::new(&variant) {
                Ok(shuffle) => shuffle,
                Err(error) => {
                    let text = error.to_string();
                    assert!(text.contains("chess960") && text.contains(name), "{text}");
                    refused.insert(name);
                    continue;
                }
            };
            let tables = Tables::<u128>::compile(&variant).unwrap();
            shuffle.check::<Large>(&tables).unwrap();
            let sorted = |ranks: [String; 2]| {
                ranks.map(|rank| {
                    let mut letters: Vec<char> = rank.chars().collect();
                    letters.sort_unstable();
                    letters
                })
            };
            let own = ranks(&variant, &shuffle.setup);
            for _ in 0..50 {
                let setup = shuffle.draw(&mut chance);
                let position: Position<Large> = setup.to_position(&tables).unwrap();
                assert!(position.checkers.none() && position.can_move(&tables), "{name}");
                let now = ranks(&variant, &setup);
                assert_eq!(sorted(now.clone()), sorted(own.clone()), "{name}");
                let [white, black] = now.map(|rank| rank.to_ascii_lowercase());
                let reversed: String = white.chars().rev().collect();
                if white != black && reversed != black {
                    unlike.insert(name);
                }
                for rank in [white, black].iter().filter(|rank| !rank.contains('1')) {
                    let bishops: Vec<usize> = rank.match_indices('b').map(|(file, _)| file).collect();
                    let light = bishops.iter().filter(|file| *file % 2 == 1).count();
                    assert!(light.abs_diff(bishops.len() - light) < 2, "{name} {rank}");
                }
                assert_eq!(setup.castling.len(), shuffle.setup.castling.len(), "{name}");
            }
        }
        assert_eq!(unlike, BTreeSet::from(["chigorin", "horde"]));
        assert_eq!(refused, BTreeSet::from(["breakthrough", "racingkings"]));
    }

    #[test]
    fn an_order_reversed_for_black_stays_reversed() {
        let variant = shuffled("modern");
        let shuffle = Shuffle::new(&variant).unwrap();
        let [white, black] = ranks(&variant, &shuffle.draw(&mut SeededChance::from_seed(1)));
        assert_eq!(white.chars().rev().collect::<String>().to_lowercase(), black);
    }

    #[test]
    fn where_orders_could_begin_in_check_or_without_a_move_there_is_no_chess960() {
        let refusal = |text: &str| {
            let variant = from_text("mine.toml", &format!("summary = \"t\"\n{text}")).unwrap();
            let tables = Tables::<u128>::compile(&variant).unwrap();
            let shuffle = Shuffle::new(&variant);
            shuffle.and_then(|shuffle| shuffle.check::<Large>(&tables)).unwrap_err().to_string()
        };
        for (text, why) in [
            (
                "extends = \"nocastle\"\nflags = [\"chess960\"]\n\
                 board.start = \"rnbqkbnr/8/8/8/8/8/P7/RNBQKBNR w - - 0 1\"",
                "in some orders a king would be attacked",
            ),
            (
                "extends = \"nocastle\"\nflags = [\"chess960\"]\n\
                 board.start = \"rnbqkbnr/8/8/8/pppppppp/PPPPPPPP/8/RNBQKBNR w - - 0 1\"",
                "in some orders no piece might have a move",
            ),
            (
                "extends = \"chess960\"\nboard.start = \"rnbqk*nr/pppppppp/8/8/8/8/PPPPPPPP/RNBQK*NR w KQkq - 0 1\"",
                "white cannot castle over the holes of its first rank",
            ),
        ] {
            let refusal = refusal(text);
            assert!(refusal.contains(why) && refusal.contains("mine"), "{refusal}");
        }
    }
}
