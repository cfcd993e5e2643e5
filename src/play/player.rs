//! Players: a bot of the engine, a network, a program behind an HTTP address, or the caller's code.
//!
//! A player is named by one text everywhere: `random`, `greedy`, a bot of the game, `search:500`, `net:champion:64`,
//! `http://127.0.0.1:8000`, `uci:stockfish?elo=1350`, `gtp:pentobi-gtp`, `cmd:./my-bot`, `llm:MODEL@URL`.
//! At the end of a search, `?explore` adds the noise of self-play, as in `search:64?explore`. `?rollouts=K` at the end of
//! a network's search plays K games on by its policy for each simulation, instead of a tree. `net:champion?level=3` and
//! `net:champion?elo=1400` are weaker opponents for people.
//!
//! A bot outside the engine loses its move if it fails, is too late or returns an invalid answer. The engine then
//! plays `pass` for it (or a random action if the rules have no pass) and reports a [`Fault`]. The game goes on.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::forced_win::add_forced_win;
use super::language_model::{self, Usage};
#[cfg(feature = "networks")]
use super::network::NetworkPlayer;
use super::playout_thinking::PlayoutBot;
use super::thinking::{self, Report, ThinkingLimits, Thought};
use super::{address, outside_bot::Answer, outside_bot::OutsideBot};
#[cfg(feature = "remote")]
use super::{programs, remote};
use crate::engine::calls::check_seats;
use crate::engine::{
    ActionId, Analysis, AnyGame, Error, Found, Interrupt, Result, SingleGame, VectorEnv, mask, playout_count,
};

/// Default time limit for a move of a bot in another program.
pub const DEFAULT_TIME_LIMIT: Duration = Duration::from_secs(2);

/// The reason of a move that a bot did not choose.
const SILENT: &str = "it did not answer";
/// The prefix of network names.
const NETWORK: &str = "net:";

/// Whether a text names a player outside the engine, even if malformed.
///
/// ```
/// use ludovec_play::player::is_outside;
/// assert!(is_outside("uci:stockfish") && !is_outside("search:50"));
/// ```
#[must_use]
pub fn is_outside(text: &str) -> bool {
    address::is_address(text)
        || text.starts_with(NETWORK)
        || is_program(text)
        || language_model::is_language_model(text)
}

/// Whether a text names a program on this machine, even if malformed.
#[must_use]
pub fn is_program(text: &str) -> bool {
    ["uci:", "gtp:", "cmd:"].iter().any(|prefix| text.starts_with(prefix))
}

/// The named players of a game with descriptions: its bots, and its shipped network if that supports these options.
pub fn listed(game: &dyn AnyGame) -> Vec<(&'static str, &'static str)> {
    game.bots().into_iter().chain(champions(game)).collect()
}

/// The [`listed`] players that can analyse a position, the preferred one first.
pub fn advisers(game: &dyn AnyGame) -> Vec<&'static str> {
    let names = listed(game).into_iter().map(|(name, _)| name).rev();
    names.filter(|name| can_analyse(name)).collect()
}

/// The network shipped with a game, alone and with a search.
#[cfg(feature = "networks")]
fn champions(game: &dyn AnyGame) -> Vec<(&'static str, &'static str)> {
    match NetworkPlayer::parse(game.spec(), super::network::CHAMPION, None) {
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

/// A move lost by a bot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// The bot.
    pub bot: String,
    /// Number of the game.
    pub game: u64,
    /// Its seat.
    pub player: usize,
    /// Description of the fault.
    pub reason: String,
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { bot, game, player, reason } = self;
        write!(f, "bot {bot} lost a move as player {player} of game {game}: {reason}")
    }
}

/// A player's action, with its estimate of the position before.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// The action.
    pub action: u32,
    /// Its expected value for itself, if it reports one; see [`Analysis::values`].
    pub estimate: Option<f32>,
    /// The reason for losing its move; the action is then not its own.
    pub fault: Option<Fault>,
}

/// The players that can analyse a position, for messages.
pub const ADVISERS: &str = "search:N, flat:N, net:FILE, net:FILE:N and uci:COMMAND";

/// Whether a text names a player that can analyse a position: a network, a bot that searches, or a UCI engine.
#[must_use]
pub fn can_analyse(text: &str) -> bool {
    text.starts_with(NETWORK)
        || text.starts_with("uci:")
        || playout_count(text).is_ok_and(|playouts| playouts > 0)
}

