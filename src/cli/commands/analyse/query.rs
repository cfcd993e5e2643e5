//! A query of the analysis engine, read into the positions that it asks about.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::arguments::{EnvArgs, pairs};
use crate::failure::Failure;
use ludovec::engine::{AnyGame, Error, Interrupt, OptionValue, Record, Result, SingleGame, Status};
use ludovec::play::player::{Player, can_analyse, network_parts};
use ludovec::play::trust::Trust;
use ludovec::play::web_api::LoadRequest;
use ludovec::replay::{from_value, replay};

/// The keys of a query.
const KEYS: [&str; 15] = [
    "id",
    "env",
    "options",
    "record",
    "position",
    "seed",
    "moves",
    "player",
    "visits",
    "maxVisits",
    "time",
    "analyzeTurns",
    "maxMoves",
    "priority",
    "action",
];
/// Most simulations and seconds of a position.
const MOST_VISITS: u64 = 1_000_000;
const MOST_SECONDS: f64 = 86_400.0;
/// Simulations of the first search of a position with a time; each further one has twice as many.
const FIRST_VISITS: u32 = 32;

/// The error of a query.
pub(super) struct Refusal {
    /// The key that is wrong.
    pub(super) field: String,
    /// The problem, and the allowed values.
    pub(super) what: String,
}

impl Refusal {
    pub(super) fn new(field: &str, what: impl Into<String>) -> Self {
        Self { field: field.into(), what: what.into() }
    }
}

/// The refusal of a field by an error of the engine.
fn by<T>(field: &str, done: Result<T>) -> std::result::Result<T, Refusal> {
    done.map_err(|error| Refusal::new(field, crate::output::one_line(&error.to_string())))
}

type Read<T> = std::result::Result<T, Refusal>;

/// A position to analyse.
pub(super) struct Task {
    /// Number in order of arrival.
    pub(super) number: u64,
    pub(super) id: String,
    /// Number of decisions before the position.
    pub(super) turn: usize,
    pub(super) game: SingleGame,
    /// The action that was played there, if any.
    pub(super) played: Option<u32>,
    pub(super) player: Player,
    /// Seconds: repeats the search with twice the simulations until they are over.
    pub(super) time: Option<Duration>,
    /// Most actions in the answer.
    pub(super) max_moves: usize,
    pub(super) priority: i64,
    pub(super) interrupt: Interrupt,
}

/// Reads queries. Rules and players are made once.
pub(super) struct Reader {
    env: String,
    options: Vec<(String, OptionValue)>,
    trust: Trust,
    time_limit: Option<Duration>,
    players: HashMap<String, Player>,
}

impl Reader {
    pub(super) fn new(
        env: &EnvArgs,
        trust: Trust,
        time_limit: Option<Duration>,
    ) -> std::result::Result<Self, Failure> {
        let (env, options) = (env.env.clone(), pairs(&env.set)?);
        Ok(Self { env, options, trust, time_limit, players: HashMap::new() })
    }

