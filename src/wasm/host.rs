//! The exported functions: bytes in, bytes out.
//!
//! The host asks [`ludovec_request`] for room, writes the request as JSON there, calls [`ludovec_answer`], and reads
//! that many bytes at [`ludovec_answered`]. A panic reports its message to the host and then traps: the host drops the
//! instance.

use std::cell::RefCell;
use std::panic;

use crate::Pages;

#[link(wasm_import_module = "host")]
unsafe extern "C" {
    /// Milliseconds since any fixed time: `performance.now()`.
    safe fn now() -> f64;
    /// The number before the first game's.
    safe fn first() -> u32;
    /// Takes the text of a panic.
    fn panicked(text: *const u8, len: usize);
}

struct Instance {
    pages: Pages,
    request: Vec<u8>,
    answer: String,
}

thread_local! {
    static INSTANCE: RefCell<Instance> = RefCell::new(Instance::new());
}

fn clock() -> f64 {
    now()
}

impl Instance {
    fn new() -> Self {
        panic::set_hook(Box::new(|info| {
            let text = info.to_string();
            // Safety: the host reads the text before it returns.
            unsafe { panicked(text.as_ptr(), text.len()) };
        }));
        Self { pages: Pages::new(clock, first().into()), request: Vec::new(), answer: String::new() }
    }
}

/// Room for a request of `len` bytes, until the next call.
#[unsafe(no_mangle)]
pub extern "C" fn ludovec_request(len: usize) -> *mut u8 {
    INSTANCE.with_borrow_mut(|instance| {
        instance.request.clear();
        instance.request.resize(len, 0);
        instance.request.as_mut_ptr()
    })
}

/// Answers the request. Returns the number of bytes of the answer.
#[unsafe(no_mangle)]
pub extern "C" fn ludovec_answer() -> usize {
    INSTANCE.with_borrow_mut(|instance| {
        instance.answer = instance.pages.answer_text(&std::mem::take(&mut instance.request));
        instance.answer.len()
    })
}

/// The answer, until the next call.
#[unsafe(no_mangle)]
pub extern "C" fn ludovec_answered() -> *const u8 {
    INSTANCE.with_borrow(|instance| instance.answer.as_ptr())
}
