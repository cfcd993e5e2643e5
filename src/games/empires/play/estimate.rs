//! Estimates the distance of a seat from its next castle.

use crate::rules::map::{Coordinates, cells_of};
use crate::rules::ruleset::{DEFENDED_COST, Structure};
use crate::rules::state::StateRef;

impl StateRef<'_> {
    /// Estimated number of turns that `seat` needs to conquer the nearest castle of another seat without
    /// interference; `None` if no other seat has one.
    ///
    /// It is the distance in cells from its own land, one conquest per turn, plus the harvests needed to pay for
    /// the castle and for the cells on the way.
    pub(crate) fn turns_to_castle(self, seat: usize) -> Option<f32> {
        let at = |cell| self.rules.map.coordinates(cell);
        let own: Vec<Coordinates> = cells_of(self.owned(seat)).map(at).collect();
        let castles = cells_of(self.built(Structure::Castle)).filter(|&cell| self.owner(cell) != Some(seat));
        let ways = castles.map(at).flat_map(|castle| {
            own.iter().map(move |cell| cell.0.abs_diff(castle.0) + cell.1.abs_diff(castle.1))
        });
        let way = ways.min()? as u32;
        // Neutral land on the way costs 1 per cell. The last cell before the castle is assumed to be defended by
        // the castle beside it.
        let land = if way > 1 { DEFENDED_COST + way - 2 } else { 0 };
        let missing = (Structure::Castle.conquer_cost() + land).saturating_sub(self.ledger.resources[seat]);
        Some(way as f32 + missing as f32 / self.harvest_yield(seat).max(1) as f32)
    }
}
