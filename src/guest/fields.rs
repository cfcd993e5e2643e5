//! The fields of a record as JSON: `{"board": [[0, 1], [2, 0]], "turn": 3}`.

use serde_json::{Map, Value};

use ludovec_engine::{Error, Result, StateColumn};

/// The fields of the state that begins at `bytes`.
pub(crate) fn to_json(columns: &[StateColumn], bytes: &[u8]) -> Map<String, Value> {
    let field = |column: &StateColumn| {
        let mut elements = column.offsets().map(|at| element(column.dtype, column.read(bytes, at)));
        (column.name.clone(), nested(&column.shape, &mut elements))
    };
    columns.iter().map(field).collect()
}

fn nested(shape: &[usize], elements: &mut impl Iterator<Item = Value>) -> Value {
    match shape {
        [] => elements.next().unwrap_or_default(),
        [length, inner @ ..] => (0..*length).map(|_| nested(inner, elements)).collect(),
    }
}

/// The number with these bits. A float that JSON has no number for is written as its bits, `"0x7ff8000000000000"`.
fn element(dtype: &str, bits: u64) -> Value {
    let float = |value: f64| match serde_json::Number::from_f64(value) {
        Some(number) => Value::Number(number),
        None => Value::String(format!("{bits:#x}")),
    };
    match dtype {
        "bool" => (bits != 0).into(),
        "int8" => (bits as i8).into(),
        "int16" => (bits as i16).into(),
        "int32" => (bits as i32).into(),
        "int64" => (bits as i64).into(),
        "float32" => float(f32::from_bits(bits as u32).into()),
        "float64" => float(f64::from_bits(bits)),
        _ => bits.into(),
    }
}

/// Writes the fields of a JSON object to the state that begins at `bytes`.
///
/// # Errors
/// [`Error::InvalidState`] names the field, the value and the allowed values.
pub(crate) fn from_json(columns: &[StateColumn], json: &Value, bytes: &mut [u8]) -> Result<()> {
    for column in columns {
        let value =
            json.get(&column.name).ok_or_else(|| Error::state(format!("{}: missing", column.name)))?;
        let mut flat = Vec::new();
        flatten(value, &column.shape, &mut flat).ok_or_else(|| {
            let shape = column.shape.iter().map(|n| format!("[{n}]")).collect::<String>();
            Error::state(format!("{}: {}{shape} is needed", column.name, column.dtype))
        })?;
        for (at, value) in column.offsets().zip(flat) {
            let bits = bits(column.dtype, value).ok_or_else(|| {
                Error::state(format!("{}: {value} is no number of the type {}", column.name, column.dtype))
            })?;
            bytes[at..at + column.item()].copy_from_slice(&bits.to_le_bytes()[..column.item()]);
        }
    }
    Ok(())
}

/// The elements of a nested list of this shape, or `None` if it has another.
fn flatten<'a>(value: &'a Value, shape: &[usize], out: &mut Vec<&'a Value>) -> Option<()> {
    match shape {
        [] => out.push(value),
        [length, inner @ ..] => {
            let list = value.as_array().filter(|list| list.len() == *length)?;
            list.iter().try_for_each(|value| flatten(value, inner, out))?;
        }
    }
    Some(())
}

fn bits(dtype: &str, value: &Value) -> Option<u64> {
    let signed = |size: u32| {
        let value = value.as_i64()?;
        (value >> (size - 1) == 0 || value >> (size - 1) == -1).then_some(value as u64)
    };
    let unsigned = |size: u32| value.as_u64().filter(|value| value.checked_shr(size).unwrap_or(0) == 0);
    let text = || u64::from_str_radix(value.as_str()?.strip_prefix("0x")?, 16).ok();
    match dtype {
        "bool" => value.as_bool().map(u64::from),
        "int8" => signed(8),
        "int16" => signed(16),
        "int32" => signed(32),
        "int64" => signed(64),
        "uint8" => unsigned(8),
        "uint16" => unsigned(16),
        "uint32" => unsigned(32),
        "float32" => value
            .as_f64()
            .map(|value| u64::from((value as f32).to_bits()))
            .or_else(text)
            .filter(|b| b >> 32 == 0),
        "float64" => value.as_f64().map(f64::to_bits).or_else(text),
        _ => unsigned(64),
    }
}
