//! All racing pairs of a kept log, location by location.
//!
//! Accesses that stand together (one thread, nothing in between that orders anything) are compared once and counted
//! by their number.

use super::classify::Nature;
use super::event::{AccessKind, EventIndex, LocationId, Site};
use super::log::Log;
use super::relation::{GroupIndex, Relation};
use std::ops::ControlFlow;

/// Accesses to one location that follow each other in the trace and stand in one group, at one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    pub group: GroupIndex,
    pub site: Site,
    pub first: EventIndex,
    /// The next one, if there is more than one.
    pub second: Option<EventIndex>,
    pub count: u64,
}

/// Two runs no access of which is ordered with one of the other.
#[derive(Clone, Copy, Debug)]
pub struct RacingRuns {
    pub location: LocationId,
    /// The read, or of two writes the earlier.
    pub first: Run,
    pub first_kind: AccessKind,
    /// A write.
    pub second: Run,
    pub nature: Nature,
}

impl RacingRuns {
    pub fn pairs(&self) -> u64 {
        self.first.count * self.second.count
    }
}

/// The accesses to one location.
#[derive(Clone, Debug, Default)]
struct Accesses {
    reads: Vec<Run>,
    writes: Vec<Run>,
}

/// Whether all pairs were looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Coverage {
    #[default]
    Complete,
    /// The bound was reached.
    Bounded,
}

/// Calls `visit` for all racing pairs of runs: locations in order of first access; for each, reads with writes first,
/// then writes with writes, each in the order of the trace. Looks at no more than `bound` pairs.
pub fn each(
    log: &Log,
    relation: &Relation,
    bound: u64,
    mut visit: impl FnMut(RacingRuns),
) -> Coverage {
    let mut left = bound;
    for (index, accesses) in collect(log, relation).iter().enumerate() {
        let pairs = Pairs {
            location: LocationId(index as u32),
            relation,
            left: &mut left,
            visit: &mut visit,
        };
        if pairs.of(accesses).is_break() {
            return Coverage::Bounded;
        }
    }
    Coverage::Complete
}

fn collect(log: &Log, relation: &Relation) -> Vec<Accesses> {
    let mut locations: Vec<Accesses> = vec![Accesses::default(); log.locations.len()];
    for (index, event) in log.events.iter().enumerate() {
        let Some((location, kind)) = event.op.access() else {
            continue;
        };
        let index = EventIndex(index as u32);
        if locations.len() <= location.index() {
            locations.resize(location.index() + 1, Accesses::default());
        }
        let accesses = &mut locations[location.index()];
        let runs = match kind {
            AccessKind::Read => &mut accesses.reads,
            AccessKind::Write => &mut accesses.writes,
        };
        let group = relation.group_of(index);
        match runs.last_mut() {
            Some(run) if run.group == group && run.site == event.site => {
                run.second.get_or_insert(index);
                run.count += 1;
            }
            Some(_) | None => runs.push(Run {
                group,
                site: event.site,
                first: index,
                second: None,
                count: 1,
            }),
        }
    }
    locations
}

struct Pairs<'a, V> {
    location: LocationId,
    relation: &'a Relation,
    left: &'a mut u64,
    visit: &'a mut V,
}

impl<V: FnMut(RacingRuns)> Pairs<'_, V> {
    fn of(mut self, accesses: &Accesses) -> ControlFlow<()> {
        for read in &accesses.reads {
            for write in &accesses.writes {
                self.compare(*read, AccessKind::Read, *write)?;
            }
        }
        for (index, first) in accesses.writes.iter().enumerate() {
            for second in &accesses.writes[index + 1..] {
                self.compare(*first, AccessKind::Write, *second)?;
            }
        }
        ControlFlow::Continue(())
    }

    fn compare(&mut self, first: Run, first_kind: AccessKind, second: Run) -> ControlFlow<()> {
        if *self.left == 0 {
            return ControlFlow::Break(());
        }
        *self.left -= 1;
        let ordered = |a, b| self.relation.ordered(a, b) || self.relation.ordered(b, a);
        if first.group == second.group || ordered(first.group, second.group) {
            return ControlFlow::Continue(());
        }
        if self.is_flag(first, first_kind) {
            return ControlFlow::Continue(());
        }
        let nature = nature(self.relation, first.group, second.group);
        (self.visit)(RacingRuns {
            location: self.location,
            first,
            first_kind,
            second,
            nature,
        });
        ControlFlow::Continue(())
    }

    /// A read in a loop that waits for the write synchronizes; it does not race.
    fn is_flag(&self, run: Run, kind: AccessKind) -> bool {
        kind == AccessKind::Read
            && self
                .relation
                .adhoc_flags()
                .contains(&(self.location, run.site))
    }
}

fn nature(relation: &Relation, a: GroupIndex, b: GroupIndex) -> Nature {
    let origin = |group| (relation.group(group).thread, relation.run(group));
    Nature::of(relation.before(), origin(a), origin(b))
}
