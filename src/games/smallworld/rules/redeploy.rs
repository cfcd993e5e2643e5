//! Redeployment: spreading tokens over the held regions, then placing the pieces of powers. The turn owner redeploys
//! first; the seats with conquered regions redeploy at the end of the turn.
//!
//! Pieces are placed one region after the other by increasing id, so that every distribution is reached by one
//! sequence of actions (almost: the last pieces can go one by one or all at once). `cursor` is the lowest region
//! that may still get a piece.

use super::abilities::AfterRedeployment;
use super::map::{RegionId, RegionSet};
use super::phase::Phase;
use super::pieces::{markers, stock};
use super::state::{ArmyId, NONE, State, slot};
use super::step::{Stage, TurnContext};
use ludovec_engine::chance::Chance;

/// The regions for the next piece.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sites {
    /// For one piece.
    pub place: RegionSet,
    /// For all remaining pieces.
    pub rest: RegionSet,
}

impl State {
    /// The regions in which the mover may put the next token or marker in a placement phase; none in other phases.
    #[inline]
    pub(crate) fn sites(&self) -> Sites {
        let open = self.held(self.acting()).from_id_up(RegionId(self.cursor));
        let none = RegionSet::EMPTY;
        match self.phase() {
            Phase::Redeploy | Phase::OpponentRedeploy if self.debt == 0 => {
                if self.tokens_to_place() == 1 {
                    return Sites { place: open, rest: none };
                }
                // The last region can only get all remaining pieces, because no region after it could get the
                // others.
                let last = RegionSet(1 << (63 - (open.0 | 1).leading_zeros()));
                Sites { place: open - last, rest: open }
            }
            Phase::PlaceEncampments => Sites { place: open, rest: open.when(self.loose_encampments > 1) },
            Phase::PlaceFortress => Sites { place: open - self.marked(markers::FORTRESS), rest: none },
            Phase::PlaceHeroes => Sites { place: open, rest: none },
            _ => Sites { place: none, rest: none },
        }
    }

    /// Number of tokens that the acting army has left to place.
    fn tokens_to_place(&self) -> u8 {
        let army = self.army(self.acting());
        if self.phase() == Phase::OpponentRedeploy { army.displaced } else { army.hand }
    }

    /// Moves `n` of the tokens to place to `region`.
    fn place_tokens(&mut self, region: RegionId, n: u8) {
        let displaced = self.phase() == Phase::OpponentRedeploy;
        let army = self.army_mut(self.acting());
        *(if displaced { &mut army.displaced } else { &mut army.hand }) -= n;
        self.tokens[region.index()] += n;
        self.base_cost[region.index()] += n;
    }
}