/// Whether a text names a player that searches, with playouts or with a network.
#[must_use]
pub fn searches(text: &str) -> bool {
    let of_network = |network| NetworkText::split(network).simulations.is_some();
    match text.strip_prefix(NETWORK) {
        Some(network) => of_network(network),
        None => playout_count(text).is_ok_and(|playouts| playouts > 0),
    }
}

/// The choices of players in games of a batch.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Choices {
    /// An action per game.
    pub actions: Vec<ActionId>,
    /// The findings of the player in each game, if it tells; empty if none tells.
    pub found: Vec<Option<Found>>,
}

impl Choices {
    /// The expected value of `seat` in the `k`-th game.
    fn estimate(&self, k: usize, seat: usize) -> Option<f32> {
        self.found.get(k)?.as_ref()?.values.get(seat).copied()
    }
}

/// A player in a seat, or in many seats of many games. A copy is the same player.
#[derive(Clone)]
pub struct Player {
    name: String,
    /// The text that defines it, or an identity given by the caller.
    source: String,
    /// Hash of a network that was given as bytes.
    content: Option<u128>,
    decision_maker: DecisionMaker,
}

impl std::fmt::Debug for Player {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Player").field("name", &self.name).finish_non_exhaustive()
    }
}

/// The decision maker of a player.
#[derive(Clone)]
enum DecisionMaker {
    /// The engine's bot of this name.
    Engine(String),
    #[cfg(feature = "networks")]
    Network(Arc<NetworkPlayer>),
    Outside(Arc<Mutex<dyn OutsideBot>>),
}

impl Player {
    /// Parses a player's name; `time_limit` is per move of a bot in another program. `None` is the default of the
    /// player's kind: [`DEFAULT_TIME_LIMIT`], or more for a language model.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] lists the allowed names.
    pub fn parse(game: &dyn AnyGame, text: &str, time_limit: impl Into<Option<Duration>>) -> Result<Self> {
        Self::parse_within(game, text, None, time_limit.into())
    }

    /// [`Player::parse`] with the content of the network's file, which may be of another machine.
    ///
    /// # Errors
    /// As for [`Player::parse`].
    pub fn of_bytes(game: &dyn AnyGame, text: &str, network: &[u8]) -> Result<Self> {
        Self::parse_within(game, text, Some(network), None)
    }

    fn parse_within(
        game: &dyn AnyGame,
        text: &str,
        content: Option<&[u8]>,
        given: Option<Duration>,
    ) -> Result<Self> {
        if language_model::is_language_model(text) {
            return language_model::player(text, given);
        }
        let time_limit = given.unwrap_or(DEFAULT_TIME_LIMIT);
        if address::is_address(text) {
            return Self::remote(text, time_limit);
        }
        if is_program(text) {
            return Self::program(game, text, time_limit);
        }
        if let Some(network) = text.strip_prefix(NETWORK) {
            return Self::network(game, text, network, content);
        }
        game.check_bot(text).map_err(|error| match error {
            Error::InvalidConfig(what) => Error::config(format!(
                "{what}, net:FILE of a network, http://HOST:PORT, uci:, gtp: or cmd:COMMAND of a program, llm:MODEL@URL"
            )),
            other => other,
        })?;
        Ok(Self::named_by(text, DecisionMaker::Engine(text.into())))
    }

