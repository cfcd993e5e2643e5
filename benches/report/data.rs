//! Measurements as data: the content of `report.json`.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use ludovec::engine::{Error, Result};

/// Speed of the whole loop under one configuration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Throughput {
    /// Games side by side.
    pub num_envs: usize,
    /// Threads that step.
    pub threads: usize,
    /// Decisions per second: sample an action, step, reset, write mask and observation.
    pub steps_per_second: f64,
}

/// A seat's results.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SeatResult {
    /// Share of its wins among the games with a result; seats with a shared first place share the win.
    pub win_share: f64,
    /// Half the width of the 95 % confidence interval of `win_share`, Wilson's.
    pub margin: f64,
    /// The lower and the upper end of this interval.
    pub interval: [f64; 2],
    /// Mean score at the end.
    pub mean_score: f64,
}

/// The measurements of one environment under one set of options.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Environment id.
    pub env: String,
    /// Version of its behaviour.
    pub version: u32,
    /// Options by name.
    pub options: Value,
    /// Speed by batch size and threads.
    pub throughput: Vec<Throughput>,
    /// The bot that played all seats of the games counted below.
    pub bot: String,
    /// Games finished.
    pub games: u64,
    /// Games among them that a limit ended without a result.
    pub truncated: u64,
    /// Lengths in decisions with the number of games of this length, increasing.
    pub lengths: Vec<(u32, u64)>,
    /// Seat by seat.
    pub seats: Vec<SeatResult>,
}

/// The measurements of several environments on one machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Version of this library.
    pub version: String,
    /// Date of the measurement.
    #[serde(default)]
    pub date: String,
    /// The processor's name from the operating system.
    #[serde(default)]
    pub processor: String,
    /// Hardware threads of the machine.
    pub hardware_threads: usize,
    /// The command line that measured it.
    #[serde(default)]
    pub command: String,
    /// Whether it was interrupted: the last environment is not measured as a whole, and others may be missing.
    #[serde(default)]
    pub partial: bool,
    /// Environment by environment.
    pub environments: Vec<Measured>,
}

/// Reads a report.
///
/// # Errors
/// [`Error::InvalidState`] if the text is no report.
pub fn parse(text: &str) -> Result<Report> {
    let report: Report = serde_json::from_str(text).map_err(|e| Error::state(format!("report: {e}")))?;
    // The names become parts of file names.
    let named = |env: &str| env.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    match report.environments.iter().find(|measured| !named(&measured.env)) {
        Some(wrong) => Err(Error::state(format!("report: {:?} is no environment id", wrong.env))),
        None => Ok(report),
    }
}
