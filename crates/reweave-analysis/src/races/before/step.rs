//! One operation after the other: what each learns and what it leaves for others.

use super::channel::Channel;
use super::clock::{Chain, Moment};
use super::knowledge::{Class, Knowledge, Point};
use super::queue::{Barrier, Queue};
use super::task::Task;
use super::thread::{Stretch, Thread};
use super::{Before, Keep, Stand};
use crate::races::event::{Event, EventIndex, LocationId, LockId, Op, TaskId, ThreadId};
use crate::races::hash::IdMap;
use crate::races::rules::Rule;
use std::rc::Rc;

/// Threads are indexed by number, so a number far beyond the number of threads is not one.
const MOST_THREADS: u32 = 1 << 22;

/// An operation that cannot have happened here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Nonsense {
    #[error("{0} begins but was not posted")]
    NotPosted(TaskId),
    #[error("{task} was posted to {to} but begins on {on}")]
    OtherThread {
        task: TaskId,
        to: ThreadId,
        on: ThreadId,
    },
    #[error("{0} begins a second time")]
    BeginsTwice(TaskId),
    #[error("{0} is posted a second time")]
    PostedTwice(TaskId),
    #[error("{inner} begins while {outer} runs on the same thread")]
    Nested { inner: TaskId, outer: TaskId },
    #[error("{0} ends but does not run")]
    NotRunning(TaskId),
    #[error("{0} is no thread's number: threads are to be numbered from 0")]
    ThreadNumber(ThreadId),
}

impl Before {
    /// Takes the next operation into account. After an error the state is as before.
    pub fn step(&mut self, event: &Event) -> Result<(), Nonsense> {
        let thread = event.thread;
        self.thread_mut(thread)?;
        match &event.op {
            Op::Read(location) => self.end_spin(thread, Some((*location, event.site))),
            _ => {
                self.end_spin(thread, None);
                self.break_spin(thread);
            }
        }
        match &event.op {
            Op::ThreadBegin => self.thread_begin(thread),
            Op::ThreadEnd => self.thread_end(thread),
            Op::Fork(child) => {
                self.thread_mut(*child)?;
                let point = self.publish(thread);
                self.threads[child.index()].forked = Some(point);
            }
            Op::Join(child) => {
                let ended = self
                    .threads
                    .get(child.index())
                    .and_then(|child| child.ended.clone());
                self.learn_all(thread, Rule::Join, ended);
            }
            Op::Acquire(lock) => self.acquire(thread, *lock),
            Op::Release(lock) => self.release(thread, *lock),
            Op::Notify(woken) => {
                self.thread_mut(*woken)?;
                let point = self.publish(thread);
                self.threads[woken.index()].notified = Some(point);
            }
            Op::Wait => {
                let notified = self.threads[thread.index()].notified.take();
                self.learn_all(thread, Rule::Notify, notified);
            }
            Op::VolatileRead(location) => {
                self.learn_from_volatile(thread, *location);
            }
            Op::VolatileWrite(location) => {
                let point = self.publish(thread);
                self.volatiles.entry(*location).or_default().add(point);
            }
            Op::VolatileUpdate(location) => {
                self.learn_from_volatile(thread, *location);
                let point = self.publish(thread);
                self.volatiles.entry(*location).or_default().add(point);
            }
            Op::Unpark(target) => {
                self.thread_mut(*target)?;
                let point = self.publish(thread);
                self.threads[target.index()].permit.add(point);
            }
            Op::Park => {
                let permit = std::mem::take(&mut self.threads[thread.index()].permit);
                self.learn_all(
                    thread,
                    Rule::Park,
                    found(Some(&permit), self.class_of(thread)),
                );
            }
            Op::Submit(job) | Op::JobEnd(job) => {
                let point = self.publish(thread);
                self.jobs.insert(*job, point);
            }
            Op::JobBegin(job) | Op::JobAwait(job) => {
                let point = self.jobs.get(job).cloned();
                self.learn_all(thread, Rule::Job, point);
            }
            Op::ClassReady(class) => {
                let point = self.publish(thread);
                self.classes.entry(*class).or_default().add(point);
            }
            Op::ClassUse(class) => {
                let found = found(self.classes.get(class), self.class_of(thread));
                self.learn_all(thread, Rule::ClassInit, found);
            }
            Op::AttachQueue => {
                self.queue_of(thread);
            }
            Op::Loop => self.begin_loop(thread),
            Op::Post(post) => self.post(thread, *post, event.site)?,
            Op::Unpost(task) => self.unpost(*task),
            Op::TaskBegin(task) => self.task_begin(thread, *task)?,
            Op::TaskEnd(task) => self.task_end(thread, *task)?,
            Op::BarrierPost { barrier, to } => {
                self.thread_mut(*to)?;
                let posted = self.publish(thread);
                let queue = self.queue_of(*to);
                self.barriers.insert(*barrier, queue);
                let queue = &mut self.queues[queue as usize];
                queue.had_barrier = true;
                queue.barriers.push(Barrier {
                    id: *barrier,
                    posted,
                    removed: None,
                });
            }
            Op::BarrierRemove(id) => {
                let removed = self.publish(thread);
                if let Some(queue) = self.barriers.get(id)
                    && let Some(barrier) = self.queues[*queue as usize]
                        .barriers
                        .iter_mut()
                        .find(|b| b.id == *id)
                {
                    barrier.removed = Some(removed);
                }
            }
            Op::OutsideEnter | Op::OutsideLeave => self.detach(thread, Rc::default()),
            Op::Environment(op) => {
                self.learn_late_event(thread);
                self.environment_step(thread, op);
            }
            Op::Read(location) => self.spin_read(thread, *location, event.site),
            Op::Write(location) => self.spin_write(thread, *location),
        }
        Ok(())
    }

