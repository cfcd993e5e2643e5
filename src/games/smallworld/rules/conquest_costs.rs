//! The conquests open to an army, and their costs.

use super::abilities::Ability;
use super::columns;
use super::map::{RegionId, RegionSet};
use super::pieces::markers;
use super::ruleset::Ruleset;
use super::state::{ArmyId, State, slot};

/// Maximum number of pips of the reinforcement die.
pub(crate) const MAX_PIPS: u8 = 3;

/// Discounts of the acting army as bit sets, sufficient for the cost of one conquest.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Discounts {
    /// Regions with a discount of at least one token, and regions with a discount of two.
    cheaper: [RegionSet; 2],
}

impl Discounts {
    /// Computes the discounts of the acting army.
    #[inline]
    pub(crate) fn new(rules: &Ruleset, state: &State) -> Self {
        let (map, id) = (&state.map, state.acting());
        let [race, power] = state.abilities(id);
        let by_race = race.cheap.regions(map) | map.around(state.held(id) & race.cheap_around.regions(map));
        let sailed = race.sails.regions(map) | power.sails.regions(map);
        let by_power = power.cheap.regions(map) | sailed.when(rules.seafaring_discount);
        Self { cheaper: [by_race | by_power, by_race & by_power] }
    }

    /// The cost of `region` in tokens, at least 1, after discounts and the pips of a die rolled beforehand.
    #[inline]
    pub(crate) fn cost(&self, state: &State, region: RegionId) -> u8 {
        let discounts = self.cheaper.iter().filter(|set| set.contains(region)).count() as u8;
        let pips = state.die.saturating_sub(1);
        state.base_cost[region.index()].saturating_sub(discounts + pips).max(1)
    }
}

/// The options of the acting army in a conquest phase, computed once for all regions as bit sets.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ConquestOptions {
    /// Regions that the army may attack, regardless of reach and cost: not its own, not immune, not at peace with
    /// it, and water only for seafarers.
    attackable: RegionSet,
    /// The attackable regions within reach: legal targets if the army has the tokens.
    targets: RegionSet,
    discounts: Discounts,
    /// Regions affordable with the tokens in hand, or possibly with the reinforcement die as the last attempt.
    pub conquer: RegionSet,
    /// Regions the dragon may take.
    pub dragon: RegionSet,
    /// Regions with a lone token that may be converted. They must touch a held region, directly or through caverns
    /// linked by a power; reach for another reason, such as flying, is not enough.
    pub convert: RegionSet,
    /// Regions that may be abandoned.
    pub abandon: RegionSet,
    /// Whether the die may be rolled before choosing a target.
    pub roll: bool,
}

impl ConquestOptions {
    /// Computes the choices of the acting army.
    #[inline]
    pub(crate) fn new(rules: &Ruleset, state: &State) -> Self {
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
            | map.border().when(own.is_empty())
            | map.all().when(leaps);
        let sailed = race.sails.regions(map) | power.sails.regions(map);
        let attackable = (map.land() | sailed) - own - state.marked(markers::IMMUNE) - state.at_peace(id);
        let targets = reach & attackable;

        let mut options = Self {
            attackable,
            targets,
            discounts: Discounts::new(rules, state),
            conquer: RegionSet::EMPTY,
            dragon: RegionSet::EMPTY,
            convert: RegionSet::EMPTY,
            abandon: RegionSet::EMPTY,
            roll: false,
        };
        if state.die > 0 {
            // The die has been rolled: the only decision left is its target, and its pips count as tokens.
            options.conquer = options.within(state, hand + state.die - 1);
            return options;
        }
        if hand > 0 {
            options.conquer = options.within(state, hand + MAX_PIPS);
            options.dragon = targets.when(power.dragon && state.dragon_used == 0);
            options.roll = power.rolls_first && !options.conquer.is_empty();
        }
        if race.converts && state.tray[usize::from(state.army(id).race)] > 0 {
            options.convert = near & attackable & state.lone_opponents(id.seat);
        }
        options.abandon = own.when(state.may_abandon != 0);
        options
    }

    /// The targets with a cost of at most `tokens`, which is at least 1: every conquest takes one token or more.
    #[inline]
    pub(crate) fn within(&self, state: &State, tokens: u8) -> RegionSet {
        self.affordable(state, tokens) & self.targets
    }

    /// The attackable regions, within reach or not, that the army can conquer with its tokens in hand, possibly with
    /// the reinforcement die as the last attempt.
    pub(crate) fn possible(&self, state: &State) -> RegionSet {
        let hand = state.army(state.acting()).hand;
        let pips = if state.die > 0 { state.die - 1 } else { MAX_PIPS };
        (self.affordable(state, hand + pips) & self.attackable).when(hand > 0)
    }

    /// The regions with a cost of at most `tokens`, which is at least 1.
    #[inline]
    fn affordable(&self, state: &State, tokens: u8) -> RegionSet {
        let [once, twice] = self.discounts.cheaper;
        let mut paid = columns::at_most(&state.base_cost, tokens);
        if !once.is_empty() {
            paid |= columns::at_most(&state.base_cost, tokens + 1) & once;
        }
        if !twice.is_empty() {
            paid |= columns::at_most(&state.base_cost, tokens + 2) & twice;
        }
        paid
    }

    /// [`Discounts::cost`].
    #[inline]
    pub(crate) fn cost(&self, state: &State, region: RegionId) -> u8 {
        self.discounts.cost(state, region)
    }

    /// [`ConquestOptions::cost`]; `None` for a region that the army could not attack from anywhere: its own, an immune
    /// one, one at peace, water without the ability to sail.
    #[inline]
    pub(crate) fn price(&self, state: &State, region: RegionId) -> Option<u8> {
        self.attackable.contains(region).then(|| self.cost(state, region))
    }

    /// Whether the army may attack `region` at any cost.
    #[inline]
    pub(crate) fn may_attack(&self, region: RegionId) -> bool {
        self.targets.contains(region)
    }

    /// Whether there is no choice left.
    #[inline]
    pub(crate) fn is_over(&self) -> bool {
        (self.conquer | self.dragon | self.convert | self.abandon).is_empty()
    }
}

impl State {
    /// The abilities of an army's race and power; none in decline.
    #[inline]
    pub(crate) fn abilities(&self, id: ArmyId) -> [&'static Ability; 2] {
        static NONE: Ability = Ability::NONE;
        let army = self.army(id);
        match (army.race(), army.power()) {
            (Some(race), Some(power)) if id.slot == slot::ACTIVE => [race.ability(), power.ability()],
            _ => [&NONE, &NONE],
        }
    }
}

impl State {
    /// Regions protected from an army by a peace. A peace binds active races only, not races in decline.
    #[inline]
    pub(crate) fn at_peace(&self, attacker: ArmyId) -> RegionSet {
        if usize::from(self.ally) == attacker.seat && attacker.slot == slot::ACTIVE {
            self.active(usize::from(self.diplomat))
        } else {
            RegionSet::EMPTY
        }
    }

    /// Regions that Sorcerers could convert: held by the active race of an opponent, with a single token and no
    /// encampment. An opponent with a token already converted this turn is excluded.
    #[inline]
    fn lone_opponents(&self, seat: usize) -> RegionSet {
        let spared = self.converted | 1 << seat;
        let others = (0..self.held.len()).filter(|s| spared >> s & 1 == 0);
        let theirs = others.fold(RegionSet::EMPTY, |all, s| all | self.active(s));
        theirs & columns::at_most(&self.tokens, 1) & columns::at_most(&self.encampments, 0)
    }
}
