use crate::checksum::adler32;
use crate::token::{Token, Tokens, MAX_RUN};
use crate::Error;

/// Gives back what was packed.
pub fn unpack(file: &[u8]) -> Result<Vec<u8>, Error> {
    let mut tokens = Tokens::new(file)?;
    // A token of two bytes makes MAX_RUN bytes at most, so a small file can't ask for much.
    let mut content = Vec::with_capacity(tokens.size().min(file.len() * MAX_RUN / 2));

    while let Some(token) = tokens.next() {
        let (_, token) = token?;
        match token {
            Token::Literals(bytes) => content.extend_from_slice(bytes),
            Token::Run { length, byte } => content.resize(content.len() + length, byte),
            Token::Match { length, distance } => {
                let start = content.len() - distance;
                if distance >= length {
                    content.extend_from_within(start..start + length);
                } else {
                    for i in start..start + length {
                        content.push(content[i]);
                    }
                }
            }
        }
    }

    let sum = tokens.rest();
    let expected = match sum.len() {
        0..=3 => return Err(Error::Truncated),
        4 => u32::from_be_bytes([sum[0], sum[1], sum[2], sum[3]]),
        _ => return Err(Error::TrailingBytes),
    };
    if adler32(&content) != expected {
        return Err(Error::Checksum);
    }
    Ok(content)
}
