// A value that was drained from a slab has two owners when the slab hands it out again.
use slab::Slab;
use std::process::exit;

fn main() {
    let mut slab: Slab<Box<u32>> = Slab::new();
    for n in 0..4 {
        slab.insert(Box::new(n));
    }
    let mine: Vec<Box<u32>> = slab.drain().collect();
    slab.insert(Box::new(100));
    for key in 1..4 {
        if let Ok([_, theirs]) = slab.get_disjoint_mut([0, key]) {
            let same = std::ptr::eq::<u32>(&**theirs, &*mine[key]);
            println!("BUG: the slab has one value, and another at {key} (drained before: {same})");
            exit(1);
        }
    }
    println!("the slab has one value");
}
