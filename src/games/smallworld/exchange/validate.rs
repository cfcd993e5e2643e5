//! The invariants of positions: external states are checked against them, and tests check them after every step of
//! random games.

use std::cmp::Ordering;

use crate::rules::abilities::AfterRedeployment;
use crate::rules::columns;
use crate::rules::conquest_costs::MAX_PIPS;
use crate::rules::map::{RegionId, RegionSet};
use crate::rules::phase::Phase;
use crate::rules::pieces::{MARKERS, Marker, markers, stock};
use crate::rules::roster::{Power, Race};
use crate::rules::ruleset::Ruleset;
use crate::rules::state::{Army, ArmyId, Combo, MAX_SEATS, NONE, ROW, State, regions, slot};

/// An upper bound on the coins of a seat in any game; far from an overflow.
const MAX_COINS: u16 = 10_000;
/// An upper bound on the income of one turn.
const MAX_INCOME: u16 = 500;
/// An upper bound on the coins on a combo of the row.
const MAX_ROW_COINS: u16 = 150;

/// Whether the turn owner may still pick a combo in this turn.
fn picks(state: &State) -> bool {
    state.phase() == Phase::PickCombo
}

/// Maximum number of coins of `seat` such that all its possible gains end at [`MAX_COINS`] or below.
pub(crate) fn most_coins(rules: &Ruleset, state: &State, seat: usize) -> u16 {
    let paid = state.phase().is_paid() || state.mover != state.seat;
    let (pick, payment) = match seat.cmp(&usize::from(state.seat)) {
        Ordering::Less => (false, false),
        Ordering::Equal => (picks(state), !paid),
        Ordering::Greater => (true, true),
    };
    let later_turns = u16::from(rules.turns - state.turn);
    MAX_COINS
        - MAX_ROW_COINS * (later_turns + u16::from(pick))
        - MAX_INCOME * (later_turns + u16::from(payment))
}

/// Maximum number of coins on a combo such that the remaining picks leave [`MAX_ROW_COINS`] or fewer there.
pub(crate) fn most_row_coins(rules: &Ruleset, state: &State) -> u16 {
    let later_seats = rules.players - 1 - usize::from(state.seat);
    let later_turns = usize::from(rules.turns - state.turn);
    MAX_ROW_COINS - (rules.players * later_turns + later_seats) as u16 - u16::from(picks(state))
}

macro_rules! ensure {
    ($condition:expr, $($message:tt)*) => {
        if !$condition {
            return Err(format!($($message)*));
        }
    };
}

/// Checks the whole state except the map. The message names the problem.
pub(crate) fn check(rules: &Ruleset, state: &State) -> Result<(), String> {
    check_ranges(rules, state)?;
    check_armies(rules, state)?;
    check_board(state)?;
    check_badges(rules, state)?;
    check_tokens(state)?;
    check_turn(rules, state)?;
    check_phase(rules, state)
}

fn ids() -> impl Iterator<Item = ArmyId> {
    (0..MAX_SEATS).flat_map(|seat| (0..slot::COUNT).map(move |slot| ArmyId { seat, slot }))
}

fn fights_in_decline(army: &Army) -> bool {
    army.race().is_some_and(|race| race.ability().fights_in_decline)
}

fn check_ranges(rules: &Ruleset, state: &State) -> Result<(), String> {
    let players = rules.players;
    ensure!((1..=rules.turns).contains(&state.turn), "turn {}, 1 to {} are played", state.turn, rules.turns);
    for (name, seat) in [("seat", state.seat), ("mover", state.mover)] {
        ensure!(usize::from(seat) < players, "{name} {seat}, seats are 0 to {}", players - 1);
    }
    ensure!(usize::from(state.phase) < Phase::ALL.len(), "phase number {} does not exist", state.phase);
    ensure!(usize::from(state.slot) < slot::COUNT, "slot {} does not exist", state.slot);
    ensure!(usize::from(state.cursor) <= state.map.len(), "cursor {} is off the map", state.cursor);
    for (name, flag) in [
        ("may_abandon", state.may_abandon),
        ("dragon_used", state.dragon_used),
        ("first_turn", state.first_turn),
    ] {
        ensure!(flag <= 1, "{name} is {flag}, 0 or 1 is allowed");
    }
    ensure!(state.zero == [0; 5], "bytes that are always 0 are not");
    for (seat, &coins) in state.coins.iter().enumerate() {
        ensure!(seat < players || coins == 0, "coins of seat {seat}, which does not play");
        let most = most_coins(rules, state, seat);
        ensure!(coins <= most, "seat {seat} has {coins} coins, at most {most} are possible in this turn");
    }
    Ok(())
}

