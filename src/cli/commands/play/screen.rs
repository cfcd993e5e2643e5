//! A game on a full-screen terminal.
//!
//! | file | holds |
//! |---|---|
//! | `state` | the state of the screen, and its changes by keys and bots |
//! | `hints` | hints, with marks on the board |
//! | `layout` | the layout of the screen |
//! | `review` | the moves one by one, with values, best lines and prices |

mod hints;
mod layout;
mod review;
mod state;

use std::io;
use std::time::Duration;

use ratatui::crossterm::event::{self, Event, KeyEventKind};

use crate::failure::Failure;
use ludovec::play::player::Player;
use ludovec::play::seated_game::SeatedGame;
use review::Review;
use state::Screen;

/// The interval between checks for a bot's move or a part of a review.
const TICK: Duration = Duration::from_millis(10);
/// The wait for a key otherwise.
const IDLE: Duration = Duration::from_secs(60);

/// Plays until the person quits, also after the end of the game.
pub(super) fn play(
    seated: SeatedGame,
    adviser: Player,
    delay: Duration,
    colours: bool,
) -> Result<SeatedGame, Failure> {
    let failed = |e: io::Error| Failure::Wrong(format!("the terminal cannot be used: {e}"));
    // `try_init` also installs a panic hook that restores the terminal.
    let mut terminal = ratatui::try_init().map_err(failed)?;
    let mut screen = Screen::new(seated, adviser, delay, colours);
    let outcome = screen.run(|screen| terminal.draw(|frame| screen.draw(frame)).map(|_| ()));
    ratatui::restore();
    outcome.map_err(failed)?;
    Ok(screen.seated)
}

/// Shows a finished game step by step until the person quits, with a review if there is a reviewer.
pub(in crate::commands) fn step_through(
    seated: SeatedGame,
    reviewer: Option<&Player>,
    colours: bool,
) -> Result<(), Failure> {
    let failed = |e: io::Error| Failure::Wrong(format!("the terminal cannot be used: {e}"));
    let mut review = Review::new(seated, reviewer, 0, colours)?;
    let mut terminal = ratatui::try_init().map_err(failed)?;
    let outcome = look(&mut review, |review| terminal.draw(|frame| review.draw(frame)).map(|_| ()));
    ratatui::restore();
    outcome.map_err(failed)
}

fn look(review: &mut Review, mut show: impl FnMut(&mut Review) -> io::Result<()>) -> io::Result<()> {
    loop {
        show(review)?;
        if event::poll(if review.is_waiting() { TICK } else { IDLE })? {
            match event::read()? {
                Event::Key(key) if key.kind == KeyEventKind::Press && !review.press(key) => return Ok(()),
                _ => {}
            }
        }
        review.take();
    }
}
