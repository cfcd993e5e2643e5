//! Registration of environments, and construction by name.

use std::io::BufRead;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde_json::{Value, json};

use crate::contract::options::option_pairs::OptionPairs;
use crate::contract::options::option_spec::{OptionSpec, OptionValue};
use crate::contract::options::{CommonOptions, Options};
use crate::contract::support::error::{Error, Result};
use crate::contract::support::similar::did_you_mean;
use crate::dynamic::any_game::AnyGame;
use crate::dynamic::record::Record;

/// The registry entry of one environment: everything front ends need to offer it.
///
/// ```
/// use ludovec_engine::{Entry, Error};
/// let entry = Entry::new("go", "Go", "territory", Vec::new, |_| Err(Error::config("no rules yet")));
/// assert_eq!(entry.option_list().len(), 3);
/// assert!(entry.make([]).is_err());
/// ```
#[derive(Clone, Copy)]
pub struct Entry {
    /// The environment id.
    pub id: &'static str,
    /// Its name in CamelCase, as in Gymnasium ids.
    pub name: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// A short summary of the rules for beginners, as one paragraph; may be empty.
    pub rules: &'static str,
    /// Address of a page with the full rules.
    pub rules_link: Option<&'static str>,
    maker: Maker,
    /// Sets of options that interact. Besides trying every option alone, the conformance suite starts games under
    /// each set, or checks that the set is rejected with a reason.
    pub combinations: fn() -> Vec<OptionSet>,
    /// Tools of the game in addition to playing.
    pub tools: &'static [Tool],
    /// The files of the strongest networks shipped with the game. The champion is the first one that plays the options.
    pub champions: &'static [&'static [u8]],
}

/// The options and the rules of a game that is made while the program runs: a class of Python, for instance.
///
/// Games that are compiled in give two functions to [`Entry::new`] instead.
///
/// ```
/// use std::sync::Arc;
///
/// use ludovec_engine::{AnyGame, Entry, GameMaker, OptionSpec};
/// # use ludovec_engine::{Dialect, Guide, Picture, Words};
/// # mod nim { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/nim.rs")); }
/// # use nim::*;
/// # impl Words for Nim {}
/// # impl Picture for Nim {}
/// # impl Guide for Nim {}
/// # impl Dialect for Nim {}
///
/// struct Made;
///
/// impl GameMaker for Made {
///     fn options(&self) -> Vec<OptionSpec> {
///         Vec::new()
///     }
///     fn build(&self, options: &Options) -> Result<Arc<dyn AnyGame>> {
///         Ok(Arc::new(Nim::new(options)))
///     }
/// }
/// let entry = Entry::guest("nim", "Nim", "who takes the last match wins", &Made);
/// assert_eq!(entry.make([])?.spec().players, 2);
/// # Ok::<(), Error>(())
/// ```
pub trait GameMaker: Send + Sync {
    /// The game's own options; every environment also takes [`CommonOptions`].
    fn options(&self) -> Vec<OptionSpec>;
    /// Compiles the rules under checked options.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] if the options do not fit one another, [`Error::Rules`] if the rules are wrong.
    fn build(&self, options: &Options) -> Result<Arc<dyn AnyGame>>;
}

#[derive(Clone, Copy)]
enum Maker {
    Functions { options: fn() -> Vec<OptionSpec>, build: fn(&Options) -> Result<Arc<dyn AnyGame>> },
    Guest(&'static dyn GameMaker),
}

impl std::fmt::Debug for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Entry").field("id", &self.id).finish_non_exhaustive()
    }
}

