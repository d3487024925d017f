// A name with braces becomes several arguments.
use std::process::{exit, Command};

fn main() {
    let name = "letter{.txt,.bak}";
    let line = format!("printf '<%s>' {}", shlex::quote(name));
    let output = Command::new("bash").arg("-c").arg(&line).output().expect("bash");
    let arguments = String::from_utf8_lossy(&output.stdout).into_owned();
    println!("$ {line}\n{arguments}");
    if arguments != format!("<{name}>") {
        println!("BUG: one word became {} arguments", arguments.matches('<').count());
        exit(1);
    }
}
