//! The destinations of any piece of a variant: the pairs of squares that have an action index.

use super::Tables;
use crate::rules::board::bitboard::Bitboard;
use crate::rules::board::position::NOWHERE;
use crate::rules::variant::schema::{Castling, CastlingRule, Square};

impl<B: Bitboard> Tables<B> {
    /// The destinations of any piece from a square on an empty board, from the mover's point of view, and the
    /// subset on which pawns promote.
    pub(crate) fn reachable(&self, from: Square) -> (B, B) {
        let v = &self.variant;
        let width = v.width;
        let flip = |c: Square| (v.height - 1 - c / width) * width + c % width;
        let (mut all, mut into_zone) = (B::EMPTY, B::EMPTY);
        for colour in 0..2 {
            let at = if colour == 0 { from } else { flip(from) };
            if !self.board.has(at) {
                continue;
            }
            let rays = &self.rays[at];
            let mut reach = B::EMPTY;
            if self.orthogonal != 0 {
                reach |= rays.orthogonal(B::EMPTY);
            }
            if self.diagonal != 0 {
                reach |= rays.diagonal(B::EMPTY);
            }
            for leap in &self.leaps {
                reach |= leap.targets[colour][at];
            }
            for rider in &self.riders {
                reach |= rider.ever(colour, at);
            }
            let pawn = &self.pawn;
            let mut pawns = pawn.push[colour][at] | pawn.take[colour][at];
            if let Some(kind) = pawn.kind {
                for rider in self.riders.iter().filter(|r| r.kinds >> kind & 1 == 1) {
                    pawns |= rider.reach(colour, at, B::EMPTY);
                }
            }
            for &(_, to) in pawn.double[colour][at].iter().filter(|d| d.1 != NOWHERE) {
                if pawn.double_from[colour].has(at) || self.pawns_appear {
                    pawns |= B::square(to);
                }
            }
            reach |= pawns;
            let zone = if v.promotion.is_some() { pawns & pawn.zone[colour] } else { B::EMPTY };
            if let Some(castling) = &v.castling {
                reach |= self.castle_targets(castling, at);
            }
            for swap in &v.generators.swap_captures {
                for (lower, upper) in &rays.line[..2] {
                    let apart = |c: &Square| {
                        let distance = c.abs_diff(at);
                        distance == swap.distance || distance == swap.distance * width
                    };
                    for square in (*lower | *upper).squares().filter(apart) {
                        reach |= B::square(square);
                    }
                }
            }
            for _ in &v.generators.leap_captures {
                reach |= rays.line[1].0 | rays.line[1].1;
            }
            let seen = |set: B| {
                if colour == 0 { set } else { set.squares().fold(B::EMPTY, |s, c| s | B::square(flip(c))) }
            };
            all |= seen(reach);
            into_zone |= seen(zone);
        }
        (all, into_zone)
    }

    /// The destinations in the notation of a castling move from a square.
    fn castle_targets(&self, castling: &Castling, at: Square) -> B {
        let width = self.variant.width;
        let base = at - at % width;
        match castling.rule {
            CastlingRule::Files { right, left } => {
                let squares = [right.0, left.0].map(|file| B::square(base + file));
                let rank = if self.variant.chess960 { B::span(base, base + width - 1) } else { B::EMPTY };
                let home = at / width == 0 || at / width == self.variant.height - 1;
                if home { (squares[0] | squares[1] | rank) & !B::square(at) & self.board } else { B::EMPTY }
            }
            CastlingRule::TwoSquares { vertical } => {
                let lines = &self.rays[at].line[..if vertical { 2 } else { 1 }];
                lines
                    .iter()
                    .flat_map(|l| (l.0 | l.1).squares())
                    .filter(|c| self.variant.chess960 || [2, 2 * width].contains(&c.abs_diff(at)))
                    .fold(B::EMPTY, |set, c| set | B::square(c))
            }
        }
    }
}
