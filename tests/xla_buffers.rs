//! Buffers of XLA as the Python extension reads and fills them; its crate links Python and has no tests of its own.

#[allow(dead_code, unreachable_pub, reason = "the extension uses the rest")]
#[path = "../python/src/jax_ffi/call_frame.rs"]
mod call_frame;
