//! States as JSON, and what a state must fulfil to be played on.

use serde_json::{Map, Value, json};

use super::StarWarsRisk;
use super::actions::GROUP;
use super::board::{EMPIRE, REBEL, SHIELD_RUN, SIDES, SPACES, Ship, Space, SpaceSet};
use super::cards::{Counts, KINDS, Kind, NO_CARD, Piles, STACK, total};
use super::legal::WORDS;
use super::state::{Outcome, Phase, Play, State};
use crate::engine::{Error, Result};

impl StarWarsRisk {
    pub(super) fn write_state(&self, state: &State) -> Value {
        let mut json = self.public_json(state);
        let cards = [REBEL, EMPIRE].map(|seat| {
            let piles = &state.piles[seat];
            json!({
                "hand": self.counts_json(seat, &piles.hand),
                "stack": self.stack_json(seat, piles),
                "bonus": piles.bonus,
                "buried": self.counts_json(seat, &piles.buried),
                "discard": self.counts_json(seat, &piles.discard),
                "ceiling": self.counts_json(seat, &piles.ceiling),
                "kept": self.counts_json(seat, &piles.kept),
            })
        });
        let [rebel, empire] = cards;
        json.insert("cards".into(), json!({ SIDES[REBEL]: rebel, SIDES[EMPIRE]: empire }));
        Value::Object(json)
    }

