//! What a seat may know: nothing it sees depends on the rest, and the rest is drawn evenly.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::super::cards::{Counts, total};
use super::super::events::Event;
use super::super::observe;
use super::*;
use crate::engine::Step;
use crate::engine::chance::{RecordedChance, enumerate_outcomes};

/// Everything the rules show to a seat.
fn view(rules: &StarWarsRisk, state: &State, seat: usize) -> (Vec<u8>, Value, String, String) {
    let mut row = vec![0xaa; observe::LEN];
    let picture = View { seat: Some(seat), ..View::default() };
    rules.observe(state, seat, &mut row);
    (
        row,
        rules.observation_to_json(state, seat),
        rules.to_text(state, None, picture),
        rules.to_svg(state, None, picture),
    )
}

#[test]
fn a_determinized_state_is_valid_and_looks_the_same_to_the_seat() {
    let rules = rules();
    let mut chance = SeededChance::from_seed(11);
    let (mut steps, mut changed, mut bounded) = (0, 0, 0);
    walk(&rules, amount(25), |state, legal, _| {
        steps += 1;
        let seat = steps % 2;
        let other = 1 - seat;
        let drawn = rules.determinize(state, seat, &mut chance);
        rules.validate(&drawn).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(drawn.piles[seat], state.piles[seat]);
        if steps % 8 == 0 {
            assert_eq!(view(&rules, &drawn, seat), view(&rules, state, seat));
        }
        if state.phase != Phase::Order || state.seat() == seat {
            assert_eq!(rules.legal_mask(&drawn), *legal);
        }
        let (own, new) = (&state.piles[other], &drawn.piles[other]);
        changed += u32::from(own != new);
        bounded += u32::from(own.ceiling != rules.tables.decks[other].copies);
        // Only what is hidden differs.
        let public =
            |p: &Piles| (p.discard, p.ceiling, p.ordered, p.bonus, p.hand_size, p.deck_size, p.buried_size);
        assert_eq!(public(own), public(new));
        let rest = |mut s: State| {
            s.piles = state.piles;
            s
        };
        assert_eq!(rest(drawn), *state);
    });
    assert!(changed > steps as u32 / 2 && bounded > 1000, "{steps} {changed} {bounded}");
}

#[test]
fn swapping_hidden_cards_changes_nothing_the_other_seat_sees() {
    let rules = rules();
    let mut swaps = 0;
    walk(&rules, amount(10), |state, _, _| {
        for seat in [REBEL, EMPIRE] {
            let mut swapped = *state;
            let hidden = &mut swapped.piles[1 - seat];
            // A card of the hand, the top of the order stack, and an unseen card change places.
            let in_hand = (0..KINDS).find(|&k| hidden.hand[k] > 0);
            let in_deck = (0..KINDS).rev().find(|&k| hidden.deck[k] > 0);
            if let (Some(a), Some(b)) = (in_hand, in_deck)
                && a != b
            {
                hidden.hand[a] -= 1;
                hidden.deck[b] -= 1;
                if hidden.ordered > 0 {
                    let top = usize::from(hidden.ordered) - 1;
                    hidden.hand[usize::from(hidden.stack[top])] += 1;
                    hidden.stack[top] = b as u8;
                } else {
                    hidden.hand[b] += 1;
                }
                hidden.deck[a] += 1;
                assert_ne!(swapped, *state);
                swaps += 1;
                if swaps % 8 == 0 {
                    assert_eq!(view(&rules, &swapped, seat), view(&rules, state, seat));
                }
                assert_ne!(rules.state_to_json(&swapped), rules.state_to_json(state));
            }
        }
    });
    assert!(swaps > 5000);
}

/// Every way to lay out labelled cards, by brute force, and how likely each layout of kinds is.
fn layouts(unseen: &[usize], hand: usize, ordered: usize, ceiling: &Counts) -> BTreeMap<Vec<u8>, f64> {
    fn permute(rest: &mut Vec<usize>, placed: &mut Vec<usize>, all: &mut Vec<Vec<usize>>) {
        if rest.is_empty() {
            all.push(placed.clone());
        }
        for i in 0..rest.len() {
            placed.push(rest.remove(i));
            permute(rest, placed, all);
            rest.insert(i, placed.pop().unwrap());
        }
    }
    let mut all = Vec::new();
    permute(&mut unseen.to_vec(), &mut Vec::new(), &mut all);
    let count = |cards: &[usize]| -> Counts {
        std::array::from_fn(|k| cards.iter().filter(|&&c| c == k).count() as u8)
    };
    all.retain(|cards| count(&cards[hand + ordered..]).iter().zip(ceiling).all(|(n, most)| n <= most));
    let mut layouts = BTreeMap::new();
    for cards in &all {
        let stack: Vec<u8> = cards[hand..hand + ordered].iter().map(|&k| k as u8).collect();
        let key = [&count(&cards[..hand])[..], &stack, &count(&cards[hand + ordered..])[..]].concat();
        *layouts.entry(key).or_insert(0.) += 1. / all.len() as f64;
    }
    layouts
}

