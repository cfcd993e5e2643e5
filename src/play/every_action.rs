//! Values of all legal actions: an action without simulations gets a look of its own.

use crate::engine::{Analysis, Result, SearchMethod, SearchSettings, TreeSearch, VectorEnv};

/// Maximum number of leaves of a tree per call of a network.
const LEAVES: u32 = 64;

/// Fills in the values of the actions that a search of the game in `env` left without simulations. A second search with
/// the same `settings` gives every legal action one simulation; `run` completes it. An analysis without a search stays as
/// it is.
///
/// # Errors
/// Those of the search and of `run`.
pub(super) fn value_every_action(
    found: &mut Analysis,
    env: &dyn VectorEnv,
    settings: &SearchSettings,
    run: &mut dyn FnMut(&mut dyn TreeSearch) -> Result<()>,
) -> Result<()> {
    let legal = found.shares.len() as u32;
    if found.action_values.is_empty() {
        return Ok(());
    }
    // A proven root ends a search at once: without proofs, it goes on.
    for proofs in [true, false] {
        if found.action_values.iter().all(Option::is_some) {
            break;
        }
        let settings = SearchSettings {
            method: SearchMethod::Gumbel,
            considered: legal,
            simulations: legal,
            gumbel_scale: 0.0,
            dirichlet_fraction: 0.0,
            temperature_moves: 0,
            leaves: legal.min(LEAVES),
            proofs,
            reuse: false,
            seed: Some(0),
            ..settings.clone()
        };
        let mut trees = env.game().tree_search(env.config(), settings)?;
        trees.start(env, None)?;
        run(&mut *trees)?;
        let looked = trees.results()?;
        let looks = looked.visits.iter().zip(&looked.proven).zip(&looked.q);
        for (value, ((&visits, &proven), &q)) in found.action_values.iter_mut().zip(looks) {
            *value = value.or((visits > 0 || proven != 0).then_some(q));
        }
    }
    Ok(())
}
