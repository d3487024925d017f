use crate::checksum::adler32;
use crate::token::{MAX_DISTANCE, MAX_LITERALS, MAX_MATCH, MAX_RUN, MIN_MATCH, MIN_RUN};
use crate::MAGIC;

const HASH_BITS: u32 = 13;

/// Packs the content.
///
/// # Panics
/// If it is 4 GiB or longer.
pub fn pack(content: &[u8]) -> Vec<u8> {
    let size = u32::try_from(content.len()).expect("content of 4 GiB or more");
    let mut out = Vec::with_capacity(content.len() / 2 + 16);
    out.extend_from_slice(MAGIC);
    out.extend_from_slice(&size.to_le_bytes());

    let mut recent = vec![usize::MAX; 1 << HASH_BITS];
    let mut literals = 0;
    let mut at = 0;
    while at < content.len() {
        let run = run_length(&content[at..]);
        let (length, distance) = longest_match(content, at, &recent);
        let step = if run >= MIN_RUN && run >= length {
            flush(&mut out, &content[literals..at]);
            out.push(0xc0 | (run - MIN_RUN) as u8);
            out.push(content[at]);
            run
        } else if length >= MIN_MATCH + 1 {
            flush(&mut out, &content[literals..at]);
            out.push(0x80 | (length - MIN_MATCH) as u8);
            out.extend_from_slice(&((distance - 1) as u16).to_le_bytes());
            length
        } else {
            1
        };
        for i in at..at + step {
            if let Some(hash) = hash(content, i) {
                recent[hash] = i;
            }
        }
        at += step;
        if step > 1 {
            literals = at;
        }
    }
    flush(&mut out, &content[literals..]);
    out.extend_from_slice(&adler32(content).to_be_bytes());
    out
}

fn flush(out: &mut Vec<u8>, literals: &[u8]) {
    for chunk in literals.chunks(MAX_LITERALS) {
        out.push((chunk.len() - 1) as u8);
        out.extend_from_slice(chunk);
    }
}

fn run_length(content: &[u8]) -> usize {
    content.iter().take(MAX_RUN).take_while(|&&byte| byte == content[0]).count()
}

fn hash(content: &[u8], at: usize) -> Option<usize> {
    let bytes = content.get(at..at + 4)?;
    let word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    Some((word.wrapping_mul(0x9e37_79b1) >> (32 - HASH_BITS)) as usize)
}

/// Length and distance of the match at the last place with the same hash; length 0 if there is none.
fn longest_match(content: &[u8], at: usize, recent: &[usize]) -> (usize, usize) {
    let Some(candidate) = hash(content, at).map(|hash| recent[hash]) else {
        return (0, 0);
    };
    if candidate == usize::MAX || at - candidate > MAX_DISTANCE {
        return (0, 0);
    }
    let length = content[at..]
        .iter()
        .zip(&content[candidate..])
        .take(MAX_MATCH)
        .take_while(|(a, b)| a == b)
        .count();
    (length, at - candidate)
}