/// Every arrangement that a seat's knowledge allows is drawn exactly as often as it should be.
#[test]
fn determinize_draws_every_consistent_arrangement_equally_likely() {
    let cards = [0, 0, 1, 1, 1, 2, 3];
    for (hand, ordered, most, buried) in [
        (2, 1, [9, 9, 9, 9], false),
        (2, 2, [1, 2, 0, 1], false),
        (3, 1, [0, 1, 1, 1], false),
        (2, 2, [1, 2, 0, 1], true),
        (3, 0, [2, 3, 0, 1], false),
    ] {
        let mut state = State::new(&rules().tables);
        let own = &mut state.piles[EMPIRE];
        let known = own.deck;
        own.ceiling[..4].copy_from_slice(&most);
        let pile: Vec<usize> = {
            // Any arrangement that fits; the draw must not depend on it.
            let fits = layouts(&cards, hand, ordered, &own.ceiling);
            let key = fits.keys().next().unwrap();
            own.hand.copy_from_slice(&key[..KINDS]);
            own.stack[..ordered].copy_from_slice(&key[KINDS..KINDS + ordered]);
            key[KINDS + ordered..].iter().map(|&n| usize::from(n)).collect()
        };
        let unseen: Counts = std::array::from_fn(|k| pile[k] as u8);
        (own.hand_size, own.ordered) = (hand as u8, ordered as u8);
        if buried {
            (own.buried, own.buried_size) = (unseen, total(&unseen));
        } else {
            (own.deck, own.deck_size) = (unseen, total(&unseen));
        }
        let drawn = enumerate_outcomes(100_000, |chance| {
            let drawn = rules().determinize(&state, REBEL, chance).piles[EMPIRE];
            if buried {
                assert_eq!(drawn.deck, known, "the deck is known while cards are buried");
            }
            let pile = if buried { drawn.buried } else { drawn.deck };
            [&drawn.hand[..], &drawn.stack[..ordered], &pile[..]].concat()
        })
        .unwrap();
        let mut found = BTreeMap::new();
        for outcome in drawn {
            *found.entry(outcome.result).or_insert(0.) += outcome.probability;
        }
        let expected = layouts(&cards, hand, ordered, &state.piles[EMPIRE].ceiling);
        assert_eq!(found.len(), expected.len());
        for (layout, p) in expected {
            assert!((found[&layout] - p).abs() < 1e-9, "{layout:?}: {} expected {p}", found[&layout]);
        }
    }
}

/// Plays one random game and records it.
fn record(rules: &StarWarsRisk, seed: u64) -> (Vec<Step<State>>, State) {
    let mut chance = SeededChance::from_seed(seed);
    let mut state = rules.init(&mut chance);
    let mut history = Vec::new();
    while rules.status(&state) == Status::Running {
        let legal = rules.legal_mask(&state);
        let action = mask::select(&legal, chance.uniform(mask::count(&legal))).unwrap();
        let before = state;
        let mut recorded = RecordedChance::new(&mut chance);
        rules.step(&mut state, action, &mut recorded);
        let chance = recorded.into_outcomes();
        history.push(Step { before, player: before.seat(), action, chance });
    }
    (history, state)
}

/// What the table knows of one seat's cards, from what everybody sees alone.
struct Table {
    discard: Counts,
    ceiling: Counts,
    ordered: u8,
    buried: u8,
    /// With the bonus cards among it.
    deck: u8,
    /// The deck as it was shuffled, while cards from before are buried.
    shuffled: Counts,
}

