//! Groups of arguments that several commands share, and the parsing of their values.

use std::num::ParseIntError;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use clap::builder::{ArgPredicate, PossibleValuesParser, TypedValueParser};

use super::failure::Failure;
use super::program;
use ludovec::engine::{AnyGame, Entry, MAX_PLAYERS, Named, OptionValue, Threads, Tool};
use ludovec::games;
use ludovec::play::player::{Player, number_players, seat_players};
use ludovec::play::programs::split_players;
use ludovec::play::trust::Trust;

/// The default environment: the first of the program's own games.
pub(super) fn first_game() -> &'static str {
    program::offered_games().first().map_or("", |entry| entry.id)
}

/// Former names of `--players`, which are accepted with a note.
pub(super) const OLD_NAMES: [&str; 2] = ["bots", "bot"];

/// The note on a former name of `--players` in a command line.
pub(super) fn note_on_players(call: &[String]) -> Option<String> {
    let options = call.iter().take_while(|word| *word != "--").filter_map(|word| word.strip_prefix("--"));
    let mut names = options.map(|option| option.split('=').next().unwrap_or(option));
    names.find(|name| OLD_NAMES.contains(name)).map(|name| format!("--{name} is called --players now"))
}

/// An environment and its options.
#[derive(Args)]
pub(super) struct EnvArgs {
    /// Environment id
    #[arg(default_value = first_game())]
    pub(super) env: String,
    /// An option of the environment; `ludovec spec ENV` lists them
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(super) set: Vec<String>,
}

impl Default for EnvArgs {
    fn default() -> Self {
        Self { env: first_game().into(), set: Vec::new() }
    }
}

impl EnvArgs {
    pub(super) fn entry(&self) -> Result<&'static Entry, Failure> {
        Ok(games::find(&self.env)?)
    }

    pub(super) fn make(&self) -> Result<Arc<dyn AnyGame>, Failure> {
        self.make_with(&[])
    }

    /// Makes the game with the given options. Options in `more` apply if the game has them and they were not given.
    pub(super) fn make_with(&self, more: &[(&str, OptionValue)]) -> Result<Arc<dyn AnyGame>, Failure> {
        let entry = self.entry()?;
        let mut set = pairs(&self.set)?;
        let known = entry.options();
        for (key, value) in more {
            if known.iter().any(|option| option.name == *key) && !set.iter().any(|(given, _)| given == key) {
                set.push((key.to_string(), value.clone()));
            }
        }
        Ok(entry.make(set)?)
    }
}

/// Options as written on the command line.
pub fn pairs(set: &[String]) -> Result<Vec<(String, OptionValue)>, Failure> {
    let pair = |text: &String| match text.split_once('=') {
        Some((key, value)) => Ok((key.trim().to_string(), OptionValue::from(value))),
        None => Err(Failure::Usage(format!("--set {text}: key=value is needed"))),
    };
    set.iter().map(pair).collect()
}

/// The players in comma-separated lists.
pub(super) fn player_texts(lists: &[String]) -> Vec<String> {
    lists.iter().flat_map(|list| split_players(list)).collect()
}

/// The texts that the clients of a server may use beside the closed list.
#[derive(Args, Default)]
pub(super) struct AllowArgs {
    /// Let clients use this player too, for example uci:stockfish?elo=1500; may be repeated
    #[arg(long = "allow-player", visible_alias = "player", value_name = "PLAYER")]
    pub(super) players: Vec<String>,
    #[command(flatten)]
    options: AllowedOptions,
}

/// The options that a file or a client may name although they are paths.
#[derive(Args, Default)]
pub(super) struct AllowedOptions {
    /// Accept this option although it is a path, for example variant=my.toml; may be repeated
    #[arg(long = "allow-option", value_name = "KEY=VALUE")]
    pub(super) options: Vec<String>,
}

impl AllowArgs {
    /// The texts, after a check that some game has each of them.
    pub(super) fn allowed(&self) -> Result<Trust, Failure> {
        self.allowed_with(Vec::new())
    }

    /// The same with more options.
    pub(super) fn allowed_with(&self, more: Vec<(String, OptionValue)>) -> Result<Trust, Failure> {
        self.players.iter().try_for_each(|text| check_player(text))?;
        let options = self.options.pairs()?.into_iter().chain(more);
        Ok(Trust::new(self.players.iter().cloned(), options))
    }
}

impl AllowedOptions {
    /// The options, after a check that some game takes each of them.
    fn pairs(&self) -> Result<Vec<(String, OptionValue)>, Failure> {
        let options = pairs(&self.options)?;
        for (key, value) in &options {
            some_game(|entry| entry.make([(key.as_str(), value.clone())]).map(drop))?;
        }
        Ok(options)
    }

    pub(super) fn allowed(&self) -> Result<Trust, Failure> {
        Ok(Trust::new([], self.pairs()?))
    }
}

