//! What the drawing shows below the map, as text.

use super::{LEFT, TOP, side};
use crate::rules::ruleset::Structure;
use crate::rules::state::StateRef;
use ludovec_engine::{Beside, Caption, Panel, PanelRow};

impl StateRef<'_> {
    /// The map with its coordinates, and the players.
    pub(crate) fn beside(self, caption: Caption<'_>) -> Beside {
        let map = &self.rules.map;
        let [width, height] = [map.width, map.height].map(|cells| (cells * side(map)) as f64);
        let players = caption.names.iter().enumerate().map(|(seat, name)| {
            let [castles, farms, forts] = [Structure::Castle, Structure::Farm, Structure::Fort]
                .map(|structure| self.count(seat, structure));
            let gold = self.ledger.resources[seat];
            let state = if self.is_alive(seat) { "" } else { ", out" };
            let held = format!("{gold} gold, castles {castles}, farms {farms}, forts {forts}");
            let cells = self.tiles(seat);
            let unit = if cells == 1 { "cell" } else { "cells" };
            PanelRow::new(format!("{name}{state}: {held}")).valued(format!("{cells} {unit}")).of(seat)
        });
        Beside {
            board: [4.0, TOP as f64 - 20.0, LEFT as f64 + width, height + 24.0],
            panels: vec![Panel::new("Players", players)],
        }
    }
}
