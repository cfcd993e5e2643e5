//! A game on a full-screen terminal.
//!
//! | file | holds |
//! |---|---|
//! | `state` | the state of the screen, and its changes by keys and bots |
//! | `hints` | hints, with marks on the board |
//! | `layout` | the layout of the screen |

mod hints;
mod layout;
mod state;

use std::io;
use std::time::Duration;

use crate::failure::Failure;
use ludovec::play::player::Player;
use ludovec::play::table::Table;
use state::Screen;

/// Plays until the person quits, also after the end of the game.
pub(super) fn play(table: Table, adviser: Player, delay: Duration, colours: bool) -> Result<Table, Failure> {
    let failed = |e: io::Error| Failure::Wrong(format!("the terminal cannot be used: {e}"));
    // `try_init` also installs a panic hook that restores the terminal.
    let mut terminal = ratatui::try_init().map_err(failed)?;
    let mut screen = Screen::new(table, adviser, delay, colours);
    let outcome = screen.run(|screen| terminal.draw(|frame| screen.draw(frame)).map(|_| ()));
    ratatui::restore();
    outcome.map_err(failed)?;
    Ok(screen.table)
}
