//! Happens-before over a log that is kept whole: any two accesses can be compared, in either direction.

use super::before::{Before, Class, Keep, Knowledge, Moment, Nonsense, Stand, TaskRun, View, Work};
use super::event::{Event, EventIndex, LocationId, LockId, Site, ThreadId};
use super::rules::{Firings, RuleSet};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Accesses of one thread with nothing in between that orders anything: alike in their order to all others.
#[derive(Debug)]
pub struct Group {
    pub thread: ThreadId,
    pub known: Rc<Knowledge>,
    pub stand: Stand,
    /// Locks held, in the order in which they were taken.
    pub held: Vec<LockId>,
    epoch: u32,
}

/// Number of a group, in order of its first access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupIndex(pub u32);

/// An operation that the engine refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{event}: {nonsense}")]
pub struct RelationError {
    pub event: EventIndex,
    pub nonsense: Nonsense,
}

/// The relation over one log.
#[derive(Debug)]
pub struct Relation {
    before: Before,
    groups: Vec<Group>,
    /// By event; meaningful for accesses.
    group_of: Vec<GroupIndex>,
    /// Operations other than accesses that others may know of, in the order of the log.
    marks: Vec<(EventIndex, ThreadId, Stand)>,
}

impl Relation {
    pub fn of(events: &[Event], rules: RuleSet) -> Result<Relation, RelationError> {
        let mut relation = Relation {
            before: Before::new(rules, Keep::All),
            groups: Vec::new(),
            group_of: Vec::new(),
            marks: Vec::new(),
        };
        loop {
            relation.pass(events)?;
            if !relation.before.end_pass() {
                return Ok(relation);
            }
        }
    }

    fn pass(&mut self, events: &[Event]) -> Result<(), RelationError> {
        self.groups.clear();
        self.group_of.clear();
        self.marks.clear();
        // The current group of each thread.
        let mut current: Vec<Option<GroupIndex>> = Vec::new();
        for event in events {
            let step = self.before.step(event);
            step.map_err(|nonsense| RelationError {
                event: self.before.now(),
                nonsense,
            })?;
            let mut group = GroupIndex(u32::MAX);
            if event.op.access().is_some() {
                let index = event.thread.index();
                if current.len() <= index {
                    current.resize(index + 1, None);
                }
                group = self.group_for(event.thread, current[index]);
                current[index] = Some(group);
            } else if let Some(stand) = self.before.mark(event.thread) {
                self.marks.push((self.before.now(), event.thread, stand));
            }
            self.group_of.push(group);
            self.before.advance();
        }
        Ok(())
    }

    fn group_for(&mut self, thread: ThreadId, current: Option<GroupIndex>) -> GroupIndex {
        let epoch = self.before.epoch(thread);
        if let Some(current) = current
            && self.groups[current.0 as usize].epoch == epoch
        {
            return current;
        }
        let stand = self.before.stand(thread);
        let known = self.before.knowledge(thread);
        let held = self.before.held(thread).collect();
        self.groups.push(Group {
            thread,
            known,
            stand,
            held,
            epoch,
        });
        GroupIndex(self.groups.len() as u32 - 1)
    }

    pub fn group_of(&self, access: EventIndex) -> GroupIndex {
        self.group_of[access.index()]
    }

    pub fn group(&self, group: GroupIndex) -> &Group {
        &self.groups[group.0 as usize]
    }

    pub fn groups(&self) -> usize {
        self.groups.len()
    }

    /// Whether the accesses of one group happened before those of another.
    pub fn ordered(&self, first: GroupIndex, second: GroupIndex) -> bool {
        let (a, b) = (self.group(first), self.group(second));
        self.before.ordered(&a.stand, b.view())
    }

    /// Operations other than accesses that came before `event` in the log, the latest first.
    pub fn marks_before(
        &self,
        event: EventIndex,
    ) -> impl Iterator<Item = &(EventIndex, ThreadId, Stand)> {
        let end = self.marks.partition_point(|(mark, ..)| *mark < event);
        self.marks[..end].iter().rev()
    }

    /// Whether an operation happened before the accesses of a group.
    pub fn mark_before(&self, mark: &Stand, group: GroupIndex) -> bool {
        self.before.ordered(mark, self.group(group).view())
    }

    /// The task that the accesses of a group are in.
    pub fn run(&self, group: GroupIndex) -> Option<&Rc<TaskRun>> {
        self.group(group).stand.run.as_ref()
    }

    pub fn before(&self) -> &Before {
        &self.before
    }

    pub fn fired(&self) -> &Firings {
        self.before.fired()
    }

    pub fn work(&self) -> Work {
        self.before.work()
    }

    /// Variables that turned out to synchronize, with the places of the loops that wait for them.
    pub fn adhoc_flags(&self) -> &BTreeSet<(LocationId, Site)> {
        self.before.adhoc_flags()
    }
}

impl Group {
    pub fn view(&self) -> View<'_> {
        View {
            known: &self.known,
            class: self.stand.class,
            chain: Some(self.stand.chain),
            moment: self.stand.moment,
            run: self.stand.run.as_ref(),
        }
    }

    pub fn class(&self) -> Class {
        self.stand.class
    }

    pub fn moment(&self) -> Moment {
        self.stand.moment
    }
}
