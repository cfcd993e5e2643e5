//! Files of networks with random weights, for tests.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::engine::Spec;

/// Tensors of a file: name, type, shape, bytes.
pub type Parts = Vec<(String, &'static str, Vec<usize>, Vec<u8>)>;
/// Tensors and metadata.
pub type File = (Parts, BTreeMap<&'static str, String>);

/// A file in safetensors layout.
#[must_use]
pub fn file(parts: &Parts, metadata: &BTreeMap<&str, String>) -> Vec<u8> {
    let mut header = serde_json::Map::new();
    header.insert("__metadata__".into(), json!(metadata));
    let mut data: Vec<u8> = Vec::new();
    for (name, dtype, shape, bytes) in parts {
        let offsets = [data.len(), data.len() + bytes.len()];
        header.insert(name.clone(), json!({ "dtype": dtype, "shape": shape, "data_offsets": offsets }));
        data.extend(bytes);
    }
    let header = Value::Object(header).to_string();
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend(header.bytes());
    file.extend(data);
    file
}

/// Pseudo-random numbers in [-scale, scale].
pub(crate) struct Noise(pub(crate) u64);

impl Noise {
    pub(crate) fn next(&mut self, scale: f32) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 40) as f32 / (1 << 23) as f32 - 1.0) * scale
    }

    pub(crate) fn tensor(&mut self, parts: &mut Parts, name: &str, shape: &[usize]) {
        let inputs: usize = shape[1..].iter().product();
        let scale = 1.0 / (inputs as f32).sqrt();
        let count: usize = shape.iter().product();
        let bytes = (0..count).flat_map(|_| self.next(scale).to_le_bytes()).collect();
        parts.push((name.into(), "F32", shape.to_vec(), bytes));
    }

    /// Three tables; the first is 0 everywhere.
    pub(crate) fn tables(&mut self, parts: &mut Parts) {
        self.tensor(parts, "tables", &[3, 256]);
        parts[0].3[..4 * 256].fill(0);
    }

    pub(crate) fn dense(&mut self, parts: &mut Parts, name: &str, shape: &[usize]) {
        self.tensor(parts, &format!("{name}.weight"), shape);
        self.tensor(parts, &format!("{name}.bias"), &shape[..1]);
    }
}

pub(crate) const WIDTH: usize = 12;
pub(crate) const BLOCKS: usize = 2;

/// The metadata of a file for the options of `spec`.
#[must_use]
pub fn metadata(spec: &Spec, inputs: &Value) -> BTreeMap<&'static str, String> {
    let options: BTreeMap<_, _> = spec.options.iter().map(|(name, value)| (name, json!([value]))).collect();
    [
        ("environment", spec.env.to_string()),
        ("version", spec.version.to_string()),
        ("options", json!(options).to_string()),
        ("inputs", inputs.to_string()),
    ]
    .into()
}

/// A network of random weights with all elements of an observation as scalars.
#[must_use]
pub fn flat(spec: &Spec, seed: u64) -> File {
    let mut scalars = Vec::new();
    for field in &spec.observation {
        let count: usize = field.shape.iter().product();
        for i in 0..count {
            let (_, at) = field.shape.iter().rev().fold((i, Vec::new()), |(rest, mut at), n| {
                at.insert(0, rest % n);
                (rest / n, at)
            });
            scalars.push(json!([field.name, at, 1 + i % 2]));
        }
    }
    let inputs = json!({ "board": null, "planes": [], "scalars": scalars });
    let (mut noise, mut parts) = (Noise(seed), Parts::new());
    noise.tables(&mut parts);
    noise.dense(&mut parts, "scalars", &[WIDTH, scalars.len()]);
    for block in 0..BLOCKS {
        noise.tensor(&mut parts, &format!("blocks.{block}.norm.weight"), &[WIDTH]);
        noise.tensor(&mut parts, &format!("blocks.{block}.norm.bias"), &[WIDTH]);
        noise.dense(&mut parts, &format!("blocks.{block}.first"), &[WIDTH, WIDTH]);
        noise.dense(&mut parts, &format!("blocks.{block}.second"), &[WIDTH, WIDTH]);
    }
    noise.dense(&mut parts, "norm", &[WIDTH]);
    heads(&mut noise, &mut parts, 0, spec.num_actions as usize, spec.players);
    (parts, metadata(spec, &inputs))
}

pub(crate) fn heads(noise: &mut Noise, parts: &mut Parts, planes: usize, others: usize, players: usize) {
    if planes > 0 {
        noise.dense(parts, "policy_planes", &[planes, WIDTH]);
    }
    noise.dense(parts, "policy_others", &[others, WIDTH]);
    noise.dense(parts, "value_hidden", &[7, WIDTH]);
    noise.dense(parts, "value", &[players, 7]);
}
