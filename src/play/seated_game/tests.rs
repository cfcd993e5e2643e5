use super::*;
use crate::engine::{AutoReset, BatchConfig, OptionValue, View};
use crate::games::GAMES;
use crate::player::DEFAULT_TIME_LIMIT;

fn seated(id: &str, players: &[&str]) -> SeatedGame {
    let game = crate::games::find(id).unwrap().make([]).unwrap();
    let seats = (0..game.spec().players).map(|s| Seat::new(format!("p{s}"), players[s % players.len()]));
    SeatedGame::new(game.clone(), 1, seats.collect(), DEFAULT_TIME_LIMIT).unwrap()
}

fn advance(seated: &mut SeatedGame) {
    match seated.awaits_person() {
        true => seated.play(seated.game().legal_actions()[0]).unwrap(),
        false => seated.play_bot().unwrap(),
    }
}

#[test]
fn undo_goes_back_to_the_decision_of_a_person_before() {
    for entry in GAMES {
        let mut seated = seated(entry.id, &["random", "human"]);
        assert!(!seated.undo(), "{}: nothing was decided yet", entry.id);
        let mut before = Vec::new();
        while before.len() < 5 {
            if seated.awaits_person() {
                before.push(seated.game().position());
            }
            advance(&mut seated);
        }
        for position in before.iter().rev() {
            assert!(seated.undo());
            assert_eq!(&seated.game().position(), position, "{}", entry.id);
            assert_eq!(seated.log(0).len(), seated.steps());
        }
        assert!(!seated.undo());
    }
}

#[test]
fn the_screen_shows_only_the_viewers_information() {
    for entry in GAMES {
        let mut bots = seated(entry.id, &["random"]);
        let mut one = seated(entry.id, &["human", "random"]);
        let mut all = seated(entry.id, &["human"]);
        for _ in 0..30 {
            for seated in [&mut bots, &mut one, &mut all] {
                advance(seated);
            }
            if !all.is_running() {
                break;
            }
            assert_eq!(bots.viewer(), None);
            assert!(bots.scores().iter().all(Option::is_some));
            assert_eq!(all.viewer(), Some(all.game().current_player()));
            // The coins of others are hidden in Small World; cards of Star Wars Risk score nothing.
            let hidden = entry.id == "smallworld";
            let shown = all.scores().iter().flatten().count();
            assert_eq!(shown, if hidden { 1 } else { all.seats().len() });
        }
        assert_eq!(one.seats()[one.viewer().unwrap()].bot, None);
    }
}

#[test]
fn players_of_one_name_are_numbered() {
    let name_of = |names: &[&str]| {
        let mut seats: Vec<Seat> = names.iter().map(|name| Seat::new(*name, "random")).collect();
        number_names(&mut seats);
        seats.into_iter().map(|seat| seat.name).collect::<Vec<_>>()
    };
    assert_eq!(name_of(&["me", "Ada", "me", "", "", "me"]), ["me", "Ada", "me 2", "", "", "me 3"]);
    // A number that is taken is not given again, and a long name is cut.
    assert_eq!(name_of(&["me", "me", "me 2"]), ["me", "me 3", "me 2"]);
    let long = "é".repeat(MAX_NAME);
    assert_eq!(name_of(&[&long, &long])[1], "é".repeat(MAX_NAME - 2) + " 2");
}

#[test]
fn the_result_addresses_the_person_at_the_screen() {
    for entry in GAMES {
        for players in [&["random"][..], &["human", "random"], &["human"]] {
            let mut seated = seated(entry.id, players);
            assert_eq!(seated.result(), None);
            for turn in 0.. {
                if !seated.is_running() {
                    break;
                }
                let legal = seated.game().legal_actions();
                match seated.awaits_person() {
                    true => seated.play(legal[turn * 31 % legal.len()]).unwrap(),
                    false => seated.play_bot().unwrap(),
                }
            }
            let said = seated.result().unwrap();
            let alone = seated.seats().iter().filter(|seat| seat.bot.is_none()).count() == 1;
            let to_me = said.starts_with("you ");
            let shared = ["draw", "share", "stopped"].iter().any(|word| said.contains(word));
            assert!(shared || to_me == alone, "{}: {said}", entry.id);
            // The result states the scores or the reason.
            assert!(shared || said.contains("won: ") || said.contains("won, "), "{}: {said}", entry.id);
            assert!(seated.game().status() == Status::Truncated || !said.contains("stopped"), "{said}");
        }
    }
}

