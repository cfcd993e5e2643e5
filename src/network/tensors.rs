//! The tensors in a file: safetensors, in half or single precision.

use std::collections::HashMap;

use half::{bf16, f16};
use safetensors::{Dtype, SafeTensors};

use crate::engine::Error;

/// Tensors by name, and metadata.
pub(super) struct Tensors {
    tensors: HashMap<String, Tensor>,
    pub(super) metadata: HashMap<String, String>,
}

/// A tensor: its shape, and its elements in row-major order.
pub(super) struct Tensor {
    pub(super) shape: Vec<usize>,
    pub(super) values: Numbers,
}

pub(super) enum Numbers {
    Real(Vec<f32>),
    Whole(Vec<i32>),
}

/// The reason why a file is not read.
#[derive(Debug)]
pub(super) enum ReadError {
    /// A message about the file.
    File(String),
    /// Another error, such as a lack of memory.
    Other(Error),
}

impl From<String> for ReadError {
    fn from(message: String) -> Self {
        Self::File(message)
    }
}

impl From<&str> for ReadError {
    fn from(message: &str) -> Self {
        Self::File(message.into())
    }
}

impl From<Error> for ReadError {
    fn from(error: Error) -> Self {
        Self::Other(error)
    }
}

impl Tensors {
    /// # Errors
    /// A message about the malformed bytes.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, String> {
        let broken =
            |error: safetensors::SafeTensorError| format!("it is not a complete safetensors file: {error}");
        let (_, header) = SafeTensors::read_metadata(bytes).map_err(broken)?;
        let metadata = header.metadata().iter().flatten().map(|(k, v)| (k.clone(), v.clone())).collect();
        let file = SafeTensors::deserialize(bytes).map_err(broken)?;
        let mut tensors = HashMap::new();
        for (name, view) in file.iter() {
            let data = view.data();
            let values = match view.dtype() {
                Dtype::F32 => Numbers::Real(words(data).map(f32::from_le_bytes).collect()),
                Dtype::F16 => Numbers::Real(words(data).map(|b| f16::from_le_bytes(b).to_f32()).collect()),
                Dtype::BF16 => Numbers::Real(words(data).map(|b| bf16::from_le_bytes(b).to_f32()).collect()),
                Dtype::I32 => Numbers::Whole(words(data).map(i32::from_le_bytes).collect()),
                other => return Err(format!("tensor {name:?} is {other}: F32, F16, BF16 and I32 are read")),
            };
            if let Numbers::Real(values) = &values
                && values.iter().any(|value| !value.is_finite())
            {
                return Err(format!("tensor {name:?} has an element that is not a finite number"));
            }
            tensors.insert(name.to_string(), Tensor { shape: view.shape().to_vec(), values });
        }
        Ok(Self { tensors, metadata })
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.tensors.contains_key(name)
    }

    /// Removes and returns a tensor. Its shape must satisfy `fits`, described by `wanted`.
    ///
    /// # Errors
    /// A message if the tensor is missing or has another shape or type.
    pub(super) fn real<const N: usize>(
        &mut self,
        name: &str,
        wanted: [Option<usize>; N],
    ) -> Result<([usize; N], Vec<f32>), String> {
        let tensor = self.tensors.remove(name).ok_or_else(|| format!("it lacks the tensor {name:?}"))?;
        let fits = tensor.shape.len() == N
            && tensor
                .shape
                .iter()
                .zip(wanted)
                .all(|(&size, wanted)| size > 0 && wanted.is_none_or(|w| w == size));
        match (tensor.values, <[usize; N]>::try_from(&*tensor.shape)) {
            (Numbers::Real(values), Ok(shape)) if fits => Ok((shape, values)),
            _ => {
                let sizes: Vec<_> =
                    wanted.iter().map(|size| size.map_or("n".into(), |n| n.to_string())).collect();
                Err(format!(
                    "tensor {name:?} is {:?}: real numbers of shape [{}] are needed",
                    tensor.shape,
                    sizes.join(", ")
                ))
            }
        }
    }

    /// Removes and returns a list of integers, if it exists.
    pub(super) fn whole(&mut self, name: &str) -> Result<Option<Vec<i32>>, String> {
        match self.tensors.remove(name) {
            None => Ok(None),
            Some(Tensor { values: Numbers::Whole(values), shape }) if shape.len() == 1 => Ok(Some(values)),
            Some(_) => Err(format!("tensor {name:?}: a list of 32-bit integers is needed")),
        }
    }
}

/// The elements, as N bytes each.
fn words<const N: usize>(data: &[u8]) -> impl Iterator<Item = [u8; N]> + '_ {
    data.as_chunks::<N>().0.iter().copied()
}
