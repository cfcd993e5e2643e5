//! Statistics against numbers of other programs, and by simulation with known truth.

use super::config::{Pairings, TournamentConfig};
use super::openings::Openings;
use super::plackett_luce;
use super::schedule::{ScheduledGame, seatings};
use super::sprt::Monitor;
use super::standings::{GameResult, Played};
use super::*;
use crate::engine::chance::{Chance, SeededChance};
use crate::engine::{OptionValue, Payoff, Spec};
use crate::games::GAMES;
use crate::results::Shares;

fn close(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    let near = found.iter().zip(expected).all(|(a, b)| (a - b).abs() <= tolerance);
    assert!(near, "{found:?} is not {expected:?}");
}

fn rock_paper_scissors() -> Vec<Vec<f64>> {
    vec![vec![0.5, 0.0, 1.0], vec![1.0, 0.5, 0.0], vec![0.0, 1.0, 0.5]]
}

/// Payoffs drawn once, with the numbers of OpenSpiel 1.6 for them.
fn six_players() -> Vec<Vec<f64>> {
    vec![
        vec![0.5, 0.683, 0.685, 0.509, 0.371, 0.232],
        vec![0.317, 0.5, 0.43, 0.445, 0.227, 0.229],
        vec![0.315, 0.57, 0.5, 0.8, 0.591, 0.341],
        vec![0.491, 0.555, 0.2, 0.5, 0.461, 0.785],
        vec![0.629, 0.773, 0.409, 0.539, 0.5, 0.739],
        vec![0.768, 0.771, 0.659, 0.215, 0.261, 0.5],
    ]
}

/// Four players: a cycle of three, and one that loses to all of them.
fn cycle_and_loser() -> Vec<Vec<f64>> {
    vec![
        vec![0.5, 0.2, 0.9, 0.6],
        vec![0.8, 0.5, 0.35, 0.7],
        vec![0.1, 0.65, 0.5, 0.8],
        vec![0.4, 0.3, 0.2, 0.5],
    ]
}

#[test]
fn nash_averages_are_those_of_openspiel() {
    let third = [1.0 / 3.0; 3];
    let found = nash_average(&rock_paper_scissors()).unwrap();
    close(&found.weights, &third, 1e-9);
    close(&found.ratings, &[0.0; 3], 1e-9);
    let found = nash_average(&cycle_and_loser()).unwrap();
    // Closed form: weights 3, 8, 6 of 17.
    close(&found.weights, &[3.0 / 17.0, 8.0 / 17.0, 6.0 / 17.0, 0.0], 1e-6);
    close(&found.ratings, &[0.0, 0.0, 0.0, -0.217_647_06], 1e-6);
    let found = nash_average(&six_players()).unwrap();
    close(&found.weights, &[0.0, 0.0, 0.488_752_55, 0.0, 0.325_153_38, 0.186_094_06], 1e-6);
    close(&found.ratings, &[-0.001_398_77, -0.173_411_04, 0.0, -0.106_269_94, 0.0, 0.0], 1e-6);
}

#[test]
fn copies_of_a_player_share_its_nash_weight() {
    let mut copies = rock_paper_scissors();
    let last = copies[2].clone();
    copies.push(last);
    copies.iter_mut().for_each(|row| row.push(row[2]));
    close(&nash_average(&copies).unwrap().weights, &[1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0, 1.0 / 6.0], 1e-6);
    // Equal players have equal weights: entropy selects among all equilibria.
    close(&nash_average(&vec![vec![0.5; 4]; 4]).unwrap().weights, &[0.25; 4], 1e-12);
    close(&nash_average(&[vec![0.5]]).unwrap().weights, &[1.0], 1e-12);
    // A player that wins against all others has the whole weight.
    let best = vec![vec![0.5, 0.6, 1.0], vec![0.4, 0.5, 0.0], vec![0.0, 1.0, 0.5]];
    close(&nash_average(&best).unwrap().weights, &[1.0, 0.0, 0.0], 1e-6);
}

