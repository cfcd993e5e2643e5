//! Any ONNX file, by ONNX Runtime. The library is loaded from the path in `ORT_DYLIB_PATH`.

use ludovec::engine::{
    Error, LeafAnswers, LeafEvaluator, Leaves, Result,
};
use ort::session::Session;
use ort::value::TensorRef;

/// A network with the input `observation` (float32, one row per leaf) and the outputs `policy` and `value`.
pub struct OnnxNetwork {
    session: Session,
}

impl OnnxNetwork {
    /// Reads a file's bytes.
    pub fn new(file: &[u8]) -> ort::Result<Self> {
        Ok(Self {
            session: Session::builder()?.commit_from_memory(file)?,
        })
    }
    fn answer(
        &mut self,
        leaves: &Leaves<'_>,
        answers: &mut LeafAnswers<'_>,
    ) -> ort::Result<()> {
        let width = leaves.observations_f32.len() / leaves.rows;
        let rows = TensorRef::from_array_view((
            [leaves.rows, width],
            leaves.observations_f32,
        ))?;
        let outputs =
            self.session.run(ort::inputs!["observation" => rows])?;
        answers.logits.copy_from_slice(
            outputs["policy"].try_extract_tensor::<f32>()?.1,
        );
        answers.values.copy_from_slice(
            outputs["value"].try_extract_tensor::<f32>()?.1,
        );
        Ok(())
    }
}

impl LeafEvaluator for OnnxNetwork {
    fn evaluate(
        &mut self,
        leaves: &Leaves<'_>,
        answers: &mut LeafAnswers<'_>,
    ) -> Result<()> {
        self.answer(leaves, answers)
            .map_err(|error| Error::config(format!("ort: {error}")))
    }
}