#[test]
fn the_ceiling_is_what_the_table_can_know() {
    let rules = rules();
    let (mut shuffles, mut buried) = (0, 0);
    for seed in 0..amount(12) {
        let (history, end) = record(&rules, seed);
        let mut tables = [REBEL, EMPIRE].map(|seat| {
            let copies = rules.tables.decks[seat].copies;
            Table { discard: [0; KINDS], ceiling: copies, ordered: 0, buried: 0, deck: 24, shuffled: copies }
        });
        let after = history.iter().skip(1).map(|step| &step.before).chain([&end]);
        for (step, after) in history.iter().zip(after) {
            for event in rules.events(step) {
                match event {
                    Event::Drew { seat, .. } => tables[seat].deck -= 1,
                    Event::Ordered { seat, .. } => tables[seat].ordered += 1,
                    Event::Shuffled { seat } => {
                        shuffles += 1;
                        let t = &mut tables[seat];
                        t.buried += t.deck;
                        t.deck = total(&t.discard);
                        t.shuffled = std::mem::take(&mut t.discard);
                        if t.buried == 0 {
                            t.ceiling = t.shuffled;
                        }
                    }
                    Event::Turned { seat, card } => {
                        let (t, k) = (&mut tables[seat], card.index());
                        t.discard[k] += 1;
                        if t.ordered > 0 {
                            t.ordered -= 1;
                        } else if t.buried > 0 {
                            buried += 1;
                            t.buried -= 1;
                            t.ceiling[k] -= 1;
                            if t.buried == 0 {
                                t.ceiling = t.shuffled;
                            }
                        } else {
                            t.deck -= 1;
                            t.ceiling[k] -= 1;
                        }
                    }
                    Event::Bonus { .. } | Event::Sub(_) | Event::Rolled { .. } | Event::Hit { .. } => {}
                }
            }
            for seat in [REBEL, EMPIRE] {
                let (t, own) = (&tables[seat], &after.piles[seat]);
                assert_eq!((t.ceiling, t.discard), (own.ceiling, own.discard));
                assert_eq!((t.ordered, t.buried, t.deck), (own.ordered, own.buried_size, own.deck_size));
            }
        }
    }
    assert!(shuffles > 10 && buried > 0, "{shuffles} {buried}");
}

/// Two games in which only the empire's cards differ, up to the rebellion's first turned card.
#[test]
fn the_information_state_does_not_depend_on_hidden_cards() {
    let rules = rules();
    let opening = |seed: u64| {
        let mut chance = SeededChance::from_seed(seed);
        let mut state = rules.init(&mut chance);
        // The same cards for the rebellion, others for the empire.
        state.piles[REBEL] = rules.init(&mut SeededChance::from_seed(0)).piles[REBEL];
        let mut history = Vec::new();
        for _ in 0..6 {
            let action = mask::select(&rules.legal_mask(&state), 0).unwrap();
            let step = Step { before: state, player: state.seat(), action, chance: Vec::new() };
            rules.step(&mut state, action, &mut SeededChance::from_seed(0));
            history.push(step);
        }
        (history, state)
    };
    let ((a, a_end), (b, b_end)) = (opening(1), opening(2));
    assert_ne!(a_end.piles[EMPIRE], b_end.piles[EMPIRE]);
    let seen = |seat, history: &[Step<State>], end| rules.information_state(end, seat, history);
    assert_eq!(seen(REBEL, &a, &a_end), seen(REBEL, &b, &b_end));
    assert_ne!(seen(EMPIRE, &a, &a_end), seen(EMPIRE, &b, &b_end));
}

#[test]
fn a_described_step_names_an_ordered_card_to_its_owner_only() {
    let rules = rules();
    let (history, _) = record(&rules, 3);
    let mut orders = 0;
    for step in &history {
        let described = |viewer| rules.describe_step(step, viewer);
        let label = rules.action_to_string(&step.before, step.action);
        assert!(described(None).starts_with(&label));
        assert_eq!(described(Some(step.player)), described(None));
        let seen = described(Some(1 - step.player));
        if step.before.phase == Phase::Order {
            orders += 1;
            assert!(seen.starts_with("order a card") && !seen.contains(&label), "{seen}");
        } else {
            assert_eq!(seen, described(None));
        }
    }
    assert!(orders > 6);
    assert!(history.iter().any(|step| rules.describe_step(step, None).contains("; rolled ")));
}

#[test]
fn the_information_state_recalls_own_cards_and_all_plays_and_hides_the_rest() {
    let rules = rules();
    let (history, end) = record(&rules, 3);
    for seat in [REBEL, EMPIRE] {
        let whole = rules.information_state(&end, seat, &history);
        let events = whole["events"].as_array().unwrap();
        let of = |name: &str, side: usize| -> Vec<&Value> {
            events.iter().filter(|e| e[0] == name && e[1] == SIDES[side]).map(|e| &e[2]).collect()
        };
        for name in ["drew", "ordered"] {
            assert!(of(name, seat).iter().all(|card| card.is_string()));
            assert!(of(name, 1 - seat).iter().all(|card| card.is_null()));
            assert!(!of(name, 1 - seat).is_empty());
        }
        assert_eq!(of("turned", REBEL).len() + of("turned", EMPIRE).len(), end.turns as usize);
        // What was seen earlier is the beginning of what is seen later.
        let half = history.len() / 2;
        let earlier = rules.information_state(&history[half].before, seat, &history[..half]);
        assert!(events.starts_with(earlier["events"].as_array().unwrap()));
        assert_eq!(whole["observation"], rules.observation_to_json(&end, seat));
    }
    assert!(json!(rules.information_state(&end, 0, &history)).to_string().contains("[\"rolled\","));
}
