//! The position as text.

use std::fmt::Write;

use crate::StarWarsRisk;
use crate::exchange::notation::card_in_words;
use crate::rules::board::{EMPIRE, REBEL, Ring, SHIELD_RUN, SPACES, Ship, Space, SpaceSet};
use crate::rules::cards::{CardKind, Counts};
use crate::rules::phase::{GameResult, Phase};
use crate::rules::state::State;
use ludovec_engine::drawing::shortened;
use ludovec_engine::{Caption, View};

/// Colours of the sides in the 256-colour palette.
const TERMINAL_COLOURS: [u8; 2] = [208, 40];

/// Width of the label at the start of a line, and maximum width of a line of spaces: terminals have 80 columns, of
/// which a frame takes 2.
const INDENT: usize = 12;
const WIDTH: usize = 78;

/// One line about the current decision.
pub(crate) fn headline(state: &State, names: [&str; 2]) -> String {
    let side = names[state.seat()];
    match (state.outcome, state.phase) {
        (GameResult::Rebel, _) => format!("{} won: the Death Star is destroyed", names[REBEL]),
        (GameResult::Empire, _) => format!("{} won: no rebel ship is left", names[EMPIRE]),
        (GameResult::Rounds, _) => "the last round is over, nobody has won".into(),
        (GameResult::None, phase) => {
            let deed = match phase {
                Phase::Order => "orders cards",
                Phase::Icon => "chooses an icon of the card",
                Phase::From => "chooses which ships move",
                Phase::To | Phase::Again => "chooses where they move",
                Phase::Count => "chooses how many move",
                Phase::Attack => "chooses a target",
                Phase::Fire => "fires the Death Star",
                Phase::Hit => "assigns the hits",
                Phase::Over => "is done",
            };
            format!("round {}, {side} {deed}", state.round)
        }
    }
}

/// The position as lines of text.
pub(crate) fn text(rules: &StarWarsRisk, state: &State, view: View, caption: Caption<'_>) -> String {
    let mut text = format!("{}\n\n", caption.standing);
    let rings = [
        (Ring::Mothership, "motherships"),
        (Ring::Outer, "outer ring"),
        (Ring::Middle, "middle ring"),
        (Ring::Inner, "inner ring"),
    ];
    for (ring, name) in rings {
        _ = write!(text, "{name:<INDENT$}");
        let mut column = INDENT;
        for space in SpaceSet::ALL.iter().filter(|s| rules.data.rings[s.index()] == ring) {
            let side = [REBEL, EMPIRE].into_iter().find(|&side| state.fleet(side).contains(space));
            let crew = format!("{:<5}", rules.crew(state, space));
            let width = 4 + crew.len();
            if column + width > WIDTH {
                _ = write!(text, "\n{:INDENT$}", "");
                column = INDENT;
            }
            column += width;
            let crew = side.map_or(crew.clone(), |side| view.paint(TERMINAL_COLOURS[side], crew));
            _ = write!(text, " {:>2}:{crew}", space.0);
        }
        text.push('\n');
    }
    let run: String = (0..SHIELD_RUN)
        .map(|i| {
            let trooper = i >= state.shield.into() && i < usize::from(state.shield + state.stormtroopers);
            let here = if i == usize::from(state.shield) { ">" } else { " " };
            format!("{here}{}{}", rules.data.shield_run[i], if trooper { "+" } else { "" })
        })
        .collect();
    let down = if state.shield_is_down() { " down" } else { "" };
    _ = write!(text, "\nshield run  {run}{down}\n");
    _ = writeln!(text, "throne room  rebel {}, empire {}", state.throne[0], state.throne[1]);
    for (seat, (name, piles)) in caption.names.iter().zip(&state.piles).enumerate() {
        let name = shortened(name, 12);
        _ = writeln!(
            text,
            "{} hand {}, ordered {}, bonus {}, deck {}",
            view.paint(TERMINAL_COLOURS[seat], format_args!("{name:<12}")),
            piles.hand_size,
            piles.ordered,
            piles.bonus + piles.buried_size,
            piles.undrawn()
        );
        if view.shows(seat) {
            for (kind, n) in rules.cards(seat, &piles.hand) {
                write_card(&mut text, &format!("in hand {n}"), &card_in_words(rules, seat, kind), view);
            }
            // The last ordered card is played first.
            for kind in piles.chosen().rev() {
                write_card(&mut text, "ordered", &card_in_words(rules, seat, kind), view);
            }
        }
    }
    let play = &state.play;
    if let (Phase::Hit, Some(target)) = (state.phase, play.target()) {
        let dice: Vec<String> =
            (1..=6).rev().flat_map(|f| vec![f.to_string(); play.dice[f - 1].into()]).collect();
        _ = writeln!(text, "dice left    {} on {}", dice.join(" "), target.0);
    }
    text
}

/// A card below its player; in a terminal the icons of a long one are on two lines.
fn write_card(text: &mut String, pile: &str, card: &str, view: View) {
    let width = if view.ansi { WIDTH } else { usize::MAX };
    let mut column = INDENT + 1;
    _ = write!(text, "{:column$}{pile}:", "");
    column += pile.len() + 1;
    for icon in card.split_inclusive(", ") {
        if column + 1 + icon.trim_end().len() > width {
            column = INDENT + 3;
            _ = write!(text, "\n{:column$}", "");
        }
        let icon = icon.trim_end();
        column += 1 + icon.len();
        _ = write!(text, " {icon}");
    }
    text.push('\n');
}

impl StarWarsRisk {
    /// The kinds of cards in `counts`, with their numbers.
    pub(crate) fn cards(&self, seat: usize, counts: &Counts) -> impl Iterator<Item = (CardKind, u8)> {
        let kinds = self.data.decks[seat].kinds;
        (0..kinds).map(|k| (CardKind(k as u8), counts[k])).filter(|(_, n)| *n > 0)
    }

    /// The ships of a space in short: `X5 F6`, `x` for a destroyed mothership, `.` for none.
    pub(crate) fn crew(&self, state: &State, space: Space) -> String {
        const LETTERS: [&str; 6] = ["X", "Y", "B", "F", "T", "E"];
        if SpaceSet::MOTHERSHIPS.contains(space) && state.motherships >> space.0 & 1 == 0 {
            return "x".into();
        }
        let ships = Ship::ALL.iter().map(|&s| (LETTERS[s as usize], state.count(s, space)));
        let ships: Vec<String> = ships.filter(|(_, n)| *n > 0).map(|(l, n)| format!("{l}{n}")).collect();
        if ships.is_empty() { ".".into() } else { ships.join(" ") }
    }
}

const _: () = assert!(SPACES == 28, "two digits name a space");
