//! A gap buffer: a sequence that is cheap to change where it was changed last.

mod buffer;
mod edits;
mod raw;

pub use buffer::GapBuffer;
pub use edits::{EditError, Edits};
