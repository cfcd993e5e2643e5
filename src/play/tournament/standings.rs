//! The result of a tournament: the players in order, the pairs that met, the opponents of a gauntlet.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Meetings;
use super::alpha_rank::alpha_rank;
use super::config::{Pairings, TournamentConfig};
use super::counting::{Counted, elo_of_share};
use super::elo;
use super::nash::nash_average;
use super::plackett_luce;
use super::schedule::{ScheduledGame, one_opponent_each};
use super::sprt::{EloModel, Monitor, SprtResult};
use crate::engine::escape::{escape_hidden, shorten};
use crate::engine::{Options, Spec};
use crate::language_model::Usage;
use crate::player::Fault;
use crate::results::{Share, TOLD_FAULTS, thousands};

/// [`TournamentResult::compared_by`] in games that players do not win by rank.
const SCORE: &str = "score";
/// Most players for which α-rank and Nash averaging are part of the result.
const MOST_RANKED: usize = 64;

/// One player's row of the standings.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Standing {
    /// The player.
    pub bot: String,
    /// Elo rating; the mean of all players is 0.
    pub elo: f64,
    /// Half-width of the 95 % confidence interval of `elo`, computed from distinct games; infinite (`null` in JSON) for
    /// a player that met no other.
    pub margin: f64,
    /// Mean of the skill in the Plackett-Luce model of openskill; `None` in games of two.
    pub mu: Option<f64>,
    /// Standard deviation of this skill.
    pub sigma: Option<f64>,
    /// Number of games.
    pub games: u64,
    /// Number of repeated games among these, that is, with the same players in the same seats, the same opening, the
    /// same decisions and, if chance was drawn, the same random stream as an earlier game. They count for shares and
    /// ratings but do not narrow margins.
    pub repeated: u64,
    /// Number of seats taken: one per game, unless there are fewer players than seats.
    pub seats: u64,
    /// Wins; a shared first place counts as a fraction.
    pub wins: f64,
    /// Share of wins among `seats`.
    pub win_share: f64,
    /// Half the width of the 95 % confidence interval of `win_share` (Wilson), computed from distinct games.
    pub win_margin: f64,
    /// The lower end of this interval.
    pub win_low: f64,
    /// The upper end of this interval.
    pub win_high: f64,
    /// Points against other players: 1 for every seat of theirs with a worse final rank, 1/2 for an equal one.
    pub points: f64,
    /// Number of comparisons that `points` is out of.
    pub comparisons: u64,
    /// Share of points among `comparisons`.
    pub point_share: f64,
    /// Half the width of the 95 % confidence interval of `point_share` (Wilson), computed from distinct games.
    pub point_margin: f64,
    /// The lower end of this interval.
    pub point_low: f64,
    /// The upper end of this interval.
    pub point_high: f64,
    /// Mean score at the end.
    pub mean_score: f64,
    /// Half the width of the 95 % confidence interval of `mean_score`, computed from distinct games; infinite (`null` in
    /// JSON) for fewer than two.
    pub score_margin: f64,
    /// Mean outcome in [-1, 1].
    pub mean_return: f64,
    /// Number of lost moves; see [`Fault`].
    pub faults: u64,
    /// Requests and tokens of a language model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

/// The results of two players against each other.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Pairing {
    /// The players.
    pub bots: [String; 2],
    /// Number of games with both.
    pub games: u64,
    /// Number of repeated games among these.
    pub repeated: u64,
    /// Points of the first player against the second.
    pub points: f64,
    /// Comparisons of a seat of one player with a seat of the other.
    pub comparisons: u64,
    /// Share of points among `comparisons`.
    pub point_share: f64,
    /// The lower end of the 95 % confidence interval of `point_share` (Wilson), computed from distinct games.
    pub point_low: f64,
    /// The upper end of this interval.
    pub point_high: f64,
    /// Number of comparisons that the first player won.
    pub wins: u64,
    /// Number of equal comparisons.
    pub draws: u64,
    /// Number of comparisons that it lost.
    pub losses: u64,
    /// In games of two: pairs of games with swapped seats by points of the first player: 0, 1/2, 1, 3/2 and 2.
    pub pentanomial: Option<[u64; 5]>,
    /// Normalized Elo of the first player against the second, from distinct runs; `None` if all have one score.
    pub normalized_elo: Option<f64>,
    /// Half-width of its 95 % confidence interval.
    pub normalized_margin: Option<f64>,
    /// Likelihood of superiority of the first player, from distinct runs; `None` for fewer than two.
    pub superiority: Option<f64>,
}

