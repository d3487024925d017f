use std::alloc::{alloc, dealloc, handle_alloc_error, realloc, Layout};
use std::ptr::NonNull;

/// A block of memory with room for items. It does not know which of them there are, and drops none.
pub(crate) struct RawBlock<T> {
    start: NonNull<T>,
    capacity: usize,
}

// SAFETY: the block owns what lies in it, as a Vec does.
unsafe impl<T: Send> Send for RawBlock<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for RawBlock<T> {}

impl<T> RawBlock<T> {
    pub(crate) fn new() -> Self {
        const { assert!(size_of::<T>() > 0, "items must have a size") };
        RawBlock { start: NonNull::dangling(), capacity: 0 }
    }

    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }

    /// The place of an item.
    ///
    /// # Safety
    /// `index` must not be larger than the capacity.
    pub(crate) unsafe fn at(&self, index: usize) -> *mut T {
        // SAFETY: within the block, or at its end.
        unsafe { self.start.as_ptr().add(index) }
    }

    /// Makes the block larger. The items keep their index.
    ///
    /// # Panics
    /// If it would be larger than the address space.
    pub(crate) fn grow(&mut self, capacity: usize) {
        debug_assert!(capacity > self.capacity);
        let layout = Layout::array::<T>(capacity).expect("too many items");
        // SAFETY: the layout has a size, and an old block was allocated with the layout of its capacity.
        let start = unsafe {
            match self.layout() {
                None => alloc(layout),
                Some(old) => realloc(self.start.as_ptr().cast(), old, layout.size()),
            }
        };
        self.start = NonNull::new(start.cast()).unwrap_or_else(|| handle_alloc_error(layout));
        self.capacity = capacity;
    }

    fn layout(&self) -> Option<Layout> {
        (self.capacity > 0).then(|| Layout::array::<T>(self.capacity).expect("checked when it was allocated"))
    }
}

impl<T> Drop for RawBlock<T> {
    fn drop(&mut self) {
        if let Some(layout) = self.layout() {
            // SAFETY: allocated with this layout.
            unsafe { dealloc(self.start.as_ptr().cast(), layout) }
        }
    }
}
