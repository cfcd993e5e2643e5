//! Opponents for people: the levels of every game.
//!
//! A level is a search of the shipped network with few simulations, and with noise on the logits of its root. The search
//! compares the actions that the noise brings to the top, so a mistake is an action that it has overlooked. An end of the
//! game that is one action away is found without simulations, except where information is hidden.

use serde::Serialize;

use super::player::listed;
use crate::engine::AnyGame;
#[cfg(feature = "networks")]
use crate::engine::Spec;

/// An opponent for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Level {
    /// The name of the level.
    pub name: String,
    /// The text of its player.
    pub player: String,
    /// One sentence on how it plays.
    pub help: &'static str,
}

/// The names and texts of levels without a network, the weakest first.
const PLAYOUTS: [(&str, &str, &str); 3] = [
    ("easy", "greedy", "Takes what pays at once and never looks further."),
    ("medium", "search:50", "Plays the game on 50 times before every move."),
    ("strong", "search:400", "Plays the game on 400 times before every move."),
];

/// Number of levels of a network.
pub const LEVELS: usize = 8;

/// For whom the levels of a network are.
const PEOPLE: [&str; LEVELS] = [
    "For your first game: most of its moves are mistakes.",
    "For your first games: many of its moves are mistakes.",
    "If you know the rules: it makes a mistake every few moves.",
    "If you have played a few games: it makes mistakes now and then.",
    "If you play now and then: it makes few mistakes.",
    "If you play often: it looks a little ahead.",
    "If you play well: it looks further ahead.",
    "The strongest level: it looks as far ahead as pays.",
];

/// The levels of a game, the weakest first. They use the shipped network if it supports the game's options, and
/// playouts otherwise.
pub fn levels(game: &dyn AnyGame) -> Vec<Level> {
    if !listed(game).iter().any(|(name, _)| name.starts_with("net:champion")) {
        let level =
            |(name, player, help): (&str, &str, _)| Level { name: name.into(), player: player.into(), help };
        return PLAYOUTS.map(level).into();
    }
    let level = |(number, help)| Level {
        name: format!("level {number}"),
        player: format!("net:champion?level={number}"),
        help,
    };
    (1..).zip(PEOPLE).map(level).collect()
}

/// How a level plays.
#[cfg(feature = "networks")]
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Strength {
    pub(super) simulations: u32,
    /// Factor of Gumbel noise on the logits of the root.
    pub(super) noise: f32,
}

