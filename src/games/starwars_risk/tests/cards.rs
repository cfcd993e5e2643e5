//! Rounds, orders, bonus cards, shuffles.

use super::*;
use ludovec_engine::Rules;

/// A new game in which both seats drew the first cards of their decks.
fn begin() -> Scenario {
    let rules = rules();
    let state = rules.init(&mut Dice(VecDeque::new()));
    Scenario { rules, state }
}

/// Moves cards of a seat from its deck to its order stack; the last is turned first.
fn order(rules: &StarWarsRisk, state: &mut State, seat: usize, names: &[&str]) {
    for name in names {
        let kind = rules.data.decks[seat].by_name(name).unwrap();
        let own = &mut state.piles[seat];
        own.deck[kind.index()] -= 1;
        own.deck_size -= 1;
        own.hand[kind.index()] += 1;
        own.hand_size += 1;
        own.choose(kind);
    }
}

/// Leaves only the first `left` cards in a seat's deck; the others are discarded.
fn exhaust(state: &mut State, seat: usize, left: u8) {
    let own = &mut state.piles[seat];
    for k in (0..KINDS).rev() {
        while own.deck[k] > 0 && own.deck_size > left {
            own.deck[k] -= 1;
            own.deck_size -= 1;
            own.discard[k] += 1;
        }
    }
}

#[test]
fn both_draw_to_six_cards_and_order_three_of_them() {
    let mut s = begin();
    assert_eq!([0, 1].map(|seat| s.state.piles[seat].hand_size), [6, 6]);
    let hand = [
        "order hat+shield",
        "order shield+lightsaber",
        "order move_xwing+hat",
        "order move_xwing+lightsaber",
    ];
    assert_eq!(s.choices(), hand);
    s.play(&["order shield+lightsaber", "order hat+shield", "order shield+lightsaber"], &[]);
    assert_eq!((s.state.seat(), s.state.phase), (EMPIRE, Phase::Order));
    s.play(&["order move_executor+lightning"; 2], &[]);
    assert_eq!(s.choices(), ["order move_executor+stormtroopers"]);
    s.play(&["order move_executor+stormtroopers"], &[]);
    assert_eq!((s.state.seat(), s.state.phase), (REBEL, Phase::Icon));
    assert_eq!([0, 1].map(|seat| s.state.piles[seat].hand_size), [3, 3]);
}

#[test]
fn which_card_is_ordered_is_asked_even_when_all_are_alike() {
    let mut s = begin();
    let kind = s.rules.data.decks[EMPIRE].by_name("move_tie+stormtroopers").unwrap();
    let own = &mut s.state.piles[EMPIRE];
    *own = Piles::new(s.rules.data.decks[EMPIRE].copies);
    own.deck[kind.index()] -= 6;
    own.hand[kind.index()] = 6;
    (own.hand_size, own.deck_size) = (6, 24);
    s.play(&["order hat+shield", "order shield+lightsaber", "order shield+lightsaber"], &[]);
    for _ in 0..3 {
        assert_eq!(s.choices(), ["order move_tie+stormtroopers"]);
        s.play(&["order move_tie+stormtroopers"], &[]);
    }
}

#[test]
fn the_card_chosen_last_is_turned_first_and_the_seats_alternate() {
    let mut s = begin();
    s.play(&["order hat+shield", "order move_xwing+lightsaber", "order move_xwing+hat"], &[]);
    s.play(&["order move_executor+lightning", "order move_executor+stormtroopers"], &[]);
    s.play(&["order move_executor+stormtroopers"], &[]);
    let mut turned = Vec::new();
    while s.state.round == 1 {
        turned.push((
            s.state.seat(),
            s.rules.data.card_name(s.state.seat(), s.state.card().unwrap()).to_string(),
        ));
        s.play(&["pass"], &[]);
    }
    let cards = turned.iter().map(|(seat, card)| (*seat, card.as_str())).collect::<Vec<_>>();
    assert_eq!(
        cards,
        [
            (REBEL, "move_xwing+hat"),
            (EMPIRE, "move_executor+stormtroopers"),
            (REBEL, "move_xwing+lightsaber"),
            (EMPIRE, "move_executor+stormtroopers"),
            (REBEL, "hat+shield"),
            (EMPIRE, "move_executor+lightning"),
        ]
    );
    // The round ends when both stacks are empty: three cards were kept, three are drawn.
    assert_eq!((s.state.round, s.state.seat(), s.state.phase), (2, REBEL, Phase::Order));
    for own in &s.state.piles {
        assert_eq!((own.hand_size, piles::total(&own.discard), own.deck_size), (6, 3, 21));
    }
}

#[test]
fn at_most_one_icon_of_a_card_is_played() {
    let mut s = Scenario::new("rebel", "shield+lightsaber", &[]);
    assert_eq!(s.choices(), ["pass", "shield", "lightsaber"]);
    s.play(&["shield"], &[2, 1, 1, 1, 1]);
    assert!(s.is_done());
}

