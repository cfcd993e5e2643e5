//! The players of the option `--players`, one text per seat.
//!
//! | text | player |
//! |---|---|
//! | `greedy`, `search:50`, `net:FILE:64`, `http://HOST:PORT`, `uci:COMMAND` | this bot, under the name of its seat |
//! | `llm:MODEL@URL` | this language model, under the name of its seat |
//! | `NAME:BOT` | this bot under a name |
//! | `human`, `human:NAME`, `NAME:human` | a person |
//! | `me` | a person with this name |

use std::sync::Arc;

use crate::arguments::EnvArgs;
use crate::failure::Failure;
use ludovec::engine::similar::did_you_mean;
use ludovec::engine::{AnyGame, OptionValue};
use ludovec::play::player::{is_outside, listed};
use ludovec::play::seated_game::{Seat, number_names};

/// The only name that means a person without the prefix `human:`.
const ME: &str = "me";

/// Makes the game and its seats; without texts, a person plays against `random` bots.
///
/// In games with the options `players` and `names`, these are set to the number and the names of the players.
pub(super) fn of(env: &EnvArgs, texts: &[String]) -> Result<(Arc<dyn AnyGame>, Vec<Seat>), Failure> {
    if texts.is_empty() {
        let game = env.make()?;
        let seat = |i| Seat::new("", if i == 0 { Seat::HUMAN } else { "random" });
        let seats = (0..game.spec().players).map(seat).collect();
        return Ok((game, seats));
    }
    let players = ("players", OptionValue::from(texts.len() as i64));
    let game = env.make_with(std::slice::from_ref(&players))?;
    let mut seats = texts.iter().map(|text| read(&*game, text)).collect::<Result<Vec<_>, _>>()?;
    number_names(&mut seats);
    if seats.iter().all(|seat| seat.name.is_empty()) {
        return Ok((game, seats));
    }
    let unnamed = game.single(0).names();
    let name = |(seat, unnamed): (&Seat, String)| {
        if seat.name.is_empty() { unnamed } else { seat.name.clone() }
    };
    let names: Vec<String> = seats.iter().zip(unnamed).map(name).collect();
    Ok((env.make_with(&[players, ("names", OptionValue::from(names.join(",")))])?, seats))
}

/// The player of one seat.
fn read(game: &dyn AnyGame, text: &str) -> Result<Seat, Failure> {
    let text = text.trim();
    let is_player = |text: &str| is_outside(text) || game.check_bot(text).is_ok();
    if text == Seat::HUMAN || is_player(text) {
        return Ok(Seat::new("", text));
    }
    if text == ME {
        return Ok(Seat::new(ME, Seat::HUMAN));
    }
    let wrong = |what: String| {
        Failure::Usage(format!(
            "--players {text:?}: {what}. A player is a bot of {} ({}, net:FILE, http://HOST:PORT, uci:, gtp:, cmd:COMMAND, llm:MODEL@URL), NAME:BOT, \
             or a person: human, human:NAME or {ME}",
            game.spec().env,
            listed(game).iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
        ))
    };
    let Some((name, player)) = text.split_once(':') else {
        return Err(wrong(format!("there is no such player{}", suggestion(game, text))));
    };
    let (name, player) = (name.trim(), player.trim());
    match name {
        Seat::HUMAN => Ok(Seat::new(player, Seat::HUMAN)),
        _ if player == Seat::HUMAN || is_player(player) => Ok(Seat::new(name, player)),
        // A bot with an invalid number, such as `search:many`.
        _ if game.check_bot(name).is_ok() => match game.check_bot(text) {
            Err(error) => Err(error.into()),
            Ok(()) => Ok(Seat::new("", text)),
        },
        _ => Err(wrong(format!("there is no bot {player:?}{}", suggestion(game, player)))),
    }
}

/// A suggestion for a wrong word: the most similar listed player.
fn suggestion(game: &dyn AnyGame, word: &str) -> String {
    did_you_mean(word, listed(game).into_iter().map(|(name, _)| name).chain([Seat::HUMAN, ME]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ludovec::games::GAMES;

    fn seats(env: &str, players: &str) -> Result<Vec<Seat>, String> {
        let env = EnvArgs { env: env.into(), set: Vec::new() };
        let texts: Vec<String> = players.split(',').map(String::from).collect();
        match of(&env, &texts) {
            Ok((game, seats)) => {
                assert_eq!(game.spec().players, seats.len());
                Ok(seats)
            }
            Err(Failure::Usage(what)) => Err(what),
            Err(_) => panic!("{players}: a wrong call"),
        }
    }

    #[test]
    fn every_text_is_one_player_or_one_error_in_every_game() {
        for entry in GAMES {
            let game = entry.make([]).unwrap();
            let bot = game.bots().last().unwrap().0;
            let of = |text: &str| read(&*game, text);
            for (text, name, player) in [
                ("human", "", None),
                ("human:Ada", "Ada", None),
                ("Ada:human", "Ada", None),
                ("me", "me", None),
                ("search:50", "", Some("search:50")),
                ("Ada:search:50", "Ada", Some("search:50")),
                ("net:some/file:64", "", Some("net:some/file:64")),
                ("it:net:some/file", "it", Some("net:some/file")),
                ("http://127.0.0.1:8000", "", Some("http://127.0.0.1:8000")),
                ("a:http://127.0.0.1:8000", "a", Some("http://127.0.0.1:8000")),
                ("uci:stockfish?nodes=1", "", Some("uci:stockfish?nodes=1")),
                ("Ada:cmd:a 'b:c'", "Ada", Some("cmd:a 'b:c'")),
                ("Ada:llm:m:8b@http://a/v1", "Ada", Some("llm:m:8b@http://a/v1")),
                (bot, "", Some(bot)),
                ("greedy:random", "greedy", Some("random")),
            ] {
                let found = of(text).ok().unwrap();
                assert_eq!((&*found.name, found.bot.as_deref()), (name, player), "{}: {text}", entry.id);
            }
            for (text, word) in [
                ("gredy", "did you mean greedy?"),
                ("Ada:gredy", "did you mean greedy?"),
                ("humna", "did you mean human?"),
                ("Ada", "human:NAME"),
                ("Ada:", "human:NAME"),
                ("search:many", "1 to"),
                ("random:3", "random:3"),
            ] {
                let Err(Failure::Usage(said)) = of(text) else { panic!("{text} is a player") };
                assert!(said.contains(word), "{}: {text}: {said}", entry.id);
            }
        }
    }

    #[test]
    fn the_number_of_players_sets_the_option_for_seats() {
        for entry in GAMES {
            let option = entry.options().into_iter().find(|option| option.name == "players");
            let counts = if option.is_some() { vec![2, 3, 4] } else { vec![2] };
            for count in counts {
                let players: Vec<String> = (0..count).map(|i| format!("p{i}:random")).collect();
                let found = seats(entry.id, &players.join(",")).unwrap();
                assert!(found.iter().enumerate().all(|(i, seat)| seat.name == format!("p{i}")));
                assert_eq!(seats(entry.id, &vec!["random"; count].join(",")).unwrap().len(), count);
            }
            if option.is_some() {
                let said = seats(entry.id, &["random"; 90].join(",")).unwrap_err();
                assert!(said.contains("players=90"), "{said}");
            }
        }
    }
}
