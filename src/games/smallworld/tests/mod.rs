//! Tests of the rules. [`PositionBuilder`] builds a position from a short description, [`ScriptedGame`] plays it.

mod actions;
mod bots;
mod outside;
mod play;
mod powers;
mod races;
mod rulings;

use serde_json::{Value, json};

use super::actions::index;
use super::{SmallWorld, State, options};
use crate::exchange::validate;
use crate::rules::map::RegionId;
use crate::rules::roster::{Power, Race};
use crate::rules::state::{ArmyId, slot};
use ludovec_engine::chance::ScriptedChance;
use ludovec_engine::{Options, Rules, Words, mask};

/// A game under options given as text.
fn game(pairs: &[(&str, &str)]) -> SmallWorld {
    let given = pairs.iter().map(|(k, v)| (*k, (*v).into()));
    SmallWorld::new(&Options::parse(&options::list(), given).unwrap()).unwrap()
}

/// ```text
///  0 sea        1 farmland   2 hill             3 forest, cavern
///  4 farmland   5 mountain   6 swamp, tribe     7 hill
///  8 forest, mine  9 swamp, magic  10 lake      11 farmland, cavern
/// 12 hill, cavern 13 mountain, mine 14 farmland, magic 15 swamp, tribe
/// ```
/// Regions touch left, right, above and below; the outer ones are the rim.
fn small_map() -> Value {
    let terrain = [
        "sea", "farmland", "hill", "forest", "farmland", "mountain", "swamp", "hill", "forest", "swamp",
        "lake", "farmland", "hill", "mountain", "farmland", "swamp",
    ];
    let features = |i: usize| match i {
        3 | 11 | 12 => json!(["cavern"]),
        8 | 13 => json!(["mine"]),
        9 | 14 => json!(["magic_source"]),
        _ => json!([]),
    };
    let regions: Vec<Value> = (0..16usize)
        .map(|i| {
            let (row, column) = (i / 4, i % 4);
            let near: Vec<usize> = [
                (row > 0).then(|| i - 4),
                (column > 0).then(|| i - 1),
                (column < 3).then_some(i + 1),
                (row < 3).then_some(i + 4),
            ]
            .into_iter()
            .flatten()
            .collect();
            json!({
                "id": i,
                "terrain": terrain[i],
                "features": features(i),
                "lost_tribe": i == 6 || i == 15,
                "rim": ![5, 6, 9, 10].contains(&i),
                "neighbours": near,
            })
        })
        .collect();
    json!({ "regions": regions })
}

/// A position to play: the beginning of seat 0's turn, unless stated otherwise.
struct PositionBuilder {
    words: Value,
    options: Vec<(&'static str, String)>,
    row: Vec<(&'static str, &'static str)>,
}

impl PositionBuilder {
    fn new(players: usize) -> Self {
        let player = json!({ "coins": 5 });
        let tribes: Vec<Value> = [6, 15].map(|id| json!({ "id": id, "markers": ["LOST_TRIBE"] })).into();
        Self {
            words: json!({
                "map": small_map(),
                "turn": 3,
                "seat": 0,
                "phase": "CHOOSE_EXPAND_OR_DECLINE",
                "regions": tribes,
                "players": vec![player; players],
                "row": [],
                "progress": {},
            }),
            options: vec![("players", players.to_string())],
            row: Vec::new(),
        }
    }
    fn option(mut self, key: &'static str, value: &str) -> Self {
        self.options.push((key, value.into()));
        self
    }
    fn phase(mut self, phase: &str) -> Self {
        self.words["phase"] = json!(phase);
        self
    }
    fn turn(mut self, turn: u8, seat: u8) -> Self {
        self.words["turn"] = json!(turn);
        self.words["seat"] = json!(seat);
        self
    }
    /// Sets a key of the turn's progress.
    fn progress(mut self, key: &str, value: Value) -> Self {
        self.words["progress"][key] = value;
        self
    }
    fn army(mut self, key: &str, seat: usize, race: &str, power: &str, regions: &[(u8, u8)]) -> Self {
        self.words["players"][seat][key] = json!({ "race": race, "power": power, "hand": 0 });
        for &(id, tokens) in regions {
            let region = self.region(id);
            *region = json!({ "id": id, "owner": seat, "army": key, "tokens": tokens, "markers": [] });
        }
        self
    }
    fn active(self, seat: usize, race: &str, power: &str, regions: &[(u8, u8)]) -> Self {
        self.army("active", seat, race, power, regions)
    }
    fn declined(self, seat: usize, race: &str, power: &str, regions: &[(u8, u8)]) -> Self {
        self.army("decline", seat, race, power, regions)
    }
    fn spirit(self, seat: usize, race: &str, regions: &[(u8, u8)]) -> Self {
        self.army("decline_spirit", seat, race, "Spirit", regions)
    }
    /// Sets the tokens in hand of an active race.
    fn hand(mut self, seat: usize, tokens: u8) -> Self {
        self.words["players"][seat]["active"]["hand"] = json!(tokens);
        self
    }
    fn coins(mut self, seat: usize, coins: u16) -> Self {
        self.words["players"][seat]["coins"] = json!(coins);
        self
    }
    fn marker(mut self, region: u8, marker: &str) -> Self {
        self.region(region)["markers"].as_array_mut().unwrap().push(json!(marker));
        self
    }
    fn encampments(mut self, region: u8, n: u8) -> Self {
        self.region(region)["encampments"] = json!(n);
        self
    }
    /// Sets the first places of the row.
    fn row(mut self, row: &[(&'static str, &'static str)]) -> Self {
        self.row = row.to_vec();
        self
    }
    fn region(&mut self, id: u8) -> &mut Value {
        let regions = self.words["regions"].as_array_mut().unwrap();
        let at = regions.iter().position(|r| r["id"] == id).unwrap_or_else(|| {
            regions.push(json!({ "id": id, "markers": [] }));
            regions.len() - 1
        });
        &mut regions[at]
    }