    #[cfg(feature = "networks")]
    fn network(game: &dyn AnyGame, text: &str, network: &str, content: Option<&[u8]>) -> Result<Self> {
        let player = NetworkPlayer::parse(game.spec(), network, content)?;
        let content = content.map(|bytes| ludovec_network::Source::of_bytes("", bytes)).transpose()?;
        let content = content.map(|source| source.digest());
        Ok(Self { content, ..Self::named_by(text, DecisionMaker::Network(Arc::new(player))) })
    }
    #[cfg(not(feature = "networks"))]
    fn network(_: &dyn AnyGame, text: &str, _: &str, _: Option<&[u8]>) -> Result<Self> {
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

    #[cfg(feature = "remote")]
    fn program(game: &dyn AnyGame, text: &str, time_limit: Duration) -> Result<Self> {
        programs::player(game, text, time_limit)
    }
    #[cfg(not(feature = "remote"))]
    fn program(_: &dyn AnyGame, text: &str, _: Duration) -> Result<Self> {
        Err(Error::config(format!("bot {text:?}: this program is built without the feature \"remote\"")))
    }

    /// A player with moves chosen by the caller's code.
    pub fn outside(name: impl Into<String>, bot: impl OutsideBot + 'static) -> Self {
        Self::named_by(&name.into(), DecisionMaker::Outside(Arc::new(Mutex::new(bot))))
    }

    fn named_by(text: &str, decision_maker: DecisionMaker) -> Self {
        Self { name: text.into(), source: text.into(), content: None, decision_maker }
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The same player under another name, in tables and faults.
    pub fn named(self, name: impl Into<String>) -> Self {
        Self { name: name.into(), ..self }
    }

    /// The same player with an identity given by the caller, such as a hash of its code.
    pub fn identified(self, source: impl Into<String>) -> Self {
        Self { source: source.into(), content: None, ..self }
    }

    /// The player's identity, which determines its moves: its text, with a hash of the network's content instead of a
    /// file name.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] if the file of a network can no longer be read.
    pub fn identity(&self) -> Result<String> {
        identity_of(&self.source, self.content)
    }

    /// Whether it draws its actions uniformly, like the engine's action samples.
    #[must_use]
    pub fn is_random(&self) -> bool {
        matches!(&self.decision_maker, DecisionMaker::Engine(bot) if bot == "random")
    }

    /// Whether it chooses in a moment, in the engine and without a search.
    #[must_use]
    pub fn is_quick(&self) -> bool {
        matches!(&self.decision_maker, DecisionMaker::Engine(bot) if !searches(bot))
    }

    /// Maximum number of games per request, if it reads observations and masks of a batch.
    #[must_use]
    pub fn rows(&self) -> Option<usize> {
        match &self.decision_maker {
            DecisionMaker::Outside(bot) => lock(bot).rows(),
            _ => None,
        }
    }

    /// Whether it reads the moves of games in batches.
    #[must_use]
    pub fn reads_moves(&self) -> bool {
        match &self.decision_maker {
            DecisionMaker::Outside(bot) => lock(bot).reads_moves(),
            _ => false,
        }
    }

    /// Whether it pays for all [`Player::rows`] of a request, however few games there are.
    pub(super) fn pays_for_all_rows(&self) -> bool {
        match &self.decision_maker {
            DecisionMaker::Outside(bot) => lock(bot).pays_for_all_rows(),
            _ => false,
        }
    }

    /// The requests and tokens used so far, if the player counts them.
    #[must_use]
    pub fn usage(&self) -> Option<Usage> {
        match &self.decision_maker {
            DecisionMaker::Outside(bot) => lock(bot).usage(),
            _ => None,
        }
    }

    /// Appends every exchange with the player to a file from now on, if it is a language model.
    pub fn write_transcript(&self, file: &Path) {
        if let DecisionMaker::Outside(bot) = &self.decision_maker {
            lock(bot).write_transcript(file);
        }
    }

    /// Chooses an action in a game; it must be the current player.
    ///
    /// # Errors
    /// [`Error::Refused`] if the game is over, [`Error::Interrupted`] if `interrupt` is raised.
    pub fn act(&self, game: &SingleGame, interrupt: &Interrupt) -> Result<Decision> {
        let pass = game.bot_action("pass")?;
        let seat = game.current_player();
        let answer = match &self.decision_maker {
            DecisionMaker::Engine(bot) => {
                // A single legal action needs no search.
                let is_open = can_analyse(bot) && game.legal_actions().len() > 1;
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
            DecisionMaker::Outside(bot) => {
                let action = one(lock(bot).choose(&[game], interrupt));
                action.and_then(|action| Ok((checked(game, action)?, None)))
            }
            #[cfg(feature = "networks")]
            DecisionMaker::Network(network) => {
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

    /// The refused first attempt of a built-in bot, with the reason; `None` if it has none.
    ///
    /// # Errors
    /// [`Error::Refused`] if the game is finished.
    pub fn tried(&self, game: &SingleGame) -> Result<Option<String>> {
        match &self.decision_maker {
            DecisionMaker::Engine(bot) => game.bot_attempt(bot),
            _ => Ok(None),
        }
    }

    /// Its analysis of a running game from the perspective of the current player, with that player's information.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] for a player that only chooses actions, and if a network's output is invalid;
    /// [`Error::Refused`] if the game is over, [`Error::Interrupted`] if `interrupt` is raised.
    pub fn analyse(&self, game: &SingleGame, interrupt: &Interrupt) -> Result<Analysis> {
        thinking::check_running(game)?;
        let analysis = match &self.decision_maker {
            DecisionMaker::Engine(bot) => game.bot_analysis(bot, interrupt)?,
            DecisionMaker::Outside(bot) => lock(bot).analyse(game, interrupt).transpose()?,
            #[cfg(feature = "networks")]
            DecisionMaker::Network(network) => Some(network.analyse(game, interrupt)?),
        };
        analysis.ok_or_else(|| self.only_chooses())
    }

    /// [`Player::analyse`] by `effort` times the simulations (of an engine, the nodes or the time), with a value for
    /// every legal action if there are simulations, and with forced wins that a search overlooks.
    ///
    /// # Errors
    /// As for [`Player::analyse`].
    pub fn advise(&self, game: &SingleGame, effort: u32, interrupt: &Interrupt) -> Result<Analysis> {
        thinking::check_running(game)?;
        let analysis = match &self.decision_maker {
            DecisionMaker::Engine(bot) if can_analyse(bot) => {
                Some(PlayoutBot::parse(bot)?.advise(game, effort, interrupt)?)
            }
            DecisionMaker::Engine(_) => None,
            DecisionMaker::Outside(bot) => lock(bot).advise(game, effort, interrupt).transpose()?,
            #[cfg(feature = "networks")]
            DecisionMaker::Network(network) => Some(network.advise(game, effort, interrupt)?),
        };
        let mut analysis = analysis.ok_or_else(|| self.only_chooses())?;
        add_forced_win(game, &mut analysis)?;
        Ok(analysis)
    }

    fn only_chooses(&self) -> Error {
        Error::config(format!("bot {:?} only chooses actions; {ADVISERS} analyse positions", self.name))
    }

    /// Thinks about a running game within limits, or until `stop` is raised, and calls `report` with intermediate
    /// results. Players that do not search report at the end only; limits do not apply to them.
    ///
    /// # Errors
    /// [`Error::Refused`] if the game is over; [`Error::InvalidConfig`] if a player gives no valid move.
    pub fn think(
        &self,
        game: &SingleGame,
        limits: ThinkingLimits,
        stop: &Interrupt,
        report: Report<'_>,
    ) -> Result<Thought> {
        thinking::check_running(game)?;
        let begun = Instant::now();
        let thought = match &self.decision_maker {
            DecisionMaker::Engine(bot) if can_analyse(bot) => {
                return thinking::think(&PlayoutBot::parse(bot)?, game, limits, stop, report);
            }
            #[cfg(feature = "networks")]
            DecisionMaker::Network(network) => return network.think(game, limits, stop, report),
            _ => match self.act(game, stop) {
                Ok(Decision { fault: Some(fault), .. }) => Err(Error::config(fault.to_string())),
                Ok(Decision { action, estimate, .. }) => {
                    thinking::choice_alone(game, action, estimate, begun)
                }
                Err(error) => Err(error),
            },
        };
        let thought = match thought {
            Err(Error::Interrupted(_)) => thinking::quick_choice(game, begun)?,
            thought => thought?,
        };
        report(&thought);
        Ok(thought)
    }

    /// Chooses one action per game in some games of a batch; it must be the current player in each of them. A network
    /// also returns its expected value for itself in each game.
    ///
    /// # Errors
    /// As for [`VectorEnv::bot_actions`].
    pub fn act_in(
        &self,
        env: &mut dyn VectorEnv,
        ids: &[u32],
        actions: &mut [ActionId],
        faults: &mut Vec<Fault>,
    ) -> Result<Vec<Option<f32>>> {
        let choices = self.choose_in(env, ids, false, faults)?;
        actions.copy_from_slice(&choices.actions);
        let seat = |id: u32| env.columns().current_player[id as usize] as usize;
        Ok(ids.iter().enumerate().map(|(k, &id)| choices.estimate(k, seat(id))).collect())
    }

    /// The same with the findings of the player in each game. Without `tells`, bots and functions choose actions alone, which
    /// takes less time.
    ///
    /// # Errors
    /// As for [`VectorEnv::bot_actions`].
    pub fn choose_in(
        &self,
        env: &mut dyn VectorEnv,
        ids: &[u32],
        tells: bool,
        faults: &mut Vec<Fault>,
    ) -> Result<Choices> {
        let seats = env.columns().widths().rewards;
        let mut choices = Choices { actions: vec![0; ids.len()], found: Vec::new() };
        let answers: Vec<Answer> = match &self.decision_maker {
            DecisionMaker::Engine(_) if self.is_random() && ids.len() == env.config().num_envs => {
                env.sample_actions(&mut choices.actions)?;
                return Ok(choices);
            }
            DecisionMaker::Engine(bot) if tells && searches(bot) => {
                choices.found = env.bot_searches(ids, &vec![bot.clone(); seats], &mut choices.actions)?;
                return Ok(choices);
            }
            DecisionMaker::Engine(bot) => {
                env.bot_actions(Some(ids), &vec![bot.clone(); seats], &mut choices.actions)?;
                return Ok(choices);
            }
            DecisionMaker::Outside(bot) => {
                let answers = match tells {
                    true => lock(bot).answer_in(env, ids)?,
                    false => lock(bot).choose_in(env, ids)?.into_iter().map(|a| Ok((a?, None))).collect(),
                };
                let mut answers = answers.into_iter();
                let checked = |&id| {
                    let (action, found) = answers.next().unwrap_or_else(|| Err(SILENT.into()))?;
                    Ok((checked_in(env, id, action)?, found))
                };
                ids.iter().map(checked).collect()
            }
            #[cfg(feature = "networks")]
            DecisionMaker::Network(network) => match network.choose_in(env, ids, env.interrupt()) {
                Ok(chosen) => chosen.into_iter().map(|(action, found)| Ok((action, Some(found)))).collect(),
                Err(error) => vec![Err(error.to_string()); ids.len()],
            },
        };
        if env.interrupt().is_raised() {
            return Err(Error::interrupted(format!("bot {} has not chosen", self.name)));
        }
        let mut lost = Vec::new();
        for (k, answer) in answers.into_iter().enumerate() {
            match answer {
                Ok((action, found)) => {
                    choices.actions[k] = action;
                    choices.found.push(found);
                }
                Err(reason) => {
                    choices.found.push(None);
                    lost.push(k);
                    let player = env.columns().current_player[ids[k] as usize] as usize;
                    faults.push(Fault { bot: self.name.clone(), game: ids[k].into(), player, reason });
                }
            }
        }
        if !lost.is_empty() {
            let passing: Vec<u32> = lost.iter().map(|&k| ids[k]).collect();
            let mut passes = vec![0; lost.len()];
            env.bot_actions(Some(&passing), &vec!["pass".to_string(); seats], &mut passes)?;
            lost.iter().zip(passes).for_each(|(&k, pass)| choices.actions[k] = pass);
        }
        Ok(choices)
    }
}

/// The memory of players of the games of a batch, with which they go on in another process.
impl Player {
    /// Keeps a [memory](Player::memory) from now on.
    pub fn remember(&self) {
        match &self.decision_maker {
            #[cfg(feature = "networks")]
            DecisionMaker::Network(network) => network.remember(),
            _ => {}
        }
    }

    /// The positions that it searched in the current episode of every game, as snapshots; empty for players without tree
    /// reuse.
    #[must_use]
    pub fn memory(&self) -> Vec<Vec<Vec<u8>>> {
        match &self.decision_maker {
            #[cfg(feature = "networks")]
            DecisionMaker::Network(network) => network.memory(),
            _ => Vec::new(),
        }
    }

    /// Continues from the memory of a player of the same text, for the games of a batch.
    ///
    /// # Errors
    /// [`Error::InvalidState`] if the memory is of other games, [`Error::Interrupted`] after an interruption.
    #[cfg_attr(not(feature = "networks"), expect(unused_variables, reason = "only networks have a memory"))]
    pub fn recall(&self, env: &dyn VectorEnv, memory: &[Vec<Vec<u8>>]) -> Result<()> {
        match &self.decision_maker {
            #[cfg(feature = "networks")]
            DecisionMaker::Network(network) if !memory.is_empty() => network.recall(env, memory),
            _ => Ok(()),
        }
    }
}

/// Numbers players of one name, so that tables tell them apart: the second `greedy` becomes `greedy 2`.
pub fn number_players(players: &mut [Player]) {
    super::seated_game::number(players.iter_mut().map(|player| &mut player.name), usize::MAX);
}

/// Tells the players that read moves which moves a batch is about to make: `actions[k]` in game `ids[k]`, or in game
/// `k` without `ids`.
///
/// # Errors
/// As for [`VectorEnv::single`].
pub fn note_moves(
    players: &[Player],
    env: &dyn VectorEnv,
    ids: Option<&[u32]>,
    actions: &[ActionId],
) -> Result<()> {
    let mut all = Vec::new();
    for player in players.iter().filter(|player| player.reads_moves()) {
        let DecisionMaker::Outside(bot) = &player.decision_maker else { continue };
        let ids = ids.unwrap_or_else(|| {
            all = (0..actions.len() as u32).collect();
            &all
        });
        lock(bot).note_moves(env, ids, actions)?;
    }
    Ok(())
}

/// The text of a player, with a hash of the network's files instead of a file name.
#[cfg_attr(not(feature = "networks"), expect(unused_variables, reason = "only networks have content"))]
pub(super) fn identity_of(text: &str, content: Option<u128>) -> Result<String> {
    #[cfg(feature = "networks")]
    if let Some(network) = text.strip_prefix(NETWORK).filter(|network| !network.starts_with("champion")) {
        let file = NetworkText::split(network).file;
        let digest = match content {
            Some(digest) => digest,
            None => ludovec_network::Source::read(file.as_ref())?.digest(),
        };
        // Precision and simulations as they are written.
        return Ok(format!("{NETWORK}{digest:032x}{}", &network[file.len()..]));
    }
    Ok(text.into())
}

/// The file of a network's text, the precision and the number of simulations; `None` for levels and other players.
#[must_use]
pub fn network_parts(text: &str) -> Option<(&str, Option<&str>, Option<&str>)> {
    let NetworkText { file, precision, simulations, level, .. } =
        NetworkText::split(text.strip_prefix(NETWORK)?);
    level.is_none().then_some((file, precision, simulations))
}

/// The parts of a network's text, `FILE[?precision=NAME][:SIMULATIONS[?explore | ?rollouts=K[,plies=H]]]` or
/// `FILE[?precision=NAME]?level=N` or `...?elo=N`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct NetworkText<'a> {
    pub(super) file: &'a str,
    pub(super) simulations: Option<&'a str>,
    #[cfg_attr(
        not(feature = "networks"),
        allow(dead_code, reason = "only networks are computed in a precision")
    )]
    pub(super) precision: Option<&'a str>,
    /// The option after the number of simulations.
    #[cfg_attr(not(feature = "networks"), allow(dead_code, reason = "only networks have these options"))]
    pub(super) option: Option<&'a str>,
    /// The level, as `level=N` or `elo=N`.
    pub(super) level: Option<&'a str>,
}

impl<'a> NetworkText<'a> {
    pub(super) fn split(network: &'a str) -> Self {
        let split = |end: &'a str| match end.split_once('?') {
            Some((number, option)) => (number, Some(option)),
            None => (end, None),
        };
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
        let is_level =
            |(_, key): &(&str, &str)| ["level=", "elo="].iter().any(|known| key.starts_with(known));
        let (rest, level) = match network.rsplit_once('?').filter(is_level) {
            Some((rest, level)) => (rest, Some(level)),
            None => (network, None),
        };
        let (rest, simulations, option) = match rest.rsplit_once(':').map(|(rest, end)| (rest, split(end))) {
            Some((rest, (number, option))) if is_number(number) => (rest, Some(number), option),
            _ => (rest, None, None),
        };
        let (file, precision) = match rest.rsplit_once("?precision=") {
            Some((file, name)) => (file, Some(name)),
            None => (rest, None),
        };
        Self { file, simulations, precision, option, level }
    }
}

/// The players named by `texts`, one per seat of a game; `time_limit` as in [`Player::parse`].
///
/// # Errors
/// [`Error::InvalidConfig`] for the wrong number, and as for [`Player::parse`].
pub fn seat_players(
    game: &dyn AnyGame,
    texts: &[String],
    time_limit: impl Into<Option<Duration>>,
) -> Result<Vec<Player>> {
    let time_limit = time_limit.into();
    check_seats("bots", texts.len(), game.spec().players)?;
    texts.iter().map(|text| Player::parse(game, text, time_limit)).collect()
}

/// Locks a bot. A poisoned lock is ignored, because a bot may be asked again after a panic.
fn lock(bot: &Mutex<dyn OutsideBot>) -> MutexGuard<'_, dyn OutsideBot + 'static> {
    bot.lock().unwrap_or_else(PoisonError::into_inner)
}

fn one(answers: impl IntoIterator<Item = Result<u32, String>>) -> Result<u32, String> {
    answers.into_iter().next().unwrap_or_else(|| Err(SILENT.into()))
}

fn checked(game: &SingleGame, action: u32) -> Result<u32, String> {
    game.check(action).map_err(|error| error.to_string())?;
    Ok(action)
}

/// The same for a game of a batch.
fn checked_in(env: &dyn VectorEnv, id: u32, action: u32) -> Result<u32, String> {
    let columns = env.columns();
    let width = columns.widths().mask_bits;
    if mask::contains(&columns.mask_bits[id as usize * width..][..width], action) {
        return Ok(action);
    }
    // The single game's refusal explains the reason.
    checked(&env.single(id).map_err(|error| error.to_string())?, action)
}

/// Chooses an action in every running game of a batch, and 0 in the others.
///
/// `who(game, seat)` is the index of the player in a seat of a game; `None` skips the game. Returns the players'
/// expected values for themselves, for every game in which [`Player::act_in`] gives one.
///
/// # Errors
/// As for [`VectorEnv::bot_actions`].
pub fn choose_actions(
    players: &[Player],
    who: impl Fn(usize, usize) -> Option<usize>,
    env: &mut dyn VectorEnv,
    actions: &mut [ActionId],
    faults: &mut Vec<Fault>,
) -> Result<Vec<Option<f32>>> {
    let choices = choose(players, who, env, false, faults)?;
    actions.copy_from_slice(&choices.actions);
    let seat = |game: usize| env.columns().current_player[game] as usize;
    Ok((0..actions.len()).map(|game| choices.estimate(game, seat(game))).collect())
}

/// The same with the findings of the players; `tells` as for [`Player::choose_in`].
///
/// # Errors
/// As for [`VectorEnv::bot_actions`].
pub fn choose(
    players: &[Player],
    who: impl Fn(usize, usize) -> Option<usize>,
    env: &mut dyn VectorEnv,
    tells: bool,
    faults: &mut Vec<Fault>,
) -> Result<Choices> {
    let columns = env.columns();
    let width = columns.widths().mask_bits;
    let mut asked = vec![Vec::new(); players.len()];
    for (game, mask) in columns.mask_bits.chunks_exact(width).enumerate() {
        if mask.iter().any(|&word| word != 0)
            && let Some(player) = who(game, columns.seat_to_move(game)?)
        {
            asked[player].push(game as u32);
        }
    }
    let games = env.config().num_envs;
    let mut all = Choices { actions: vec![0; games], found: Vec::new() };
    for (player, ids) in players.iter().zip(&asked).filter(|(_, ids)| !ids.is_empty()) {
        let chosen = player.choose_in(env, ids, tells, faults)?;
        if ids.len() == games {
            return Ok(chosen);
        }
        ids.iter().zip(chosen.actions).for_each(|(&id, action)| all.actions[id as usize] = action);
        if !chosen.found.is_empty() {
            all.found.resize(games, None);
            ids.iter().zip(chosen.found).for_each(|(&id, found)| all.found[id as usize] = found);
        }
    }
    Ok(all)
}

/// Number of games stepped between two checks of a batch's [interrupt](VectorEnv::interrupt).
const SLICE: usize = 4096;

/// Plays `actions[k]` in game `ids[k]`, slice by slice.
///
/// # Errors
/// As for [`VectorEnv::step_games`], and [`Error::Interrupted`]; slices played before the error stay played.
pub(super) fn step_in_slices(env: &mut dyn VectorEnv, ids: &[u32], actions: &[ActionId]) -> Result<()> {
    for (ids, actions) in ids.chunks(SLICE).zip(actions.chunks(SLICE)) {
        env.step_games(ids, actions)?;
        if env.interrupt().is_raised() {
            return Err(Error::interrupted("not all games have moved"));
        }
    }
    Ok(())
}

/// Plays every game of a batch on while the current player is one of `players`; finished games are not reset.
///
/// `who` as for [`choose_actions`].
///
/// # Errors
/// As for [`choose_actions`]; moves made before the error stay made.
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
        let chosen: Vec<ActionId> = ids.iter().map(|&id| actions[id as usize]).collect();
        note_moves(players, env, Some(&ids), &chosen)?;
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
        let game = entry.make([]).unwrap();
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