#[test]
fn a_seat_without_cards_passes() {
    let mut s = Scenario::new("rebel", "shield+lightsaber", &[(20, "tie", 1)]);
    order(&s.rules, &mut s.state, EMPIRE, &["move_tie+lightning", "move_tie+stormtroopers"]);
    for card in ["move_tie+stormtroopers", "move_tie+lightning"] {
        s.play(&["pass"], &[]);
        assert_eq!((s.state.seat(), s.state.round), (EMPIRE, 1));
        assert_eq!(s.rules.data.card_name(EMPIRE, s.state.card().unwrap()), card);
    }
}

#[test]
fn a_card_that_cannot_be_played_is_discarded_without_a_question() {
    let mut s =
        Scenario::new("rebel", "shield+lightsaber", &[(20, "tie", 1)]).with(|state| state.throne[REBEL] = 0);
    order(&s.rules, &mut s.state, EMPIRE, &["move_tie+stormtroopers", "move_executor+lightning"]);
    s.play(&["pass"], &[]);
    assert_eq!(s.state.turns, 3);
    assert_eq!(s.rules.data.card_name(EMPIRE, s.state.card().unwrap()), "move_tie+stormtroopers");
}

#[test]
fn bonus_cards_go_under_the_own_stack() {
    let mut s = Scenario::new("rebel", "hat+shield", &[]).with(|state| state.throne[EMPIRE] = 1);
    order(&s.rules, &mut s.state, REBEL, &["move_bwing+lightsaber", "move_ywing+shield"]);
    s.play(&["hat"], &[]);
    assert_eq!(s.waiting(REBEL), 6, "five and two, one of them turned");
    let own = &s.state.piles[REBEL];
    assert_eq!((own.ordered, own.bonus, s.state.turns), (1, 5, 2));
    assert_eq!(s.rules.data.card_name(REBEL, s.state.card().unwrap()), "move_ywing+shield");
    // The other ordered card cannot be played; then the bonus cards are turned.
    s.play(&["pass"], &[]);
    let own = &s.state.piles[REBEL];
    assert_eq!((own.ordered, own.hand_size), (0, 3), "bonus cards are turned, not taken into the hand");
    assert!(own.bonus <= 4 && s.state.round == 1);
}

#[test]
fn the_discard_is_shuffled_in_when_the_deck_runs_short() {
    let mut s = Scenario::new("rebel", "shield+lightsaber", &[]);
    exhaust(&mut s.state, REBEL, 1);
    let discard = s.state.piles[REBEL].discard;
    let last = (0..KINDS).find(|&k| s.state.piles[REBEL].deck[k] > 0).unwrap();
    let kept = s.state.piles[REBEL].hand;
    s.play(&["pass"], &[]);
    let own = &s.state.piles[REBEL];
    assert_eq!((s.state.round, own.hand_size, own.deck_size, own.discard), (2, 6, 24, [0; KINDS]));
    assert!(own.hand[last] > kept[last], "the last card of the deck comes first");
    assert_eq!(own.ceiling, discard, "what the table knows of the new deck");
    let empire = &s.state.piles[EMPIRE];
    assert_eq!((empire.hand_size, empire.deck_size), (6, 24), "the other deck is left alone");
}

#[test]
fn bonus_cards_drawn_before_a_shuffle_are_turned_before_later_ones() {
    let mut s = Scenario::new("rebel", "hat+shield", &[]).with(|state| state.throne[EMPIRE] = 1);
    exhaust(&mut s.state, REBEL, 2);
    let old = s.state.piles[REBEL].deck;
    s.play(&["hat"], &[]);
    // Two of the five came from the old deck: one of them has been turned.
    let own = s.state.piles[REBEL];
    assert_eq!((own.buried_size, own.bonus, own.deck_size), (1, 3, 25));
    let card = s.state.card().unwrap();
    assert_eq!(old[card.index()], own.buried[card.index()] + 1);
    s.play(&["pass"], &[]);
    let own = s.state.piles[REBEL];
    assert_eq!((own.buried_size, own.bonus), (0, 3));
    assert_eq!(own.ceiling, own.deck, "nothing of the new deck is known to be elsewhere");
}

#[test]
fn max_rounds_truncates() {
    let rules = rules_with(1);
    let mut state = rules.init(&mut Dice(VecDeque::new()));
    while rules.status(&state) == Status::Running {
        let legal = rules.legal_mask(&state);
        // The first legal action: orders the first cards, then passes.
        rules.step(&mut state, mask::select(&legal, 0).unwrap(), &mut Dice(VecDeque::new()));
    }
    assert_eq!((rules.status(&state), state.round, state.turns), (Status::Truncated, 1, 6));
}
