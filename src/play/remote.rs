//! A bot in another program, called over HTTP: `POST /turn` with the game's request, answered by an action.

use std::time::Duration;

use serde_json::Value;
use ureq::Agent;

use super::address;
use super::outside_bot::OutsideBot;
use crate::engine::interruptible::interruptible;
use crate::engine::{Error, Interrupt, Result, SingleGame};

/// Maximum number of consecutive moves without an answer, after which the bot is no longer asked.
const MOST_UNANSWERED: u32 = 3;
/// Maximum number of characters quoted from a rejected answer.
const LONGEST_QUOTE: usize = 200;
/// Maximum length of an answer in bytes.
const LONGEST_ANSWER: u64 = 1 << 20;

/// The HTTP client. A bot is asked for one move at a time, so each move has the full time limit.
pub(super) struct RemoteBot {
    agent: Agent,
    url: String,
    time_limit: Duration,
    /// Number of consecutive unanswered moves.
    silent: u32,
}

impl RemoteBot {
    pub(super) fn new(address: &str, time_limit: Duration) -> Result<Self> {
        let host = address::host(address)?;
        let config = Agent::config_builder()
            .timeout_global(Some(time_limit))
            .proxy(None)
            // Redirects are not followed: they would lead to an address that the caller did not specify.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .build();
        Ok(Self { agent: config.into(), url: format!("http://{host}/turn"), time_limit, silent: 0 })
    }

    fn ask(&mut self, game: &SingleGame, interrupt: &Interrupt) -> Result<u32, String> {
        if self.silent == MOST_UNANSWERED {
            return Err(format!("it is no longer asked after {MOST_UNANSWERED} moves without an answer"));
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

    /// Runs [`post`] in a thread and returns its answer, or an error as soon as `interrupt` is raised; the request
    /// then ends at its own time limit.
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

/// The outer error means no answer; the inner error means a malformed answer.
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
            Ok(body) => Ok(serde_json::from_slice(&body).map_err(|e| format!("its answer is not JSON: {e}"))),
        },
    }
}

/// The reason for rejecting an answer, with a quote of the answer.
fn attempted(reply: &Value, error: &Error) -> String {
    let action: String =
        reply.get("action").unwrap_or(reply).to_string().chars().take(LONGEST_QUOTE).collect();
    format!("{action}: {error}")
}

impl OutsideBot for RemoteBot {
    fn choose(&mut self, games: &[&SingleGame], interrupt: &Interrupt) -> Vec<Result<u32, String>> {
        games.iter().take_while(|_| !interrupt.is_raised()).map(|game| self.ask(game, interrupt)).collect()
    }
}
