//! Idle handlers: a run comes after the handler was added, after the task that added it, and after its previous run.
//! DroidRacer logs a made-up post for each run, so that a run is a task like others.

use super::{IdleHandler, Orders, Source, Stamp, Target};
use crate::races::event::TaskId;
use crate::races::rules::Rule;
use std::collections::BTreeMap;

#[derive(Debug)]
struct Added<M> {
    at: Stamp<M>,
    last_run: Option<TaskId>,
}

#[derive(Debug)]
pub struct IdleHandlers<M> {
    handlers: BTreeMap<IdleHandler, Added<M>>,
}

impl<M> Default for IdleHandlers<M> {
    fn default() -> IdleHandlers<M> {
        IdleHandlers {
            handlers: BTreeMap::new(),
        }
    }
}

impl<M: Clone> IdleHandlers<M> {
    pub fn add(&mut self, handler: IdleHandler, here: &Stamp<M>) {
        self.handlers.insert(
            handler,
            Added {
                at: here.clone(),
                last_run: None,
            },
        );
    }

    pub fn remove(&mut self, handler: IdleHandler) {
        self.handlers.remove(&handler);
    }

    pub fn run(&mut self, handler: IdleHandler, orders: &mut Orders<'_, M>) {
        let here = orders.here;
        let Some(task) = here.task else { return };
        if let Some(added) = self.handlers.get_mut(&handler) {
            orders.add(
                Rule::Idle,
                Source::Mark(added.at.mark.clone()),
                Target::PostOf(task),
            );
            if let Some(adder) = added.at.task
                && added.at.thread == here.thread
                && adder != task
            {
                orders.add(Rule::Idle, Source::EndOf(adder), Target::PostOf(task));
            }
            if let Some(last) = added.last_run
                && last != task
            {
                orders.add(Rule::Idle, Source::EndOf(last), Target::PostOf(task));
            }
            added.last_run = Some(task);
        }
        orders.add(
            Rule::Idle,
            Source::LoopOf(here.thread),
            Target::PostOf(task),
        );
    }

    pub fn remembered<'a>(&'a self, all: &mut Vec<&'a Stamp<M>>) {
        all.extend(self.handlers.values().map(|added| &added.at));
    }

    pub fn tasks(&self, all: &mut Vec<TaskId>) {
        for added in self.handlers.values() {
            all.extend(added.last_run.into_iter().chain(added.at.task));
        }
    }
}