    /// The current operation is over; the next one follows.
    pub fn advance(&mut self) {
        self.now.0 += 1;
        if let Some(thread) = self.split_after.take() {
            self.new_epoch(thread);
        }
        if self.keep == Keep::Live {
            self.collect_if_due();
        }
    }

    pub fn now(&self) -> EventIndex {
        self.now
    }

    pub(super) fn thread_mut(&mut self, thread: ThreadId) -> Result<&mut Thread, Nonsense> {
        if thread.0 >= MOST_THREADS {
            return Err(Nonsense::ThreadNumber(thread));
        }
        while self.threads.len() <= thread.index() {
            // No two threads share an epoch, not even before their first operation.
            let mut new = Thread::default();
            new.here.epoch = self.next_epoch;
            self.next_epoch = self.next_epoch.wrapping_add(1);
            self.threads.push(new);
        }
        Ok(&mut self.threads[thread.index()])
    }

    pub(super) fn class_of(&self, thread: ThreadId) -> Class {
        self.threads[thread.index()].here.class
    }

    pub(super) fn queue_of(&mut self, thread: ThreadId) -> u32 {
        if let Some(queue) = self.queue_of.get(&thread) {
            return *queue;
        }
        let queue = self.queues.len() as u32;
        self.queues.push(Queue::new());
        self.queue_of.insert(thread, queue);
        queue
    }

    pub(super) fn new_epoch(&mut self, thread: ThreadId) {
        self.threads[thread.index()].here.epoch = self.next_epoch;
        self.next_epoch = self.next_epoch.wrapping_add(1);
    }

    /// The current operation learns from each of `points`.
    pub(super) fn learn_all(
        &mut self,
        thread: ThreadId,
        rule: Rule,
        points: impl IntoIterator<Item = Point>,
    ) {
        if !self.rules.has(rule) {
            return;
        }
        for point in points {
            let here = &self.threads[thread.index()].here;
            let other_task = match (&point.task, &here.task) {
                (Some(theirs), Some(mine)) => theirs.id != mine.id,
                (Some(_), None) | (None, _) => false,
            };
            // Not between two tasks of one queue: that they ran in this order may be chance.
            if point.class == here.class && here.class != Class::Threads && other_task {
                continue;
            }
            self.fired.count(rule);
            self.learn(thread, &point);
        }
    }

