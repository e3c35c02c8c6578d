//! Finds data races by happens-before, between threads and between tasks of one queue.
//!
//! Two accesses to one location race if at least one writes and neither happened before the other. The order is that
//! of `before`; it never relates accesses that could come in either order under the rules it knows, and it misses races
//! that this run's locks happened to order. Two ways in:
//! - `analyse` takes a log that is kept whole, such as an imported one: every racing pair, both directions of the
//!   environment's orders, the counts of DroidRacer's tables;
//! - `Stream` takes events one by one and forgets what it can; `Observer` stands in front of it and gives the things
//!   of a running program their numbers.
//!
//! The result is `Findings`: values, from which the command makes reports.

pub mod analyse;
pub mod before;
pub mod classify;
pub mod count;
pub mod droidracer;
pub mod environment;
pub mod event;
pub mod findings;
mod gap;
pub mod hash;
mod locks;
pub mod log;
pub mod observation;
pub mod observe;
pub mod pairs;
pub mod relation;
mod remembered;
pub mod rules;
pub mod stream;
pub mod text;
mod unused;

use rules::RuleSet;

/// How to analyse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    pub rules: RuleSet,
    /// When a trace is read once, unordered accesses of one kind at one place that a location remembers.
    pub history: usize,
    /// Pairs of a race's accesses that are kept besides the first.
    pub examples: usize,
    /// Pairs of accesses that are looked at in a log that is kept whole.
    pub pairs: u64,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            rules: RuleSet::ALL,
            history: 2,
            examples: 0,
            pairs: 1_000_000_000,
        }
    }
}
