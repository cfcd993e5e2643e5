//! States as JSON.

use serde_json::{Map, Value, json};

use super::validate;
use crate::StarWarsRisk;
use crate::actions::GROUP;
use crate::rules::board::{EMPIRE, REBEL, SHIELD_RUN, SIDES, SPACES, Ship, Space};
use crate::rules::cards::{CardKind, Counts, KINDS, total};
use crate::rules::phase::{GameResult, Phase};
use crate::rules::piles::{Piles, STACK};
use crate::rules::state::{PartialPlay, State};
use ludovec_engine::{Error, Result};

/// The whole state as JSON.
pub(crate) fn state_to_json(rules: &StarWarsRisk, state: &State) -> Value {
    let mut json = rules.public_json(state);
    let cards = [REBEL, EMPIRE].map(|seat| {
        let piles = &state.piles[seat];
        json!({
            "hand": rules.counts_json(seat, &piles.hand),
            "stack": rules.stack_json(seat, piles),
            "bonus": piles.bonus,
            "buried": rules.counts_json(seat, &piles.buried),
            "discard": rules.counts_json(seat, &piles.discard),
            "ceiling": rules.counts_json(seat, &piles.ceiling),
            "kept": rules.counts_json(seat, &piles.kept),
        })
    });
    let [rebel, empire] = cards;
    json.insert("cards".into(), json!({ SIDES[REBEL]: rebel, SIDES[EMPIRE]: empire }));
    Value::Object(json)
}

/// Reads a state from JSON.
///
/// # Errors
/// [`Error::InvalidState`] names the key, the value and the allowed values.
pub(crate) fn state_from_json(rules: &StarWarsRisk, json: &Value) -> Result<State> {
    let root = JsonNode::root(json);
    let mut state = State::new(&rules.data);
    state.round = root.key("round")?.number(u64::from(rules.max_rounds))? as u16;
    state.turns = root.key("turns")?.number(u32::MAX.into())? as u32;
    state.phase = root.key("phase")?.word(&Phase::ALL, |p| p.name())?;
    state.seat = root.key("to_move")?.word(&[REBEL, EMPIRE], |&s| SIDES[s])? as u8;
    state.outcome = root.key("outcome")?.word(&GameResult::ALL, |o| o.name())?;
    let spaces = root.key("spaces")?.list(SPACES)?;
    if spaces.len() != SPACES {
        return Err(Error::state(format!("spaces: {} of them, there are {SPACES}", spaces.len())));
    }
    for (s, space) in spaces.iter().enumerate() {
        let counts = space.counts(&Ship::ALL.map(Ship::name), |i| rules.data.most(Ship::ALL[i]))?;
        for ship in Ship::ALL {
            state.ships[ship as usize][s] = counts[ship as usize];
        }
    }
    state.occupied = state.count_occupied();
    state.motherships = 0;
    for mothership in root.key("motherships")?.list(6)? {
        state.motherships |= 1 << mothership.number(5)?;
    }
    state.shield = root.key("shield")?.number(SHIELD_RUN as u64)? as u8;
    let most = rules.data.constants.max_stormtroopers;
    state.stormtroopers = root.key("stormtroopers")?.number(most.into())? as u8;
    for (seat, side) in SIDES.into_iter().enumerate() {
        let most = rules.data.constants.throne_counters[seat];
        state.throne[seat] = root.key("throne")?.key(side)?.number(most.into())? as u8;
    }
    let card = root.key("card")?;
    if !card.value.is_null() {
        state.set_card(Some(rules.read_card(&card, state.seat())?));
    }
    let play = root.key("play")?;
    if !play.value.is_null() {
        state.play = read_play(&play)?;
    }
    for (seat, side) in SIDES.into_iter().enumerate() {
        state.piles[seat] = rules.read_piles(&root.key("cards")?.key(side)?, seat)?;
    }
    validate::validate(rules, &state)?;
    Ok(state)
}

impl StarWarsRisk {
    fn read_card(&self, node: &JsonNode, seat: usize) -> Result<CardKind> {
        let kinds: Vec<CardKind> = (0..self.data.decks[seat].kinds as u8).map(CardKind).collect();
        node.word(&kinds, |&kind| self.data.card_name(seat, kind))
    }