#[test]
fn nash_averages_of_random_tables_are_equilibria() {
    let mut chance = SeededChance::from_seed(11);
    for n in [2, 3, 5, 12, 40] {
        let mut payoffs = vec![vec![0.5; n]; n];
        for (a, b) in (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b))) {
            payoffs[a][b] = f64::from(chance.uniform(1001)) / 1000.0;
            payoffs[b][a] = 1.0 - payoffs[a][b];
        }
        let found = nash_average(&payoffs).unwrap();
        assert!((found.weights.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        assert!(found.ratings.iter().all(|rating| *rating < 1e-5), "{n}: {:?}", found.ratings);
        for (weight, rating) in found.weights.iter().zip(&found.ratings) {
            assert!(*weight < 1e-3 || rating.abs() < 1e-5, "{n}: {weight} {rating}");
        }
    }
}

#[test]
fn alpha_ranks_are_those_of_openspiel() {
    close(&alpha_rank(&rock_paper_scissors(), 100.0, 50).unwrap(), &[1.0 / 3.0; 3], 1e-9);
    let six = six_players();
    let expected = [0.139_814_821, 0.0, 0.225_793_646_8, 0.064_497_332_7, 0.387_089_965_6, 0.182_804_233_9];
    close(&alpha_rank(&six, 100.0, 50).unwrap(), &expected, 1e-6);
    let expected = [
        0.103_703_361_1,
        0.000_055_205_6,
        0.209_833_118_6,
        0.099_462_252_8,
        0.463_907_252_3,
        0.123_038_809_7,
    ];
    close(&alpha_rank(&six, 1.0, 50).unwrap(), &expected, 1e-8);
    let expected = [
        0.158_128_051_9,
        0.094_153_857_9,
        0.179_061_566_4,
        0.163_661_898_5,
        0.231_320_092_1,
        0.173_674_533_2,
    ];
    close(&alpha_rank(&six, 0.1, 20).unwrap(), &expected, 1e-8);
    let cycle = cycle_and_loser();
    close(&alpha_rank(&cycle, 100.0, 50).unwrap(), &[1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0, 0.0], 1e-8);
    let expected = [0.280_883_143_5, 0.488_970_171_2, 0.230_143_750_3, 0.000_002_935_1];
    close(&alpha_rank(&cycle, 1.0, 50).unwrap(), &expected, 1e-8);
    // Exponents of every size are in range.
    for alpha in [1e-9, 1e6, 1e300] {
        let found = alpha_rank(&six, alpha, 1000).unwrap();
        assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-6, "{alpha}: {found:?}");
    }
}

#[test]
fn wrong_payoffs_are_refused() {
    for (payoffs, word) in [
        (vec![], "at least one"),
        (vec![vec![0.5, 0.5]], "columns"),
        (vec![vec![0.5, f64::NAN], vec![0.5, 0.5]], "players 0 and 1"),
    ] {
        assert!(nash_average(&payoffs).unwrap_err().to_string().contains(word));
        assert!(alpha_rank(&payoffs, 100.0, 50).unwrap_err().to_string().contains(word));
    }
    assert!(alpha_rank(&rock_paper_scissors(), 0.0, 50).is_err());
    assert!(alpha_rank(&rock_paper_scissors(), 1.0, 1).is_err());
}

fn result(number: u64, seats: &[usize], returns: &[f32]) -> GameResult {
    let game = ScheduledGame { number, seats: seats.to_vec(), run: number, round: number };
    GameResult { decisions: number, ..GameResult::of(&game, returns.to_vec()) }
}

#[test]
fn plackett_luce_ratings_are_those_of_openskill() {
    // PyPI's openskill 6, PlackettLuce() with its defaults.
    let games = [
        result(0, &[0, 1, 2], &[1.0, -1.0, 0.0]),
        result(1, &[0, 1, 2], &[-1.0, 1.0, -1.0]),
        result(2, &[2, 3, 0, 1], &[1.0, 1.0, -1.0, -1.0]),
        result(3, &[3, 1, 2], &[0.5, 0.5, -1.0]),
        result(4, &[4, 0, 1, 2, 3], &[-1.0, -0.5, 0.0, 0.5, 1.0]),
        result(5, &[4, 3, 2], &[1.0, 0.0, 0.0]),
    ];
    let skills = plackett_luce::rate(5, games.iter());
    let mus: Vec<f64> = skills.iter().map(|skill| skill.mu).collect();
    let sigmas: Vec<f64> = skills.iter().map(|skill| skill.sigma).collect();
    let expected = [24.161309564033, 25.124291004705, 24.620787971877, 27.166773414697, 23.721625155587];
    close(&mus, &expected, 1e-9);
    let expected = [7.58070225582, 7.576172280748, 7.353521757372, 7.783261540528, 7.976435163901];
    close(&sigmas, &expected, 1e-9);
    // A player with several seats has the place of its best one.
    let twice = plackett_luce::rate(2, [result(0, &[0, 1, 0], &[-1.0, 0.0, 1.0])].iter());
    assert_eq!(twice, plackett_luce::rate(2, [result(0, &[0, 1], &[1.0, 0.0])].iter()));
}

