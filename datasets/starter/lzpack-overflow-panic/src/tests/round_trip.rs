use lzpack::{pack, unpack, Error, Token, Tokens};

/// Bytes that look random and are the same each time.
fn noise(length: usize) -> Vec<u8> {
    let mut state = 0x2545_f491u32;
    (0..length)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            (state >> 8) as u8
        })
        .collect()
}

fn log() -> Vec<u8> {
    (0..500).flat_map(|i| format!("2024-03-{:02} sensor {} ok   \n", i % 28 + 1, i % 7).into_bytes()).collect()
}

#[test]
fn content_comes_back_as_it_was() {
    for content in [
        vec![],
        b"a".to_vec(),
        b"abcabcabcabcabcabcabc".to_vec(),
        vec![0; 100_000],
        noise(70_000),
        log(),
        [noise(66_000), noise(66_000)].concat(),
    ] {
        assert_eq!(unpack(&pack(&content)), Ok(content));
    }
}

#[test]
fn repetitive_content_gets_smaller() {
    assert!(pack(&log()).len() * 4 < log().len());
    assert!(pack(&vec![7; 10_000]).len() < 400);
}

#[test]
fn noise_grows_by_less_than_one_per_cent() {
    assert!(pack(&noise(70_000)).len() < 70_700);
}

#[test]
fn a_match_may_repeat_what_it_is_producing() {
    let packed = pack(b"ababababababab");
    let tokens: Vec<_> = Tokens::new(&packed).unwrap().map(|token| token.unwrap().1).collect();
    assert_eq!(tokens, [Token::Literals(b"ab"), Token::Match { length: 12, distance: 2 }]);
}

#[test]
fn every_prefix_is_truncated() {
    let packed = pack(&log()[..300]);
    for length in 0..packed.len() {
        assert_eq!(unpack(&packed[..length]), Err(Error::Truncated), "{length} bytes");
    }
}

#[test]
fn what_does_not_fit_is_an_error() {
    let packed = pack(b"hello, hello, hello");
    assert_eq!(unpack(b"PK\x03\x04"), Err(Error::NotPacked));
    assert_eq!(unpack(&[packed.as_slice(), b"x"].concat()), Err(Error::TrailingBytes));

    let mut changed = packed.clone();
    changed[10] ^= 1;
    assert_eq!(unpack(&changed), Err(Error::Checksum));

    let mut short = packed.clone();
    short[4] = 8;
    assert!(matches!(unpack(&short), Err(Error::BadToken(_))));
}
