//! What an environment is like, measured: throughput, game lengths, who wins; as data and as plots.

pub mod plot;

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::engine::{AnyGame, BatchConfig, Error, Interrupt, Result, Theme};
use crate::play::player::{DEFAULT_TIME_LIMIT, Player};
use crate::play::results::margin_of_share;
use crate::play::selfplay::{Limit, SeatSummary, Summary, run};
use crate::play::throughput;
use plot::{Bar, Curve, Labels, bars, curves, histogram};

/// What is measured.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Games side by side, increasing.
    pub batch_sizes: Vec<usize>,
    /// Numbers of threads, increasing.
    pub threads: Vec<usize>,
    /// Time for each batch size under each number of threads.
    pub time: Duration,
    /// Games played for lengths and results.
    pub games: u64,
    /// The bot in every seat.
    pub bot: String,
    /// Seed of all games.
    pub seed: u64,
}

impl Plan {
    /// How many times [`measure`] reports: once a batch size and number of threads, once for the games.
    pub fn parts(&self) -> usize {
        self.batch_sizes.len() * self.threads.len() + 1
    }
}

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
    /// Share of the games with a result that it won; who shares the first place shares the win.
    pub win_share: f64,
    /// Half of the 95 % confidence interval of `win_share`.
    pub margin: f64,
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
    /// Of these, games that a limit ended without a result.
    pub truncated: u64,
    /// Lengths in decisions with the number of games that were so long, increasing.
    pub lengths: Vec<(u32, u64)>,
    /// Seat by seat.
    pub seats: Vec<SeatResult>,
}

/// The measurements of several environments on one machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Version of this library.
    pub version: String,
    /// Hardware threads of the machine.
    pub hardware_threads: usize,
    /// Whether it was interrupted: the last environment is not measured as a whole, and others may be missing.
    #[serde(default)]
    pub partial: bool,
    /// Environment by environment.
    pub environments: Vec<Measured>,
}

/// Measures an environment, or what of it there is time for before `interrupt` is raised; `report` is told what comes
/// next.
///
/// # Errors
/// [`Error::InvalidConfig`] for an unknown bot, or 0 games or threads.
pub fn measure(
    game: &Arc<dyn AnyGame>,
    plan: &Plan,
    interrupt: &Interrupt,
    mut report: impl FnMut(&str),
) -> Result<Measured> {
    let spec = game.spec();
    let mut throughput = Vec::new();
    for &threads in &plan.threads {
        for &num_envs in &plan.batch_sizes {
            report(&format!("{} games side by side, {threads} threads", num_envs));
            let rate = speed(game, plan, num_envs, threads, interrupt)?;
            throughput.extend(rate.map(|steps_per_second| Throughput {
                num_envs,
                threads,
                steps_per_second,
            }));
        }
    }
    report(&format!("{} games", plan.games));
    let num_envs = plan.games.clamp(1, 1024) as usize;
    let config = BatchConfig { num_envs, seed: plan.seed, ..BatchConfig::default() };
    let bots = vec![Player::parse(&**game, &plan.bot, DEFAULT_TIME_LIMIT)?; spec.players];
    let mut env = game.clone().vector(config)?;
    env.interrupt_by(interrupt.clone());
    let summary = run(&mut *env, &bots, Limit::Games(plan.games), None, |_| ())?;
    Ok(Measured {
        env: spec.env.into(),
        version: spec.version,
        options: serde_json::to_value(&spec.options).expect("options are plain values"),
        throughput,
        bot: plan.bot.clone(),
        games: summary.games,
        truncated: summary.truncated,
        lengths: summary.lengths.iter().map(|(&length, &games)| (length, games)).collect(),
        seats: seat_results(&summary),
    })
}

