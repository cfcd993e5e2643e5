//! Validation of positions of arbitrary contents.

use crate::rules::ruleset::Structure;
use crate::rules::state::StateRef;
use ludovec_engine::{Error, MAX_PLAYERS, Result};

impl StateRef<'_> {
    /// Validates this position, with arbitrary bytes, for further play.
    pub(crate) fn validate(self) -> Result<()> {
        self.validate_world()?;
        self.validate_ledger()
    }

    fn validate_world(self) -> Result<()> {
        let (rules, map) = (self.rules, &self.rules.map);
        if self.planes().iter().step_by(map.stride()).any(|&guard| guard != 0) {
            return Err(Error::state("a guard word between two planes is not 0"));
        }
        for i in 0..map.words {
            let existing = if i + 1 == map.words { map.last_word } else { !0 };
            let mut owned = 0;
            for seat in 0..rules.players {
                let word = self.owned(seat)[i];
                if word & !existing != 0 {
                    return Err(Error::state(format!("player {seat} owns cells outside the map")));
                }
                if word & owned != 0 {
                    return Err(Error::state(format!("player {seat} owns cells of another player")));
                }
                owned |= word;
            }
            let mut built = 0;
            for structure in Structure::BUILDABLE {
                let word = self.built(structure)[i];
                if word & !owned != 0 {
                    return Err(Error::state(format!("a {} is on neutral land", structure.name())));
                }
                if word & built != 0 {
                    return Err(Error::state(format!("a {} is on another structure", structure.name())));
                }
                built |= word;
            }
        }
        Ok(())
    }

    fn validate_ledger(self) -> Result<()> {
        let (rules, ledger) = (self.rules, self.ledger);
        let refuse = |what: String| Err(Error::state(what));
        if !(1..=rules.max_turns).contains(&ledger.turn) {
            return refuse(format!("turn {}: 1 to {} is allowed", ledger.turn, rules.max_turns));
        }
        for seat in 0..MAX_PLAYERS {
            let eliminated = u32::from(ledger.eliminated[seat]);
            if seat >= rules.players && (eliminated != 0 || ledger.resources[seat] != 0) {
                return refuse(format!("seat {seat} of a game of {} is not empty", rules.players));
            }
            if eliminated >= ledger.turn {
                return refuse(format!(
                    "player {seat} is eliminated in turn {eliminated}: a turn before {} is allowed",
                    ledger.turn
                ));
            }
        }
        for seat in (0..rules.players).filter(|&seat| !self.is_alive(seat)) {
            if self.count(seat, Structure::Castle) > 0 {
                return refuse(format!("player {seat} is eliminated and has a castle"));
            }
        }
        let alive = self.alive().fold(0u16, |set, seat| set | 1 << seat);
        let over = ledger.turn == rules.max_turns || alive.count_ones() < 2;
        if over {
            if ledger.waiting != 0 || ledger.current != 0 {
                return refuse("a player is to move in a game that is over".into());
            }
        } else if ledger.waiting & !alive != 0 {
            return refuse("an eliminated player waits to move".into());
        } else if ledger.current >= rules.players as u16 || ledger.waiting >> ledger.current & 1 == 0 {
            return refuse(format!("player {} is to move, but not waiting", ledger.current));
        }
        Ok(())
    }
}
