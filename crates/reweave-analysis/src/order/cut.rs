//! The causally closed cut: how much of a recording that ended by force can be followed.
//!
//! A killed process leaves each stream ending at some event. An event may be there while one that it came after is not,
//! if its page was written later. The cut is the longest prefix of every stream in which nothing comes after something
//! that is missing; it is unique, because the union of two closed prefixes is closed.

use super::walk::{Steps, walk};
use reweave_trace::{Position, Process, StreamId};
use std::collections::BTreeMap;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// Position after the last word that is kept, of every stream.
    ends: BTreeMap<StreamId, Position>,
    /// Events that are kept.
    pub kept: u64,
    /// Events that are left out.
    pub left_out: u64,
}

impl Cut {
    pub fn of(process: &Process) -> Cut {
        let mut kept = 0;
        let finished = walk(&Steps::of(process), |step| kept += step.times);
        let ends = process.threads.iter().zip(finished);
        Cut {
            ends: ends
                .map(|(thread, words)| (thread.stream, Position(words + 1)))
                .collect(),
            kept,
            left_out: process.events() - kept,
        }
    }

    /// Position after the last word that is kept; streams that the process does not have are empty.
    pub fn end(&self, stream: StreamId) -> Position {
        self.ends.get(&stream).copied().unwrap_or(Position::FIRST)
    }

    /// Nothing is left out.
    pub fn is_whole(&self) -> bool {
        self.left_out == 0
    }
}
