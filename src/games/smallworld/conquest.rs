//! What can be conquered at what cost, and what a conquest does.

use super::abilities::{Ability, Placement};
use super::columns;
use super::map::{RegionId, RegionSet};
use super::phase::Phase;
use super::ruleset::Ruleset;
use super::state::{ArmyId, State, markers, slot};
use super::step::{Play, Stage};
use crate::engine::chance::Chance;

/// Most pips the reinforcement die shows.
pub(super) const MAX_PIPS: u8 = 3;
/// How many of the die's six faces show 0, 1, 2 and 3 pips.
const DIE_FACES: [u32; 4] = [3, 1, 1, 1];

impl State {
    /// The abilities of an army's race and power; none in decline.
    #[inline]
    pub(super) fn abilities(&self, id: ArmyId) -> [&'static Ability; 2] {
        static NONE: Ability = Ability::NONE;
        let army = self.army(id);
        match (army.race(), army.power()) {
            (Some(race), Some(power)) if id.slot == slot::ACTIVE => [race.ability(), power.ability()],
            _ => [&NONE, &NONE],
        }
    }
}

/// What the acting army may do in a conquest phase.
#[derive(Debug, Clone, Copy)]
pub(super) struct Campaign {
    /// What nothing but its reach and its tokens keeps it from attacking.
    attackable: RegionSet,
    /// What it may attack if it has the tokens.
    targets: RegionSet,
    /// Regions that cost it at least one token less, and those that cost two less.
    cheaper: [RegionSet; 2],
    /// Attacks with the tokens in hand, or with the die as the last attempt.
    pub conquer: RegionSet,
    /// Regions the dragon may take.
    pub dragon: RegionSet,
    /// Regions whose lone token may be converted: they touch held ones, over linked caverns too. What is in reach
    /// for another reason, as everything is for who flies, is not enough.
    pub convert: RegionSet,
    /// Regions that may be abandoned.
    pub abandon: RegionSet,
    /// Whether the die may be rolled before choosing a target.
    pub roll: bool,
}

impl Campaign {
    /// The choices of the acting army.
    #[inline]
    pub(super) fn new(rules: &Ruleset, state: &State) -> Self {
        let (map, id) = (&state.map, state.acting());
        let abilities = state.abilities(id);
        let [race, power] = abilities;
        let hand = state.army(id).hand;
        let own = state.held(id);

        let links = race.linked.regions(map) | power.linked.regions(map);
        let near = map.around(own) | links.when(own.intersects(links));
        let leaps = race.holes > 0
            && if rules.halflings_leap_twice { state.leaps < race.holes } else { own.is_empty() };
        let reach = near
            | race.in_reach.regions(map)
            | power.in_reach.regions(map)
            | (map.border() | map.shore()).when(own.is_empty())
            | map.all().when(leaps);
        let sailed = race.sails.regions(map) | power.sails.regions(map);
        let attackable = (map.land() | sailed) - own - state.marked(markers::IMMUNE) - state.at_peace(id);
        let targets = reach & attackable;

        let by_race = race.cheap.regions(map) | map.around(own & race.cheap_around.regions(map));
        let by_power = power.cheap.regions(map) | sailed.when(rules.seafaring_discount);
        let mut campaign = Self {
            attackable,
            targets,
            cheaper: [by_race | by_power, by_race & by_power],
            conquer: RegionSet::EMPTY,
            dragon: RegionSet::EMPTY,
            convert: RegionSet::EMPTY,
            abandon: RegionSet::EMPTY,
            roll: false,
        };
        if state.die > 0 {
            // A rolled die wants a target next.
            campaign.conquer = campaign.within(state, hand + state.die - 1);
            return campaign;
        }
        if hand > 0 {
            campaign.conquer = campaign.within(state, hand + MAX_PIPS);
            campaign.dragon = targets.when(power.dragon && state.dragon_used == 0);
            campaign.roll = power.rolls_first && !campaign.conquer.is_empty();
        }
        if race.converts && state.tray[usize::from(state.army(id).race)] > 0 {
            campaign.convert = near & attackable & state.lone_opponents(id.seat);
        }
        campaign.abandon = own.when(state.may_abandon != 0);
        campaign
    }

    /// The targets that `tokens`, at least one, pay for.
    #[inline]
    pub(super) fn within(&self, state: &State, tokens: u8) -> RegionSet {
        let [once, twice] = self.cheaper;
        let mut paid = columns::at_most(&state.toll, tokens);
        if !once.is_empty() {
            paid |= columns::at_most(&state.toll, tokens + 1) & once;
        }
        if !twice.is_empty() {
            paid |= columns::at_most(&state.toll, tokens + 2) & twice;
        }
        paid & self.targets
    }