fn check_armies(rules: &Ruleset, state: &State) -> Result<(), String> {
    for id in ids() {
        let (army, held) = (state.army(id), state.held(id));
        let what = format!("seat {}, {}", id.seat, slot::NAMES[id.slot]);
        if !army.exists() {
            ensure!(*army == Army::EMPTY && held.is_empty(), "{what}: regions or tokens without a race");
            continue;
        }
        ensure!(id.seat < rules.players, "{what}: the seat does not play");
        let (Some(race), Some(power)) = (army.race(), army.power()) else {
            return Err(format!("{what}: unknown race or power"));
        };
        let water = held & state.map.water();
        ensure!(water.is_empty() || power == Power::Seafaring, "{what}: {power:?} cannot hold water");
        if id.slot == slot::ACTIVE {
            continue;
        }
        ensure!(id.slot != slot::SPIRIT || power == Power::Spirit, "{what}: only Spirit declines here");
        let acts = id == state.acting()
            && matches!(state.phase(), Phase::GhoulConquest | Phase::Redeploy)
            && fights_in_decline(army);
        let retreats = rules.outlives_its_regions(army);
        let waits = retreats && state.off_map(id) > 0;
        ensure!(acts || waits || !held.is_empty(), "{what}: {} hold no region", race.name());
        ensure!(acts || army.hand == 0 || retreats && held.is_empty(), "{what}: tokens in hand");
        ensure!(army.displaced == 0 || retreats, "{what}: displaced tokens");
    }
    Ok(())
}

fn check_board(state: &State) -> Result<(), String> {
    let map = &state.map;
    let mut all_held = RegionSet::EMPTY;
    for id in ids() {
        let held = state.held(id);
        ensure!(held.is_subset(map.all()), "seat {} holds regions off the map", id.seat);
        ensure!(!held.intersects(all_held), "regions {:?} have two owners", held & all_held);
        all_held |= held;
    }
    for region in regions() {
        let i = region.index();
        if i >= map.len() {
            let pieces = [state.tokens[i], state.markers[i], state.encampments[i], state.base_cost[i]];
            ensure!(pieces == [0; 4], "pieces on region {i}, which the map has not");
            continue;
        }
        let (tokens, marks) = (state.tokens[i], state.markers[i]);
        ensure!((tokens > 0) == all_held.contains(region), "region {i}: {tokens} tokens and no such owner");
        ensure!(tokens <= Race::MOST_TOKENS, "region {i}: {tokens} tokens");
        ensure!(marks & !markers::ALL == 0, "region {i}: unknown markers");
        ensure!(state.encampments[i] <= stock::ENCAMPMENTS, "region {i}: too many encampments");
        ensure!(
            state.base_cost[i] == state.base_cost_of(region),
            "region {i}: base cost {} is wrong",
            state.base_cost[i]
        );
        check_pieces(state, region)?;
    }
    for Marker { bit, plural, stock, .. } in MARKERS {
        let n = state.marked(bit).len();
        ensure!(n <= usize::from(stock), "{n} {plural} on the map, there are {stock}");
    }
    Ok(())
}

/// Every piece is in a region where its owner's race or power could put it.
fn check_pieces(state: &State, region: RegionId) -> Result<(), String> {
    let (i, marks) = (region.index(), state.markers[region.index()]);
    let Some(id) = state.occupant(region) else {
        ensure!(
            marks & !markers::LOST_TRIBE == 0 && state.encampments[i] == 0,
            "region {i}: pieces without a race"
        );
        ensure!(marks == 0 || state.map.land().contains(region), "region {i}: a Lost Tribe on water");
        return Ok(());
    };
    let army = state.army(id);
    let active = id.slot == slot::ACTIVE;
    for (present, allowed) in [
        (marks & markers::LOST_TRIBE != 0, false),
        (marks & markers::LAIR != 0, army.race() == Some(Race::Trolls)),
        (marks & markers::FORTRESS != 0, army.power() == Some(Power::Fortified)),
        (marks & markers::HERO != 0, active && army.power() == Some(Power::Heroic)),
        (marks & markers::HOLE != 0, active && army.race() == Some(Race::Halflings)),
        (marks & markers::DRAGON != 0, active && army.power() == Some(Power::DragonMaster)),
        (state.encampments[i] > 0, active && army.power() == Some(Power::Bivouacking)),
    ] {
        ensure!(!present || allowed, "region {i}: a piece that its owner cannot have there");
    }
    Ok(())
}

