use std::cell::RefCell;
use std::rc::Rc;

use gapline::{EditError, Edits, GapBuffer};

fn text(buffer: &GapBuffer<char>) -> String {
    buffer.iter().collect()
}

#[test]
fn what_is_inserted_is_there() {
    let mut buffer = GapBuffer::new();
    for (at, item) in [(0, 'c'), (0, 'a'), (1, 'b'), (3, 'e'), (3, 'd')] {
        buffer.insert(at, item);
    }
    assert_eq!(text(&buffer), "abcde");
    buffer.insert_all(2, ['1', '2', '3']);
    assert_eq!(text(&buffer), "ab123cde");
    assert_eq!((buffer.get(2), buffer.get(7), buffer.get(8)), (Some(&'1'), Some(&'e'), None));
    assert_eq!(buffer.as_slices(), (['a', 'b', '1', '2', '3'].as_slice(), ['c', 'd', 'e'].as_slice()));
}

#[test]
fn what_is_removed_is_gone() {
    let mut buffer: GapBuffer<u32> = (0..100).collect();
    buffer.remove(90..100);
    buffer.remove(10..80);
    buffer.remove(0..5);
    buffer.remove(3..3);
    assert!(buffer.iter().copied().eq((5..10).chain(80..90)));
    buffer.remove(0..15);
    assert!(buffer.is_empty());
}

/// The same changes to a buffer and to a Vec, at places that look random and are the same each time.
#[test]
fn it_is_like_a_vec() {
    let (mut buffer, mut vec) = (GapBuffer::new(), Vec::new());
    let mut state = 0x2545_f491u32;
    let mut random = |below: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as usize % below
    };
    for step in 0..3000 {
        let at = random(vec.len() + 1);
        if random(3) > 0 {
            let items: Vec<String> = (0..random(12)).map(|i| format!("{step}.{i}")).collect();
            vec.splice(at..at, items.clone());
            buffer.insert_all(at, items);
        } else {
            let end = at + random((vec.len() - at).min(40) + 1);
            vec.drain(at..end);
            buffer.remove(at..end);
        }
        assert_eq!(buffer.len(), vec.len());
    }
    assert!(buffer.iter().eq(&vec));
}

/// Notes when it is dropped.
struct Noted(u32, Rc<RefCell<Vec<u32>>>);

impl Drop for Noted {
    fn drop(&mut self) {
        self.1.borrow_mut().push(self.0);
    }
}

#[test]
fn every_item_is_dropped_once() {
    let dropped = Rc::new(RefCell::new(Vec::new()));
    let noted = |range: std::ops::Range<u32>| -> Vec<Noted> { range.map(|n| Noted(n, dropped.clone())).collect() };
    let mut buffer = GapBuffer::new();
    buffer.insert_all(0, noted(0..30));
    buffer.insert_all(10, noted(30..60));
    assert!(dropped.borrow().is_empty());
    buffer.remove(5..15);
    assert_eq!(*dropped.borrow(), [5, 6, 7, 8, 9, 30, 31, 32, 33, 34]);
    drop(buffer);
    let mut all = dropped.take();
    all.sort();
    assert!(all.into_iter().eq(0..60));
}

#[test]
fn items_stay_when_the_iterator_panics() {
    let dropped = Rc::new(RefCell::new(Vec::new()));
    let mut buffer = GapBuffer::new();
    buffer.insert_all(0, (0..3).map(|n| Noted(n, dropped.clone())));
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        buffer.insert_all(1, (10..20).map(|n| if n < 12 { Noted(n, dropped.clone()) } else { panic!("no more") }));
    }));
    assert!(result.is_err() && dropped.borrow().is_empty());
    assert!(buffer.iter().map(|noted| noted.0).eq([0, 10, 11, 1, 2]));
    drop(buffer);
    assert_eq!(dropped.borrow().len(), 5);
}

#[test]
#[should_panic(expected = "insertion at 2, the length is 1")]
fn an_insertion_beyond_the_end_panics() {
    GapBuffer::from_iter([1]).insert(2, 3);
}

#[test]
#[should_panic(expected = "removal of 0..2, the length is 1")]
fn a_removal_beyond_the_end_panics() {
    GapBuffer::from_iter([1]).remove(0..2);
}

#[test]
fn edits_are_applied_in_their_order() {
    let edits: Edits = "insert 5 , über\ndelete 0 1\ninsert 0 J\\\\\\n".parse().unwrap();
    let mut buffer: GapBuffer<char> = "Hallo Welt".chars().collect::<Vec<_>>().into_iter().collect();
    assert_eq!(edits.apply(&mut buffer), Ok(()));
    assert_eq!(text(&buffer), "J\\\nallo, über Welt");
}

#[test]
fn wrong_edits_are_errors() {
    for (edits, line, problem) in [
        ("insert 0", 1, "a change has three parts"),
        ("insert 0 a\nremove 0 1", 2, "an unknown change"),
        ("delete -1 1", 1, "the place is no number"),
        ("delete 0 x", 1, "the count is no number"),
        ("insert 0 \\t", 1, "an unknown escape"),
    ] {
        assert_eq!(edits.parse::<Edits>(), Err(EditError { line, problem }));
    }
    for edits in ["insert 4 a", "delete 1 3", "delete 4 0", "delete 3 18446744073709551615"] {
        let mut buffer = GapBuffer::from_iter(['a', 'b', 'c']);
        let edits: Edits = edits.parse().unwrap();
        assert_eq!(edits.apply(&mut buffer).unwrap_err().line, 1);
    }
}
