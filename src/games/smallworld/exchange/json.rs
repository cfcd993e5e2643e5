//! Games as JSON: the whole state, and the observation of a seat.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{notation, validate};
use crate::actions;
use crate::rules::conquest_costs::{ConquestOptions, MAX_PIPS};
use crate::rules::map::{Map, RegionId};
use crate::rules::phase::Phase;
use crate::rules::pieces::{MARKERS, markers, stock};
use crate::rules::roster::{Power, Race};
use crate::rules::ruleset::Ruleset;
use crate::rules::state::{Army, ArmyId, Combo, NONE, ROW, State, slot};
use crate::rules::{legal, pieces};
use ludovec_engine::{Error, Result, mask};

/// A state as JSON. A missing optional key has its value at the start of a game; races and powers that are not
/// named are in their stacks.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StateWords {
    map: Value,
    turn: u8,
    seat: u8,
    #[serde(default)]
    mover: Option<u8>,
    phase: String,
    #[serde(default)]
    regions: Vec<RegionWords>,
    players: Vec<PlayerWords>,
    row: Vec<ComboWords>,
    /// Races under the stack, in the order of their return.
    #[serde(default)]
    returned_races: Vec<String>,
    #[serde(default)]
    discarded_powers: Vec<String>,
    #[serde(default)]
    progress: Progress,
}

