// A byte that some shells take for a space, in a word as it is.
use std::process::exit;

fn main() {
    let quoted = shlex::bytes::quote(b"one\xa0word").into_owned();
    println!("{}", quoted.escape_ascii());
    let bare = match quoted[0] {
        b'"' | b'\'' => false,
        _ => quoted.windows(2).any(|pair| pair[1] == 0xa0 && !b"\\\"'".contains(&pair[0])),
    };
    if bare {
        println!("BUG: the byte a0 is not quoted");
        exit(1);
    }
}
