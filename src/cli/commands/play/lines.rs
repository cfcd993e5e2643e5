//! A game in lines of text: for pipes, scripts and line-oriented screen readers.

use std::io::{self, BufRead, Write};
use std::time::Duration;

use super::hints::{BEST, expected, price};
use crate::failure::Failure;
use crate::output::{colours, waiting};
use ludovec::engine::{Interrupt, View};
use ludovec::play::player::Player;
use ludovec::play::seated_game::SeatedGame;

/// The number of actions on a page of the list.
const PAGE: usize = 60;

const HELP: &str = "to make a move, type its words, or its label or number from list; ? gives a hint; \
                    ?text shows the moves that contain text, list shows the labels of all moves, more \
                    continues the list; undo returns to your last decision; log shows all moves so far; \
                    help shows this; quit leaves";

/// The level of detail of the output.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Detail {
    /// Every position and move.
    All,
    /// The last position, and the information that a person needs.
    LastPosition,
}

/// Plays until the game ends or the person quits.
pub(super) fn play(
    mut seated: SeatedGame,
    adviser: &Player,
    delay: Duration,
    detail: Detail,
) -> Result<SeatedGame, Failure> {
    let mut input = io::stdin().lock();
    // The last printed step.
    let mut printed = None;
    let bar = waiting(seated.game().game().spec().env);
    while seated.is_running() {
        if seated.awaits_person() {
            bar.set_message("");
            if printed != Some(seated.steps()) {
                print_position(&seated)?;
                printed = Some(seated.steps());
            }
            if !turn(&mut seated, adviser, &mut input)? {
                break;
            }
        } else {
            std::thread::sleep(delay);
            if detail == Detail::LastPosition {
                let seat = &seated.seats()[seated.game().current_player()];
                bar.set_message(format!("step {}, {} is to move", seated.steps(), seat.name));
            }
            seated.play_bot()?;
            if detail == Detail::All {
                print_log(&seated, seated.steps() - 1);
                print_position(&seated)?;
                println!();
                printed = Some(seated.steps());
            }
        }
    }
    bar.finish_and_clear();
    if printed != Some(seated.steps()) {
        print_position(&seated)?;
    }
    Ok(seated)
}

fn print_position(seated: &SeatedGame) -> Result<(), Failure> {
    let view = View { ansi: colours(), seat: seated.observer(), ..View::default() };
    println!("{}", seated.game().to_text(view)?);
    Ok(())
}

fn print_log(seated: &SeatedGame, first: usize) {
    for (player, text) in seated.log(first) {
        println!("{}: {text}", seated.seats()[player].name);
    }
}

/// Lets a person choose; false if they quit.
fn turn(seated: &mut SeatedGame, adviser: &Player, input: &mut impl BufRead) -> Result<bool, Failure> {
    let mut rest = print_page(in_words(seated, "")?);
    let name = seated.seats()[seated.game().current_player()].name.clone();
    loop {
        print!("{name} (a move, ?, ?text, list, more, undo, log, help, quit): ");
        let _ = io::stdout().flush();
        let mut line = String::new();
        if input.read_line(&mut line).map_err(|e| Failure::Usage(e.to_string()))? == 0 {
            println!();
            return Ok(false);
        }
        match line.trim() {
            "" => {}
            "quit" => return Ok(false),
            "more" if rest.is_empty() => println!("there are no more"),
            "more" => rest = print_page(rest),
            "help" => println!("{HELP}"),
            "?" => print_hint(seated, adviser)?,
            "list" => rest = print_page(as_programs_name_them(seated)?),
            "log" => print_log(seated, 0),
            "undo" if seated.undo() => return Ok(true),
            "undo" => println!("there is nothing to take back"),
            line => match line.strip_prefix('?') {
                Some(filter) => rest = print_page(in_words(seated, filter.trim())?),
                None => match choose(seated, line) {
                    Ok(()) => return Ok(true),
                    Err(error) => println!("{error}"),
                },
            },
        }
    }
}

fn choose(seated: &mut SeatedGame, text: &str) -> ludovec::engine::Result<()> {
    let game = seated.game();
    let legal = game.legal_actions();
    if let Some(&action) = text.parse().ok().and_then(|number: u32| legal.iter().find(|a| **a == number)) {
        return seated.play(action);
    }
    let words =
        |action: u32| game.action_in_words(action).is_ok_and(|words| words.eq_ignore_ascii_case(text));
    let said: Vec<u32> = legal.into_iter().filter(|&action| words(action)).collect();
    let action = if let [only] = said[..] { only } else { game.string_to_action(text)? };
    seated.play(action)
}

/// Prints the best actions with their prices.
fn print_hint(seated: &SeatedGame, adviser: &Player) -> Result<(), Failure> {
    let game = seated.game();
    let analysis = adviser.advise(game, 1, &Interrupt::default())?;
    for (action, _) in analysis.best(BEST) {
        println!("{}  {}", price(&analysis, action), game.action_in_words(action)?);
    }
    println!("{}", expected(game, adviser.name(), &analysis));
    Ok(())
}

/// The legal actions in words, filtered by `filter` in their words or label.
fn in_words(seated: &SeatedGame, filter: &str) -> Result<Vec<String>, Failure> {
    let game = seated.game();
    let filter = filter.to_lowercase();
    let mut found = Vec::new();
    for action in game.legal_actions() {
        let (label, words) = (game.action_to_string(action)?, game.action_in_words(action)?);
        if [&label, &words].iter().any(|text| text.to_lowercase().contains(&filter)) {
            found.push(words);
        }
    }
    Ok(found)
}

/// All legal actions by number and label.
fn as_programs_name_them(seated: &SeatedGame) -> Result<Vec<String>, Failure> {
    let game = seated.game();
    let named = |action| Ok(format!("{action}={}", game.action_to_string(action)?));
    game.legal_actions().into_iter().map(named).collect()
}

/// Prints the first page of a list; returns the rest.
fn print_page(mut list: Vec<String>) -> Vec<String> {
    let rest = list.split_off(list.len().min(PAGE));
    let more = if rest.is_empty() { String::new() } else { format!(" | and {} more: type more", rest.len()) };
    println!("{}{more}", list.join(" | "));
    rest
}
