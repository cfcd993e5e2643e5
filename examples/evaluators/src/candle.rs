//! A network of candle.

use candle_core::{Device, Result as CandleResult, Tensor};
use candle_nn::{Linear, Module, VarBuilder, linear};
use ludovec::engine::{
    Error, LeafAnswers, LeafEvaluator, Leaves, Result, Spec,
};

/// Two layers: logits of all actions, and the value for the current player.
pub struct CandleNetwork {
    hidden: Linear,
    policy: Linear,
    value: Linear,
    device: Device,
}

impl CandleNetwork {
    /// Takes the weights by name from a file: `VarBuilder::from_mmaped_safetensors`.
    pub fn new(
        weights: VarBuilder<'_>,
        spec: &Spec,
        width: usize,
    ) -> CandleResult<Self> {
        Ok(Self {
            hidden: linear(
                spec.observation_len(),
                width,
                weights.pp("hidden"),
            )?,
            policy: linear(
                width,
                spec.num_actions as usize,
                weights.pp("policy"),
            )?,
            value: linear(width, 1, weights.pp("value"))?,
            device: weights.device().clone(),
        })
    }
    fn answer(
        &self,
        leaves: &Leaves<'_>,
        answers: &mut LeafAnswers<'_>,
    ) -> CandleResult<()> {
        let width = leaves.observations_f32.len() / leaves.rows;
        let rows = Tensor::from_slice(
            leaves.observations_f32,
            (leaves.rows, width),
            &self.device,
        )?;
        let hidden = self.hidden.forward(&rows)?.relu()?;
        let logits = self
            .policy
            .forward(&hidden)?
            .flatten_all()?
            .to_vec1::<f32>()?;
        let values = self
            .value
            .forward(&hidden)?
            .tanh()?
            .flatten_all()?
            .to_vec1::<f32>()?;
        answers.logits.copy_from_slice(&logits);
        answers.values.copy_from_slice(&values);
        Ok(())
    }
}

impl LeafEvaluator for CandleNetwork {
    fn evaluate(
        &mut self,
        leaves: &Leaves<'_>,
        answers: &mut LeafAnswers<'_>,
    ) -> Result<()> {
        self.answer(leaves, answers)
            .map_err(|error| Error::config(format!("candle: {error}")))
    }
}
