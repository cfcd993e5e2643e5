//! The bytes of a network: its file, and the external weight files that an ONNX file names.

use std::path::{Component, Path};

use xxhash_rust::xxh3::Xxh3;

use super::precision::Precision;
use super::protobuf::{ExternalData, external_data};
use crate::engine::{Error, Named, Result, file};

/// Maximum total size of a network's files in bytes.
const LONGEST_FILE: u64 = 1 << 30;

/// The bytes of a network.
#[derive(Debug)]
pub struct Source {
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
    /// External weight files, by their names in the main file.
    pub(super) beside: Vec<(String, Vec<u8>)>,
    /// The precision that is used instead of the file's.
    pub(super) precision: Option<Precision>,
}

impl Source {
    /// Reads a file and its external weight files.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] names the file and the problem.
    pub fn read(path: &Path) -> Result<Self> {
        let name = path.display().to_string();
        let bytes = file::read(path, LONGEST_FILE)
            .map_err(|error| Error::config(format!("network {name}: {error}")))?;
        let mut left = LONGEST_FILE - bytes.len() as u64;
        let mut beside = Vec::new();
        for location in Self::weights_beside(&name, &bytes)? {
            let refuse = |what: &dyn std::fmt::Display| {
                Error::config(format!("network {name}: its weights in {location:?}: {what}"))
            };
            let is_name = |part| matches!(part, Component::Normal(_) | Component::CurDir);
            if !Path::new(&location).components().all(is_name) {
                return Err(refuse(&"only files in the same folder or below it are read"));
            }
            let folder = path.parent().unwrap_or(Path::new(""));
            let weights = file::read(&folder.join(&location), left).map_err(|error| refuse(&error))?;
            left -= weights.len() as u64;
            beside.push((location, weights));
        }
        Ok(Self { name, bytes, beside, precision: None })
    }

    /// Makes a source from the bytes of a file called `name` without external weights.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] if the file names external weights.
    pub fn of_bytes(name: &str, bytes: &[u8]) -> Result<Self> {
        match Self::weights_beside(name, bytes)?.first() {
            None => Ok(Self { name: name.into(), bytes: bytes.into(), beside: Vec::new(), precision: None }),
            Some(location) => Err(Error::config(format!(
                "network {name}: its weights are in another file, {location:?}: bytes with all weights are needed"
            ))),
        }
    }

    /// The same network in another precision than its file says.
    #[must_use]
    pub fn with_precision(self, precision: Option<Precision>) -> Self {
        Self { precision, ..self }
    }

    /// The distinct external weight files named by a file.
    fn weights_beside(name: &str, bytes: &[u8]) -> Result<Vec<String>> {
        if is_safetensors(bytes) {
            return Ok(Vec::new());
        }
        // If the file is not an ONNX file, ONNX Runtime reports the error later.
        let ExternalData { mut locations, elsewhere } = external_data(bytes).unwrap_or_default();
        if elsewhere {
            return Err(Error::config(format!(
                "network {name}: it has weights in other files outside its main graph: save it as one file"
            )));
        }
        locations.sort_unstable();
        locations.dedup();
        Ok(locations)
    }

    /// Total size of the files in bytes.
    pub(super) fn len(&self) -> usize {
        self.bytes.len() + self.beside.iter().map(|(_, bytes)| bytes.len()).sum::<usize>()
    }

    /// The name of the file.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A hash of the contents and the precision.
    pub fn digest(&self) -> u128 {
        let mut hash = Xxh3::new();
        hash.update(self.precision.map_or("", Precision::name).as_bytes());
        let parts = self.beside.iter().flat_map(|(name, bytes)| [name.as_bytes(), bytes]);
        for part in [&self.bytes[..]].into_iter().chain(parts) {
            hash.update(&(part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        hash.digest128()
    }
}

/// Whether a file looks like safetensors: a length in 8 bytes, then a header in JSON.
pub(super) fn is_safetensors(bytes: &[u8]) -> bool {
    bytes.get(8) == Some(&b'{')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_with_other_contents_have_other_digests() {
        let source = |bytes: &[u8], beside: &[(&str, &[u8])]| Source {
            name: "any".into(),
            bytes: bytes.into(),
            beside: beside.iter().map(|(name, bytes)| (name.to_string(), bytes.to_vec())).collect(),
            precision: None,
        };
        let all = [
            source(b"ab", &[]),
            source(b"a", &[]),
            source(b"a", &[("b", b"")]),
            source(b"a", &[("b", b"c")]),
            source(b"a", &[("bc", b"")]),
            source(b"a", &[("b", b"c"), ("d", b"")]),
            source(b"a", &[]).with_precision(Some(Precision::Float)),
            source(b"a", &[]).with_precision(Some(Precision::Int8)),
        ];
        for (i, a) in all.iter().enumerate() {
            for (j, b) in all.iter().enumerate() {
                assert_eq!(a.digest() == b.digest(), i == j);
            }
        }
    }
}
