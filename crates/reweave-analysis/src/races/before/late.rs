//! Orders of the environment, which become known when a task is running but end at its post.
//!
//! In a kept log they are noted and applied in the next pass, when that post comes again; passes end when nothing
//! changes. In a single pass there is no next time: the running task learns at once what its post should have known.
//! That is all there is to it if the post came from outside and the task has done nothing yet that others could learn
//! from, as is the case when the environment's own operations come first in its tasks. Otherwise the order is counted
//! as late.

use super::begin::Beginning;
use super::clock::Moment;
use super::knowledge::{Class, Point};
use super::task::Trigger;
use super::{Before, Keep};
use crate::races::environment::{Cause, EnvironmentOp, Order, Source, Stamp, Target};
use crate::races::event::{EventIndex, TaskId, ThreadId};
use crate::races::hash::IdMap;
use crate::races::rules::Rule;
use std::cell::RefCell;
use std::rc::Rc;

/// Passes after which we stop although something still changes. Real logs need three to five.
const MOST_PASSES: u32 = 64;

/// An operation of the environment as its automata remember it. It is filled in once all that the operation itself
/// learns is known.
pub type Mark = Rc<RefCell<Point>>;

type Sources = Vec<(Rule, Source<Mark>)>;

#[derive(Debug, Default)]
struct Found {
    posts: IdMap<TaskId, Sources>,
    begins: IdMap<TaskId, Sources>,
    events: IdMap<EventIndex, Sources>,
}

impl Found {
    fn is_empty(&self) -> bool {
        self.posts.is_empty() && self.begins.is_empty() && self.events.is_empty()
    }
}

/// Orders that an earlier pass found, and those that this one finds.
#[derive(Debug, Default)]
pub struct Late {
    pass: u32,
    applied: Found,
    found: Found,
    /// When each thread began to run its queue, from whichever pass saw it last.
    loops: IdMap<ThreadId, Point>,
    /// A task should have run after one that had not ended: its end will be known in the next pass.
    contradicted: bool,
}

/// What orders say about a post beyond what it learns.
#[derive(Debug, Default)]
pub struct LatePost {
    pub directly_after: Vec<TaskId>,
    pub posted_after: Vec<TaskId>,
}

impl Before {
    pub(super) fn is_first_pass(&self) -> bool {
        self.late.pass == 0
    }

    pub(super) fn note_contradiction(&mut self) {
        self.late.contradicted |= self.is_first_pass();
    }

    /// Ends a pass over the log. If this returns true, the log is to be gone through again from its beginning.
    pub fn end_pass(&mut self) -> bool {
        self.work.passes += 1;
        for (index, thread) in self.threads.iter().enumerate() {
            if let Some(looped) = &thread.looped {
                self.late
                    .loops
                    .insert(ThreadId(index as u32), looped.clone());
            }
        }
        let again = if self.is_first_pass() {
            !self.late.found.is_empty() || self.late.contradicted
        } else {
            self.changed || differ(&self.late.applied, &self.late.found)
        };
        if again && self.work.passes >= MOST_PASSES {
            self.work.unfinished = true;
            return false;
        }
        if again {
            self.rewind();
        }
        again
    }

    fn rewind(&mut self) {
        self.late.pass += 1;
        self.late.applied = std::mem::take(&mut self.late.found);
        self.now = EventIndex(0);
        self.threads.clear();
        for queue in &mut self.queues {
            queue.barriers.clear();
            queue.had_barrier = false;
            queue.past = Default::default();
        }
        self.locks.clear();
        self.volatiles.clear();
        self.jobs.clear();
        self.classes.clear();
        self.barriers.clear();
        self.environment = Default::default();
        self.triggers.clear();
        self.adhoc = Default::default();
        self.changed = false;
        self.fired = Default::default();
        self.work.tasks_begun = 0;
    }

    pub(super) fn environment_step(&mut self, thread: ThreadId, op: &EnvironmentOp) {
        let task = self.threads[thread.index()]
            .here
            .task
            .as_ref()
            .map(|run| run.id);
        let posted = task
            .and_then(|task| self.tasks.get(&task))
            .map(|task| task.posted.event);
        let mark = match op {
            // These order nothing, so nobody needs to refer to them.
            EnvironmentOp::NameInstance { .. } | EnvironmentOp::RemoveIdle(_) => Point {
                known: Rc::default(),
                class: Class::Threads,
                stand: None,
                task: None,
            },
            _ => self.publish(thread),
        };
        let mark = Rc::new(RefCell::new(mark));
        let here = Stamp {
            mark: mark.clone(),
            event: self.now,
            thread,
            task,
            posted,
        };
        let mut environment = std::mem::take(&mut self.environment);
        let before =
            |first: &Mark, second: &Mark| self.point_before(&first.borrow(), &second.borrow());
        let orders = environment.step(op, &here, before);
        self.environment = environment;
        for order in orders {
            if self.rules.has(order.rule) {
                self.apply_order(thread, task, order);
            }
        }
        mark.borrow_mut().known = self.threads[thread.index()].here.known.clone();
        self.note_cause(thread, op.cause(), &mark.borrow());
    }

