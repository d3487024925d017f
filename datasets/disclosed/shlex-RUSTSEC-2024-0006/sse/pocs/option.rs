// A word that begins harmlessly brings along an option, past a check that none begins with a dash.
use std::process::{exit, Command};

fn main() {
    let name = "{0,--reference/../../etc}";
    assert!(!name.starts_with('-'));
    let line = format!("printf '%s\\n' {}", shlex::join(["cp", name, "/tmp"]));
    let output = Command::new("bash").arg("-c").arg(&line).output().expect("bash");
    let arguments = String::from_utf8_lossy(&output.stdout).into_owned();
    print!("$ {line}\n{arguments}");
    if let Some(option) = arguments.lines().find(|argument| argument.starts_with("--")) {
        println!("BUG: {option} is an option now");
        exit(1);
    }
    assert_eq!(arguments, format!("cp\n{name}\n/tmp\n"));
}