    /// Fills the row with unused races and powers, and reads the position.
    fn start(mut self) -> ScriptedGame {
        let text = self.words.to_string();
        let used = |name: &str, row: &[(&str, &str)]| {
            text.contains(&format!("\"{name}\"")) || row.iter().any(|(r, p)| *r == name || *p == name)
        };
        let mut races = Race::ALL.into_iter().map(Race::name).filter(|name| !used(name, &self.row));
        let mut powers = Power::ALL.into_iter().map(Power::name).filter(|name| !used(name, &self.row));
        let mut row = self.row.clone();
        while let (true, Some(race)) = (row.len() < 6, races.next()) {
            row.push((race, powers.next().unwrap()));
        }
        self.words["row"] = row.iter().map(|(race, power)| json!({ "race": race, "power": power })).collect();
        let pairs: Vec<_> = self.options.iter().map(|(k, v)| (*k, v.as_str())).collect();
        let game = game(&pairs);
        let state = game.state_from_json(&self.words).unwrap_or_else(|e| panic!("{e}"));
        ScriptedGame { game, state }
    }
}

/// A game played by actions written as text.
struct ScriptedGame {
    game: SmallWorld,
    state: State,
}

impl ScriptedGame {
    /// Plays an action without chance.
    fn play(&mut self, action: &str) -> &mut Self {
        self.play_with(action, &[])
    }
    /// Plays an action under scripted chance.
    fn play_with(&mut self, action: &str, script: &[u32]) -> &mut Self {
        let mut chance = ScriptedChance::new(script);
        let legal = self.legal();
        let index = self.game.string_to_action(&self.state, action);
        let index = index.unwrap_or_else(|e| panic!("{e}; in {} {legal:?}", self.phase()));
        self.game.step(&mut self.state, index, &mut chance);
        chance.finish().unwrap();
        validate::check(self.game.rules(), &self.state).unwrap();
        self
    }
    fn play_all(&mut self, actions: &[&str]) -> &mut Self {
        for action in actions {
            self.play(action);
        }
        self
    }
    fn legal(&self) -> Vec<String> {
        let mut row = [0; mask::words(index::COUNT as usize)];
        self.game.legal(&self.state, &mut row);
        mask::iter(&row).map(|action| self.game.action_to_string(&self.state, action)).collect()
    }
    fn can(&self, action: &str) -> bool {
        self.legal().iter().any(|legal| legal == action)
    }
    /// The regions of the legal actions with one name.
    fn targets(&self, name: &str) -> Vec<u8> {
        let numbers = self.legal();
        let numbers = numbers.iter().filter_map(|a| a.strip_prefix(name)?.strip_prefix(' ')?.parse().ok());
        numbers.collect()
    }
    fn phase(&self) -> &'static str {
        self.state.phase().name()
    }
    fn mover(&self) -> usize {
        self.game.current_player(&self.state)
    }
    fn hand(&self, seat: usize) -> u8 {
        self.state.armies[seat][slot::ACTIVE].hand
    }
    fn displaced(&self, seat: usize) -> u8 {
        self.state.armies[seat][slot::ACTIVE].displaced
    }
    fn coins(&self, seat: usize) -> u16 {
        self.state.coins[seat]
    }
    fn income(&self, seat: usize) -> u16 {
        self.state.income(seat)
    }
    fn tokens(&self, region: u8) -> u8 {
        self.state.tokens[usize::from(region)]
    }
    fn tray(&self, race: Race) -> u8 {
        self.state.tray[race.index()]
    }
    fn markers(&self, region: u8) -> u8 {
        self.state.markers[usize::from(region)]
    }
    fn race(&self, seat: usize, slot: usize) -> Option<Race> {
        self.state.army(ArmyId { seat, slot }).race()
    }
    fn owner(&self, region: u8) -> Option<(usize, usize)> {
        self.state.occupant(RegionId(region)).map(|id| (id.seat, id.slot))
    }
    fn held(&self, seat: usize, slot: usize) -> Vec<u8> {
        self.state.held[seat][slot].iter().map(|r| r.0).collect()
    }
}
