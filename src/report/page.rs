//! The plots of a report, and the page that shows them.

use super::data::{Measured, Report, SeatResult};
use super::plot::{Bar, Curve, Labels, bars, curves, histogram};
use crate::engine::Theme;

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
    use serde_json::Value;

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