/// Decisions per second of one configuration; none when there was no time to measure.
fn speed(
    game: &Arc<dyn AnyGame>,
    plan: &Plan,
    num_envs: usize,
    threads: usize,
    interrupt: &Interrupt,
) -> Result<Option<f64>> {
    let config = BatchConfig { num_envs, threads: Some(threads), seed: plan.seed, ..BatchConfig::default() };
    let mut env = game.clone().vector(config)?;
    env.interrupt_by(interrupt.clone());
    // The first round, a short one, maps pages and raises clocks.
    let pace =
        throughput::measure(&mut *env, plan.time / 4).and_then(|_| throughput::measure(&mut *env, plan.time));
    match pace {
        Ok(pace) => Ok(Some(pace.decisions_per_second(num_envs))),
        Err(Error::Interrupted(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

fn seat_results(summary: &Summary) -> Vec<SeatResult> {
    let decided = (summary.games - summary.truncated).max(1) as f64;
    let seat = |seat: &SeatSummary| SeatResult {
        win_share: seat.win_share,
        margin: margin_of_share(seat.win_share, decided),
        mean_score: seat.mean_score,
    };
    summary.seats.iter().map(seat).collect()
}

/// Reads a report.
///
/// # Errors
/// [`Error::InvalidState`] when the text is no report.
pub fn parse(text: &str) -> Result<Report> {
    let report: Report = serde_json::from_str(text).map_err(|e| Error::state(format!("report: {e}")))?;
    // The names become file names.
    let named = |env: &str| env.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    match report.environments.iter().find(|measured| !named(&measured.env)) {
        Some(wrong) => Err(Error::state(format!("report: {:?} is no environment id", wrong.env))),
        None => Ok(report),
    }
}

impl Measured {
    /// The plots with their file names.
    pub fn plots(&self, theme: Theme) -> [(String, String); 3] {
        let file = |plot: &str| format!("{}-{plot}.svg", self.env);
        let Self { env, bot, games, .. } = self;
        [
            (file("throughput"), self.plot_throughput(theme)),
            (file("lengths"), {
                let title = format!("{env}: length of {games} games, {bot}");
                let labels = Labels { title: &title, x: "decisions", y: "games" };
                let (start, width, counts) = self.bins();
                histogram(labels, start, width, &counts, theme)
            }),
            (file("wins"), {
                let title = format!("{env}: wins by seat over {games} games, {bot}");
                let labels = Labels { title: &title, x: "seat", y: "share of wins, 95 % interval" };
                let bar = |(seat, s): (usize, &SeatResult)| Bar {
                    name: seat.to_string(),
                    value: s.win_share,
                    margin: Some(s.margin),
                };
                bars(labels, &self.seats.iter().enumerate().map(bar).collect::<Vec<_>>(), theme)
            }),
        ]
    }

    fn plot_throughput(&self, theme: Theme) -> String {
        let mut threads: Vec<usize> = self.throughput.iter().map(|t| t.threads).collect();
        threads.sort_unstable();
        threads.dedup();
        let curve = |&threads: &usize| Curve {
            name: format!("{threads} thread{}", if threads == 1 { "" } else { "s" }),
            points: self
                .throughput
                .iter()
                .filter(|t| t.threads == threads)
                .map(|t| (t.num_envs as f64, t.steps_per_second))
                .collect(),
        };
        let title = format!("{}: throughput", self.env);
        let labels = Labels { title: &title, x: "games side by side", y: "decisions/s" };
        curves(labels, &threads.iter().map(curve).collect::<Vec<_>>(), theme)
    }

    /// Start, width and counts of at most 40 bins over the lengths.
    fn bins(&self) -> (f64, f64, Vec<u64>) {
        const BINS: u64 = 40;
        let lengths = || self.lengths.iter().map(|(length, _)| u64::from(*length));
        let low = lengths().min().unwrap_or(0);
        let high = lengths().max().unwrap_or(0);
        let width = (high - low + 1).div_ceil(BINS);
        let mut counts = vec![0; ((high - low) / width + 1) as usize];
        for (length, games) in &self.lengths {
            counts[((u64::from(*length) - low) / width) as usize] += games;
        }
        (low as f64, width as f64, counts)
    }
}

/// A page that shows the plots, which lie beside it.
pub fn index(report: &Report, theme: Theme) -> String {
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>Ludovec report</title>\n\
         <style>body {{ font: 15px system-ui, sans-serif; margin: 24px; color-scheme: {}; }} \
         img {{ width: 32%; min-width: 320px; }}</style>\n\
         <h1>Ludovec {}</h1>\n<p>Measured on a machine with {} hardware threads.</p>\n",
        theme.pick("light", "dark"),
        escape(&report.version),
        report.hardware_threads
    );
    for measured in &report.environments {
        let options =
            measured.options.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null());
        let options: Vec<String> = options.map(|(key, value)| format!("{key}={value}")).collect();
        page += &format!(
            "<h2>{}</h2>\n<p><code>{}</code></p>\n",
            escape(&measured.env),
            escape(&options.join(" "))
        );
        for (file, _) in measured.plots(theme) {
            let file = escape(&file);
            page += &format!("<img src=\"{file}\" alt=\"{file}\">\n");
        }
    }
    page + "</html>\n"
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_counted_once_in_bins_that_cover_them() {
        let with = |lengths: Vec<(u32, u64)>| Measured {
            env: "e".into(),
            version: 1,
            options: Value::Null,
            throughput: Vec::new(),
            bot: "random".into(),
            games: 0,
            truncated: 0,
            lengths,
            seats: Vec::new(),
        };
        assert_eq!(with(vec![(10, 3), (12, 1)]).bins(), (10.0, 1.0, vec![3, 0, 1]));
        let (start, width, counts) = with(vec![(100, 5), (350, 2), (499, 7)]).bins();
        assert_eq!((start, width, counts.len(), counts.iter().sum::<u64>()), (100.0, 10.0, 40, 14));
        assert_eq!((counts[0], counts[25], counts[39]), (5, 2, 7));
        assert_eq!(with(Vec::new()).bins().2, [0]);
    }
}