#[test]
fn likelihood_ratios_are_those_of_fishtest() {
    // Recorded from Fishtest's LLRcalc.py: LLR_logistic and LLR_normalized.
    for (counts, elo0, elo1, logistic, normalized) in [
        ([10, 187, 588, 216, 12], 0.0, 5.0, 1.094_570_742_465_183, 0.754_787_005_754_729),
        ([0, 0, 3, 5, 12], 0.0, 20.0, 1.118_132_785_054_514, 1.322_257_039_232_444),
        ([5, 0, 0, 0, 0], -10.0, 10.0, -0.287_938_166_065_019, -0.406_971_712_275_192),
        ([100, 300, 500, 300, 120], -3.0, 1.0, 0.978_245_311_330_797, 0.702_769_930_725_039),
        ([390, 16_974, 36_229, 16_618, 365], 0.0, 2.0, -18.024_426_738_396_01, -6.927_551_294_366_572),
    ] {
        let runs = RunScores::pentanomial(counts);
        let test = Sprt::new(elo0, elo1);
        close(&[test.llr(&runs)], &[normalized], 1e-5);
        close(&[Sprt { model: EloModel::Logistic, ..test }.llr(&runs)], &[logistic], 1e-7);
    }
    // The tests of fastchess, app/tests/sprt_test.cpp: LL, LD, WL, DD, WD, WW.
    for ([ll, ld, wl, dd, wd, ww], elo0, elo1, expected) in [
        ([365, 16_618, 36_029, 200, 16_974, 390], 0.0, 2.0, 2.25),
        ([127, 4883, 10_311, 401, 5150, 104], -1.75, 0.25, 3.01),
        ([0, 0, 0, 0, 0, 5550], 0.0, 5.0, 111.82),
    ] {
        let found = Sprt::new(elo0, elo1).llr(&RunScores::pentanomial([ll, ld, wl + dd, wd, ww]));
        // Counts of 0 are regularized in another way there: the last ratio differs by 2 in 10,000.
        close(&[found], &[expected], 0.03);
    }
    assert_eq!(Sprt::new(0.0, 5.0).llr(&RunScores::new(2)), 0.0);
    let (lower, upper) = Sprt::new(0.0, 5.0).bounds();
    close(&[lower, upper], &[-2.944_438_979_166_44, 2.944_438_979_166_44], 1e-12);
}

#[test]
fn sequential_tests_are_read_from_text() {
    let found: Sprt = "elo0=0,elo1=20".parse().unwrap();
    assert_eq!(found, Sprt::new(0.0, 20.0));
    assert_eq!("elo1=5, elo0=-5,beta=0.1".parse::<Sprt>().unwrap().beta, 0.1);
    assert_eq!("elo0=0,elo1=900,model=logistic".parse::<Sprt>().unwrap().model, EloModel::Logistic);
    for wrong in [
        "",
        "elo0=0",
        "elo0=5,elo1=5",
        "elo0=a,elo1=3",
        "elo0=0,elo1=nan",
        "elo0=0,elo1=5,alpha=0",
        "x=1",
        "elo0=0,elo1=201",
        "elo0=0,elo1=5,model=bayesian",
    ] {
        let error = wrong.parse::<Sprt>().unwrap_err().to_string();
        assert!(error.starts_with("sprt") || error.contains("sprt"), "{error}");
    }
}

#[test]
fn extreme_results_have_finite_likelihood_ratios() {
    let mut chance = SeededChance::from_seed(2);
    for _ in 0..2000 {
        let largest = 10_u32.pow(chance.uniform(5));
        let counts =
            [0; 5].map(|_| if chance.uniform(2) == 0 { 0 } else { u64::from(chance.uniform(largest + 1)) });
        let runs = RunScores::pentanomial(counts);
        for elo in [1.0, 200.0] {
            let found = [Sprt::new(-elo, elo).llr(&runs), Sprt::new(0.0, elo).llr(&runs)];
            assert!(found.iter().all(|llr| llr.is_finite()), "{counts:?}: {found:?}");
        }
        let superiority = runs.superiority().unwrap_or(0.5);
        assert!((0.0..=1.0).contains(&superiority), "{counts:?}: {superiority}");
    }
}

