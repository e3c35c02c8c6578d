//! The tasks of a queue that a post sees, the latest of each manner on each chain: what `begin` looks at.

use super::begin::Beginning;
use super::clock::{Chain, Moment};
use super::knowledge::{Class, Point, QueueKnowledge};
use super::queue::{Manner, Queue};
use super::task::TaskRun;
use super::{Before, Keep};
use crate::races::event::{Place, TaskId};
use crate::races::rules::Rule;
use std::rc::Rc;

/// Goes through what a post sees.
pub(super) struct Scan<'a> {
    pub before: &'a Before,
    pub queue: &'a Queue,
    pub manner: Manner,
    pub post: &'a Point,
}

impl Scan<'_> {
    pub(super) fn runs_first(&self, new: &mut Beginning, first: Manner) -> bool {
        match self.queue.runs_first(self.before.rules, first, self.manner) {
            Ok(()) => true,
            Err(limit) => {
                new.fired.extend(limit);
                false
            }
        }
    }

    /// Posts from one chain up to `limit`; the latest of the same manner, and when it was posted.
    fn row(
        &self,
        new: &mut Beginning,
        class: Class,
        chain: Chain,
        limit: Moment,
    ) -> Option<(Moment, TaskId)> {
        let mut same = None;
        let this = new.id;
        if !self.before.rules.has(Rule::Fifo) {
            return same;
        }
        for row in self.queue.rows(class, chain) {
            let is_known = row.posts.first().is_some_and(|(first, _)| *first <= limit);
            if !is_known || !self.runs_first(new, row.manner) {
                continue;
            }
            for id in row.up_to(limit).filter(|id| *id != this) {
                let task = self.before.tasks.get(&id);
                let ended = task.is_some_and(|task| task.end.is_some());
                new.admit(self.before, Rule::Fifo, id);
                if ended && row.manner == self.manner {
                    same = same.max(task.map(|task| (Moment::of(task.posted.event), id)));
                }
                // Of equal manner the latest stands for the rest, except that the front of the queue is a stack.
                if ended && row.manner.place == Place::Back {
                    break;
                }
            }
        }
        same.filter(|_| self.manner.place == Place::Back)
    }

    pub(super) fn own_chain(&self, new: &mut Beginning) -> Option<(Moment, TaskId)> {
        let (chain, moment) = self.post.stand?;
        // Orders that point backwards can tell a chain of its own future.
        let future = match &self.post.task {
            None => self.post.known.threads.get(chain),
            Some(run) => run.begin.borrow().get(chain),
        };
        self.row(new, self.post.class, chain, moment.max(future))
    }

    /// What was posted outside tasks, latest first; the latest of the same manner.
    pub(super) fn threads(&self, new: &mut Beginning) -> Option<(Moment, TaskId)> {
        let mut seen = Vec::new();
        self.post.known.threads.each(&mut |chain, moment| {
            if !self.queue.rows(Class::Threads, chain).is_empty() {
                seen.push((moment, chain));
            }
        });
        seen.sort_unstable_by(|a, b| b.cmp(a));
        let mut latest = None;
        for (moment, chain) in seen {
            let is_own = self.post.class == Class::Threads
                && self.post.stand.is_some_and(|(own, _)| own == chain);
            if !is_own {
                latest = latest.max(self.row(new, Class::Threads, chain, moment));
            }
        }
        latest
    }

    /// What is seen of the tasks of a queue, from outside that queue, and was not seen where `since` stands.
    pub(super) fn queue(&self, new: &mut Beginning, index: u32, since: Option<&Point>) {
        let class = Class::Queue(index);
        let conditional = self.before.rules.has(Rule::ConditionalTransitivity);
        if self.post.class == class && conditional {
            return;
        }
        let nothing = QueueKnowledge::default();
        let now = self.post.known.queues.get(index as usize);
        let now = now.unwrap_or(&nothing);
        let old = since.and_then(|point| point.known.queues.get(index as usize));
        let old = old.unwrap_or(&nothing);
        // What `since` saw for certain; what it saw by the way is sorted out below.
        let old = match since.map(|point| point.class) {
            Some(Class::Queue(_)) if conditional => &old.free,
            Some(_) | None => &old.any,
        };
        let mut seen = Vec::new();
        let mut note = |chain, _| seen.push(chain);
        if self.post.class == Class::Threads || !conditional {
            now.any.above(old, &mut note);
        } else {
            now.free.above(old, &mut note);
            now.near.above(old, &mut note);
        }
        let limit = |chain| {
            self.before
                .known_up_to(&self.post.known, self.post.class, class, chain)
        };
        let mut seen: Vec<(Moment, Chain)> = seen
            .into_iter()
            .map(|chain| (limit(chain), chain))
            .collect();
        seen.retain(|(limit, chain)| {
            since.is_none_or(|old| self.seen_from(old, class, *chain) < *limit)
        });
        // The latest first: they stand for many of the rest.
        seen.sort_unstable_by(|a, b| b.cmp(a));
        seen.dedup();
        for (limit, chain) in seen {
            self.row(new, class, chain, limit);
            if index == new.queue && self.before.rules.has(Rule::NoPreemption) {
                self.part(new, class, chain, limit);
            }
        }
    }

    /// Up to which moment a chain of a queue was seen where an earlier post stands.
    fn seen_from(&self, point: &Point, class: Class, chain: Chain) -> Moment {
        match &point.task {
            Some(run)
                if point.class == class && self.before.rules.has(Rule::ConditionalTransitivity) =>
            {
                run.begin.borrow().get(chain)
            }
            Some(_) | None => self
                .before
                .known_up_to(&point.known, point.class, class, chain),
        }
    }

    /// Whether the task stands for those before it on its chain. One that never ends, as when the trace was cut off, comes
    /// before nothing; those that it follows may.
    fn has_ended(&self, id: TaskId) -> bool {
        let task = self.before.tasks.get(&id);
        task.is_none_or(|task| task.end.is_some())
    }

    fn part(&self, new: &mut Beginning, class: Class, chain: Chain, limit: Moment) {
        for id in self.before.chains.tasks_by(class, chain, limit) {
            if id != new.id {
                new.admit(self.before, Rule::NoPreemption, id);
            }
            if self.has_ended(id) {
                break;
            }
        }
        // The task itself may be forgotten, but not that it came first.
        if self.before.keep == Keep::Live {
            new.begin.raise(chain, limit);
        }
    }

    /// What a task that posts sees of its own queue: the tasks before it.
    pub(super) fn own_queue(&self, new: &mut Beginning, own: &Rc<TaskRun>, since: Option<&Point>) {
        if since
            .and_then(|point| point.task.as_ref())
            .is_some_and(|old| old.id == own.id)
        {
            return;
        }
        let mut seen = Vec::new();
        own.begin.borrow().each(&mut |chain, moment| {
            if chain != own.chain && !self.queue.rows(self.post.class, chain).is_empty() {
                seen.push((moment, chain));
            }
        });
        seen.sort_unstable_by(|a, b| b.cmp(a));
        for (moment, chain) in seen {
            if since.is_none_or(|old| self.seen_from(old, self.post.class, chain) < moment) {
                self.row(new, self.post.class, chain, moment);
            }
        }
    }

    /// Loose posts, known to whoever knows the beginning of their task by whatever path.
    pub(super) fn loose(&self, new: &mut Beginning, since: Option<&Point>) {
        if !self.before.rules.has(Rule::Fifo) {
            return;
        }
        let class = Class::Queue(new.queue);
        let index = new.queue as usize;
        let any = |point: &Point| point.known.queues.get(index).map(|queue| queue.any.clone());
        let now = any(self.post).unwrap_or_default();
        let old = since.and_then(any).unwrap_or_default();
        let mut reached = Vec::new();
        now.above(&old, &mut |chain, moment| reached.push((chain, moment)));
        for (chain, moment) in reached {
            for id in self.before.chains.tasks_by(class, chain, moment) {
                let Some(task) = self.before.tasks.get(&id) else {
                    continue;
                };
                if new.begin.get(chain) >= task.end_moment() && task.end.is_some() {
                    break;
                }
                if task.from_outside && self.runs_first(new, Manner::of(&task.spec)) {
                    new.admit(self.before, Rule::Fifo, id);
                    if self.has_ended(id) {
                        break;
                    }
                }
            }
        }
    }
}
