//! Steps: the effect of an action, the dice and cards after it, and the next decision.
//!
//! [`StarWarsRisk::choose`] is the part of a step without chance; it returns the continuation, and
//! [`StarWarsRisk::play`] continues until there is a choice again.

use super::board::{EMPIRE, REBEL, Ship};
use super::cards::Icon;
use super::events::{Event, SubAction, Witness};
use super::phase::{GameResult, Next, Phase, Roll};
use super::rounds::end;
use super::ships::attackers;
use super::state::State;
use crate::StarWarsRisk;
use crate::actions::Action;
use ludovec_engine::chance::Chance;

/// Maximum number of dice of one roll.
pub(crate) const DICE: usize = 5;

impl StarWarsRisk {
    /// A new game, advanced to its first decision.
    pub(crate) fn start<C: Chance + ?Sized>(&self, chance: &mut C) -> State {
        let mut state = State::new(&self.data);
        self.begin_round(&mut state, chance, &mut ());
        state
    }

    /// Plays `action` up to the next decision; `witness` receives all events.
    pub(crate) fn play<C: Chance + ?Sized, W: Witness>(
        &self,
        state: &mut State,
        action: u32,
        chance: &mut C,
        witness: &mut W,
    ) {
        let mut next = self.choose(state, action, witness);
        loop {
            next = match next {
                Next::Decide => match self.forced(state) {
                    Some(action) => self.choose(state, action, witness),
                    None => return,
                },
                Next::Roll(roll) => self.roll(state, roll, chance, witness),
                Next::TurnCard => self.turn_card(state, chance, witness),
                Next::End => return,
            }
        }
    }

    /// The effect of the action itself.
    pub(crate) fn choose<W: Witness>(&self, state: &mut State, action: u32, witness: &mut W) -> Next {
        let constants = &self.data.constants;
        match Action::decode(action) {
            Action::Order(kind) => {
                let seat = state.seat();
                state.piles[seat].choose(kind);
                witness.see(|| Event::Ordered { seat, card: kind });
                if state.piles[seat].ordered < constants.cards_per_round {
                    return Next::Decide;
                }
                if seat == EMPIRE {
                    return Next::TurnCard;
                }
                state.seat = EMPIRE as u8;
                Next::Decide
            }
            Action::Pass | Action::Hold => Next::TurnCard,
            Action::Icon(icon) => self.play_icon(state, icon, witness),
            Action::From(space) => {
                state.play.set_from(space);
                state.phase = Phase::To;
                Next::Decide
            }
            Action::Spawn => {
                let ships = constants.tie_spawn;
                if let Some(executor) = state.with(Ship::Executor).first() {
                    state.add(Ship::Tie, executor, ships);
                    state.play.set_at(executor);
                    state.play.count = ships;
                    witness.see(|| SubAction::Spawn { space: executor }.into());
                }
                self.offer_attack(state)
            }
            Action::To(space) if state.phase == Phase::Again => {
                if let Some(at) = state.play.at() {
                    state.play.set_from(at);
                }
                state.play.set_at(space);
                self.move_ships(state, witness);
                self.offer_attack(state)
            }
            Action::To(space) => {
                state.play.set_at(space);
                if state.play.ship.is_capital() {
                    state.play.count = 1;
                    self.move_ships(state, witness);
                    state.phase = Phase::Again;
                } else {
                    state.phase = Phase::Count;
                }
                Next::Decide
            }
            Action::Count(count) => {
                state.play.count = count;
                self.move_ships(state, witness);
                self.offer_attack(state)
            }
            Action::Stop => self.offer_attack(state),
            Action::Attack(space) => {
                state.play.set_target(space);
                witness.see(|| SubAction::Attack { ships: attackers(state), space }.into());
                Next::Roll(Roll::Attack)
            }
            Action::AttackDeathstar => {
                witness.see(|| SubAction::AttackDeathstar { ships: attackers(state) }.into());
                Next::Roll(Roll::AttackDeathstar)
            }
            Action::Fire(space) => {
                state.play.set_target(space);
                witness.see(|| SubAction::FireDeathstar { space }.into());
                Next::Roll(Roll::FireDeathstar)
            }
            Action::Hit(ship) => self.hit(state, ship, witness),
        }
    }

    fn play_icon<W: Witness>(&self, state: &mut State, icon: Icon, witness: &mut W) -> Next {
        let constants = &self.data.constants;
        match icon {
            Icon::MoveXwing
            | Icon::MoveYwing
            | Icon::MoveBwing
            | Icon::MoveFalcon
            | Icon::MoveTie
            | Icon::MoveExecutor => {
                state.play.ship = Ship::ALL[icon as usize];
                state.phase = Phase::From;
                Next::Decide
            }
            Icon::FireDeathstar => {
                state.phase = Phase::Fire;
                Next::Decide
            }
            Icon::Shield => {
                witness.see(|| SubAction::Shield.into());
                Next::Roll(Roll::Shield)
            }
            Icon::Lightsaber => {
                witness.see(|| SubAction::Lightsaber.into());
                Next::Roll(Roll::Lightsaber)
            }
            Icon::Lightning => {
                witness.see(|| SubAction::Lightning.into());
                self.damage(state, constants.lightning_damage, constants.bonus_throne_empire, witness);
                Next::TurnCard
            }
            Icon::Hat => {
                witness.see(|| SubAction::Hat.into());
                self.damage(state, u8::MAX, constants.bonus_throne_rebel_hat, witness);
                Next::TurnCard
            }
            Icon::Stormtroopers => {
                witness.see(|| SubAction::Stormtroopers.into());
                state.stormtroopers += state.stormtrooper_room(&self.data);
                Next::TurnCard
            }
        }
    }

    fn roll<C: Chance + ?Sized, W: Witness>(
        &self,
        state: &mut State,
        roll: Roll,
        chance: &mut C,
        witness: &mut W,
    ) -> Next {
        let constants = &self.data.constants;
        let count = match roll {
            Roll::Attack | Roll::AttackDeathstar => self.data.dice(state.play.ship, state.play.count),
            Roll::FireDeathstar => constants.deathstar_dice,
            Roll::Lightsaber => constants.lightsaber_dice,
            Roll::Shield => constants.shield_dice,
        };
        let mut faces = [0; DICE];
        let dice = &mut faces[..usize::from(count)];
        for die in dice.iter_mut() {
            *die = chance.uniform(6) as u8 + 1;
        }
        let dice = &*dice;
        witness.see(|| Event::Rolled { dice: dice.to_vec() });
        let showing = |least: u8| dice.iter().filter(|&&die| die >= least).count() as u8;

        match (roll, state.play.target()) {
            (Roll::Attack, Some(target)) => {
                for &die in dice {
                    state.play.dice[usize::from(die) - 1] += 1;
                }
                return self.next_hit(state, target, witness);
            }
            (Roll::FireDeathstar, Some(target)) => {
                if showing(constants.deathstar_hits_from) > 0 {
                    self.destroy(state, target, witness);
                }
            }
            (Roll::Attack | Roll::FireDeathstar, None) => {}
            (Roll::AttackDeathstar, _) => {
                if showing(constants.deathstar_falls_at) > 0 {
                    return end(state, GameResult::Rebel);
                }
            }
            (Roll::Lightsaber, _) => {
                let bonus = match state.seat() {
                    REBEL => constants.bonus_throne_rebel_lightsaber,
                    _ => constants.bonus_throne_empire,
                };
                self.damage(state, showing(constants.lightsaber_hits_from), bonus, witness);
            }
            (Roll::Shield, _) => self.run(state, dice),
        }
        Next::TurnCard
    }
}