#[test]
fn normalized_elo_and_superiority_are_those_of_fastchess() {
    // app/tests/elo_test.cpp: LL, LD, WL, DD, WD, WW.
    let counts = [34, 54, 31 + 32, 64, 75];
    let runs = RunScores::pentanomial(counts);
    assert_eq!((runs.as_pentanomial(), runs.runs()), (Some(counts), 290));
    let (elo, margin) = runs.normalized_elo().unwrap();
    close(&[elo, margin], &[57.94, 28.28], 0.01);
    assert!(runs.superiority().unwrap() > 0.9999);
    let (elo, _) = RunScores::pentanomial([332, 433, 457 + 41, 333, 334]).normalized_elo().unwrap();
    close(&[elo], &[-9.17], 0.01);
    let even = RunScores::pentanomial([3, 0, 5, 0, 3]);
    close(&[even.superiority().unwrap(), even.normalized_elo().unwrap().0], &[0.5, 0.0], 1e-9);
    let one = RunScores::pentanomial([0, 0, 0, 0, 1]);
    assert_eq!((one.superiority(), one.normalized_elo()), (None, None));
}

#[test]
fn ratings_of_counts_are_those_of_their_games() {
    let pair = |players, counts| PairCounts { players, counts };
    let pairs = [pair([0, 1], [6.0, 3.0, 1.0]), pair([2, 1], [2.0, 0.0, 5.0]), pair([0, 2], [4.0, 1.0, 0.0])];
    let mut games = Vec::new();
    for found in pairs {
        for (returns, count) in [[1.0, -1.0], [0.0, 0.0], [-1.0, 1.0]].into_iter().zip(found.counts) {
            games.extend((0..count as usize).map(|_| (found.players.to_vec(), returns.to_vec())));
        }
    }
    let (counted, played) = (ratings_of_counts(&pairs, &[None; 3]).unwrap(), ratings(3, &games).unwrap());
    for (a, b) in counted.iter().zip(&played) {
        close(&[a.0, a.1], &[b.0, b.1], 1e-6);
    }
    // Known ratings stay, and the others are relative to them.
    let known = ratings_of_counts(&pairs, &[None, Some(1500.0), None]).unwrap();
    assert_eq!(known[1], (1500.0, 0.0));
    let lead = counted[0].0 - counted[1].0;
    close(&[known[0].0], &[1500.0 + lead], 1e-3);
    // A player that met none whose rating is known.
    let apart = [pair([0, 1], [5.0, 1.0, 2.0]), pair([2, 3], [1.0, 0.0, 3.0])];
    let found = ratings_of_counts(&apart, &[Some(0.0), None, None, None]).unwrap();
    assert!(found[1].1.is_finite() && found[2].1.is_infinite() && found[3].1.is_infinite());
    assert!(ratings_of_counts(&[pair([0, 0], [1.0; 3])], &[None]).is_err());
    assert!(ratings_of_counts(&[pair([0, 1], [-1.0, 0.0, 0.0])], &[None; 2]).is_err());
}

/// Results of two games from one opening by players with this Elo difference. The openings favour a colour, so the two
/// games of a pair are correlated.
fn pairs(count: u64, elo_difference: f64, chance: &mut SeededChance) -> Vec<GameResult> {
    let mut games = Vec::new();
    for pair in 0..count {
        let bias = f64::from(chance.uniform(401)) - 200.0;
        for turn in 0..2 {
            let seats = if turn == 0 { [0, 1] } else { [1, 0] };
            let lead = elo_difference + if turn == 0 { bias } else { -bias };
            let won = f64::from(chance.uniform(1 << 30)) < elo::expected(lead) * f64::from(1 << 30);
            let returns = if won == (turn == 0) { [1.0, -1.0] } else { [-1.0, 1.0] };
            let number = 2 * pair + turn;
            games.push(GameResult { run: pair, round: pair, ..result(number, &seats, &returns) });
        }
    }
    games
}

/// The spec of a game of two.
fn spec_of_two() -> Spec {
    let games = GAMES.iter().filter_map(|entry| entry.make([]).ok());
    games.map(|game| game.spec().clone()).find(|spec| spec.players == 2).unwrap()
}