    pub(super) fn read_state(&self, json: &Value) -> Result<State> {
        let root = Node::root(json);
        let mut state = State::new(&self.tables);
        state.round = root.key("round")?.number(u64::from(self.max_rounds))? as u16;
        state.turns = root.key("turns")?.number(u32::MAX.into())? as u32;
        state.phase = root.key("phase")?.word(&Phase::ALL, |p| p.name())?;
        state.seat = root.key("to_move")?.word(&[REBEL, EMPIRE], |&s| SIDES[s])? as u8;
        state.outcome = root.key("outcome")?.word(&Outcome::ALL, |o| o.name())?;
        let spaces = root.key("spaces")?.list(SPACES)?;
        if spaces.len() != SPACES {
            return Err(Error::state(format!("spaces: {} of them, there are {SPACES}", spaces.len())));
        }
        for (s, space) in spaces.iter().enumerate() {
            let counts = space.counts(&Ship::ALL.map(Ship::name), |i| self.tables.most(Ship::ALL[i]))?;
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
        let most = self.tables.constants.max_stormtroopers;
        state.stormtroopers = root.key("stormtroopers")?.number(most.into())? as u8;
        for (seat, side) in SIDES.into_iter().enumerate() {
            let most = self.tables.constants.throne_counters[seat];
            state.throne[seat] = root.key("throne")?.key(side)?.number(most.into())? as u8;
        }
        let card = root.key("card")?;
        if !card.value.is_null() {
            state.set_card(Some(self.read_card(&card, state.seat())?));
        }
        let play = root.key("play")?;
        if !play.value.is_null() {
            state.play = read_play(&play)?;
        }
        for (seat, side) in SIDES.into_iter().enumerate() {
            state.piles[seat] = self.read_piles(&root.key("cards")?.key(side)?, seat)?;
        }
        self.check(&state)?;
        Ok(state)
    }

    fn read_card(&self, node: &Node, seat: usize) -> Result<Kind> {
        let kinds: Vec<Kind> = (0..self.tables.decks[seat].kinds as u8).map(Kind).collect();
        node.word(&kinds, |&kind| self.tables.card_name(seat, kind))
    }

    /// One seat's cards; the deck is what is nowhere else.
    fn read_piles(&self, node: &Node, seat: usize) -> Result<Piles> {
        let deck = &self.tables.decks[seat];
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

    /// Whether play can go on from `state`.
    pub(super) fn check(&self, state: &State) -> Result<()> {
        let rule = |holds: bool, broken: &str| {
            if holds { Ok(()) } else { Err(Error::state(broken.to_string())) }
        };
        rule(state.zero == [0; 2], "bytes that are always 0 are not")?;
        rule(state.seat <= 1, "the seat to move is 0 or 1")?;
        rule((1..=self.max_rounds).contains(&state.round), "the round is from 1 to max_rounds")?;
        self.check_board(state)?;
        rule(usize::from(state.shield) <= SHIELD_RUN, "the shield run has 28 spaces")?;
        let ahead = SHIELD_RUN as u8 - state.shield;
        let troopers = self.tables.constants.max_stormtroopers.min(ahead);
        rule(state.stormtroopers <= troopers, "there are at most 9 stormtroopers, on spaces ahead")?;
        let counters = self.tables.constants.throne_counters;
        let counted = state.throne.iter().zip(&counters).all(|(now, start)| now <= start);
        rule(counted, "the throne room counters are at most 12 and 13")?;
        for seat in [REBEL, EMPIRE] {
            self.check_piles(state, seat)?;
        }
        self.check_phase(state)
    }

    fn check_board(&self, state: &State) -> Result<()> {
        let rule = |holds: bool, broken: String| if holds { Ok(()) } else { Err(Error::state(broken)) };
        rule(state.occupied == state.count_occupied(), "spaces and ships disagree".into())?;
        for ship in Ship::ALL {
            let count: u32 = state.ships[ship as usize].iter().map(|&n| u32::from(n)).sum();
            let most = self.tables.most(ship);
            rule(count <= u32::from(most), format!("{count} {}, at most {most}", ship.name()))?;
            let one_place = !ship.is_capital() || state.with(ship).len() <= 1;
            rule(one_place, format!("there is only one {}", ship.name()))?;
        }
        let (rebels, empire) = (state.fleet(REBEL), state.fleet(EMPIRE));
        rule((rebels & empire).is_empty(), "ships of both sides on one space".into())?;
        rule(state.motherships < 1 << 6, "there are 6 motherships".into())?;
        let standing = SpaceSet(state.motherships.into());
        let may_hold = SpaceSet::ALL.without(SpaceSet::MOTHERSHIPS) | standing;
        rule(rebels.without(may_hold).is_empty(), "ships on a destroyed mothership".into())?;
        let never_there = (empire | state.with(Ship::Falcon)) & SpaceSet::MOTHERSHIPS;
        rule(never_there.is_empty(), "only X-, Y- and B-wings can be on motherships".into())
    }

    fn check_piles(&self, state: &State, seat: usize) -> Result<()> {
        let piles = &state.piles[seat];
        let deck = &self.tables.decks[seat];
        let side = SIDES[seat];
        let rule = |holds: bool, broken: &str| {
            if holds { Ok(()) } else { Err(Error::state(format!("{side}: {broken}"))) }
        };
        rule(usize::from(piles.ordered) <= STACK, "at most 3 cards are ordered")?;
        let (chosen, free) = piles.stack.split_at(piles.ordered.into());
        rule(chosen.iter().all(|&k| usize::from(k) < deck.kinds), "an ordered card is not in the deck")?;
        rule(free.iter().all(|&k| k == NO_CARD), "a free place of the order stack holds a card")?;
        for k in 0..KINDS {
            let stacked = chosen.iter().filter(|&&c| usize::from(c) == k).count();
            let piled =
                [piles.hand, piles.deck, piles.buried, piles.discard].map(|pile| usize::from(pile[k]));
            let all = piled.iter().sum::<usize>() + stacked;
            rule(all == usize::from(deck.copies[k]), "the piles together are not the deck")?;
        }
        let sizes =
            [(piles.hand, piles.hand_size), (piles.deck, piles.deck_size), (piles.buried, piles.buried_size)];
        rule(sizes.iter().all(|(pile, size)| total(pile) == *size), "a pile's size is wrong")?;
        rule(piles.bonus <= piles.deck_size, "more bonus cards than the deck holds")?;
        let unseen = if piles.buried_size > 0 { &piles.buried } else { &piles.deck };
        let within = |low: &Counts, high: &Counts| low.iter().zip(high).all(|(l, h)| l <= h);
        rule(within(&piles.ceiling, &deck.copies), "a ceiling is higher than the deck's copies")?;
        rule(within(unseen, &piles.ceiling), "more unseen cards of a kind than the ceiling")?;
        let known: Counts = std::array::from_fn(|k| piles.ceiling[k] + piles.kept[k].min(deck.copies[k]));
        rule(within(&piles.unseen(), &known), "more cards of a kind than were kept or can be unseen")?;
        rule(within(&piles.kept, &deck.copies), "more cards kept than the deck's copies")?;
        let hand = usize::from(piles.hand_size + piles.ordered);
        let fits = match state.phase {
            Phase::Order => {
                let ordered = match (seat, state.seat()) {
                    (REBEL, EMPIRE) => piles.ordered == self.tables.constants.cards_per_round,
                    (EMPIRE, REBEL) => piles.ordered == 0,
                    _ => piles.ordered < self.tables.constants.cards_per_round,
                };
                ordered
                    && hand == usize::from(self.tables.constants.hand)
                    && piles.buried_size + piles.bonus == 0
            }
            _ => piles.hand_size == self.tables.constants.hand - self.tables.constants.cards_per_round,
        };
        rule(fits, "the cards in hand and ordered do not fit the phase")
    }

    fn check_phase(&self, state: &State) -> Result<()> {
        let rule = |holds: bool, broken: &str| {
            if holds { Ok(()) } else { Err(Error::state(format!("{}: {broken}", state.phase.name()))) }
        };
        let over = state.phase == Phase::Over;
        rule(over == (state.outcome != Outcome::None), "phase and outcome disagree")?;
        let no_rebels = state.fleet(REBEL).is_empty();
        rule(no_rebels == (state.outcome == Outcome::Empire), "the empire wins when no rebel ship is left")?;

        let play = &state.play;
        rule(play.on_board(), "a space of the play is not on the board")?;
        let playing = !matches!(state.phase, Phase::Order | Phase::Over);
        rule(playing == state.card().is_some(), "a card is in play when, and only when, it is played")?;
        if matches!(state.phase, Phase::Order | Phase::Icon | Phase::Fire | Phase::Over) {
            rule(*play == Play::NONE, "no ships are being played")?;
        }
        if let Some(card) = state.card() {
            let deck = &self.tables.decks[state.seat()];
            rule(card.index() < deck.kinds, "the card in play is not in the seat's deck")?;
            let turned = state.piles[state.seat()].discard[card.index()] > 0;
            rule(turned, "the card in play is not on the discard")?;
            let has = |wanted: &str| deck.icons[card.index()].iter().any(|i| i.name() == wanted);
            match state.phase {
                Phase::Icon => {
                    rule(state.playable_icons(&self.tables, card) != 0, "the card in play cannot be played")?;
                }
                Phase::Fire => rule(has("fire_deathstar"), "the card in play has no such icon")?,
                _ => {
                    rule(has(&format!("move_{}", play.ship.name())), "the card in play has no such icon")?;
                    self.check_play(state)?;
                }
            }
        }
        rule(over || self.legal_mask(state) != [0; WORDS], "there is nothing to decide")
    }

    /// The play of a move icon.
    fn check_play(&self, state: &State) -> Result<()> {
        let play = &state.play;
        let rule = |holds: bool| {
            let broken = || {
                Error::state(format!("{}: the play does not fit the phase or the board", state.phase.name()))
            };
            if holds { Ok(()) } else { Err(broken()) }
        };
        let capital = play.ship.is_capital();
        let here = |space: Option<Space>| space.map_or(0, |s| state.count(play.ship, s));
        let neighbours = |a: Option<Space>, b: Option<Space>| match (a, b) {
            (Some(a), Some(b)) => self.tables.neighbours[a.index()].contains(b),
            _ => false,
        };
        let moved = || {
            let all = if capital { play.count == 1 } else { usize::from(play.count) <= GROUP };
            let spawned = play.from().is_none()
                && play.ship == Ship::Tie
                && play.count == self.tables.constants.tie_spawn
                && state.with(Ship::Executor).first() == play.at();
            all && play.count >= 1
                && here(play.at()) >= play.count
                && (spawned || neighbours(play.from(), play.at()))
        };
        rule(play.ship.side() == state.seat())?;
        let dice: u32 = play.dice.iter().map(|&n| u32::from(n)).sum();
        rule((dice > 0) == (state.phase == Phase::Hit))?;
        rule(play.target().is_some() == (state.phase == Phase::Hit))?;
        rule(match state.phase {
            Phase::From => play.from().is_none() && play.at().is_none() && play.count == 0,
            Phase::To => here(play.from()) > 0 && play.at().is_none() && play.count == 0,
            Phase::Count => {
                let goes = |from, to| state.moves_from(&self.tables, from).contains(to);
                let way = play.from().zip(play.at()).is_some_and(|(from, to)| goes(from, to));
                !capital && here(play.from()) > 0 && way && play.count == 0
            }
            Phase::Again => capital && moved(),
            Phase::Attack => moved(),
            Phase::Hit => {
                moved()
                    && neighbours(play.at(), play.target())
                    && dice <= u32::from(self.tables.dice(play.ship, play.count))
                    && play.target().is_some_and(|t| state.fleet(1 - state.seat()).contains(t))
            }
            Phase::Order | Phase::Icon | Phase::Fire | Phase::Over => true,
        })
    }
}

fn read_play(node: &Node) -> Result<Play> {
    let mut play = Play::NONE;
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
    for die in node.key("dice")?.list(super::step::DICE)? {
        let face = die.number(6)?;
        if face == 0 {
            return Err(Error::state(format!("{}: 0, a die shows 1 to 6", die.path)));
        }
        play.dice[face as usize - 1] += 1;
    }
    Ok(play)
}

/// A place in a JSON document, which its errors name.
struct Node<'a> {
    path: String,
    value: &'a Value,
}

impl<'a> Node<'a> {
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
    /// An object of counts by name; what it does not name is 0.
    fn counts(&self, names: &[&str], most: impl Fn(usize) -> u8) -> Result<Vec<u8>> {
        let object: &Map<_, _> = self.value.as_object().ok_or_else(|| self.refuse("an object of counts"))?;
        let mut counts = vec![0; names.len()];
        for (name, value) in object {
            let node = Node { path: format!("{}.{name}", self.path), value };
            let i = names.iter().position(|n| n == name).ok_or_else(|| {
                Error::state(format!("{}: no such name, allowed is {}", node.path, names.join(", ")))
            })?;
            counts[i] = node.number(most(i).into())? as u8;
        }
        Ok(counts)
    }
}
