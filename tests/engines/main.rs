//! Players that are programs: a fake engine with every kind of misbehaviour, and the engines that are installed.
//!
//! | file | holds |
//! |---|---|
//! | `fake` | the fake engine, which this executable is when its first argument is `fake` |
//! | `uci`, `gtp`, `json` | tests with the fake engine |
//! | `processes` | limits of output, and the end of everything that an engine has started |
//! | `installed` | tests with engines of the system; where one is not installed, they say so |

#[cfg(all(feature = "remote", feature = "game-chess"))]
mod fake;
#[cfg(all(feature = "remote", feature = "game-chess", feature = "game-tilewe"))]
mod gtp;
#[cfg(all(feature = "remote", feature = "game-chess"))]
mod installed;
#[cfg(all(feature = "remote", feature = "game-chess"))]
mod json;
#[cfg(all(feature = "remote", feature = "game-chess", target_os = "linux"))]
mod processes;
#[cfg(all(feature = "remote", feature = "game-chess"))]
mod uci;

#[cfg(not(all(feature = "remote", feature = "game-chess")))]
fn main() {}

/// A test by its name.
#[cfg(all(feature = "remote", feature = "game-chess"))]
type Test = (&'static str, fn());

#[cfg(all(feature = "remote", feature = "game-chess"))]
fn main() -> std::process::ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [first, mode @ ..] = arguments.as_slice()
        && first == "fake"
    {
        fake::run(mode);
        return std::process::ExitCode::SUCCESS;
    }
    let filters: Vec<&String> = arguments.iter().filter(|argument| !argument.starts_with('-')).collect();
    let is_wanted =
        |name: &str| filters.is_empty() || filters.iter().any(|filter| name.contains(filter.as_str()));
    #[cfg(feature = "game-tilewe")]
    let gtp = gtp::TESTS;
    #[cfg(not(feature = "game-tilewe"))]
    let gtp = &[];
    #[cfg(target_os = "linux")]
    let processes = processes::TESTS;
    #[cfg(not(target_os = "linux"))]
    let processes = &[];
    let tests = [uci::TESTS, gtp, json::TESTS, processes, installed::TESTS].concat();
    let tests: Vec<Test> = tests.into_iter().filter(|(name, _)| is_wanted(name)).collect();
    if arguments.iter().any(|argument| argument == "--list") {
        tests.iter().for_each(|(name, _)| println!("{name}: test"));
        return std::process::ExitCode::SUCCESS;
    }
    // The tests mostly wait for time limits, so all run at once.
    let running: Vec<_> = tests.iter().map(|(name, test)| (name, std::thread::spawn(*test))).collect();
    let mut failed = 0;
    for (name, test) in running {
        let passed = test.join().is_ok();
        println!("test {name} ... {}", if passed { "ok" } else { "FAILED" });
        failed += u32::from(!passed);
    }
    println!("test result: {} tests, {failed} failed", tests.len());
    std::process::ExitCode::from(u8::from(failed > 0))
}