#[test]
fn a_step_limit_ends_single_games_and_batches_alike() {
    for entry in GAMES {
        let game = entry.make([("max_steps", OptionValue::Int(5))]).unwrap();
        let seats = (0..game.spec().players).map(|_| Seat::new("", "random")).collect();
        let mut seated = SeatedGame::new(game.clone(), 3, seats, DEFAULT_TIME_LIMIT).unwrap();
        let autoreset = AutoReset::Disabled;
        let config = BatchConfig { num_envs: 1, seed: 3, autoreset, ..BatchConfig::default() };
        let mut batch = game.vector(config).unwrap();
        for step in 1..=5 {
            seated.play_bot().unwrap();
            batch.step(&[seated.record().actions[step - 1]]).unwrap();
            let of_batch = batch.single(0).unwrap();
            assert_eq!(seated.is_running(), step < 5, "{}", entry.id);
            assert_eq!(of_batch.status(), seated.game().status());
            assert_eq!(batch.columns().truncated[0] == 1, step == 5);
            assert_eq!(of_batch.position(), seated.game().position());
        }
        assert_eq!(seated.result().unwrap(), "stopped without a result after 5 steps");
        let stopped = "stopped without a result after 5 steps";
        assert_eq!(seated.game().standing(), stopped);
        let [text, svg] = [seated.game().to_text(View::default()), seated.game().to_svg(View::default())];
        for picture in [text.unwrap(), svg.unwrap()] {
            assert!(!picture.contains("to move") && !picture.contains("moves  "), "{}: {picture}", entry.id);
            // A drawing repeats the line in its title; Tilewe's text has a line per player instead.
            let captions = if picture.starts_with("<svg") { 2 } else { usize::from(entry.id != "tilewe") };
            assert_eq!(picture.matches(stopped).count(), captions, "{}: {picture}", entry.id);
        }
        assert!(seated.game().legal_actions().is_empty());
        assert!(seated.play_bot().unwrap_err().to_string().contains("finished"));
        let replayed = replay(&seated.record(), |_, _| Ok(())).unwrap();
        assert_eq!(replayed.status(), Status::Truncated);
        assert!(seated.undo() && seated.is_running());
    }
}

#[test]
fn people_read_names_and_words_and_count_seats_from_1() {
    for entry in GAMES {
        let mut seated = seated(entry.id, &["random"]);
        let unnamed = seated.game().game().single(1).names();
        while seated.is_running() && seated.steps() < 200 {
            let game = seated.game();
            let text = game.to_text(View::default()).unwrap();
            let action = game.legal_actions()[0];
            let words = game.action_in_words(action).unwrap();
            advance(&mut seated);
            let step = seated.log(seated.steps() - 1).pop().unwrap().1;
            assert_ne!(seated.game().log().last().unwrap().label, step, "{}: a program's word", entry.id);
            for said in [text, words, step] {
                let unnamed = unnamed.iter().find(|name| said.contains(name.as_str()));
                assert_eq!(unnamed, None, "{}: the players have names\n{said}", entry.id);
                assert!(!said.to_lowercase().contains("player 0"), "{}: {said}", entry.id);
            }
        }
    }
}

#[test]
fn actions_without_chance_have_a_preview() {
    let chess = seated("chess", &["human"]);
    let action = chess.game().string_to_action("e4").unwrap();
    let shown = chess.preview(action).unwrap();
    let mut played = chess.clone();
    played.play(action).unwrap();
    assert_eq!(shown.position(), played.game().position());
    assert_eq!(chess.steps(), 0);
}

