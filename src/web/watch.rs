//! Batches of bots, stepped by whoever watches.
//!
//! The page asks for the next step when it has shown the last one: pause and speed are its own affair, and a
//! closed page leaves nothing running.

use std::sync::{Mutex, MutexGuard, TryLockError};
use std::time::{Duration, Instant};

use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::IntoResponse;
use serde::Deserialize;
use serde_json::{Value, json};

use super::Shared;
use super::play::{faults, status};
use super::reply::{Failure, Reply, work};
use super::sessions::Sessions;
use super::setup::{Look, Setup};
use crate::engine::{
    AutoReset, BatchConfig, Error, MaskFormat, ObservationFormat, Result, Status, VectorEnv,
};
use crate::player::{DEFAULT_TIME_LIMIT, Fault, Player, choose_actions};

/// Most games of a batch.
const MOST_GAMES: usize = 64;
/// Games of a batch when the request does not say.
const GAMES: usize = 16;
/// A request to step is answered after this time, however many decisions it asked for.
const PATIENCE: Duration = Duration::from_secs(2);

/// Games of bots side by side. A finished game stays as it is for one step, then starts anew.
pub(super) struct Batch {
    env: Box<dyn VectorEnv>,
    /// The bots, one a seat.
    players: Vec<Player>,
    /// How many moves bots lost, and the last of them.
    faults: (usize, Option<Fault>),
    actions: Vec<i32>,
    /// What was played last in each game: seat and action.
    last: Vec<Option<(usize, String)>>,
    steps: u64,
    finished: u64,
    /// Games won by seat; who shares the first place shares the win.
    wins: Vec<f64>,
}

pub(super) fn sessions() -> Sessions<Batch> {
    Sessions::new("batch", 50, Duration::from_secs(30 * 60))
}

impl Batch {
    fn new(setup: &Setup, env: Box<dyn VectorEnv>) -> Result<Self> {
        let n = env.config().num_envs;
        let game = env.game();
        let seats = game.spec().players;
        if setup.seats.len() != seats {
            return Err(Error::config(format!("{} bots: the game has {seats} seats", setup.seats.len())));
        }
        let player = |bot: &String| Player::parse(&*game, bot, DEFAULT_TIME_LIMIT);
        let players = setup.seats.iter().map(player).collect::<Result<_>>()?;
        Ok(Self {
            env,
            players,
            faults: (0, None),
            actions: vec![0; n],
            last: vec![None; n],
            steps: 0,
            finished: 0,
            wins: vec![0.0; seats],
        })
    }

    /// Whether game `i` has finished and waits to start anew, and whether without a result.
    fn finished(&self, i: usize) -> Option<Status> {
        let columns = self.env.columns();
        match (columns.terminated[i], columns.truncated[i]) {
            (0, 0) => None,
            (_, 0) => Some(Status::Terminated),
            _ => Some(Status::Truncated),
        }
    }

    /// One decision in every game.
    fn step(&mut self) -> Result<()> {
        let mut faults = Vec::new();
        let env = &mut *self.env;
        choose_actions(&self.players, |_, seat| Some(seat), env, &mut self.actions, &mut faults)?;
        self.faults.0 += faults.len();
        self.faults.1 = faults.pop().or(self.faults.1.take());
        for i in 0..self.last.len() {
            let game = self.env.single(i as u32)?;
            self.last[i] = match self.finished(i) {
                None => Some((game.current_player(), game.action_to_string(self.actions[i] as u32)?)),
                // This step starts it anew.
                Some(_) => None,
            };
        }
        self.env.step(&self.actions)?;
        self.steps += self.last.iter().flatten().count() as u64;
        for i in 0..self.last.len() {
            let Some(status) = self.finished(i) else { continue };
            self.finished += 1;
            if status == Status::Terminated {
                let returns = self.env.single(i as u32)?.returns();
                let best = returns.iter().copied().fold(f32::NEG_INFINITY, f32::max);
                let winners = returns.iter().filter(|&&r| r == best).count() as f64;
                for (wins, _) in self.wins.iter_mut().zip(returns).filter(|(_, value)| *value == best) {
                    *wins += 1.0 / winners;
                }
            }
        }
        Ok(())
    }

    fn describe(&self, look: &Look) -> Result<Value> {
        let mut games = Vec::new();
        for (i, last) in self.last.iter().enumerate() {
            let game = self.env.single(i as u32)?;
            games.push(json!({
                "status": status(self.finished(i).unwrap_or(Status::Running)),
                "player": game.current_player(),
                "scores": game.scores(),
                "last": last.as_ref().map(|(player, text)| json!({ "player": player, "text": text })),
                "svg": game.to_svg(look.view(None)?)?,
            }));
        }
        Ok(json!({
            "env": self.env.game().spec().env,
            "bots": self.players.iter().map(Player::name).collect::<Vec<_>>(),
            "faults": faults(self.faults.0, self.faults.1.as_ref()),
            "steps": self.steps,
            "finished": self.finished,
            "wins": self.wins,
            "games": games,
        }))
    }
}

/// The batch, unless another request has it: slow bots must not let requests pile up.
fn hold(batch: &Mutex<Batch>) -> Reply<MutexGuard<'_, Batch>> {
    match batch.try_lock() {
        Ok(batch) => Ok(batch),
        Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => Err(Failure::conflict("this batch is being stepped")),
    }
}

/// How far to go on.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Steps {
    count: u32,
}

pub(super) async fn begin(
    State(server): State<Shared>,
    Query(look): Query<Look>,
    Json(setup): Json<Setup>,
) -> Reply<impl IntoResponse> {
    work(move || {
        let num_envs = setup.games.unwrap_or(GAMES);
        if !(1..=MOST_GAMES).contains(&num_envs) {
            return Err(Error::config(format!("games {num_envs}: 1 to {MOST_GAMES} are allowed")).into());
        }
        let config = BatchConfig {
            num_envs,
            seed: setup.seed,
            threads: Some(1),
            autoreset: AutoReset::NextStep,
            observation: ObservationFormat::None,
            mask: MaskFormat::Bits,
            ..BatchConfig::default()
        };
        let mut env = setup.make(server.reach)?.vector(config)?;
        env.reset(None)?;
        let batch = Batch::new(&setup, env)?;
        let mut shown = batch.describe(&look)?;
        shown["id"] = server.batches.insert(batch)?.into();
        Ok((StatusCode::CREATED, Json(shown)))
    })
    .await
}

pub(super) async fn step(
    State(server): State<Shared>,
    Path(id): Path<String>,
    Query(look): Query<Look>,
    Json(steps): Json<Steps>,
) -> Reply<Json<Value>> {
    work(move || {
        let batch = server.batches.get(&id)?;
        let mut batch = hold(&batch)?;
        let start = Instant::now();
        for _ in 0..steps.count {
            batch.step()?;
            if start.elapsed() > PATIENCE {
                break;
            }
        }
        Ok(Json(batch.describe(&look)?))
    })
    .await
}

pub(super) async fn boards(
    State(server): State<Shared>,
    Path(id): Path<String>,
    Query(look): Query<Look>,
) -> Reply<Json<Value>> {
    work(move || {
        let batch = server.batches.get(&id)?;
        let shown = hold(&batch)?.describe(&look)?;
        Ok(Json(shown))
    })
    .await
}

pub(super) async fn forget(State(server): State<Shared>, Path(id): Path<String>) -> Reply<StatusCode> {
    server.batches.remove(&id).map(|()| StatusCode::NO_CONTENT)
}
