//! `cargo run --release --package ludovec-report`: throughput, game lengths and wins by seat, with plots.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread::available_parallelism;
use std::time::{Duration, SystemTime};

use ludovec::engine::{CpuLevel, Named, Theme};
use ludovec::games;
use ludovec::play::results::thousands;
use ludovec_cli::tool::{
    CommandResult, Failure, ended, files, interruptible, json_line, one_line, pairs, print_table, print_text,
    progress, seconds,
};
use ludovec_report::machine::{self, Machine};
use ludovec_report::{MeasurementPlan, Report, index, measure, parse};

/// Prints a line; a full disk behind standard output is an ordinary error.
macro_rules! println {
    ($($text:tt)*) => { print_text(format_args!("{}\n", format_args!($($text)*))) };
}

/// Measure throughput, game lengths and wins by seat, and plot them
#[derive(clap::Parser)]
#[command(name = "report", version)]
struct Args {
    /// Environment ids; all by default
    envs: Vec<String>,
    /// An option of the environment; allowed with a single environment only
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Folder for report.json, the plots and index.html
    #[arg(long, value_name = "DIR", required_unless_present_any = ["machine", "compare"])]
    out: Option<PathBuf>,
    /// Measure the same work in every environment, on one thread and on all, and write a file for comparing
    /// machines
    #[arg(long, value_name = "FILE", conflicts_with_all = ["out", "from", "set", "batch_sizes", "threads", "games", "bot", "seed"])]
    machine: Option<PathBuf>,
    /// Compare two machines by their files from --machine: the speed of the second one relative to the first
    #[arg(long, value_names = ["FILE", "FILE"], num_args = 2, conflicts_with_all = ["envs", "out", "from", "machine", "set", "seconds"])]
    compare: Vec<PathBuf>,
    /// Plot the measurements of this report.json instead of new ones
    #[arg(long, value_name = "FILE", conflicts_with_all = ["envs", "set", "batch_sizes", "threads", "seconds", "games", "bot", "seed"])]
    from: Option<PathBuf>,
    /// Numbers of parallel games, separated by commas or spaces
    #[arg(long, value_delimiter = ',', num_args = 1.., default_value = "1,16,256,4096", value_parser = number)]
    batch_sizes: Vec<usize>,
    /// Numbers of threads, separated by commas or spaces; 1, 2, 4 and so on up to all cores by default
    #[arg(long, value_delimiter = ',', num_args = 1.., value_parser = number)]
    threads: Vec<usize>,
    /// Time for each batch size with each number of threads
    #[arg(long, value_parser = seconds, default_value = "0.5")]
    seconds: Duration,
    /// Games for lengths and results
    #[arg(long, default_value_t = 2000)]
    games: u64,
    /// The bot in every seat of these games
    #[arg(long, default_value = "random")]
    bot: String,
    /// Seed of all games
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Draw light on dark
    #[arg(long)]
    dark: bool,
}

fn main() -> ExitCode {
    ludovec_cli::tool::main("report", run)
}

/// Runs the program; `call` is the command line, which a report shows.
fn run(args: &Args, call: &[String]) -> CommandResult {
    if let [one, other] = &args.compare[..] {
        return compare(one, other);
    }
    if let Some(file) = &args.machine {
        return measure_machine(args, file);
    }
    let out = args.out.as_ref().expect("clap asks for it");
    files::make_folder(out)?;
    let report = match &args.from {
        Some(file) => {
            parse(&files::read(file)?).map_err(|e| Failure::Wrong(format!("{}: {e}", file.display())))?
        }
        None => measured(args, call)?,
    };
    // Printed before the files are written: a full disk must not lose the measurements.
    print_measured(&report);
    save(args, out, &report)?;
    ended(report.partial && args.from.is_none())
}

/// Writes the measurements, the plots and their page.
fn save(args: &Args, out: &Path, report: &Report) -> CommandResult {
    let theme = if args.dark { Theme::Dark } else { Theme::Light };
    let json = json_line(report) + "\n";
    files::write(&out.join("report.json"), &json)?;
    for (file, svg) in report.environments.iter().flat_map(|measured| measured.plots(theme)) {
        files::write(&out.join(file), &svg)?;
    }
    let page = out.join("index.html");
    files::write(&page, &index(report, theme))?;
    println!("see {}", one_line(&page.display().to_string()));
    Ok(())
}

fn print_measured(report: &Report) {
    let head = ["environment", "games", "decisions a game", "wins by seat", "most decisions/s"];
    let mut rows = vec![head.map(String::from).to_vec()];
    for m in &report.environments {
        let decisions: u64 = m.lengths.iter().map(|(length, games)| u64::from(*length) * games).sum();
        let wins: Vec<String> = m.seats.iter().map(|s| format!("{:.1} %", 100.0 * s.win_share)).collect();
        let fastest = m.throughput.iter().map(|t| t.steps_per_second).fold(0.0, f64::max);
        rows.push(vec![
            m.env.clone(),
            thousands(m.games),
            format!("{:.1}", decisions as f64 / m.games.max(1) as f64),
            wins.join(" "),
            thousands(fastest as u64),
        ]);
    }
    print_table(&rows);
    if report.partial {
        println!("partial: interrupted before its end");
    }
}

