//! The record of a game.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::contract::chance::StreamId;
use crate::contract::spec::ActionId;

/// One step of a game, in words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LogEntry {
    /// The seat that acted.
    pub player: usize,
    /// The action index.
    pub action: ActionId,
    /// The action as text.
    pub label: String,
    /// The action as an object.
    #[serde(rename = "move")]
    pub object: Value,
    /// The chance outcomes of the step, in drawing order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chance: Vec<u32>,
}

/// Everything needed to replay a game and to verify the replay.
///
/// Steps are stored in columns: `players`, `actions` and `labels` have equal lengths.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Environment id.
    pub env: String,
    /// Version of the environment that played.
    pub version: u32,
    /// Options by name.
    pub options: Value,
    /// The start position, unless the set-up drew it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<Value>,
    /// The chance outcomes of the set-up.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub setup: Vec<u32>,
    /// The random stream, if all chance came from it and nothing else drew from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream: Option<StreamId>,
    /// Otherwise the chance outcomes of every step in drawing order; empty if no step drew any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chance: Vec<Vec<u32>>,
    /// The players' names by seat; empty if no player has a name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// The seats that acted.
    pub players: Vec<usize>,
    /// The action indices.
    pub actions: Vec<ActionId>,
    /// The actions as text.
    pub labels: Vec<String>,
    /// The acting player's expected value for itself before each step, if it reports one: networks do, and bots that
    /// search single games. Empty if there are none, otherwise as long as the other columns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub estimates: Vec<Option<f32>>,
    /// Scores by seat after the last step.
    pub scores: Vec<f32>,
    /// Outcome by seat in [-1, 1]; absent if the game is running or was truncated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub returns: Option<Vec<f32>>,
    /// Outcome by seat in [-1, 1] that the source of an imported game gives, if the rules did not end the game:
    /// resignation, agreement, adjudication.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Vec<f32>>,
    /// Lines that leave the game at some step and are not part of it, each up to its end. Nested ones begin where they
    /// leave the game.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variations: Vec<Variation>,
}

/// A line of play beside a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variation {
    /// The number of steps of the game before it.
    pub from: usize,
    /// The action indices.
    pub actions: Vec<ActionId>,
    /// The actions as text.
    pub labels: Vec<String>,
    /// The chance outcomes of every step in drawing order; empty if no step drew any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chance: Vec<Vec<u32>>,
}

impl Variation {
    /// The variations of a game with these `lines`, each a whole log from the game's first step; parts of the game or of
    /// another line are left out.
    #[must_use]
    pub fn of_lines(game: &[LogEntry], lines: &[Vec<LogEntry>]) -> Vec<Self> {
        fn starts(line: &[LogEntry], other: &[LogEntry]) -> bool {
            line.len() <= other.len() && line.iter().zip(other).all(|(a, b)| a == b)
        }
        let is_new = |(i, line): &(usize, &Vec<LogEntry>)| {
            let again = |(k, other): (usize, &Vec<LogEntry>)| {
                k != *i && starts(line, other) && (line.len() < other.len() || k < *i)
            };
            !starts(line, game) && !lines.iter().enumerate().any(again)
        };
        let one = |(_, line): (usize, &Vec<LogEntry>)| {
            let from = line.iter().zip(game).take_while(|(a, b)| a == b).count();
            let own = &line[from..];
            let has_chance = own.iter().any(|step| !step.chance.is_empty());
            Self {
                from,
                actions: own.iter().map(|step| step.action).collect(),
                labels: own.iter().map(|step| step.label.clone()).collect(),
                chance: if has_chance {
                    own.iter().map(|step| step.chance.clone()).collect()
                } else {
                    Vec::new()
                },
            }
        };
        lines.iter().enumerate().filter(is_new).map(one).collect()
    }
}

impl Record {
    /// Outcome by seat in [-1, 1]: by the rules, or else by the source of an imported game.
    #[must_use]
    pub fn outcome(&self) -> Option<&[f32]> {
        self.returns.as_deref().or(self.result.as_deref())
    }
}
