//! A minimal Protocol Buffers parser that finds the tensors of an ONNX file with external data.
//!
//! Given a file's bytes, ONNX Runtime would read external data relative to the current folder, and from any path.
//! Fields are named as in `onnx.proto`.

/// Maximum nesting of messages: graphs inside attributes inside graphs.
const DEEPEST: usize = 100;

/// The external data of an ONNX file.
#[derive(Debug, Default, PartialEq)]
pub(super) struct ExternalData {
    /// The files of the main graph's initializers, once per tensor.
    pub(super) locations: Vec<String>,
    /// Whether other tensors have external data: constants, inner graphs, functions.
    pub(super) elsewhere: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Model,
    MainGraph,
    Graph,
    Node,
    Attribute,
    Function,
    Training,
    SparseTensor,
    Initializer,
    Tensor,
}

impl Kind {
    /// The message in a field.
    fn field(self, number: u64) -> Option<Self> {
        Some(match (self, number) {
            (Self::Model, 7) => Self::MainGraph,
            (Self::Model, 20) => Self::Training,
            (Self::Model, 25) => Self::Function,
            (Self::Training, 1 | 2) | (Self::Attribute, 6 | 11) => Self::Graph,
            (Self::MainGraph | Self::Graph, 1) | (Self::Function, 7) => Self::Node,
            (Self::MainGraph, 5) => Self::Initializer,
            (Self::Graph, 5) | (Self::Attribute, 5 | 10) | (Self::SparseTensor, 1 | 2) => Self::Tensor,
            (Self::MainGraph | Self::Graph, 15) | (Self::Attribute, 22 | 23) => Self::SparseTensor,
            (Self::Node, 5) | (Self::Function, 11) => Self::Attribute,
            _ => return None,
        })
    }
}

/// Lists the external data of an ONNX file; `None` if the bytes are not a valid message.
pub(super) fn external_data(bytes: &[u8]) -> Option<ExternalData> {
    let mut found = ExternalData::default();
    walk(bytes, Kind::Model, DEEPEST, &mut found)?;
    Some(found)
}

fn walk(message: &[u8], kind: Kind, depth: usize, found: &mut ExternalData) -> Option<()> {
    let mut rest = message;
    let (mut location, mut is_external) = (None, false);
    while !rest.is_empty() {
        let (number, value) = field(&mut rest)?;
        match (kind, number, value) {
            // `data_location`
            (Kind::Tensor | Kind::Initializer, 14, Value::Number(place)) => is_external = place == 1,
            // `external_data`
            (Kind::Tensor | Kind::Initializer, 13, Value::Bytes(entry)) => {
                if let (b"location", value) = entry_of(entry)? {
                    location = Some(std::str::from_utf8(value).ok()?.to_owned());
                }
            }
            (_, _, Value::Bytes(inner)) => {
                if let Some(kind) = kind.field(number) {
                    walk(inner, kind, depth.checked_sub(1)?, found)?;
                }
            }
            _ => {}
        }
    }
    match kind {
        Kind::Initializer if is_external => found.locations.push(location?),
        Kind::Tensor if is_external => found.elsewhere = true,
        _ => {}
    }
    Some(())
}

/// Parses the key and the value of an entry.
fn entry_of(mut entry: &[u8]) -> Option<(&[u8], &[u8])> {
    let (mut key, mut value): (&[u8], &[u8]) = (&[], &[]);
    while !entry.is_empty() {
        match field(&mut entry)? {
            (1, Value::Bytes(bytes)) => key = bytes,
            (2, Value::Bytes(bytes)) => value = bytes,
            _ => {}
        }
    }
    Some((key, value))
}

enum Value<'a> {
    Number(u64),
    Bytes(&'a [u8]),
    Fixed,
}

/// Parses the next field of a message: its number and value.
fn field<'a>(rest: &mut &'a [u8]) -> Option<(u64, Value<'a>)> {
    let tag = varint(rest)?;
    let value = match tag & 7 {
        0 => Value::Number(varint(rest)?),
        1 => take(rest, 8).map(|_| Value::Fixed)?,
        2 => {
            let len = usize::try_from(varint(rest)?).ok()?;
            Value::Bytes(take(rest, len)?)
        }
        5 => take(rest, 4).map(|_| Value::Fixed)?,
        _ => return None,
    };
    Some((tag >> 3, value))
}

fn take<'a>(rest: &mut &'a [u8], len: usize) -> Option<&'a [u8]> {
    let (taken, left) = rest.split_at_checked(len)?;
    *rest = left;
    Some(taken)
}

fn varint(rest: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, left) = rest.split_first()?;
        *rest = left;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A field that holds `bytes`.
    fn of(number: u8, bytes: &[u8]) -> Vec<u8> {
        let tag = u16::from(number) << 3 | 2;
        let tag = if tag < 0x80 { vec![tag as u8] } else { vec![tag as u8 & 0x7f | 0x80, (tag >> 7) as u8] };
        assert!(bytes.len() < 0x80);
        [&tag[..], &[bytes.len() as u8], bytes].concat()
    }

    fn tensor(location: &str) -> Vec<u8> {
        let entry =
            |key: &str, value: &str| of(13, &[of(1, key.as_bytes()), of(2, value.as_bytes())].concat());
        [entry("location", location), entry("offset", "0"), vec![14 << 3, 1]].concat()
    }

    #[test]
    fn tensors_with_external_data_are_found_at_any_depth() {
        let initializer = of(7, &of(5, &tensor("a.bin")));
        let found = external_data(&initializer).unwrap();
        assert_eq!(found, ExternalData { locations: vec!["a.bin".into()], elsewhere: false });
        let constant = of(1, &of(5, &of(5, &tensor("b.bin"))));
        let inner = of(1, &of(5, &of(6, &of(5, &tensor("c.bin")))));
        let sparse = of(15, &of(1, &tensor("d.bin")));
        for graph in [&constant, &inner, &sparse] {
            let found = external_data(&of(7, graph)).unwrap();
            assert_eq!(found, ExternalData { locations: Vec::new(), elsewhere: true });
        }
        assert!(external_data(&of(25, &of(7, &of(5, &of(5, &tensor("e.bin")))))).unwrap().elsewhere);
        let own = of(7, &of(5, &[14 << 3, 0]));
        assert_eq!(external_data(&own), Some(ExternalData::default()));
    }

    #[test]
    fn invalid_messages_have_no_result() {
        for bytes in [&[0x0a][..], &[0x0a, 0xff, 0xff, 0xff], &[0xff; 12], &[0x0b], b"nonsense, all of it"] {
            assert_eq!(external_data(bytes), None, "{bytes:?}");
        }
        let mut nested = Vec::new();
        for _ in 0..60 {
            nested = of(6, &of(1, &of(5, &nested[..nested.len().min(100)])));
        }
        let _ = external_data(&of(7, &nested));
    }
}
