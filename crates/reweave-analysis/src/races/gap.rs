//! Why nothing orders two accesses: the last operation before both, and what would have had to meet and did not.

use super::event::{Event, EventIndex, Op, ThreadId};
use super::findings::Gap;
use super::log::Log;
use super::relation::Relation;

/// Operations that are looked at for all gaps together: an explanation must not cost more than the analysis.
const MOST_STEPS: u64 = 20_000_000;

/// Explains pairs of accesses of one log.
pub struct Gaps<'a> {
    log: &'a Log,
    relation: &'a Relation,
    left: u64,
}

impl Gaps<'_> {
    pub fn new<'a>(log: &'a Log, relation: &'a Relation) -> Gaps<'a> {
        Gaps {
            log,
            relation,
            left: MOST_STEPS,
        }
    }

    /// `None` once too many operations have been looked at.
    pub fn of(&mut self, first: EventIndex, second: EventIndex) -> Option<Gap> {
        if self.left == 0 {
            return None;
        }
        let (a, b) = (
            self.relation.group_of(first),
            self.relation.group_of(second),
        );
        let thread = self.log.events[first.index()].thread;
        let mut gap = Gap {
            published: self.next_of(first, publishes),
            learned: self.previous_of(second, learns),
            ..Gap::default()
        };
        for (event, by, stand) in self.relation.marks_before(second) {
            if self.left == 0 || (gap.common.is_some() && gap.seen.is_some()) {
                break;
            }
            self.left -= 1;
            if !self.relation.mark_before(stand, b) {
                continue;
            }
            if gap.seen.is_none() && *by == thread && *event < first {
                gap.seen = Some(*event);
            }
            if gap.common.is_none() && self.relation.mark_before(stand, a) {
                gap.common = Some(*event);
            }
        }
        Some(gap)
    }

    /// The next operation of the same thread, and task, that is of a kind.
    fn next_of(&mut self, from: EventIndex, is_wanted: fn(&Op) -> bool) -> Option<EventIndex> {
        let thread = self.log.events[from.index()].thread;
        let later = self.log.events[from.index() + 1..].iter().enumerate();
        let found = later
            .inspect(|_| self.left = self.left.saturating_sub(1))
            .filter(|(_, event)| event.thread == thread)
            .find(|(_, event)| is_wanted(&event.op) || ends_stretch(event))
            .filter(|(_, event)| is_wanted(&event.op));
        found.map(|(index, _)| EventIndex(from.0 + 1 + index as u32))
    }

    fn previous_of(&mut self, from: EventIndex, is_wanted: fn(&Op) -> bool) -> Option<EventIndex> {
        let thread: ThreadId = self.log.events[from.index()].thread;
        let earlier = self.log.events[..from.index()].iter().enumerate().rev();
        let found = earlier
            .inspect(|_| self.left = self.left.saturating_sub(1))
            .filter(|(_, event)| event.thread == thread)
            .find(|(_, event)| is_wanted(&event.op));
        found.map(|(index, _)| EventIndex(index as u32))
    }
}

fn ends_stretch(event: &Event) -> bool {
    matches!(event.op, Op::TaskEnd(_) | Op::ThreadEnd | Op::OutsideLeave)
}

/// Whether others can come after this operation because of what it is.
fn publishes(op: &Op) -> bool {
    match op {
        Op::ThreadEnd
        | Op::Fork(_)
        | Op::Release(_)
        | Op::Notify(_)
        | Op::VolatileWrite(_)
        | Op::VolatileUpdate(_)
        | Op::Unpark(_)
        | Op::Submit(_)
        | Op::JobEnd(_)
        | Op::ClassReady(_)
        | Op::Loop
        | Op::Post(_)
        | Op::TaskEnd(_)
        | Op::BarrierPost { .. }
        | Op::BarrierRemove(_) => true,
        // Enabling an event tells the event's task only.
        Op::Environment(_)
        | Op::ThreadBegin
        | Op::Join(_)
        | Op::Acquire(_)
        | Op::Wait
        | Op::VolatileRead(_)
        | Op::Park
        | Op::JobBegin(_)
        | Op::JobAwait(_)
        | Op::ClassUse(_)
        | Op::AttachQueue
        | Op::Unpost(_)
        | Op::TaskBegin(_)
        | Op::OutsideEnter
        | Op::OutsideLeave
        | Op::Read(_)
        | Op::Write(_) => false,
    }
}

/// Whether this operation can come after those of others because of what it is.
fn learns(op: &Op) -> bool {
    match op {
        Op::ThreadBegin
        | Op::Join(_)
        | Op::Acquire(_)
        | Op::Wait
        | Op::VolatileRead(_)
        | Op::VolatileUpdate(_)
        | Op::Park
        | Op::JobBegin(_)
        | Op::JobAwait(_)
        | Op::ClassUse(_)
        | Op::TaskBegin(_)
        | Op::OutsideEnter => true,
        Op::Environment(_)
        | Op::ThreadEnd
        | Op::Fork(_)
        | Op::Release(_)
        | Op::Notify(_)
        | Op::VolatileWrite(_)
        | Op::Unpark(_)
        | Op::Submit(_)
        | Op::JobEnd(_)
        | Op::ClassReady(_)
        | Op::AttachQueue
        | Op::Loop
        | Op::Post(_)
        | Op::Unpost(_)
        | Op::TaskEnd(_)
        | Op::BarrierPost { .. }
        | Op::BarrierRemove(_)
        | Op::OutsideLeave
        | Op::Read(_)
        | Op::Write(_) => false,
    }
}
