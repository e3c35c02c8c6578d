//! Which tasks of a queue end before another begins: first in first out, front of the queue, no pre-emption.
//!
//! A task that was posted where y stands begins after: the task that posted it, if that ran on the same queue; every
//! task of the queue whose post y sees and which must run first (`Queue::runs_first`); every task of the queue of which
//! y sees any part. Their order is taken to be transitive, as the paper has it (rule TRANS-ST), so one task stands for
//! all that came before it and it is enough to look at the latest of each kind on each chain. DroidRacer as it was
//! built leaves that rule out; without `Rule::TaskTransitivity` we look at all tasks, which takes time and space
//! quadratic in their number.
//!
//! To look only at what is new, the scan starts from the latest post of the same manner that y sees: its task runs first,
//! and all that was seen where it was posted is before that task, hence before this one.

use super::clock::Clock;
use super::knowledge::{Class, Knowledge, Point};
use super::queue::{Manner, Queue};
use super::scan::Scan;
use super::task::{Task, TaskRun};
use super::{Before, Keep};
use crate::races::event::{Passage, Place, TaskId};
use crate::races::rules::Rule;
use std::rc::Rc;

/// A task about to begin, and what it has learnt of the tasks before it.
#[derive(Debug)]
pub struct Beginning {
    pub queue: u32,
    pub id: TaskId,
    pub begin: Clock,
    pub before: super::task::NumberSet,
    pub known: Knowledge,
    /// Those that were admitted, in order.
    pub predecessors: Vec<TaskId>,
    pub fired: Vec<Rule>,
    /// A task that has not ended yet should have run before this one.
    pub contradicted: bool,
}

impl Beginning {
    pub fn new(queue: u32, id: TaskId) -> Beginning {
        Beginning {
            queue,
            id,
            begin: Clock::default(),
            before: Default::default(),
            known: Knowledge::default(),
            predecessors: Vec::new(),
            fired: Vec::new(),
            contradicted: false,
        }
    }

    fn class(&self) -> Class {
        Class::Queue(self.queue)
    }

    pub fn learn(&mut self, rule: Rule, point: &Point) {
        self.fired.push(rule);
        self.known.learn(self.class(), point);
    }

    /// `task` ends before this one begins. Says whether that was news.
    pub(super) fn admit(&mut self, before: &Before, rule: Rule, id: TaskId) -> bool {
        let Some((run, end)) = before.tasks.get(&id).and_then(Task::ended) else {
            self.contradicted = true;
            return false;
        };
        let Some((_, end_moment)) = end.stand else {
            return false;
        };
        if id == self.id || run.queue != self.queue {
            return false;
        }
        let known = if before.rules.has(Rule::TaskTransitivity) {
            self.begin.get(run.chain) >= end_moment
        } else {
            self.before.contains(run.number)
        };
        // In repeated passes it may be known from the last one, which knew less.
        if known && (before.keep == Keep::Live || self.predecessors.contains(&id)) {
            return false;
        }
        self.fired.push(rule);
        self.before.insert(run.number);
        if self.begin.join(&run.begin.borrow()) {
            self.fired.push(Rule::TaskTransitivity);
        }
        self.begin.raise(run.chain, end_moment);
        self.known.learn(self.class(), end);
        self.predecessors.push(id);
        !known
    }
}

impl Before {
    /// Learns all that the post of `task`, which stands at `post`, tells about the tasks before it.
    pub(super) fn admit_predecessors(&self, new: &mut Beginning, task: &Task, post: &Point) {
        if self.rules.has(Rule::Post)
            && let Some(parent) = &post.task
            && parent.queue == new.queue
        {
            new.admit(self, Rule::Post, parent.id);
        }
        if self.rules.has(Rule::NoPreemption) {
            for id in &task.directly_after {
                new.admit(self, Rule::NoPreemption, *id);
            }
        }
        if self.rules.has(Rule::TaskTransitivity) {
            self.admit_latest(new, task, post);
        } else {
            self.admit_all(new, task, post);
        }
        self.admit_until_stable(new, task);
    }

    /// The front of the queue and barriers: what they add can make them apply again.
    fn admit_until_stable(&self, new: &mut Beginning, task: &Task) {
        let Some(queue) = self.queues.get(new.queue as usize) else {
            return;
        };
        if queue.fronts.is_empty() && queue.barriers.is_empty() {
            return;
        }
        loop {
            let mut changed = false;
            if self.rules.has(Rule::Front) {
                for id in &queue.fronts {
                    changed |= self.went_first(new, task, *id) && new.admit(self, Rule::Front, *id);
                }
            }
            if self.rules.has(Rule::Barrier) && task.spec.passage == Passage::Synchronous {
                changed |= self.pass_barriers(new, task, queue);
            }
            if !changed {
                return;
            }
        }
    }

