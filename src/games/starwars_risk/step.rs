//! Playing: what an action does, what dice and cards follow, and whose decision comes next.
//!
//! [`StarWarsRisk::choose`] is the part of a step that involves no chance; it says what comes next, and
//! [`StarWarsRisk::play`] goes on until somebody has a choice again.

use super::StarWarsRisk;
use super::actions::Action;
use super::board::{EMPIRE, REBEL, SHIELD_RUN, Ship, Space, SpaceSet};
use super::cards::Icon;
use super::events::{Event, ShipCounter, SubAction, Witness};
use super::state::{Outcome, Phase, Play, State};
use crate::engine::chance::Chance;

/// Most dice of one roll.
pub(super) const DICE: usize = 5;

/// What follows an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// A decision, or what takes its place when there is one way on.
    Decide,
    /// Dice.
    Roll(Roll),
    /// The play of the card is over.
    TurnCard,
    /// The game is over.
    End,
}

/// What dice are rolled for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Roll {
    Attack,
    AttackDeathstar,
    FireDeathstar,
    Lightsaber,
    Shield,
}

impl StarWarsRisk {
    /// A new game up to the first decision.
    pub(super) fn start<C: Chance + ?Sized>(&self, chance: &mut C) -> State {
        let mut state = State::new(&self.tables);
        self.begin_round(&mut state, chance, &mut ());
        state
    }