/// The results of the first player of a gauntlet against one table of opponents.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OpponentRow {
    /// The opponents, in turn order after the player.
    pub opponents: Vec<String>,
    /// Number of games.
    pub games: u64,
    /// Number of repeated games among these.
    pub repeated: u64,
    /// Wins; a shared first place counts as a fraction.
    pub wins: f64,
    /// Share of wins among `games`.
    pub win_share: f64,
    /// The lower end of the 95 % confidence interval of `win_share` (Wilson), computed from distinct games.
    pub win_low: f64,
    /// The upper end of this interval.
    pub win_high: f64,
    /// Points: 1 for every opponent with a worse final rank, 1/2 for an equal one.
    pub points: f64,
    /// Number of comparisons that `points` is out of.
    pub comparisons: u64,
    /// Share of points among `comparisons`.
    pub point_share: f64,
    /// The lower end of the 95 % confidence interval of `point_share` (Wilson), computed from distinct games.
    pub point_low: f64,
    /// The upper end of this interval.
    pub point_high: f64,
    /// Elo difference of this share; `None` if it is infinite.
    pub elo: Option<f64>,
    /// Elo difference of `point_low`; `None` if it is infinite.
    pub elo_low: Option<f64>,
    /// Elo difference of `point_high`; `None` if it is infinite.
    pub elo_high: Option<f64>,
    /// Mean score at the end.
    pub mean_score: f64,
    /// Half the width of the 95 % confidence interval of `mean_score`, computed from distinct games; infinite (`null` in
    /// JSON) for fewer than two.
    pub score_margin: f64,
    /// Mean outcome in [-1, 1].
    pub mean_return: f64,
    /// Number of the player's lost moves; see [`Fault`].
    pub faults: u64,
}

/// Rankings from the payoffs between players, in the order of the standings.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Rankings {
    /// Weights of the Nash equilibrium of maximum entropy.
    pub nash: Vec<f64>,
    /// Payoff of each player against that equilibrium, minus 1/2.
    pub nash_ratings: Vec<f64>,
    /// Stationary distribution of α-rank with α = 100 in a population of 50.
    pub alpha_rank: Vec<f64>,
}

/// The result of a tournament.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TournamentResult {
    /// Environment id.
    pub env: &'static str,
    /// Version of the environment.
    pub version: u32,
    /// Options by name.
    pub options: Options,
    /// What players are compared by: `"points"`, or `"score"` in games that players do not win by rank.
    pub compared_by: &'static str,
    /// Seed of seats, openings and games.
    pub seed: u64,
    /// Whether it was interrupted before its end; all fields then describe the finished games.
    pub partial: bool,
    /// Number of games played.
    pub games: u64,
    /// Number of these games that a limit ended without a result; they count as draws.
    pub truncated: u64,
    /// Number of repeated games among these.
    pub repeated: u64,
    /// The unit of intervals and margins: `"pair"` with openings (all games of a table from one opening), `"game"`
    /// without.
    pub unit: &'static str,
    /// Mean number of decisions of a game.
    pub mean_game_length: f64,
    /// Share of points of a player as strong as the others.
    pub equal_point_share: f64,
    /// Share of points of a player that is last in every game.
    pub last_point_share: f64,
    /// Share of wins of a player as strong as the others.
    pub equal_win_share: f64,
    /// The players, best first.
    pub standings: Vec<Standing>,
    /// All pairs that met.
    pub pairings: Vec<Pairing>,
    /// The tables of a gauntlet: one row for each. Empty otherwise.
    pub opponents: Vec<OpponentRow>,
    /// Share of points of row against column, in the order of the standings; `None` for pairs that did not meet.
    pub payoffs: Vec<Vec<Option<f64>>>,
    /// Nash averaging and α-rank; `None` unless all pairs met, with at most 64 players.
    pub rankings: Option<Rankings>,
    /// The sequential test, if there is one.
    pub sprt: Option<SprtResult>,
    /// Remarks on the table, one sentence each: the points of games with three and more seats, repeated games, the
    /// sequential test.
    pub remarks: Vec<String>,
    /// The first lost moves.
    pub faults: Vec<Fault>,
    /// The texts of the games in schedule order, if the configuration has a format for them.
    #[serde(skip)]
    pub games_as_text: Vec<String>,
}

