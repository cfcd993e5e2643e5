//! Players that are programs on this machine: engines that speak UCI or GTP, and any program that reads JSON.
//!
//! | file | holds |
//! |---|---|
//! | `text` | the texts that name them: `uci:COMMAND?KEY=VALUE`, `gtp:COMMAND`, `cmd:COMMAND`; lists of players |
//! | `process` | a child process: its lines, time limits, its end |
//! | `driver` | a thread that owns a process and answers questions, and the idle ones between games |
//! | `bot` | the player: distributes questions to drivers, counts silence |
//! | `game_line` | the moves of a batch's game, which batches do not keep |
//! | `uci`, `uci_options` | the Universal Chess Interface; the options of an engine |
//! | `gtp` | the Go Text Protocol |
//! | `json` | JSON lines |

mod bot;
mod driver;
mod game_line;
mod gtp;
mod json;
mod process;
mod text;
mod uci;
mod uci_options;

use std::time::Duration;

use self::bot::ProgramBot;
use self::driver::Conversation;
use self::text::Program;
use super::player::Player;
use crate::engine::{AnyGame, Error, Result};

pub use self::text::split_players;

/// The player named by a text; `time_limit` is per move. Its processes start at its first move.
///
/// # Errors
/// [`Error::InvalidConfig`] if the text is malformed, the program does not exist, or the game is not one of the
/// protocol.
pub(super) fn player(game: &dyn AnyGame, text: &str, time_limit: Duration) -> Result<Player> {
    let wrong = |what: String| Error::config(format!("bot {text:?}: {what}"));
    let program = Program::parse(text).map_err(wrong)?;
    let (command, about) = (program.command.clone(), game.spec().env);
    type Make = Box<dyn Fn() -> Box<dyn Conversation> + Send>;
    let (key, make): (String, Make) = match program.protocol {
        text::Protocol::Uci => {
            let known =
                game.uci().ok_or_else(|| wrong(format!("no UCI engine plays {about} with these options")))?;
            let settings = uci::Settings::parse(&program.settings, known).map_err(wrong)?;
            let key = format!("{text} {settings:?}");
            (key, Box::new(move || Box::new(uci::Uci::new(&command, &settings))))
        }
        text::Protocol::Gtp => {
            let known =
                game.gtp().ok_or_else(|| wrong(format!("no GTP engine plays {about} with these options")))?;
            let key = format!("{text} {known:?}");
            (key, Box::new(move || Box::new(gtp::Gtp::new(&command, &known))))
        }
        text::Protocol::Json => (text.into(), Box::new(move || Box::new(json::JsonLines::new(&command)))),
    };
    let time_limit = program.thinking_time().map_or(time_limit, |time| time + time_limit);
    Ok(Player::outside(text, ProgramBot::new(text, program.protocol, key, make, time_limit)))
}
