//! The action mask.

use super::conquest_costs::ConquestOptions;
use super::map::RegionSet;
use super::phase::Phase;
use super::ruleset::Ruleset;
use super::state::State;
use crate::actions::index;
use ludovec_engine::mask;

/// Overwrites `row` with the legal actions.
pub(crate) fn legal(rules: &Ruleset, state: &State, row: &mut [u64]) {
    row.fill(0);
    let set = |row: &mut [u64], action: u32| mask::set(row, action);
    let regions = |row: &mut [u64], family: u32, set: RegionSet| mask::or_at(row, family as usize, set.0);
    let seat = usize::from(state.mover);
    match state.phase() {
        Phase::PickCombo => {
            mask::or_at(row, index::PICK as usize, (1 << state.affordable_combos(seat)) - 1);
        }
        Phase::ChooseExpandOrDecline => {
            set(row, index::EXPAND);
            set(row, index::DECLINE);
        }
        Phase::Conquest | Phase::GhoulConquest | Phase::FinalConquest => {
            let options = ConquestOptions::new(rules, state);
            regions(row, index::ABANDON, options.abandon);
            regions(row, index::CONQUER, options.conquer);
            regions(row, index::DRAGON, options.dragon);
            regions(row, index::SORCERER, options.convert);
            if options.roll {
                set(row, index::ROLL);
            }
            set(row, index::DONE);
        }
        Phase::Redeploy if state.debt > 0 => regions(row, index::ABANDON, state.active(seat)),
        Phase::Redeploy | Phase::OpponentRedeploy => {
            let sites = state.sites();
            regions(row, index::PLACE, sites.place);
            regions(row, index::REST, sites.rest);
        }
        Phase::PlaceEncampments | Phase::PlaceFortress | Phase::PlaceHeroes => {
            let sites = state.sites();
            regions(row, index::PLACE, sites.place);
            regions(row, index::REST, sites.rest);
            set(row, index::DONE);
        }
        Phase::ChooseDiplomatAlly => {
            for offset in 1..rules.players {
                let other = (seat + offset) % rules.players;
                if state.attacked >> other & 1 == 0 {
                    set(row, index::ALLY + offset as u32 - 1);
                }
            }
            set(row, index::DONE);
        }
        Phase::StoutDecline => {
            set(row, index::DECLINE);
            set(row, index::DONE);
        }
        Phase::Score | Phase::TurnEnd | Phase::GameOver => {}
    }
}