    /// Most reads tell nothing new, and they are many.
    fn learn_from_volatile(&mut self, thread: ThreadId, location: LocationId) {
        let Some(channel) = self.volatiles.get(&location) else {
            return;
        };
        let here = &self.threads[thread.index()].here;
        let only = channel.only_thread();
        if self.keep == Keep::Live && only.is_some_and(|point| is_redundant(here, point)) {
            if self.rules.has(Rule::Volatile) {
                self.fired.count(Rule::Volatile);
            }
            return;
        }
        let found = found(Some(channel), self.class_of(thread));
        self.learn_all(thread, Rule::Volatile, found);
    }

    pub(super) fn learn(&mut self, thread: ThreadId, point: &Point) {
        let here = &mut self.threads[thread.index()].here;
        // In repeated passes an operation may be known from the last one, which knew less.
        if self.keep == Keep::Live && is_redundant(here, point) {
            return;
        }
        Rc::make_mut(&mut here.known).learn(here.class, point);
        self.new_epoch(thread);
    }

    /// Gives the current operation a place that others can refer to.
    pub(super) fn take_chain(&mut self, thread: ThreadId) -> Chain {
        let here = &self.threads[thread.index()].here;
        if let Some(chain) = here.chain {
            return chain;
        }
        let (class, began) = (here.class, here.began);
        // Loose posts are placed where they were made, so the chain must have been unused by then.
        let since = Moment::of(began);
        let chain = match self.keep {
            Keep::Live if here.loose_posts.is_empty() => self.chains.open(class),
            Keep::Live => self.chains.open_since(class, since),
            Keep::All => {
                let chains = &mut self.chains;
                *self
                    .stretch_chains
                    .entry((thread, began))
                    .or_insert_with(|| chains.open(class))
            }
        };
        let here = &mut self.threads[thread.index()].here;
        here.chain = Some(chain);
        for id in std::mem::take(&mut here.loose_posts) {
            let Some(task) = self.tasks.get(&id) else {
                continue;
            };
            match task.post.stand {
                // Placed elsewhere in the meantime: what follows here comes after that place.
                Some((other, moment)) if other != chain => {
                    let here = &mut self.threads[thread.index()].here;
                    Rc::make_mut(&mut here.known).threads.raise(other, moment);
                }
                Some(_) | None => {
                    let moment = Moment::of(task.posted.event);
                    self.place_post(id, class, chain, moment);
                }
            }
        }
        chain
    }

    /// The current operation as others learn from it.
    pub(super) fn publish(&mut self, thread: ThreadId) -> Point {
        let chain = self.take_chain(thread);
        let stand = Some((chain, Moment::of(self.now)));
        let here = &mut self.threads[thread.index()].here;
        here.published.get_or_insert(self.now);
        let point = Point {
            known: here.known.clone(),
            class: here.class,
            stand,
            task: here.task.clone(),
        };
        self.new_epoch(thread);
        point
    }

    /// The current operation as later ones are compared with it.
    pub fn stand(&mut self, thread: ThreadId) -> Stand {
        let chain = self.take_chain(thread);
        let here = &self.threads[thread.index()].here;
        Stand {
            class: here.class,
            chain,
            moment: Moment::of(self.now),
            run: here.task.clone(),
        }
    }

    /// Remembers, or forgets, that an access on this chain may be compared with later ones.
    pub fn remember_access(&mut self, stand: &Stand) {
        self.chains.remember_access(stand.class, stand.chain);
    }

    pub fn forget_access(&mut self, stand: &Stand) {
        self.chains.forget_access(stand.class, stand.chain);
    }

    pub(super) fn leave_stretch(&mut self, thread: ThreadId, next: Stretch) {
        let old = std::mem::replace(&mut self.threads[thread.index()].here, next);
        if let Some(chain) = old.chain {
            self.chains.close(old.class, chain);
        }
        self.new_epoch(thread);
    }

    fn thread_begin(&mut self, thread: ThreadId) {
        self.leave_stretch(
            thread,
            Stretch::new(Rc::default(), Class::Threads, self.now),
        );
        let forked = self.threads[thread.index()].forked.take();
        self.learn_all(thread, Rule::Fork, forked);
    }

