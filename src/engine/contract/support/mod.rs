//! Types and functions that every part of the contract uses.

pub(crate) mod cpu;
pub(crate) mod error;
pub mod escape;
pub mod file;
pub(crate) mod kept;
pub mod memory;
pub mod similar;
