//! Overhead of playing games of another process: `cargo bench --bench shared_memory [-- SECONDS]`.
//!
//! Prints one table for every environment: sampled steps per second of 4096 games in this process and attached to a
//! fleet, on the same number of threads; and the round trip of one block of 64 games, minus the stepping. Both
//! sides alternate; the table shows medians.

#[cfg(target_os = "linux")]
fn main() {
    linux::main();
}

#[cfg(not(target_os = "linux"))]
fn main() {
    eprintln!("fleets need Linux");
}

#[cfg(target_os = "linux")]
mod linux {
    use std::io::{BufRead, BufReader};
    use std::process::{Child, Command, Stdio};
    use std::time::Duration;

    use ludovec::engine::{BatchConfig, OptionValue, VectorEnv};
    use ludovec::games::{self, GAMES};
    use ludovec::play::throughput;
    use ludovec::shm::attach;

    const TURNS: usize = 5;
    const NO_OPTIONS: [(&str, OptionValue); 0] = [];

    pub fn main() {
        // Cargo passes options of its own.
        let seconds = std::env::args().find_map(|a| a.parse().ok()).unwrap_or(0.2);
        let turn = Duration::from_secs_f64(seconds);
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        println!("{threads} threads, median of {TURNS} turns of {seconds} s\n");
        println!(
            "environment          steps/s here      attached   share   64 games here    attached   round trip"
        );
        for entry in GAMES {
            let (here, attached) = compare(entry.id, 4096, threads, turn);
            let (small_here, small_attached) = compare(entry.id, 64, 1, turn);
            println!(
                "{:16} {:>16.0} {:>13.0} {:>6.1}% {:>12.2} us {:>8.2} us {:>9.2} us",
                entry.id,
                4096.0 / here,
                4096.0 / attached,
                100.0 * here / attached,
                1e6 * small_here,
                1e6 * small_attached,
                1e6 * (small_attached - small_here)
            );
        }
    }

    /// Seconds per step of the whole batch in this process and attached.
    fn compare(env: &str, num_envs: usize, threads: usize, turn: Duration) -> (f64, f64) {
        let fleet = Serving::start(env, num_envs, threads);
        let config = BatchConfig { num_envs, threads: Some(threads), ..BatchConfig::default() };
        let mut here = games::find(env).unwrap().make(NO_OPTIONS).unwrap().vector(config).unwrap();
        let mut attached = attach(&fleet.name, None).unwrap();
        let mut times = [Vec::new(), Vec::new()];
        // The first turn warms up.
        for k in 0..=TURNS {
            let turns = [seconds_a_step(&mut *here, turn), seconds_a_step(&mut attached, turn)];
            for (times, seconds) in times.iter_mut().zip(turns) {
                times.extend((k > 0).then_some(seconds));
            }
        }
        let [here, attached] = times.map(|mut times| {
            times.sort_by(f64::total_cmp);
            times[TURNS / 2]
        });
        (here, attached)
    }

    fn seconds_a_step(env: &mut dyn VectorEnv, turn: Duration) -> f64 {
        throughput::measure(env, turn).unwrap().seconds_a_step()
    }

    /// A fleet in a process of its own, with the same masks and observations as in this process.
    struct Serving {
        name: String,
        child: Child,
    }

    impl Serving {
        fn start(env: &str, num_envs: usize, threads: usize) -> Self {
            let name = format!("bench-{}", std::process::id());
            let mut child = Command::new(env!("CARGO_BIN_EXE_ludovec"))
                .args(["serve", env, "--name", &name, "--mask", "bits"])
                .args(["--num-envs", &num_envs.to_string(), "--threads", &threads.to_string()])
                .stdout(Stdio::piped())
                .spawn()
                .unwrap();
            let mut line = String::new();
            BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
            Self { name, child }
        }
    }

    impl Drop for Serving {
        fn drop(&mut self) {
            // Killed instead of stopped: the next fleet of this name removes the remains.
            let _ = self.child.kill();
            let _ = self.child.wait();
            let _ = std::fs::remove_file(format!("/dev/shm/ludovec.{}", self.name));
        }
    }
}