impl TournamentResult {
    /// The players, best first, as rows of a table with a heading row; for a gauntlet, the tables of opponents.
    #[must_use]
    pub fn to_rows(&self) -> Vec<Vec<String>> {
        match (self.compared_by == SCORE, self.opponents.is_empty()) {
            (true, _) => self.scores_as_rows(),
            (false, true) => self.standings_as_rows(),
            (false, false) => self.opponents_as_rows(),
        }
    }

    /// The standings as CSV, or the tables of opponents of a gauntlet: a heading with the keys of the JSON, then a row
    /// per player. Empty cells are values that do not exist.
    #[must_use]
    pub fn to_csv(&self) -> String {
        let rows: Vec<Value> = match self.opponents.is_empty() {
            true => self.standings.iter().map(|row| json!(row)).collect(),
            false => self.opponents.iter().map(|row| json!(row)).collect(),
        };
        let cell = |value: &Value| match value {
            Value::Null => String::new(),
            Value::String(text) => quoted(text),
            Value::Array(names) => {
                quoted(&names.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", "))
            }
            other => other.to_string(),
        };
        let mut text = String::new();
        for (number, row) in rows.iter().enumerate() {
            // Requests and tokens are an object of their own, which is in the JSON alone.
            let fields = || row.as_object().into_iter().flatten().filter(|(_, value)| !value.is_object());
            if number == 0 {
                text += &(fields().map(|(key, _)| key.clone()).collect::<Vec<_>>().join(",") + "\r\n");
            }
            text += &(fields().map(|(_, value)| cell(value)).collect::<Vec<_>>().join(",") + "\r\n");
        }
        text
    }

    /// The rows of a table that compares scores.
    fn scores_as_rows(&self) -> Vec<Vec<String>> {
        let row = |name: String, games: u64, repeated: u64, score: f64, margin: f64, faults: u64| {
            let margin = if margin.is_finite() { format!("{margin:.2}") } else { "?".into() };
            vec![
                name,
                format!("{score:.2}"),
                margin,
                thousands(games),
                thousands(repeated),
                thousands(faults),
            ]
        };
        let of_bot =
            |s: &Standing| row(s.bot.clone(), s.games, s.repeated, s.mean_score, s.score_margin, s.faults);
        let of_table = |o: &OpponentRow| {
            row(o.opponents.join(", "), o.games, o.repeated, o.mean_score, o.score_margin, o.faults)
        };
        let is_gauntlet = !self.opponents.is_empty();
        let first = if is_gauntlet { "others" } else { "bot" };
        let head = [first, "mean score", "+/-", "games", "repeated", "faults"].map(String::from).to_vec();
        let rows: Vec<_> = match is_gauntlet {
            true => self.opponents.iter().map(of_table).collect(),
            false => self.standings.iter().map(of_bot).collect(),
        };
        [head].into_iter().chain(rows).collect()
    }

    fn standings_as_rows(&self) -> Vec<Vec<String>> {
        let rated = self.standings.iter().any(|s| s.mu.is_some());
        let mut head = vec!["bot", "Elo", "+/-"];
        head.extend(rated.then_some(["skill", "sigma"]).into_iter().flatten());
        head.extend(["games", "repeated", "wins", "points", "mean score", "mean outcome", "faults"]);
        let counts_tokens = self.standings.iter().any(|s| s.usage.is_some());
        head.extend(counts_tokens.then_some(["requests", "tokens in", "tokens out"]).into_iter().flatten());
        let row = |s: &Standing| {
            let mut row = vec![
                s.bot.clone(),
                format!("{:+.0}", s.elo),
                if s.margin.is_finite() { format!("{:.0}", s.margin) } else { "?".into() },
            ];
            if rated {
                row.extend([s.mu, s.sigma].map(|number| format!("{:.2}", number.unwrap_or_default())));
            }
            row.extend([
                thousands(s.games),
                thousands(s.repeated),
                Share { value: s.win_share, low: s.win_low, high: s.win_high }.percent(),
                Share { value: s.point_share, low: s.point_low, high: s.point_high }.percent(),
                format!("{:.2}", s.mean_score),
                format!("{:+.3}", s.mean_return),
                thousands(s.faults),
            ]);
            if counts_tokens {
                let counts =
                    s.usage.map(|u| [u.requests, u.prompt_tokens, u.completion_tokens].map(thousands));
                row.extend(counts.unwrap_or_default());
            }
            row
        };
        let head: Vec<String> = head.into_iter().map(String::from).collect();
        [head].into_iter().chain(self.standings.iter().map(row)).collect()
    }

    fn opponents_as_rows(&self) -> Vec<Vec<String>> {
        let head = [
            "opponents",
            "games",
            "repeated",
            "wins",
            "points",
            "Elo difference",
            "mean score",
            "mean outcome",
            "faults",
        ];
        let elo = |elo: Option<f64>| elo.map_or("?".into(), |elo| format!("{elo:+.0}"));
        let row = |o: &OpponentRow| {
            vec![
                o.opponents.join(", "),
                thousands(o.games),
                thousands(o.repeated),
                Share { value: o.win_share, low: o.win_low, high: o.win_high }.percent(),
                Share { value: o.point_share, low: o.point_low, high: o.point_high }.percent(),
                format!("{} ({} to {})", elo(o.elo), elo(o.elo_low), elo(o.elo_high)),
                format!("{:.2}", o.mean_score),
                format!("{:+.3}", o.mean_return),
                thousands(o.faults),
            ]
        };
        [head.map(String::from).to_vec()].into_iter().chain(self.opponents.iter().map(row)).collect()
    }

    /// The sentences of `remarks`.
    fn remarked(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        if self.compared_by == SCORE {
            remarks.push("players do not win by rank in this game: mean scores are compared".into());
        } else if self.equal_win_share < 0.5 {
            let [equal, last, wins] = [self.equal_point_share, self.last_point_share, self.equal_win_share]
                .map(|share| format!("{:.1} %", 100.0 * share));
            remarks.push(format!(
                "points are duels by final rank with every other seat: an equal player has {equal} (and {wins} of the \
                 wins), one that is always last {last}"
            ));
        }
        if self.repeated > 0 {
            remarks.push(format!(
                "{} of {} games repeat an earlier game and do not narrow the intervals{}",
                thousands(self.repeated),
                thousands(self.games),
                if self.unit == "game" { "; openings vary deterministic players" } else { "" }
            ));
        }
        // The table of a gauntlet has no row per player.
        for (s, usage) in self.standings.iter().filter_map(|s| Some((s, s.usage?))) {
            if !self.opponents.is_empty() {
                remarks.push(format!(
                    "{}: {} requests, {} tokens in, {} tokens out",
                    s.bot,
                    thousands(usage.requests),
                    thousands(usage.prompt_tokens),
                    thousands(usage.completion_tokens)
                ));
            }
        }
        if let [pair] = &self.pairings[..]
            && self.compared_by != SCORE
        {
            remarks.push(pair.remarked());
        }
        if let Some(sprt) = &self.sprt {
            let verdict = match sprt.accepted {
                Some(hypothesis) => format!("{hypothesis:?} accepted"),
                None => "undecided".into(),
            };
            remarks.push(format!(
                "SPRT of {:+} against {:+} {}: {verdict} after {} runs, LLR {:.2} ({:.2} to {:.2})",
                sprt.sprt.elo0,
                sprt.sprt.elo1,
                match sprt.sprt.model {
                    EloModel::Normalized => "normalized Elo",
                    EloModel::Logistic => "Elo",
                },
                thousands(sprt.runs),
                sprt.llr,
                sprt.lower,
                sprt.upper
            ));
        }
        remarks
    }
}

