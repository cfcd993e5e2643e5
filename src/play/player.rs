//! Who plays a seat: a bot of the engine's, a network, a program behind an HTTP address, code of the caller's.
//!
//! Everywhere a player is given by one text: `random`, `greedy`, a bot of the game's own, `search:500`,
//! `net:champion:64`, `http://127.0.0.1:8000`.
//!
//! A bot outside the engine that fails, is too late or answers nonsense loses its move: the engine plays `pass` for
//! it (nothing where the rules allow that, otherwise a random action) and reports a [`Fault`]. The game goes on.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};

#[cfg(feature = "networks")]
use super::network::NetworkPlayer;
#[cfg(feature = "remote")]
use super::remote;
use super::{address, outside_bot::OutsideBot};
#[cfg(feature = "networks")]
use crate::engine::Status;
use crate::engine::calls::check_seats;
use crate::engine::{Analysis, AnyGame, Error, Interrupt, Result, SingleGame, VectorEnv, mask, playouts};

/// Default time limit for a move of a bot in another program.
pub const DEFAULT_TIME_LIMIT: Duration = Duration::from_secs(2);

/// The prefix of texts that name a network.
const NETWORK: &str = "net:";

/// Whether a text names a player outside the engine, well formed or not.
pub fn is_outside(text: &str) -> bool {
    address::is_address(text) || text.starts_with(NETWORK)
}

/// The players that a game offers by name, with what they do: its bots, and the network that is shipped with it where
/// that plays under these options.
pub fn listed(game: &dyn AnyGame) -> Vec<(&'static str, &'static str)> {
    game.bots().into_iter().chain(champions(game)).collect()
}

/// Those of the [`listed`] players that can analyse a position, the preferred one first.
pub fn advisers(game: &dyn AnyGame) -> Vec<&'static str> {
    let names = listed(game).into_iter().map(|(name, _)| name).rev();
    names.filter(|name| says_what_it_thinks(name)).collect()
}

/// The network that is shipped with a game, alone and with a search.
#[cfg(feature = "networks")]
fn champions(game: &dyn AnyGame) -> Vec<(&'static str, &'static str)> {
    match NetworkPlayer::parse(game.spec(), super::network::CHAMPION) {
        Err(_) => Vec::new(),
        Ok(_) => vec![
            ("net:champion", "the network that is shipped with the game"),
            ("net:champion:64", "the same with a tree search of 64 simulations a move"),
        ],
    }
}
#[cfg(not(feature = "networks"))]
fn champions(_: &dyn AnyGame) -> Vec<(&'static str, &'static str)> {
    Vec::new()
}

/// A move that a bot lost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// The bot.
    pub bot: String,
    /// Number of the game.
    pub game: u64,
    /// The seat it had.
    pub player: usize,
    /// What went wrong.
    pub reason: String,
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { bot, game, player, reason } = self;
        write!(f, "bot {bot} lost a move as player {player} of game {game}: {reason}")
    }
}

/// A player's choice, and its estimate of the position in which it chose.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// The action.
    pub action: u32,
    /// What it expects for its own seat, if it says so; see [`Analysis::values`].
    pub estimate: Option<f32>,
    /// Why it lost its move: then the action is not its own.
    pub fault: Option<Fault>,
}

/// Whether a text names a player that can analyse a position: a network, or a bot that searches.
pub fn says_what_it_thinks(text: &str) -> bool {
    text.starts_with(NETWORK) || playouts(text).is_ok_and(|playouts| playouts > 0)
}

/// A player of a seat, or of many seats in many games. A copy is the same player.
#[derive(Clone)]
pub struct Player {
    name: String,
    mind: Mind,
}

/// Who decides for a player.
#[derive(Clone)]
enum Mind {
    /// The engine's bot of this name.
    Engine(String),
    #[cfg(feature = "networks")]
    Network(Arc<NetworkPlayer>),
    Outside(Arc<Mutex<dyn OutsideBot>>),
}

impl Player {
    /// The player that a text names; `time_limit` is for a move of a bot in another program.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] lists what is allowed.
    pub fn parse(game: &dyn AnyGame, text: &str, time_limit: Duration) -> Result<Self> {
        if address::is_address(text) {
            return Self::remote(text, time_limit);
        }
        if let Some(network) = text.strip_prefix(NETWORK) {
            return Self::network(game, text, network);
        }
        game.check_bot(text).map_err(|error| match error {
            Error::InvalidConfig(what) => {
                Error::config(format!("{what}, net:FILE of a network, or http://HOST:PORT of a program"))
            }
            other => other,
        })?;
        Ok(Self { name: text.into(), mind: Mind::Engine(text.into()) })
    }