    /// The positions of a query.
    ///
    /// # Errors
    /// [`Refusal`] names the first wrong key and the allowed values.
    pub(super) fn tasks(&mut self, fields: &Map<String, Value>) -> Read<Vec<Task>> {
        if let Some(key) = fields.keys().find(|key| !KEYS.contains(&key.as_str())) {
            return Err(Refusal::new(key, format!("{key}: the keys are {}", KEYS.join(", "))));
        }
        let get = |key: &str| fields.get(key).filter(|value| !value.is_null());
        let id = text_of("id", fields.get("id").unwrap_or(&Value::Null))?.to_string();
        let (mut log, mut game) = self.start(fields)?;
        let number = |key: &'static str, most: u64| whole(key, get(key), most);
        for (index, given) in listed("moves", get("moves"))?.iter().enumerate() {
            let wrong = |error: Error| {
                Refusal::new(
                    "moves",
                    format!("move {index}: {}", crate::output::one_line(&error.to_string())),
                )
            };
            let action = match given {
                Value::String(text) => game.string_to_action(text).map_err(wrong)?,
                Value::Number(number) if number.as_u64().is_some_and(|n| u32::try_from(n).is_ok()) => {
                    number.as_u64().unwrap_or_default() as u32
                }
                _ => return Err(Refusal::new("moves", "moves: texts or indices of actions are needed")),
            };
            log.push((game.clone(), Some(action)));
            game.step(action).map_err(wrong)?;
        }
        log.push((game, None));
        let turns = turns(fields, "analyzeTurns")?.unwrap_or_else(|| vec![log.len() - 1]);
        if let Some(turn) = turns.iter().find(|&&turn| turn >= log.len()) {
            let last = log.len() - 1;
            return Err(Refusal::new("analyzeTurns", format!("turn {turn}: 0 to {last} exist")));
        }
        let time = get("time").map(seconds).transpose()?;
        let visits = number("visits", MOST_VISITS)?.or(number("maxVisits", MOST_VISITS)?);
        let max_moves = number("maxMoves", u64::from(u32::MAX))?.map_or(usize::MAX, |most| most as usize);
        let priority = match get("priority").map(Value::as_i64) {
            None => 0,
            Some(Some(priority)) => priority,
            Some(None) => return Err(Refusal::new("priority", "priority: an integer is needed")),
        };
        let visits = if time.is_some() { visits.or(Some(u64::from(FIRST_VISITS))) } else { visits };
        let player = self.player(&*log[0].0.game(), get("player"), visits)?;
        let task = |turn: usize| Task {
            number: 0,
            id: id.clone(),
            turn,
            game: log[turn].0.clone(),
            played: log[turn].1,
            player: player.clone(),
            time,
            max_moves,
            priority,
            interrupt: Interrupt::default(),
        };
        Ok(turns.into_iter().map(task).collect())
    }

    /// The positions before the last one of the game's start, and the last one: of a record, of a position, or of the
    /// rules' own start.
    #[allow(clippy::type_complexity, reason = "the log of a game, which is used here alone")]
    fn start(&self, fields: &Map<String, Value>) -> Read<(Vec<(SingleGame, Option<u32>)>, SingleGame)> {
        let get = |key: &str| fields.get(key).filter(|value| !value.is_null());
        if let Some(record) = get("record") {
            if let Some(key) = ["env", "options", "position", "seed"].iter().find(|key| get(key).is_some()) {
                return Err(Refusal::new(key, format!("{key}: a record has its own")));
            }
            return by("record", self.of_record(record));
        }
        let rules = self.rules(get("env"), get("options"))?;
        let seed = whole("seed", get("seed"), u64::MAX)?.unwrap_or(0);
        let game = match get("position") {
            None => rules.single(seed),
            Some(Value::String(text)) if !text.trim_start().starts_with('{') => {
                by("position", rules.single_from_uci(text))?
            }
            Some(position) => {
                let parsed = match position {
                    Value::String(text) => serde_json::from_str(text)
                        .map_err(|error| Refusal::new("position", format!("position: {error}")))?,
                    other => other.clone(),
                };
                // Alone, or with environment and options beside it, as `Game.to_json` writes it.
                let inner = parsed.get("position").unwrap_or(&parsed);
                by("position", rules.single_from_position(inner, seed))?
            }
        };
        Ok((Vec::new(), game))
    }

    #[allow(clippy::type_complexity, reason = "the log of a game, which is used here alone")]
    fn of_record(&self, given: &Value) -> Result<(Vec<(SingleGame, Option<u32>)>, SingleGame)> {
        let record: Record = match given {
            Value::String(text) => {
                let request: LoadRequest =
                    serde_json::from_value(json!({ "text": text })).expect("a text is a request");
                request.record(&self.trust)?
            }
            other => {
                let record = from_value(other.clone())?;
                AsRef::<ludovec::games::trusted_options::TrustedOptions>::as_ref(&self.trust)
                    .check_record(&record)?;
                record
            }
        };
        let mut log: Vec<(SingleGame, Option<u32>)> = Vec::new();
        replay(&record, |game, step| {
            let next = step.map_or(0, |step| step + 1);
            log.push((game.clone(), record.actions.get(next).copied()));
            Ok(())
        })?;
        let (last, _) = log.pop().ok_or_else(|| Error::state("record: it has no position"))?;
        Ok((log, last))
    }

    /// The rules of a query: by default the rules of the command line.
    fn rules(&self, env: Option<&Value>, options: Option<&Value>) -> Read<Arc<dyn AnyGame>> {
        let name = env.map(|env| text_of("env", env)).transpose()?.unwrap_or(&self.env);
        let given: Vec<(String, OptionValue)> = match options {
            None if name == self.env => self.options.clone(),
            None => Vec::new(),
            Some(options) => serde_json::from_value::<HashMap<String, OptionValue>>(options.clone())
                .map_err(|_| Refusal::new("options", "options: an object of names with values is needed"))?
                .into_iter()
                .collect(),
        };
        let field = if options.is_some() { "options" } else { "env" };
        by(field, self.trust.make(name, given))
    }

