//! Networks of other libraries as evaluators of a tree search.
//!
//! | file | holds |
//! |---|---|
//! | `candle.rs` | a network of candle, with weights of a safetensors file |
//! | `onnx.rs` | any ONNX file, by the crate ort |

mod candle;
mod onnx;

pub use candle::CandleNetwork;
pub use onnx::OnnxNetwork;

use ludovec::engine::{
    BatchConfig, Interrupt, LeafEvaluator, ObservationFormat, Result,
    SearchResults, SearchSettings,
};

/// Searches the first position of `games` games of Star Wars Risk. The leaves of all trees are in one call.
pub fn search(
    evaluator: &mut dyn LeafEvaluator,
    games: usize,
    simulations: u32,
) -> Result<SearchResults> {
    let game = ludovec::games::find("starwars_risk")?.make([])?;
    let config = BatchConfig {
        num_envs: games,
        observation: ObservationFormat::F32,
        ..BatchConfig::default()
    };
    let env = game.vector(config)?;
    let settings =
        SearchSettings { simulations, ..SearchSettings::default() };
    let mut search = game.tree_search(env.config(), settings)?;
    search.start(&*env, None)?;
    search.run_evaluator(evaluator, &Interrupt::default())?;
    search.results()
}

#[cfg(test)]
mod tests;
