//! Games through the functions of a library, in this process: they play and speak as they do when they are linked.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use ludovec_engine::chance::Chance;
use ludovec_engine::{
    ActionLayout, AnyGame, BatchConfig, Dialect, Effort, Entry, Error, Guide, ObservationFormat,
    ObservationLayout, Options, Picture, Result, Rules, Spec, Status, Theme, View, Words, mask, rollout,
};
use ludovec_smallworld::{ENTRY as SMALLWORLD, SmallWorld};
use serde_json::{Value, json};

use crate::{check_abi, entries};

mod faulty {
    use super::*;

    /// A game that fails at its fourth decision, in the way that its option says.
    pub(super) struct Faulty {
        spec: Spec,
        fault: String,
    }

    fn options() -> Vec<ludovec_engine::OptionSpec> {
        let faults = ["none", "panic", "error", "nan", "build", "other", "player"];
        vec![ludovec_engine::OptionSpec::choice("fault", &faults, "none", "the fault")]
    }
    fn build(options: &Options) -> Result<Arc<dyn AnyGame>> {
        let fault = options.text("fault").unwrap_or_default().to_string();
        let mut actions = ActionLayout::default();
        actions.push("GO", 2, "go on");
        let mut observation = ObservationLayout::default();
        observation.push("decisions", &[1], 9, "decisions so far");
        let spec = Spec::of::<u16>("faulty", 1, "it fails", options, 2, actions, observation);
        let spec = Spec { max_episode_steps: 9, ..spec };
        match fault.as_str() {
            "build" => panic!("no board fits"),
            "other" => ludovec_smallworld::ENTRY.make([]),
            _ => Ok(Arc::new(Faulty { spec, fault })),
        }
    }
    pub(super) const FAULTY: Entry = Entry::new("faulty", "Faulty", "it fails", options, build);

    impl Rules for Faulty {
        type State = u16;

        fn spec(&self) -> &Spec {
            &self.spec
        }
        fn init<C: Chance + ?Sized>(&self, _: &mut C) -> u16 {
            0
        }
        fn status(&self, state: &u16) -> Status {
            match state {
                0..9 => Status::Running,
                9 => Status::Terminated,
                _ => Status::Truncated,
            }
        }
        fn current_player(&self, state: &u16) -> usize {
            match (self.fault.as_str(), state) {
                ("player", 4) => panic!("nobody is next"),
                _ => usize::from(*state) % 2,
            }
        }
        fn legal(&self, state: &u16, mask: &mut [u64]) {
            mask.fill(0);
            (0..if *state == 8 { 1 } else { 2 }).for_each(|action| mask::set(mask, action));
        }
        fn step<C: Chance + ?Sized>(&self, state: &mut u16, action: u32, _: &mut C) {
            match (self.fault.as_str(), *state) {
                ("panic", 3) => panic!("step {state} breaks"),
                ("error", 3) => Error::state("no step").unwind(),
                _ => {}
            }
            *state = if *state == 7 && action == 1 { 10 } else { *state + 1 };
        }
        fn observe(&self, state: &u16, _: usize, out: &mut [u8]) {
            out[0] = (*state).min(9) as u8;
        }
        fn scores(&self, state: &u16, out: &mut [f32]) {
            out.fill(f32::from(*state));
            if self.fault == "nan" && *state > 3 {
                out[0] = f32::NAN;
            }
        }
        fn ranks(&self, _: &u16, out: &mut [u8]) {
            out.copy_from_slice(&[1, 0]);
        }
        fn validate(&self, state: &u16) -> Result<()> {
            if *state <= 10 { Ok(()) } else { Err(Error::state("at most 10 steps")) }
        }
    }
    impl Words for Faulty {}
    impl Picture for Faulty {}
    impl Guide for Faulty {}
    impl Dialect for Faulty {}
}
use faulty::{FAULTY, Faulty};

crate::export_game!(SMALLWORLD: Faulty | SmallWorld, FAULTY: Faulty);

/// The entries of the exported games.
fn exported() -> Vec<Entry> {
    let mut count = 0;
    let games = ludovec_games(&mut count);
    // Safety: the table is that of this crate.
    unsafe { entries(games, count) }.unwrap()
}

