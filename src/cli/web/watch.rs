//! Batches of bots, stepped at the request of the page that shows them.
//!
//! The page requests the next step after showing the last one: it controls pause and speed itself, and a closed
//! page leaves nothing running.

use std::sync::{Mutex, MutexGuard, TryLockError};
use std::time::{Duration, Instant};

use axum::Json;
use serde::Deserialize;
use serde_json::{Value, json};

use super::client::UntilItLeaves;
use super::listen_scope::ListenScope;
use super::play::{faults, status};
use super::reply::{HttpError, Reply};
use super::requests::{BeginRequest, ViewQuery};
use super::sessions::{Session, Sessions, Target, change, quota};
use ludovec::engine::{
    AutoReset, BatchConfig, Error, Interrupt, MaskFormat, ObservationFormat, Result, SingleGame, Status,
    VectorEnv,
};
use ludovec::play::player::{Fault, Player, choose_actions, seat_players};
use ludovec::play::results::shares_of_win;

/// Maximum number of games in a batch.
const MOST_GAMES: usize = 64;
/// Default number of games in a batch.
const GAMES: usize = 16;
/// A request to step is answered after this time, even if it asked for more decisions.
const PATIENCE: Duration = Duration::from_secs(2);

/// Games of bots side by side. A finished game is shown for one step, then restarts.
pub(super) struct BatchSession {
    env: Box<dyn VectorEnv>,
    /// The bots, one per seat.
    players: Vec<Player>,
    /// The number of moves that bots lost, and the last of them.
    faults: (usize, Option<Fault>),
    actions: Vec<i32>,
    /// Every game in its current position, with its last step as its only history.
    games: Vec<Box<dyn SingleGame>>,
    steps: u64,
    finished: u64,
    /// Games won by seat; seats with a shared first place share the win.
    wins: Vec<f64>,
}

pub(super) fn sessions(scope: ListenScope) -> Sessions<BatchSession> {
    Sessions::new("batch", [50, quota(scope, 50)], Duration::from_secs(30 * 60))
}

impl BatchSession {
    fn new(request: &BeginRequest, env: Box<dyn VectorEnv>) -> Result<Self> {
        let n = env.config().num_envs;
        let game = env.game();
        let seats = game.spec().players;
        let players = seat_players(&*game, &request.seats, None)?;
        let games = (0..n as u32).map(|i| env.single(i)).collect::<Result<_>>()?;
        Ok(Self {
            env,
            players,
            faults: (0, None),
            actions: vec![0; n],
            games,
            steps: 0,
            finished: 0,
            wins: vec![0.0; seats],
        })
    }

    /// The result status of game `i` if it has finished and waits for its restart.
    fn finished(&self, i: usize) -> Option<Status> {
        let columns = self.env.columns();
        match (columns.terminated[i], columns.truncated[i]) {
            (0, 0) => None,
            (_, 0) => Some(Status::Terminated),
            _ => Some(Status::Truncated),
        }
    }

    /// Plays one decision in every game, or nothing once `interrupt` is raised.
    fn step(&mut self, interrupt: &Interrupt) -> Result<()> {
        let mut faults = Vec::new();
        let env = &mut *self.env;
        env.interrupt_by(interrupt.clone());
        let chosen = choose_actions(&self.players, |_, seat| Some(seat), env, &mut self.actions, &mut faults);
        // The chosen actions are played as a whole.
        env.interrupt_by(Interrupt::default());
        chosen?;
        self.faults.0 += faults.len();
        self.faults.1 = faults.pop().or(self.faults.1.take());
        for (i, game) in self.games.iter_mut().enumerate() {
            *game = self.env.single(i as u32)?;
        }
        // Finished games do not play now: they restart.
        let running: Vec<usize> = (0..self.games.len()).filter(|&i| self.finished(i).is_none()).collect();
        for &i in &running {
            self.games[i].step(self.actions[i] as u32)?;
        }
        self.steps += running.len() as u64;
        self.env.step(&self.actions)?;
        for i in 0..self.games.len() {
            if !running.contains(&i) {
                self.games[i] = self.env.single(i as u32)?;
            }
            let Some(status) = self.finished(i) else { continue };
            self.finished += 1;
            if status == Status::Terminated {
                let returns = self.games[i].returns();
                self.wins.iter_mut().zip(shares_of_win(&returns)).for_each(|(wins, share)| *wins += share);
            }
        }
        Ok(())
    }
}

impl Session for BatchSession {
    fn begin(request: &BeginRequest, scope: ListenScope) -> Reply<Self> {
        let num_envs = request.games.unwrap_or(GAMES);
        if !(1..=MOST_GAMES).contains(&num_envs) {
            return Err(Error::config(format!("games {num_envs}: 1 to {MOST_GAMES} are allowed")).into());
        }
        let config = BatchConfig {
            num_envs,
            seed: request.seed,
            threads: Some(1),
            autoreset: AutoReset::NextStep,
            observation: ObservationFormat::None,
            mask: MaskFormat::Bits,
            ..BatchConfig::default()
        };
        let mut env = request.make(scope)?.vector(config)?;
        env.reset(None)?;
        Ok(Self::new(request, env)?)
    }

    fn describe(&self, query: &ViewQuery) -> Result<Value> {
        let mut games = Vec::new();
        for (i, game) in self.games.iter().enumerate() {
            let last = game.narrate(0, None).pop();
            games.push(json!({
                "status": status(self.finished(i).unwrap_or(Status::Running)),
                "player": game.current_player(),
                "scores": game.scores(),
                "last": last.map(|(player, text)| json!({ "player": player, "text": text })),
                "svg": game.to_svg(query.view(None)?)?,
            }));
        }
        Ok(json!({
            "env": self.env.game().spec().env,
            "seats": self.games[0].names(),
            "bots": self.players.iter().map(Player::name).collect::<Vec<_>>(),
            "faults": faults(self.faults.0, self.faults.1.as_ref()),
            "steps": self.steps,
            "finished": self.finished,
            "wins": self.wins,
            "games": games,
        }))
    }

    /// Locks the batch, or refuses if another request has it: with slow bots requests must not accumulate.
    fn hold(batch: &Mutex<Self>) -> Reply<MutexGuard<'_, Self>> {
        match batch.try_lock() {
            Ok(batch) => Ok(batch),
            Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => Err(HttpError::conflict("this batch is being stepped")),
        }
    }
}

/// The number of decisions.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Steps {
    count: u32,
}

pub(super) async fn step(target: Target<BatchSession>, Json(steps): Json<Steps>) -> Reply<Json<Value>> {
    let (_guard, interrupt) = UntilItLeaves::new();
    change(target, move |batch: &mut BatchSession| {
        let start = Instant::now();
        for _ in 0..steps.count {
            batch.step(&interrupt)?;
            if start.elapsed() > PATIENCE {
                break;
            }
        }
        Ok(())
    })
    .await
}
