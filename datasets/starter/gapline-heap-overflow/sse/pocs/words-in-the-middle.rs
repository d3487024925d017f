//! A chain of adapters as a program would write it, before items with destructors.
extern crate guard;

use gapline::GapBuffer;

fn main() {
    let mut words: GapBuffer<String> = ["first", "last"].map(String::from).into_iter().collect();
    let page = "the quick brown fox\njumps over\nthe lazy dog\n".repeat(5);
    words.insert_all(1, page.lines().flat_map(|line| line.split(' ')).map(String::from));
    let text: Vec<String> = words.iter().cloned().collect();
    drop(words);
    assert_eq!(text.join(" "), format!("first {}last", page.replace('\n', " ")));
}
