//! A reserve of memory, so that small allocations never abort the process.
//!
//! Allocations that grow with the arguments of a call are checked where they are made. The many small ones, such as
//! the pieces of a drawing or a clone of a game, are not. If one of them fails, the allocator returns the reserve to
//! the system and tries again. The next call takes a new reserve, or is refused with `OutOfMemory`.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

use ludovec::engine::Error;

/// Sizes of the reserve, in order of preference: address space, without memory behind it while it is kept.
const SIZES: [usize; 2] = [8 << 20, 1 << 20];

/// Larger allocations fail without the reserve: they are checked.
const SMALL: usize = 1 << 20;

/// The reserve, or null. It begins with its size.
static RESERVE: AtomicPtr<u8> = AtomicPtr::new(null_mut());

#[global_allocator]
static ALLOCATOR: Reserving = Reserving;

struct Reserving;

// Safety: all memory is from `System`, with the arguments of the caller.
unsafe impl GlobalAlloc for Reserving {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // Safety: the caller's promises are those that `System` needs; so below.
        or_again(layout.size(), || unsafe { System.alloc(layout) })
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // Safety: as above.
        or_again(layout.size(), || unsafe { System.alloc_zeroed(layout) })
    }
    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Safety: as above; a failed attempt leaves the block as it was.
        or_again(size, || unsafe { System.realloc(ptr, layout, size) })
    }
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // Safety: as above.
        unsafe { System.dealloc(ptr, layout) }
    }
}

/// Makes an allocation, and again without the reserve if it fails.
#[inline]
fn or_again(size: usize, allocate: impl Fn() -> *mut u8) -> *mut u8 {
    let block = allocate();
    if block.is_null() && size <= SMALL { without_reserve(&allocate) } else { block }
}

#[cold]
fn without_reserve(allocate: &dyn Fn() -> *mut u8) -> *mut u8 {
    // If there is none, another thread may have returned it a moment ago.
    give_back(RESERVE.swap(null_mut(), Ordering::AcqRel));
    allocate()
}

/// Takes a reserve unless there is one.
///
/// # Errors
/// [`Error::OutOfMemory`].
#[inline]
pub(crate) fn take() -> Result<(), Error> {
    if RESERVE.load(Ordering::Acquire).is_null() { take_new() } else { Ok(()) }
}

#[cold]
fn take_new() -> Result<(), Error> {
    let Some(reserve) = SIZES.iter().find_map(|&size| reserved(size)) else {
        return Err(Error::out_of_memory("the small allocations of a call", SIZES[1]));
    };
    if RESERVE.compare_exchange(null_mut(), reserve, Ordering::AcqRel, Ordering::Acquire).is_err() {
        give_back(reserve);
    }
    Ok(())
}

fn layout(size: usize) -> Option<Layout> {
    Layout::from_size_align(size, align_of::<usize>()).ok()
}

fn reserved(size: usize) -> Option<*mut u8> {
    // Safety: the layout is not empty.
    let reserve = unsafe { System.alloc(layout(size)?) };
    if reserve.is_null() {
        return None;
    }
    // Safety: its first word, aligned and large enough.
    unsafe { reserve.cast::<usize>().write(size) };
    Some(reserve)
}

fn give_back(reserve: *mut u8) {
    if reserve.is_null() {
        return;
    }
    // Safety: `reserved` wrote the size, and this is the only pointer to the block.
    let size = unsafe { reserve.cast::<usize>().read() };
    if let Some(layout) = layout(size) {
        // Safety: it was allocated with this layout.
        unsafe { System.dealloc(reserve, layout) };
    }
}
