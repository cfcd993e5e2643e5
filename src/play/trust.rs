//! Trust: which texts of a client become players and options.
//!
//! A client is a page, a language model, or the author of a file. Its texts name no command, no address and no path. The
//! user who starts a server may allow further texts.

use std::sync::Arc;

use crate::engine::{AnyGame, EXPLORE, Entry, Error, OptionValue, Result, playout_count};
use crate::games::trusted_options::TrustedOptions;
use crate::player::{self, NetworkText, Player, can_analyse, is_outside};

/// Maximum number of simulations or playouts per move in a client's text.
pub const MOST_SIMULATIONS: u32 = 10_000;

/// The shipped network in a player's text.
const CHAMPION: &str = "net:champion";

/// The texts that clients may use beside the closed list: the bots of a game, `search:N` and `flat:N`, the shipped
/// network with or without a search, and options that are no paths.
///
/// ```
/// use ludovec_play::trust::Trust;
/// let game = ludovec_games::find("chess")?.make([])?;
/// let none = Trust::default();
/// assert!(none.check_player(&*game, "search:200").is_ok());
/// assert!(none.check_player(&*game, "cmd:./bot").is_err());
/// assert!(Trust::new(["cmd:./bot".into()], []).check_player(&*game, "cmd:./bot").is_ok());
/// assert!(none.make("chess", [("variant".into(), "/tmp/mine.toml".into())]).is_err());
/// # Ok::<(), ludovec_engine::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trust {
    players: Vec<String>,
    advisers: Vec<String>,
    options: TrustedOptions,
}

impl Trust {
    /// Allows these players and options too.
    pub fn new(
        players: impl IntoIterator<Item = String>,
        options: impl IntoIterator<Item = (String, OptionValue)>,
    ) -> Self {
        let players = players.into_iter().collect();
        Self { players, advisers: Vec::new(), options: TrustedOptions::new(options) }
    }

    /// Allows these players as advisers too: for hints and reviews, and in seats if a client names one.
    #[must_use]
    pub fn with_advisers(self, advisers: impl IntoIterator<Item = String>) -> Self {
        Self { advisers: advisers.into_iter().collect(), ..self }
    }

    /// The players that can analyse a game, the preferred one first: the advisers that the user has named, then the listed
    /// players, then others that the user allows.
    #[must_use]
    pub fn advisers(&self, game: &dyn AnyGame) -> Vec<String> {
        let is_player = |text: &&String| Player::parse(game, text, None).is_ok();
        let mut advisers: Vec<String> = self.advisers.iter().filter(is_player).cloned().collect();
        advisers.extend(player::advisers(game).into_iter().map(String::from));
        let others = self.players.iter().filter(|text| can_analyse(text)).filter(is_player);
        advisers.extend(others.cloned());
        advisers
    }

    /// The players that are allowed beside the closed list.
    #[must_use]
    pub fn players(&self) -> &[String] {
        &self.players
    }

    /// Refuses a client's text for a player, unless it is in the closed list or allowed.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] names the allowed texts.
    pub fn check_player(&self, game: &dyn AnyGame, text: &str) -> Result<()> {
        if self.players.iter().chain(&self.advisers).any(|player| player == text) {
            return Ok(());
        }
        let too_many = || {
            Error::config(format!(
                "player {text:?}: a client asks for at most {MOST_SIMULATIONS} simulations a move{}",
                self.hint()
            ))
        };
        if let Some(network) = champion(text) {
            if let Some(option) = network.option.filter(|option| EXPLORE != format!("?{option}")) {
                let why = format!("player {text:?}: \"?{option}\": a client is allowed {EXPLORE} alone");
                return Err(Error::config(why + &self.hint()));
            }
            let number = network.simulations.map(str::parse::<u32>);
            return match number {
                Some(Ok(0..=MOST_SIMULATIONS)) | None => Ok(()),
                Some(_) => Err(too_many()),
            };
        }
        if is_outside(text) {
            let names: Vec<&str> = game.bots().into_iter().map(|(name, _)| name).collect();
            return Err(Error::config(format!(
                "player {text:?}: a client names no command, address or path; {}, search:N, {CHAMPION}, \
                 {CHAMPION}:N are allowed{}",
                names.join(", "),
                self.hint()
            )));
        }
        game.check_bot(text)?;
        if playout_count(text)? > MOST_SIMULATIONS { Err(too_many()) } else { Ok(()) }
    }

