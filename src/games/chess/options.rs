//! The options of the environment, and where games start under them.

use std::sync::Arc;

use crate::engine::{AnyGame, Error, OptionSpec, Options, Result};

use super::az119::Boards;
use super::game::Chess;
use super::history::NoHistory;
use super::notation::fen;
use super::position::{Large, Plain, Small, kind};
use super::setup::{Man, Setup};
use super::tables::Tables;
use super::variant;
use super::variant::schema::{Cell, Variant};

pub(super) const SUMMARY: &str =
    "Chess, Chess960, fourteen options that combine, and variants read from files";

pub(super) fn list() -> Vec<OptionSpec> {
    let flags: Vec<&str> = variant::flags().collect();
    let text =
        |name, default: &str, help| OptionSpec { default: default.into(), ..OptionSpec::text(name, help) };
    vec![
        text("variant", "chess", "a shipped variant, or the path of a variant file"),
        OptionSpec::flags("flags", &flags, "options laid over the variant"),
        OptionSpec::text("fen", "the position games start from, instead of the variant's own"),
        OptionSpec::optional_int(
            "number960",
            0,
            959,
            "which of the 960 positions games start from; drawn at random when not given",
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
        OptionSpec::int(
            "max_plies",
            1,
            10_000,
            1000,
            "a game is stopped without a result after so many decisions",
        ),
    ]
}

/// Compiles the variant that the options name.
pub(super) fn build(options: &Options) -> Result<Arc<dyn AnyGame>> {
    let variant = variant::load(options.text("variant").unwrap_or("chess"), options.flags("flags"))?;
    let cells = usize::from(variant.width) * usize::from(variant.height);
    let observation = options.text("observation").unwrap_or("auto");
    if cells > 64 {
        refuse_az(observation)?;
        let tables = Box::new(Tables::<u128>::compile(&variant)?);
        return Ok(Arc::new(Chess::<Large, NoHistory>::new(tables, options)?));
    }
    let tables = Box::new(Tables::<u64>::compile(&variant)?);
    if !tables.is_plain() {
        refuse_az(observation)?;
        return Ok(Arc::new(Chess::<Small, NoHistory>::new(tables, options)?));
    }
    Ok(if observation == "planes" {
        Arc::new(Chess::<Plain, NoHistory>::new(tables, options)?)
    } else {
        Arc::new(Chess::<Plain, Boards>::new(tables, options)?)
    })
}

fn refuse_az(observation: &str) -> Result<()> {
    if observation == "az119" {
        return Err(Error::config(
            "option observation=az119: auto or planes are allowed, but for variants chess and chess960",
        ));
    }
    Ok(())
}

/// Where games start; `None` for a random one of the 960 positions.
pub(super) fn start(variant: &Variant, options: &Options) -> Result<Option<Setup>> {
    if let Some(text) = options.text("fen") {
        if options.optional_int("number960").is_some() {
            return Err(Error::config("options fen and number960: only one of them is allowed"));
        }
        return fen::parse(variant, text).map(Some);
    }
    if !variant.chess960 {
        if options.optional_int("number960").is_some() {
            return Err(Error::config("option number960: only Chess960 has numbered positions"));
        }
        return fen::parse(variant, &variant.start).map(Some);
    }
    Ok(options.optional_int("number960").map(|number| start_960(variant, number as u32)))
}

/// The back rank of a Chess960 position, 0 to 959, by Scharnagl's numbering.
fn back_rank(number: u32) -> [u8; 8] {
    let mut rank = [u8::MAX; 8];
    let (rest, light) = (number / 4, number % 4);
    rank[light as usize * 2 + 1] = kind::BISHOP;
    let (rest, dark) = (rest / 4, rest % 4);
    rank[dark as usize * 2] = kind::BISHOP;
    let (knights, queen) = (rest / 6, rest % 6);
    let put = |rank: &mut [u8; 8], nth: u32, kind: u8| {
        let free = (0..8).filter(|&f| rank[f] == u8::MAX).nth(nth as usize);
        rank[free.unwrap_or(0)] = kind;
    };
    put(&mut rank, queen, kind::QUEEN);
    const PAIRS: [(u32, u32); 10] =
        [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)];
    let (first, second) = PAIRS[knights as usize % 10];
    put(&mut rank, first, kind::KNIGHT);
    put(&mut rank, second - 1, kind::KNIGHT);
    for kind in [kind::ROOK, kind::KING, kind::ROOK] {
        put(&mut rank, 0, kind);
    }
    rank
}

/// A numbered Chess960 position.
pub(super) fn start_960(variant: &Variant, number: u32) -> Setup {
    let mut setup = Setup::empty(variant);
    for (file, kind) in back_rank(number).into_iter().enumerate() {
        for (cell, kind, colour) in
            [(file, kind, 0), (8 + file, kind::PAWN, 0), (48 + file, kind::PAWN, 1), (56 + file, kind, 1)]
        {
            setup.board[cell] = Some(Man { kind, colour, promoted: false });
            if kind == kind::ROOK {
                setup.castling.push(cell as Cell);
            }
        }
    }
    setup
}
