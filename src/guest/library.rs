//! The games of a library as guests.

use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr;
use std::sync::Arc;

use ludovec_engine::chance::{Chance, SeededChance};
use ludovec_engine::{AnyGame, Entry, Error, GameMaker, OptionSpec, Options, Result, Spec, kept_file};
use serde_json::Value;

use crate::abi::{ABI, CGame, CRules, DEFAULT, FAILED_PLAYER, OK, Sink, error};
use crate::description::{Features, described_spec, read_options};
use crate::functions::Lent;
use crate::rules::{GuestRules, Player};

/// The type of the function `ludovec_abi` of a library.
pub type AbiFunction = extern "C" fn() -> u32;
/// The type of the function `ludovec_games` of a library: the first game, and their number.
pub type GamesFunction = extern "C" fn(count: &mut u32) -> *const CGame;

/// Checks the number of a library's interface.
///
/// # Errors
/// [`Error::InvalidConfig`] if it is another one.
pub fn check_abi(theirs: u32) -> Result<()> {
    match theirs {
        ABI => Ok(()),
        _ => Err(Error::config(format!(
            "it has version {theirs} of the interface of libraries, this program has version {ABI}: build it again with \
             the ludovec_game.h or the ludovec-guest of this program"
        ))),
    }
}

/// The entries of a library's games.
///
/// # Errors
/// [`Error::InvalidConfig`] names the first member of a game that is missing or wrong.
///
/// # Safety
/// `games` points to `count` games, which live until the program ends.
pub unsafe fn entries(games: *const CGame, count: u32) -> Result<Vec<Entry>> {
    if games.is_null() || count == 0 {
        return Err(Error::config("ludovec_games returns no games"));
    }
    // Safety: the caller vouches for the games.
    unsafe { std::slice::from_raw_parts(games, count as usize) }.iter().map(entry).collect()
}

fn entry(game: &'static CGame) -> Result<Entry> {
    let optional = |text: *const c_char| match text.is_null() {
        true => Ok(""),
        // Safety: the library vouches for its texts.
        false => unsafe { CStr::from_ptr(text) }
            .to_str()
            .map_err(|_| Error::config("a text of a game is not UTF-8")),
    };
    let needed = |text, what: &str| match optional(text)? {
        "" => Err(Error::config(format!("a game has no {what}"))),
        text => Ok(text),
    };
    let (id, name) = (needed(game.id, "id")?, needed(game.name, "name")?);
    let is_word = |text: &str| text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    if !is_word(id) || id.len() > 64 || game.create.is_none() {
        return Err(Error::config(match game.create {
            None => format!("{id}: the function create is missing"),
            _ => format!("the id {id:?}: up to 64 lower-case letters, digits and _ are needed"),
        }));
    }
    let own = match optional(game.options)? {
        "" => Vec::new(),
        text => read_options(id, text)?,
    };
    let summary = needed(game.summary, "summary")?;
    let maker: &'static Maker = Box::leak(Box::new(Maker { env: id, summary, game, options: own }));
    let link = Some(optional(game.rules_link)?).filter(|link| !link.is_empty());
    let count = if game.champions.is_null() { 0 } else { game.champion_count as usize };
    let file = |at| {
        // Safety: the library vouches for its files.
        let file = unsafe { &*game.champions.add(at) };
        // Safety: as above.
        kept_file(unsafe { std::slice::from_raw_parts(file.bytes, file.length) })
    };
    let champions: &'static [&'static [u8]] = Box::leak((0..count).map(file).collect());
    let entry = Entry::guest(id, name, summary, maker);
    Ok(entry.with_rules(optional(game.rules)?, link).with_champions(champions))
}

struct Maker {
    env: &'static str,
    summary: &'static str,
    game: &'static CGame,
    options: Vec<OptionSpec>,
}

impl GameMaker for Maker {
    fn options(&self) -> Vec<OptionSpec> {
        self.options.clone()
    }
    fn build(&self, options: &Options) -> Result<Arc<dyn AnyGame>> {
        let rules = LibraryRules::new(self, options)?;
        rules.check_size()?;
        crate::game(Arc::new(rules))
    }
}