    #[cfg(feature = "networks")]
    fn network(game: &dyn AnyGame, text: &str, network: &str) -> Result<Self> {
        let player = NetworkPlayer::parse(game.spec(), network)?;
        Ok(Self { name: text.into(), mind: Mind::Network(Arc::new(player)) })
    }
    #[cfg(not(feature = "networks"))]
    fn network(_: &dyn AnyGame, text: &str, _: &str) -> Result<Self> {
        Err(Error::config(format!("bot {text:?}: this program is built without the feature \"networks\"")))
    }

    #[cfg(feature = "remote")]
    fn remote(address: &str, time_limit: Duration) -> Result<Self> {
        Ok(Self::outside(address, remote::RemoteBot::new(address, time_limit)?))
    }
    #[cfg(not(feature = "remote"))]
    fn remote(address: &str, _: Duration) -> Result<Self> {
        Err(Error::config(format!("bot {address:?}: this program is built without the feature \"remote\"")))
    }

    /// A player whose moves are chosen by code of the caller's.
    pub fn outside(name: impl Into<String>, bot: impl OutsideBot + 'static) -> Self {
        Self { name: name.into(), mind: Mind::Outside(Arc::new(Mutex::new(bot))) }
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The same player under another name, in tables and faults.
    pub fn named(self, name: impl Into<String>) -> Self {
        Self { name: name.into(), ..self }
    }

    /// Whether it draws its actions uniformly, as the engine's action samples are.
    pub fn is_random(&self) -> bool {
        matches!(&self.mind, Mind::Engine(bot) if bot == "random")
    }

    /// Most games that it is to be asked about at a time, if it reads observations and masks of a batch.
    pub fn rows(&self) -> Option<usize> {
        match &self.mind {
            Mind::Outside(bot) => lock(bot).rows(),
            _ => None,
        }
    }

    /// Chooses in a game in which it is to move.
    ///
    /// # Errors
    /// [`Error::Refused`] when nobody is to move, [`Error::Interrupted`] once `interrupt` is raised.
    pub fn act(&self, game: &dyn SingleGame, interrupt: &Interrupt) -> Result<Decision> {
        let pass = game.bot_action("pass")?;
        let seat = game.current_player();
        let answer = match &self.mind {
            Mind::Engine(bot) => {
                // With a single legal action no search is needed.
                let is_open = says_what_it_thinks(bot) && game.legal_actions().len() > 1;
                let analysis = if is_open { game.bot_analysis(bot, interrupt)? } else { None };
                return Ok(match analysis {
                    Some(found) => {
                        Decision { action: found.action, estimate: Some(found.values[seat]), fault: None }
                    }
                    None => {
                        let action = game.bot_action_until(bot, interrupt)?;
                        Decision { action, estimate: None, fault: None }
                    }
                });
            }
            Mind::Outside(bot) => {
                let action = one(lock(bot).choose(&[game], interrupt));
                action.and_then(|action| Ok((checked(game, action)?, None)))
            }
            #[cfg(feature = "networks")]
            Mind::Network(network) => {
                let analysis = network.analyse(game, interrupt).map_err(|error| error.to_string());
                analysis.map(|found| (found.action, Some(found.values[seat])))
            }
        };
        if interrupt.is_raised() {
            return Err(Error::interrupted(format!("bot {} has not chosen", self.name)));
        }
        Ok(match answer {
            Ok((action, estimate)) => Decision { action, estimate, fault: None },
            Err(reason) => {
                let fault = Fault { bot: self.name.clone(), game: 0, player: seat, reason };
                Decision { action: pass, estimate: None, fault: Some(fault) }
            }
        })
    }

    /// What a bot of the game's own tries first here that is refused, and why.
    ///
    /// # Errors
    /// [`Error::Refused`] when nobody is to move.
    pub fn tried(&self, game: &dyn SingleGame) -> Result<Option<String>> {
        match &self.mind {
            Mind::Engine(bot) => game.bot_attempt(bot),
            _ => Ok(None),
        }
    }

    /// Its analysis of a game in which somebody is to move, whichever seat that is; it knows what the seat to move
    /// knows.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] for a player that only chooses actions, and when a network answers nonsense;
    /// [`Error::Refused`] when nobody is to move, [`Error::Interrupted`] once `interrupt` is raised.
    pub fn analyse(&self, game: &dyn SingleGame, interrupt: &Interrupt) -> Result<Analysis> {
        let analysis = match &self.mind {
            Mind::Engine(bot) => game.bot_analysis(bot, interrupt)?,
            Mind::Outside(_) => None,
            #[cfg(feature = "networks")]
            Mind::Network(_) if game.status() != Status::Running => {
                return Err(Error::game_over("the game is finished"));
            }
            #[cfg(feature = "networks")]
            Mind::Network(network) => Some(network.analyse(game, interrupt)?),
        };
        analysis.ok_or_else(|| {
            Error::config(format!(
                "bot {:?} says what it plays, not what it thinks; search:N, flat:N, net:FILE and net:FILE:N do",
                self.name
            ))
        })
    }

    /// Chooses in some games of a batch, in each of which it is to move; one action a game. A network also returns the
    /// value that it expects for its own seat in each game.
    ///
    /// # Errors
    /// As for [`VectorEnv::bot_actions`].
    pub fn act_in(
        &self,
        env: &mut dyn VectorEnv,
        ids: &[u32],
        actions: &mut [i32],
        faults: &mut Vec<Fault>,
    ) -> Result<Vec<Option<f32>>> {
        let players = env.columns().widths().rewards;
        let mut estimates = vec![None; ids.len()];
        let answers: Vec<Result<(u32, Option<f32>), String>> = match &self.mind {
            Mind::Engine(bot) => {
                env.bot_actions(Some(ids), &vec![bot.clone(); players], actions)?;
                return Ok(estimates);
            }
            Mind::Outside(bot) => {
                let mut answers = lock(bot).choose_in(env, ids)?.into_iter();
                let checked = |&id| one(answers.next()).and_then(|action| checked_in(env, id, action));
                ids.iter().map(checked).map(|answer| answer.map(|action| (action, None))).collect()
            }
            #[cfg(feature = "networks")]
            Mind::Network(network) => match network.choose_in(env, ids, env.interrupt()) {
                Ok(choices) => {
                    choices.into_iter().map(|choice| Ok((choice.action, Some(choice.estimate)))).collect()
                }
                Err(error) => vec![Err(error.to_string()); ids.len()],
            },
        };
        if env.interrupt().is_raised() {
            return Err(Error::interrupted(format!("bot {} has not chosen", self.name)));
        }
        let mut lost = Vec::new();
        for (k, answer) in answers.into_iter().enumerate() {
            match answer {
                Ok((action, estimate)) => (actions[k], estimates[k]) = (action as i32, estimate),
                Err(reason) => {
                    lost.push(k);
                    let player = env.columns().current_player[ids[k] as usize] as usize;
                    faults.push(Fault { bot: self.name.clone(), game: ids[k].into(), player, reason });
                }
            }
        }
        if !lost.is_empty() {
            let passing: Vec<u32> = lost.iter().map(|&k| ids[k]).collect();
            let mut passes = vec![0; lost.len()];
            env.bot_actions(Some(&passing), &vec!["pass".to_string(); players], &mut passes)?;
            lost.iter().zip(passes).for_each(|(&k, pass)| actions[k] = pass);
        }
        Ok(estimates)
    }
}

/// The players that `texts` name, one for every seat of a game; `time_limit` as in [`Player::parse`].
///
/// # Errors
/// [`Error::InvalidConfig`] for the wrong number, and as for [`Player::parse`].
pub fn seat_players(game: &dyn AnyGame, texts: &[String], time_limit: Duration) -> Result<Vec<Player>> {
    check_seats("bots", texts.len(), game.spec().players)?;
    texts.iter().map(|text| Player::parse(game, text, time_limit)).collect()
}

/// Locks a bot; a poisoned lock is ignored, because a bot that panicked may be asked again.
fn lock(bot: &Mutex<dyn OutsideBot>) -> MutexGuard<'_, dyn OutsideBot + 'static> {
    bot.lock().unwrap_or_else(PoisonError::into_inner)
}

fn one(answers: impl IntoIterator<Item = Result<u32, String>>) -> Result<u32, String> {
    answers.into_iter().next().unwrap_or_else(|| Err("it did not answer".into()))
}

fn checked(game: &dyn SingleGame, action: u32) -> Result<u32, String> {
    game.check(action).map_err(|error| error.to_string())?;
    Ok(action)
}

/// The same in a game of a batch.
fn checked_in(env: &dyn VectorEnv, id: u32, action: u32) -> Result<u32, String> {
    let columns = env.columns();
    let width = columns.widths().mask_bits;
    if mask::contains(&columns.mask_bits[id as usize * width..][..width], action) {
        return Ok(action);
    }
    // The single game's refusal says why.
    checked(&*env.single(id).map_err(|error| error.to_string())?, action)
}

/// Chooses in every game of a batch in which somebody is to move, and 0 in the others.
///
/// `who(game, seat)` is the index of the player that decides for a seat of a game; none leaves the game out. Returned
/// are the values that players expect for their own seats, for every game in which [`Player::act_in`] gives one.
///
/// # Errors
/// As for [`VectorEnv::bot_actions`].
pub fn choose_actions(
    players: &[Player],
    who: impl Fn(usize, usize) -> Option<usize>,
    env: &mut dyn VectorEnv,
    actions: &mut [i32],
    faults: &mut Vec<Fault>,
) -> Result<Vec<Option<f32>>> {
    let columns = env.columns();
    let width = columns.widths().mask_bits;
    let mut asked = vec![Vec::new(); players.len()];
    for (game, mask) in columns.mask_bits.chunks_exact(width).enumerate() {
        actions[game] = 0;
        if mask.iter().any(|&word| word != 0)
            && let Some(player) = who(game, columns.seat_to_move(game)?)
        {
            asked[player].push(game as u32);
        }
    }
    let mut estimates = vec![None; actions.len()];
    let mut chosen = Vec::new();
    for (player, ids) in players.iter().zip(&asked).filter(|(_, ids)| !ids.is_empty()) {
        chosen.clear();
        chosen.resize(ids.len(), 0);
        let expected = player.act_in(env, ids, &mut chosen, faults)?;
        ids.iter().zip(&chosen).for_each(|(&id, &action)| actions[id as usize] = action);
        ids.iter().zip(expected).for_each(|(&id, value)| estimates[id as usize] = value);
    }
    Ok(estimates)
}

/// Games that are stepped between two looks at a batch's [interrupt](VectorEnv::interrupt).
const SLICE: usize = 4096;

/// Plays `actions[k]` in game `ids[k]`, slice by slice.
///
/// # Errors
/// As for [`VectorEnv::step_games`], and [`Error::Interrupted`]; slices that were played before then stay played.
pub(super) fn step_in_slices(env: &mut dyn VectorEnv, ids: &[u32], actions: &[i32]) -> Result<()> {
    for (ids, actions) in ids.chunks(SLICE).zip(actions.chunks(SLICE)) {
        env.step_games(ids, actions)?;
        if env.interrupt().is_raised() {
            return Err(Error::interrupted("not all games have moved"));
        }
    }
    Ok(())
}

/// Plays in every game of a batch for as long as one of `players` is to move in it; the batch resets nothing by itself.
///
/// `who` as for [`choose_actions`].
///
/// # Errors
/// As for [`choose_actions`]; moves that were made before then stay made.
pub fn play_on(
    players: &[Player],
    who: impl Fn(usize, usize) -> Option<usize>,
    env: &mut dyn VectorEnv,
    faults: &mut Vec<Fault>,
) -> Result<()> {
    let mut actions = vec![0; env.config().num_envs];
    loop {
        let columns = env.columns();
        let mut ids = Vec::new();
        for game in (0..actions.len()).filter(|&game| columns.done[game] == 0) {
            if who(game, columns.seat_to_move(game)?).is_some() {
                ids.push(game as u32);
            }
        }
        if ids.is_empty() {
            return Ok(());
        }
        choose_actions(players, &who, env, &mut actions, faults)?;
        let chosen: Vec<i32> = ids.iter().map(|&id| actions[id as usize]).collect();
        step_in_slices(env, &ids, &chosen)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::BatchConfig;

    #[test]
    fn a_raised_interrupt_ends_steps_after_a_slice() {
        let Some(entry) = crate::games::all().first().copied() else { return };
        let game = entry.make(Vec::<(String, crate::engine::OptionValue)>::new()).unwrap();
        let num_envs = SLICE + 10;
        let config = BatchConfig { num_envs, threads: Some(1), ..BatchConfig::default() };
        let mut env = game.vector(config).unwrap();
        let ids: Vec<u32> = (0..num_envs as u32).collect();
        let mut actions = vec![0; num_envs];
        env.sample_actions(&mut actions).unwrap();
        let interrupt = Interrupt::default();
        interrupt.raise();
        env.interrupt_by(interrupt);
        let stepped = step_in_slices(&mut *env, &ids, &actions);
        assert!(matches!(stepped, Err(Error::Interrupted(_))));
        let moved = env.columns().acting_player.iter().filter(|&&seat| seat >= 0).count();
        assert_eq!(moved, SLICE);
        env.interrupt_by(Interrupt::default());
        step_in_slices(&mut *env, &ids[SLICE..], &actions[SLICE..]).unwrap();
        assert!(env.columns().acting_player.iter().all(|&seat| seat >= 0));
    }
}
