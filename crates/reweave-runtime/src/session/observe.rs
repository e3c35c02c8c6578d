//! What is written down of a replay: lines of the `session` file.

use super::{Goto, goto};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Observe {
    /// Whether anything is.
    pub log: bool,
    /// What was read and written.
    pub values: bool,
    /// The stack of each access.
    pub stacks: bool,
    pub since: Since,
    /// Only accesses by these classes; globs. Empty: by all.
    pub classes: Vec<String>,
    /// Only accesses to these fields, as `Class.field`.
    pub locations: Vec<String>,
    /// If there are some, nothing but these accesses, with their stacks.
    pub watch: Vec<Access>,
    /// The access at which the debugger is to stop.
    pub stop_at: Option<Access>,
}

/// From when on accesses are of interest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Since {
    #[default]
    Start,
    /// What the only thread does before it starts others comes before all that these do.
    SecondThread,
}

/// An access to memory, by its number in its stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    pub process: u32,
    pub stream: u32,
    pub number: u64,
}

impl Observe {
    /// Takes a line of the file. `None` if it is none of these.
    pub(super) fn line(&mut self, key: &str, value: &str) -> Option<()> {
        match (key, value) {
            ("observe", "1") => self.log = true,
            ("observe-values", "1") => self.values = true,
            ("observe-stacks", "1") => self.stacks = true,
            ("observe-since", "second-thread") => self.since = Since::SecondThread,
            ("observe-class", _) => self.classes.push(value.to_owned()),
            ("observe-location", _) => self.locations.push(value.to_owned()),
            ("watch", _) => self.watch.push(access(value)?),
            ("goto-access", _) => self.stop_at = Some(access(value)?),
            _ => return None,
        }
        Some(())
    }
}

fn access(value: &str) -> Option<Access> {
    let Goto {
        process,
        stream,
        position,
    } = goto(value)?;
    Some(Access {
        process,
        stream,
        number: position,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_understood() {
        let mut observe = Observe::default();
        let lines = "observe=1 observe-values=1 observe-stacks=1 observe-since=second-thread observe-class=a.* observe-location=*.x watch=0:2:17 goto-access=0:1:5";
        for line in lines.split(' ') {
            let (key, value) = line.split_once('=').unwrap();
            assert_eq!(observe.line(key, value), Some(()), "{line}");
        }
        let access = |stream, number| Access {
            process: 0,
            stream,
            number,
        };
        let expected = Observe {
            log: true,
            values: true,
            stacks: true,
            since: Since::SecondThread,
            classes: vec!["a.*".to_owned()],
            locations: vec!["*.x".to_owned()],
            watch: vec![access(2, 17)],
            stop_at: Some(access(1, 5)),
        };
        assert_eq!(observe, expected);
        assert_eq!(observe.line("watch", "1:2"), None);
        assert_eq!(observe.line("observe", "yes"), None);
    }
}