/// Most characters of a player's name in a line of statistics.
const LONGEST_NAME: usize = 60;

impl Pairing {
    /// The statistics of engine testing in one line.
    fn remarked(&self) -> String {
        let [one, other] = self.bots.each_ref().map(|bot| shorten(&escape_hidden(bot), LONGEST_NAME));
        let mut line = format!(
            "{one} against {other}: {} wins, {} draws, {} losses",
            thousands(self.wins),
            thousands(self.draws),
            thousands(self.losses)
        );
        if let Some(counts) = self.pentanomial {
            line += &format!("; pairs by points 0 to 2: {}", counts.map(thousands).join(", "));
        }
        if let (Some(elo), Some(margin)) = (self.normalized_elo, self.normalized_margin) {
            line += &format!("; normalized Elo {elo:+.1} +/- {margin:.1}");
        }
        if let Some(superiority) = self.superiority {
            line += &format!("; superiority {:.1} %", 100.0 * superiority);
        }
        line
    }
}

/// Finished games of a tournament.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Played {
    /// The finished games.
    pub games: Vec<GameResult>,
    /// The lost moves.
    pub faults: Vec<Fault>,
    /// Requests and tokens by player, also of unfinished games.
    #[serde(default)]
    pub usage: Vec<Option<Usage>>,
}

