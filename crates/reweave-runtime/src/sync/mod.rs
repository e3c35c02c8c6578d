//! What each operation means in a replay, said once for all front ends: they bring the real operation, these bring the order.
//!
//! A front end whose operation happens elsewhere (the JVM enters a monitor in bytecode, between two calls of ours) uses [`begin`] and [`Turns::done`];
//! one that can hand the operation over uses [`perform`].

use crate::turns::{Turn, Turns};
use reweave_trace::{Kind, SiteId, StreamId};

/// Waits for the turn of an operation. It is then performed, and [`Turns::done`] called.
pub fn begin(turns: &Turns, stream: StreamId, kind: Kind, site: SiteId) -> Turn {
    turns.enter(stream, kind, site)
}

/// Performs an operation in its turn.
pub fn perform<R>(
    turns: &Turns,
    stream: StreamId,
    kind: Kind,
    site: SiteId,
    operation: impl FnOnce() -> R,
) -> Result<R, Turn> {
    match begin(turns, stream, kind, site) {
        Turn::Go | Turn::StopHere => {
            let result = operation();
            turns.done(stream);
            Ok(result)
        }
        other => Err(other),
    }
}