    /// The running task is due to this operation.
    fn note_cause(&mut self, thread: ThreadId, cause: Cause, here: &Point) {
        let Some(run) = &self.threads[thread.index()].here.task else {
            return;
        };
        if cause == Cause::Inherited {
            return;
        }
        let trigger = Rc::new(Trigger {
            event: self.now,
            known: here.known.clone(),
            class: here.class,
            stand: here.stand,
        });
        let mut ancestry = run.ancestry.borrow_mut();
        ancestry.trigger = Some((trigger.clone(), None));
        if cause == Cause::Event {
            ancestry.cross_post = None;
        }
        drop(ancestry);
        // It is compared with others as long as somebody remembers it.
        if let Some((chain, _)) = trigger.stand {
            self.chains.remember_access(trigger.class, chain);
        }
        self.triggers.push(trigger);
    }

    fn apply_order(&mut self, thread: ThreadId, running: Option<TaskId>, order: Order<Mark>) {
        if let Source::PostOf(task) = order.from {
            self.make_post_known(task);
        }
        let Order { rule, from, to } = order;
        // A task that should have ended but runs on another thread: only the next pass will know its end.
        if let Source::EndOf(task) = from
            && self.keep == Keep::Live
            && self.tasks.get(&task).is_some_and(|task| task.end.is_none())
        {
            self.work.late_orders += 1;
            return;
        }
        match (self.keep, to) {
            (_, Target::Event(event)) if event == self.now => {
                if let Some(point) = self.resolve(&from) {
                    self.fired.count(rule);
                    self.learn(thread, &point);
                }
            }
            (Keep::All, Target::Event(event)) => self
                .late
                .found
                .events
                .entry(event)
                .or_default()
                .push((rule, from)),
            (Keep::All, Target::PostOf(task)) => self
                .late
                .found
                .posts
                .entry(task)
                .or_default()
                .push((rule, from)),
            (Keep::All, Target::BeginOf(task)) => self
                .late
                .found
                .begins
                .entry(task)
                .or_default()
                .push((rule, from)),
            (Keep::Live, Target::PostOf(task)) if running == Some(task) => {
                self.learn_post_now(thread, task, rule, &from);
            }
            (Keep::Live, Target::BeginOf(task)) if running == Some(task) => {
                self.learn_begin_now(thread, task, rule, &from);
            }
            (Keep::Live, _) => self.work.late_orders += 1,
        }
    }

    fn resolve(&self, source: &Source<Mark>) -> Option<Point> {
        match source {
            Source::Mark(mark) => Some(mark.borrow().clone()),
            Source::PostOf(task) => self.tasks.get(task).map(|task| task.post.clone()),
            Source::EndOf(task) => self.tasks.get(task)?.end.clone(),
            Source::LoopOf(thread) => {
                let now = self
                    .threads
                    .get(thread.index())
                    .and_then(|thread| thread.looped.as_ref());
                now.or_else(|| self.late.loops.get(thread)).cloned()
            }
        }
    }

    /// Makes it possible to refer to a loose post.
    fn make_post_known(&mut self, id: TaskId) {
        let Some(task) = self.tasks.get(&id) else {
            return;
        };
        if task.post.stand.is_some() {
            return;
        }
        let chain = self.chains.open(Class::Threads);
        // The chain may have been in use when the post was made, but nobody knew of the post until now.
        self.place_post(id, Class::Threads, chain, Moment::of(self.now));
        self.chains.close(Class::Threads, chain);
    }

    /// The current operation, a post of `task`, learns what an earlier pass found out about it.
    pub(super) fn learn_late_post(&mut self, thread: ThreadId, task: TaskId) -> LatePost {
        let mut post = LatePost::default();
        let Some(sources) = self.late.applied.posts.get(&task).cloned() else {
            return post;
        };
        for (rule, source) in sources {
            let Some(point) = self.resolve(&source) else {
                continue;
            };
            self.note_post_order(&mut post, &source, &point);
            self.fired.count(rule);
            self.learn(thread, &point);
        }
        post
    }

