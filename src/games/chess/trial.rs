//! Legal moves by trying each: for rules that checks and pins do not tell.

use super::generate::Sink;
use super::position::{Position, Rules};
use super::tables::Tables;

impl<R: Rules> Position<R> {
    pub(super) fn generate_by_trial<S: Sink<R::Bits>>(&self, _tables: &Tables<R::Bits>, _sink: &mut S) {}
    pub(super) fn trial_en_passant(&self, _tables: &Tables<R::Bits>) -> bool {
        true
    }
}
