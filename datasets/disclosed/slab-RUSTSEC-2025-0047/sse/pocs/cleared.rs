// Strings of a slab that was cleared: they are freed, and still handed out.
use slab::Slab;
use std::process::exit;

fn main() {
    let mut slab = Slab::new();
    for n in 0..4 {
        slab.insert(format!("secret number {n}"));
    }
    slab.clear();
    for key in 0..4 {
        if let Ok([freed]) = slab.get_disjoint_mut([key]) {
            println!("BUG: the slab is empty, and has a freed string of {} bytes at {key}", freed.len());
            exit(1);
        }
    }
    println!("the slab is empty");
}
