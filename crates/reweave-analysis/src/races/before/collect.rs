//! Forgets what can no longer order anything, so that memory follows live tasks and locations, not the trace.
//!
//! An ended task is kept for tasks to come that will be found to begin after it: because what posts them sees its post,
//! or a part of it. Such a post learns from what is alive now: threads, locks and the like, pending posts, kept tasks.
//! A task can be forgotten if each of those that reaches its post or a part of it knows already all that the end of the
//! task would tell it, not counting what nobody will ask for (chains without remembered accesses, posts or tasks).
//! By then most of it has spread, so what stays is what ended recently and what still has accesses to be compared.
//!
//! The check takes time in proportion to the tasks and to what is alive; it runs when as many tasks have ended as were
//! kept the last time.

use super::clock::{Chain, Moment};
use super::knowledge::{Class, Knowledge, Point};
use super::queue::Row;
use super::task::{Task, Tasks};
use super::{Before, Keep};
use crate::races::event::{Place, TaskId};
use std::collections::HashSet;
use std::rc::Rc;

/// Ended tasks below which it is not worth the trouble.
const FEWEST: usize = 4096;
/// Barriers of a queue that are kept.
const MOST_BARRIERS: usize = 256;

/// When to look for things to forget.
#[derive(Debug)]
pub struct Schedule {
    ended: usize,
    due: usize,
    /// Looks after this many ended tasks in any case.
    every: Option<usize>,
}

impl Default for Schedule {
    fn default() -> Schedule {
        Schedule {
            ended: 0,
            due: FEWEST,
            every: None,
        }
    }
}

/// Something alive that tasks to come may learn from.
struct Root {
    class: Class,
    known: Rc<Knowledge>,
    /// Where it stands itself.
    own: Option<(Class, Chain, Moment)>,
}

impl Root {
    fn of(point: &Point) -> Root {
        let own = point
            .stand
            .map(|(chain, moment)| (point.class, chain, moment));
        Root {
            class: point.class,
            known: point.known.clone(),
            own,
        }
    }

    fn own_moment(&self, class: Class, chain: Chain) -> Moment {
        match self.own {
            Some((own_class, own_chain, moment)) if own_class == class && own_chain == chain => {
                moment
            }
            Some(_) | None => Moment::NEVER,
        }
    }

    /// Up to where whoever learns from this may come to see a chain: by each kind of path.
    fn levels(&self, class: Class, chain: Chain, levels: &mut Vec<Moment>) {
        levels.clear();
        levels.push(self.own_moment(class, chain));
        self.known.levels(self.class, class, chain, levels);
        levels.sort_unstable();
        levels.dedup();
    }

    /// Up to where whoever learns from this is sure to see a chain.
    fn sure(&self, class: Class, chain: Chain) -> Moment {
        self.known
            .passes_on(self.class, class, chain)
            .max(self.own_moment(class, chain))
    }
}

/// The search for what is still needed.
struct Search<'a> {
    tasks: &'a Tasks,
    before: &'a Before,
    needed: HashSet<TaskId>,
    /// Chains with a running or needed task.
    runs: HashSet<(Class, Chain)>,
    /// Needed tasks whose end may tell more than those that need them know: they are to be searched from too.
    news: Vec<Root>,
}

impl Before {
    /// Looks for things to forget after so many ended tasks, however few. For tests.
    pub fn collect_every(&mut self, tasks: usize) {
        self.collector.every = Some(tasks);
        self.collector.due = tasks;
    }

    pub(super) fn note_ended_task(&mut self) {
        self.collector.ended += 1;
    }

    pub(super) fn collect_if_due(&mut self) {
        if self.collector.ended >= self.collector.due {
            self.collect();
        }
    }

