//! Batches of bots, stepped at the request of the page that shows them.
//!
//! The page requests the next step after showing the last one: it controls pause and speed itself, and a closed
//! page leaves nothing running.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};

use super::game::{faults, status};
use super::refused::Answer;
use super::requests::{BeginRequest, ViewQuery};
use crate::engine::{
    ActionId, AnyGame, AutoReset, BatchConfig, Error, Interrupt, MaskFormat, ObservationFormat, Result,
    SingleGame, Status, VectorEnv,
};
use crate::player::{Fault, Player, choose_actions, note_moves, seat_players};
use crate::results::shares_of_win;

/// Maximum number of games in a batch.
const MOST_GAMES: usize = 64;
/// Default number of games in a batch.
const GAMES: usize = 16;

/// Games of bots side by side. A finished game is shown for one step, then restarts.
pub struct Batch {
    env: Box<dyn VectorEnv>,
    /// The bots, one per seat.
    players: Vec<Player>,
    /// The number of moves that bots lost, and the last of them.
    faults: (usize, Option<Fault>),
    actions: Vec<ActionId>,
    /// Every game in its current position, with its last step as its only history.
    games: Vec<SingleGame>,
    steps: u64,
    finished: u64,
    /// Games won by seat; seats with a shared first place share the win.
    wins: Vec<f64>,
}

impl std::fmt::Debug for Batch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Batch")
            .field("players", &self.players)
            .field("steps", &self.steps)
            .finish_non_exhaustive()
    }
}

/// The number of decisions.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepRequest {
    /// In every game.
    pub count: u32,
}

impl Batch {
    /// Begins a batch by the rules of the request.
    ///
    /// # Errors
    /// [`Refused`](super::Refused) for the wrong number of seats or games, or an unknown bot.
    pub fn begin(request: &BeginRequest, rules: Arc<dyn AnyGame>) -> Answer<Self> {
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
        let mut env = rules.vector(config)?;
        env.reset(None)?;
        Ok(Self::new(request, env)?)
    }

    /// Plays the requested decisions, fewer if `is_over` says so after one.
    ///
    /// # Errors
    /// As for [`Batch::step`].
    pub fn advance(
        &mut self,
        request: &StepRequest,
        interrupt: &Interrupt,
        mut is_over: impl FnMut() -> bool,
    ) -> Answer<()> {
        for _ in 0..request.count {
            self.step(interrupt)?;
            if is_over() {
                break;
            }
        }
        Ok(())
    }

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
    ///
    /// # Errors
    /// As for [`VectorEnv::step`], and [`Error::Interrupted`].
    pub fn step(&mut self, interrupt: &Interrupt) -> Result<()> {
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
            self.games[i].step(self.actions[i])?;
        }
        self.steps += running.len() as u64;
        note_moves(&self.players, &*self.env, None, &self.actions)?;
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

    /// Every game.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] for an unknown theme.
    pub fn describe(&self, query: &ViewQuery) -> Result<Value> {
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
}
