//! An iterator that says that it has fewer items than it gives, which safe code may.
extern crate guard;

use std::panic::{catch_unwind, AssertUnwindSafe};

use gapline::GapBuffer;

struct Modest(u32);

impl Iterator for Modest {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        self.0 = self.0.checked_sub(1)?;
        Some(self.0)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(2))
    }
}

fn main() {
    let mut buffer: GapBuffer<u32> = (0..10).collect();
    // Refusing such an iterator is fine.
    let _ = catch_unwind(AssertUnwindSafe(|| buffer.insert_all(10, Modest(300))));
    drop(buffer);
}
