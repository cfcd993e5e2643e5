//! A network in a file, and the same under the options of an environment.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;

use super::card::Card;
use super::inputs::{Encoder, Inputs};
#[cfg(feature = "onnx")]
use super::onnx::{Onnx, Rows};
use super::outputs::plain_index;
use super::residual::Residual;
use super::tensors::Tensors;
use crate::engine::{Error, LegalActions, Result, Spec};

/// Longest file that is read, in bytes.
const LONGEST_FILE: u64 = 1 << 30;
/// Positions that one task of a thread computes.
const TASK: usize = 64;

/// A network from a file: its card and its weights.
pub struct Network {
    name: String,
    card: Card,
    brain: Brain,
}

impl std::fmt::Debug for Network {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Network").field("name", &self.name).field("card", &self.card).finish_non_exhaustive()
    }
}

enum Brain {
    Residual {
        model: Box<Residual>,
        inputs: Inputs,
        index: Option<Vec<i32>>,
    },
    #[cfg(feature = "onnx")]
    Onnx(Onnx),
}

/// A network that plays one environment under one set of options.
pub struct Seated {
    network: Arc<Network>,
    players: usize,
    #[cfg(feature = "onnx")]
    num_actions: usize,
    row_len: usize,
    mind: Mind,
}

impl std::fmt::Debug for Seated {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Seated").field("network", &self.network).field("players", &self.players).finish_non_exhaustive()
    }
}

enum Mind {
    /// `index`, by action: its output.
    Residual { encoder: Encoder, index: Vec<u32> },
    #[cfg(feature = "onnx")]
    Onnx(Rows),
}

/// A network's answers for some positions.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answers {
    /// One a legal action, in the order of [`LegalActions`], or `[rows, A]`.
    pub logits: Vec<f32>,
    /// `[rows, P]`: sums of rewards for every seat, the mover's first.
    pub values: Vec<f32>,
}

impl Network {
    /// Reads a file.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] names the file and what is wrong with it.
    pub fn open(file: &Path) -> Result<Self> {
        let refuse = |what: String| Error::config(format!("{}: {what}", file.display()));
        let mut bytes = Vec::new();
        let read = fs::File::open(file).and_then(|file| file.take(LONGEST_FILE + 1).read_to_end(&mut bytes));
        read.map_err(|error| refuse(error.to_string()))?;
        if bytes.len() as u64 > LONGEST_FILE {
            return Err(refuse(format!("it is longer than {} MiB", LONGEST_FILE >> 20)));
        }
        Self::read(&file.display().to_string(), &bytes)
    }

    /// Reads what a file called `name` holds.
    ///
    /// # Errors
    /// As for [`Network::open`].
    pub fn read(name: &str, bytes: &[u8]) -> Result<Self> {
        let refuse = |what: String| Error::config(format!("{name}: {what}"));
        let (card, brain) = if is_safetensors(bytes) {
            Self::read_residual(bytes).map_err(refuse)?
        } else {
            Self::read_onnx(bytes).map_err(refuse)?
        };
        Ok(Self { name: name.into(), card, brain })
    }

    fn read_residual(bytes: &[u8]) -> Result<(Card, Brain), String> {
        let mut tensors = Tensors::read(bytes)?;
        let card = Card::read(&tensors.metadata)?;
        let ([count, _], tables) = tensors.real("tables", [None, Some(256)])?;
        let text = tensors.metadata.get("inputs").ok_or("its metadata lack \"inputs\"")?;
        let inputs = Inputs::read(text, count)?;
        let planes = inputs.board.is_some().then_some(inputs.planes.len());
        let index = tensors.whole("policy_index")?;
        let model = Box::new(Residual::read(&mut tensors, tables, planes, inputs.scalars.len())?);
        Ok((card, Brain::Residual { model, inputs, index }))
    }