    /// The end of an error: the other players.
    fn hint(&self) -> String {
        let named: Vec<&str> = self.players.iter().chain(&self.advisers).map(String::as_str).collect();
        match &named[..] {
            [] => "; the user who starts the server allows others".into(),
            named => format!(", and {}", named.join(", ")),
        }
    }

    /// As by [`TrustedOptions::check_options`].
    ///
    /// # Errors
    /// As by it.
    pub fn check_options<'a>(
        &self,
        entry: &Entry,
        given: impl IntoIterator<Item = (&'a str, &'a OptionValue)>,
    ) -> Result<()> {
        self.options.check_options(entry, given)
    }

    /// As by [`TrustedOptions::make`].
    ///
    /// # Errors
    /// As by it.
    pub fn make(
        &self,
        env: &str,
        options: impl IntoIterator<Item = (String, OptionValue)>,
    ) -> Result<Arc<dyn AnyGame>> {
        self.options.make(env, options)
    }
}

impl AsRef<TrustedOptions> for Trust {
    fn as_ref(&self) -> &TrustedOptions {
        &self.options
    }
}

/// The shipped network in a text.
fn champion(text: &str) -> Option<NetworkText<'_>> {
    let network = NetworkText::split(text);
    (network.file == CHAMPION).then_some(network)
}