/// The pieces in a region. Empty regions are left out.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RegionWords {
    id: u8,
    #[serde(default)]
    owner: Option<u8>,
    /// The owner's army: `active`, `decline` or `decline_spirit`.
    #[serde(default)]
    army: Option<String>,
    #[serde(default)]
    tokens: u8,
    #[serde(default)]
    markers: Vec<String>,
    #[serde(default)]
    encampments: u8,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PlayerWords {
    coins: u16,
    #[serde(default)]
    active: Option<ArmyWords>,
    #[serde(default)]
    decline: Option<ArmyWords>,
    #[serde(default)]
    decline_spirit: Option<ArmyWords>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ArmyWords {
    race: String,
    power: String,
    #[serde(default)]
    hand: u8,
    #[serde(default)]
    displaced: u8,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ComboWords {
    race: String,
    power: String,
    #[serde(default)]
    coins: u8,
}

/// The progress of the turn; see the fields of the same names in the state.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Progress {
    army: Option<String>,
    conquered: Vec<u8>,
    cursor: u8,
    die: Option<u8>,
    may_abandon: bool,
    battles: u8,
    attacked: Vec<u8>,
    converted: Vec<u8>,
    dragon_used: bool,
    first_turn: bool,
    leaps: u8,
    debt: u8,
    loose_encampments: u8,
    loose_heroes: u8,
    diplomat: Option<u8>,
    ally: Option<u8>,
}

fn race_name(race: u8) -> String {
    Race::ALL[usize::from(race)].name().into()
}

fn power_name(power: u8) -> String {
    Power::ALL[usize::from(power)].name().into()
}

fn seats(bits: u8) -> Vec<u8> {
    (0..8).filter(|s| bits >> s & 1 == 1).collect()
}

/// The whole state as JSON.
pub(crate) fn state_to_json(rules: &Ruleset, state: &State) -> Value {
    let army = |seat: usize, slot: usize| {
        let army = &state.armies[seat][slot];
        army.exists().then(|| ArmyWords {
            race: race_name(army.race),
            power: power_name(army.power),
            hand: army.hand,
            displaced: army.displaced,
        })
    };
    let regions = state.map.all().iter().filter_map(|region| {
        let i = region.index();
        let occupant = state.occupant(region);
        let words = RegionWords {
            id: region.0,
            owner: occupant.map(|id| id.seat as u8),
            army: occupant.map(|id| slot::NAMES[id.slot].into()),
            tokens: state.tokens[i],
            markers: pieces::names(state.markers[i]).map(String::from).collect(),
            encampments: state.encampments[i],
        };
        (occupant.is_some() || !words.markers.is_empty()).then_some(words)
    });
    let discarded = (0..Power::COUNT as u8).filter(|p| state.power_discard >> p & 1 == 1);
    let words = StateWords {
        map: state.map.to_json(),
        turn: state.turn,
        seat: state.seat,
        mover: Some(state.mover),
        phase: state.phase().name().into(),
        regions: regions.collect(),
        players: (0..rules.players)
            .map(|seat| PlayerWords {
                coins: state.coins[seat],
                active: army(seat, slot::ACTIVE),
                decline: army(seat, slot::DECLINED),
                decline_spirit: army(seat, slot::SPIRIT),
            })
            .collect(),
        row: state.row[..usize::from(state.row_len)]
            .iter()
            .map(|c| ComboWords { race: race_name(c.race), power: power_name(c.power), coins: c.coins })
            .collect(),
        returned_races: state.returned[..usize::from(state.returned_len)]
            .iter()
            .map(|&race| race_name(race))
            .collect(),
        discarded_powers: discarded.map(power_name).collect(),
        progress: Progress {
            army: Some(slot::NAMES[usize::from(state.slot)].into()),
            conquered: state.conquered.iter().map(|r| r.0).collect(),
            cursor: state.cursor,
            die: state.die.checked_sub(1),
            may_abandon: state.may_abandon != 0,
            battles: state.battles,
            attacked: seats(state.attacked),
            converted: seats(state.converted),
            dragon_used: state.dragon_used != 0,
            first_turn: state.first_turn != 0,
            leaps: state.leaps,
            debt: state.debt,
            loose_encampments: state.loose_encampments,
            loose_heroes: state.loose_heroes,
            diplomat: (state.diplomat != NONE).then_some(state.diplomat),
            ally: (state.ally != NONE).then_some(state.ally),
        },
    };
    serde_json::to_value(words).expect("words are JSON")
}

/// Reads a state from JSON.
///
/// # Errors
/// [`Error::InvalidState`] names the problem and the allowed values.
pub(crate) fn state_from_json(rules: &Ruleset, value: &Value) -> Result<State> {
    let words = StateWords::deserialize(value).map_err(|error| Error::state(error.to_string()))?;
    let map = Map::from_json(&words.map)?;
    let state = read(rules, map, words).map_err(Error::state)?;
    validate::check(rules, &state).map_err(Error::state)?;
    Ok(state)
}

fn named<T: Copy>(what: &str, name: &str, all: &[(T, &'static str)]) -> Result<T, String> {
    all.iter().find(|(_, n)| *n == name).map(|&(value, _)| value).ok_or_else(|| {
        let names: Vec<_> = all.iter().map(|(_, n)| *n).collect();
        format!("{what} {name:?} is none of {}", names.join(", "))
    })
}

fn race(name: &str) -> Result<u8, String> {
    named("race", name, &Race::ALL.map(|r| (r as u8, r.name())))
}

fn power(name: &str) -> Result<u8, String> {
    named("power", name, &Power::ALL.map(|p| (p as u8, p.name())))
}

fn slot_named(name: &str) -> Result<usize, String> {
    named("army", name, &[0, 1, 2].map(|i| (i, slot::NAMES[i])))
}

fn below(what: &str, n: u8, limit: usize) -> Result<usize, String> {
    let n = usize::from(n);
    if n < limit { Ok(n) } else { Err(format!("{what} is {n}, 0 to {} is allowed", limit - 1)) }
}

fn seat_bits(what: &str, seats: &[u8], players: usize) -> Result<u8, String> {
    seats.iter().try_fold(0, |bits, &seat| Ok(bits | 1 << below(what, seat, players)?))
}

fn read(rules: &Ruleset, map: Map, words: StateWords) -> Result<State, String> {
    let players = rules.players;
    if words.players.len() != players {
        return Err(format!("{} players, the rules are for {players}", words.players.len()));
    }
    let phase = named("phase", &words.phase, &Phase::ALL.map(|p| (p, p.name())))?;
    let mut state = State::new(map, players);
    state.turn = words.turn;
    state.seat = below("seat", words.seat, players)? as u8;
    state.mover = below("mover", words.mover.unwrap_or(words.seat), players)? as u8;
    state.set_phase(phase);
    for (seat, player) in words.players.iter().enumerate() {
        state.coins[seat] = player.coins;
        for (slot, army) in [&player.active, &player.decline, &player.decline_spirit].into_iter().enumerate()
        {
            if let Some(army) = army {
                state.armies[seat][slot] = Army {
                    race: race(&army.race)?,
                    power: power(&army.power)?,
                    hand: army.hand,
                    displaced: army.displaced,
                };
            }
        }
    }
    read_regions(players, &mut state, &words.regions)?;
    read_badges(&mut state, &words)?;
    read_progress(players, &mut state, &words.progress)?;
    read_tray(&mut state)?;
    Ok(state)
}

fn read_regions(players: usize, state: &mut State, words: &[RegionWords]) -> Result<(), String> {
    state.markers.fill(0);
    let mut seen = crate::rules::map::RegionSet::EMPTY;
    for words in words {
        let id = RegionId(below("region", words.id, state.map.len())? as u8);
        if seen.contains(id) {
            return Err(format!("region {} is described twice", id.0));
        }
        seen.insert(id);
        match (words.owner, &words.army) {
            (Some(owner), army) => {
                let seat = below("owner", owner, players)?;
                let slot = army.as_deref().map_or(Ok(slot::ACTIVE), slot_named)?;
                state.held[seat][slot].insert(id);
            }
            (None, None) => {}
            (None, Some(_)) => return Err(format!("region {}: an army without an owner", id.0)),
        }
        let i = id.index();
        let (tokens, encampments) = (Race::MOST_TOKENS, stock::ENCAMPMENTS);
        if words.tokens > tokens || words.encampments > encampments {
            return Err(format!(
                "region {}: at most {tokens} tokens and {encampments} encampments are allowed",
                id.0
            ));
        }
        state.tokens[i] = words.tokens;
        state.encampments[i] = words.encampments;
        for name in &words.markers {
            state.markers[i] |= named("marker", name, &MARKERS.map(|marker| (marker.bit, marker.name)))?;
        }
    }
    for region in state.map.all() {
        state.refresh_base_cost(region);
    }
    Ok(())
}

fn read_badges(state: &mut State, words: &StateWords) -> Result<(), String> {
    if words.row.is_empty() || words.row.len() > ROW {
        return Err(format!("{} combos in the row, 1 to {ROW} are allowed", words.row.len()));
    }
    if words.returned_races.len() > Race::COUNT {
        return Err(format!("{} races under the stack", words.returned_races.len()));
    }
    for (place, combo) in words.row.iter().enumerate() {
        state.row[place] =
            Combo { race: race(&combo.race)?, power: power(&combo.power)?, coins: combo.coins };
    }
    state.row_len = words.row.len() as u8;
    for (place, name) in words.returned_races.iter().enumerate() {
        state.returned[place] = race(name)?;
    }
    state.returned_len = words.returned_races.len() as u8;
    for name in &words.discarded_powers {
        state.power_discard |= 1 << power(name)?;
    }
    // Races and powers that are not named are in the stacks.
    let armies = state.armies.as_flattened();
    let races = armies.iter().map(|a| a.race).chain(state.row.iter().map(|c| c.race)).chain(state.returned);
    for race in races.filter(|&race| race != NONE) {
        state.race_stack &= !(1 << race);
    }
    let spirits_and_active = state.armies.iter().flat_map(|a| [a[slot::ACTIVE], a[slot::SPIRIT]]);
    let powers = spirits_and_active.map(|a| a.power).chain(state.row.iter().map(|c| c.power));
    state.power_stack &= !state.power_discard;
    for power in powers.filter(|&power| power != NONE) {
        state.power_stack &= !(1 << power);
    }
    Ok(())
}

fn read_progress(players: usize, state: &mut State, progress: &Progress) -> Result<(), String> {
    state.slot = progress.army.as_deref().map_or(Ok(slot::ACTIVE), slot_named)? as u8;
    for &region in &progress.conquered {
        state.conquered.insert(RegionId(below("conquered region", region, state.map.len())? as u8));
    }
    state.cursor = below("cursor", progress.cursor, state.map.len() + 1)? as u8;
    state.die = match progress.die {
        Some(pips) => below("die", pips, usize::from(MAX_PIPS) + 1)? as u8 + 1,
        None => 0,
    };
    state.may_abandon = progress.may_abandon.into();
    state.battles = progress.battles;
    state.attacked = seat_bits("attacked seat", &progress.attacked, players)?;
    state.converted = seat_bits("converted seat", &progress.converted, players)?;
    state.dragon_used = progress.dragon_used.into();
    state.first_turn = progress.first_turn.into();
    state.leaps = progress.leaps;
    state.debt = progress.debt;
    state.loose_encampments = progress.loose_encampments;
    state.loose_heroes = progress.loose_heroes;
    for (from, to) in [(progress.diplomat, &mut state.diplomat), (progress.ally, &mut state.ally)] {
        *to = from.map_or(Ok(NONE), |seat| below("seat of a peace", seat, players).map(|s| s as u8))?;
    }
    Ok(())
}

/// Computes the tray: the tokens of each race that are neither on the map nor in a hand.
fn read_tray(state: &mut State) -> Result<(), String> {
    for seat in 0..state.armies.len() {
        for slot in 0..slot::COUNT {
            let army = state.armies[seat][slot];
            let Some(race) = army.race() else { continue };
            let held = state.held(ArmyId { seat, slot });
            let on_map: usize = held.iter().map(|r| usize::from(state.tokens[r.index()])).sum();
            let used = on_map + usize::from(army.hand) + usize::from(army.displaced);
            let tray = &mut state.tray[race.index()];
            *tray = usize::from(*tray).checked_sub(used).ok_or_else(|| {
                format!("{}: {used} tokens in play, there are {}", race.name(), race.max_tokens())
            })? as u8;
        }
    }
    Ok(())
}

/// The observation of `seat`, with the names and structure of the original engine.
pub(crate) fn observation(rules: &Ruleset, state: &State, seat: usize) -> Value {
    let phase = state.phase();
    let conquered: Vec<u8> = state.conquered.iter().map(|r| r.0).collect();
    let army = |seat: usize, slot: usize| -> Value {
        let id = ArmyId { seat, slot };
        let army = state.army(id);
        let (Some(race), Some(power)) = (army.race(), army.power()) else { return Value::Null };
        let on_map: u32 = state.held(id).iter().map(|r| u32::from(state.tokens[r.index()])).sum();
        let mut words = json!({
            "race": race.name(),
            "power": power.name(),
            "tokens_in_hand": army.hand,
            "displaced_tokens": army.displaced,
            "total_tokens": on_map + u32::from(army.hand) + u32::from(army.displaced),
            "regions": state.held(id).iter().map(|r| r.0).collect::<Vec<_>>(),
        });
        if slot == slot::ACTIVE && seat == usize::from(state.seat) {
            words["first_turn"] = json!(state.first_turn != 0);
            words["regions_conquered_this_turn"] = json!(conquered);
            words["non_empty_conquests_this_turn"] = json!(state.battles);
            words["opponents_attacked_this_turn"] = json!(seats(state.attacked));
            words["opponents_converted_this_turn"] = json!(seats(state.converted));
            words["dragon_used_this_turn"] = json!(state.dragon_used != 0);
            words["berserk_die_result"] = json!(state.die.checked_sub(1));
        }
        words
    };
    let player = |of: usize| {
        let shown = of == seat || rules.public_coins;
        json!({
            "player_id": of,
            "coins": if shown { json!(state.coins[of]) } else { json!("HIDDEN") },
            "active": army(of, slot::ACTIVE),
            "decline": army(of, slot::DECLINED),
            "decline_spirit": army(of, slot::SPIRIT),
        })
    };
    let conquering = conquering(state, seat);
    let options = ConquestOptions::new(rules, &conquering);
    let regions = state.map.all().iter().map(|r| region(state, r, options.price(&conquering, r)));
    let regions: Vec<Value> = regions.collect();
    let row: Vec<Value> = state.row[..usize::from(state.row_len)]
        .iter()
        .map(|combo| {
            let (race, power) = (Race::ALL[usize::from(combo.race)], Power::ALL[usize::from(combo.power)]);
            json!({
                "race": race.name(),
                "power": power.name(),
                "total_tokens": race.start_tokens() + power.bonus_tokens(),
                "coins": combo.coins,
            })
        })
        .collect();
    let legal: Vec<Value> = if usize::from(state.mover) == seat {
        let mut bits = [0; mask::words(actions::index::COUNT as usize)];
        legal::legal(rules, state, &mut bits);
        mask::iter(&bits).map(|action| notation::to_json(rules, state, action)).collect()
    } else {
        Vec::new()
    };
    json!({
        "game": {
            "turn": state.turn,
            "max_turns": rules.turns,
            "num_players": rules.players,
            "current_player": state.mover,
            "turn_player": state.seat,
            "phase": phase.name(),
            "peace": (state.ally != NONE).then(|| json!([state.diplomat, state.ally])),
        },
        "map": { "regions": regions },
        "combo_row": row,
        "self": player(seat),
        "opponents": (1..rules.players).map(|k| player((seat + k) % rules.players)).collect::<Vec<_>>(),
        "legal_actions": legal,
    })
}

/// A copy of the position in which `seat` is about to conquer: observations include the viewer's conquest costs at
/// any time.
pub(crate) fn conquering(state: &State, seat: usize) -> State {
    if usize::from(state.mover) == seat {
        return *state;
    }
    State { mover: seat as u8, slot: slot::ACTIVE as u8, die: 0, ..*state }
}

/// A region in words; `cost` is its price for the viewer, if the viewer can conquer it.
fn region(state: &State, region: RegionId, cost: Option<u8>) -> Value {
    let (map, i) = (&state.map, region.index());
    let mut features = Vec::new();
    for (set, name) in [
        (map.mines(), "MINE"),
        (map.magic_sources(), "MAGIC_SOURCE"),
        (map.caverns(), "CAVERN"),
        (map.border(), "BORDER"),
        (map.coastal(), "COASTAL"),
    ] {
        if set.contains(region) {
            features.push(name);
        }
    }
    let terrain = map.terrain(region).name().to_uppercase();
    let mut pieces: Vec<String> = pieces::names(state.markers[i]).map(String::from).collect();
    if terrain == "MOUNTAIN" {
        pieces.insert(0, terrain.clone());
    }
    pieces.extend((0..state.encampments[i]).map(|_| "ENCAMPMENT".to_string()));
    let occupant = state.occupant(region);
    let declined = occupant.filter(|id| id.slot != slot::ACTIVE).map(|id| state.army(id));
    json!({
        "region_id": region.0,
        "terrain": terrain,
        "features": features,
        "adjacent": map.neighbours(region).iter().map(|r| r.0).collect::<Vec<_>>(),
        "owner": occupant.map(|id| id.seat),
        "tokens": state.tokens[i],
        "is_decline": declined.is_some(),
        "decline_race": declined.map(|army| race_name(army.race)),
        "decline_power": declined.map(|army| power_name(army.power)),
        "markers": pieces,
        "has_lost_tribe": state.markers[i] & markers::LOST_TRIBE != 0,
        "conquest_cost": cost,
    })
}
