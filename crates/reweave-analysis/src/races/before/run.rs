//! Tasks as they are posted, begin and end.

use super::begin::Beginning;
use super::clock::{Chain, Moment};
use super::knowledge::{Class, Point};
use super::late::LatePost;
use super::queue::Manner;
use super::step::Nonsense;
use super::task::{Ancestry, Posted, Task, TaskRun};
use super::thread::Stretch;
use super::{Before, Keep};
use crate::races::event::{Place, Post, Site, TaskId, ThreadId};
use crate::races::rules::Rule;
use std::cell::RefCell;
use std::rc::Rc;

impl Before {
    pub(super) fn post(
        &mut self,
        thread: ThreadId,
        spec: Post,
        site: Site,
    ) -> Result<(), Nonsense> {
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
        late: LatePost,
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
    pub(super) fn place_post(&mut self, id: TaskId, class: Class, chain: Chain, moment: Moment) {
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

    pub(super) fn unpost(&mut self, id: TaskId) {
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

    pub(super) fn task_begin(&mut self, thread: ThreadId, id: TaskId) -> Result<(), Nonsense> {
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

    pub(super) fn task_end(&mut self, thread: ThreadId, id: TaskId) -> Result<(), Nonsense> {
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