    /// The player of a query; `visits` replaces its number of simulations.
    fn player(&mut self, game: &dyn AnyGame, given: Option<&Value>, visits: Option<u64>) -> Read<Player> {
        let named = match given {
            Some(text) => text_of("player", text)?.to_string(),
            None => {
                let own = self.trust.players().first().cloned();
                let first = own.or_else(|| self.trust.advisers(game).into_iter().next());
                first.ok_or_else(|| Refusal::new("player", "player: no listed player analyses this game"))?
            }
        };
        by("player", self.trust.check_player(game, &named))?;
        if !can_analyse(&named) {
            let allowed = ludovec::play::player::ADVISERS;
            return Err(Refusal::new(
                "player",
                format!("player {named:?} only chooses actions; {allowed} analyse"),
            ));
        }
        let text = match visits {
            None => named,
            Some(visits) => with_visits(&named, visits).ok_or_else(|| {
                let allowed = "search:N, flat:N and net:FILE take visits and time";
                Refusal::new("visits", format!("player {named:?}: {allowed}"))
            })?,
        };
        let spec = game.spec();
        let key = format!("{} {} {text}", spec.env, json!(spec.options));
        if let Some(known) = self.players.get(&key) {
            return Ok(known.clone());
        }
        let made = by("player", Player::parse(game, &text, self.time_limit))?;
        self.players.insert(key, made.clone());
        Ok(made)
    }
}

/// The text of a player with another number of simulations; `None` for a player without one.
fn with_visits(text: &str, visits: u64) -> Option<String> {
    if let Some((file, precision, _)) = network_parts(text) {
        let precision = precision.map(|name| format!("?precision={name}")).unwrap_or_default();
        return Some(format!("net:{file}{precision}:{visits}"));
    }
    let kind = text.split(':').next()?;
    ["search", "flat"].contains(&kind).then(|| format!("{kind}:{visits}"))
}

/// A text.
pub(super) fn text_of<'a>(field: &str, value: &'a Value) -> Read<&'a str> {
    value.as_str().ok_or_else(|| Refusal::new(field, format!("{field}: a text is needed")))
}

/// A list; empty if it is absent.
fn listed<'a>(field: &str, value: Option<&'a Value>) -> Read<&'a [Value]> {
    match value {
        None => Ok(&[]),
        Some(Value::Array(items)) => Ok(items),
        Some(_) => Err(Refusal::new(field, format!("{field}: a list is needed"))),
    }
}

/// A list of turns; `None` if it is absent.
pub(super) fn turns(fields: &Map<String, Value>, field: &str) -> Read<Option<Vec<usize>>> {
    let Some(given) = fields.get(field).filter(|value| !value.is_null()) else { return Ok(None) };
    let turn = |value: &Value| value.as_u64().map(|turn| turn as usize);
    let turns: Option<Vec<usize>> = listed(field, Some(given))?.iter().map(turn).collect();
    turns.map(Some).ok_or_else(|| Refusal::new(field, format!("{field}: integers of at least 0 are needed")))
}

/// An integer from 1, or from 0 for a seed.
fn whole(field: &str, value: Option<&Value>, most: u64) -> Read<Option<u64>> {
    let least = u64::from(field != "seed");
    match value.map(Value::as_u64) {
        None => Ok(None),
        Some(Some(number)) if (least..=most).contains(&number) => Ok(Some(number)),
        Some(_) => Err(Refusal::new(field, format!("{field}: an integer from {least} to {most} is needed"))),
    }
}

/// A number of seconds.
fn seconds(value: &Value) -> Read<Duration> {
    match value.as_f64() {
        Some(seconds) if seconds > 0.0 && seconds <= MOST_SECONDS => Ok(Duration::from_secs_f64(seconds)),
        _ => Err(Refusal::new("time", format!("time: seconds above 0, up to {MOST_SECONDS}, are needed"))),
    }
}

impl Task {
    /// Whether the game is over in this position.
    pub(super) fn is_over(&self) -> bool {
        self.game.status() != Status::Running
    }
}