    fn collect(&mut self) {
        debug_assert!(self.keep == Keep::Live);
        let roots = self.roots();
        // Where something alive stands, a later moment of the same chain must mean a later operation of the same kind.
        let pinned: HashSet<(Class, Chain)> = roots
            .iter()
            .filter_map(|root| root.own)
            .map(|(class, chain, _)| (class, chain))
            .collect();
        let needed = self.needed_tasks(roots);
        self.forget_tasks(&needed);
        for queue in &mut self.queues {
            let excess = queue.barriers.len().saturating_sub(MOST_BARRIERS);
            queue.barriers.drain(..excess);
        }
        self.forget_triggers();
        self.chains.reclaim(&pinned);
        self.collector.ended = 0;
        self.collector.due = self
            .collector
            .every
            .unwrap_or_else(|| FEWEST.max(needed.len()));
    }

    fn needed_tasks(&self, roots: Vec<Root>) -> HashSet<TaskId> {
        let mut search = Search {
            tasks: &self.tasks,
            before: self,
            needed: HashSet::new(),
            runs: HashSet::new(),
            news: Vec::new(),
        };
        for (id, task) in &self.tasks {
            if task.end.is_none() {
                search.keep(*id, task);
            }
        }
        let pinned = self
            .environment
            .tasks()
            .into_iter()
            .chain(self.needed_fronts());
        for id in pinned {
            if let Some(task) = self.tasks.get(&id) {
                search.keep(id, task);
                search.news.extend(task.end.iter().map(Root::of));
            }
        }
        search.news.extend(roots);
        search.run();
        search.needed
    }

    /// Tasks posted to the front while one is pending that was posted earlier.
    fn needed_fronts(&self) -> Vec<TaskId> {
        let mut oldest_pending = vec![u32::MAX; self.queues.len()];
        for task in self.tasks.values().filter(|task| task.run.is_none()) {
            let oldest = &mut oldest_pending[task.queue as usize];
            *oldest = (*oldest).min(task.posted.event.0);
        }
        let fronts = self.queues.iter().enumerate().flat_map(|(index, queue)| {
            let oldest = oldest_pending[index];
            queue.fronts.iter().copied().filter(move |id| {
                self.tasks
                    .get(id)
                    .is_some_and(|task| task.posted.event.0 > oldest)
            })
        });
        fronts.collect()
    }

    /// All that tasks to come may learn from.
    fn roots(&self) -> Vec<Root> {
        let mut roots = Vec::new();
        let mut seen = HashSet::new();
        let mut add = |root: Root| {
            if seen.insert((Rc::as_ptr(&root.known), root.class, root.own)) {
                roots.push(root);
            }
        };
        for thread in &self.threads {
            let here = &thread.here;
            let own = here
                .chain
                .map(|chain| (here.class, chain, Moment(u32::MAX)));
            add(Root {
                class: here.class,
                known: here.known.clone(),
                own,
            });
            let points = [
                &thread.forked,
                &thread.ended,
                &thread.notified,
                &thread.looped,
            ];
            points
                .into_iter()
                .flatten()
                .for_each(|point| add(Root::of(point)));
            thread
                .permit
                .points()
                .for_each(|point| add(Root::of(&point)));
        }
        let channels = self
            .locks
            .values()
            .chain(self.volatiles.values())
            .chain(self.classes.values());
        channels
            .flat_map(|channel| channel.points())
            .for_each(|point| add(Root::of(&point)));
        self.jobs.values().for_each(|point| add(Root::of(point)));
        for task in self.tasks.values().filter(|task| task.run.is_none()) {
            add(Root::of(&task.post));
        }
        for (index, queue) in self.queues.iter().enumerate() {
            for barrier in &queue.barriers {
                add(Root::of(&barrier.posted));
                barrier
                    .removed
                    .iter()
                    .for_each(|point| add(Root::of(point)));
            }
            let known = Rc::new(queue.past.clone());
            add(Root {
                class: Class::Queue(index as u32),
                known,
                own: None,
            });
        }
        for stamp in self.environment.remembered() {
            add(Root::of(&stamp.mark.borrow()));
        }
        self.awaited_writes().for_each(|point| add(Root::of(point)));
        roots
    }

