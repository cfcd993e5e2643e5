//! The action mask, computed for all cells at once with bit planes (bitboards): one bit per cell.
//!
//! The cells beside a set of cells are that set shifted by one cell west and east and by one row north and south,
//! so a few shifts and bitwise operations on words of 64 cells find all conquerable cells. For each action the mask
//! agrees with the cell-by-cell check of [`refusal`](super::refusal); tests compare the two.

use super::map::{MAX_FRAMED, MAX_WORDS};
use super::ruleset::{DEFENDED_COST, Structure};
use super::state::StateRef;
use crate::actions::Action;
use ludovec_engine::mask;
use ludovec_engine::multiversion;

impl StateRef<'_> {
    /// Overwrites `mask` with the legal actions of the current player.
    pub(crate) fn legal(self, mask: &mut [u64]) {
        multiversion!(self.write_legal(mask));
    }

    #[inline(always)]
    fn write_legal(self, mask: &mut [u64]) {
        mask.fill(0);
        if self.is_over() {
            return;
        }
        let map = &self.rules.map;
        let seat = self.current();
        let resources = self.ledger.resources[seat];
        if resources >= Structure::Land.conquer_cost() {
            let mut targets = [0; MAX_FRAMED];
            self.conquerable(seat, resources, &mut targets[1..=map.words]);
            or_plane(mask, 0, &targets[..map.words + 2]);
        }
        for structure in Structure::BUILDABLE {
            if resources >= structure.build_cost() && self.castle_limit_permits(seat, structure) {
                or_plane(mask, structure as usize * map.cells(), self.owned_framed(seat));
            }
        }
        mask::set(mask, Action::Harvest.index(map));
        mask::set(mask, Action::Pass.index(map));
    }

    /// Whether the castle limit allows `seat` to build `structure`.
    pub(crate) fn castle_limit_permits(self, seat: usize, structure: Structure) -> bool {
        structure != Structure::Castle
            || self.rules.castle_allowed(self.tiles(seat), self.count(seat, Structure::Castle))
    }

    /// Writes the cells that `seat` can conquer with `resources`, at least 1: the cells beside its own that it does
    /// not own, minus the cells it cannot afford because of their structure or their defence.
    #[inline(always)]
    fn conquerable(self, seat: usize, resources: u32, targets: &mut [u64]) {
        let map = &self.rules.map;
        map.spread(self.owned_framed(seat), targets);
        let spared = |structure: Structure| if resources < structure.conquer_cost() { !0 } else { 0 };
        let [spared_farms, spared_forts, spared_castles] = Structure::BUILDABLE.map(spared);
        let (own, farms) = (self.owned(seat), self.built(Structure::Farm));
        let (forts, castles) = (self.built(Structure::Fort), self.built(Structure::Castle));
        for (i, target) in targets.iter_mut().enumerate() {
            let beyond_means =
                farms[i] & spared_farms | forts[i] & spared_forts | castles[i] & spared_castles;
            *target &= !(own[i] | beyond_means);
        }
        targets[map.words - 1] &= map.last_word;
        if resources < DEFENDED_COST {
            self.remove_defended(seat, targets);
        }
    }

    /// Removes from `targets` the cells that a fort or castle of the same owner beside them defends.
    fn remove_defended(self, seat: usize, targets: &mut [u64]) {
        let map = &self.rules.map;
        let (forts, castles) = (self.built_framed(Structure::Fort), self.built_framed(Structure::Castle));
        for other in (0..self.rules.players).filter(|&other| other != seat) {
            let theirs = self.owned(other);
            // Most pairs of empires do not touch: the costly part is skipped if no target belongs to this owner.
            let touched = targets.iter().zip(theirs).fold(0, |any, (target, own)| any | target & own);
            if touched == 0 {
                continue;
            }
            let mut defenders = [0; MAX_FRAMED];
            let standing = forts.iter().zip(castles).zip(self.owned_framed(other));
            for (defenders, ((fort, castle), own)) in defenders.iter_mut().zip(standing) {
                *defenders = (fort | castle) & own;
            }
            let mut beside = [0; MAX_WORDS];
            map.spread(&defenders, &mut beside);
            for (target, (beside, own)) in targets.iter_mut().zip(beside.iter().zip(theirs)) {
                *target &= !(beside & own);
            }
        }
    }
}

/// Sets the bits of a plane in `mask`, from bit `offset` of the mask on. If that is not the start of a word, each
/// word of the mask takes bits of two neighbouring words of the plane; the guard words serve as the words before
/// the first and after the last.
fn or_plane(mask: &mut [u64], offset: usize, framed: &[u64]) {
    let (word, shift) = (offset / 64, offset as u32 % 64);
    for (out, pair) in mask[word..].iter_mut().zip(framed.windows(2)) {
        *out |= pair[1] << shift | pair[0] >> 1 >> (63 - shift);
    }
}