fn check_badges(rules: &Ruleset, state: &State) -> Result<(), String> {
    let (row_len, returned_len) = (usize::from(state.row_len), usize::from(state.returned_len));
    ensure!((1..=ROW).contains(&row_len), "{row_len} combos in the row, 1 to {ROW} are allowed");
    ensure!(returned_len <= Race::COUNT, "{returned_len} races under the stack");
    let (row, empty) = state.row.split_at(row_len);
    let (returned, rest) = state.returned.split_at(returned_len);
    ensure!(empty.iter().all(|c| *c == Combo::EMPTY), "combos past the end of the row");
    ensure!(rest.iter().all(|&race| race == NONE), "races past the end of the stack");
    ensure!(
        row_len == ROW || state.race_stack == 0 && returned_len == 0,
        "an empty place in the row while there are races in the stack"
    );
    let most = most_row_coins(rules, state);
    for combo in row {
        let coins = u16::from(combo.coins);
        ensure!(coins <= most, "{coins} coins on a combo, at most {most} are possible in this turn");
    }
    let races = ids().map(|id| state.army(id).race).filter(|&race| race != NONE);
    let races = races.chain(row.iter().map(|c| c.race)).chain(returned.iter().copied());
    let mut seen = u32::from(state.race_stack);
    for race in races {
        let race = Race::from_index(race.into()).ok_or("an unknown race")?;
        ensure!(seen >> race.index() & 1 == 0, "{} are in two places", race.name());
        seen |= 1 << race.index();
    }
    ensure!(seen == (1 << Race::COUNT) - 1, "a race is missing, or one is unknown");

    ensure!(state.power_stack & state.power_discard == 0, "a power is in both stacks");
    let powers = ids().filter(|id| id.slot != slot::DECLINED).map(|id| state.army(id).power);
    let powers = powers.filter(|&power| power != NONE).chain(row.iter().map(|c| c.power));
    let mut seen = state.power_stack | state.power_discard;
    for power in powers {
        let power = Power::from_index(power.into()).ok_or("an unknown power")?;
        ensure!(seen >> power.index() & 1 == 0, "{} is in two places", power.name());
        seen |= 1 << power.index();
    }
    ensure!(seen == (1 << Power::COUNT) - 1, "a power is missing, or one is unknown");
    Ok(())
}

/// Tokens on the map, in hand, displaced and in the tray add up to the stock.
fn check_tokens(state: &State) -> Result<(), String> {
    let mut count: [u32; Race::COUNT] = state.tray.map(u32::from);
    for id in ids() {
        let army = state.army(id);
        if let Some(race) = army.race() {
            let on_map: u32 = state.held(id).iter().map(|r| u32::from(state.tokens[r.index()])).sum();
            count[race.index()] += on_map + u32::from(army.hand) + u32::from(army.displaced);
        }
    }
    for race in Race::ALL {
        let (n, max) = (count[race.index()], u32::from(race.max_tokens()));
        ensure!(n == max, "{}: {n} tokens, there are {max}", race.name());
    }
    let encampments: u32 = state.encampments.iter().map(|&n| u32::from(n)).sum();
    let encampments = encampments + u32::from(state.loose_encampments);
    ensure!(
        encampments <= u32::from(stock::ENCAMPMENTS),
        "{encampments} encampments, there are {}",
        stock::ENCAMPMENTS
    );
    Ok(())
}

fn check_turn(rules: &Ruleset, state: &State) -> Result<(), String> {
    let phase = state.phase();
    let others = ((1u8 << rules.players) - 1) & !(1 << state.seat);
    ensure!(state.conquered.is_subset(state.map.all()), "conquered regions off the map");
    ensure!(usize::from(state.battles) <= state.conquered.len(), "more battles than conquests");
    ensure!(state.attacked & !others == 0, "attacked seats that are no opponents");
    ensure!(state.converted & !others == 0, "converted seats that are no opponents");
    for seat in 0..rules.players {
        let active = state.army(ArmyId { seat, slot: slot::ACTIVE });
        let (Some(race), Some(power)) = (active.race(), active.power()) else { continue };
        let lent = if usize::from(state.seat) == seat { state.debt } else { 0 };
        ensure!(
            state.tray[race.index()].saturating_add(lent) >= race.ability().loan,
            "{} lack the tokens they are lent",
            race.name()
        );
        let held = state.active(seat);
        let holes = (held & state.marked(markers::HOLE)).len();
        ensure!(race != Race::Halflings || holes <= usize::from(state.leaps), "more holes than conquests");
        ensure!(
            power != Power::Diplomat || usize::from(state.diplomat) != seat || state.ally != NONE,
            "a diplomat without an ally"
        );
    }
    let [race, power] = state.abilities(state.acting());
    ensure!(
        state.leaps <= stock::HOLES,
        "{} conquests of Halflings count, {} at most",
        state.leaps,
        stock::HOLES
    );
    ensure!(
        state.die == 0 || state.die <= MAX_PIPS + 1 && phase == Phase::Conquest && power.rolls_first,
        "a rolled die without Berserk"
    );
    let debt = match phase {
        Phase::Conquest | Phase::FinalConquest => state.debt == race.loan,
        Phase::Redeploy => state.debt <= race.loan,
        _ => state.debt == 0,
    };
    ensure!(debt, "{} borrowed tokens in {}", state.debt, phase.name());
    check_placements(state)?;
    if state.ally == NONE || state.diplomat == NONE {
        ensure!(state.ally == state.diplomat, "a peace has two sides");
    } else {
        let (diplomat, ally) = (usize::from(state.diplomat), usize::from(state.ally));
        ensure!(
            diplomat < rules.players && ally < rules.players && diplomat != ally,
            "a peace between seats {diplomat} and {ally}"
        );
        let power = state.armies[diplomat][slot::ACTIVE].power();
        ensure!(power == Some(Power::Diplomat), "seat {diplomat} is no diplomat");
    }
    Ok(())
}