impl Played {
    /// Adds the games of another part.
    pub fn add(&mut self, part: Self) {
        self.games.extend(part.games);
        self.faults.extend(part.faults);
        add_usage(&mut self.usage, &part.usage);
    }

    /// Whether all games fit an environment and this number of players.
    #[must_use]
    pub fn fits(&self, spec: &Spec, players: usize) -> bool {
        self.games.iter().all(|game| {
            let widths = [game.seats.len(), game.returns.len(), game.scores.len()];
            widths == [spec.players; 3] && game.seats.iter().all(|&player| player < players)
        })
    }
}

/// Adds requests and tokens, player by player.
pub(super) fn add_usage(all: &mut Vec<Option<Usage>>, more: &[Option<Usage>]) {
    all.resize(all.len().max(more.len()), None);
    for (all, more) in all.iter_mut().zip(more) {
        if let Some(more) = *more {
            *all.get_or_insert_default() += more;
        }
    }
}

/// A finished game.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GameResult {
    /// Its number in the schedule.
    pub(super) game: u64,
    /// Its run in the schedule.
    pub(super) run: u64,
    /// The number of its opening.
    pub(super) round: u64,
    /// The player in every seat.
    pub(super) seats: Vec<usize>,
    /// The outcome of every seat in [-1, 1]; all 0 if the game was truncated.
    pub(super) returns: Vec<f32>,
    pub(super) scores: Vec<f32>,
    /// Number of decisions.
    pub(super) length: u64,
    /// Hash of the opening, all decisions and, if chance was drawn, the random stream.
    pub(super) decisions: u64,
    pub(super) truncated: bool,
    /// The game in the format of the configuration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<String>,
}

