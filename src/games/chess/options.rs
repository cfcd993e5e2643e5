//! The options of the environment, and the start positions under them.

use crate::exchange::notation::fen;
use crate::exchange::setup::Setup;
use crate::rules::chess960::Shuffle;
use crate::rules::variant;
use crate::rules::variant::schema::Variant;
use ludovec_engine::{Error, OptionSpec, Options, Paths, Result};

pub(super) const SUMMARY: &str =
    "Chess, Chess960, fourteen options that combine, and variants read from files";

pub(super) fn list() -> Vec<OptionSpec> {
    let flags: Vec<&str> = variant::flags().collect();
    let shipped = Paths::AllBut { words: variant::variants().map(String::from).collect(), content: false };
    let text =
        |name, default: &str, help| OptionSpec { default: default.into(), ..OptionSpec::text(name, help) };
    vec![
        text("variant", "chess", "a shipped variant, or the path of a variant file").with_paths(shipped),
        OptionSpec::flags("flags", &flags, "options applied to the variant"),
        OptionSpec::text("fen", "the start position, instead of the variant's own").with_paths(Paths::Never),
        OptionSpec::optional_int(
            "number960",
            0,
            959,
            "number of the Chess960 start position, if the variant has 960; random by default",
        ),
        OptionSpec::choice(
            "action_view",
            &["flat", "dense", "az73"],
            "flat",
            "how moves are numbered; az73 for chess and chess960 only",
        ),
        OptionSpec::choice(
            "observation",
            &["auto", "az119", "planes"],
            "auto",
            "az119: 8x8x119 with eight positions, for chess and chess960 (where auto means it); planes: any variant",
        ),
        OptionSpec::choice(
            "draws",
            &["automatic", "claimed"],
            "automatic",
            "automatic: threefold repetition and 50 moves draw; claimed: only fivefold and 75 moves do",
        ),
        OptionSpec::int("max_plies", 1, 10_000, 1000, "a game is truncated after this many decisions"),
    ]
}

/// The start positions.
#[derive(Debug)]
pub(super) enum Start {
    /// Always in this position.
    At(Box<Setup>),
    /// In a position drawn for each game.
    Drawn(Box<Shuffle>),
}

/// The variant that is named in the options, with their flags and draws.
pub(super) fn variant(options: &Options) -> Result<Variant> {
    let mut variant = variant::load(options.text("variant").unwrap_or("chess"), options.flags("flags"))?;
    if options.text("draws") == Some("claimed") {
        variant.leave_draws_unclaimed();
    }
    Ok(variant)
}

/// The start positions of a variant under some options.
pub(super) fn start(variant: &Variant, options: &Options) -> Result<Start> {
    let number = options.optional_int("number960");
    let at = |setup| Start::At(Box::new(setup));
    if let Some(text) = options.text("fen") {
        if number.is_some() {
            return Err(Error::config("options fen and number960: only one of them is allowed"));
        }
        return fen::parse(variant, text).map(at);
    }
    if variant.chess960 {
        let shuffle = Shuffle::new(variant)?;
        return match number {
            Some(number) => shuffle.numbered(variant, number as u32).map(at),
            None => Ok(Start::Drawn(Box::new(shuffle))),
        };
    }
    if number.is_some() {
        return Err(Error::config("option number960: only Chess960 has numbered positions"));
    }
    fen::parse(variant, &variant.start).map(at)
}
