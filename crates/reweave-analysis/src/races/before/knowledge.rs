//! What an operation knows of the past, with DroidRacer's conditional transitivity made exact.
//!
//! The relation is not transitive: x before b and b before y gives x before y only if x or y runs outside tasks, or on
//! different threads, or in one task, or the task of x ends before the task of y begins. Otherwise a lock taken by a
//! worker in between would order two tasks of one queue just because of how this run went.
//!
//! A path from x to y through such steps can be shortened step by step to "x before y" exactly if x and y may be
//! related at all and the path either goes through an operation outside tasks, or through at least three different
//! queues, or crosses from the queue of x to the queue of y only once. (Draw the path as a polygon with a colour per
//! queue, and a colour of its own for each operation outside tasks. Shortening it is cutting it into triangles whose
//! corners differ in colour, and a properly coloured polygon can be cut so if and only if it has three colours.)
//! A path that only goes to and fro between two queues does not order its ends.
//!
//! So an operation keeps, per queue, three clocks instead of one, and they tell exactly what it sees:
//! - `any`: reached by whatever path. All there is to know outside tasks.
//! - `free`: reached through an operation outside tasks or through three queues. Whoever learns of it later sees it.
//! - `near`: reached on the queue alone, or from there by one crossing to this operation's queue.
//!
//! Operations of another queue are seen if they are in `free` or `near`; tasks of the own queue are seen only through
//! the order of tasks (`TaskRun`). What came back to its own queue by way of exactly one other queue is kept apart in
//! `bound` under that queue: it may be passed on to everyone except that queue.

use super::clock::{Chain, Clock, Moment};
use super::task::TaskRun;
use std::rc::Rc;

/// What may not be ordered by chance: operations outside tasks are free of that, tasks of one queue are not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Outside tasks: threads without a queue, threads before they loop, what comes from outside.
    Threads,
    /// In a task of the queue with this number.
    Queue(u32),
}

/// What is known of the tasks of one queue.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct QueueKnowledge {
    pub any: Clock,
    pub free: Clock,
    pub near: Clock,
}

/// What an operation knows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Knowledge {
    pub threads: Clock,
    /// By number of the queue. Outside tasks only `any` is kept.
    pub queues: Vec<QueueKnowledge>,
    /// Tasks of the own queue, known by way of one other queue only.
    bound: Vec<(u32, Clock)>,
}

/// An operation that others can learn from: what it knows, and where it stands itself.
#[derive(Clone, Debug)]
pub struct Point {
    pub known: Rc<Knowledge>,
    pub class: Class,
    /// `None` if nobody can refer to the operation itself.
    pub stand: Option<(Chain, Moment)>,
    pub task: Option<Rc<TaskRun>>,
}

impl Knowledge {
    /// Learns what `point` knows, and of `point` itself, as an operation of class `me`.
    /// Within one queue this is for an order of tasks, or for operations of one task.
    pub fn learn(&mut self, me: Class, point: &Point) {
        let theirs = &*point.known;
        self.threads.join(&theirs.threads);
        if self.queues.len() < theirs.queues.len() {
            self.queues
                .resize_with(theirs.queues.len(), Default::default);
        }
        match (me, point.class) {
            (Class::Threads, _) => {
                for (mine, theirs) in self.queues.iter_mut().zip(&theirs.queues) {
                    mine.any.join(&theirs.any);
                }
            }
            (Class::Queue(_), Class::Threads) => {
                for (mine, theirs) in self.queues.iter_mut().zip(&theirs.queues) {
                    mine.learn_freely(&theirs.any);
                }
            }
            (Class::Queue(me), Class::Queue(from)) if me == from => self.learn_within(theirs),
            (Class::Queue(me), Class::Queue(from)) => self.learn_across(me, from, theirs),
        }
        if let Some((chain, moment)) = point.stand {
            self.note(me, point.class, chain, moment);
        }
    }

    fn learn_within(&mut self, theirs: &Knowledge) {
        for (mine, theirs) in self.queues.iter_mut().zip(&theirs.queues) {
            mine.learn_all(theirs);
        }
        for (by, clock) in &theirs.bound {
            self.bound_by(*by).join(clock);
        }
    }

    fn learn_across(&mut self, me: u32, from: u32, theirs: &Knowledge) {
        for (queue, their) in theirs.queues.iter().enumerate() {
            let queue = queue as u32;
            let mine = &mut self.queues[queue as usize];
            if queue == from {
                mine.learn_all(their);
                for (by, clock) in &theirs.bound {
                    if *by != me {
                        mine.free.join(clock);
                    }
                }
            } else if queue == me {
                mine.any.join(&their.any);
                mine.free.join(&their.free);
                self.bound_by(from).join(&their.any);
            } else {
                mine.learn_freely(&their.any);
            }
        }
    }

    /// Learns of one operation of class `from`, standing at `moment` of `chain`.
    fn note(&mut self, me: Class, from: Class, chain: Chain, moment: Moment) {
        let Class::Queue(queue) = from else {
            self.threads.raise(chain, moment);
            return;
        };
        let mine = self.queue_mut(queue);
        mine.any.raise(chain, moment);
        if me != Class::Threads {
            mine.near.raise(chain, moment);
        }
    }

    pub fn queue_mut(&mut self, queue: u32) -> &mut QueueKnowledge {
        let index = queue as usize;
        if self.queues.len() <= index {
            self.queues.resize_with(index + 1, Default::default);
        }
        &mut self.queues[index]
    }

    fn bound_by(&mut self, by: u32) -> &mut Clock {
        let index = match self.bound.iter().position(|(queue, _)| *queue == by) {
            Some(index) => index,
            None => {
                self.bound.push((by, Clock::default()));
                self.bound.sort_by_key(|(queue, _)| *queue);
                return self.bound_by(by);
            }
        };
        &mut self.bound[index].1
    }

    /// Up to which moment an operation of class `me` sees a chain of another class.
    pub fn sees(&self, me: Class, class: Class, chain: Chain) -> Moment {
        let Class::Queue(queue) = class else {
            return self.threads.get(chain);
        };
        let Some(queue) = self.queues.get(queue as usize) else {
            return Moment::NEVER;
        };
        match me {
            Class::Threads => queue.any.get(chain),
            Class::Queue(_) => queue.free.get(chain).max(queue.near.get(chain)),
        }
    }

    /// Up to which moment a chain is reached by whatever path.
    pub fn reaches(&self, class: Class, chain: Chain) -> Moment {
        match class {
            Class::Threads => self.threads.get(chain),
            Class::Queue(queue) => self
                .queues
                .get(queue as usize)
                .map_or(Moment::NEVER, |q| q.any.get(chain)),
        }
    }
}

impl QueueKnowledge {
    fn learn_all(&mut self, theirs: &QueueKnowledge) {
        if theirs.any.shares(&theirs.free) {
            self.learn_freely(&theirs.any);
        } else {
            self.any.join(&theirs.any);
            self.free.join(&theirs.free);
        }
        self.near.join(&theirs.near);
    }

    /// Learns something that everyone who hears of it from here may see.
    fn learn_freely(&mut self, clock: &Clock) {
        let same = self.any.shares(&self.free);
        self.any.join(clock);
        if same {
            self.free = self.any.clone();
        } else {
            self.free.join(clock);
        }
    }
}
