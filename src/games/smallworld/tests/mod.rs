//! Tests of the rules.

mod play;