/// The game as it is linked, and through the table.
fn both(index: usize, options: &[(&str, &str)]) -> [Arc<dyn AnyGame>; 2] {
    let given: Vec<_> =
        options.iter().map(|(key, value)| (*key, ludovec_engine::OptionValue::from(*value))).collect();
    let linked = [SMALLWORLD, FAULTY][index].make(&given).unwrap();
    [linked, exported()[index].make(&given).unwrap()]
}

const GAMES: [(usize, &[(&str, &str)]); 3] =
    [(0, &[]), (0, &[("players", "4"), ("reward", "score")]), (1, &[])];

#[test]
fn entries_have_the_texts_and_options_of_the_linked_ones() {
    for (theirs, ours) in exported().iter().zip([SMALLWORLD, FAULTY]) {
        assert_eq!((theirs.id, theirs.name, theirs.summary), (ours.id, ours.name, ours.summary));
        assert_eq!((theirs.rules, theirs.rules_link), (ours.rules, ours.rules_link));
        assert_eq!(theirs.option_list(), ours.option_list());
        assert_eq!(theirs.champions, ours.champions);
        assert!(theirs.is_guest());
    }
    let said = exported()[0].make([("players", 9.into())]).map(drop).unwrap_err().to_string();
    assert!(said.contains("players=9"), "{said}");
    assert!(check_abi(ludovec_abi()).is_ok());
    let said = check_abi(7).unwrap_err().to_string();
    assert!(said.contains("version 7") && said.contains("version 1"), "{said}");
}

#[test]
fn batches_play_as_linked_games_do() {
    for (index, options) in GAMES {
        let [linked, door] = both(index, options);
        let specs =
            [&linked, &door].map(|game| Spec { state_bytes: 0, state: Vec::new(), ..game.spec().clone() });
        assert_eq!(specs[0], specs[1]);
        for observation in [ObservationFormat::U8, ObservationFormat::Packed] {
            let config = BatchConfig {
                num_envs: 20,
                seed: 3,
                threads: Some(2),
                observation,
                ..BatchConfig::default()
            };
            let [a, b] = [&linked, &door].map(|game| {
                let mut env = game.vector(config.clone()).unwrap();
                rollout::checksum_of_rollout(&mut *env, 120).unwrap()
            });
            assert_eq!(a, b, "{index} {options:?}");
        }
    }
}

#[test]
fn exported_games_pass_the_conformance_suite() {
    for (index, options) in GAMES {
        let effort = Effort { games: 2, slow_positions: 4, batch_steps: 20, ..Effort::default() };
        both(index, options)[1].check_conformance(effort).unwrap_or_else(|said| panic!("{index}: {said}"));
    }
}

