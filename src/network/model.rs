//! A network file, and the network under the options of an environment.

use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use super::architecture::Architecture;
use super::card::Card;
use super::inputs::{Encoder, Inputs};
#[cfg(feature = "onnx")]
use super::onnx::{Onnx, Rows};
use super::outputs::plain_index;
use super::policy::Wanted;
use super::precision::Precision;
use super::source::{Source, is_safetensors};
use super::tensors::{ReadError, Tensors};
#[cfg(feature = "onnx")]
use crate::engine::Named;
use crate::engine::{Error, Interrupt, LegalActions, Result, Spec, Threads, memory};

/// Bytes that a network takes while it is read, per byte of its file.
const COPIES: usize = 4;

/// Number of positions per task of a thread.
const TASK: usize = 64;

/// A network from a file: its card and its weights.
pub struct Network {
    name: String,
    card: Card,
    backend: Backend,
}

impl std::fmt::Debug for Network {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Network").field("name", &self.name).field("card", &self.card).finish_non_exhaustive()
    }
}

enum Backend {
    BuiltIn {
        model: Architecture,
        inputs: Inputs,
        index: Option<Vec<i32>>,
    },
    #[cfg(feature = "onnx")]
    Onnx(Onnx),
}

/// A network under one set of options of an environment.
pub struct FittedNetwork {
    network: Arc<Network>,
    players: usize,
    num_actions: usize,
    row_len: usize,
    backend: FittedBackend,
    team: Mutex<Option<Team>>,
}

/// The threads of the last multithreaded call.
struct Team {
    /// The requested number of threads.
    asked: Option<usize>,
    /// `None` if the call runs on the caller's thread only.
    threads: Option<Arc<Threads>>,
}

impl std::fmt::Debug for FittedNetwork {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FittedNetwork")
            .field("network", &self.network)
            .field("players", &self.players)
            .finish_non_exhaustive()
    }
}

enum FittedBackend {
    /// `places`: the place of each action's logit among the outputs.
    BuiltIn { encoder: Encoder, places: Vec<u32> },
    #[cfg(feature = "onnx")]
    Onnx(Rows),
}

/// A network's output for some positions.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answers {
    /// One logit per legal action, in the order of [`LegalActions`], or `[rows, A]`.
    pub logits: Vec<f32>,
    /// `[rows, P]`: expected sums of rewards for every player, the current player first.
    pub values: Vec<f32>,
}

impl Network {
    /// Reads a file.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] names the file and the problem.
    pub fn open(file: &Path) -> Result<Self> {
        Self::from_source(&Source::read(file)?)
    }

    /// Reads a file's contents; `name` is for messages.
    ///
    /// # Errors
    /// As for [`Network::open`].
    pub fn read(name: &str, bytes: &[u8]) -> Result<Self> {
        Self::from_source(&Source::of_bytes(name, bytes)?)
    }

    /// Reads a network from its bytes.
    ///
    /// # Errors
    /// As for [`Network::open`].
    pub fn from_source(source: &Source) -> Result<Self> {
        let Source { name, bytes, precision, .. } = source;
        // The weights in the layout of the kernels, and on the way there.
        memory::check(source.len().saturating_mul(COPIES), "a network")?;
        let read = match is_safetensors(bytes) {
            true => Self::read_built_in(bytes, *precision),
            false => Self::read_onnx(source),
        };
        let (card, backend) = read.map_err(|error| match error {
            ReadError::File(what) => Error::config(format!("network {name}: {what}")),
            ReadError::Other(error) => error,
        })?;
        Ok(Self { name: name.clone(), card, backend })
    }

    fn read_built_in(bytes: &[u8], precision: Option<Precision>) -> Result<(Card, Backend), ReadError> {
        let mut tensors = Tensors::read(bytes)?;
        let mut card = Card::read(&tensors.metadata)?;
        card.precision = precision.unwrap_or(card.precision);
        let ([count, _], tables) = tensors.real("tables", [None, Some(256)])?;
        let text = tensors.metadata.get("inputs").ok_or("its metadata lack \"inputs\"")?;
        let mut inputs = Inputs::read(text, count)?;
        let order = inputs.group_scalars();
        let index = tensors.whole("policy_index")?;
        let model = Architecture::read(&mut tensors, tables, &inputs, &order, card.precision)?;
        Ok((card, Backend::BuiltIn { model, inputs, index }))
    }

