//! Tests of the rules, by subject.

mod invariants;

use super::StarWarsRisk;
use crate::engine::Options;

/// The rules with default options.
fn rules() -> StarWarsRisk {
    StarWarsRisk::new(
        &Options::parse(&super::options(), [("", crate::engine::OptionValue::None); 0]).unwrap(),
    )
}