impl GameResult {
    /// A result of a scheduled game.
    pub(super) fn of(game: &ScheduledGame, returns: Vec<f32>) -> Self {
        Self {
            game: game.number,
            run: game.run,
            round: game.round,
            seats: game.seats.clone(),
            scores: vec![0.0; returns.len()],
            returns,
            length: 0,
            decisions: 0,
            truncated: false,
            text: None,
        }
    }
}

/// Combines results, in any order; `partial` marks an incomplete tournament.
///
/// # Panics
/// If games name players that are not in `names`.
pub fn sum_up(
    spec: &Spec,
    meetings: Meetings<'_>,
    config: &TournamentConfig,
    names: &[impl AsRef<str>],
    played: Played,
    partial: bool,
) -> TournamentResult {
    let Played { games: mut results, mut faults, usage } = played;
    // A fixed order: sums of floats and the choice of reported faults depend on it.
    results.sort_by_key(|result| result.game);
    faults.sort_by_key(|fault| fault.game);
    let n = names.len();
    let name = |player: usize| names[player].as_ref().to_string();
    let games = Counted::new(&results, config.openings.is_some());
    // Ratings use all games, margins only distinct ones: a repeated game carries no further information.
    let ratings = elo::rate(n, &games.duels(false));
    let margins = elo::rate(n, &games.duels(true));
    let skills = (spec.players > 2).then(|| plackett_luce::rate(n, games.distinct()));
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| ratings[b].elo.total_cmp(&ratings[a].elo));
    if !spec.payoff.is_ranks() {
        let scores: Vec<f64> =
            (0..n).map(|player| games.tally(player, |_| true, |_| true).mean_score).collect();
        order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
    }
    let standing = |&player: &usize| {
        let found = games.tally(player, |_| true, |_| true);
        let (wins, points) = (found.wins.share(), found.points.share());
        Standing {
            bot: name(player),
            elo: ratings[player].elo,
            margin: margins[player].margin,
            mu: skills.as_ref().map(|skills| skills[player].mu),
            sigma: skills.as_ref().map(|skills| skills[player].sigma),
            games: found.games,
            repeated: found.repeated,
            seats: found.wins.out_of() as u64,
            wins: found.wins.sum(),
            win_share: wins.value,
            win_margin: wins.margin(),
            win_low: wins.low,
            win_high: wins.high,
            points: found.points.sum(),
            comparisons: found.points.out_of() as u64,
            point_share: points.value,
            point_margin: points.margin(),
            point_low: points.low,
            point_high: points.high,
            mean_score: found.mean_score,
            score_margin: found.score_margin,
            mean_return: found.mean_return,
            faults: faults.iter().filter(|f| f.bot == names[player].as_ref()).count() as u64,
            usage: usage.get(player).copied().flatten(),
        }
    };
    let standings: Vec<Standing> = order.iter().map(standing).collect();
    let mut pairings = Vec::new();
    let mut payoffs = vec![vec![None; n]; n];
    for (a, b) in (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b))) {
        let both = |game: &GameResult| game.seats.contains(&a) && game.seats.contains(&b);
        let found = games.tally(a, both, |other| other == b);
        if found.games == 0 {
            continue;
        }
        let points = found.points.share();
        let duels = games.duels_of(a, b, spec.players);
        let [wins, draws, losses] = duels.results;
        let normalized = duels.distinct_runs.normalized_elo();
        (payoffs[a][b], payoffs[b][a]) = (Some(points.value), Some(1.0 - points.value));
        pairings.push(Pairing {
            bots: [name(a), name(b)],
            games: found.games,
            repeated: found.repeated,
            points: found.points.sum(),
            comparisons: found.points.out_of() as u64,
            point_share: points.value,
            point_low: points.low,
            point_high: points.high,
            wins,
            draws,
            losses,
            pentanomial: duels.runs.as_pentanomial(),
            normalized_elo: normalized.map(|(elo, _)| elo),
            normalized_margin: normalized.map(|(_, margin)| margin),
            superiority: duels.distinct_runs.superiority(),
        });
    }
    let payoffs: Vec<Vec<Option<f64>>> =
        order.iter().map(|&a| order.iter().map(|&b| payoffs[a][b]).collect()).collect();
    let row = |table: &Vec<usize>| {
        let found = games.tally(0, |game| is_at(game, table), |_| true);
        let (wins, points) = (found.wins.share(), found.points.share());
        OpponentRow {
            opponents: table.iter().map(|&player| name(player)).collect(),
            games: found.games,
            repeated: found.repeated,
            wins: found.wins.sum(),
            win_share: wins.value,
            win_low: wins.low,
            win_high: wins.high,
            points: found.points.sum(),
            comparisons: found.points.out_of() as u64,
            point_share: points.value,
            point_low: points.low,
            point_high: points.high,
            elo: elo_of_share(points.value),
            elo_low: elo_of_share(points.low),
            elo_high: elo_of_share(points.high),
            mean_score: found.mean_score,
            score_margin: found.score_margin,
            mean_return: found.mean_return,
            faults: {
                let games: HashSet<u64> =
                    results.iter().filter(|game| is_at(game, table)).map(|game| game.game).collect();
                let lost = |fault: &&Fault| fault.bot == names[0].as_ref() && games.contains(&fault.game);
                faults.iter().filter(lost).count() as u64
            },
        }
    };
    let opponents = tables(meetings, n, spec.players).iter().map(row).collect();
    let sprt = config.sprt.map(|sprt| {
        let mut monitor = Monitor::new(sprt, spec.players);
        monitor.add(&results);
        monitor.result()
    });
    faults.truncate(TOLD_FAULTS);
    let truncated = results.iter().filter(|r| r.truncated).count() as u64;
    let decisions: u64 = results.iter().map(|r| r.length).sum();
    let mut result = TournamentResult {
        env: spec.env,
        version: spec.version,
        options: spec.options.clone(),
        compared_by: if spec.payoff.is_ranks() { "points" } else { SCORE },
        seed: config.seed,
        partial,
        games: results.len() as u64,
        truncated,
        repeated: games.repeated(),
        unit: if config.openings.is_some() { "pair" } else { "game" },
        mean_game_length: decisions as f64 / results.len().max(1) as f64,
        equal_point_share: (0..spec.players)
            .map(|place| elo::share_of_place(place, spec.players))
            .sum::<f64>()
            / spec.players as f64,
        last_point_share: elo::share_of_place(spec.players - 1, spec.players),
        equal_win_share: 1.0 / spec.players as f64,
        standings,
        pairings,
        opponents,
        rankings: rankings(&payoffs),
        payoffs,
        sprt,
        remarks: Vec::new(),
        faults,
        games_as_text: results.iter().filter_map(|result| result.text.clone()).collect(),
    };
    result.remarks = result.remarked();
    result
}

