//! Forgets old tasks and gives their chains to new ones, so that memory follows live tasks and locations.
//!
//! An ended task is kept for tasks to come that will be found to begin after it: because what posts them sees its post,
//! or a part of it. Whether such a task will still come cannot be told cheaply, so the last `WINDOW` ended tasks are
//! kept, and of the older ones those that are sure to be asked for: what pending posts came from, what the environment
//! remembers, and the last post of each kind from each thread to each queue.
//!
//! A forgotten task still comes before the tasks that saw a part of it; what is lost is what it learnt after that part,
//! and its place among tasks that only saw its post. Orders can be missed that way, so that a race is reported too many;
//! none is invented. `Work::tasks_forgotten` says how many tasks it concerns.
//!
//! A remembered access keeps the chain of its task. Tasks that follow each other share a chain, so it takes very many
//! unrelated tasks for that to matter; when more than `CROWD` chains of a queue are kept for nothing else, the accesses
//! on the oldest are forgotten too (`Findings::forgotten`), and races with them are missed.

use super::clock::{Chain, Moment};
use super::knowledge::{Class, Point};
use super::{Before, Keep};
use crate::races::event::TaskId;
use std::collections::{HashSet, VecDeque};

/// Ended tasks that are kept.
const WINDOW: usize = 1024;

/// Chains of a queue that are kept for nothing but accesses on them.
const CROWD: usize = 512;

/// Which tasks have ended, oldest first, and how many of them are kept.
#[derive(Debug)]
pub struct Ended {
    tasks: VecDeque<TaskId>,
    window: usize,
    /// Ended tasks at which it is time to forget some.
    due: usize,
}

impl Default for Ended {
    fn default() -> Ended {
        Ended {
            tasks: VecDeque::new(),
            window: WINDOW,
            due: 2 * WINDOW,
        }
    }
}

impl Before {
    /// Keeps only so many ended tasks.
    pub fn keep_ended(&mut self, window: usize) {
        self.ended = Ended {
            tasks: VecDeque::new(),
            window,
            due: 2 * window,
        };
    }

    pub(super) fn note_ended_task(&mut self, task: TaskId) {
        if self.keep == Keep::Live {
            self.ended.tasks.push_back(task);
        }
    }

    pub(super) fn collect_if_due(&mut self) {
        if self.ended.tasks.len() > self.ended.due {
            self.collect();
        }
    }

    /// Chains whose remembered accesses should be forgotten, once.
    pub fn take_crowded(&mut self) -> Option<HashSet<(Class, Chain)>> {
        self.crowded.take()
    }

    fn collect(&mut self) {
        let wanted = self.wanted_tasks();
        let excess = self.ended.tasks.len() - self.ended.window;
        let (mut forgotten, mut held) = (HashSet::new(), VecDeque::new());
        for task in self.ended.tasks.drain(..excess) {
            if wanted.contains(&task) {
                held.push_back(task);
            } else {
                forgotten.insert(task);
            }
        }
        held.append(&mut self.ended.tasks);
        self.ended.due = held.len() + self.ended.window;
        self.ended.tasks = held;
        self.forget_tasks(&forgotten);
        self.forget_triggers();
        let pinned = self.standing_chains();
        self.chains.reclaim(&pinned, Moment::of(self.now));
        self.crowded = Some(self.chains.crowded(CROWD)).filter(|crowded| !crowded.is_empty());
    }

    /// Old tasks that are sure to be asked for.
    fn wanted_tasks(&self) -> HashSet<TaskId> {
        let mut wanted: HashSet<TaskId> = self.environment.tasks().into_iter().collect();
        let mut oldest_pending = vec![u32::MAX; self.queues.len()];
        for task in self.tasks.values().filter(|task| task.run.is_none()) {
            wanted.extend(task.post.task.as_ref().map(|run| run.id));
            let oldest = &mut oldest_pending[task.queue as usize];
            *oldest = (*oldest).min(task.posted.event.0);
        }
        for (queue, oldest) in self.queues.iter().zip(oldest_pending) {
            // A task at the front goes before pending ones that were posted earlier.
            let posted_later = |id: &TaskId| {
                self.tasks
                    .get(id)
                    .is_some_and(|task| task.posted.event.0 > oldest)
            };
            wanted.extend(queue.fronts.iter().copied().filter(posted_later));
            queue.each_row(|class, chain, row| {
                if self.chains.is_open(class, chain) {
                    let ended =
                        |id: &TaskId| self.tasks.get(id).is_some_and(|task| task.end.is_some());
                    wanted.extend(row.up_to(Moment(u32::MAX)).find(ended));
                }
            });
        }
        wanted
    }

    fn forget_tasks(&mut self, forgotten: &HashSet<TaskId>) {
        self.work.tasks_forgotten += forgotten.len() as u64;
        for id in forgotten {
            let Some(task) = self.tasks.remove(id) else {
                continue;
            };
            if let Some((chain, _)) = task.post.stand {
                self.chains.forget_post(task.post.class, chain);
            }
            if let Some((run, end)) = task.ended()
                && self.chains.ends_with(end.class, run.chain, run.id)
            {
                self.queues[task.queue as usize].past.learn(end.class, end);
            }
        }
        self.chains.keep_tasks(|id| !forgotten.contains(&id));
        for queue in &mut self.queues {
            queue.keep_posts(|id| !forgotten.contains(&id));
            let excess = queue.barriers.len().saturating_sub(self.ended.window);
            queue.barriers.drain(..excess);
        }
    }

    /// Triggers that no task or access remembers are compared no more.
    fn forget_triggers(&mut self) {
        let chains = &mut self.chains;
        self.triggers.retain(|trigger| {
            let keep = std::rc::Rc::strong_count(trigger) > 1;
            if !keep && let Some((chain, _)) = trigger.stand {
                chains.forget_access(trigger.class, chain);
            }
            keep
        });
    }

    /// Chains on which something stands that others will learn from, or that is asked about by name: there a later
    /// moment must go on meaning a later operation of the same row.
    fn standing_chains(&self) -> HashSet<(Class, Chain)> {
        let mut standing = HashSet::new();
        let mut note = |point: &Point| {
            if let Some((chain, _)) = point.stand {
                standing.insert((point.class, chain));
            }
        };
        for thread in &self.threads {
            let points = [
                &thread.forked,
                &thread.ended,
                &thread.notified,
                &thread.looped,
            ];
            points.into_iter().flatten().for_each(&mut note);
            thread.permit.points().for_each(|point| note(&point));
        }
        let channels = self
            .locks
            .values()
            .chain(self.volatiles.values())
            .chain(self.classes.values());
        channels
            .flat_map(|channel| channel.points())
            .for_each(|point| note(&point));
        self.jobs.values().for_each(&mut note);
        for barrier in self.queues.iter().flat_map(|queue| &queue.barriers) {
            note(&barrier.posted);
            barrier.removed.iter().for_each(&mut note);
        }
        for stamp in self.environment.remembered() {
            note(&stamp.mark.borrow());
        }
        self.awaited_writes().for_each(&mut note);
        standing
    }
}
