//! An iterator that does not know how many items it has.
extern crate guard;

use gapline::GapBuffer;

fn main() {
    let mut left = 100u64;
    let countdown = std::iter::from_fn(|| {
        left = left.checked_sub(1)?;
        Some(left)
    });
    let mut buffer = GapBuffer::from_iter([100]);
    buffer.extend(countdown);
    let items: Vec<u64> = buffer.iter().copied().collect();
    drop(buffer);
    assert!(items.into_iter().eq((0..=100).rev()));
}
