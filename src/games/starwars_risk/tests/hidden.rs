//! Hidden information: no observation depends on hidden cards, and determinization draws them with the right
//! probabilities.

use ludovec_engine::{Rules, Words, pictures};
use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::super::actions::Action;
use super::super::observe;
use super::*;
use crate::rules::cards::{CardKind, Counts, total};
use crate::rules::events::Event;
use ludovec_engine::Step;
use ludovec_engine::chance::{RecordedChance, enumerate_outcomes};

/// The complete observation of a seat.
fn view(rules: &StarWarsRisk, state: &State, seat: usize) -> (Vec<u8>, Value, [String; 2]) {
    let mut row = vec![0xaa; observe::LEN];
    let picture = View { seat: Some(seat), ..View::default() };
    rules.observe(state, seat, &mut row);
    (row, rules.observation_to_json(state, seat), pictures(rules, state, picture))
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
        bounded += u32::from(own.ceiling != rules.data.decks[other].copies);
        // Only hidden information differs.
        let public = |p: &Piles| {
            (p.discard, p.ceiling, p.kept, p.ordered, p.bonus, p.hand_size, p.deck_size, p.buried_size)
        };
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
            // A card of the hand, the top of the order stack, and an unseen card are swapped.
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

/// Every way to choose `n` of some cards (cards of one kind are distinct here): the chosen cards and the rest.
fn choices(cards: &[usize], n: usize) -> Vec<(Vec<usize>, Vec<usize>)> {
    let Some((&first, others)) = cards.split_first() else {
        return if n == 0 { vec![(Vec::new(), Vec::new())] } else { Vec::new() };
    };
    let mut all = Vec::new();
    if n > 0 {
        for (mut chosen, rest) in choices(others, n - 1) {
            chosen.push(first);
            all.push((chosen, rest));
        }
    }
    for (chosen, mut rest) in choices(others, n) {
        rest.push(first);
        all.push((chosen, rest));
    }
    all
}

fn count(cards: &[usize]) -> Counts {
    std::array::from_fn(|k| cards.iter().filter(|&&c| c == k).count() as u8)
}

/// Plays rounds with a hand of 6 in every possible way and adds up the probability of each pair of turned cards and
/// remaining deck.
fn replay(
    hand: &[usize],
    deck: &[usize],
    rounds: &[usize],
    turned: &[usize],
    p: f64,
    found: &mut BTreeMap<(Counts, Counts), f64>,
) {
    let Some((&turns, later)) = rounds.split_first() else {
        *found.entry((count(turned), count(deck))).or_insert(0.) += p;
        return;
    };
    let deals = choices(deck, 6 - hand.len());
    for (dealt, deck) in &deals {
        let hand = [hand, dealt].concat();
        let plays = choices(&hand, turns);
        for (played, hand) in &plays {
            let p = p / (deals.len() * plays.len()) as f64;
            replay(hand, deck, later, &[turned, played].concat(), p, found);
        }
    }
}

/// After a shuffle, the seat's kept cards cannot be in the deck, and the cards turned since may be either.
#[test]
fn determinize_draws_every_arrangement_as_often_as_play_leads_to_it() {
    for (kept, deck, rounds) in [
        (&[0, 0, 0][..], &[0, 1, 1, 2, 2, 3][..], &[0][..]),
        (&[0, 0, 1], &[0, 1, 1, 2, 2, 3, 3, 3], &[3, 1]),
        (&[0, 1, 1, 2, 3], &[0, 1, 2, 2, 3, 3], &[3, 0]),
        (&[0, 1, 2], &[0, 0, 1, 1, 2, 2, 3], &[2]),
        (&[], &[0, 0, 1, 1, 1, 2, 3, 3], &[2]),
    ] {
        let mut found = BTreeMap::new();
        replay(kept, deck, rounds, &[], 1.0, &mut found);
        for turned in found.keys().map(|key| key.0).collect::<BTreeSet<_>>() {
            let of_turned = || found.iter().filter(|(key, _)| key.0 == turned);
            let all: f64 = of_turned().map(|(_, p)| p).sum();
            // Any deck that fits; the draw must not depend on the choice.
            let pile = of_turned().next().unwrap().0.1;
            let mut state = State::new(&rules().data);
            let own = &mut state.piles[EMPIRE];
            (own.kept, own.ceiling) = (count(kept), count(deck));
            (own.deck, own.deck_size) = (pile, total(&pile));
            own.hand = std::array::from_fn(|k| own.kept[k] + own.ceiling[k] - turned[k] - pile[k]);
            own.hand_size = total(&own.hand);
            let mut drawn = BTreeMap::new();
            let redrawn = |chance: &mut dyn Chance| rules().determinize(&state, REBEL, chance).piles[EMPIRE];
            for outcome in enumerate_outcomes(100_000, redrawn).unwrap() {
                assert_eq!(outcome.result.unseen(), state.piles[EMPIRE].unseen());
                *drawn.entry(outcome.result.deck).or_insert(0.) += outcome.probability;
            }
            assert_eq!(drawn.len(), of_turned().count());
            for ((_, deck), p) in of_turned() {
                assert!(
                    (drawn[deck] - p / all).abs() < 1e-7,
                    "{deck:?}: {} expected {}",
                    drawn[deck],
                    p / all
                );
            }
        }
    }
}

/// Three of the four cards of a kind are kept while the other 27 cards are shuffled: the fourth is among the three
/// dealt cards with probability 1/9.
#[test]
fn cards_kept_at_a_shuffle_determine_the_deck() {
    let rules = rules();
    let mut state = State::new(&rules.data);
    let own = &mut state.piles[REBEL];
    let kind = (0..KINDS).find(|&k| own.deck[k] == 4).expect("a kind with four copies");
    own.hand[kind] = 3;
    own.hand_size = 3;
    own.discard = own.deck;
    own.discard[kind] = 1;
    (own.deck, own.deck_size) = ([0; KINDS], 0);
    let mut chance = SeededChance::from_seed(5);
    while own.hand_size < 6 {
        own.deal(&mut false, &mut chance);
    }
    let drawn = |chance: &mut dyn Chance| rules.determinize(&state, EMPIRE, chance).piles[REBEL].hand[kind];
    let trials = 20_000;
    let fourth = (0..trials).filter(|_| drawn(&mut chance) == 4).count();
    assert!(fourth.abs_diff(trials / 9) < 200, "{fourth} of {trials}");
}

/// Rank statistic: in every phase the true hidden cards are as likely as each of nine determinized draws, so their
/// rank among the draws is uniform. The game orders cards at random, as determinization assumes.
#[test]
fn hidden_cards_rank_evenly_among_determinized_draws_in_every_phase() {
    const DRAWS: usize = 9;
    let rules = rules_with(24);
    let mut ranks = [[0u32; DRAWS + 1]; Phase::ALL.len()];
    let mut chance = SeededChance::from_seed(3);
    for game in 0..amount(300) {
        let mut play = SeededChance::from_seed(game);
        let mut state = rules.init(&mut play);
        // One decision of each phase after a shuffle, chosen uniformly.
        let mut picked: [Option<State>; Phase::ALL.len()] = [None; Phase::ALL.len()];
        let mut seen = [0; Phase::ALL.len()];
        while rules.status(&state) == Status::Running {
            let phase = state.phase as usize;
            if total(&state.piles[REBEL].kept) > 0 {
                seen[phase] += 1;
                if chance.uniform(seen[phase]) == 0 {
                    picked[phase] = Some(state);
                }
            }
            let legal = rules.legal_mask(&state);
            let action = match state.phase {
                Phase::Order => {
                    let hand = state.piles[state.seat()].hand;
                    Action::Order(CardKind(play.weighted(&hand.map(u32::from)) as u8)).encode()
                }
                _ => mask::select(&legal, play.uniform(mask::count(&legal))).unwrap(),
            };
            rules.step(&mut state, action, &mut play);
        }
        for (phase, state) in picked.iter().enumerate().filter_map(|(phase, s)| Some((phase, s.as_ref()?))) {
            // The number of unseen cards of the kept kinds; other counts break ties.
            let measure = |piles: &Piles| -> usize {
                let pile = if piles.buried_size > 0 { &piles.buried } else { &piles.deck };
                (0..KINDS).map(|k| usize::from(pile[k]) * if piles.kept[k] > 0 { 50 } else { k % 3 }).sum()
            };
            let truth = measure(&state.piles[REBEL]);
            let draws =
                [(); DRAWS].map(|()| measure(&rules.determinize(state, EMPIRE, &mut chance).piles[REBEL]));
            let (less, same) = draws.iter().fold((0, 0), |(less, same), &draw| {
                (less + u32::from(draw < truth), same + u32::from(draw == truth))
            });
            ranks[phase][(less + chance.uniform(same + 1)) as usize] += 1;
        }
    }
    for (phase, ranks) in Phase::ALL.iter().zip(&ranks).filter(|(phase, _)| **phase != Phase::Over) {
        let n: u32 = ranks.iter().sum();
        let even = f64::from(n) / ranks.len() as f64;
        let chi_square: f64 = ranks.iter().map(|&r| (f64::from(r) - even).powi(2) / even).sum();
        // Nine degrees of freedom: exceeded with probability 1/100,000.
        assert!(n > 30 && chi_square < 39.0, "{}: {ranks:?}, chi-square {chi_square}", phase.name());
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

/// Public knowledge of one seat's cards, computed from public events alone.
struct PublicCards {
    discard: Counts,
    ceiling: Counts,
    ordered: u8,
    buried: u8,
    /// Size of the deck, bonus cards included.
    deck: u8,
    /// The deck as it was shuffled, while cards from before are buried.
    shuffled: Counts,
}

#[test]
fn the_ceiling_is_the_public_knowledge() {
    let rules = rules();
    let (mut shuffles, mut buried) = (0, 0);
    for seed in 0..amount(12) {
        let (history, end) = record(&rules, seed);
        let mut tables = [REBEL, EMPIRE].map(|seat| {
            let copies = rules.data.decks[seat].copies;
            PublicCards {
                discard: [0; KINDS],
                ceiling: copies,
                ordered: 0,
                buried: 0,
                deck: 24,
                shuffled: copies,
            }
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

/// Two games that differ only in the empire's cards, up to the rebellion's first turned card.
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
        let described = |viewer| rules.describe_step(step, viewer, &rules.seat_names());
        let label = rules.action_in_words(&step.before, step.action, &rules.seat_names());
        assert!(described(None).starts_with(&label));
        assert_eq!(described(Some(step.player)), described(None));
        let seen = described(Some(1 - step.player));
        if step.before.phase == Phase::Order {
            orders += 1;
            assert!(seen.starts_with("Order a card") && !seen.contains(&label), "{seen}");
        } else {
            assert_eq!(seen, described(None));
        }
    }
    assert!(orders > 6);
    assert!(
        history.iter().any(|step| rules.describe_step(step, None, &rules.seat_names()).contains("; rolled "))
    );
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
        // An earlier information state is a prefix of a later one.
        let half = history.len() / 2;
        let earlier = rules.information_state(&history[half].before, seat, &history[..half]);
        assert!(events.starts_with(earlier["events"].as_array().unwrap()));
        assert_eq!(whole["observation"], rules.observation_to_json(&end, seat));
    }
    assert!(json!(rules.information_state(&end, 0, &history)).to_string().contains("[\"rolled\","));
}