    #[cfg(feature = "onnx")]
    fn read_onnx(source: &Source) -> Result<(Card, Backend), ReadError> {
        if let Some(precision) = source.precision {
            return Err(
                format!("precision={}: ONNX files have one of their own", Named::name(precision)).into()
            );
        }
        let (onnx, metadata) = Onnx::read(source)?;
        Ok((Card::read(&metadata)?, Backend::Onnx(onnx)))
    }
    #[cfg(not(feature = "onnx"))]
    fn read_onnx(_: &Source) -> Result<(Card, Backend), ReadError> {
        Err("it is not a safetensors file, and this program is built without ONNX: `--features onnx` adds that"
            .into())
    }

    /// Whether this process can run the network: ONNX Runtime does not support forks after the file was read.
    #[must_use]
    pub fn is_here(&self) -> bool {
        match &self.backend {
            Backend::BuiltIn { .. } => true,
            #[cfg(feature = "onnx")]
            Backend::Onnx(onnx) => onnx.is_here(),
        }
    }

    /// An error of this network.
    #[cfg(feature = "onnx")]
    fn named(&self, error: Error) -> Error {
        match error {
            Error::InvalidConfig(what) => Error::InvalidConfig(format!("network {}: {what}", self.name)),
            other => other,
        }
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its card.
    #[must_use]
    pub fn card(&self) -> &Card {
        &self.card
    }

    /// The network under the options of `spec`.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] if the network does not support these options.
    pub fn fit(self: &Arc<Self>, spec: &Spec) -> Result<FittedNetwork> {
        let named = |what: &dyn std::fmt::Display| Error::config(format!("network {}: {what}", self.name));
        self.card.check(spec).map_err(|error| match error {
            Error::InvalidConfig(what) => named(&what),
            other => other,
        })?;
        let backend = self.fit_backend(spec).map_err(|error| match error {
            ReadError::File(what) => named(&what),
            ReadError::Other(error) => error,
        })?;
        Ok(FittedNetwork {
            network: self.clone(),
            players: spec.players,
            num_actions: spec.num_actions as usize,
            row_len: spec.observation_len(),
            backend,
            team: Mutex::default(),
        })
    }

    fn fit_backend(&self, spec: &Spec) -> Result<FittedBackend, ReadError> {
        match &self.backend {
            Backend::BuiltIn { model, inputs, index } => {
                let encoder = inputs.encoder(spec, model.tables())?;
                let (outputs, actions) = (model.policy().outputs(encoder.cells), spec.num_actions as usize);
                let mut index = match index {
                    None => plain_index(spec, encoder.board),
                    // Negative numbers become too large for any output and are rejected below.
                    Some(index) => index.iter().map(|&output| output as u32).collect(),
                };
                if index.len() != actions || index.iter().any(|&output| output as usize >= outputs) {
                    return Err(format!(
                        "its policy has {outputs} outputs for {} actions, {} has {actions} actions",
                        index.len(),
                        spec.env
                    )
                    .into());
                }
                if model.values() < spec.players {
                    let values = model.values();
                    return Err(format!("it has {values} values for {} seats", spec.players).into());
                }
                for output in &mut index {
                    *output = model.policy().place(encoder.cells, *output);
                }
                Ok(FittedBackend::BuiltIn { encoder, places: index })
            }
            #[cfg(feature = "onnx")]
            Backend::Onnx(onnx) => Ok(FittedBackend::Onnx(onnx.rows(spec)?)),
        }
    }
}

impl FittedNetwork {
    /// The network read from the file.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// Evaluates positions, given the observations of the current players, `[rows, L]`. With `legal`, returns logits of
    /// these actions only. With 1 thread it runs on the caller's, with `None` on one thread per core. Threads are
    /// started by the first call with enough rows, and restarted in a forked process.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] if an output is not finite or the threads cannot be started,
    /// [`Error::OutOfMemory`], [`Error::Interrupted`] once `interrupt` is raised.
    pub fn answer(
        &self,
        observations: &[u8],
        legal: Option<&LegalActions>,
        threads: Option<usize>,
        interrupt: &Interrupt,
    ) -> Result<Answers> {
        let rows = observations.len() / self.row_len;
        let logits = legal.map_or(rows.saturating_mul(self.num_actions), |legal| legal.actions.len());
        let mut answers = Answers {
            logits: memory::vec_of(logits, "the logits of a network")?,
            values: memory::vec_of(rows.saturating_mul(self.players), "the values of a network")?,
        };
        let tasks = rows.div_ceil(TASK);
        let task = |number: usize, answers: &mut Answers| {
            let rows = number * TASK..rows.min((number + 1) * TASK);
            self.answer_rows(observations, rows, legal, interrupt, answers)
        };
        let several = if threads == Some(1) || tasks <= 1 { None } else { self.threads(threads)? };
        match several {
            None => (0..tasks).try_for_each(|number| task(number, &mut answers))?,
            Some(threads) => {
                // Tasks allocate their own outputs, which add up to the size of the whole again.
                memory::check(4 * (logits + rows * self.players), "the answers of a network")?;
                let parts: Vec<Mutex<Option<Result<Answers>>>> =
                    (0..tasks).map(|_| Mutex::new(None)).collect();
                threads.run(tasks, &|number| {
                    let mut part = Answers::default();
                    let done = task(number, &mut part).map(|()| part);
                    *parts[number].lock().unwrap_or_else(PoisonError::into_inner) = Some(done);
                });
                for part in parts {
                    let part = part.into_inner().unwrap_or_else(PoisonError::into_inner);
                    answers.append(part.expect("every task is run")?);
                }
            }
        }
        if answers.logits.iter().chain(&answers.values).any(|number| !number.is_finite()) {
            return Err(Error::config(format!(
                "network {}: its output is not a finite number",
                self.network.name
            )));
        }
        Ok(answers)
    }

