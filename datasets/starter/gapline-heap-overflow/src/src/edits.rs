use std::fmt;
use std::str::FromStr;

use crate::GapBuffer;

/// Changes to a text, read from lines `insert AT TEXT` and `delete AT COUNT`. Places and counts are in characters. In an
/// inserted text `\n` is a line end and `\\` a backslash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edits(Vec<Edit>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Edit {
    Insert { at: usize, text: Vec<char> },
    Delete { at: usize, count: usize },
}

/// Why changes can't be read or applied: the number of the line, from 1, and what is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditError {
    pub line: usize,
    pub problem: &'static str,
}

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.problem)
    }
}

impl std::error::Error for EditError {}

impl FromStr for Edits {
    type Err = EditError;

    fn from_str(text: &str) -> Result<Self, EditError> {
        let edits = text.lines().zip(1..).map(|(line, number)| {
            read_edit(line).map_err(|problem| EditError { line: number, problem })
        });
        Ok(Edits(edits.collect::<Result<_, _>>()?))
    }
}

fn read_edit(line: &str) -> Result<Edit, &'static str> {
    let mut parts = line.splitn(3, ' ');
    let mut part = || parts.next().ok_or("a change has three parts");
    let (name, at, rest) = (part()?, part()?, part()?);
    let at = at.parse().map_err(|_| "the place is no number")?;
    match name {
        "insert" => Ok(Edit::Insert { at, text: unescape(rest)? }),
        "delete" => {
            let count = rest.parse().map_err(|_| "the count is no number")?;
            Ok(Edit::Delete { at, count })
        }
        _ => Err("an unknown change"),
    }
}

fn unescape(text: &str) -> Result<Vec<char>, &'static str> {
    let mut chars = text.chars();
    let mut plain = Vec::new();
    while let Some(c) = chars.next() {
        plain.push(match c {
            '\\' => match chars.next() {
                Some('n') => '\n',
                Some('\\') => '\\',
                _ => return Err("an unknown escape"),
            },
            c => c,
        });
    }
    Ok(plain)
}

impl Edits {
    /// Applies the changes one after the other, up to the first that does not fit the text.
    pub fn apply(self, text: &mut GapBuffer<char>) -> Result<(), EditError> {
        for (edit, line) in self.0.into_iter().zip(1..) {
            match edit {
                Edit::Insert { at, text: inserted } if at <= text.len() => text.insert_all(at, inserted),
                Edit::Delete { at, count } if at <= text.len() && count <= text.len() - at => text.remove(at..at + count),
                _ => return Err(EditError { line, problem: "the change is beyond the end of the text" }),
            }
        }
        Ok(())
    }
}
