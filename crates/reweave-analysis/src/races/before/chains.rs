//! Chains: which are in use, by whom, and which can be used again.
//!
//! A chain that nothing refers to any more is given to the next operation that needs one. Its moments only grow, so
//! clocks that still know its past are not misled: they know nothing of what comes on it now.

use super::clock::{Chain, Clock, Moment};
use super::knowledge::Class;
use crate::races::event::TaskId;
use std::collections::HashSet;

/// One chain.
#[derive(Debug, Default)]
struct Row {
    /// Tasks that began on it, with their first moments, oldest first.
    runs: Vec<(Moment, TaskId)>,
    /// The last task that began on it, forgotten or not, and when.
    last: Option<TaskId>,
    latest: Moment,
    /// Accesses that are remembered on it.
    accesses: u32,
    /// Tasks whose posts stand on it, kept for those that come behind them.
    posts: u32,
    /// A thread or task goes on with it.
    open: bool,
    idle: bool,
    /// When it became idle: nobody knows a later moment of it.
    idle_since: Moment,
}

impl Row {
    fn is_unused(&self) -> bool {
        self.runs.is_empty() && self.accesses == 0 && self.posts == 0 && !self.open
    }
}

#[derive(Debug, Default)]
struct Rows {
    rows: Vec<Row>,
    idle: Vec<Chain>,
}

impl Rows {
    /// Opens this idle chain, or a new one.
    fn open(&mut self, idle: Option<Chain>) -> Chain {
        let chain = idle.unwrap_or_else(|| {
            self.rows.push(Row::default());
            Chain(self.rows.len() as u32 - 1)
        });
        let row = &mut self.rows[chain.0 as usize];
        (row.open, row.idle) = (true, false);
        chain
    }

    fn reclaim(&mut self, class: Class, pinned: &HashSet<(Class, Chain)>, now: Moment) {
        for (index, row) in self.rows.iter_mut().enumerate() {
            let chain = Chain(index as u32);
            if !row.idle && row.is_unused() && !pinned.contains(&(class, chain)) {
                row.idle = true;
                row.idle_since = now;
                self.idle.push(chain);
            }
        }
        // Chains that are used at the same time should have numbers close to each other: clocks share what does not
        // change by ranges of numbers. So the emptiest ranges are used up first, one after the other.
        let mut idle_in_range = vec![0u32; self.rows.len() / Clock::RANGE + 1];
        for chain in &self.idle {
            idle_in_range[chain.0 as usize / Clock::RANGE] += 1;
        }
        self.idle.sort_unstable_by_key(|chain| {
            let range = chain.0 as usize / Clock::RANGE;
            (idle_in_range[range], range, chain.0)
        });
    }
}

#[derive(Debug, Default)]
pub struct Chains {
    threads: Rows,
    queues: Vec<Rows>,
}

impl Chains {
    fn rows(&self, class: Class) -> Option<&Rows> {
        match class {
            Class::Threads => Some(&self.threads),
            Class::Queue(queue) => self.queues.get(queue as usize),
        }
    }

    fn rows_mut(&mut self, class: Class) -> &mut Rows {
        match class {
            Class::Threads => &mut self.threads,
            Class::Queue(queue) => {
                let index = queue as usize;
                if self.queues.len() <= index {
                    self.queues.resize_with(index + 1, Rows::default);
                }
                &mut self.queues[index]
            }
        }
    }

    fn row(&self, class: Class, chain: Chain) -> Option<&Row> {
        self.rows(class)?.rows.get(chain.0 as usize)
    }

    fn row_mut(&mut self, class: Class, chain: Chain) -> Option<&mut Row> {
        self.rows_mut(class).rows.get_mut(chain.0 as usize)
    }

    /// An unused chain, now open.
    pub fn open(&mut self, class: Class) -> Chain {
        let idle = self.rows_mut(class).idle.pop();
        self.rows_mut(class).open(idle)
    }

