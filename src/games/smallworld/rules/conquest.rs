//! Conquests: preparing an army, taking a region, and the fate of its defenders.
//!
//! The possible conquests and their costs are in [`conquest_costs`](super::conquest_costs).

use super::abilities::AfterRedeployment;
use super::conquest_costs::{ConquestOptions, Discounts, MAX_PIPS};
use super::map::RegionId;
use super::phase::Phase;
use super::pieces::markers;
use super::state::{ArmyId, slot};
use super::step::{Stage, TurnContext};
use ludovec_engine::chance::Chance;

/// The number of the die's six faces with 0, 1, 2 and 3 pips.
pub(crate) const DIE_FACES: [u32; MAX_PIPS as usize + 1] = [3, 1, 1, 1];

/// The way a region is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Attack {
    /// With its cost in tokens, including the die.
    Tokens,
    /// With one token and the dragon.
    Dragon,
    /// By Sorcerers: replaces the defender's token.
    Conversion,
}

impl<C: Chance + ?Sized> TurnContext<'_, C> {
    /// Begins the conquests of the mover's Ghouls in decline, if it has any: all except one token of each of their
    /// regions go to the hand.
    pub(crate) fn ghoul_conquest(&mut self) -> Option<Stage> {
        let seat = usize::from(self.state.seat);
        let fights = |s: &usize| {
            self.state.armies[seat][*s].race().is_some_and(|race| race.ability().fights_in_decline)
        };
        let Some(slot) = [slot::DECLINED, slot::SPIRIT].into_iter().find(fights) else {
            return Some(Stage::Conquest);
        };
        let ghouls = ArmyId { seat, slot };
        self.state.slot = slot as u8;
        self.state.gather(ghouls);
        self.state.may_abandon = 1;
        self.state.set_phase(Phase::GhoulConquest);
        Some(Stage::NextConquest)
    }

    /// Begins the conquests of the active race: all except one token of each region go to the hand, pieces that are
    /// placed every turn leave the map, and Amazons borrow tokens.
    pub(crate) fn conquest(&mut self) -> Option<Stage> {
        let state = &mut *self.state;
        let id = ArmyId { seat: usize::from(state.seat), slot: slot::ACTIVE };
        state.slot = slot::ACTIVE as u8;
        let held = state.held(id);
        state.gather(id);
        let [race, power] = state.abilities(id);
        match power.after_redeployment {
            AfterRedeployment::Heroes => state.unmark(held, markers::HERO),
            AfterRedeployment::Encampments => {
                state.strike_encampments(held);
                state.loose_encampments = 0;
            }
            _ => {}
        }
        state.debt = race.loan;
        if race.loan > 0 {
            let army = state.army_mut(id);
            army.hand += race.loan;
            let race = usize::from(army.race);
            state.tray[race] -= state.debt;
        }
        state.may_abandon = 1;
        state.set_phase(Phase::Conquest);
        Some(Stage::NextConquest)
    }

    /// Waits for the next decision of the acting army, or continues with redeployment if there is none.
    pub(crate) fn next_conquest(&mut self) -> Option<Stage> {
        let id = self.state.acting();
        // The cheap tests come first: they settle most cases without computing the options.
        let rolled = self.state.die > 0;
        if self.state.may_abandon != 0 && !rolled && !self.state.held(id).is_empty() {
            return None;
        }
        let [race, _] = self.state.abilities(id);
        if self.state.army(id).hand == 0 && !race.converts {
            return Some(Stage::Redeploy);
        }
        let options = ConquestOptions::new(self.rules, self.state);
        if options.is_over() {
            self.state.die = 0;
            return Some(Stage::Redeploy);
        }
        if id.slot == slot::ACTIVE {
            let hand = self.state.army(id).hand;
            let sure = options.dragon | options.convert | options.abandon;
            // No conquest is affordable with the tokens in hand alone: only an attempt with the die is left.
            let only_gambles =
                sure.is_empty() && self.state.die == 0 && options.within(self.state, hand).is_empty();
            self.state.set_phase(if only_gambles { Phase::FinalConquest } else { Phase::Conquest });
        }
        None
    }

    /// Conquers `region` for its cost in tokens. If the hand holds fewer, the die is rolled and the whole hand
    /// attacks. This ends the conquests of the turn, even if the attack fails.
    pub(crate) fn conquer(&mut self, region: RegionId) -> Stage {
        let id = self.state.acting();
        let cost = Discounts::new(self.rules, self.state).cost(self.state, region);
        let hand = self.state.army(id).hand;
        self.state.may_abandon = 0;
        self.state.die = 0;
        if cost <= hand {
            self.take(id, region, cost, Attack::Tokens);
            return Stage::NextConquest;
        }
        if cost <= hand + self.roll() {
            self.take(id, region, hand, Attack::Tokens);
        }
        Stage::Redeploy
    }

    /// Takes `region` with the dragon and one token.
    pub(crate) fn use_dragon(&mut self, region: RegionId) -> Stage {
        let id = self.state.acting();
        self.state.unmark(self.state.held(id), markers::DRAGON);
        self.state.dragon_used = 1;
        self.take(id, region, 1, Attack::Dragon);
        Stage::NextConquest
    }

    /// Replaces the lone token in `region` with one from the tray.
    pub(crate) fn use_sorcerer(&mut self, region: RegionId) -> Stage {
        let id = self.state.acting();
        let victim = self.state.occupant(region).expect("a token to convert");
        self.state.converted |= 1 << victim.seat;
        let army = self.state.army_mut(id);
        army.hand += 1;
        let race = usize::from(army.race);
        self.state.tray[race] -= 1;
        self.take(id, region, 1, Attack::Conversion);
        Stage::NextConquest
    }

    /// Rolls the die before the target is chosen.
    pub(crate) fn roll_first(&mut self) -> Stage {
        self.state.die = self.roll() + 1;
        Stage::NextConquest
    }

    /// Abandons a region; its tokens go to the hand.
    pub(crate) fn abandon(&mut self, region: RegionId) -> Stage {
        let id = self.state.acting();
        let tokens = self.state.vacate(id, region);
        self.state.army_mut(id).hand += tokens;
        Stage::NextConquest
    }

    fn roll(&mut self) -> u8 {
        self.chance.weighted(&DIE_FACES) as u8
    }

    /// Takes `region`: drives out its holder, moves `tokens` there from the attacker's hand, and adds the markers
    /// of the attacker's race.
    fn take(&mut self, attacker: ArmyId, region: RegionId, tokens: u8, attack: Attack) {
        let defender = self.state.occupant(region);
        let state = &mut *self.state;
        let i = region.index();
        let battle = defender.is_some() || state.markers[i] & markers::LOST_TRIBE != 0;
        state.loose_encampments += state.encampments[i];
        let beaten = state.clear(region);

        state.held[attacker.seat][attacker.slot].insert(region);
        state.army_mut(attacker).hand -= tokens;
        state.tokens[i] = tokens;
        let [race, _] = state.abilities(attacker);
        state.markers[i] = race.marks;
        if state.leaps < race.holes {
            state.leaps += 1;
            state.markers[i] |= markers::HOLE;
        }
        if attack == Attack::Dragon {
            state.markers[i] |= markers::DRAGON;
        }
        state.refresh_base_cost(region);
        state.may_abandon = 0;
        if attacker.slot == slot::ACTIVE {
            state.conquered.insert(region);
            state.battles += u8::from(battle);
        }
        if let Some(defender) = defender {
            self.rout(attacker, defender, region, beaten, attack);
        }
    }

    /// Resolves the loss of the `tokens` of a defender driven out of `region`. One token is lost, unless the race
    /// saves it; the others wait to be redeployed. All are lost if they are converted, or if the race is in decline
    /// and does not outlive its regions.
    fn rout(&mut self, attacker: ArmyId, id: ArmyId, region: RegionId, tokens: u8, attack: Attack) {
        let state = &mut *self.state;
        let [race, _] = state.abilities(id);
        let retreats = id.slot == slot::ACTIVE || self.rules.outlives_its_regions(state.army(id));
        let dead = if attack == Attack::Conversion || !retreats { tokens } else { 1 - race.saves };
        let army = state.army_mut(id);
        // A seat's own Ghouls may drive out its own active race. That race has yet to conquer this turn, so the
        // tokens go to its hand rather than waiting for the end of the turn.
        if id.seat == attacker.seat && id.slot == slot::ACTIVE {
            army.hand += tokens - dead;
        } else {
            army.displaced += tokens - dead;
        }
        let race = usize::from(army.race);
        state.tray[race] += dead;
        state.held[id.seat][id.slot].remove(region);
        if id.slot == slot::ACTIVE {
            if id.seat != attacker.seat {
                state.attacked |= 1 << id.seat;
            }
        } else {
            self.leave_if_gone(id);
        }
    }

    /// Removes a race in decline from the game if it holds no region and has no tokens waiting to return.
    pub(crate) fn leave_if_gone(&mut self, id: ArmyId) {
        let waits = self.rules.outlives_its_regions(self.state.army(id)) && self.state.off_map(id) > 0;
        if self.state.held(id).is_empty() && !waits {
            self.lose_army(id);
        }
    }
}