impl<C: Chance + ?Sized> TurnContext<'_, C> {
    /// Begins the redeployment of the acting army: all except one token of each region go to the hand, Skeletons
    /// get their recruits, and Amazons return borrowed tokens as far as the hand allows.
    pub(crate) fn redeploy(&mut self) -> Option<Stage> {
        let state = &mut *self.state;
        let id = state.acting();
        state.gather(id);
        let [ability, _] = state.abilities(id);
        let race = usize::from(state.army(id).race);
        if let Some(earned) = state.battles.checked_div(ability.battles_per_recruit) {
            let recruits = earned.min(state.tray[race]);
            state.tray[race] -= recruits;
            state.army_mut(id).hand += recruits;
        }
        let paid = state.debt.min(state.army(id).hand);
        state.army_mut(id).hand -= paid;
        state.tray[race] += paid;
        state.debt -= paid;
        state.cursor = 0;
        state.set_phase(Phase::Redeploy);
        Some(Stage::Spread)
    }

    /// Gives up a region to return its token, which was borrowed.
    pub(crate) fn shed(&mut self, region: RegionId) -> Stage {
        let id = self.state.acting();
        let tokens = self.state.vacate(id, region);
        let race = usize::from(self.state.army(id).race);
        self.state.tray[race] += tokens;
        self.state.debt -= tokens;
        Stage::Spread
    }

    /// Waits for the region of the next token, or continues if there is no choice: regions are given up
    /// automatically if all of them must be, and the last open region gets all tokens.
    pub(crate) fn spread(&mut self) -> Option<Stage> {
        let held = self.state.held(self.state.acting());
        if self.state.debt > 0 {
            if held.len() > usize::from(self.state.debt) {
                return None;
            }
            for region in held {
                self.shed(region);
            }
        }
        let open = self.state.held(self.state.acting()).from_id_up(RegionId(self.state.cursor));
        let tokens = self.state.tokens_to_place();
        match open.lowest() {
            Some(only) if tokens > 0 && open.len() == 1 => self.state.place_tokens(only, tokens),
            Some(_) if tokens > 0 => return None,
            _ => {}
        }
        Some(self.after_spreading())
    }

    fn after_spreading(&mut self) -> Stage {
        if self.state.phase() == Phase::OpponentRedeploy {
            return Stage::Opponents;
        }
        let id = self.state.acting();
        if id.slot == slot::ACTIVE {
            return Stage::PlacePieces;
        }
        self.leave_if_gone(id);
        Stage::Conquest
    }

    /// Begins the effect of the active race's power after redeployment: hands out its pieces, if any can be placed,
    /// or offers a peace.
    pub(crate) fn place_pieces(&mut self) -> Option<Stage> {
        let id = self.state.acting();
        let held = self.state.held(id);
        let [_, power] = self.state.abilities(id);
        self.state.cursor = 0;
        let Some(phase) = power.after_redeployment.phase() else { return Some(Stage::Score) };
        let possible = match power.after_redeployment {
            AfterRedeployment::Nothing => false,
            AfterRedeployment::Encampments => {
                self.state.loose_encampments = if held.is_empty() { 0 } else { stock::ENCAMPMENTS };
                !held.is_empty()
            }
            AfterRedeployment::Fortress => {
                let built = self.state.marked(markers::FORTRESS);
                let left = built.len() < usize::from(stock::FORTRESSES);
                left && !(held - built).is_empty()
            }
            AfterRedeployment::Heroes => {
                self.state.loose_heroes = stock::HEROES;
                !held.is_empty()
            }
            AfterRedeployment::Ally => {
                let seats = (1 << self.rules.players) - 1;
                let unhurt = seats & !self.state.attacked & !(1 << id.seat);
                unhurt != 0
            }
        };
        if possible {
            self.state.set_phase(phase);
            return None;
        }
        Some(self.after_placing())
    }

    /// Puts one token or marker into `region`.
    pub(crate) fn place(&mut self, region: RegionId) -> Option<Stage> {
        let state = &mut *self.state;
        let i = region.index();
        state.cursor = region.0;
        match state.phase() {
            Phase::PlaceEncampments => {
                state.loose_encampments -= 1;
                state.encampments[i] += 1;
                state.base_cost[i] += 1;
                (state.loose_encampments == 0).then(|| self.after_placing())
            }
            Phase::PlaceFortress => {
                state.markers[i] |= markers::FORTRESS;
                state.base_cost[i] += 1;
                Some(self.after_placing())
            }
            Phase::PlaceHeroes => {
                state.markers[i] |= markers::HERO;
                state.loose_heroes -= 1;
                state.cursor += 1;
                let full = state.loose_heroes == 0 || state.sites().place.is_empty();
                full.then(|| self.after_placing())
            }
            _ => {
                state.place_tokens(region, 1);
                Some(Stage::Spread)
            }
        }
    }

    /// Puts all remaining tokens or encampments into `region`.
    pub(crate) fn place_rest(&mut self, region: RegionId) -> Stage {
        let state = &mut *self.state;
        if state.phase() == Phase::PlaceEncampments {
            state.encampments[region.index()] += state.loose_encampments;
            state.base_cost[region.index()] += state.loose_encampments;
            return self.after_placing();
        }
        let tokens = state.tokens_to_place();
        state.place_tokens(region, tokens);
        self.after_spreading()
    }

    /// Makes peace with a seat until the turn owner's next turn.
    pub(crate) fn choose_ally(&mut self, ally: usize) -> Stage {
        self.state.diplomat = self.state.seat;
        self.state.ally = ally as u8;
        self.after_placing()
    }

    /// Ends the placement of pieces; unplaced pieces are out of use until the next turn.
    pub(crate) fn after_placing(&mut self) -> Stage {
        if self.state.phase() == Phase::PlaceEncampments {
            self.state.loose_encampments = 0;
        }
        self.state.loose_heroes = 0;
        if self.state.mover == self.state.seat { Stage::Score } else { Stage::Opponents }
    }

    /// Lets the next seat that lost regions redeploy its surviving tokens and encampments: clockwise from the
    /// turn owner, that seat last.
    pub(crate) fn opponents(&mut self) -> Option<Stage> {
        let players = self.rules.players;
        for step in 1..=players {
            let seat = (usize::from(self.state.seat) + step) % players;
            for slot in 0..slot::COUNT {
                let id = ArmyId { seat, slot };
                if self.state.army(id).displaced > 0 {
                    if self.state.held(id).is_empty() {
                        let army = self.state.army_mut(id);
                        army.hand += std::mem::take(&mut army.displaced);
                        continue;
                    }
                    return self.begin_victim(id, Phase::OpponentRedeploy);
                }
            }
            let id = ArmyId { seat, slot: slot::ACTIVE };
            let [_, power] = self.state.abilities(id);
            if self.state.loose_encampments > 0 && power.after_redeployment == AfterRedeployment::Encampments
            {
                if self.state.held(id).is_empty() {
                    self.state.loose_encampments = 0;
                    continue;
                }
                return self.begin_victim(id, Phase::PlaceEncampments);
            }
        }
        Some(Stage::TurnEnd)
    }

    fn begin_victim(&mut self, id: ArmyId, phase: Phase) -> Option<Stage> {
        self.state.mover = id.seat as u8;
        self.state.slot = id.slot as u8;
        self.state.cursor = 0;
        self.state.set_phase(phase);
        if phase == Phase::OpponentRedeploy { Some(Stage::Spread) } else { None }
    }

    /// Ends a peace when the next turn of the seat that offered it begins.
    pub(crate) fn end_peace(&mut self) {
        if self.state.diplomat == self.state.seat {
            self.state.diplomat = NONE;
            self.state.ally = NONE;
        }
    }
}
