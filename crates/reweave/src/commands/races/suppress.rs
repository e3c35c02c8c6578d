//! Suppressions in ThreadSanitizer's syntax: a file that is there for it serves here, too.
//!
//! ```text
//! # known and harmless
//! race:com.example.Statistics
//! race_top:^Counter.increment$
//! ```
//!
//! A pattern is searched for; `*` stands for anything, `^` and `$` for beginning and end. `race` looks at the location
//! and at every frame of both stacks (function and file), `race_top` at the innermost frames only. ThreadSanitizer's
//! other kinds are about other things than races: they are accepted and do nothing.

use super::describe::{FrameText, RaceText};
use crate::exit::Failure;
use std::fmt;
use std::path::{Path, PathBuf};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Race,
    RaceTop,
    /// About something else than races.
    Other,
}

/// One line of a file.
#[derive(Debug)]
pub struct Suppression {
    kind: Kind,
    pattern: Pattern,
    text: String,
    file: PathBuf,
    line: usize,
    used: bool,
}

impl fmt::Display for Suppression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = self.file.display();
        write!(f, "suppression `{}` ({file}:{})", self.text, self.line)
    }
}

#[derive(Debug, Default)]
pub struct Suppressions(Vec<Suppression>);

impl Suppressions {
    pub fn read(files: &[PathBuf]) -> Result<Suppressions, Failure> {
        let mut all = Suppressions::default();
        for file in files {
            let text = std::fs::read_to_string(file).map_err(|error| {
                Failure::new(format!("cannot read {}: {error}", file.display()))
            })?;
            all.parse(&text, file)?;
        }
        Ok(all)
    }

    fn parse(&mut self, text: &str, file: &Path) -> Result<(), Failure> {
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let wrong =
                |what: String| Failure::new(format!("{}:{}: {what}", file.display(), index + 1));
            let Some((kind, pattern)) = line.split_once(':') else {
                return Err(wrong(format!("expected `race:PATTERN`, found {line:?}")));
            };
            let kind = match kind {
                "race" => Kind::Race,
                "race_top" => Kind::RaceTop,
                "thread" | "mutex" | "signal" | "deadlock" | "called_from_lib" => Kind::Other,
                _ => {
                    return Err(wrong(format!(
                        "unknown kind of suppression {kind:?}; there are race and race_top"
                    )));
                }
            };
            if pattern.is_empty() {
                return Err(wrong("an empty pattern would match every race".to_owned()));
            }
            self.0.push(Suppression {
                kind,
                pattern: Pattern::new(pattern),
                text: line.to_owned(),
                file: file.to_owned(),
                line: index + 1,
                used: false,
            });
        }
        Ok(())
    }

    /// Whether a suppression names this race.
    pub fn matches(&mut self, race: &RaceText) -> bool {
        let mut found = false;
        for suppression in &mut self.0 {
            if suppression.matches(race) {
                suppression.used = true;
                found = true;
            }
        }
        found
    }

    /// Those that have matched no race although they are about races.
    pub fn unused(&self) -> impl Iterator<Item = &Suppression> {
        self.0.iter().filter(|s| !s.used && s.kind != Kind::Other)
    }
}

impl Suppression {
    fn matches(&self, race: &RaceText) -> bool {
        let frame = |frame: &FrameText| {
            self.pattern.matches(&frame.function)
                || frame
                    .file
                    .as_deref()
                    .is_some_and(|file| self.pattern.matches(file))
        };
        let sides = [&race.first, &race.second];
        match self.kind {
            Kind::Race => {
                self.pattern.matches(&race.location)
                    || sides.iter().flat_map(|side| &side.stack).any(frame)
            }
            Kind::RaceTop => sides
                .iter()
                .filter_map(|side| side.stack.first())
                .any(frame),
            Kind::Other => false,
        }
    }
}

/// A text to be searched for, with wildcards.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Pattern {
    /// What stands between the wildcards.
    parts: Vec<String>,
    at_start: bool,
    at_end: bool,
}

impl Pattern {
    fn new(text: &str) -> Pattern {
        let (text, at_start) = match text.strip_prefix('^') {
            Some(text) => (text, true),
            None => (text, false),
        };
        let (text, at_end) = match text.strip_suffix('$') {
            Some(text) => (text, true),
            None => (text, false),
        };
        Pattern {
            parts: text.split('*').map(str::to_owned).collect(),
            at_start,
            at_end,
        }
    }

    fn matches(&self, text: &str) -> bool {
        let Some((last, parts)) = self.parts.split_last() else {
            return true;
        };
        let mut rest = text;
        for (index, part) in parts.iter().enumerate() {
            // The first place where a part fits leaves most room for the others.
            let found = if index == 0 && self.at_start {
                rest.starts_with(part).then_some(0)
            } else {
                rest.find(part.as_str())
            };
            match found {
                Some(at) => rest = &rest[at + part.len()..],
                None => return false,
            }
        }
        let is_only = parts.is_empty() && self.at_start;
        match (is_only, self.at_end) {
            (true, true) => rest == last,
            (true, false) => rest.starts_with(last.as_str()),
            (false, true) => rest.ends_with(last.as_str()),
            (false, false) => rest.contains(last.as_str()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_threadsanitizers() {
        for (pattern, text, expected) in [
            ("foo", "a.foo.b", true),
            ("foo", "a.fo.b", false),
            ("^foo", "a.foo", false),
            ("^foo", "foo.b", true),
            ("foo$", "a.foo", true),
            ("foo$", "foo.b", false),
            ("^foo$", "foo", true),
            ("^foo$", "foofoo", false),
            ("a*c", "xxabbbcxx", true),
            ("a*c", "c a", false),
            ("^a*c$", "abc", true),
            ("^a*c$", "xabc", false),
            ("*", "", true),
            ("a*b*c", "a1b2c3", true),
            ("a*b*c", "a1c2b3", false),
        ] {
            assert_eq!(
                Pattern::new(pattern).matches(text),
                expected,
                "{pattern} in {text}"
            );
        }
    }

    #[test]
    fn what_is_no_suppression_is_refused_with_its_line() {
        let parse = |text: &str| {
            let mut all = Suppressions::default();
            all.parse(text, Path::new("s.txt")).map(|()| all.0.len())
        };
        assert_eq!(
            parse("# nothing\n\nrace:a\nrace_top:b\nthread:c\n").ok(),
            Some(3)
        );
        for (text, message) in [
            (
                "race:a\nrase:b",
                "s.txt:2: unknown kind of suppression \"rase\"",
            ),
            ("everything", "s.txt:1: expected `race:PATTERN`"),
            ("race:", "s.txt:1: an empty pattern"),
        ] {
            let failure = parse(text).unwrap_err();
            assert!(failure.message.starts_with(message), "{}", failure.message);
        }
    }
}
