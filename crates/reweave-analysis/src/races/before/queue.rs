//! A queue and what was posted to it, arranged so that the tasks that must go before another are found quickly.

use super::clock::{Chain, Moment};
use super::knowledge::{Class, Knowledge, Point};
use crate::races::event::{BarrierId, Passage, Place, Post, TaskId};
use crate::races::hash::IdMap;
use crate::races::rules::{Rule, RuleSet};

/// How a task was posted, as far as it decides who goes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Manner {
    pub delay: u32,
    pub place: Place,
    pub passage: Passage,
}

impl Manner {
    pub fn of(post: &Post) -> Manner {
        Manner {
            delay: post.delay,
            place: post.place,
            passage: post.passage,
        }
    }
}

/// Posts from one chain in one manner, oldest first.
#[derive(Debug)]
pub struct Row {
    pub manner: Manner,
    pub posts: Vec<(Moment, TaskId)>,
}

impl Row {
    /// Posts up to `limit`, latest first.
    pub fn up_to(&self, limit: Moment) -> impl Iterator<Item = TaskId> + '_ {
        let known = self.posts.partition_point(|(moment, _)| *moment <= limit);
        self.posts[..known].iter().rev().map(|(_, task)| *task)
    }
}

/// A barrier that holds synchronous tasks back.
#[derive(Debug)]
pub struct Barrier {
    pub id: BarrierId,
    pub posted: Point,
    pub removed: Option<Point>,
}

#[derive(Debug)]
pub struct Queue {
    posters: IdMap<(Class, Chain), Vec<Row>>,
    /// Tasks posted to the front.
    pub fronts: Vec<TaskId>,
    pub barriers: Vec<Barrier>,
    /// Whether a barrier was ever posted here.
    pub had_barrier: bool,
    /// Tasks that have begun, by number; kept only if the order of tasks is not taken to be transitive.
    pub begun: Vec<TaskId>,
    pub next_number: u32,
    /// What forgotten tasks knew at their ends, for the end of the thread.
    pub past: Knowledge,
}

impl Queue {
    pub fn new() -> Queue {
        Queue {
            posters: IdMap::default(),
            fronts: Vec::new(),
            barriers: Vec::new(),
            had_barrier: false,
            begun: Vec::new(),
            next_number: 0,
            past: Knowledge::default(),
        }
    }

    /// Enters a post that stands at `moment` of `chain`; entering it twice changes nothing.
    pub fn enter(
        &mut self,
        class: Class,
        chain: Chain,
        moment: Moment,
        manner: Manner,
        task: TaskId,
    ) {
        let rows = self.posters.entry((class, chain)).or_default();
        let index = match rows.iter().position(|row| row.manner == manner) {
            Some(index) => index,
            None => {
                rows.push(Row {
                    manner,
                    posts: Vec::new(),
                });
                rows.len() - 1
            }
        };
        let posts = &mut rows[index].posts;
        let place = posts.partition_point(|(other, _)| *other < moment);
        if posts.get(place) != Some(&(moment, task)) {
            posts.insert(place, (moment, task));
        }
    }

    pub fn leave(&mut self, class: Class, chain: Chain, task: TaskId) {
        let Some(rows) = self.posters.get_mut(&(class, chain)) else {
            return;
        };
        for row in rows.iter_mut() {
            row.posts.retain(|(_, other)| *other != task);
        }
        rows.retain(|row| !row.posts.is_empty());
        if rows.is_empty() {
            self.posters.remove(&(class, chain));
        }
    }

    /// Forgets posts, except those of tasks that `keep` names.
    pub fn keep_posts(&mut self, mut keep: impl FnMut(TaskId) -> bool) {
        self.posters.retain(|_, rows| {
            for row in rows.iter_mut() {
                row.posts.retain(|(_, task)| keep(*task));
            }
            rows.retain(|row| !row.posts.is_empty());
            !rows.is_empty()
        });
        self.fronts.retain(|task| keep(*task));
    }

    /// Calls `visit` for all posts, by chain and manner.
    pub fn each_row(&self, mut visit: impl FnMut(Class, Chain, &Row)) {
        for ((class, chain), rows) in &self.posters {
            rows.iter().for_each(|row| visit(*class, *chain, row));
        }
    }

    /// What was posted from a chain.
    pub fn rows(&self, class: Class, chain: Chain) -> &[Row] {
        self.posters.get(&(class, chain)).map_or(&[], Vec::as_slice)
    }

    /// Whether of two tasks posted here in this order the first must also run first; if not, the limit that says so.
    pub fn runs_first(
        &self,
        rules: RuleSet,
        first: Manner,
        second: Manner,
    ) -> Result<(), Option<Rule>> {
        if second.place == Place::Front {
            return Err(None);
        }
        if first.place == Place::Front {
            return Ok(());
        }
        let may_pass =
            first.passage == Passage::Synchronous && second.passage == Passage::Asynchronous;
        if may_pass && self.had_barrier && rules.has(Rule::Asynchronous) {
            return Err(Some(Rule::Asynchronous));
        }
        let due_first = first.delay == 0 || (second.delay != 0 && first.delay <= second.delay);
        if !due_first && rules.has(Rule::Delay) {
            return Err(Some(Rule::Delay));
        }
        Ok(())
    }
}