/// The rules of a library's game under some options.
struct LibraryRules {
    spec: Spec,
    rules: &'static CRules,
    game: *mut c_void,
    features: Features,
}

// Safety: the functions of a library may be called from any thread.
unsafe impl Send for LibraryRules {}
// Safety: as above.
unsafe impl Sync for LibraryRules {}

impl LibraryRules {
    fn new(maker: &Maker, options: &Options) -> Result<Self> {
        let env = maker.env;
        let wrong = |what: &dyn std::fmt::Display| Error::rules(format!("{env}: {what}"));
        let given = serde_json::to_string(options).expect("options are plain data");
        let given = CString::new(given).expect("JSON escapes zero bytes");
        let (mut text, mut rules, mut game) = (Vec::new(), ptr::null(), ptr::null_mut());
        let create = maker.game.create.expect("entries are checked");
        // Safety: the caller of `load` vouches for the library.
        let number =
            unsafe { create(maker.game, given.as_ptr(), &Sink::of(&mut text), &mut rules, &mut game) };
        let text = String::from_utf8_lossy(&text);
        if number != OK {
            return Err(error(number, env, if text.is_empty() { "create has failed" } else { &text }));
        }
        // Safety: as above.
        let rules = unsafe { rules.as_ref() }.ok_or_else(|| wrong(&"create returns no rules"))?;
        let (spec, mut features) = described_spec(env, maker.summary, options, &text)?;
        for (name, is_missing) in [
            ("init", rules.init.is_none()),
            ("current_player", rules.current_player.is_none()),
            ("legal", rules.legal.is_none()),
            ("step", rules.step.is_none()),
            ("observe", rules.observe.is_none()),
            ("returns", rules.returns.is_none()),
        ] {
            if is_missing {
                return Err(wrong(&format_args!("the function {name} is missing")));
            }
        }
        features.keeps_scores = rules.scores.is_some();
        features.has_estimate = rules.estimate.is_some();
        Ok(Self { spec, rules, game, features })
    }

    /// Checks that `init` writes no more than the state, by a start in memory that is longer.
    fn check_size(&self) -> Result<()> {
        const BEHIND: usize = 1 << 16;
        let bytes = self.spec.state_bytes;
        let mut words = vec![0u128; (bytes + BEHIND).div_ceil(16)];
        let memory: &mut [u8] = bytemuck::cast_slice_mut(&mut words);
        memory[bytes..].fill(0xa5);
        self.init(memory, &mut SeededChance::from_seed(0))?;
        match memory[bytes..].iter().all(|&byte| byte == 0xa5) {
            true => Ok(()),
            false => Err(Error::rules(format!(
                "{}.init: it writes behind the {bytes} bytes of the state",
                self.spec.env
            ))),
        }
    }

    /// The error of a function that has failed with this number.
    #[cold]
    fn failure(&self, name: &str, number: i32) -> Error {
        let mut text = Vec::new();
        if let Some(message) = self.rules.message {
            // Safety: the caller of `load` vouches for the library.
            unsafe { message(&Sink::of(&mut text)) }
        }
        match String::from_utf8_lossy(&text) {
            text if text.is_empty() => error(number, self.spec.env, &format!("{name} has failed")),
            text => error(number, self.spec.env, &text),
        }
    }
}

impl Drop for LibraryRules {
    fn drop(&mut self) {
        if let Some(destroy) = self.rules.destroy {
            // Safety: the game is that of `create`, and no rule is called any more.
            unsafe { destroy(self.game) }
        }
    }
}

/// Calls a function of the library, if there is one.
macro_rules! call {
    ($rules:ident.$name:ident($($argument:expr),*)) => {
        // Safety: the caller of `load` vouches for the functions of the library.
        match $rules.rules.$name.map_or(OK, |function| unsafe { function($($argument,)* $rules.game) }) {
            OK => Ok(()),
            number => Err($rules.failure(stringify!($name), number)),
        }
    };
}

