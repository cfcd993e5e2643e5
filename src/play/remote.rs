//! A bot in another program, asked over HTTP: `POST /turn` with what the game tells it, answered by an action.

use std::time::Duration;

use serde_json::Value;
use ureq::Agent;

use super::address;
use super::outside_bot::OutsideBot;
use crate::engine::interruptible::interruptible;
use crate::engine::{Error, Interrupt, Result, SingleGame};

/// After this many moves in a row without any answer the bot is not asked any more.
const PATIENCE: u32 = 3;
/// Most characters of an answer that are repeated in the reason of its refusal.
const LONGEST_QUOTE: usize = 200;
/// Longest answer that is read, in bytes.
const LONGEST_ANSWER: u64 = 1 << 20;

/// The client's side. A bot is asked one move after the other, so that its time is its own.
pub(super) struct RemoteBot {
    agent: Agent,
    url: String,
    time_limit: Duration,
    /// Moves in a row that were not answered.
    silent: u32,
}

impl RemoteBot {
    pub(super) fn new(address: &str, time_limit: Duration) -> Result<Self> {
        let host = address::host(address)?;
        let config = Agent::config_builder()
            .timeout_global(Some(time_limit))
            .proxy(None)
            // Redirections are not followed: they would lead to an address that the caller did not name.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .build();
        Ok(Self { agent: config.into(), url: format!("http://{host}/turn"), time_limit, silent: 0 })
    }

    fn ask(&mut self, game: &dyn SingleGame, interrupt: &Interrupt) -> Result<u32, String> {
        if self.silent == PATIENCE {
            return Err(format!("it is asked no more after {PATIENCE} moves without an answer"));
        }
        match self.post(game.bot_request(), interrupt) {
            Err(error) => {
                self.silent += 1;
                Err(error)
            }
            Ok(reply) => {
                self.silent = 0;
                let reply = reply?;
                game.action_from_bot_reply(&reply).map_err(|error| attempted(&reply, &error))
            }
        }
    }

    /// Runs [`post`] in a thread and returns its answer, or an error as soon as `interrupt` is raised; the request then
    /// ends by itself at its time limit.
    fn post(&self, request: Value, interrupt: &Interrupt) -> BotReply {
        let (agent, url, time_limit) = (self.agent.clone(), self.url.clone(), self.time_limit);
        let work = move || post(&agent, &url, &request, time_limit);
        match interruptible("ludovec request", interrupt, work) {
            Ok(answer) => answer,
            Err(Error::Interrupted(_)) => Err("interrupted".into()),
            Err(error) => Err(error.to_string()),
        }
    }
}

/// The outer error: no answer came. The inner error: an answer came but is malformed.
type BotReply = Result<Result<Value, String>, String>;

fn post(agent: &Agent, url: &str, request: &Value, time_limit: Duration) -> BotReply {
    let no_answer = |error: ureq::Error| match error {
        ureq::Error::Timeout(_) => format!("no answer within {time_limit:?}"),
        other => format!("no answer: {other}"),
    };
    match agent.post(url).send_json(request) {
        Err(ureq::Error::StatusCode(code)) => Ok(Err(format!("it answered with status {code}"))),
        Err(error) => Err(no_answer(error)),
        Ok(response) if response.status() != 200 => {
            Ok(Err(format!("it answered with status {}", response.status().as_u16())))
        }
        Ok(mut response) => match response.body_mut().with_config().limit(LONGEST_ANSWER).read_to_vec() {
            Err(error) => Err(no_answer(error)),
            Ok(body) => Ok(serde_json::from_slice(&body).map_err(|e| format!("its answer is no JSON: {e}"))),
        },
    }
}

/// Why an answer is refused, with what it says.
fn attempted(reply: &Value, error: &Error) -> String {
    let action: String =
        reply.get("action").unwrap_or(reply).to_string().chars().take(LONGEST_QUOTE).collect();
    format!("{action}: {error}")
}

impl OutsideBot for RemoteBot {
    fn choose(&mut self, games: &[&dyn SingleGame], interrupt: &Interrupt) -> Vec<Result<u32, String>> {
        games.iter().take_while(|_| !interrupt.is_raised()).map(|game| self.ask(*game, interrupt)).collect()
    }
}
