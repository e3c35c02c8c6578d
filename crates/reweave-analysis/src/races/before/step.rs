//! One operation after the other: what each learns and what it leaves for others.

use super::begin::Beginning;
use super::channel::Channel;
use super::clock::Moment;
use super::knowledge::{Class, Knowledge, Point};
use super::queue::{Barrier, Manner, Queue};
use super::task::{Ancestry, Posted, Task, TaskRun};
use super::thread::{Stretch, Thread};
use super::{Before, Keep, Stand};
use crate::races::event::{
    Event, EventIndex, LocationId, LockId, Op, Place, Post, Site, TaskId, ThreadId,
};
use crate::races::rules::Rule;
use std::cell::RefCell;
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

    fn thread_mut(&mut self, thread: ThreadId) -> Result<&mut Thread, Nonsense> {
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

    fn new_epoch(&mut self, thread: ThreadId) {
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
    fn take_chain(&mut self, thread: ThreadId) -> super::Chain {
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

    fn leave_stretch(&mut self, thread: ThreadId, next: Stretch) {
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

    /// What all tasks of a queue knew at their ends. The last of each chain stands for those before it.
    fn past_of(&mut self, queue: u32) -> Point {
        let class = Class::Queue(queue);
        let mut known = std::mem::take(&mut self.queues[queue as usize].past);
        let of_queue = self.tasks.values().filter(|task| task.queue == queue);
        for (run, end) in of_queue.filter_map(Task::ended) {
            if self.chains.ends_with(class, run.chain, run.id) {
                known.learn(class, end);
            }
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
    fn between_tasks(&mut self, thread: ThreadId) {
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

    fn post(&mut self, thread: ThreadId, spec: Post, site: Site) -> Result<(), Nonsense> {
        self.thread_mut(spec.to)?;
        if self.tasks.contains_key(&spec.task) && self.is_first_pass() {
            return Err(Nonsense::PostedTwice(spec.task));
        }
        let queue = self.queue_of(spec.to);
        let late = self.learn_late_post(thread, spec.task);
        let here = &self.threads[thread.index()].here;
        // A second post of the same stretch comes after the first, so both need a place.
        let is_loose = here.detached && here.chain.is_none() && here.loose_posts.is_empty();
        let post = if is_loose {
            Point {
                known: here.known.clone(),
                class: here.class,
                stand: None,
                task: None,
            }
        } else {
            self.publish(thread)
        };
        let run = self.threads[thread.index()].here.task.clone();
        let mut ancestry = match &run {
            Some(run) => run.ancestry.borrow().handed_on(run),
            None => Ancestry::default(),
        };
        if thread != spec.to {
            ancestry.cross_post = Some(spec.task);
        }
        if spec.delay > 0 {
            ancestry.delayed = Some(spec.task);
        }
        let posted = Posted {
            by: thread,
            within: run.map(|run| run.id),
            event: self.now,
            site,
            delay: spec.delay,
            place: spec.place,
        };
        self.enter_task(spec, queue, posted, post, ancestry, late);
        if is_loose {
            self.threads[thread.index()]
                .here
                .loose_posts
                .push(spec.task);
            if let Some(task) = self.tasks.get_mut(&spec.task) {
                task.from_outside = true;
            }
        }
        Ok(())
    }

    fn enter_task(
        &mut self,
        spec: Post,
        queue: u32,
        posted: Posted,
        mut post: Point,
        ancestry: Ancestry,
        late: super::late::LatePost,
    ) {
        let old = self.tasks.remove(&spec.task);
        let (run, end) = match old {
            Some(old) => {
                self.changed |= old.post.known != post.known;
                // Placed in an earlier pass: it stays there.
                post.stand = post.stand.or(old.post.stand);
                (old.run, old.end)
            }
            None => (None, None),
        };
        let stand = post.stand;
        let class = post.class;
        let task = Task {
            spec,
            queue,
            posted,
            post,
            ancestry,
            from_outside: false,
            directly_after: late.directly_after,
            posted_after: late.posted_after,
            run,
            end,
        };
        self.tasks.insert(spec.task, task);
        self.work.tasks_kept = self.work.tasks_kept.max(self.tasks.len());
        if spec.place == Place::Front {
            let fronts = &mut self.queues[queue as usize].fronts;
            if !fronts.contains(&spec.task) {
                fronts.push(spec.task);
            }
        }
        if let Some((chain, moment)) = stand {
            self.chains.remember_post(class, chain);
            self.queues[queue as usize].enter(class, chain, moment, Manner::of(&spec), spec.task);
        }
    }

    /// Makes it possible to refer to a loose post, from now on.
    pub(super) fn place_post(
        &mut self,
        id: TaskId,
        class: Class,
        chain: super::Chain,
        moment: Moment,
    ) {
        let Some(task) = self.tasks.get_mut(&id) else {
            return;
        };
        if task.post.stand.is_some() {
            return;
        }
        task.post.stand = Some((chain, moment));
        let (queue, manner) = (task.queue, Manner::of(&task.spec));
        self.chains.remember_post(class, chain);
        self.queues[queue as usize].enter(class, chain, moment, manner, id);
    }

    fn unpost(&mut self, id: TaskId) {
        let Some(task) = self.tasks.get(&id) else {
            return;
        };
        if task.run.is_some() {
            return;
        }
        if let Some((chain, _)) = task.post.stand {
            self.chains.forget_post(task.post.class, chain);
            self.queues[task.queue as usize].leave(task.post.class, chain, id);
        }
        self.queues[task.queue as usize]
            .fronts
            .retain(|other| *other != id);
        self.tasks.remove(&id);
    }

    fn task_begin(&mut self, thread: ThreadId, id: TaskId) -> Result<(), Nonsense> {
        let task = self.tasks.get(&id).ok_or(Nonsense::NotPosted(id))?;
        if task.spec.to != thread {
            return Err(Nonsense::OtherThread {
                task: id,
                to: task.spec.to,
                on: thread,
            });
        }
        if task.run.is_some() && self.is_first_pass() {
            return Err(Nonsense::BeginsTwice(id));
        }
        if let Some(outer) = &self.threads[thread.index()].here.task {
            return Err(Nonsense::Nested {
                inner: id,
                outer: outer.id,
            });
        }
        let mut new = Beginning::new(task.queue, id);
        if let Some(looped) = &self.threads[thread.index()].looped
            && self.rules.has(Rule::Loop)
        {
            new.learn(Rule::Loop, looped);
        }
        // A post from the own queue is known through the end of the task that made it.
        if self.rules.has(Rule::Post) && task.post.class != Class::Queue(task.queue) {
            new.learn(Rule::Post, &task.post);
        }
        self.admit_late_begin(&mut new);
        self.admit_predecessors(&mut new, task, &task.post);
        let (posted, ancestry) = (task.posted, task.ancestry.clone());
        let run = match &task.run {
            Some(run) => run.clone(),
            None => self.new_run(thread, &new, posted),
        };
        run.ancestry.replace(ancestry);
        let here = Stretch {
            task: Some(run.clone()),
            chain: Some(run.chain),
            ..Stretch::new(Rc::default(), Class::Queue(run.queue), self.now)
        };
        self.leave_stretch(thread, here);
        self.apply_beginning(thread, &run, new);
        if let Some(task) = self.tasks.get_mut(&id) {
            task.run = Some(run);
        }
        self.work.tasks_begun += 1;
        Ok(())
    }

    fn new_run(&mut self, thread: ThreadId, new: &Beginning, posted: Posted) -> Rc<TaskRun> {
        let class = Class::Queue(new.queue);
        let follows = new.predecessors.iter().find_map(|id| {
            let chain = self.tasks.get(id)?.run.as_ref()?.chain;
            self.chains.ends_with(class, chain, *id).then_some(chain)
        });
        let chain = follows.unwrap_or_else(|| self.chains.open(class));
        let start = Moment::of(self.now);
        self.chains.begin_task(class, chain, start, new.id);
        let queue = &mut self.queues[new.queue as usize];
        let number = queue.next_number;
        queue.next_number += 1;
        if !self.rules.has(Rule::TaskTransitivity) {
            queue.begun.push(new.id);
        }
        Rc::new(TaskRun {
            id: new.id,
            thread,
            queue: new.queue,
            chain,
            start,
            begin: RefCell::default(),
            before: RefCell::default(),
            number,
            ancestry: RefCell::default(),
            posted,
        })
    }

    /// What was found out about the beginning of the running task becomes known to it.
    pub(super) fn apply_beginning(&mut self, thread: ThreadId, run: &Rc<TaskRun>, new: Beginning) {
        self.changed |= run.begin.borrow_mut().join(&new.begin);
        if !self.rules.has(Rule::TaskTransitivity) {
            for id in &new.predecessors {
                let number = self
                    .tasks
                    .get(id)
                    .and_then(|task| task.run.as_ref())
                    .map(|run| run.number);
                self.changed |= number.is_some_and(|number| run.before.borrow_mut().insert(number));
            }
        }
        if new.contradicted {
            self.note_contradiction();
            // Without another pass the order is lost.
            self.work.late_orders += u64::from(self.keep == Keep::Live);
        }
        for rule in &new.fired {
            self.fired.count(*rule);
        }
        let point = Point {
            known: Rc::new(new.known),
            class: Class::Queue(run.queue),
            stand: None,
            task: None,
        };
        let here = &mut self.threads[thread.index()].here;
        Rc::make_mut(&mut here.known).learn(here.class, &point);
        self.new_epoch(thread);
    }

    fn task_end(&mut self, thread: ThreadId, id: TaskId) -> Result<(), Nonsense> {
        let running = self.threads[thread.index()]
            .here
            .task
            .as_ref()
            .map(|run| run.id);
        if running != Some(id) {
            return Err(Nonsense::NotRunning(id));
        }
        let end = self.publish(thread);
        if self.keep == Keep::All
            && let Class::Queue(queue) = end.class
            && let Some(own) = end.known.queues.get(queue as usize)
            && !own.near.covers(&own.any)
        {
            // Something of the own queue was reached that may not be seen.
            self.fired.count(Rule::ConditionalTransitivity);
        }
        if let Some(task) = self.tasks.get_mut(&id) {
            let is_news = |old: &Point| old.known != end.known;
            self.changed |= self.keep == Keep::All && task.end.as_ref().is_none_or(is_news);
            task.end = Some(end);
        }
        self.between_tasks(thread);
        self.note_ended_task(id);
        Ok(())
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