    #[cfg(feature = "onnx")]
    fn read_onnx(bytes: &[u8]) -> Result<(Card, Brain), String> {
        let (onnx, metadata) = Onnx::read(bytes)?;
        Ok((Card::read(&metadata)?, Brain::Onnx(onnx)))
    }
    #[cfg(not(feature = "onnx"))]
    fn read_onnx(_: &[u8]) -> Result<(Card, Brain), String> {
        Err("it is no safetensors file, and this program is built without ONNX: `--features onnx` adds that"
            .into())
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its card.
    pub fn card(&self) -> &Card {
        &self.card
    }

    /// The network as it plays an environment under the options of `spec`.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] says why it does not play that.
    pub fn seat(self: &Arc<Self>, spec: &Spec) -> Result<Seated> {
        let named = |what: &dyn std::fmt::Display| Error::config(format!("{}: {what}", self.name));
        self.card.check(spec).map_err(|error| match error {
            Error::InvalidConfig(what) => named(&what),
            other => other,
        })?;
        let mind = self.mind(spec).map_err(|what| named(&what))?;
        Ok(Seated {
            network: self.clone(),
            players: spec.players,
            #[cfg(feature = "onnx")]
            num_actions: spec.num_actions as usize,
            row_len: spec.observation_len(),
            mind,
        })
    }

    fn mind(&self, spec: &Spec) -> Result<Mind, String> {
        match &self.brain {
            Brain::Residual { model, inputs, index } => {
                let encoder = inputs.encoder(spec)?;
                let (outputs, actions) = (model.outputs(encoder.cells), spec.num_actions as usize);
                let index = match index {
                    None => plain_index(spec, encoder.cells),
                    // Negative numbers become too large for any output, and are refused below.
                    Some(index) => index.iter().map(|&output| output as u32).collect(),
                };
                if index.len() != actions || index.iter().any(|&output| output as usize >= outputs) {
                    return Err(format!(
                        "its policy has {outputs} outputs for {} actions, {} has {actions} actions",
                        index.len(),
                        spec.env
                    ));
                }
                if model.values() < spec.players {
                    return Err(format!("it has {} values for {} seats", model.values(), spec.players));
                }
                Ok(Mind::Residual { encoder, index })
            }
            #[cfg(feature = "onnx")]
            Brain::Onnx(onnx) => Ok(Mind::Onnx(onnx.rows(spec)?)),
        }
    }
}

impl Seated {
    /// The file it is from.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// The network's answers for positions, given the observations of the seats to move, `[rows, L]`. With `legal`
    /// there are logits of these actions only. With 1 thread the caller's own computes.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] when an answer is no finite number.
    pub fn answer(
        &self,
        observations: &[u8],
        legal: Option<&LegalActions>,
        threads: Option<usize>,
    ) -> Result<Answers> {
        let rows = observations.len() / self.row_len;
        let task = |first: usize| {
            let rows = first..rows.min(first + TASK);
            self.answer_rows(&observations[rows.start * self.row_len..rows.end * self.row_len], first, legal)
        };
        let parts: Vec<Answers> = if threads == Some(1) || rows <= TASK {
            (0..rows).step_by(TASK).map(task).collect::<Result<_>>()?
        } else {
            (0..rows.div_ceil(TASK)).into_par_iter().map(|i| task(i * TASK)).collect::<Result<_>>()?
        };
        let mut answers = Answers::default();
        for part in parts {
            answers.logits.extend(part.logits);
            answers.values.extend(part.values);
        }
        if answers.logits.iter().chain(&answers.values).any(|number| !number.is_finite()) {
            return Err(Error::config(format!("{}: it answers what is no finite number", self.network.name)));
        }
        Ok(answers)
    }

    /// The same for some rows, of which the first has number `first`.
    fn answer_rows(
        &self,
        observations: &[u8],
        first: usize,
        legal: Option<&LegalActions>,
    ) -> Result<Answers> {
        let mut answers = Answers::default();
        let scale = self.network.card.value_scale;
        match (&self.network.brain, &self.mind) {
            (Brain::Residual { model, .. }, Mind::Residual { encoder, index }) => {
                model.run(encoder, observations, self.row_len, |row, outputs, values| {
                    answers.values.extend(values[..self.players].iter().map(|value| value * scale));
                    match legal {
                        None => answers.logits.extend(index.iter().map(|&output| outputs[output as usize])),
                        Some(legal) => {
                            let range =
                                legal.offsets[first + row] as usize..legal.offsets[first + row + 1] as usize;
                            let output = |&action: &i32| outputs[index[action as usize] as usize];
                            answers.logits.extend(legal.actions[range].iter().map(output));
                        }
                    }
                });
            }
            #[cfg(feature = "onnx")]
            (Brain::Onnx(onnx), Mind::Onnx(rows)) => {
                let (logits, values) = onnx
                    .run(rows, observations, self.num_actions, self.players)
                    .map_err(|what| Error::config(format!("{}: {what}", self.network.name)))?;
                answers.values.extend(values.iter().map(|value| value * scale));
                match legal {
                    None => answers.logits = logits,
                    Some(legal) => {
                        for (row, of_row) in logits.chunks_exact(self.num_actions).enumerate() {
                            let range =
                                legal.offsets[first + row] as usize..legal.offsets[first + row + 1] as usize;
                            answers.logits.extend(legal.actions[range].iter().map(|&a| of_row[a as usize]));
                        }
                    }
                }
            }
            #[cfg(feature = "onnx")]
            _ => unreachable!("a network is seated as what it is"),
        }
        Ok(answers)
    }
}

/// Whether a file looks like safetensors: it begins with the length of its header, and the header is JSON.
fn is_safetensors(bytes: &[u8]) -> bool {
    bytes.get(8) == Some(&b'{')
}
