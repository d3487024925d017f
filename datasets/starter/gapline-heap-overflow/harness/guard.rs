//! An allocator that finds what unsafe code does to the memory around its blocks. Each block lies between two zones
//! that nobody has a reason to write to; they are looked at when the block is given back, and the program is aborted
//! when they have changed. Freed blocks are overwritten and never used again, so giving one back twice is noticed, too.

use std::alloc::{GlobalAlloc, Layout, System};

const ZONE: usize = 4096;
const UNTOUCHED: u8 = 0xa5;
const FREED: u8 = 0xdd;

struct Guard;

#[global_allocator]
static GUARD: Guard = Guard;

/// The block with its zones; the first one keeps the alignment of the block.
fn outer(layout: Layout) -> (Layout, usize) {
    let before = ZONE.next_multiple_of(layout.align());
    let size = before + layout.size() + ZONE;
    (Layout::from_size_align(size, layout.align()).expect("larger than the address space"), before)
}

// SAFETY: blocks are the system's, and every part of one belongs to one block.
unsafe impl GlobalAlloc for Guard {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let (outer, before) = outer(layout);
        let start = unsafe { System.alloc(outer) };
        if start.is_null() {
            return start;
        }
        unsafe {
            start.write_bytes(UNTOUCHED, outer.size());
            start.add(before)
        }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        let (outer, before) = outer(layout);
        let whole = unsafe { std::slice::from_raw_parts_mut(block.sub(before), outer.size()) };
        if whole.iter().all(|&byte| byte == FREED) {
            report("was given back twice", layout, 0);
        }
        let changed = |zone: &[u8]| zone.iter().filter(|&&byte| byte != UNTOUCHED).count();
        match (changed(&whole[..before]), changed(&whole[before + layout.size()..])) {
            (0, 0) => {}
            (0, count) => report("was written to behind its end", layout, count),
            (count, _) => report("was written to before its start", layout, count),
        }
        whole.fill(FREED);
    }
}

fn report(what: &str, layout: Layout, count: usize) -> ! {
    eprintln!("guard: a block of {} bytes {what}; bytes changed: {count}", layout.size());
    std::process::abort();
}