/// The levels of a game by its number of players, as simulations and noise.
#[cfg(feature = "networks")]
type Table = (&'static str, std::ops::RangeInclusive<usize>, [(u32, f32); LEVELS]);

/// The levels of the shipped networks, measured in docs/figures/strength.md by the command that is named there.
#[cfg(feature = "networks")]
const TABLES: [Table; 7] = [
    ("chess", 2..=2, [(1, 0.94), (1, 0.7), (1, 0.48), (1, 0.0), (5, 0.0), (15, 0.0), (45, 0.0), (400, 0.0)]),
    (
        "smallworld",
        2..=2,
        [(1, 8.7), (1, 6.4), (1, 4.1), (1, 2.85), (1, 1.75), (1, 0.6), (12, 0.0), (200, 0.0)],
    ),
    ("smallworld", 3..=5, [(1, 5.0), (1, 3.0), (1, 1.8), (1, 1.0), (1, 0.5), (1, 0.0), (16, 0.0), (64, 0.0)]),
    ("tilewe", 2..=2, [(1, 6.5), (1, 4.9), (1, 3.2), (1, 1.3), (1, 0.0), (6, 0.0), (30, 0.0), (200, 0.0)]),
    ("tilewe", 3..=4, [(1, 6.5), (1, 4.5), (1, 3.0), (1, 2.2), (1, 1.5), (1, 1.0), (1, 0.5), (1, 0.0)]),
    (
        "starwars_risk",
        2..=2,
        [(1, 9.0), (1, 5.9), (1, 4.4), (1, 3.55), (1, 2.9), (1, 1.95), (1, 1.25), (1, 0.0)],
    ),
    ("empires", 2..=4, [(1, 2.4), (1, 2.05), (1, 1.7), (1, 1.4), (1, 1.05), (1, 0.7), (1, 0.35), (1, 0.0)]),
];

/// The levels of a network of another game.
#[cfg(feature = "networks")]
const OTHERS: [(u32, f32); LEVELS] =
    [(1, 3.0), (1, 2.0), (1, 1.4), (1, 1.0), (1, 0.6), (1, 0.0), (16, 0.0), (64, 0.0)];

/// The game with levels on a scale of Elo, and the Elo of its levels: Stockfish's scale.
pub const RATED: (&str, [u32; LEVELS]) = ("chess", [800, 950, 1100, 1250, 1400, 1550, 1700, 1850]);

#[cfg(feature = "networks")]
impl Strength {
    /// Parses `level=N` or `elo=N`; an error says what is allowed.
    pub(super) fn parse(spec: &Spec, text: &str) -> Result<Self, String> {
        let table =
            TABLES.iter().find(|(env, players, _)| *env == spec.env && players.contains(&spec.players));
        let levels = table.map_or(&OTHERS, |(_, _, levels)| levels);
        let of = |(simulations, noise): (u32, f32)| Self { simulations, noise };
        if let Some(level) = text.strip_prefix("level=") {
            let number = level.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
            let level = number.and_then(|number| levels.get(number));
            return level.copied().map(of).ok_or_else(|| format!("levels 1 to {LEVELS} are allowed"));
        }
        let (env, rated) = RATED;
        if env != spec.env {
            return Err(format!("{} has no scale of Elo; ?level=1 to ?level={LEVELS} are allowed", spec.env));
        }
        let (least, most) = (rated[0], rated[rated.len() - 1]);
        let elo = text.strip_prefix("elo=").and_then(|elo| elo.parse().ok());
        let elo: u32 = elo
            .filter(|elo| (least..=most).contains(elo))
            .ok_or_else(|| format!("an Elo from {least} to {most} is allowed"))?;
        // Between two levels: simulations by their logarithm, noise linearly.
        let above = rated.iter().position(|&rating| rating >= elo).unwrap_or(rated.len() - 1).max(1);
        let (low, high) = (levels[above - 1], levels[above]);
        let share = (elo - rated[above - 1]) as f32 / (rated[above] - rated[above - 1]) as f32;
        let between = |low: f32, high: f32| low + share * (high - low);
        let simulations = libm::expf(between(libm::logf(low.0 as f32), libm::logf(high.0 as f32)));
        Ok(Self { simulations: libm::roundf(simulations) as u32, noise: between(low.1, high.1) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::GAMES;
    use crate::player::{DEFAULT_TIME_LIMIT, Player};

    #[test]
    fn every_level_of_every_game_is_a_player() {
        let check = |game: std::sync::Arc<dyn AnyGame>, is_played: bool| {
            let levels = levels(&*game);
            let is_network = is_played && cfg!(feature = "networks");
            assert_eq!(levels.len(), if is_network { LEVELS } else { PLAYOUTS.len() });
            for level in levels {
                Player::parse(&*game, &level.player, DEFAULT_TIME_LIMIT).unwrap();
            }
        };
        for entry in GAMES {
            for options in [vec![], vec![("max_steps", 9.into())]] {
                check(entry.make(options).unwrap(), true);
            }
        }
        // The network does not play this variant.
        let antichess = crate::games::find("chess").unwrap().make([("variant", "antichess".into())]).unwrap();
        check(antichess, false);
    }
}

#[cfg(all(test, feature = "networks"))]
mod tests_of_networks {
    use std::sync::Arc;

    use super::*;
    use crate::engine::{BatchConfig, Interrupt, SingleGame, Status};
    use crate::games::{GAMES, find};
    use crate::player::{Player, choose_actions};
    use crate::thinking::ThinkingLimits;

    fn player(game: &Arc<dyn AnyGame>, text: &str) -> Player {
        Player::parse(&**game, text, None).unwrap()
    }

    fn choice(player: &Player, game: &SingleGame) -> u32 {
        let decision = player.act(game, &Interrupt::default()).unwrap();
        assert_eq!(decision.fault, None);
        decision.action
    }

    #[test]
    fn a_level_plays_legal_moves_that_depend_on_the_position_and_the_seed_alone() {
        for entry in GAMES {
            let game = entry.make([]).unwrap();
            for number in 1..=LEVELS {
                let text = format!("net:champion?level={number}");
                // Trees that stay between the moves of a batch search further than one of a single position.
                let is_noisy = Strength::parse(game.spec(), &format!("level={number}")).unwrap().noise > 0.0;
                let (alone, in_batch) = (player(&game, &text), player(&game, &text));
                let config = BatchConfig { num_envs: 3, threads: Some(1), seed: 7, ..BatchConfig::default() };
                let mut env = game.clone().vector(config).unwrap();
                for _ in 0..if is_noisy { 3 } else { 1 } {
                    let (mut actions, mut faults) = (vec![0; 3], Vec::new());
                    let players = [in_batch.clone()];
                    choose_actions(&players, |_, _| Some(0), &mut *env, &mut actions, &mut faults).unwrap();
                    assert_eq!(faults, []);
                    let single = |id| env.single(id).unwrap();
                    let chosen: Vec<u32> = (0..3).map(|id| choice(&alone, &single(id))).collect();
                    assert_eq!(chosen, actions, "{} {text}", entry.id);
                    env.step(&actions).unwrap();
                }
            }
        }
    }

    #[test]
    fn games_with_other_seeds_go_another_way() {
        let game = find("chess").unwrap().make([]).unwrap();
        let weakest = player(&game, "net:champion?level=1");
        let mut first: Vec<u32> = (0..30).map(|seed| choice(&weakest, &game.clone().single(seed))).collect();
        first.sort_unstable();
        first.dedup();
        assert!(first.len() > 4, "{first:?}");
    }

    #[test]
    fn no_level_of_chess_overlooks_a_mate_in_one() {
        let mate = [("fen", "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1".into())];
        let game = find("chess").unwrap().make(mate).unwrap();
        for number in 1..=LEVELS {
            let level = player(&game, &format!("net:champion?level={number}"));
            for seed in 0..5 {
                let mut position = game.clone().single(seed);
                position.step(choice(&level, &position)).unwrap();
                assert_eq!(position.status(), Status::Terminated, "level {number}, seed {seed}");
            }
        }
    }

    #[test]
    fn a_level_thinks_no_longer_than_it_may() {
        let game = find("chess").unwrap().make([]).unwrap();
        let position = game.clone().single(3);
        for infinite in [false, true] {
            for (level, most) in [(1, 1), (6, 40)] {
                let limits =
                    ThinkingLimits { simulations: Some(1000), infinite, ..ThinkingLimits::default() };
                let player = player(&game, &format!("net:champion?level={level}"));
                let thought = player.think(&position, limits, &Interrupt::default(), &mut |_| ()).unwrap();
                assert!(thought.simulations <= most, "level {level}: {}", thought.simulations);
                assert_eq!(thought.lines[0].action, choice(&player, &position));
            }
        }
    }

    #[test]
    fn a_higher_level_has_more_simulations_or_less_noise() {
        for (env, _, levels) in TABLES {
            for pair in levels.windows(2) {
                let ((low, more), (high, less)) = (pair[0], pair[1]);
                assert!(low <= high && more >= less && pair[0] != pair[1], "{env}: {pair:?}");
            }
        }
        let chess = find("chess").unwrap().make([]).unwrap();
        let strength = |text: &str| Strength::parse(chess.spec(), text).unwrap();
        let mut before = strength("level=1");
        for elo in RATED.1[0]..=RATED.1[LEVELS - 1] {
            let now = strength(&format!("elo={elo}"));
            assert!(before.simulations <= now.simulations && before.noise >= now.noise, "{elo}");
            before = now;
        }
        for (number, elo) in (1..).zip(RATED.1) {
            assert_eq!(strength(&format!("level={number}")), strength(&format!("elo={elo}")));
        }
    }

    #[test]
    fn a_wrong_level_is_one_clear_error() {
        let games = ["chess", "smallworld"].map(|env| find(env).unwrap().make([]).unwrap());
        let [low, .., high] = RATED.1;
        for (game, text, said) in [
            (0, "?level=0", "\"?level=0\": levels 1 to 8 are allowed".to_string()),
            (1, "?level=9", "levels 1 to 8 are allowed".into()),
            (0, "?level=-1", "levels 1 to 8 are allowed".into()),
            (0, "?level=", "levels 1 to 8 are allowed".into()),
            (0, "?elo=9999", format!("an Elo from {low} to {high} is allowed")),
            (0, "?elo=1", format!("an Elo from {low} to {high} is allowed")),
            (0, "?elo=good", format!("an Elo from {low} to {high} is allowed")),
            (1, "?elo=1200", "smallworld has no scale of Elo; ?level=1 to ?level=8 are allowed".into()),
            (0, ":64?level=3", "as in \"net:champion?level=3\"".into()),
            (0, ":64?explore?elo=1300", "as in \"net:champion?elo=1300\"".into()),
        ] {
            let text = format!("net:champion{text}");
            let error = Player::parse(&*games[game], &text, None).unwrap_err().to_string();
            assert!(error.contains(&said) && error.contains(&text) && !error.contains('\n'), "{error}");
        }
        let error = Player::parse(&*games[0], "net:mine.safetensors?level=3", None).unwrap_err().to_string();
        assert!(
            error.contains("levels have simulations of their own, and are of net:champion alone"),
            "{error}"
        );
    }
}