/// A tool of a game in addition to playing. Front ends find tools by kind, independent of the game.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum Tool {
    /// Replays recordings of an independent engine, one JSON object per line.
    Conform(Conform),
    /// Perft: counts the leaves of a game tree.
    Perft(CountLeaves),
    /// Describes a rules file in the game's own format, or reports its errors.
    CheckVariant(fn(&str) -> Result<String>),
    /// The variants that UCI knows, for the program as an engine.
    Uci(UciVariants),
    /// Imports games of other programs: the format's name, and the function.
    Import(&'static str, ReadGames),
    /// Exports recorded games in another program's format: the format's name, and the function.
    Export(&'static str, WriteRecord),
}

impl std::fmt::Debug for Tool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Conform(_) => f.write_str("Conform"),
            Self::Perft(_) => f.write_str("Perft"),
            Self::CheckVariant(_) => f.write_str("CheckVariant"),
            Self::Uci(_) => f.write_str("Uci"),
            Self::Import(format, _) => f.debug_tuple("Import").field(format).finish_non_exhaustive(),
            Self::Export(format, _) => f.debug_tuple("Export").field(format).finish_non_exhaustive(),
        }
    }
}

/// The variants of a game in the Universal Chess Interface.
#[derive(Debug, Clone, Copy)]
pub struct UciVariants {
    /// The values of `UCI_Variant`, the default first.
    pub names: fn() -> Vec<String>,
    /// The options of the environment for a variant, with or without `UCI_Chess960`.
    pub options: fn(&str, bool) -> OptionSet,
}

/// Reads games from a text in another program's format. The options apply where the text does not give its own. The
/// callback gets each game, or an error message with its place in the text; it returns false to stop.
pub type ReadGames =
    fn(&mut dyn BufRead, &[(String, OptionValue)], &mut dyn FnMut(Result<ImportedGame>) -> bool);

/// A game read from another program's format.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ImportedGame {
    /// The game, checked by the rules.
    pub record: Record,
    /// Tags of the game, such as names and dates.
    pub tags: Vec<(String, String)>,
    /// Comments: the number of moves before, and the text.
    pub comments: Vec<(usize, String)>,
    /// Number of moves after the end of the game under these rules, which are not in the record.
    pub left_out: usize,
    /// Number of variations with wrong moves, which are not in the record.
    pub variations: usize,
    /// A result of the source that contradicts the rules' result, as a sentence with its place in the text.
    pub contradiction: Option<String>,
    /// The first error in the moves, with its place in the text. The record has the game up to it.
    pub error: Option<Error>,
}

impl ImportedGame {
    /// A game without tags and comments.
    #[must_use]
    pub fn new(record: Record) -> Self {
        Self {
            record,
            tags: Vec::new(),
            comments: Vec::new(),
            left_out: 0,
            variations: 0,
            contradiction: None,
            error: None,
        }
    }

    /// The game if it was read to its end.
    ///
    /// # Errors
    /// [`ImportedGame::error`].
    pub fn whole(self) -> Result<Self> {
        match self.error {
            Some(error) => Err(error),
            None => Ok(self),
        }
    }
}

/// Replays recordings, one per line.
pub type Conform = fn(&mut dyn BufRead) -> Result<ConformReport>;

