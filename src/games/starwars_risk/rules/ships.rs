//! Ships: their moves and attacks, and the effect of hits.

use super::board::{REBEL, Ship, Space, SpaceSet};
use super::events::{Event, ShipCounter, SubAction, Witness};
use super::game_data::GameData;
use super::phase::{Next, Phase};
use super::state::{PartialPlay, State};
use crate::StarWarsRisk;

impl State {
    /// The spaces next to `space` that ships of the current player may enter.
    #[inline]
    pub(crate) fn moves_from(&self, data: &GameData, space: Space) -> SpaceSet {
        data.neighbours[space.index()] & self.open(self.seat())
    }
    /// The spaces that ships of `seat` may enter.
    #[inline]
    pub(crate) fn open(&self, seat: usize) -> SpaceSet {
        SpaceSet::ALL.without(SpaceSet::MOTHERSHIPS | self.fleet(1 - seat))
    }
    /// The spaces from which ships of a kind have a move.
    #[inline]
    pub(crate) fn sources(&self, data: &GameData, ship: Ship) -> SpaceSet {
        let open = self.open(ship.side());
        let mut sources = self.with(ship);
        for space in sources.iter() {
            if (data.neighbours[space.index()] & open).is_empty() {
                sources.0 &= !(1 << space.0);
            }
        }
        sources
    }
    /// Whether the empire may spawn TIE fighters.
    #[inline]
    pub(crate) fn can_spawn(&self, data: &GameData) -> bool {
        let constants = &data.constants;
        !self.with(Ship::Executor).is_empty()
            && self.in_play(Ship::Tie) + constants.tie_spawn <= constants.max_tie
    }
    /// The spaces that ships of the current player may attack from `space`.
    #[inline]
    pub(crate) fn attacks_from(&self, data: &GameData, space: Space) -> SpaceSet {
        data.neighbours[space.index()] & self.fleet(1 - self.seat())
    }
    /// Whether ships of the current player may attack the Death Star from `space`.
    #[inline]
    pub(crate) fn deathstar_open(&self, space: Space) -> bool {
        self.seat() == REBEL && self.shield_is_down() && SpaceSet::INNER_RING.contains(space)
    }
}

impl StarWarsRisk {
    /// Moves the ships of the play: all hit points of a capital ship, the chosen number of others.
    pub(crate) fn move_ships<W: Witness>(&self, state: &mut State, witness: &mut W) {
        let play = state.play;
        if let (Some(from), Some(to)) = (play.from(), play.at()) {
            let count = if play.ship.is_capital() { state.count(play.ship, from) } else { play.count };
            state.remove(play.ship, from, count);
            state.add(play.ship, to, count);
            witness.see(|| SubAction::Move { from, ships: ShipCounter::of(play.ship, count), to }.into());
        }
    }

    /// After the ships have moved: offers an attack if there is a target.
    #[inline]
    pub(crate) fn offer_attack(&self, state: &mut State) -> Next {
        let can_attack = state
            .play
            .at()
            .is_some_and(|at| state.deathstar_open(at) || !state.attacks_from(&self.data, at).is_empty());
        if !can_attack {
            return Next::TurnCard;
        }
        state.phase = Phase::Attack;
        Next::Decide
    }

    /// One die hits a ship of the attacked space.
    pub(crate) fn hit<W: Witness>(&self, state: &mut State, ship: Ship, witness: &mut W) -> Next {
        let (Some(face), Some(target)) = (state.play.highest(), state.play.target()) else {
            return Next::TurnCard;
        };
        state.play.dice[face - 1] -= 1;
        state.remove(ship, target, 1);
        witness.see(|| Event::Hit { ship });
        if ship == Ship::Falcon && state.count(ship, target) == 0 {
            self.award(state, self.data.constants.bonus_falcon, witness);
        }
        self.next_hit(state, target, witness)
    }

    /// Continues with the highest remaining die. If it hits nothing, no lower die does.
    pub(crate) fn next_hit<W: Witness>(&self, state: &mut State, target: Space, witness: &mut W) -> Next {
        if self.hit_options(state) != 0 {
            state.phase = Phase::Hit;
            return Next::Decide;
        }
        if state.kinds_on(target) == 0 {
            self.award(state, self.data.constants.bonus_clear, witness);
        }
        Next::TurnCard
    }
}

/// The attacking ships of the play.
#[inline]
pub(crate) fn attackers(state: &State) -> ShipCounter {
    let PartialPlay { ship, count, .. } = state.play;
    let hitpoints = |at| state.count(ship, at);
    let strength = if ship.is_capital() { state.play.at().map_or(0, hitpoints) } else { count };
    ShipCounter::of(ship, strength)
}