    /// Whether `front`, posted to the front, was posted after `task` and before that begins.
    fn went_first(&self, new: &Beginning, task: &Task, front: TaskId) -> bool {
        if front == new.id {
            return false;
        }
        let Some(front) = self.tasks.get(&front) else {
            return false;
        };
        // Nobody can refer to a loose post: it is known to those that know the beginning of its task by whatever path.
        let is_loose_and_seen = front.from_outside
            && front.run.as_ref().is_some_and(|run| {
                new.known.reaches(Class::Queue(run.queue), run.chain) >= run.start
            });
        let is_seen = is_loose_and_seen || self.seen_by_beginning(new, &front.post);
        is_seen && self.post_before(task, None, &front.post)
    }

    fn pass_barriers(&self, new: &mut Beginning, task: &Task, queue: &Queue) -> bool {
        let mut changed = false;
        if task.spec.place == Place::Front {
            return false;
        }
        for barrier in &queue.barriers {
            let Some(removed) = &barrier.removed else {
                continue;
            };
            if !self.point_before(&barrier.posted, &task.post)
                || self.seen_by_beginning(new, removed)
            {
                continue;
            }
            match &removed.task {
                Some(run) if run.queue == new.queue => {
                    changed |= self.rules.has(Rule::NoPreemption)
                        && new.admit(self, Rule::Barrier, run.id);
                }
                Some(_) | None => {
                    new.learn(Rule::Barrier, removed);
                    changed = true;
                }
            }
        }
        changed
    }

    /// Whether the task about to begin sees `point`.
    fn seen_by_beginning(&self, new: &Beginning, point: &Point) -> bool {
        let Some((chain, moment)) = point.stand else {
            return false;
        };
        match &point.task {
            Some(run) if run.queue == new.queue => {
                if self.rules.has(Rule::TaskTransitivity) {
                    new.begin.get(run.chain) >= run.start
                } else {
                    new.before.contains(run.number)
                }
            }
            Some(_) | None => {
                self.known_up_to(&new.known, new.class(), point.class, chain) >= moment
            }
        }
    }

    /// Whether the post of `task` comes before `point`. `listed`: tasks whose posts are known to.
    fn post_before(&self, task: &Task, listed: Option<&[TaskId]>, point: &Point) -> bool {
        if listed.is_some_and(|listed| listed.contains(&task.spec.task))
            || self.point_before(&task.post, point)
        {
            return true;
        }
        // Nobody can refer to a loose post: it is known to those that know the beginning of its task.
        task.from_outside
            && task.run.as_ref().is_some_and(|run| {
                point.known.reaches(Class::Queue(run.queue), run.chain) >= run.start
                    || point.task.as_ref().is_some_and(|other| other.id == run.id)
            })
    }

    /// Every task, one by one.
    fn admit_all(&self, new: &mut Beginning, task: &Task, post: &Point) {
        let Some(queue) = self.queues.get(new.queue as usize) else {
            return;
        };
        let manner = Manner::of(&task.spec);
        for id in &queue.begun {
            let Some(other) = self.tasks.get(id).filter(|_| *id != new.id) else {
                continue;
            };
            let Some(run) = &other.run else { continue };
            if self.rules.has(Rule::NoPreemption) && self.part_seen(run, post) {
                new.admit(self, Rule::NoPreemption, *id);
            }
            if self.rules.has(Rule::Fifo) && self.post_before(other, Some(&task.posted_after), post)
            {
                match queue.runs_first(self.rules, Manner::of(&other.spec), manner) {
                    Ok(()) => {
                        new.admit(self, Rule::Fifo, *id);
                    }
                    Err(limit) => new.fired.extend(limit),
                }
            }
        }
    }

    /// Whether `post` sees any part of a task of the queue that it posts to.
    fn part_seen(&self, run: &Rc<TaskRun>, post: &Point) -> bool {
        match &post.task {
            Some(own) if own.queue == run.queue => {
                own.id == run.id
                    || if self.rules.has(Rule::ConditionalTransitivity) {
                        own.before.borrow().contains(run.number)
                    } else {
                        post.known.reaches(post.class, run.chain) >= run.start
                    }
            }
            Some(_) | None => {
                self.known_up_to(&post.known, post.class, Class::Queue(run.queue), run.chain)
                    >= run.start
            }
        }
    }

    /// The latest task of each manner on each chain.
    fn admit_latest(&self, new: &mut Beginning, task: &Task, post: &Point) {
        let Some(queue) = self.queues.get(new.queue as usize) else {
            return;
        };
        let scan = Scan {
            before: self,
            queue,
            manner: Manner::of(&task.spec),
            post,
        };
        if self.rules.has(Rule::Fifo) {
            for id in &task.posted_after {
                let first = self.tasks.get(id).filter(|other| other.queue == new.queue);
                if first.is_some_and(|other| scan.runs_first(new, Manner::of(&other.spec))) {
                    new.admit(self, Rule::Fifo, *id);
                }
            }
        }
        let since = scan.own_chain(new).max(scan.threads(new));
        let since = since
            .and_then(|(_, id)| self.tasks.get(&id))
            .map(|task| &task.post);
        for index in 0..post.known.queues.len() {
            scan.queue(new, index as u32, since);
        }
        if let Some(own) = &post.task
            && self.rules.has(Rule::ConditionalTransitivity)
        {
            scan.own_queue(new, own, since);
        }
        scan.loose(new, since);
    }
}