/// The processor's name from the operating system, or its architecture, and the level of its fast paths.
fn processor() -> String {
    let told = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let named = told.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    let name = named.map_or(std::env::consts::ARCH, |(_, name)| name.trim());
    format!("{name} ({})", CpuLevel::current().name())
}

/// The environments to measure.
fn ids(args: &Args) -> Vec<&str> {
    match args.envs.as_slice() {
        [] => games::all().into_iter().map(|entry| entry.id).collect(),
        some => some.iter().map(String::as_str).collect(),
    }
}

/// Reads a number of a list; the word after such a list may be an environment.
fn number(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| "a number is needed; environments come before this option".to_string())
}

/// Measures this machine and writes the figures.
fn measure_machine(args: &Args, file: &Path) -> CommandResult {
    let cores = available_parallelism().map_or(1, usize::from);
    let threads = if cores == 1 { vec![1] } else { vec![1, cores] };
    let made = ids(args).into_iter().map(|id| Ok(games::find(id)?.make(pairs(&[])?)?));
    let made = made.collect::<Result<Vec<_>, Failure>>()?;
    let bar = progress("");
    bar.set_length(machine::parts(made.len(), threads.len()) as u64);
    let work = machine::work(&made, &threads, args.seconds, &interruptible()?, |what| {
        bar.set_message(what.to_string());
        bar.inc(1);
    })?;
    bar.finish_and_clear();
    let head = ["environment", "threads", "decisions/s", "simulations/s"].map(String::from).to_vec();
    let row = |work: &machine::Work| {
        let speeds =
            [work.decisions_per_second, work.simulations_per_second].map(|speed| thousands(speed as u64));
        [vec![work.env.clone(), work.threads.to_string()], speeds.to_vec()].concat()
    };
    print_table(&[vec![head], work.iter().map(row).collect()].concat());
    let machine = Machine {
        ludovec: env!("CARGO_PKG_VERSION").into(),
        date: httpdate::fmt_http_date(SystemTime::now()),
        processor: processor(),
        hardware_threads: cores,
        work,
    };
    files::write(file, &(json_line(&machine) + "\n"))
}

/// Prints the speed of the second machine relative to the first.
fn compare(one: &Path, other: &Path) -> CommandResult {
    let read = |file: &Path| {
        Machine::parse(&files::read(file)?).map_err(|e| Failure::Wrong(format!("{}: {e}", file.display())))
    };
    let machines = [read(one)?, read(other)?];
    let common = machines[0].common(&machines[1]);
    if common.is_empty() {
        return Err(Failure::Wrong("the two files have measured nothing in the same version".into()));
    }
    for (file, machine) in [one, other].iter().zip(&machines) {
        let Machine { processor, hardware_threads, ludovec, date, .. } = machine;
        let about = format!("{processor}, {hardware_threads} threads, ludovec {ludovec}, {date}");
        println!("{}", one_line(&format!("{}: {about}", file.display())));
    }
    let mut rows =
        vec![["environment", "threads", "decisions/s", "simulations/s"].map(String::from).to_vec()];
    for (a, b) in common {
        rows.push(vec![
            a.env.clone(),
            if a.threads == b.threads {
                a.threads.to_string()
            } else {
                format!("{} and {}", a.threads, b.threads)
            },
            format!("{:.2} times", b.decisions_per_second / a.decisions_per_second),
            format!("{:.2} times", b.simulations_per_second / a.simulations_per_second),
        ]);
    }
    print_table(&rows);
    Ok(())
}

fn measured(args: &Args, call: &[String]) -> Result<Report, Failure> {
    let cores = available_parallelism().map_or(1, usize::from);
    let powers = (0..).map(|i| 1 << i).take_while(|&threads| threads < cores);
    let ids = ids(args);
    if !args.set.is_empty() && ids.len() != 1 {
        return Err(Failure::Usage("--set: exactly one environment must be named".into()));
    }
    if args.games == 0 {
        return Err(Failure::Usage("--games 0: at least 1 is needed".into()));
    }
    let plan = MeasurementPlan {
        batch_sizes: args.batch_sizes.clone(),
        threads: if args.threads.is_empty() { powers.chain([cores]).collect() } else { args.threads.clone() },
        time: args.seconds,
        games: args.games,
        bot: args.bot.clone(),
        seed: args.seed,
    };
    // Wrong names are refused before the measurements.
    let made = ids.iter().map(|id| Ok(games::find(id)?.make(pairs(&args.set)?)?));
    let made = made.collect::<Result<Vec<_>, Failure>>()?;
    let bar = progress("");
    bar.set_length((made.len() * plan.parts()) as u64);
    let interrupt = interruptible()?;
    let mut report = Report {
        version: env!("CARGO_PKG_VERSION").into(),
        date: httpdate::fmt_http_date(SystemTime::now()),
        processor: processor(),
        hardware_threads: cores,
        command: call.join(" "),
        partial: false,
        environments: Vec::new(),
    };
    for game in made.iter().take_while(|_| !interrupt.is_raised()) {
        bar.set_prefix(game.spec().env);
        report.environments.push(measure(game, &plan, &interrupt, |what| {
            bar.set_message(what.to_string());
            bar.inc(1);
        })?);
    }
    bar.finish_and_clear();
    report.partial = interrupt.is_raised();
    Ok(report)
}
