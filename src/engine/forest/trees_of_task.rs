//! The trees that one task searches to the end, with an evaluator that all threads share.

use crate::batch::observer::Observer;
use crate::contract::Game;
use crate::contract::rules::Rules;
use crate::contract::support::error::{Error, Result};
use crate::dynamic::interrupt::Interrupt;
use crate::dynamic::leaves::LegalActions;
use crate::dynamic::tree_search::SharedEvaluator;
use crate::forest::group::{values_by_seat, values_of_a_leaf};
use crate::search::context::SearchContext;
use crate::search::game_tree::GameTree;
use crate::search::scratch::Scratch;

/// The trees of a task.
pub(super) struct Trees<'a, G: Game> {
    pub(super) games: &'a mut [GameTree<G>],
    /// Number of the first one.
    pub(super) first: usize,
    /// The trees to search.
    pub(super) ids: &'a [u32],
}

impl<G: Game> Trees<'_, G> {
    /// Runs the searches to the end.
    pub(super) fn run(
        &mut self,
        context: &SearchContext<G>,
        observer: &Observer,
        evaluator: &SharedEvaluator<'_>,
        interrupt: &Interrupt,
    ) -> Result<()> {
        let spec = Rules::spec(&*context.game);
        let (mut mask, width) = (vec![0; spec.mask_words()], spec.observation_len());
        let (mut observations, mut legal) = (Vec::new(), LegalActions::default());
        while !interrupt.is_raised() {
            observations.clear();
            legal.actions.clear();
            legal.offsets.clear();
            legal.offsets.push(0);
            for &id in self.ids {
                let tree = &mut self.games[id as usize - self.first];
                // Leaves of an earlier call that failed are still in flight.
                if tree.in_flight() == 0 {
                    Scratch::lend(&*context.game, |scratch| {
                        let more = |_: &u32| tree.descend(context, &mut mask, scratch);
                        let _ = (0..context.settings.leaves).take_while(more).count();
                    });
                }
                for leaf in 0..tree.in_flight() {
                    let (state, seat, _) = tree.leaf(leaf);
                    let from = observations.len();
                    observations.resize(from + width, 0);
                    observer.write(&*context.game, state, seat, &mut observations[from..], &mut []);
                    legal.actions.extend_from_slice(tree.leaf_actions(leaf));
                    legal.offsets.push(legal.actions.len() as i64);
                }
            }
            if legal.offsets.len() == 1 {
                return Ok(());
            }
            let (logits, values) = evaluator(&observations, &legal)?;
            self.take_in(context, &legal, &logits, &values)?;
        }
        Ok(())
    }

    /// Expands the leaves in flight and backs up their values.
    fn take_in(
        &mut self,
        context: &SearchContext<G>,
        legal: &LegalActions,
        logits: &[f32],
        values: &[f32],
    ) -> Result<()> {
        let rows = legal.offsets.len() - 1;
        let width = values_of_a_leaf(context);
        let (needed, given) = ([legal.actions.len(), rows * width], [logits.len(), values.len()]);
        if given != needed {
            return Err(Error::config(format!(
                "logits, values: {given:?} numbers were given, {needed:?} are needed"
            )));
        }
        if values.iter().any(|value| !value.is_finite()) {
            return Err(Error::config("values: one is not a finite number"));
        }
        let (mut start, mut is_fit) = (0, true);
        for &id in self.ids {
            let tree = &mut self.games[id as usize - self.first];
            for leaf in 0..tree.in_flight() {
                let count = tree.leaf_actions(leaf).len();
                is_fit &= tree.set_leaf_priors(leaf, logits[start..start + count].iter().copied());
                start += count;
            }
        }
        if !is_fit {
            for &id in self.ids {
                let tree = &mut self.games[id as usize - self.first];
                (0..tree.in_flight()).for_each(|leaf| tree.set_uniform_leaf_priors(leaf));
            }
            return Err(Error::config("logits: one of a legal action is not a finite number"));
        }
        let mut rows = values.chunks_exact(width);
        for &id in self.ids {
            let tree = &mut self.games[id as usize - self.first];
            for (leaf, values) in (0..tree.in_flight()).zip(&mut rows) {
                let (_, seat, _) = tree.leaf(leaf);
                tree.back_up_leaf(context, leaf, &mut values_by_seat(context, seat, values));
            }
            tree.clear_in_flight();
        }
        Ok(())
    }
}
