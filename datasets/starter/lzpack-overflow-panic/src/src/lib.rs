//! A small compressed format: literals, runs and matches. The README describes it.

mod checksum;
mod pack;
mod token;
mod unpack;

pub use pack::pack;
pub use token::{Token, Tokens};
pub use unpack::unpack;

use std::fmt;

/// The first bytes of a packed file.
pub const MAGIC: &[u8; 4] = b"LZP1";

/// Magic and size.
pub(crate) const HEADER: usize = 8;

/// Why a file can't be unpacked.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// It doesn't start with the magic.
    NotPacked,
    /// It ends within the header, a token or the checksum.
    Truncated,
    /// A token, the one at this byte of the file, doesn't fit the content.
    BadToken(usize),
    /// The content is complete, and bytes are left.
    TrailingBytes,
    /// The content is not what was packed.
    Checksum,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NotPacked => write!(f, "not a packed file"),
            Error::Truncated => write!(f, "the file ends too early"),
            Error::BadToken(at) => write!(f, "the token at byte {at} does not fit the content"),
            Error::TrailingBytes => write!(f, "bytes are left after the content"),
            Error::Checksum => write!(f, "the checksum is wrong"),
        }
    }
}

impl std::error::Error for Error {}
