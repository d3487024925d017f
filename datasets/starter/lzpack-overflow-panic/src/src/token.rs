use crate::{Error, HEADER, MAGIC};

pub(crate) const MIN_MATCH: usize = 3;
pub(crate) const MAX_MATCH: usize = MIN_MATCH + 0x3f;
pub(crate) const MIN_RUN: usize = 4;
pub(crate) const MAX_RUN: usize = MIN_RUN + 0x3f;
pub(crate) const MAX_LITERALS: usize = 0x80;
pub(crate) const MAX_DISTANCE: usize = 0x1_0000;

/// One step of unpacking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Token<'a> {
    Literals(&'a [u8]),
    Match { length: usize, distance: usize },
    Run { length: usize, byte: u8 },
}

impl Token<'_> {
    /// How many bytes of content it stands for.
    pub fn length(&self) -> usize {
        match *self {
            Token::Literals(bytes) => bytes.len(),
            Token::Match { length, .. } | Token::Run { length, .. } => length,
        }
    }
}

/// The tokens of a packed file, with the byte that each starts at.
pub struct Tokens<'a> {
    file: &'a [u8],
    at: usize,
    size: usize,
    produced: usize,
}

impl<'a> Tokens<'a> {
    pub fn new(file: &'a [u8]) -> Result<Self, Error> {
        if !file.starts_with(MAGIC) {
            return Err(if MAGIC.starts_with(file) { Error::Truncated } else { Error::NotPacked });
        }
        let size = file.get(4..HEADER).ok_or(Error::Truncated)?;
        let size = u32::from_le_bytes([size[0], size[1], size[2], size[3]]) as usize;
        Ok(Tokens { file, at: HEADER, size, produced: 0 })
    }

    /// The size of the content, as the header has it.
    pub fn size(&self) -> usize {
        self.size
    }

    /// What comes after the last token.
    pub fn rest(&self) -> &'a [u8] {
        &self.file[self.at..]
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], Error> {
        let bytes = self.rest().get(..count).ok_or(Error::Truncated)?;
        self.at += count;
        Ok(bytes)
    }

    fn token(&mut self) -> Result<Token<'a>, Error> {
        let first = self.take(1)?[0];
        let low = usize::from(first & 0x3f);
        match first {
            0x00..=0x7f => Ok(Token::Literals(self.take(usize::from(first) + 1)?)),
            0x80..=0xbf => {
                let distance = self.take(2)?;
                let distance = usize::from(u16::from_le_bytes([distance[0], distance[1]])) + 1;
                Ok(Token::Match { length: low + MIN_MATCH, distance })
            }
            0xc0..=0xff => Ok(Token::Run { length: low + MIN_RUN, byte: self.take(1)?[0] }),
        }
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Result<(usize, Token<'a>), Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.produced == self.size {
            return None;
        }
        let at = self.at;
        Some(match self.token() {
            Ok(token) if token.length() > self.size - self.produced => Err(Error::BadToken(at)),
            Ok(token) => {
                self.produced += token.length();
                Ok((at, token))
            }
            Err(error) => Err(error),
        })
    }
}