#[test]
fn sequential_tests_keep_their_error_rates() {
    // Under each hypothesis, 5 % of 300 tests may err: at most 27 do with probability 0.999. The openings shift the
    // points towards one half, so the true difference of points is below the nominal one; the test sees points.
    let mut chance = SeededChance::from_seed(5);
    let sprt = Sprt { model: EloModel::Logistic, ..Sprt::new(0.0, 60.0) };
    for (truth, right) in [(0.0, Hypothesis::H0), (68.0, Hypothesis::H1)] {
        let (mut wrong, mut runs) = (0, 0);
        for _ in 0..300 {
            let mut monitor = Monitor::new(sprt, 2);
            // Games arrive in another order than they are scheduled.
            while monitor.decided().is_none() {
                let known = monitor.result().runs;
                let mut games = pairs(20, truth, &mut chance);
                games.iter_mut().for_each(|game| game.game += 2 * known);
                games.reverse();
                monitor.add(&games);
            }
            wrong += u32::from(monitor.result().accepted != Some(right));
            runs += monitor.result().runs;
        }
        assert!(wrong <= 27, "{truth}: {wrong} of 300 tests erred");
        assert!(runs < 300 * 400, "{truth}: {runs} runs");
    }
}

#[test]
fn a_test_ignores_the_order_in_which_games_finish() {
    let mut chance = SeededChance::from_seed(8);
    let games = pairs(400, 150.0, &mut chance);
    let mut in_order = Monitor::new(Sprt::new(0.0, 40.0), 2);
    games.iter().for_each(|game| in_order.add(std::slice::from_ref(game)));
    let mut reversed = Monitor::new(Sprt::new(0.0, 40.0), 2);
    games.iter().rev().for_each(|game| reversed.add(std::slice::from_ref(game)));
    assert_eq!(in_order.result(), reversed.result());
    assert_eq!(in_order.result().accepted, Some(Hypothesis::H1));
    assert!(in_order.decided().unwrap() < 800);
}

#[test]
fn intervals_cover_the_truth_as_often_as_they_claim() {
    // 400 tournaments of two players with openings of 60 pairs, and of 60 games without openings. The expected share of
    // uncovered truths is 5 %; 9 % is four standard deviations above.
    let spec = spec_of_two();
    let mut chance = SeededChance::from_seed(3);
    let meetings = Meetings::Pairings(Pairings::RoundRobin);
    for openings in [Openings::random(4).unwrap(), Openings::None] {
        let config = TournamentConfig { openings, ..TournamentConfig::default() };
        let (mut share_missed, mut elo_missed, mut widths) = (0, 0, 0.0);
        for _ in 0..400 {
            let games = match config.openings {
                Openings::None => {
                    let draw = |number: u64| {
                        let won = chance.uniform(10) < 7;
                        let seats = if number.is_multiple_of(2) { [0, 1] } else { [1, 0] };
                        let first = won == number.is_multiple_of(2);
                        result(number, &seats, if first { &[1.0, -1.0] } else { &[-1.0, 1.0] })
                    };
                    (0..60).map(draw).collect()
                }
                _ => pairs(60, 0.0, &mut chance),
            };
            let truth = if config.openings.is_some() { 0.5 } else { 0.7 };
            let played = Played { games, ..Played::default() };
            let table = sum_up(&spec, meetings, &config, &["a", "b"], played, false);
            let found = table.standings.iter().find(|s| s.bot == "a").unwrap();
            share_missed += u32::from(!(found.point_low..=found.point_high).contains(&truth));
            let lead = 400.0 * f64::log10(truth / (1.0 - truth)) / 2.0;
            elo_missed += u32::from((found.elo - lead).abs() > found.margin);
            widths += found.point_margin / 400.0;
        }
        assert!(share_missed <= 36 && elo_missed <= 36, "{share_missed} {elo_missed}");
        assert!(share_missed >= 4 && widths < 0.15, "{share_missed} {widths}");
    }
}