    fn forget_tasks(&mut self, needed: &HashSet<TaskId>) {
        let chains = &mut self.chains;
        self.tasks.retain(|id, task| {
            let keep = needed.contains(id);
            if !keep && let Some((chain, _)) = task.post.stand {
                chains.forget_post(task.post.class, chain);
            }
            keep
        });
        self.chains.keep_tasks(|id| needed.contains(&id));
        for queue in &mut self.queues {
            queue.keep_posts(|id| needed.contains(&id));
        }
    }

    fn forget_triggers(&mut self) {
        let chains = &mut self.chains;
        self.triggers.retain(|trigger| {
            let keep = Rc::strong_count(trigger) > 1;
            if !keep && let Some((chain, _)) = trigger.stand {
                chains.forget_access(trigger.class, chain);
            }
            keep
        });
    }
}

impl Search<'_> {
    fn keep(&mut self, id: TaskId, task: &Task) {
        if !self.needed.insert(id) {
            return;
        }
        if let Some(run) = &task.run {
            self.runs.insert((Class::Queue(run.queue), run.chain));
        }
    }

    /// Searches from everything alive until nothing more is needed. What is found to be needed makes chains matter that
    /// did not, so it starts again after each find.
    fn run(&mut self) {
        let mut roots = std::mem::take(&mut self.news);
        loop {
            let before = self.needed.len();
            for root in &roots {
                self.search_from(root);
            }
            roots.append(&mut self.news);
            if self.needed.len() == before {
                return;
            }
        }
    }

    fn search_from(&mut self, root: &Root) {
        let mut levels = Vec::new();
        let before = self.before;
        before.chains.each_with_tasks(|class, chain, runs| {
            root.levels(class, chain, &mut levels);
            for &level in &levels {
                let known = runs.partition_point(|(start, _)| *start <= level);
                // The last stands for those before it on the chain.
                if let Some((_, id)) = runs[..known].last() {
                    self.consider(root, *id);
                }
            }
        });
        for queue in &before.queues {
            queue.each_row(|class, chain, row| {
                root.levels(class, chain, &mut levels);
                for &level in &levels {
                    self.consider_row(root, row, level);
                }
            });
        }
    }

    fn consider_row(&mut self, root: &Root, row: &Row, level: Moment) {
        for id in row.up_to(level) {
            // One that has not ended yet cannot stand for those before it.
            let ended = self.tasks.get(&id).is_some_and(|task| task.end.is_some());
            if !ended {
                continue;
            }
            self.consider(root, id);
            if row.manner.place == Place::Back {
                return;
            }
        }
    }

    /// `root` reaches the post or a part of this task.
    fn consider(&mut self, root: &Root, id: TaskId) {
        if self.needed.contains(&id) {
            return;
        }
        let Some(task) = self.tasks.get(&id) else {
            return;
        };
        let Some((run, end)) = task.ended() else {
            return;
        };
        let Some((_, end_moment)) = end.stand else {
            return;
        };
        let class = Class::Queue(run.queue);
        // A task of the same queue that follows it has learnt all there is.
        if root.class == class && root.known.follows(run.queue, run.chain) >= end_moment {
            return;
        }
        let tells_news = !self.makes_redundant(root, &end.known);
        let tells_end = self.matters(class, run.chain) && root.sure(class, run.chain) < end_moment;
        if tells_news || tells_end {
            self.keep(id, task);
            // With its end, what it posted becomes known too.
            if tells_news || self.before.chains.has_posts(class, run.chain) {
                self.news.push(Root::of(end));
            }
        }
    }

    fn makes_redundant(&self, root: &Root, other: &Knowledge) -> bool {
        root.known
            .makes_redundant(root.class, other, |class, chain| {
                !self.matters(class, chain)
                    || root.own.is_some_and(|own| (own.0, own.1) == (class, chain))
            })
    }

    /// Whether anybody may still ask how far a chain is known.
    fn matters(&self, class: Class, chain: Chain) -> bool {
        self.before.chains.has_accesses(class, chain)
            || self.before.chains.has_posts(class, chain)
            || self.runs.contains(&(class, chain))
    }
}
