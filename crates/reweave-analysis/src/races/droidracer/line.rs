//! One line of a DroidRacer log, taken apart.
//!
//! `17 CALL tid:1<tab> msg:2` is an operation, `rwId:3 READ tid:1 obj:0x41 class:Lx/Y; field:8` an access. Fields are
//! `key:value`, apart by blanks; a value may be missing (`component: id:0`), and before `thread-name:` the blank is.

use super::{ImportError, Problem};

/// A line that means something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// Nothing: empty, the title, or something that orders nothing.
    Skip,
    /// From here on the file holds the answers of the original detector.
    Graph,
    Operation {
        id: u32,
        kind: &'a str,
        fields: Fields<'a>,
    },
    Access {
        id: u32,
        kind: &'a str,
        fields: Fields<'a>,
    },
}

/// The rest of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fields<'a> {
    text: &'a str,
    line: u32,
}

/// Longest line that is looked at. Real ones have up to about 300 bytes.
pub const LONGEST_LINE: usize = 64 * 1024;

const TITLE: &str = "Android bug-checker log messages";

pub fn read(bytes: &[u8], line: u32) -> Result<Line<'_>, ImportError> {
    let error = |problem| ImportError { line, problem };
    if bytes.len() > LONGEST_LINE {
        return Err(error(Problem::TooLongLine));
    }
    let text = std::str::from_utf8(bytes)
        .map_err(|_| error(Problem::NotText))?
        .trim();
    if text.is_empty() || text == TITLE {
        return Ok(Line::Skip);
    }
    if text == "HB Graph" {
        return Ok(Line::Graph);
    }
    let unreadable = || error(Problem::Unreadable(shortened(text)));
    let (first, rest) = text.split_once(' ').unwrap_or((text, ""));
    let rest = rest.trim_start();
    let (kind, rest) = rest.split_once([' ', '\t']).unwrap_or((rest, ""));
    let fields = Fields { text: rest, line };
    if let Some(id) = first.strip_prefix("rwId:") {
        let id = id.parse().map_err(|_| unreadable())?;
        return Ok(Line::Access { id, kind, fields });
    }
    let id = first.parse().map_err(|_| unreadable())?;
    if kind.is_empty() {
        return Err(unreadable());
    }
    // Calls and returns of methods, written by a version that logs them for people to read.
    if kind.starts_with("METHOD") {
        return Ok(Line::Skip);
    }
    Ok(Line::Operation { id, kind, fields })
}

impl<'a> Fields<'a> {
    /// The value of a field; empty if the line gives none after the colon.
    pub fn text(&self, key: &'static str) -> Result<&'a str, ImportError> {
        self.find(key)
            .ok_or_else(|| self.error(Problem::Missing(key)))
    }

    /// The value of a field that has one.
    pub fn name(&self, key: &'static str) -> Result<&'a str, ImportError> {
        let value = self.text(key)?;
        if value.is_empty() {
            Err(self.error(Problem::Missing(key)))
        } else {
            Ok(value)
        }
    }

    pub fn number(&self, key: &'static str) -> Result<i64, ImportError> {
        let value = self.text(key)?;
        // The thread of a visit from outside is followed by its name without a blank.
        let digits = value
            .find(|c: char| !c.is_ascii_digit() && c != '-')
            .unwrap_or(value.len());
        let (number, rest) = value.split_at(digits);
        let number = number
            .parse()
            .ok()
            .filter(|_| rest.is_empty() || rest.starts_with("thread-name:"));
        number.ok_or_else(|| {
            self.error(Problem::NotANumber {
                field: key,
                value: shortened(value),
            })
        })
    }

    /// All that follows `key:`, blanks included.
    pub fn rest(&self, key: &str) -> Option<&'a str> {
        let start = self.start(key)?;
        Some(self.text[start..].trim())
    }

    fn find(&self, key: &str) -> Option<&'a str> {
        let value = &self.text[self.start(key)?..];
        let end = value.find([' ', '\t']).unwrap_or(value.len());
        Some(&value[..end])
    }

    /// Where the value of a field starts.
    fn start(&self, key: &str) -> Option<usize> {
        let mut from = 0;
        while let Some(found) = self.text[from..].find(key) {
            let start = from + found;
            let end = start + key.len();
            let at_word = start == 0 || self.text[..start].ends_with([' ', '\t']);
            if at_word && self.text[end..].starts_with(':') {
                return Some(end + 1);
            }
            from = end;
        }
        None
    }

    pub fn error(&self, problem: Problem) -> ImportError {
        ImportError {
            line: self.line,
            problem,
        }
    }
}

/// Enough of a text to recognise it in a message.
pub fn shortened(text: &str) -> String {
    let mut short: String = text.chars().take(60).filter(|c| !c.is_control()).collect();
    if text.chars().nth(60).is_some() {
        short.push('…');
    }
    short
}
