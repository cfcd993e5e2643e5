//! The entry of the registry: the game for any options, behind [`AnyGame`], with its tools and networks.
//!
//! Batches, searches and checks are compiled for every class of rules, which takes most of the time. Unit tests play the
//! typed rules and leave this file out, and the readers of games, which play them by the registry.

use std::sync::Arc;

use ludovec_engine::{AnyGame, Entry, Error, OptionSet, OptionValue, Options, Result, Tool, UciVariants};

use crate::exchange::{self, notation};
use crate::observe::az119::Boards;
use crate::rules::board::position::{Large, Orthodox, Small};
use crate::rules::history::NoHistory;
use crate::rules::tables::Tables;
use crate::rules::{self, Chess, variant};
use crate::{ID, options};

/// The rules in short, for beginners.
const RULES: &str = "\
    White moves first. Each kind of piece moves in its own way and captures the enemy piece on its \
    destination. A king under attack is in check, and its side must end the check at once; if that is \
    impossible, it is checkmate and the side loses. A side that is not in check and has no legal move draws \
    by stalemate. A pawn that reaches the last rank becomes another piece. A king and a rook that have not \
    moved can castle. The option `variant` selects other armies, boards and goals, and `flags` adds rules \
    to them; the variant's file describes the differences.";

/// A page with the full rules.
const RULES_LINK: &str = "https://en.wikipedia.org/wiki/Rules_of_chess";

/// The environment `chess`.
pub const ENTRY: Entry = Entry::new(ID, "Chess", options::SUMMARY, options::list, make)
    .with_rules(RULES, Some(RULES_LINK))
    .with_combinations(combinations)
    .with_tools(&[
        Tool::Conform(exchange::conform::conform),
        Tool::Perft(rules::perft::perft_shown),
        Tool::CheckVariant(check),
        Tool::Import("pgn", notation::pgn_reader::pgn),
        Tool::Import("epd", notation::pgn_reader::epd),
        Tool::Uci(VARIANTS),
        Tool::Export("pgn", notation::pgn::export),
        Tool::Export("fen", notation::pgn::export_fen),
        Tool::Export("epd", notation::pgn::export_epd),
    ])
    .with_champions(ludovec_assets::networks::CHESS);

/// Compiles the variant that is named in the options.
pub(crate) fn make(options: &Options) -> Result<Arc<dyn AnyGame>> {
    let variant = options::variant(options)?;
    let squares = usize::from(variant.width) * usize::from(variant.height);
    let observation = options.text("observation").unwrap_or("auto");
    if squares > 64 {
        refuse_az(observation)?;
        let tables = Box::new(Tables::<u128>::compile(&variant)?);
        return Ok(Arc::new(Chess::<Large, NoHistory>::new(tables, options)?));
    }
    let tables = Box::new(Tables::<u64>::compile(&variant)?);
    if !tables.is_orthodox() {
        refuse_az(observation)?;
        return Ok(Arc::new(Chess::<Small, NoHistory>::new(tables, options)?));
    }
    Ok(if observation == "planes" {
        Arc::new(Chess::<Orthodox, NoHistory>::new(tables, options)?)
    } else {
        Arc::new(Chess::<Orthodox, Boards>::new(tables, options)?)
    })
}

fn refuse_az(observation: &str) -> Result<()> {
    if observation == "az119" {
        return Err(Error::config(
            "option observation=az119: this is for variants chess and chess960, auto or planes are allowed here",
        ));
    }
    Ok(())
}

/// Reads and compiles a variant file, as `ludovec check-variant` does, and returns a one-line summary.
///
/// # Errors
/// [`Error::InvalidConfig`] names file, line, key, the problem and the allowed values.
fn check(path: &str) -> Result<String> {
    let path =
        if path.contains('/') || path.ends_with(".toml") { path.to_string() } else { format!("./{path}") };
    let variant = variant::load::<&str>(&path, &[])?;
    let game = ENTRY.make([("variant", OptionValue::from(path.as_str()))])?;
    Ok(format!(
        "{}: {} x {} cells, {} kinds of pieces, {} actions; starts from {}",
        variant.name,
        variant.width,
        variant.height,
        variant.pieces.len(),
        game.spec().num_actions,
        variant.start
    ))
}

/// The variants as an engine offers them.
const VARIANTS: UciVariants = UciVariants { names: uci_names, options: uci_options };

/// Every variant in which a move is a whole turn; Chess960 is an option of its own.
fn uci_names() -> Vec<String> {
    let is_known = |name: &&str| {
        let options = Options::parse(&options::list(), [("variant", OptionValue::from(*name))]);
        *name != "chess960"
            && options.and_then(|options| make(&options)).is_ok_and(|game| game.uci().is_some())
    };
    let others = variant::variants().filter(|name| *name != "chess").filter(is_known);
    std::iter::once("chess").chain(others).map(String::from).collect()
}

fn uci_options(variant: &str, chess960: bool) -> OptionSet {
    match (variant, chess960) {
        // The number of the standard start position.
        ("chess", true) => vec![("variant", "chess960".into()), ("number960", OptionValue::Int(518))],
        _ => vec![("variant", variant.into())],
    }
}

/// Every flag with every shipped variant, and every pair of flags with the standard game; games of a few moves.
fn combinations() -> Vec<OptionSet> {
    let set = |variant: &str, flags: &[&str]| {
        let flags = flags.iter().map(|flag| flag.to_string()).collect();
        vec![
            ("variant", variant.into()),
            ("flags", OptionValue::List(flags)),
            ("max_plies", OptionValue::from(12)),
        ]
    };
    let over_variants = variant::variants().flat_map(|v| variant::flags().map(move |flag| (v, [flag, flag])));
    let pairs = variant::flags().flat_map(|a| variant::flags().map(move |b| ("chess", [a, b])));
    over_variants.chain(pairs).map(|(variant, flags)| set(variant, &flags)).collect()
}