#[test]
fn pairs_narrow_intervals_if_openings_decide_games() {
    // In each pair the same colour wins both games: 20 pairs are 20 ties, not 40 coin flips. If the same player wins
    // both, 20 pairs are 20 samples.
    let spec = spec_of_two();
    let games = |same_colour: bool| -> Vec<GameResult> {
        (0..40u64)
            .map(|number| {
                let (pair, turn) = (number / 2, number % 2);
                let seats = if turn == 0 { [0, 1] } else { [1, 0] };
                let first = if same_colour { pair % 2 == 0 } else { (pair % 2 == 0) == (turn == 0) };
                let returns: &[f32] = if first { &[1.0, -1.0] } else { &[-1.0, 1.0] };
                GameResult { run: pair, round: pair, ..result(number, &seats, returns) }
            })
            .collect()
    };
    let config = TournamentConfig { openings: Openings::random(4).unwrap(), ..TournamentConfig::default() };
    let table = |games, config: &TournamentConfig| {
        let meetings = Meetings::Pairings(Pairings::RoundRobin);
        sum_up(&spec, meetings, config, &["a", "b"], Played { games, ..Played::default() }, false)
    };
    let [tied, swept] = [true, false].map(|same| table(games(same), &config).standings[0].point_margin);
    let single = table(games(true), &TournamentConfig::default()).standings[0].point_margin;
    // Wilson intervals of 20 samples with variance 0 and 1/4, and of 40 samples with variance 1/4.
    let wilson = |n: f64, variance: f64| {
        let z2 = 1.96f64 * 1.96;
        1.96 * (n * variance + z2 / 4.0).sqrt() / (n + z2)
    };
    close(&[tied, swept, single], &[wilson(20.0, 0.0), wilson(20.0, 0.25), wilson(40.0, 0.25)], 1e-9);
}

#[test]
fn a_gauntlet_has_one_row_per_opponent() {
    let game = GAMES[0].make([("max_steps", OptionValue::Int(30))]).unwrap();
    let seats = game.spec().players;
    let games = 6 * seats as u64;
    let config = TournamentConfig { games, seed: 1, threads: Some(1), ..TournamentConfig::default() };
    let bots = ["greedy", "random", "pass"];
    let player = |name: &&str| Player::parse(&*game, name, crate::player::DEFAULT_TIME_LIMIT).unwrap();
    let players: Vec<Player> = bots.iter().map(player).collect();
    let table = play(&game, &players, Pairings::Gauntlet, &config, &Interrupt::default(), |_, _| ()).unwrap();
    let rows: Vec<(&str, u64)> =
        table.opponents.iter().map(|row| (row.opponents[0].as_str(), row.games)).collect();
    assert_eq!(rows, [("random", games / 2), ("pass", games / 2)]);
    assert_eq!(table.games, games);
    let pooled = table.standings.iter().find(|s| s.bot == "greedy").unwrap();
    let points: f64 = table.opponents.iter().map(|row| row.points).sum();
    assert!((pooled.points - points).abs() < 1e-9 && pooled.games == games);
    // The two opponents have not met: there are payoffs, but no rankings.
    assert_eq!(table.payoffs.iter().flatten().filter(|payoff| payoff.is_some()).count(), 4);
    assert!(table.rankings.is_none());
    assert_eq!(table.to_rows().len(), 3);
    let robin =
        play(&game, &players, Pairings::RoundRobin, &config, &Interrupt::default(), |_, _| ()).unwrap();
    assert!(robin.opponents.is_empty() && robin.rankings.is_some());
    assert_eq!(robin.standings[0].mu.is_some(), seats > 2);
}

#[test]
fn openings_are_played_from_every_seat() {
    for entry in GAMES {
        let game = entry.make([("max_steps", OptionValue::Int(25))]).unwrap();
        let seats = game.spec().players as u64;
        let players: Vec<Player> = ["greedy", "random"]
            .iter()
            .map(|name| Player::parse(&*game, name, crate::player::DEFAULT_TIME_LIMIT).unwrap())
            .collect();
        let openings = Openings::random(5).unwrap();
        let config =
            TournamentConfig { games: 4 * seats, seed: 2, threads: Some(1), openings, ..Default::default() };
        let interrupt = Interrupt::default();
        let meetings = Meetings::Pairings(Pairings::RoundRobin);
        let width = num_slots(&game, &players, meetings, &config).unwrap();
        let played = play_slots(&game, &players, meetings, &config, (width, 0..width), &interrupt).unwrap();
        let schedule = seatings(2, seats as usize, Pairings::RoundRobin, &config, false);
        assert_eq!(played.games.len(), schedule.len(), "{}", entry.id);
        for run in 0..4 {
            let games: Vec<_> = played.games.iter().filter(|game| game.run == run).collect();
            assert!(games.len() as u64 == seats && games.iter().all(|game| game.round == run));
            assert!(games.iter().all(|game| game.length >= 5), "{}: openings count as decisions", entry.id);
        }
        // Slots in parts play the same games as slots side by side.
        let half = play_slots(&game, &players, meetings, &config, (width, 0..width / 2), &interrupt).unwrap();
        for game in &half.games {
            assert!(played.games.contains(game), "{}", entry.id);
        }
    }
}