/// Pieces that a power redistributes each turn are off the map from the start of the conquests on, and are placed
/// region by region.
fn check_placements(state: &State) -> Result<(), String> {
    let (phase, id) = (state.phase(), state.acting());
    let held = state.held(id);
    let encampments = held - columns::at_most(&state.encampments, 0);
    let heroes = held & state.marked(markers::HERO);
    let unplaced = usize::from(state.loose_heroes);
    let done = held - held.from_id_up(RegionId(state.cursor));
    let own_turn = state.mover == state.seat && id.slot == slot::ACTIVE;
    match phase {
        Phase::Conquest | Phase::FinalConquest | Phase::Redeploy if own_turn => {
            let power = state.abilities(id)[1].after_redeployment;
            ensure!(
                encampments.is_empty(),
                "encampments on the map in {}, before they are placed",
                phase.name()
            );
            ensure!(heroes.is_empty(), "heroes on the map in {}, before they are placed", phase.name());
            ensure!(
                power != AfterRedeployment::Encampments || state.loose_encampments == 0,
                "encampments to place in {}",
                phase.name()
            );
        }
        Phase::PlaceEncampments if own_turn => {
            let last = held & RegionSet(1 << state.cursor);
            ensure!(encampments.is_subset(done | last), "encampments on the map where they are to be placed");
        }
        Phase::PlaceHeroes => {
            ensure!(
                unplaced > 0 && unplaced + heroes.len() <= usize::from(stock::HEROES),
                "{unplaced} heroes to place"
            );
            ensure!(heroes.is_subset(done), "heroes on the map where they are to be placed");
        }
        _ => {}
    }
    ensure!(phase == Phase::PlaceHeroes || unplaced == 0, "{unplaced} heroes to place in {}", phase.name());
    Ok(())
}

/// The phase matches the armies, and there is a decision to make.
fn check_phase(rules: &Ruleset, state: &State) -> Result<(), String> {
    let (phase, id) = (state.phase(), state.acting());
    let (army, held) = (state.army(id), state.held(id));
    let active = id.slot == slot::ACTIVE;
    let own_turn = state.mover == state.seat;
    let [_, power] = state.abilities(id);
    let sites = state.sites();
    let somewhere = !(sites.place | sites.rest).is_empty();
    let has_active = state.armies[usize::from(state.seat)][slot::ACTIVE].exists();
    let fits = match phase {
        Phase::PickCombo => own_turn && active && !has_active,
        Phase::ChooseExpandOrDecline => own_turn && active && has_active,
        Phase::Conquest | Phase::FinalConquest => own_turn && active && has_active,
        Phase::GhoulConquest => own_turn && has_active && !active && fights_in_decline(army),
        Phase::Redeploy if state.debt > 0 => {
            own_turn
                && active
                && army.hand == 0
                && held.len() > usize::from(state.debt)
                && held.iter().all(|r| state.tokens[r.index()] == 1)
        }
        Phase::Redeploy => {
            let acts = active || fights_in_decline(army);
            own_turn && has_active && acts && army.hand > 0 && somewhere
        }
        Phase::OpponentRedeploy => army.displaced > 0 && somewhere,
        Phase::PlaceEncampments => {
            active
                && power.after_redeployment == AfterRedeployment::Encampments
                && state.loose_encampments > 0
                && somewhere
        }
        Phase::PlaceFortress => {
            let built = state.marked(markers::FORTRESS).len();
            own_turn
                && power.after_redeployment == AfterRedeployment::Fortress
                && built < usize::from(stock::FORTRESSES)
                && somewhere
        }
        Phase::PlaceHeroes => own_turn && power.after_redeployment == AfterRedeployment::Heroes && somewhere,
        Phase::ChooseDiplomatAlly => own_turn && power.after_redeployment == AfterRedeployment::Ally,
        Phase::StoutDecline => own_turn && active && power.stout,
        Phase::Score | Phase::TurnEnd => false,
        Phase::GameOver => state.turn == rules.turns,
    };
    ensure!(fits, "{} with nothing to decide, or for the wrong army", phase.name());
    Ok(())
}