/// Texts of players that a client must not use, for the tests of doors.
#[doc(hidden)]
pub const REFUSED_PLAYERS: [&str; 22] = [
    "cmd:touch refused",
    "cmd:sh -c 'touch refused'",
    "uci:touch refused",
    "uci:stockfish?elo=1500",
    "gtp:touch refused",
    "http:",
    "http://127.0.0.1:9",
    "https://127.0.0.1:9",
    "llm:some@http://127.0.0.1:9/v1?key=HOME,log=refused",
    "llm:",
    "net:",
    "net:/etc/passwd",
    "net:refused.safetensors",
    "net:refused.safetensors:16",
    "net:champion/../refused",
    "net:championship",
    "net:champion:99999999",
    "net:champion:8?rollouts=10000",
    "net:refused.safetensors?level=1",
    "net:champion?precision=int8?precision=int8",
    "search:1000000",
    "flat:1000000",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{OptionKind, Paths};
    use crate::games::GAMES;
    use crate::levels::levels;
    use crate::seated_game::{Seat, SeatedGame};
    use crate::web_api::{
        AnalysisRequest, BeginRequest, LoadRequest, ReviewRequest, RulesRequest, ViewQuery,
    };
    use serde_json::json;

    #[test]
    fn clients_use_the_closed_list_of_players_and_no_other_text() {
        let none = Trust::default();
        for entry in GAMES {
            let game = entry.make([]).unwrap();
            for text in REFUSED_PLAYERS {
                let said = none.check_player(&*game, text).unwrap_err().to_string();
                assert!(said.contains("allow") && said.lines().count() == 1, "{text}: {said}");
                // The person who starts the server has the last word.
                let one = Trust::new([text.into()], []);
                one.check_player(&*game, text).unwrap();
                let others = REFUSED_PLAYERS.iter().filter(|other| **other != text);
                others.for_each(|other| assert!(one.check_player(&*game, other).is_err(), "{other}"));
            }
            for text in [
                "",
                " ",
                "CMD:touch refused",
                " cmd:touch refused",
                "file:///etc/passwd",
                "/etc/passwd",
                "human",
            ] {
                assert!(none.check_player(&*game, text).is_err(), "{text}");
            }
            for (text, _) in player::listed(&*game) {
                none.check_player(&*game, text).unwrap();
            }
            for text in ["search:1", "search:10000", "flat:10000", "net:champion", "net:champion:10000"] {
                none.check_player(&*game, text).unwrap();
            }
            for level in levels(&*game) {
                none.check_player(&*game, &level.player).unwrap();
            }
        }
    }

    #[test]
    #[cfg(feature = "remote")]
    fn an_adviser_of_the_user_is_offered_first_where_it_plays_and_to_nobody_else() {
        // A program that exists; it is not started.
        let named = "uci:sh?nodes=100";
        let trust = Trust::default().with_advisers([named.into()]);
        for entry in GAMES {
            let game = entry.make([]).unwrap();
            let advisers = trust.advisers(&*game);
            assert_eq!(advisers.iter().any(|text| text == named), entry.id == "chess", "{advisers:?}");
            assert!(entry.id != "chess" || advisers[0] == named, "{advisers:?}");
            assert_eq!(Trust::default().advisers(&*game), player::advisers(&*game), "{}", entry.id);
            assert!(trust.check_player(&*game, named).is_ok());
            for text in ["uci:sh", "uci:sh?nodes=100,elo=2000", "uci:sh?nodes=1000", "cmd:sh"] {
                assert!(trust.check_player(&*game, text).is_err(), "{text}");
            }
        }
    }

    #[test]
    fn every_option_that_opens_a_file_refuses_paths_of_clients() {
        let mut tried = 0;
        let paths = [
            "/etc/passwd",
            "x.json",
            "../x.toml",
            "./x",
            "a/b",
            "C:\\x.toml",
            "chess.toml",
            " board",
            "{/x.toml",
            "{",
        ];
        for entry in GAMES {
            for option in entry.option_list().iter().filter(|option| option.kind == OptionKind::Text) {
                let Paths::AllBut { words, content } = &option.paths else {
                    // The game opens nothing: a path is an error of its own, and no file is named.
                    assert_eq!(option.paths, Paths::Never, "{} of {}", option.name, entry.id);
                    continue;
                };
                for path in paths.iter().filter(|path| !(*content && path.starts_with('{'))) {
                    let set = || [(option.name.to_string(), OptionValue::from(*path))];
                    let said = Trust::default().make(entry.id, set()).unwrap_err().to_string();
                    assert!(said.contains("only taken from the user") && said.lines().count() == 1, "{said}");
                    // An allowed path is opened, and only this one.
                    let said = Trust::new([], set()).make(entry.id, set()).unwrap_err().to_string();
                    assert!(!said.contains("only taken from the user"), "{said}");
                    let other = Trust::new([], [(option.name.to_string(), "other".into())]);
                    assert!(other.make(entry.id, set()).unwrap_err().to_string().contains("only taken"));
                    tried += 1;
                }
                for word in words {
                    Trust::default()
                        .make(entry.id, [(option.name.to_string(), word.as_str().into())])
                        .unwrap();
                }
            }
        }
        assert!(tried > 0);
    }

    /// A request with this text at every place where a page names a player or a file.
    #[test]
    fn no_request_of_the_page_names_a_player_or_a_file() {
        let none = Trust::default();
        for entry in GAMES {
            let game = entry.make([]).unwrap();
            let seats = game.spec().players;
            let seated =
                SeatedGame::new(game.clone(), 0, vec![Seat::new("", Seat::HUMAN); seats], None).unwrap();
            for text in REFUSED_PLAYERS {
                let read = |value| serde_json::from_value(value).unwrap();
                let begin: BeginRequest = read(json!({ "env": entry.id, "seats": vec![text; seats] }));
                assert!(begin.make(&none).is_err());
                let asked: AnalysisRequest =
                    serde_json::from_value(json!({ "player": text, "revision": 0 })).unwrap();
                assert!(asked.answer(&seated, &ViewQuery::default(), &none, &Default::default()).is_err());
                let asked: ReviewRequest =
                    serde_json::from_value(json!({ "player": text, "revision": 0, "from": 0 })).unwrap();
                assert!(asked.answer(&seated, &none, &Default::default(), || false).is_err());
            }
            let options = entry.option_list();
            for option in options.iter().filter(|option| matches!(option.paths, Paths::AllBut { .. })) {
                let set = json!({ option.name: "/etc/passwd" });
                let refused = |said: String| assert!(said.contains("only taken from the user"), "{said}");
                let rules: RulesRequest =
                    serde_json::from_value(json!({ "env": entry.id, "options": set })).unwrap();
                refused(rules.make(&none).map(drop).unwrap_err().to_string());
                let begin = json!({ "env": entry.id, "options": set, "seats": vec!["random"; seats] });
                let begin: BeginRequest = serde_json::from_value(begin).unwrap();
                refused(begin.make(&none).map(drop).unwrap_err().to_string());
                let mut record = serde_json::to_value(game.clone().single(0).record()).unwrap();
                record["options"][option.name] = "/etc/passwd".into();
                let load: LoadRequest =
                    serde_json::from_value(json!({ "text": record.to_string() })).unwrap();
                refused(load.record(&none).unwrap_err().to_string());
            }
        }
    }
}