/// The pointers that functions get.
fn at(record: &[u8]) -> *const c_void {
    record.as_ptr().cast()
}
fn at_mut(record: &mut [u8]) -> *mut c_void {
    record.as_mut_ptr().cast()
}
fn numbers(out: &mut [f32]) -> *mut f32 {
    out.fill(0.0);
    out.as_mut_ptr()
}

impl GuestRules for LibraryRules {
    fn spec(&self) -> &Spec {
        &self.spec
    }
    fn features(&self) -> &Features {
        &self.features
    }
    fn is_serial(&self) -> bool {
        false
    }
    fn init(&self, record: &mut [u8], chance: &mut dyn Chance) -> Result<()> {
        call!(self.init(at_mut(record), Lent::new(chance).handle()))
    }
    fn current_player(&self, record: &[u8]) -> Result<Player> {
        // Safety: as for the other functions.
        match self.rules.current_player.map_or(-1, |function| unsafe { function(at(record), self.game) }) {
            -1 => Ok(Player::None),
            -2 => Ok(Player::Truncated),
            FAILED_PLAYER => Err(self.failure("current_player", FAILED_PLAYER)),
            player => Ok(Player::At(player as usize)),
        }
    }
    fn legal(&self, record: &[u8], mask: &mut [u64]) -> Result<()> {
        call!(self.legal(at(record), mask.as_mut_ptr()))
    }
    fn step(&self, record: &mut [u8], action: u32, chance: &mut dyn Chance) -> Result<()> {
        call!(self.step(at_mut(record), action as i32, Lent::new(chance).handle()))
    }
    fn observe(&self, record: &[u8], seat: usize, out: &mut [u8]) -> Result<()> {
        call!(self.observe(at(record), seat as i32, out.as_mut_ptr()))
    }
    fn observe_packed(&self, record: &[u8], seat: usize, row: &mut [u8]) -> Option<Result<()>> {
        self.rules.observe_packed?;
        Some(call!(self.observe_packed(at(record), seat as i32, row.as_mut_ptr())))
    }
    fn returns(&self, record: &[u8], out: &mut [f32]) -> Result<()> {
        call!(self.returns(at(record), numbers(out)))
    }
    fn scores(&self, record: &[u8], out: &mut [f32]) -> Result<()> {
        out.fill(0.0);
        call!(self.scores(at(record), out.as_mut_ptr()))
    }
    fn determinize(&self, record: &mut [u8], seat: usize, chance: &mut dyn Chance) -> Result<()> {
        call!(self.determinize(at_mut(record), seat as i32, Lent::new(chance).handle()))
    }
    fn validate(&self, record: &[u8]) -> Result<()> {
        call!(self.validate(at(record))).map_err(|error| match error {
            Error::Rules(text) => Error::state(text),
            other => other,
        })
    }
    fn estimate(&self, record: &[u8], out: &mut [f32]) -> Result<()> {
        call!(self.estimate(at(record), numbers(out)))
    }
    fn outlook(&self, record: &[u8], out: &mut [f32]) -> Result<()> {
        match self.rules.outlook {
            Some(_) => call!(self.outlook(at(record), numbers(out))),
            None => self.estimate(record, out),
        }
    }
    fn words(&self, records: &[&[u8]], chance: &mut dyn Chance, request: &Value) -> Result<Option<Value>> {
        let Some(words) = self.rules.words else { return Ok(None) };
        let states: Vec<*const c_void> = records.iter().map(|record| record.as_ptr().cast()).collect();
        let request = CString::new(request.to_string()).expect("JSON escapes zero bytes");
        let (mut text, count, mut chance) = (Vec::new(), states.len() as u32, Lent::new(chance));
        // Safety: as for the other functions.
        let number = unsafe {
            words(states.as_ptr(), count, chance.handle(), request.as_ptr(), &Sink::of(&mut text), self.game)
        };
        match number {
            OK => serde_json::from_slice(&text)
                .map(Some)
                .map_err(|error| Error::rules(format!("{}.words: {error}", self.spec.env))),
            DEFAULT => Ok(None),
            number => Err(error(number, self.spec.env, &String::from_utf8_lossy(&text))),
        }
    }
}
