use std::process::ExitCode;
use std::{env, fs};

use lzpack::{pack, unpack, Token, Tokens};

fn list(file: &[u8]) -> Result<(), lzpack::Error> {
    let tokens = Tokens::new(file)?;
    println!("{} bytes", tokens.size());
    for token in tokens {
        match token? {
            (at, Token::Literals(bytes)) => println!("{at:6}  literals {}", bytes.len()),
            (at, Token::Match { length, distance }) => println!("{at:6}  match    {length} from {distance} back"),
            (at, Token::Run { length, byte }) => println!("{at:6}  run      {length} of {byte:#04x}"),
        }
    }
    Ok(())
}

fn run(args: &[String]) -> Result<(), String> {
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let read = |path: &str| fs::read(path).map_err(|error| format!("{path}: {error}"));
    let write = |path: &str, data: &[u8]| fs::write(path, data).map_err(|error| format!("{path}: {error}"));
    match args.as_slice() {
        ["pack", file, out] => write(out, &pack(&read(file)?)),
        ["unpack", file, out] => {
            let content = unpack(&read(file)?).map_err(|error| format!("{file}: {error}"))?;
            write(out, &content)
        }
        ["list", file] => list(&read(file)?).map_err(|error| format!("{file}: {error}")),
        _ => Err("usage: lzpack pack FILE OUT | unpack FILE OUT | list FILE".into()),
    }
}

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("lzpack: {message}");
            ExitCode::FAILURE
        }
    }
}
