//! UCI engines that misbehave.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ludovec::engine::{AnyGame, Error, Interrupt, OptionValue};
use ludovec::games;
use ludovec::play::player::Player;
use ludovec::play::tournament::{Pairings, TournamentConfig, TournamentResult, play};

use super::Test;
use super::fake::command;

pub const TESTS: &[Test] = &[
    ("an_engine_that_misbehaves_loses_moves_and_stops_no_game", an_engine_that_misbehaves_loses_moves),
    ("an_engine_that_never_starts_ends_the_call", an_engine_that_never_starts_ends_the_call),
    ("an_engine_that_crashes_sometimes_starts_again", an_engine_that_crashes_sometimes_starts_again),
    ("a_well_behaved_engine_loses_no_move", a_well_behaved_engine_loses_no_move),
    ("processes_are_few_and_reused", processes_are_few_and_reused),
    ("an_engine_that_lacks_something_ends_the_call", an_engine_that_lacks_something_ends_the_call),
    ("an_interrupt_ends_the_wait_and_the_engine", an_interrupt_ends_the_wait_and_the_engine),
    #[cfg(target_os = "linux")]
    ("an_engine_ends_with_a_killed_parent", an_engine_ends_with_a_killed_parent),
    ("wrong_texts_are_refused", wrong_texts_are_refused),
];

pub fn chess(options: &[(&str, OptionValue)]) -> Arc<dyn AnyGame> {
    games::find("chess").unwrap().make(options).unwrap()
}

pub fn short_chess() -> Arc<dyn AnyGame> {
    chess(&[("max_plies", 14.into())])
}

/// A new file name in the folder for temporary files.
pub fn scratch(name: &str) -> PathBuf {
    let file = std::env::temp_dir().join(format!("ludovec-{name}-{}", std::process::id()));
    let _ = std::fs::remove_file(&file);
    file
}

/// Games against `random`.
pub fn against_random(
    game: &Arc<dyn AnyGame>,
    text: &str,
    time_limit: Duration,
    (games, threads): (u64, usize),
) -> Result<TournamentResult, Error> {
    let players = [Player::parse(&**game, text, time_limit)?, Player::parse(&**game, "random", time_limit)?];
    let config = TournamentConfig { games, seed: 1, threads: Some(threads), ..TournamentConfig::default() };
    play(game, &players, Pairings::RoundRobin, &config, &Interrupt::default(), |_, _| ())
}

fn an_engine_that_misbehaves_loses_moves() {
    let mut modes = vec![
        ("crash", "it has ended"),
        ("hang", "no answer within"),
        ("illegal", "a1a8"),
        ("garbage", "xyzzy"),
        ("none", "(none)"),
        ("empty", "without a move"),
        ("flood", "it wrote more than"),
        ("endless", "a line of more than"),
        ("binary", "no legal move"),
        ("late", "no answer within"),
    ];
    if cfg!(target_os = "linux") {
        modes.push(("close", "closed its output"));
    }
    let tested = modes.into_iter().map(|(mode, reason)| {
        std::thread::spawn(move || {
            let game = short_chess();
            let limit = limit_of(reason);
            let table = against_random(&game, &command("uci", mode, ""), limit, (2, 1)).unwrap();
            let standing = table.standings.iter().find(|s| s.bot.starts_with("uci:")).unwrap();
            assert_eq!((table.games, table.partial), (2, false), "{mode}");
            assert!(standing.faults > 0 && standing.faults as usize <= 14, "{mode}: {standing:?}");
            let reasons: Vec<&str> = table.faults.iter().map(|fault| fault.reason.as_str()).collect();
            assert!(reasons.iter().any(|said| said.contains(reason)), "{mode}: {reasons:?}");
            let is_known = |said: &&str| said.contains(reason) || said.contains("no longer asked");
            assert!(reasons.iter().all(is_known), "{mode}: {reasons:?}");
            let readable = |said: &&str| said.len() < 600 && !said.contains(|c: char| c.is_control());
            assert!(reasons.iter().all(readable), "{mode}: {reasons:?}");
        })
    });
    let tested: Vec<_> = tested.collect();
    assert!(tested.into_iter().map(|test| test.join()).filter(Result::is_err).count() == 0);
}

fn an_engine_that_never_starts_ends_the_call() {
    for (mode, reason) in [
        ("exit", "it has ended"),
        ("licence", "it has ended (exit status: 3): no licence found"),
        ("mute", "no answer within"),
        // The first process starts, and no later one does: the engine loses moves.
        ("once", ""),
    ] {
        let starts = scratch(&format!("never-{mode}"));
        let text = command("uci", mode, &format!(" '{}'", starts.display()));
        match against_random(&short_chess(), &text, limit_of(reason), (4, 2)) {
            Err(error) => {
                let said = error.to_string();
                assert!(matches!(error, Error::InvalidConfig(_)), "{mode}: {said}");
                assert!(said.contains(reason) && said.contains(&text), "{mode}: {said}");
                assert_eq!(said.lines().count(), 1, "{mode}: {said}");
            }
            Ok(table) => assert!(mode == "once" && !table.faults.is_empty(), "{mode}: {table:?}"),
        }
        std::fs::remove_file(starts).unwrap();
    }
}

/// A time limit that only a silent program can exceed, however busy the machine is.
pub fn limit_of(reason: &str) -> Duration {
    if reason.starts_with("no answer") { Duration::from_millis(400) } else { Duration::from_secs(60) }
}