    fn thread_end(&mut self, thread: ThreadId) {
        if let Some(&queue) = self.queue_of.get(&thread) {
            let past = self.past_of(queue);
            self.learn_all(thread, Rule::LoopEnd, [past]);
        }
        let point = self.publish(thread);
        // Logs may have operations of a thread after its end; they follow what it did.
        let mut known = Knowledge::default();
        known.learn(Class::Threads, &point);
        self.threads[thread.index()].ended = Some(point);
        let next = Stretch::new(Rc::new(known), Class::Threads, self.now);
        self.leave_stretch(thread, next);
    }

    /// What all tasks of a queue knew at their ends. The last of each chain that ended stands for those before it.
    fn past_of(&mut self, queue: u32) -> Point {
        let class = Class::Queue(queue);
        let mut known = std::mem::take(&mut self.queues[queue as usize].past);
        let of_queue = self.tasks.values().filter(|task| task.queue == queue);
        let mut last: IdMap<Chain, (Moment, &Point)> = IdMap::default();
        for (run, end) in of_queue.filter_map(Task::ended) {
            let entry = last.entry(run.chain).or_insert((run.start, end));
            if entry.0 < run.start {
                *entry = (run.start, end);
            }
        }
        for (_, end) in last.values() {
            known.learn(class, end);
        }
        Point {
            known: Rc::new(known),
            class,
            stand: None,
            task: None,
        }
    }

    fn acquire(&mut self, thread: ThreadId, lock: LockId) {
        let held = &mut self.threads[thread.index()].held;
        if let Some((_, depth)) = held.iter_mut().find(|(other, _)| *other == lock) {
            *depth += 1;
            return;
        }
        held.push((lock, 1));
        let found = found(self.locks.get(&lock), self.class_of(thread));
        self.learn_all(thread, Rule::Lock, found);
    }

    fn release(&mut self, thread: ThreadId, lock: LockId) {
        let held = &mut self.threads[thread.index()].held;
        let index = held.iter().position(|(other, _)| *other == lock);
        if let Some(index) = index {
            held[index].1 -= 1;
            if held[index].1 > 0 {
                return;
            }
            held.remove(index);
        }
        let point = self.publish(thread);
        let channel = self.locks.entry(lock).or_default();
        // A release without its acquire, as at the beginning of a partial trace, has not found what was left here.
        if index.is_some() && self.rules.has(Rule::Lock) {
            channel.replace(point)
        } else {
            channel.add(point)
        }
    }

    fn begin_loop(&mut self, thread: ThreadId) {
        self.queue_of(thread);
        let looped = self.publish(thread);
        self.threads[thread.index()].looped = Some(looped);
        self.between_tasks(thread);
    }

    /// A thread with a queue is between two tasks: of what it did before, only the beginning of the loop is certain.
    pub(super) fn between_tasks(&mut self, thread: ThreadId) {
        let mut known = Knowledge::default();
        if let Some(looped) = &self.threads[thread.index()].looped
            && self.rules.has(Rule::Loop)
        {
            known.learn(Class::Threads, looped);
        }
        self.detach(thread, Rc::new(known));
    }

    fn detach(&mut self, thread: ThreadId, known: Rc<Knowledge>) {
        let next = Stretch {
            detached: true,
            ..Stretch::new(known, Class::Threads, self.now)
        };
        self.leave_stretch(thread, next);
    }
}

fn found(channel: Option<&Channel>, me: Class) -> Vec<Point> {
    channel
        .map(|channel| channel.found(me).collect())
        .unwrap_or_default()
}

/// Whether all that `point` tells is known here already, in the way in which it would be learnt.
fn is_redundant(here: &Stretch, point: &Point) -> bool {
    let Some((chain, moment)) = point.stand else {
        return false;
    };
    let Class::Queue(queue) = point.class else {
        return here.known.threads.get(chain) >= moment;
    };
    let Some(known) = here.known.queues.get(queue as usize) else {
        return false;
    };
    match here.class {
        Class::Threads => known.any.get(chain) >= moment,
        Class::Queue(own) if own == queue => known.near.get(chain) >= moment,
        Class::Queue(_) => known.free.get(chain) >= moment,
    }
}
