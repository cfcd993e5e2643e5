//! The rule set derived from the options.

use super::state::Army;

/// Players, length, and the rules on which the original engine and the published rule book differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ruleset {
    /// Seats, 2 to 5.
    pub players: usize,
    /// Turns each player takes: 10, 10, 9 and 8 for 2, 3, 4 and 5 players.
    pub turns: u8,
    /// The first two conquests of Halflings ignore adjacency. If false, as published, they may only enter the map
    /// anywhere.
    pub halflings_leap_twice: bool,
    /// Declined Ghouls play as if still active, as published: if a region of theirs is conquered they lose one
    /// token and keep the others in hand for their next turn, even without a region left. If false, all tokens in
    /// the region are lost, as for every declined race.
    pub ghouls_retreat: bool,
    /// Seas and lakes cost a Seafaring race one token less.
    pub seafaring_discount: bool,
    /// Observations include the coins of all players.
    pub public_coins: bool,
}

impl Ruleset {
    /// The default rules.
    #[must_use]
    pub fn original(players: usize) -> Self {
        Self {
            players,
            turns: [10, 10, 9, 8][players - 2],
            halflings_leap_twice: true,
            ghouls_retreat: false,
            seafaring_discount: false,
            public_coins: false,
        }
    }

    /// Whether a race that has lost its last region in decline stays in the game with the tokens it saved.
    pub(crate) fn outlives_its_regions(&self, army: &Army) -> bool {
        self.ghouls_retreat && army.race().is_some_and(|race| race.ability().fights_in_decline)
    }

    /// The rules as published.
    #[must_use]
    pub fn official(players: usize) -> Self {
        Self { halflings_leap_twice: false, ghouls_retreat: true, ..Self::original(players) }
    }
}