    /// What `region` costs after discounts, with the pips of a roll that was made before.
    pub(super) fn cost(&self, state: &State, region: RegionId) -> u8 {
        let discounts = self.cheaper.iter().filter(|set| set.contains(region)).count() as u8;
        let pips = state.die.saturating_sub(1);
        state.toll[region.index()].saturating_sub(discounts + pips).max(1)
    }

    /// [`Campaign::cost`], and none where the army cannot attack wherever it stands: its own regions, immune ones,
    /// those at peace, water it does not sail.
    pub(super) fn price(&self, state: &State, region: RegionId) -> Option<u8> {
        self.attackable.contains(region).then(|| self.cost(state, region))
    }

    /// Whether the army may attack `region`, whatever it costs.
    pub(super) fn may_attack(&self, region: RegionId) -> bool {
        self.targets.contains(region)
    }

    /// Whether there is nothing to choose.
    pub(super) fn is_over(&self) -> bool {
        (self.conquer | self.dragon | self.convert | self.abandon).is_empty()
    }
}

impl State {
    /// Regions that a peace protects from an army. Declined races are bound by none.
    #[inline]
    fn at_peace(&self, attacker: ArmyId) -> RegionSet {
        if usize::from(self.ally) == attacker.seat && attacker.slot == slot::ACTIVE {
            self.active(usize::from(self.diplomat))
        } else {
            RegionSet::EMPTY
        }
    }

    /// Regions where the active race of an opponent that has not lost one yet this turn has a single token
    /// and no encampment.
    fn lone_opponents(&self, seat: usize) -> RegionSet {
        let spared = self.converted | 1 << seat;
        let others = (0..self.held.len()).filter(|s| spared >> s & 1 == 0);
        let theirs = others.fold(RegionSet::EMPTY, |all, s| all | self.active(s));
        theirs & columns::at_most(&self.tokens, 1) & columns::at_most(&self.encampments, 0)
    }

    /// Takes everything off a region and out of the hands of who holds it; returns the race tokens.
    pub(super) fn vacate(&mut self, id: ArmyId, region: RegionId) -> u8 {
        self.held[id.seat][id.slot].remove(region);
        self.clear(region)
    }

    /// Takes every piece off a region; returns how many race tokens that were.
    fn clear(&mut self, region: RegionId) -> u8 {
        let i = region.index();
        self.markers[i] = 0;
        self.encampments[i] = 0;
        let tokens = std::mem::take(&mut self.tokens[i]);
        self.refresh_toll(region);
        tokens
    }

    /// Takes some [`markers`] off some regions. None of them counts in a toll.
    pub(super) fn unmark(&mut self, regions: RegionSet, bits: u8) {
        debug_assert!(bits & markers::DEFENDING == 0);
        for region in regions {
            self.markers[region.index()] &= !bits;
        }
    }

    /// Takes the encampments off some regions.
    pub(super) fn strike_camps(&mut self, regions: RegionSet) {
        for region in regions - columns::at_most(&self.encampments, 0) {
            self.encampments[region.index()] = 0;
            self.refresh_toll(region);
        }
    }

    /// Moves all but one token of each region of an army into its hand.
    pub(super) fn gather(&mut self, id: ArmyId) {
        let mut gathered = 0;
        for region in self.held(id) {
            let i = region.index();
            let extra = self.tokens[i] - 1;
            self.tokens[i] = 1;
            self.toll[i] -= extra;
            gathered += extra;
        }
        self.army_mut(id).hand += gathered;
    }
}

/// How a region is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Attack {
    Tokens,
    Dragon,
    Conversion,
}

