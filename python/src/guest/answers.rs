//! The values that methods of a game return. Every function returns a sentence about a value that it cannot read.

use ludovec::engine::mask;
use numpy::{
    PyArray1, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArray, PyUntypedArrayMethods,
};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyString};

type Read<T> = Result<T, Unread>;

/// Why an answer cannot be read.
pub(super) enum Unread {
    /// It is wrong.
    Said(String),
    /// Python code that ran meanwhile has raised.
    Raised(PyErr),
}

impl From<String> for Unread {
    fn from(what: String) -> Self {
        Self::Said(what)
    }
}

impl From<PyErr> for Unread {
    fn from(error: PyErr) -> Self {
        Self::Raised(error)
    }
}

/// A value on one line, for messages.
pub(super) fn shown(value: &Bound<'_, PyAny>) -> String {
    let text = value.repr().map(|text| text.to_string_lossy().into_owned());
    let words = text.unwrap_or_else(|_| value.get_type().to_string());
    words.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(100).collect()
}

/// The current player, or `None` if the game is over: a number below 0, or None.
pub(super) fn player(value: &Bound<'_, PyAny>) -> Read<Option<usize>> {
    if value.is_none() {
        return Ok(None);
    }
    let number: i64 =
        value.extract().map_err(|_| format!("{} is returned, a player or None is needed", shown(value)))?;
    Ok(usize::try_from(number).ok())
}

/// Sets the bits of the legal actions: a mask of `actions` bools, or the actions themselves.
pub(super) fn legal(value: &Bound<'_, PyAny>, actions: usize, bits: &mut [u64]) -> Read<()> {
    let wrong_length =
        |given: usize| Err(format!("a mask of {given} elements is returned, {actions} are needed").into());
    bits.fill(0);
    // Whether the bit was set before.
    let mut add = |action: usize, is_legal: bool| {
        let (word, bit) = (&mut bits[action / 64], u64::from(is_legal) << (action % 64));
        let was_set = *word & bit != 0;
        *word |= bit;
        was_set
    };
    if let Ok(array) = value.cast::<PyArray1<bool>>() {
        if array.len() != actions {
            return wrong_length(array.len());
        }
        let array = array.try_readonly().map_err(|error| error.to_string())?;
        array.as_array().iter().enumerate().for_each(|(action, &is_legal)| {
            add(action, is_legal);
        });
        return Ok(());
    }
    if let Ok(array) = value.cast::<PyUntypedArray>() {
        let dtype = array.dtype().to_string();
        if array.ndim() != 1 {
            return Err(format!("an array of {} axes is returned, a mask has one", array.ndim()).into());
        }
        if !dtype.contains("int") || dtype.ends_with("int8") {
            return Err(format!(
                "an array of {dtype} is returned: a mask is an array of bool, a list of actions one of int64"
            )
            .into());
        }
    }
    let list = value
        .try_iter()
        .map_err(|_| format!("{} is returned, a mask or the legal actions are needed", shown(value)))?;
    let (mut switches, mut count, mut ones) = (0, 0, 0);
    let mut twice = None;
    for item in list {
        let item = item?;
        if let Ok(switch) = item.cast::<PyBool>() {
            if count < actions {
                add(count, switch.is_true());
            }
            switches += 1;
        } else {
            let action = item.extract::<i64>().ok();
            match action.and_then(|action| usize::try_from(action).ok()).filter(|&action| action < actions) {
                Some(action) => {
                    ones += usize::from(action < 2);
                    if add(action, true) {
                        twice = twice.or(Some(action));
                    }
                }
                None => {
                    return Err(format!("action {}: actions are 0 to {}", shown(&item), actions - 1).into());
                }
            }
        }
        count += 1;
    }
    match switches {
        // Zeros and ones, one for each action: only [0, 1] can be two actions in order.
        0 if count == actions && ones == count && (twice.is_some() || actions > 1 && !is_in_order(value)) => {
            Err(format!(
                "a mask of integers, {}, is returned: a mask has bools, as in mask.astype(bool), and a list of integers \
                 the legal actions",
                shown(value)
            )
            .into())
        }
        0 => match twice {
            Some(action) => Err(format!(
                "action {action} is twice in {}: a list has the legal actions, each once, and a mask bools",
                shown(value)
            )
            .into()),
            None => Ok(()),
        },
        _ if switches != count => Err(String::from("bools and actions are mixed").into()),
        _ if count != actions => wrong_length(count),
        _ => Ok(()),
    }
}