/// Some options with their values.
pub type OptionSet = Vec<(&'static str, OptionValue)>;

/// Writes a recorded game in some format.
pub type WriteRecord = fn(&Record) -> Result<String>;

/// Perft: counts the leaves of a game tree. The arguments are the variant, the options applied to it, the start
/// position (`None`: the variant's own), the depth in plies, the number of threads, and a progress callback.
pub type CountLeaves = fn(&str, &[&str], Option<&str>, u32, usize, Counted<'_>) -> Result<Perft>;

/// Progress callback, called after each move of the first position with the number of counted moves, the number of
/// all moves, and the leaves so far.
pub type Counted<'a> = &'a (dyn Fn(usize, usize, u64) + Sync);

/// The result of a perft.
#[derive(Debug, Clone, PartialEq)]
pub struct Perft {
    /// Number of leaves.
    pub leaves: u64,
    /// Number of leaves below each legal move; empty for depth 0.
    pub moves: Vec<(String, u64)>,
    /// Elapsed time.
    pub time: Duration,
}

/// 64-bit FNV-1a over words, each followed by a line feed. Recordings contain this hash instead of long lists.
///
/// ```
/// use ludovec_engine::fnv1a;
/// assert_ne!(fnv1a(&["e2e4".into()]), fnv1a(&["e2".into(), "e4".into()]));
/// ```
#[must_use]
pub fn fnv1a(words: &[String]) -> u64 {
    let bytes = words.iter().flat_map(|word| word.bytes().chain([b'\n']));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// The result of replaying recorded games against our rules.
///
/// ```
/// use ludovec_engine::ConformReport;
/// let mut report = ConformReport { games: 2, ..ConformReport::default() };
/// report.mismatch(|| "game 1: another move".into());
/// assert_eq!((report.mismatches, report.first.is_some()), (1, true));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ConformReport {
    /// Number of games (lines) replayed.
    pub games: u64,
    /// Number of positions compared.
    pub positions: u64,
    /// Number of positions or games that differ.
    pub mismatches: u64,
    /// Description of the first difference.
    pub first: Option<String>,
}

impl ConformReport {
    /// Counts a mismatch and keeps the description of the first.
    pub fn mismatch(&mut self, what: impl FnOnce() -> String) {
        self.mismatches += 1;
        self.first.get_or_insert_with(what);
    }
}

impl Entry {
    /// An environment without tools.
    pub const fn new(
        id: &'static str,
        name: &'static str,
        summary: &'static str,
        options: fn() -> Vec<OptionSpec>,
        build: fn(&Options) -> Result<Arc<dyn AnyGame>>,
    ) -> Self {
        Self::of(id, name, summary, Maker::Functions { options, build })
    }
    /// An environment that is made while the program runs. Its texts and its maker live until the program ends: leak
    /// them.
    pub const fn guest(
        id: &'static str,
        name: &'static str,
        summary: &'static str,
        maker: &'static dyn GameMaker,
    ) -> Self {
        Self::of(id, name, summary, Maker::Guest(maker))
    }
    const fn of(id: &'static str, name: &'static str, summary: &'static str, maker: Maker) -> Self {
        Self {
            id,
            name,
            summary,
            rules: "",
            rules_link: None,
            maker,
            combinations: Vec::new,
            tools: &[],
            champions: &[],
        }
    }
    /// The same environment with [`Entry::rules`] and [`Entry::rules_link`].
    ///
    /// ```
    /// use ludovec_engine::{Entry, Error};
    /// let entry = Entry::new("go", "Go", "territory", Vec::new, |_| Err(Error::config("no rules yet")))
    ///     .with_rules("Surround territory.", None);
    /// assert_eq!(entry.rules, "Surround territory.");
    /// ```
    #[must_use]
    pub const fn with_rules(self, rules: &'static str, rules_link: Option<&'static str>) -> Self {
        Self { rules, rules_link, ..self }
    }
    /// The same environment with [`Entry::combinations`].
    #[must_use]
    pub const fn with_combinations(self, combinations: fn() -> Vec<OptionSet>) -> Self {
        Self { combinations, ..self }
    }
    /// The same environment with [`Entry::tools`].
    #[must_use]
    pub const fn with_tools(self, tools: &'static [Tool]) -> Self {
        Self { tools, ..self }
    }
    /// The same environment with [`Entry::champions`].
    #[must_use]
    pub const fn with_champions(self, champions: &'static [&'static [u8]]) -> Self {
        Self { champions, ..self }
    }

    /// Whether the environment was made while the program runs; see [`Entry::guest`].
    #[must_use]
    pub const fn is_guest(&self) -> bool {
        matches!(self.maker, Maker::Guest(_))
    }
    /// Its own options; every environment also takes [`CommonOptions`].
    #[must_use]
    pub fn options(&self) -> Vec<OptionSpec> {
        match self.maker {
            Maker::Functions { options, .. } => options(),
            Maker::Guest(maker) => maker.options(),
        }
    }
    /// All options of the environment.
    #[must_use]
    pub fn option_list(&self) -> Vec<OptionSpec> {
        self.options().into_iter().chain(CommonOptions::specs()).collect()
    }

    /// Checks `option_pairs` options and compiles the rules under them.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] names the option, its value and the allowed values.
    pub fn make(&self, given: impl OptionPairs) -> Result<Arc<dyn AnyGame>> {
        self.build(&Options::parse(&self.options(), given.pairs())?)
    }
    /// Compiles the rules under checked options.
    pub(crate) fn build(&self, options: &Options) -> Result<Arc<dyn AnyGame>> {
        match self.maker {
            Maker::Functions { build, .. } => build(options),
            Maker::Guest(maker) => maker.build(options),
        }
    }

    /// Exports a recorded game of this environment in a format of other programs.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] lists the available formats; [`Error::InvalidState`] if the record is invalid.
    pub fn export(&self, record: &Record, format: &str) -> Result<String> {
        self.exporter(format).and_then(|write| write(record))
    }

    /// The writer of a format of other programs.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] lists the available formats.
    pub fn exporter(&self, format: &str) -> Result<fn(&Record) -> Result<String>> {
        let exports = || {
            self.tools.iter().filter_map(|tool| match tool {
                Tool::Export(name, write) => Some((*name, *write)),
                _ => None,
            })
        };
        let names: Vec<_> = exports().map(|(name, _)| name).collect();
        match exports().find(|(name, _)| *name == format) {
            Some((_, write)) => Ok(write),
            None if names.is_empty() => {
                Err(Error::config(format!("format {format:?}: games of {} are not written in any", self.id)))
            }
            None => Err(Error::config(format!(
                "format {format:?}: games of {} are written in {}",
                self.id,
                names.join(", ")
            ))),
        }
    }

    /// The formats of games that can be read.
    #[must_use]
    pub fn imports(&self) -> Vec<(&'static str, ReadGames)> {
        let import = |tool: &Tool| match tool {
            Tool::Import(name, read) => Some((*name, *read)),
            _ => None,
        };
        self.tools.iter().filter_map(import).collect()
    }

    /// The replay of recordings of an independent engine, if the environment supports it.
    #[must_use]
    pub fn conform(&self) -> Option<Conform> {
        self.tools.iter().find_map(|tool| match tool {
            Tool::Conform(conform) => Some(*conform),
            _ => None,
        })
    }
}

/// The full description of an environment, the content of `env_spec/<env>.json`: the spec under the game's options,
/// the layout of packed observations, and all options and bots.
pub fn document(entry: &Entry, game: &dyn AnyGame) -> Value {
    let Ok(Value::Object(mut document)) = serde_json::to_value(game.spec()) else {
        unreachable!("a spec is an object of plain data")
    };
    let options = serde_json::to_value(entry.option_list()).expect("options are plain data");
    let at = document.keys().take_while(|key| *key != "options").count() + 1;
    document.shift_insert(at, "option_list".into(), options);
    let bots = game.bots().into_iter().map(|(name, help)| json!({ "name": name, "help": help }));
    let packed = serde_json::to_value(game.spec().packed()).expect("a layout is plain data");
    document.insert("packed".into(), packed);
    document.insert("bots".into(), bots.collect());
    document.insert("name".into(), entry.name.into());
    document.into()
}

/// The entry called `id` among `entries`.
///
/// # Errors
/// [`Error::InvalidConfig`] lists the known ids.
pub fn find<'a>(entries: &[&'a Entry], id: &str) -> Result<&'a Entry> {
    entries.iter().copied().find(|e| e.id == id).ok_or_else(|| {
        let known: Vec<_> = entries.iter().map(|e| e.id).collect();
        let meant = did_you_mean(id, &known);
        Error::config(format!("unknown environment {id:?}{meant}: the environments are {}", known.join(", ")))
    })
}
