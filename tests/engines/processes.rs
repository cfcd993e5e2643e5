//! Processes of engines: limits of their output at every stage, and the end of everything that they have started.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use ludovec::engine::Interrupt;
use ludovec::play::player::Player;

use super::Test;
use super::uci::{process_in, scratch, short_chess, wait_for_end};

pub const TESTS: &[Test] = &[
    ("output_without_end_is_refused_at_every_stage", output_without_end_is_refused_at_every_stage),
    ("a_crashed_engine_leaves_no_process", a_crashed_engine_leaves_no_process),
    (
        "an_engine_behind_a_script_ends_with_a_killed_parent",
        an_engine_behind_a_script_ends_with_a_killed_parent,
    ),
];

/// A script in the folder for temporary files.
fn script(name: &str, text: &str) -> PathBuf {
    let file = scratch(name);
    std::fs::write(&file, text).unwrap();
    file
}

/// The reason why an engine that is a script loses its first move.
fn reason(script: &Path, arguments: &str) -> String {
    let game = short_chess();
    let text = format!("uci:sh '{}' {arguments}", script.display());
    let bot = Player::parse(&*game, &text, Duration::from_secs(60)).unwrap();
    let decision = bot.act(&game.single(0), &Interrupt::default()).unwrap();
    decision.fault.map(|fault| fault.reason).unwrap_or_default()
}

fn output_without_end_is_refused_at_every_stage() {
    let engine = script(
        "flood",
        "flood() { exec yes \"$1 $(printf %04000d 0)\"; }\n\
         while read -r line; do\n\
           case \"$1 $line\" in\n\
             'start uci') flood 'option name';;\n\
             *' uci') echo uciok;;\n\
             'ready isready') flood 'info string';;\n\
             *' isready') echo readyok;;\n\
             'answer go'*) flood 'info string';;\n\
           esac\n\
         done\n",
    );
    for stage in ["start", "ready", "answer"] {
        let said = reason(&engine, stage);
        assert!(said.contains("it wrote more than") && said.lines().count() == 1, "{stage}: {said}");
    }
    std::fs::remove_file(engine).unwrap();
}

fn a_crashed_engine_leaves_no_process() {
    // A grandchild that keeps the output open hides its end from a reader, but not the exit of the engine.
    for output in [">/dev/null 2>&1", ""] {
        let started = scratch("grandchild");
        let text = format!("sleep 1000 {output} </dev/null &\necho $! > '{}'\nexit 3\n", started.display());
        let engine = script("crash", &text);
        let game = short_chess();
        let text = format!("uci:sh '{}'", engine.display());
        let bot = Player::parse(&*game, &text, Duration::from_secs(1)).unwrap();
        let fault = bot.act(&game.single(0), &Interrupt::default()).unwrap().fault.unwrap();
        let ended = ["it has ended", "no answer within"].iter().any(|words| fault.reason.contains(words));
        assert!(ended, "{fault}");
        wait_for_end(process_in(&started));
        std::fs::remove_file(started).unwrap();
        std::fs::remove_file(engine).unwrap();
    }
}

fn an_engine_behind_a_script_ends_with_a_killed_parent() {
    let (unused, started) = (scratch("script-holder"), scratch("wrapped"));
    // The engine reads nothing, so that it does not notice the end of its input.
    let text = format!("sleep 1000 </dev/null &\necho $! > '{}'\nwait\n", started.display());
    let engine = script("wrapper", &text);
    let mut holder = Command::new(std::env::current_exe().unwrap());
    let engine_text = format!("uci:sh '{}'", engine.display());
    let mut holder = holder.args(["fake", "holder"]).arg(&unused).arg(engine_text).spawn().unwrap();
    let process = process_in(&started);
    // SIGKILL.
    holder.kill().unwrap();
    holder.wait().unwrap();
    wait_for_end(process);
    for file in [unused, started, engine] {
        let _ = std::fs::remove_file(file);
    }
}
