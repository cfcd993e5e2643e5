//! Scripted bots.

use crate::SmallWorld;
use crate::actions::Action;
use crate::rules::abilities::Ability;
use crate::rules::conquest_costs::ConquestOptions;
use crate::rules::map::RegionId;
use crate::rules::phase::Phase;
use crate::rules::roster::{Power, Race};
use crate::rules::ruleset::Ruleset;
use crate::rules::state::{ArmyId, State, slot};
use ludovec_engine::chance::Chance;
use ludovec_engine::{Bot, mask};

/// The bots of this game.
pub(crate) const BOTS: &[Bot<SmallWorld>] = &[Bot {
    name: "conqueror",
    help: "takes the regions that pay most for their cost and declines when its troops are spent",
    act: conqueror,
    tries: None,
}];

/// Chooses the legal action with the highest heuristic value in coins, with random tie-breaking.
fn conqueror(game: &SmallWorld, state: &State, row: &[u64], chance: &mut dyn Chance) -> u32 {
    let options = state.phase().is_conquest().then(|| ConquestOptions::new(&game.rules, state));
    let worth = |action: u32| worth(&game.rules, state, options.as_ref(), Action::decode(action));
    let mut best = (f32::NEG_INFINITY, 0, 0);
    for action in mask::iter(row) {
        let value = worth(action);
        if value > best.0 {
            best = (value, action, 1);
        } else if value == best.0 {
            best.2 += 1;
            if chance.uniform(best.2) == 0 {
                best.1 = action;
            }
        }
    }
    best.1
}

fn worth(rules: &Ruleset, state: &State, options: Option<&ConquestOptions>, action: Action) -> f32 {
    let seat = usize::from(state.mover);
    match action {
        Action::Pick(place) => combo_worth(rules, state, place),
        // The bot never abandons a region before conquering. If it must give one up when redeploying, to return
        // borrowed tokens, it gives up the region with the lowest income.
        Action::Abandon(region) => {
            let pays = region_pays(state, seat, region);
            if options.is_some() { -100.0 } else { -pays }
        }
        Action::Expand => 0.0,
        Action::Decline => decline_worth(rules, state, seat),
        Action::Sorcerer(region) => 10.0 + region_pays(state, seat, region),
        Action::Roll => 8.0,
        Action::Dragon(region) => 4.0 + f32::from(state.base_cost[region.index()]),
        Action::Conquer(region) => options.map_or(0.0, |c| conquest_worth(state, c, region)),
        Action::Place(region) => place_worth(state, region),
        // Half a point less than for a single token, so that tokens are spread rather than placed together.
        Action::Rest(region) => place_worth(state, region) - 0.5,
        Action::Ally(offset) => state.active((seat + offset) % rules.players).len() as f32,
        Action::Done => -1.0,
    }
}

/// Coins per turn that the active race of `seat` earns with a region.
fn region_pays(state: &State, seat: usize, region: RegionId) -> f32 {
    let abilities = state.abilities(ArmyId { seat, slot: slot::ACTIVE });
    let extra = abilities.iter().filter(|a| a.pays.regions(&state.map).contains(region)).count();
    1.0 + extra as f32
}

/// The value of a conquest: the coins that the region pays and its holder loses, per token of its cost.
fn conquest_worth(state: &State, options: &ConquestOptions, region: RegionId) -> f32 {
    let id = state.acting();
    let (cost, hand) = (options.cost(state, region), state.army(id).hand);
    let mut gain = region_pays(state, id.seat, region);
    let occupant = state.occupant(region);
    match occupant {
        Some(other) if other.seat == id.seat => gain -= 1.0,
        Some(_) => gain += 0.4,
        None => {}
    }
    if cost > hand {
        // The reinforcement die shows one, two and three pips with probability 1/6 each.
        let chance = f32::from(4 - (cost - hand)) / 6.0;
        return gain * chance;
    }
    if occupant.is_some() || state.marked(crate::rules::pieces::markers::LOST_TRIBE).contains(region) {
        let pays: u8 = state.abilities(id).iter().map(|a| a.pays_battle).sum();
        gain += f32::from(pays);
    }
    // A conquest within the tokens in hand ranks above every attempt with the die.
    5.0 + gain / f32::from(cost)
}

/// Tokens go to weakly held regions near opponents.
fn place_worth(state: &State, region: RegionId) -> f32 {
    let seat = usize::from(state.mover);
    let near = state.map.neighbours(region);
    let threats = (0..state.held.len()).filter(|&s| s != seat && state.active(s).intersects(near)).count();
    let stands = state.tokens[region.index()] + state.encampments[region.index()];
    1.0 + 0.6 * threats as f32 - 0.4 * f32::from(stands)
}

/// Declining pays if few tokens are left for conquests and a new race has enough turns to earn.
fn decline_worth(rules: &Ruleset, state: &State, seat: usize) -> f32 {
    let turns_left = rules.turns - state.turn;
    if turns_left == 0 {
        return -1.0;
    }
    let id = ArmyId { seat, slot: slot::ACTIVE };
    let held = state.held(id);
    let spread: u8 = held.iter().map(|r| state.tokens[r.index()] - 1).sum();
    let [race, _] = state.abilities(id);
    let free = state.army(id).hand + spread + race.loan;
    // Decline below 3 free tokens, as an empty region costs 2; below 4 for a Stout race after scoring, since its
    // turn is over anyway.
    let spent = if state.phase() == Phase::StoutDecline { 4 } else { 3 };
    if free < spent || turns_left >= 2 && held.len() <= 1 && free < 5 { 1.0 } else { -2.0 }
}

/// The value of a combo: its tokens, the income of its abilities on this map and its coins, minus its price.
fn combo_worth(rules: &Ruleset, state: &State, place: usize) -> f32 {
    let combo = state.row[place];
    let (race, power) = (Race::ALL[usize::from(combo.race)], Power::ALL[usize::from(combo.power)]);
    let turns = f32::from((rules.turns - state.turn + 1).min(3));
    let tokens = f32::from(race.start_tokens() + power.bonus_tokens());
    let abilities: f32 = [race.ability(), power.ability()].iter().map(|a| ability_worth(state, a)).sum();
    let regions = tokens / 2.5;
    f32::from(combo.coins) - place as f32 + turns * (regions + abilities)
}

/// Estimated coins per turn of an ability.
fn ability_worth(state: &State, ability: &Ability) -> f32 {
    let paying = ability.pays.regions(&state.map).len() as f32;
    let share = paying / state.map.len() as f32;
    let once = f32::from(ability.pays_once) / 3.0;
    let cheap = ability.cheap.regions(&state.map).len() as f32 / state.map.len() as f32;
    4.0 * share
        + once
        + f32::from(ability.pays_flat)
        + 1.5 * f32::from(ability.pays_battle)
        + 1.5 * cheap
        + 0.3 * f32::from(ability.loan)
        + if ability.dragon || ability.converts || ability.fights_in_decline { 1.0 } else { 0.0 }
        + if ability.pays_markers != 0 || ability.stout || ability.spirit { 1.0 } else { 0.0 }
}