/// Checks that some game has a player of this text.
pub(super) fn check_player(text: &str) -> Result<(), Failure> {
    some_game(|entry| {
        let first = Player::parse(&*entry.make([])?, text, None);
        // A network may play with other numbers of players than the default.
        let plays = |players: u32| {
            let game = entry.make([("players", players.into())]);
            game.is_ok_and(|game| Player::parse(&*game, text, None).is_ok())
        };
        match first {
            Err(error) if !(1..=MAX_PLAYERS as u32).any(plays) => Err(error),
            _ => Ok(()),
        }
    })
}

/// Succeeds if `check` accepts a game; otherwise the error of the first game.
fn some_game(check: impl Fn(&Entry) -> ludovec::engine::Result<()>) -> Result<(), Failure> {
    let mut refused = None;
    for entry in games::all() {
        match check(entry) {
            Ok(()) => return Ok(()),
            Err(error) => refused = refused.or(Some(error)),
        }
    }
    refused.map_or(Ok(()), |error| Err(error.into()))
}

/// The treatment of external bots.
#[derive(Args, Default)]
pub(super) struct PlayerArgs {
    /// Time limit of an external bot for a move in seconds; 2 by default, 60 for a language model
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(super) bot_timeout: Option<Duration>,
}

impl PlayerArgs {
    /// The time limit; `None` is the default of a player's kind.
    pub(super) fn time_limit(&self) -> Option<Duration> {
        self.bot_timeout
    }

    /// The players in `texts`, one for each seat.
    pub(super) fn seat(&self, game: &dyn AnyGame, texts: &[String]) -> Result<Vec<Player>, Failure> {
        Ok(seat_players(game, texts, self.time_limit())?)
    }

    /// The players in `texts`, any number of them; players of one name are numbered.
    pub(super) fn parse(&self, game: &dyn AnyGame, texts: &[String]) -> Result<Vec<Player>, Failure> {
        let parse = |text: &String| Player::parse(game, text, self.time_limit());
        let mut players = texts.iter().map(parse).collect::<Result<Vec<_>, _>>()?;
        number_players(&mut players);
        Ok(players)
    }
}

/// The number of games and threads, and the seed.
#[derive(Args)]
pub(super) struct BatchArgs {
    /// Games side by side
    // A search with a network takes seconds for a move of 4096 games.
    #[arg(long, default_value_t = 4096, default_value_if("network", ArgPredicate::IsPresent, "256"))]
    pub(super) num_envs: usize,
    /// Threads that step; all cores by default
    #[arg(long, value_parser = threads)]
    pub(super) threads: Option<usize>,
    /// Seed of all games
    #[arg(long, default_value_t = 0)]
    pub(super) seed: u64,
}

impl Default for BatchArgs {
    fn default() -> Self {
        Self { num_envs: 4096, threads: None, seed: 0 }
    }
}

impl BatchArgs {
    /// The number of threads to use.
    pub(super) fn threads(&self) -> usize {
        self.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
    }
}

/// Reads one of the names of a setting, or one of `more`.
pub(super) fn named<T: Named>(more: &'static [(&'static str, T)]) -> impl TypedValueParser<Value = T> {
    let names = move || T::NAMES.iter().chain(more);
    PossibleValuesParser::new(names().map(|(name, _)| *name)).map(move |given| {
        let (_, value) = names().find(|(name, _)| *name == given).expect("no other name passes");
        *value
    })
}

/// The tool that a command needs: from the environment `env`, or from the first environment that has one.
pub(super) fn with<T>(what: &str, env: Option<&str>, of: impl Fn(&Tool) -> Option<T>) -> Result<T, Failure> {
    let (entries, whose) = match env {
        Some(id) => (vec![games::find(id)?], format!("environment {id}")),
        None => (games::all(), "no environment".into()),
    };
    let found = entries.into_iter().flat_map(|entry| entry.tools).find_map(of);
    let has = if env.is_some() { "has no" } else { "has" };
    found.ok_or_else(|| Failure::Usage(format!("{whose} {has} {what}")))
}

/// A number of threads. More than the engine starts are noted, not refused: a call for a large machine runs on a small
/// one.
pub fn threads(text: &str) -> Result<usize, ParseIntError> {
    let number: usize = text.parse()?;
    let most = Threads::most();
    if number > most {
        eprintln!("note: --threads {number}: {most} threads are used, 8 for each core of this machine");
    }
    Ok(number.min(most))
}

/// A duration from a positive number of seconds.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let duration = seconds_or_none(text)?;
    if duration.is_zero() {
        Err("more than 0 and at most 1e9 seconds are allowed".into())
    } else {
        Ok(duration)
    }
}

/// A duration from a number of seconds, 0 for none.
pub(super) fn seconds_or_none(text: &str) -> Result<Duration, String> {
    let number: f64 = text.parse().map_err(|_| "a number of seconds is needed".to_string())?;
    match number {
        0.0..=1e9 => Ok(Duration::from_secs_f64(number)),
        _ => Err("0 to 1e9 seconds are allowed".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_game_that_is_meant_by_default_is_built_in() {
        assert_eq!(EnvArgs::default().entry().map(|entry| entry.id).ok(), games::GAMES.first().map(|e| e.id));
    }
}