#[test]
fn a_decided_test_ends_the_tournament_at_the_same_game_for_any_order() {
    let mut games = GAMES.iter().filter_map(|e| e.make([("max_steps", OptionValue::Int(60))]).ok());
    let game = games.rfind(|game| game.spec().players == 2).unwrap();
    let player = |name| Player::parse(&*game, name, crate::player::DEFAULT_TIME_LIMIT).unwrap();
    let players = [player("greedy"), player("random")];
    let sprt = Some(Sprt::new(0.0, 200.0));
    let openings = Openings::random(2).unwrap();
    let config = TournamentConfig {
        games: 2000,
        seed: 4,
        threads: Some(1),
        sprt,
        openings,
        ..TournamentConfig::default()
    };
    let interrupt = Interrupt::default();
    let table = play(&game, &players, Pairings::RoundRobin, &config, &interrupt, |_, _| ()).unwrap();
    let sprt = table.sprt.clone().unwrap();
    assert!(sprt.accepted.is_some() && !table.partial);
    assert!(table.games < 2000 && table.games == 2 * sprt.runs, "{sprt:?}");
    // One game more or less would not have decided: the prefix is the shortest one.
    let shorter = TournamentConfig { games: table.games - 2, ..config.clone() };
    let before = play(&game, &players, Pairings::RoundRobin, &shorter, &interrupt, |_, _| ()).unwrap();
    assert_eq!(before.sprt.unwrap().accepted, None);
    let three = [player("greedy"), player("random"), player("pass")];
    let refused = play(&game, &three, Pairings::RoundRobin, &config, &interrupt, |_, _| ());
    assert!(refused.unwrap_err().to_string().contains("sprt"));
}

#[test]
fn players_of_a_cooperative_game_are_compared_by_score() {
    let config = TournamentConfig { games: 12, ..TournamentConfig::default() };
    // A table of two players would give both the same score.
    let schedule = seatings(3, 2, Pairings::RoundRobin, &config, true);
    assert!(schedule.iter().all(|game| game.seats[0] == game.seats[1]));
    let played = |scores: &dyn Fn(usize) -> [f32; 2]| {
        let game = |scheduled: &ScheduledGame| GameResult {
            scores: scores(scheduled.seats[0]).to_vec(),
            decisions: scheduled.number,
            ..result(scheduled.number, &scheduled.seats, &[0.0, 0.0])
        };
        Played { games: schedule.iter().map(game).collect(), ..Played::default() }
    };
    let meetings = Meetings::Pairings(Pairings::RoundRobin);
    let names = ["a", "b", "c"];
    for payoff in [Payoff::Common { low: 0.0, high: 9.0 }, Payoff::General { low: 0.0, high: 9.0 }] {
        let spec = Spec { payoff, ..spec_of_two() };
        let table =
            sum_up(&spec, meetings, &config, &names, played(&|player| [player as f32 * 3.0; 2]), false);
        let order: Vec<_> =
            table.standings.iter().map(|s| (s.bot.as_str(), s.mean_score, s.score_margin)).collect();
        assert_eq!(order, [("c", 6.0, 0.0), ("b", 3.0, 0.0), ("a", 0.0, 0.0)]);
        let rows = table.to_rows();
        assert_eq!(rows[0][1..3], ["mean score", "+/-"]);
        assert_eq!(rows[1][..3], ["c", "6.00", "0.00"]);
        assert!(!rows.concat().iter().any(|cell| cell.contains('%')), "{rows:?}");
    }
    let table =
        sum_up(&spec_of_two(), meetings, &config, &names, played(&|player| [player as f32; 2]), false);
    assert_eq!(table.compared_by, "points");
}

#[test]
fn margins_of_scores_are_those_of_the_mean() {
    let mut shares = Shares::default();
    shares.add(3.0, 1.0);
    assert!(shares.mean_margin().is_infinite());
    shares.add(5.0, 1.0);
    shares.add(10.0, 1.0);
    // The standard deviation of 3, 5 and 10 is the root of 13.
    close(&[shares.mean_margin()], &[1.96 * (13.0f64 / 3.0).sqrt()], 1e-9);
}