/// A cell of CSV (RFC 4180).
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.into()
    }
}

/// The distinct tables of a gauntlet; none for other meetings.
fn tables(meetings: Meetings<'_>, players: usize, seats: usize) -> Vec<Vec<usize>> {
    let all = match meetings {
        Meetings::Tables(tables) => tables.to_vec(),
        Meetings::Pairings(Pairings::Gauntlet) => one_opponent_each(players, seats),
        Meetings::Pairings(_) => Vec::new(),
    };
    let mut distinct: Vec<Vec<usize>> = Vec::new();
    for table in all {
        if !distinct.contains(&table) {
            distinct.push(table);
        }
    }
    distinct
}

/// Whether a game was played by player 0 against a table, in turn order after it.
fn is_at(game: &GameResult, table: &[usize]) -> bool {
    let seats = game.seats.len();
    let Some(first) = game.seats.iter().position(|&player| player == 0) else { return false };
    table.iter().enumerate().all(|(k, &player)| game.seats[(first + 1 + k) % seats] == player)
}

/// Nash averaging and α-rank, if all pairs met.
fn rankings(payoffs: &[Vec<Option<f64>>]) -> Option<Rankings> {
    if payoffs.len() > MOST_RANKED {
        return None;
    }
    let entry = |a: usize, b: usize| if a == b { Some(0.5) } else { payoffs[a][b] };
    let n = payoffs.len();
    let whole: Vec<Vec<f64>> =
        (0..n).map(|a| (0..n).map(|b| entry(a, b)).collect()).collect::<Option<_>>()?;
    let nash = nash_average(&whole).ok()?;
    let alpha_rank = alpha_rank(&whole, 100.0, 50).ok()?;
    Some(Rankings { nash: nash.weights, nash_ratings: nash.ratings, alpha_rank })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::GAMES;

    /// A game of player 0 against player 1, in alternating seats; `decisions` is its hash, and `won` is for player 0.
    fn game(seats: usize, number: u64, decisions: u64, won: bool) -> GameResult {
        let first = number as usize % seats;
        let player = |seat| usize::from(seat != first);
        let outcome = |seat| if (player(seat) == 0) == won { 1.0 } else { -1.0 };
        GameResult {
            game: number,
            run: number / seats as u64,
            round: 0,
            seats: (0..seats).map(player).collect(),
            returns: (0..seats).map(outcome).collect(),
            scores: vec![0.0; seats],
            length: 10,
            decisions,
            truncated: false,
            text: None,
        }
    }

    fn table(games: Vec<GameResult>) -> TournamentResult {
        let spec = GAMES[0].make([]).unwrap().spec().clone();
        let config = TournamentConfig::default();
        let played = Played { games, ..Played::default() };
        sum_up(&spec, Meetings::Pairings(Pairings::RoundRobin), &config, &["a", "b"], played, false)
    }

    fn seats() -> usize {
        GAMES[0].make([]).unwrap().spec().players
    }

    #[test]
    fn twenty_wins_of_twenty_have_margins() {
        let found = table((0..20).map(|i| game(seats(), i, i, true)).collect());
        let [best, _] = &found.standings[..] else { unreachable!() };
        assert_eq!((best.bot.as_str(), best.win_share, found.repeated), ("a", 1.0, 0));
        assert!((best.win_low - 20.0 / (20.0 + 1.96 * 1.96)).abs() < 1e-9 && best.win_high > 1.0 - 1e-9);
        for standing in &found.standings {
            assert!(standing.margin > 20.0 && standing.win_margin > 0.05 && standing.point_margin > 0.05);
            assert!(standing.win_low <= standing.win_share && standing.win_share <= standing.win_high);
            assert!(
                standing.point_low <= standing.point_share && standing.point_share <= standing.point_high
            );
        }
    }

    #[test]
    fn repeated_games_are_counted_and_do_not_narrow_margins() {
        let seats = seats();
        // One game per seat, repeated: the results of the seats differ.
        let repeated = |games: u64| {
            table((0..games).map(|i| game(seats, i, i % seats as u64, i % seats as u64 == 0)).collect())
        };
        let (few, many) = (repeated(seats as u64), repeated(20 * seats as u64));
        assert_eq!((few.repeated, many.repeated), (0, 19 * seats as u64));
        for (few, many) in few.standings.iter().zip(&many.standings) {
            assert_eq!((many.games - many.repeated, many.repeated), (few.games, 19 * few.games));
            assert!(many.margin >= few.margin - 1e-9 && many.win_margin >= few.win_margin - 1e-9);
            assert!((many.win_share - few.win_share).abs() < 1e-12);
        }
        // The same decisions by other players count as a distinct game.
        let swapped = table((0..4).map(|i| game(seats, i % 2, 7, true)).collect());
        assert_eq!(swapped.repeated, 2);
    }
}