    fn note_post_order(&self, post: &mut LatePost, source: &Source<Mark>, point: &Point) {
        if let Some(run) = &point.task {
            post.directly_after.push(run.id);
        }
        if let Source::PostOf(before) = source {
            post.posted_after.push(*before);
        }
    }

    pub(super) fn learn_late_event(&mut self, thread: ThreadId) {
        let Some(sources) = self.late.applied.events.get(&self.now).cloned() else {
            return;
        };
        for (rule, source) in sources {
            if let Some(point) = self.resolve(&source) {
                self.fired.count(rule);
                self.learn(thread, &point);
            }
        }
    }

    pub(super) fn admit_late_begin(&self, new: &mut Beginning) {
        let Some(sources) = self.late.applied.begins.get(&new.id) else {
            return;
        };
        for (rule, source) in sources {
            self.admit_begin_order(new, *rule, source);
        }
    }

    fn admit_begin_order(&self, new: &mut Beginning, rule: Rule, source: &Source<Mark>) {
        match source {
            Source::EndOf(task)
                if self
                    .tasks
                    .get(task)
                    .is_some_and(|task| task.queue == new.queue) =>
            {
                new.admit(self, rule, *task);
            }
            _ => {
                if let Some(point) = self.resolve(source) {
                    new.learn(rule, &point);
                }
            }
        }
    }

    /// The running task learns what its post should have known.
    fn learn_post_now(&mut self, thread: ThreadId, id: TaskId, rule: Rule, source: &Source<Mark>) {
        let (Some(point), Some(task)) = (self.resolve(source), self.tasks.get(&id)) else {
            return;
        };
        self.fired.count(rule);
        let mut post = task.post.clone();
        let mut late = LatePost::default();
        self.note_post_order(&mut late, source, &point);
        Rc::make_mut(&mut post.known).learn(post.class, &point);
        // Whoever follows the post has missed it; nobody follows a loose one.
        let is_followed = !task.from_outside || task.post.stand.is_some();
        if is_followed || self.threads[thread.index()].here.published_before(self.now) {
            self.work.late_orders += 1;
        }
        if let Some(task) = self.tasks.get_mut(&id) {
            task.post = post;
            task.directly_after.extend(late.directly_after);
            task.posted_after.extend(late.posted_after);
        }
        let Some(task) = self.tasks.get(&id) else {
            return;
        };
        let mut new = self.continued_beginning(thread, task.queue, id);
        if self.rules.has(Rule::Post) && task.post.class != Class::Queue(task.queue) {
            new.known.learn(Class::Queue(task.queue), &task.post);
        }
        self.admit_predecessors(&mut new, task, &task.post);
        self.apply_continued(thread, new);
    }

    fn learn_begin_now(&mut self, thread: ThreadId, id: TaskId, rule: Rule, source: &Source<Mark>) {
        let Some(queue) = self.tasks.get(&id).map(|task| task.queue) else {
            return;
        };
        if self.threads[thread.index()].here.published_before(self.now) {
            self.work.late_orders += 1;
        }
        let mut new = self.continued_beginning(thread, queue, id);
        self.admit_begin_order(&mut new, rule, source);
        self.apply_continued(thread, new);
    }

    fn continued_beginning(&self, thread: ThreadId, queue: u32, id: TaskId) -> Beginning {
        let mut new = Beginning::new(queue, id);
        if let Some(run) = &self.threads[thread.index()].here.task {
            new.begin = run.begin.borrow().clone();
            new.before = run.before.borrow().clone();
        }
        new
    }

    fn apply_continued(&mut self, thread: ThreadId, new: Beginning) {
        if let Some(run) = self.threads[thread.index()].here.task.clone() {
            self.apply_beginning(thread, &run, new);
        }
    }
}

/// Whether a pass found other orders than it applied, or the same from operations that know other things.
fn differ(applied: &Found, found: &Found) -> bool {
    differ_by_key(&applied.posts, &found.posts)
        || differ_by_key(&applied.begins, &found.begins)
        || differ_by_key(&applied.events, &found.events)
}

fn differ_by_key<K: std::hash::Hash + Eq>(
    applied: &IdMap<K, Sources>,
    found: &IdMap<K, Sources>,
) -> bool {
    applied.len() != found.len()
        || found.iter().any(|(key, found)| {
            applied.get(key).is_none_or(|applied| {
                applied.len() != found.len()
                    || applied
                        .iter()
                        .zip(found)
                        .any(|(old, new)| match (&old.1, &new.1) {
                            (Source::Mark(old), Source::Mark(new)) => {
                                let (old, new) = (old.borrow(), new.borrow());
                                old.stand != new.stand || old.known != new.known
                            }
                            _ => false,
                        })
            })
        })
}
