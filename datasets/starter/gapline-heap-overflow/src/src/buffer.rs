use std::fmt;
use std::ops::Range;
use std::ptr;

use crate::raw::RawBlock;

const FIRST_CAPACITY: usize = 16;

/// A sequence that is cheap to change where it was changed last.
pub struct GapBuffer<T> {
    block: RawBlock<T>,
    /// The items before the gap lie in `..gap.start` of the block, those after it in `gap.end..`.
    gap: Range<usize>,
}

impl<T> GapBuffer<T> {
    pub fn new() -> Self {
        GapBuffer { block: RawBlock::new(), gap: 0..0 }
    }

    pub fn len(&self) -> usize {
        self.block.capacity() - self.gap.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many items there can be before more memory is needed.
    pub fn capacity(&self) -> usize {
        self.block.capacity()
    }

    pub fn get(&self, index: usize) -> Option<&T> {
        if index >= self.len() {
            return None;
        }
        let place = if index < self.gap.start { index } else { index + self.gap.len() };
        // SAFETY: there is an item at every place outside the gap.
        Some(unsafe { &*self.block.at(place) })
    }

    /// The items, in their order.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        let (front, back) = self.as_slices();
        front.iter().chain(back)
    }

    /// The items before and after the place of the last change.
    pub fn as_slices(&self) -> (&[T], &[T]) {
        let back = self.block.capacity() - self.gap.end;
        // SAFETY: there is an item at every place outside the gap.
        unsafe {
            (
                std::slice::from_raw_parts(self.block.at(0), self.gap.start),
                std::slice::from_raw_parts(self.block.at(self.gap.end), back),
            )
        }
    }

    /// Inserts an item before the one at `at`.
    ///
    /// # Panics
    /// If `at` is larger than the length.
    pub fn insert(&mut self, at: usize, item: T) {
        self.insert_all(at, [item]);
    }

    /// Inserts all the items, in their order, before the one at `at`.
    ///
    /// # Panics
    /// If `at` is larger than the length.
    pub fn insert_all<I: IntoIterator<Item = T>>(&mut self, at: usize, items: I) {
        assert!(at <= self.len(), "insertion at {at}, the length is {}", self.len());
        let items = items.into_iter();
        let (least, most) = items.size_hint();
        self.reserve(most.unwrap_or(least));
        self.move_gap(at);
        for item in items {
            // SAFETY: the place is in the gap, which has room for the items.
            unsafe { self.block.at(self.gap.start).write(item) };
            self.gap.start += 1;
        }
    }

    /// Removes and drops the items in the range.
    ///
    /// # Panics
    /// If the range ends beyond the length, or before it starts.
    pub fn remove(&mut self, range: Range<usize>) {
        assert!(
            range.start <= range.end && range.end <= self.len(),
            "removal of {}..{}, the length is {}",
            range.start,
            range.end,
            self.len()
        );
        self.move_gap(range.start);
        for _ in range {
            let place = self.gap.end;
            self.gap.end += 1;
            // SAFETY: there was an item behind the gap. It is in the gap now, so nobody else drops it.
            unsafe { ptr::drop_in_place(self.block.at(place)) };
        }
    }

    /// Makes the gap large enough for that many items. It stays where it is.
    fn reserve(&mut self, count: usize) {
        if count <= self.gap.len() {
            return;
        }
        let old = self.block.capacity();
        let needed = self.len().checked_add(count).expect("too many items");
        self.block.grow(needed.max(old * 2).max(FIRST_CAPACITY));
        let back = old - self.gap.end;
        let end = self.block.capacity() - back;
        // SAFETY: both places are in the block, which is larger than it was by at least what the gap gains.
        unsafe { ptr::copy(self.block.at(self.gap.end), self.block.at(end), back) };
        self.gap.end = end;
    }

    /// Moves the gap before the item at `at`.
    fn move_gap(&mut self, at: usize) {
        let Range { start, end } = self.gap;
        let size = self.gap.len();
        // SAFETY: `at` is not larger than the length, so what is copied are items, and it goes where the gap was.
        unsafe {
            if at < start {
                ptr::copy(self.block.at(at), self.block.at(at + size), start - at);
            } else {
                ptr::copy(self.block.at(end), self.block.at(start), at - start);
            }
        }
        self.gap = at..at + size;
    }
}

impl<T> Drop for GapBuffer<T> {
    fn drop(&mut self) {
        self.remove(0..self.len());
    }
}

impl<T> Default for GapBuffer<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> FromIterator<T> for GapBuffer<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut buffer = GapBuffer::new();
        buffer.extend(items);
        buffer
    }
}

impl<T> Extend<T> for GapBuffer<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        self.insert_all(self.len(), items);
    }
}

impl<T: fmt::Debug> fmt::Debug for GapBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