    /// Plays `action` up to the next decision; `witness` sees everything that happens.
    pub(super) fn play<C: Chance + ?Sized, W: Witness>(
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

    /// What the action itself does.
    pub(super) fn choose<W: Witness>(&self, state: &mut State, action: u32, witness: &mut W) -> Next {
        let constants = &self.tables.constants;
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
        let constants = &self.tables.constants;
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
                state.stormtroopers += state.stormtrooper_room(&self.tables);
                Next::TurnCard
            }
        }
    }

    /// Moves the ships of the play: of a capital ship its hit points, of others as many as were chosen.
    fn move_ships<W: Witness>(&self, state: &mut State, witness: &mut W) {
        let play = state.play;
        if let (Some(from), Some(to)) = (play.from(), play.at()) {
            let count = if play.ship.is_capital() { state.count(play.ship, from) } else { play.count };
            state.remove(play.ship, from, count);
            state.add(play.ship, to, count);
            witness.see(|| SubAction::Move { from, ships: ShipCounter::of(play.ship, count), to }.into());
        }
    }

    /// After the ships have moved: they may attack where there is something to attack.
    fn offer_attack(&self, state: &mut State) -> Next {
        let can_attack = state
            .play
            .at()
            .is_some_and(|at| state.deathstar_open(at) || !state.attacks_from(&self.tables, at).is_empty());
        if !can_attack {
            return Next::TurnCard;
        }
        state.phase = Phase::Attack;
        Next::Decide
    }

    /// One die hits a ship of the attacked space.
    fn hit<W: Witness>(&self, state: &mut State, ship: Ship, witness: &mut W) -> Next {
        let (Some(face), Some(target)) = (state.play.highest(), state.play.target()) else {
            return Next::TurnCard;
        };
        state.play.dice[face - 1] -= 1;
        state.remove(ship, target, 1);
        witness.see(|| Event::Hit { ship });
        if ship == Ship::Falcon && state.count(ship, target) == 0 {
            self.award(state, self.tables.constants.bonus_falcon, witness);
        }
        self.next_hit(state, target, witness)
    }

    /// Goes on with the highest die left. Where it hits nothing, no lower die does.
    fn next_hit<W: Witness>(&self, state: &mut State, target: Space, witness: &mut W) -> Next {
        if self.hit_options(state) != 0 {
            state.phase = Phase::Hit;
            return Next::Decide;
        }
        if state.kinds_on(target) == 0 {
            self.award(state, self.tables.constants.bonus_clear, witness);
        }
        Next::TurnCard
    }

    /// Bonus cards for the seat to move.
    fn award<W: Witness>(&self, state: &mut State, cards: u8, witness: &mut W) {
        let seat = state.seat();
        let mut shuffled = false;
        let cards = state.piles[seat].award(cards, &mut shuffled);
        if shuffled {
            witness.see(|| Event::Shuffled { seat });
        }
        witness.see(|| Event::Bonus { seat, cards });
    }

    /// Takes the opponent's counter in the throne room down; the bonus is for bringing it to 0.
    fn damage<W: Witness>(&self, state: &mut State, amount: u8, bonus: u8, witness: &mut W) {
        let counter = &mut state.throne[1 - usize::from(state.seat)];
        *counter = counter.saturating_sub(amount);
        if *counter == 0 {
            self.award(state, bonus, witness);
        }
    }

    fn roll<C: Chance + ?Sized, W: Witness>(
        &self,
        state: &mut State,
        roll: Roll,
        chance: &mut C,
        witness: &mut W,
    ) -> Next {
        let constants = &self.tables.constants;
        let count = match roll {
            Roll::Attack | Roll::AttackDeathstar => self.tables.dice(state.play.ship, state.play.count),
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
                    return end(state, Outcome::Rebel);
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

    /// The Death Star has hit a space.
    fn destroy<W: Witness>(&self, state: &mut State, target: Space, witness: &mut W) {
        let falcon = state.count(Ship::Falcon, target) > 0;
        state.clear(target);
        if SpaceSet::MOTHERSHIPS.contains(target) {
            state.motherships &= !(1 << target.0);
            return;
        }
        let constants = &self.tables.constants;
        self.award(state, constants.bonus_clear + if falcon { constants.bonus_falcon } else { 0 }, witness);
    }

    /// Each next space of the shield run takes the smallest die that suffices.
    fn run(&self, state: &mut State, dice: &[u8]) {
        let mut by_face = [0u8; 8];
        for &die in dice {
            by_face[usize::from(die)] += 1;
        }
        while usize::from(state.shield) < SHIELD_RUN {
            let space = self.tables.shield_run[usize::from(state.shield)];
            let value = usize::from(space + u8::from(state.stormtroopers > 0));
            let Some(face) = (value..=6).find(|&face| by_face[face] > 0) else { return };
            by_face[face] -= 1;
            state.shield += 1;
            state.stormtroopers = state.stormtroopers.saturating_sub(1);
        }
    }

    /// The play of a card is over: the next card is turned that somebody can play.
    fn turn_card<C: Chance + ?Sized, W: Witness>(
        &self,
        state: &mut State,
        chance: &mut C,
        witness: &mut W,
    ) -> Next {
        state.play = Play::NONE;
        state.set_card(None);
        if state.fleet(REBEL).is_empty() {
            return end(state, Outcome::Empire);
        }
        loop {
            let waiting = |seat: u8| state.piles[usize::from(seat)].waiting() > 0;
            if waiting(1 - state.seat) {
                state.seat = 1 - state.seat;
            } else if !waiting(state.seat) {
                return self.begin_round(state, chance, witness);
            }
            let seat = state.seat();
            let card = state.piles[seat].turn(chance);
            state.turns = state.turns.saturating_add(1);
            witness.see(|| Event::Turned { seat, card });
            if state.playable_icons(&self.tables, card) != 0 {
                state.set_card(Some(card));
                state.phase = Phase::Icon;
                return Next::Decide;
            }
        }
    }

    /// Both seats draw; the rebellion orders first. After the last round the game ends.
    fn begin_round<C: Chance + ?Sized, W: Witness>(
        &self,
        state: &mut State,
        chance: &mut C,
        witness: &mut W,
    ) -> Next {
        if state.round >= self.max_rounds {
            return end(state, Outcome::Rounds);
        }
        state.round += 1;
        for seat in [REBEL, EMPIRE] {
            while state.piles[seat].hand_size < self.tables.constants.hand {
                let mut shuffled = false;
                let drawn = state.piles[seat].deal(&mut shuffled, chance);
                if shuffled {
                    witness.see(|| Event::Shuffled { seat });
                }
                let Some(card) = drawn else { break };
                witness.see(|| Event::Drew { seat, card });
            }
        }
        state.phase = Phase::Order;
        state.seat = REBEL as u8;
        Next::Decide
    }
}

/// What the ships of the play attack with.
fn attackers(state: &State) -> ShipCounter {
    let Play { ship, count, .. } = state.play;
    let hitpoints = |at| state.count(ship, at);
    let strength = if ship.is_capital() { state.play.at().map_or(0, hitpoints) } else { count };
    ShipCounter::of(ship, strength)
}

fn end(state: &mut State, outcome: Outcome) -> Next {
    state.phase = Phase::Over;
    state.outcome = outcome;
    state.play = Play::NONE;
    state.set_card(None);
    Next::End
}