impl<C: Chance + ?Sized> Play<'_, C> {
    /// Readies the Ghouls of the mover, if it has any in decline.
    pub(super) fn ghoul_conquest(&mut self) -> Option<Stage> {
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
        Some(Stage::Campaign)
    }

    /// Readies the troops of the active race.
    pub(super) fn conquest(&mut self) -> Option<Stage> {
        let state = &mut *self.state;
        let id = ArmyId { seat: usize::from(state.seat), slot: slot::ACTIVE };
        state.slot = slot::ACTIVE as u8;
        let held = state.held(id);
        state.gather(id);
        let [race, power] = state.abilities(id);
        match power.placement {
            Placement::Heroes => state.unmark(held, markers::HERO),
            Placement::Encampments => {
                state.strike_camps(held);
                state.loose_camps = 0;
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
        Some(Stage::Campaign)
    }

    /// Waits for the next conquest, or goes on when none is possible.
    pub(super) fn campaign(&mut self) -> Option<Stage> {
        let id = self.state.acting();
        // What needs no look at the map first.
        let rolled = self.state.die > 0;
        if self.state.may_abandon != 0 && !rolled && !self.state.held(id).is_empty() {
            return None;
        }
        let [race, _] = self.state.abilities(id);
        if self.state.army(id).hand == 0 && !race.converts {
            return Some(Stage::Redeploy);
        }
        let campaign = Campaign::new(self.rules, self.state);
        if campaign.is_over() {
            self.state.die = 0;
            return Some(Stage::Redeploy);
        }
        if id.slot == slot::ACTIVE {
            let hand = self.state.army(id).hand;
            let sure = campaign.dragon | campaign.convert | campaign.abandon;
            let only_gambles =
                sure.is_empty() && self.state.die == 0 && campaign.within(self.state, hand).is_empty();
            self.state.set_phase(if only_gambles { Phase::FinalConquest } else { Phase::Conquest });
        }
        None
    }

    /// Conquers with the tokens that `region` costs; with the die when they do not suffice.
    pub(super) fn conquer(&mut self, region: RegionId) -> Stage {
        let id = self.state.acting();
        let cost = Campaign::new(self.rules, self.state).cost(self.state, region);
        let hand = self.state.army(id).hand;
        self.state.may_abandon = 0;
        self.state.die = 0;
        if cost <= hand {
            self.take(id, region, cost, Attack::Tokens);
            return Stage::Campaign;
        }
        if cost <= hand + self.roll() {
            self.take(id, region, hand, Attack::Tokens);
        }
        Stage::Redeploy
    }

    /// Takes `region` with the dragon and one token.
    pub(super) fn use_dragon(&mut self, region: RegionId) -> Stage {
        let id = self.state.acting();
        self.state.unmark(self.state.held(id), markers::DRAGON);
        self.state.dragon_used = 1;
        self.take(id, region, 1, Attack::Dragon);
        Stage::Campaign
    }

    /// Replaces the lone token in `region` by one from the tray.
    pub(super) fn use_sorcerer(&mut self, region: RegionId) -> Stage {
        let id = self.state.acting();
        let victim = self.state.occupant(region).expect("somebody to convert");
        self.state.converted |= 1 << victim.seat;
        let army = self.state.army_mut(id);
        army.hand += 1;
        let race = usize::from(army.race);
        self.state.tray[race] -= 1;
        self.take(id, region, 1, Attack::Conversion);
        Stage::Campaign
    }

    /// Rolls the die before a target is chosen.
    pub(super) fn roll_first(&mut self) -> Stage {
        self.state.die = self.roll() + 1;
        Stage::Campaign
    }

    /// Gives a region up; its tokens go to hand.
    pub(super) fn abandon(&mut self, region: RegionId) -> Stage {
        let id = self.state.acting();
        let tokens = self.state.vacate(id, region);
        self.state.army_mut(id).hand += tokens;
        Stage::Campaign
    }

    fn roll(&mut self) -> u8 {
        self.chance.weighted(&DIE_FACES) as u8
    }

    /// Drives out whoever is in `region` and moves `tokens` from hand in.
    fn take(&mut self, attacker: ArmyId, region: RegionId, tokens: u8, attack: Attack) {
        let defender = self.state.occupant(region);
        let state = &mut *self.state;
        let i = region.index();
        let battle = defender.is_some() || state.markers[i] & markers::LOST_TRIBE != 0;
        state.loose_camps += state.encampments[i];
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
        state.refresh_toll(region);
        state.may_abandon = 0;
        if attacker.slot == slot::ACTIVE {
            state.conquered.insert(region);
            state.battles += u8::from(battle);
        }
        if let Some(defender) = defender {
            self.rout(attacker, defender, region, beaten, attack);
        }
    }

    /// What becomes of the `tokens` that were driven out.
    fn rout(&mut self, attacker: ArmyId, id: ArmyId, region: RegionId, tokens: u8, attack: Attack) {
        let state = &mut *self.state;
        let [race, _] = state.abilities(id);
        let retreats = id.slot == slot::ACTIVE || self.rules.outlives_its_regions(state.army(id));
        let dead = if attack == Attack::Conversion || !retreats { tokens } else { 1 - race.saves };
        let army = state.army_mut(id);
        // One's own Ghouls move before one's active race: what they drive out of its regions has the turn's
        // conquests ahead.
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

    /// Takes a race in decline off the table when nothing keeps it there.
    pub(super) fn leave_if_gone(&mut self, id: ArmyId) {
        let waits = self.rules.outlives_its_regions(self.state.army(id)) && self.state.off_map(id) > 0;
        if self.state.held(id).is_empty() && !waits {
            self.lose_army(id);
        }
    }
}
