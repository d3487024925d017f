// Memory that was never written is taken for a value. The allocator fills fresh memory, so that each run reads the same.
use slab::Slab;
use std::alloc::{GlobalAlloc, Layout, System};
use std::process::exit;

struct Filled;

unsafe impl GlobalAlloc for Filled {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let start = System.alloc(layout);
        if !start.is_null() {
            for n in 0..layout.size() {
                start.add(n).write(if n % 4 == 0 { 1 } else { 0 });
            }
        }
        start
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        System.dealloc(start, layout)
    }
}

#[global_allocator]
static ALLOCATOR: Filled = Filled;

fn main() {
    let mut slab: Slab<i32> = Slab::with_capacity(10);
    slab.insert(7);
    slab.insert(8);
    if let Ok([_, _, third]) = slab.get_disjoint_mut([0, 1, 5]) {
        println!("BUG: the slab has two values, and {third} at 5");
        exit(1);
    }
    println!("the slab has two values");
}