    /// One seat's cards; the deck is the remainder after all other piles.
    fn read_piles(&self, node: &JsonNode, seat: usize) -> Result<Piles> {
        let deck = &self.data.decks[seat];
        let names: Vec<&str> = deck.names.iter().map(String::as_str).collect();
        let counts = |key: &str| -> Result<Counts> {
            let listed = node.key(key)?.counts(&names, |k| deck.copies[k])?;
            Ok(std::array::from_fn(|k| listed.get(k).copied().unwrap_or(0)))
        };
        let mut piles = Piles::new(deck.copies);
        piles.hand = counts("hand")?;
        piles.buried = counts("buried")?;
        piles.discard = counts("discard")?;
        piles.ceiling = counts("ceiling")?;
        piles.kept = counts("kept")?;
        let mut elsewhere: [u32; KINDS] = std::array::from_fn(|k| {
            u32::from(piles.hand[k]) + u32::from(piles.buried[k]) + u32::from(piles.discard[k])
        });
        for (place, card) in node.key("stack")?.list(STACK)?.iter().enumerate() {
            let kind = self.read_card(card, seat)?;
            piles.stack[place] = kind.0;
            piles.ordered += 1;
            elsewhere[kind.index()] += 1;
        }
        for (k, &used) in elsewhere.iter().enumerate() {
            let left = u32::from(deck.copies[k]).checked_sub(used).ok_or_else(|| {
                let most = deck.copies[k];
                Error::state(format!("{}: {used} cards {}, the deck has {most}", node.path, deck.names[k]))
            })?;
            piles.deck[k] = left as u8;
        }
        piles.hand_size = total(&piles.hand);
        piles.buried_size = total(&piles.buried);
        piles.deck_size = total(&piles.deck);
        piles.bonus = node.key("bonus")?.number(piles.deck_size.into())? as u8;
        Ok(piles)
    }
}

fn read_play(node: &JsonNode) -> Result<PartialPlay> {
    let mut play = PartialPlay::NONE;
    play.ship = node.key("ship")?.word(&Ship::ALL, |s| s.name())?;
    play.count = node.key("count")?.number(GROUP as u64)? as u8;
    let space = |key: &str| -> Result<Option<Space>> {
        let node = node.key(key)?;
        if node.value.is_null() { Ok(None) } else { Ok(Some(Space(node.number(SPACES as u64 - 1)? as u8))) }
    };
    if let Some(from) = space("from")? {
        play.set_from(from);
    }
    if let Some(at) = space("at")? {
        play.set_at(at);
    }
    if let Some(target) = space("target")? {
        play.set_target(target);
    }
    for die in node.key("dice")?.list(crate::rules::step::DICE)? {
        let face = die.number(6)?;
        if face == 0 {
            return Err(Error::state(format!("{}: 0, a die shows 1 to 6", die.path)));
        }
        play.dice[face as usize - 1] += 1;
    }
    Ok(play)
}

/// A place in a JSON document, which is named in its errors.
struct JsonNode<'a> {
    path: String,
    value: &'a Value,
}

impl<'a> JsonNode<'a> {
    fn root(value: &'a Value) -> Self {
        Self { path: "state".into(), value }
    }
    fn refuse(&self, allowed: &str) -> Error {
        Error::state(format!("{}: {} is not {allowed}", self.path, self.value))
    }
    fn key(&self, key: &str) -> Result<Self> {
        match self.value.get(key) {
            Some(value) => Ok(Self { path: format!("{}.{key}", self.path), value }),
            None => Err(Error::state(format!("{}: the key {key:?} is missing", self.path))),
        }
    }
    fn number(&self, most: u64) -> Result<u64> {
        let number = self.value.as_u64().filter(|&n| n <= most);
        number.ok_or_else(|| self.refuse(&format!("a number from 0 to {most}")))
    }
    fn word<T: Copy, N: AsRef<str>>(&self, values: &[T], name: impl Fn(&T) -> N) -> Result<T> {
        let found = self.value.as_str().and_then(|word| values.iter().find(|v| name(v).as_ref() == word));
        found.copied().ok_or_else(|| {
            let names: Vec<String> = values.iter().map(|v| name(v).as_ref().to_string()).collect();
            self.refuse(&format!("one of {}", names.join(", ")))
        })
    }
    fn list(&self, most: usize) -> Result<Vec<Self>> {
        let list = self.value.as_array().filter(|list| list.len() <= most);
        let list = list.ok_or_else(|| self.refuse(&format!("a list of at most {most}")))?;
        let element = |(i, value)| Self { path: format!("{}[{i}]", self.path), value };
        Ok(list.iter().enumerate().map(element).collect())
    }
    /// An object of counts by name; missing names have 0.
    fn counts(&self, names: &[&str], most: impl Fn(usize) -> u8) -> Result<Vec<u8>> {
        let object: &Map<_, _> = self.value.as_object().ok_or_else(|| self.refuse("an object of counts"))?;
        let mut counts = vec![0; names.len()];
        for (name, value) in object {
            let node = JsonNode { path: format!("{}.{name}", self.path), value };
            let i = names.iter().position(|n| n == name).ok_or_else(|| {
                Error::state(format!("{}: no such name, allowed is {}", node.path, names.join(", ")))
            })?;
            counts[i] = node.number(most(i).into())? as u8;
        }
        Ok(counts)
    }
}
