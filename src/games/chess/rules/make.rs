//! From options to a playable game: selects the class of rules it is compiled for.

use std::sync::Arc;

use super::Chess;
use super::board::position::{Large, Orthodox, Small};
use super::history::NoHistory;
use super::tables::Tables;
use crate::observe::az119::Boards;
use crate::options;
use ludovec_engine::{AnyGame, Error, Options, Result};

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