    /// A chain that was unused at `moment` already, now open.
    pub fn open_since(&mut self, class: Class, moment: Moment) -> Chain {
        let rows = self.rows_mut(class);
        let is_old = |chain: &Chain| rows.rows[chain.0 as usize].idle_since < moment;
        let idle = rows.idle.iter().rposition(is_old);
        let idle = idle.map(|index| rows.idle.remove(index));
        rows.open(idle)
    }

    /// The thread or task on it is over.
    pub fn close(&mut self, class: Class, chain: Chain) {
        if let Some(row) = self.row_mut(class, chain) {
            row.open = false;
        }
    }

    pub fn begin_task(&mut self, class: Class, chain: Chain, start: Moment, task: TaskId) {
        if let Some(row) = self.row_mut(class, chain) {
            row.open = true;
            row.runs.push((start, task));
            row.last = Some(task);
            row.latest = start;
        }
    }

    /// Whether `task` is the last on the chain, so that one that follows it may go on there.
    pub fn ends_with(&self, class: Class, chain: Chain, task: TaskId) -> bool {
        self.row(class, chain)
            .is_some_and(|row| row.last == Some(task))
    }

    /// The tasks that had begun on the chain by `moment`, latest first.
    pub fn tasks_by(
        &self,
        class: Class,
        chain: Chain,
        moment: Moment,
    ) -> impl Iterator<Item = TaskId> + '_ {
        let runs = self.row(class, chain).map_or(&[][..], |row| &row.runs);
        let known = runs.partition_point(|(start, _)| *start <= moment);
        runs[..known].iter().rev().map(|(_, task)| *task)
    }

    /// Forgets tasks, except those that `keep` names.
    pub fn keep_tasks(&mut self, mut keep: impl FnMut(TaskId) -> bool) {
        for row in self.queues.iter_mut().flat_map(|rows| &mut rows.rows) {
            row.runs.retain(|(_, task)| keep(*task));
        }
    }

    pub fn remember_access(&mut self, class: Class, chain: Chain) {
        if let Some(row) = self.row_mut(class, chain) {
            row.accesses += 1;
        }
    }

    pub fn forget_access(&mut self, class: Class, chain: Chain) {
        if let Some(row) = self.row_mut(class, chain) {
            row.accesses -= 1;
        }
    }

    pub fn remember_post(&mut self, class: Class, chain: Chain) {
        if let Some(row) = self.row_mut(class, chain) {
            row.posts += 1;
        }
    }

    pub fn forget_post(&mut self, class: Class, chain: Chain) {
        if let Some(row) = self.row_mut(class, chain) {
            row.posts -= 1;
        }
    }

    /// Whether a thread or task goes on with it.
    pub fn is_open(&self, class: Class, chain: Chain) -> bool {
        self.row(class, chain).is_some_and(|row| row.open)
    }

    /// Makes every unused chain available again, except those in `pinned`.
    pub fn reclaim(&mut self, pinned: &HashSet<(Class, Chain)>, now: Moment) {
        self.threads.reclaim(Class::Threads, pinned, now);
        for (queue, rows) in self.queues.iter_mut().enumerate() {
            rows.reclaim(Class::Queue(queue as u32), pinned, now);
        }
    }

    /// Of the chains of a queue that only remembered accesses keep from being used again, the oldest: all but `most`.
    pub fn crowded(&self, most: usize) -> HashSet<(Class, Chain)> {
        let mut crowded = HashSet::new();
        for (queue, rows) in self.queues.iter().enumerate() {
            let held = rows.rows.iter().enumerate();
            let mut held: Vec<(Moment, u32)> = held
                .filter(|(_, row)| row.accesses > 0 && row.runs.is_empty() && !row.open)
                .map(|(index, row)| (row.latest, index as u32))
                .collect();
            held.sort_unstable();
            held.truncate(held.len().saturating_sub(most));
            let class = Class::Queue(queue as u32);
            crowded.extend(held.into_iter().map(|(_, chain)| (class, Chain(chain))));
        }
        crowded
    }

    /// Chains that exist, used or not.
    pub fn count(&self) -> usize {
        self.threads.rows.len()
            + self
                .queues
                .iter()
                .map(|rows| rows.rows.len())
                .sum::<usize>()
    }
}
