//! The plots of a report, and their page.

use super::data::{Measured, Report, SeatResult, Throughput};
use ludovec::engine::Theme;
use ludovec::engine::drawing::escape;
use ludovec::play::results::{Share, counted};
use ludovec_cli::plot::{Bar, Curve, Labels, bars, curves, histogram};

impl Measured {
    /// The plots with their file names.
    #[must_use]
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
                let labels =
                    Labels { title: &title, x: "share of wins, 95 % interval; dashed: equal", y: "seat" };
                let equal = 1.0 / self.seats.len().max(1) as f64;
                let bar = |(seat, s): (usize, &SeatResult)| Bar {
                    name: (seat + 1).to_string(),
                    value: s.win_share,
                    interval: Some(s.interval),
                };
                bars(labels, &self.seats.iter().enumerate().map(bar).collect::<Vec<_>>(), Some(equal), theme)
            }),
        ]
    }

    fn plot_throughput(&self, theme: Theme) -> String {
        let mut threads: Vec<usize> = self.throughput.iter().map(|t| t.threads).collect();
        threads.sort_unstable();
        threads.dedup();
        let curve = |&threads: &usize| Curve {
            name: counted(threads, "thread"),
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

/// A self-contained page with all figures and plots.
#[must_use]
pub fn index(report: &Report, theme: Theme) -> String {
    let facts = [
        ("measured", &report.date),
        ("processor", &report.processor),
        ("hardware threads", &report.hardware_threads.to_string()),
        ("Ludovec", &report.version),
        ("command", &report.command),
    ];
    let facts: String = facts
        .iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| format!("<tr><th>{name}</th><td>{}</td></tr>\n", escape(value)))
        .collect();
    let partial = if report.partial { "<p><b>Interrupted before its end.</b></p>\n" } else { "" };
    let [ground, ink, line] =
        theme.pick(["#ffffff", "#1d1f23", "#d5d2cb"], ["#18191c", "#e6e6e6", "#3d4046"]);
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>Ludovec report</title>\n\
         <style>body {{ font: 15px/1.45 system-ui, sans-serif; margin: 24px auto; max-width: 1340px; \
         padding: 0 16px; color: {ink}; background: {ground}; }} \
         table {{ border-collapse: collapse; margin: 12px 0; }} \
         th, td {{ text-align: left; padding: 3px 14px 3px 0; border-bottom: 1px solid {line}; \
         font-variant-numeric: tabular-nums; }} \
         .plots {{ display: flex; flex-wrap: wrap; gap: 12px; align-items: flex-start; }} \
         figure {{ margin: 0; flex: 1 1 380px; max-width: 640px; }} \
         svg {{ width: 100%; height: auto; }}</style></head>\n<body>\n\
         <h1>Ludovec report</h1>\n{partial}<table>\n{facts}</table>\n"
    );
    for measured in &report.environments {
        page += &section(measured, theme);
    }
    page + "</body></html>\n"
}

/// An environment: options, figures, plots.
fn section(measured: &Measured, theme: Theme) -> String {
    let options = measured.options.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null());
    let options: Vec<String> = options.map(|(key, value)| format!("{key}={value}")).collect();
    let seats: String = measured
        .seats
        .iter()
        .enumerate()
        .map(|(seat, s)| {
            let [low, high] = s.interval;
            let share = Share { value: s.win_share, low, high }.percent();
            format!("<tr><td>{}</td><td>{share}</td><td>{:.2}</td></tr>\n", seat + 1, s.mean_score)
        })
        .collect();
    let speeds: String = measured
        .throughput
        .iter()
        .map(|t| {
            let Throughput { num_envs, threads, steps_per_second } = t;
            format!("<tr><td>{num_envs}</td><td>{threads}</td><td>{steps_per_second:.0}</td></tr>\n")
        })
        .collect();
    let plots: String = measured
        .plots(theme)
        .iter()
        .map(|(file, svg)| {
            let title = escape(&in_words(file));
            let svg = svg.find("<svg").map_or("", |start| &svg[start..]);
            format!("<figure role=\"img\" aria-label=\"{title}\">{svg}</figure>\n")
        })
        .collect();
    let Measured { env, version, games, truncated, bot, .. } = measured;
    format!(
        "<h2>{}</h2>\n<p>version {version}; <code>{}</code></p>\n<div class=\"plots\">\n{plots}</div>\n\
         <p>{games} games by <code>{}</code>, {truncated} of them without a result</p>\n\
         <table><tr><th>seat</th><th>share of wins</th><th>mean score</th></tr>\n{seats}</table>\n\
         <table><tr><th>games side by side</th><th>threads</th><th>decisions/s</th></tr>\n{speeds}</table>\n",
        escape(env),
        escape(&options.join(" ")),
        escape(bot)
    )
}

/// A description of a plot, from the name of its file.
fn in_words(file: &str) -> String {
    file.trim_end_matches(".svg").replacen('-', ": ", 1).replace('-', " ")
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn every_length_is_counted_in_exactly_one_bin() {
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