    /// Number of actions, the logits of a row.
    pub fn num_actions(&self) -> usize {
        self.num_actions
    }

    /// Number of threads that an answer for `rows` positions takes.
    pub fn threads_of(&self, rows: usize, threads: Option<usize>) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        threads.unwrap_or_else(cores).min(rows.div_ceil(TASK)).max(1)
    }

    /// Encodes observations as the network's inputs, which are dropped: a part of [`answer`](Self::answer), to be
    /// timed. ONNX files have no such part.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn encode(&self, observations: &[u8]) -> Result<()> {
        match (&self.network.backend, &self.backend) {
            (Backend::BuiltIn { model, .. }, FittedBackend::BuiltIn { encoder, .. }) => {
                model.encode(encoder, observations, self.row_len)
            }
            #[cfg(feature = "onnx")]
            _ => Ok(()),
        }
    }

    /// Returns the threads for a call: the last call's threads if their number is the same and this process started
    /// them, otherwise new ones.
    fn threads(&self, asked: Option<usize>) -> Result<Option<Arc<Threads>>> {
        let mut team = self.team.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(Team { asked: before, threads }) = &*team
            && *before == asked
            && threads.as_ref().is_none_or(|threads| threads.is_here())
        {
            return Ok(threads.clone());
        }
        let threads = Threads::start(asked, false)?.map(Arc::new);
        *team = Some(Team { asked, threads: threads.clone() });
        Ok(threads)
    }

    /// Appends the answers for some rows of `observations`.
    fn answer_rows(
        &self,
        observations: &[u8],
        rows: Range<usize>,
        legal: Option<&LegalActions>,
        interrupt: &Interrupt,
        answers: &mut Answers,
    ) -> Result<()> {
        if interrupt.is_raised() {
            return Err(Error::interrupted("the network has not answered"));
        }
        let first = rows.start;
        let observations = &observations[first * self.row_len..rows.end * self.row_len];
        let scale = self.network.card.value_scale;
        match (&self.network.backend, &self.backend) {
            (Backend::BuiltIn { model, .. }, FittedBackend::BuiltIn { encoder, places }) => {
                let row_len = model.policy().row_len(encoder.cells);
                let wanted = Wanted { places, row_len, legal, first };
                let Answers { logits, values } = answers;
                model.run(encoder, observations, self.row_len, &wanted, logits, |of_row| {
                    values.extend(of_row[..self.players].iter().map(|value| value * scale));
                })?;
            }
            #[cfg(feature = "onnx")]
            (Backend::Onnx(onnx), FittedBackend::Onnx(rows)) => {
                let (logits, values) = onnx
                    .run(rows, observations, self.num_actions, self.players, interrupt)
                    .map_err(|error| self.network.named(error))?;
                answers.values.extend(values.iter().map(|value| value * scale));
                match legal {
                    None => answers.logits.extend(logits),
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
            _ => unreachable!("the weights are of the same kind as the form"),
        }
        Ok(())
    }
}

impl Answers {
    /// Appends the answers for the next rows; the capacity suffices.
    fn append(&mut self, part: Self) {
        self.logits.extend(part.logits);
        self.values.extend(part.values);
    }
}