/// Whether the first of several actions is 0.
fn is_in_order(value: &Bound<'_, PyAny>) -> bool {
    value.get_item(0).and_then(|first| first.extract::<i64>()).is_ok_and(|first| first == 0)
}

/// Writes an observation; `as_bytes` converts arrays of other types than bytes and bools.
pub(super) fn observation(value: &Bound<'_, PyAny>, as_bytes: &Bound<'_, PyAny>, out: &mut [u8]) -> Read<()> {
    let fits = |given: usize| match given == out.len() {
        true => Ok(()),
        false => Err(Unread::Said(format!("{given} elements are returned, {} are needed", out.len()))),
    };
    if let Ok(array) = value.cast::<PyArrayDyn<u8>>() {
        fits(array.len())?;
        let array = array.try_readonly().map_err(|error| error.to_string())?;
        copy(&array, out, |byte| byte);
        return Ok(());
    }
    if let Ok(array) = value.cast::<PyArrayDyn<bool>>() {
        fits(array.len())?;
        let array = array.try_readonly().map_err(|error| error.to_string())?;
        copy(&array, out, u8::from);
        return Ok(());
    }
    let converted = as_bytes.call1((value,)).map_err(|error| {
        match error.is_instance_of::<PyKeyboardInterrupt>(value.py()) {
            true => Unread::Raised(error),
            false => Unread::Said(error.value(value.py()).to_string()),
        }
    })?;
    let array = converted.cast::<PyArrayDyn<u8>>().map_err(|error| error.to_string())?;
    fits(array.len())?;
    let array = array.try_readonly().map_err(|error| error.to_string())?;
    copy(&array, out, |byte| byte);
    Ok(())
}

fn copy<T: numpy::Element + Copy>(from: &PyReadonlyArrayDyn<'_, T>, to: &mut [u8], byte: impl Fn(T) -> u8) {
    to.iter_mut().zip(from.as_array()).for_each(|(to, &from)| *to = byte(from));
}

/// One number per player.
pub(super) fn numbers(value: &Bound<'_, PyAny>, out: &mut [f32]) -> Read<()> {
    let wrong = || format!("{} is returned, {} numbers are needed", shown(value), out.len());
    let mut numbers = Vec::with_capacity(out.len());
    for number in value.try_iter().map_err(|_| wrong())? {
        numbers.push(number?.extract::<f64>().map_err(|_| wrong())?);
    }
    if numbers.len() != out.len() {
        return Err(wrong().into());
    }
    out.iter_mut().zip(numbers).for_each(|(to, from)| *to = from as f32);
    Ok(())
}

/// A text.
pub(super) fn text(value: &Bound<'_, PyAny>) -> Read<String> {
    let text =
        value.cast::<PyString>().map_err(|_| format!("{} is returned, a text is needed", shown(value)))?;
    Ok(text.extract::<String>()?)
}

/// An action.
pub(super) fn action(value: &Bound<'_, PyAny>) -> Read<u32> {
    Ok(value.extract().map_err(|_| format!("{} is returned, an action is needed", shown(value)))?)
}

/// The actions of a mask as an array, for bots.
pub(super) fn actions<'py>(py: Python<'py>, bits: &[u64]) -> Bound<'py, PyArray1<i64>> {
    PyArray1::from_vec(py, mask::iter(bits).map(i64::from).collect())
}