#[test]
fn games_say_and_draw_what_linked_games_do() {
    for (index, options) in GAMES {
        let games = both(index, options);
        let players = games[0].spec().players;
        assert_eq!(games[0].bots(), games[1].bots());
        assert_eq!(games[0].symmetries(), games[1].symmetries());
        assert_eq!(games[0].gtp(), games[1].gtp());
        for theme in [Theme::Light, Theme::Dark] {
            assert_eq!(games[0].seat_colours(theme), games[1].seat_colours(theme));
        }
        let mut plays = games.each_ref().map(|game| game.single(5));
        let mut decision = 0;
        while plays[0].status() == Status::Running && decision < 40 {
            decision += 1;
            let legal = plays[0].legal_actions();
            let action = legal[decision * 7 % legal.len()];
            // A search takes long, and asks nothing else.
            let own = games[0].bots().into_iter().map(|(name, _)| name);
            let own: Vec<&str> = own.filter(|name| !["flat", "search"].contains(name)).collect();
            let [a, b] = plays.each_ref().map(|play| {
                let seats = (0..players).map(Some).chain([None]);
                let view = |seat| View { seat, theme: Theme::Dark, ..View::default() };
                let said: Vec<Value> = seats
                    .map(|seat| {
                        json!([
                            play.to_text(view(seat)).unwrap(),
                            play.to_svg(view(seat)).unwrap(),
                            play.places(view(seat)),
                            play.beside(view(seat)),
                            play.narrate(0, seat),
                            seat.map(|seat| play.information_state(seat).unwrap()),
                            seat.map(|seat| play.observation_to_json(seat).unwrap()),
                            play.shown_scores(seat),
                        ])
                    })
                    .collect();
                let json = play.action_to_json(action).unwrap();
                let text = play.action_to_string(action).unwrap();
                assert_eq!(play.action_from_json(&json).unwrap(), action);
                assert_eq!(play.string_to_action(&text).unwrap(), action);
                let bots: Vec<u32> = own.iter().map(|name| play.bot_action(name).unwrap()).collect();
                let compound = play.compound_actions();
                let more = json!([
                    text,
                    json,
                    play.action_in_words(action).unwrap(),
                    play.footprint(action),
                    play.estimates(),
                    play.scores(),
                    bots,
                    compound,
                    play.turn(),
                    play.title(),
                    play.standing(),
                    play.names(),
                    play.bot_request(),
                    play.bot_reply(action).unwrap(),
                    play.explain_places(&[]),
                    play.check(u32::MAX).map_err(|error| error.to_string()).err(),
                    (0..legal[0]).next().map(|a| play.check(a).map_err(|error| error.to_string()).err()),
                ]);
                (said, more, clean(&play.position()))
            });
            assert_eq!(clean(&a.0.into()), clean(&b.0.into()), "{index} {decision}");
            assert_eq!(clean(&a.1), clean(&b.1), "{index} {decision}");
            if index == 0 {
                assert_eq!(a.2, b.2, "{index} {decision}");
            }
            let copy = games[1].single_from_position(&plays[1].position(), 0).unwrap();
            assert_eq!(copy.position_bytes(), plays[1].position_bytes());
            for play in &mut plays {
                play.step(action).unwrap();
            }
        }
        assert_eq!(plays[0].returns(), plays[1].returns());
        assert_eq!(plays[0].standing(), plays[1].standing());
        assert_eq!(plays[0].estimates(), plays[1].estimates());
    }
}

/// A value without the keys that a guest adds, and with rounded numbers.
fn clean(value: &Value) -> Value {
    match value {
        Value::Object(fields) => fields
            .iter()
            .filter(|(key, _)| *key != "_decisions")
            .map(|(k, v)| (k.clone(), clean(v)))
            .collect(),
        Value::Array(elements) => elements.iter().map(clean).collect(),
        // Reading JSON rounds the last digit.
        Value::Number(number) if number.is_f64() => {
            format!("{:.9}", number.as_f64().unwrap_or_default()).into()
        }
        other => other.clone(),
    }
}

/// The error of a call: returned, or unwound.
fn failure<T>(call: impl FnOnce() -> Result<T>) -> String {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(_)) => "nothing".into(),
        Ok(Err(error)) => error.to_string(),
        Err(payload) => payload.downcast_ref::<Error>().expect("an error of the engine").to_string(),
    }
}

#[test]
fn failures_of_the_rules_are_errors_that_name_the_game() {
    let entry = exported()[1];
    for (fault, expected) in [
        ("none", "nothing"),
        ("panic", "faulty: the rules panicked at src/guest/tests/door.rs"),
        ("error", "invalid state: no step"),
        ("nan", "faulty.scores: NaN, a finite number is needed"),
        ("build", "faulty: the rules panicked at src/guest/tests/door.rs"),
        ("other", "faulty: export_game! does not name the type of these rules"),
        ("player", "faulty: the rules panicked at src/guest/tests/door.rs"),
    ] {
        let said = failure(|| {
            let given = [("fault", fault.into()), ("reward", "score".into())];
            let game = entry.make(given)?;
            let config = BatchConfig { num_envs: 40, threads: Some(2), ..BatchConfig::default() };
            let mut env = game.vector(config)?;
            (0..20).try_for_each(|_| env.step_sampled())
        });
        assert!(said.starts_with(expected), "{fault}: {said}");
    }
}