#[test]
fn every_attempt_is_written_to_the_log_as_it_is_made() {
    let file = std::env::temp_dir().join(format!("ludovec-match-{}.log", std::process::id()));
    for entry in GAMES {
        let mut seated = seated(entry.id, &["random", "human"]);
        seated.log_to(&file).unwrap();
        for step in 0..6 {
            let seat = seated.game().current_player();
            advance(&mut seated);
            let text = std::fs::read_to_string(&file).unwrap();
            assert_eq!(text.lines().count(), step + 1, "{}", entry.id);
            let line: serde_json::Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
            assert_eq!((&line["step"], &line["seat"]), (&step.into(), &seat.into()));
            assert_eq!(line["player"], format!("p{seat}"));
            assert!(line["result"].is_string() && line["refused"].is_null(), "{line}");
        }
    }
    std::fs::remove_file(&file).unwrap();
    assert!(seated(GAMES[0].id, &["random"]).log_to(Path::new("/no/such/folder/x.log")).is_err());
}

#[test]
fn the_log_lists_refused_attempts_of_built_in_bots_with_reasons() {
    let file = std::env::temp_dir().join(format!("ludovec-tried-{}.log", std::process::id()));
    let mut seated = seated("empires", &["super_random"]);
    seated.log_to(&file).unwrap();
    for _ in 0..40 {
        // The refusal is for the raw action, as a scripted bot would submit it.
        let told = seated.game().bot_attempt("super_random").unwrap();
        let passed = seated.game().bot_action("super_random") == seated.game().bot_action("pass");
        assert!(passed || told.is_none(), "{told:?}");
        advance(&mut seated);
        let text = std::fs::read_to_string(&file).unwrap();
        let line: serde_json::Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
        assert_eq!(line["refused"].as_str().map(String::from), told);
    }
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.lines().filter(|line| !line.contains("\"refused\":null")).count() > 10, "{text}");
    std::fs::remove_file(&file).unwrap();
}

#[test]
fn people_and_bots_play_only_their_own_turns() {
    let mut seated = seated(GAMES[0].id, &["human", "random"]);
    assert!(seated.play_bot().unwrap_err().to_string().contains("p0"));
    while seated.awaits_person() {
        advance(&mut seated);
    }
    let action = seated.game().legal_actions()[0];
    assert!(seated.play(action).unwrap_err().to_string().contains("p1"));
}

#[test]
fn a_line_that_was_left_is_kept_and_comes_back_with_its_chance() {
    for entry in GAMES {
        let mut seated = seated(entry.id, &["random"]);
        (0..12).for_each(|_| advance(&mut seated));
        let first = seated.game().log();
        seated.fork(5, None).unwrap();
        assert_eq!((seated.steps(), seated.game().log()), (5, first[..5].to_vec()), "{}", entry.id);
        while seated.steps() < 9 {
            let legal = seated.game().legal_actions();
            let action = legal[legal.len() - 1];
            let mut on = seated.clone();
            on.play_again(&[action]).unwrap();
            seated = on;
        }
        let second = seated.game().log();
        let variations = seated.variations();
        assert_eq!(variations.len(), usize::from(second != first[..9]), "{}", entry.id);
        // The record keeps the tree.
        let record = seated.record();
        let seats = vec![Seat::new("", "random"); record.scores.len()];
        let again = SeatedGame::of_record(&record, seats, None).unwrap();
        assert_eq!((again.variations(), again.record().variations), (variations.clone(), variations.clone()));
        if variations.is_empty() {
            continue;
        }
        for mut seated in [seated, again] {
            seated.switch(0).unwrap();
            assert_eq!(seated.game().log(), first, "{}", entry.id);
            seated.switch(0).unwrap();
            assert_eq!(seated.game().log(), second, "{}", entry.id);
            assert!(seated.switch(1).is_err() && seated.fork(99, None).is_err());
            assert_eq!(seated.game().log(), second, "{}", entry.id);
        }
        // A wrong variation is refused.
        let mut wrong = record;
        wrong.variations[0].labels[0] = "no such".into();
        let seats = vec![Seat::new("", "random"); wrong.scores.len()];
        assert!(SeatedGame::of_record(&wrong, seats, None).unwrap_err().to_string().contains("variation 0"));
    }
}