fn an_engine_that_crashes_sometimes_starts_again() {
    let table =
        against_random(&short_chess(), &command("uci", "sometimes", ""), Duration::from_secs(20), (2, 1))
            .unwrap();
    let faults = table.faults.len();
    // Each process answers twice and crashes at the third question.
    assert!((3..=5).contains(&faults), "{:?}", table.faults);
    assert!(table.faults.iter().all(|fault| fault.reason.contains("it has ended")), "{:?}", table.faults);
}

fn a_well_behaved_engine_loses_no_move() {
    for (mode, games) in [("good", 6), ("twice", 6), ("history", 1)] {
        let table = against_random(
            &short_chess(),
            &command("uci", mode, "?nodes=5,option.skill=2"),
            Duration::from_secs(30),
            (games, 1),
        );
        let table = table.unwrap();
        assert_eq!((table.games, &table.faults), (games, &Vec::new()), "{mode}");
    }
    // A single game has its history.
    let game = chess(&[]);
    let mut single = game.clone().single(0);
    let bot = Player::parse(&*game, &command("uci", "good", ""), Duration::from_secs(30)).unwrap();
    for _ in 0..6 {
        let decision = bot.act(&single, &Interrupt::default()).unwrap();
        assert_eq!(decision.fault, None);
        assert_eq!(decision.action, single.legal_actions()[0]);
        single.step(decision.action).unwrap();
    }
}

fn processes_are_few_and_reused() {
    let starts = scratch("starts");
    let text = command("uci", "good", &format!(" '{}'", starts.display()));
    let count = || std::fs::read_to_string(&starts).unwrap().lines().count();
    let play =
        |threads| against_random(&short_chess(), &text, Duration::from_secs(30), (20, threads)).unwrap();
    play(1);
    assert_eq!(count(), 1);
    play(1);
    assert_eq!(count(), 1, "an idle process plays the next tournament");
    play(3);
    assert!((2..=3).contains(&count()));
    std::fs::remove_file(starts).unwrap();
}

fn an_engine_that_lacks_something_ends_the_call() {
    let plays = |game: &Arc<dyn AnyGame>, settings: &str| {
        let text = command("uci", "good", settings);
        against_random(game, &text, Duration::from_secs(30), (2, 1)).unwrap_err().to_string()
    };
    let game = short_chess();
    assert!(plays(&game, "?option.Hash=3").contains("skill"), "{}", plays(&game, "?option.Hash=3"));
    assert!(plays(&game, "?option.Skill=9").contains("0 to 5"));
    assert!(plays(&game, "?elo=1500").contains("UCI_LimitStrength"));
    let atomic = chess(&[("variant", "atomic".into())]);
    assert!(plays(&atomic, "").contains("not atomic"));
}

fn an_interrupt_ends_the_wait_and_the_engine() {
    let file = scratch("interrupted");
    let game = short_chess();
    let text = command("uci", "stubborn", &format!(" '{}'", file.display()));
    let bot = Player::parse(&*game, &text, Duration::from_secs(600)).unwrap();
    let interrupt = Interrupt::default();
    let raised = interrupt.clone();
    let (waited, raise) = (file.clone(), move || {
        raised.raise();
    });
    let watch = std::thread::spawn(move || {
        let process = process_in(&waited);
        raise();
        process
    });
    let begun = Instant::now();
    assert!(matches!(bot.act(&game.single(0), &interrupt), Err(Error::Interrupted(_))));
    assert!(begun.elapsed() < Duration::from_secs(300));
    wait_for_end(watch.join().unwrap());
    std::fs::remove_file(file).unwrap();
}

/// The process number that the fake engine wrote.
pub fn process_in(file: &std::path::Path) -> u32 {
    loop {
        match std::fs::read_to_string(file).ok().and_then(|text| text.strip_suffix('\n')?.parse().ok()) {
            Some(process) => return process,
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    }
}

/// Waits until a process has ended; a process that stays makes the test hang.
pub fn wait_for_end(process: u32) {
    let state = || std::fs::read_to_string(format!("/proc/{process}/stat")).ok();
    // A zombie has ended.
    while cfg!(target_os = "linux") && state().is_some_and(|stat| !stat.contains(") Z")) {
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[cfg(target_os = "linux")]
fn an_engine_ends_with_a_killed_parent() {
    let file = scratch("orphan");
    let mut holder = std::process::Command::new(std::env::current_exe().unwrap());
    let unused = scratch("holder");
    let text = command("uci", "stubborn", &format!(" '{}'", file.display()));
    let mut holder = holder.args(["fake", "holder"]).arg(&unused).arg(text).spawn().unwrap();
    let process = process_in(&file);
    // SIGKILL.
    holder.kill().unwrap();
    holder.wait().unwrap();
    wait_for_end(process);
    std::fs::remove_file(file).unwrap();
    std::fs::remove_file(unused).unwrap();
}

fn wrong_texts_are_refused() {
    let game = short_chess();
    let refused = |game: &Arc<dyn AnyGame>, text: &str| {
        Player::parse(&**game, text, Duration::from_secs(1)).map(drop).unwrap_err().to_string()
    };
    for (text, word) in [
        ("uci:".to_string(), "command"),
        ("uci:/no/such/engine".into(), "/no/such/engine"),
        (command("uci", "good", "?nodes=0"), "1 to"),
        (command("uci", "good", "?movetime=soon"), "1 to"),
        (command("uci", "good", "?level=3"), "elo, nodes"),
        (command("gtp", "good", ""), "no GTP engine plays chess"),
    ] {
        let said = refused(&game, &text);
        assert!(said.contains(word) && said.lines().count() == 1, "{text}: {said}");
    }
    for options in [[("flags", "knooks".into())], [("variant", "duck".into())]] {
        assert!(refused(&chess(&options), &command("uci", "good", "")).contains("no UCI engine"));
    }
}
