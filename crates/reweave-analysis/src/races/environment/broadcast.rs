//! Broadcasts: a receiver runs after it was registered and after the intent was sent; of two intents sent in order,
//! the first is received first. A sticky intent waits for receivers that register later.

use super::{Identity, Orders, Source, Stamp, Target};
use crate::races::event::TaskId;
use crate::races::rules::Rule;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Receptions that are kept to be compared with later ones. More than real traces hold.
const KEPT: usize = 512;

/// What happened to a broadcast or its receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BroadcastStep {
    Register,
    Unregister,
    Send,
    SendSticky,
    RemoveSticky,
    /// The reception that will name this number is decided here, before its task is posted.
    Promise(Identity),
    Receive {
        promise: Option<Identity>,
        /// The system sends this one periodically, so its receptions follow each other.
        periodic: bool,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BroadcastOp {
    pub step: BroadcastStep,
    pub receiver: Identity,
    /// Number of the action, given by the translator.
    pub action: u32,
    pub intent: Identity,
}

/// What a reception is due to.
#[derive(Clone, Debug)]
struct Match<M> {
    sent: Option<Stamp<M>>,
    registered: Option<Stamp<M>>,
    /// The receiver registered while the intent was waiting.
    sticky: bool,
}

/// A reception and the operation that it is due to.
#[derive(Debug)]
struct Reception<M> {
    cause: Stamp<M>,
    received: Stamp<M>,
}

#[derive(Debug)]
pub struct Broadcasts<M> {
    sent: BTreeMap<Identity, (Stamp<M>, bool)>,
    sticky_actions: BTreeSet<u32>,
    registered: BTreeMap<(Identity, u32), Stamp<M>>,
    registered_sticky: BTreeMap<(Identity, u32), VecDeque<Stamp<M>>>,
    promised: BTreeMap<Identity, Match<M>>,
    by_send: VecDeque<Reception<M>>,
    by_sticky_registration: VecDeque<Reception<M>>,
    last_tick: Option<TaskId>,
    application_bound: Option<TaskId>,
}

impl<M> Default for Broadcasts<M> {
    fn default() -> Broadcasts<M> {
        Broadcasts {
            sent: BTreeMap::new(),
            sticky_actions: BTreeSet::new(),
            registered: BTreeMap::new(),
            registered_sticky: BTreeMap::new(),
            promised: BTreeMap::new(),
            by_send: VecDeque::new(),
            by_sticky_registration: VecDeque::new(),
            last_tick: None,
            application_bound: None,
        }
    }
}

impl<M: Clone> Broadcasts<M> {
    /// The task that bound the application is this one: broadcasts are posted after it was posted.
    pub fn application_bound(&mut self, task: Option<TaskId>) {
        self.application_bound = task.or(self.application_bound);
    }

    pub fn step(
        &mut self,
        op: &BroadcastOp,
        orders: &mut Orders<'_, M>,
        before: impl Fn(&M, &M) -> bool,
    ) {
        let here = orders.here;
        match op.step {
            BroadcastStep::Send => {
                self.sent
                    .entry(op.intent)
                    .or_insert_with(|| (here.clone(), false));
            }
            BroadcastStep::SendSticky => {
                self.sent
                    .entry(op.intent)
                    .or_insert_with(|| (here.clone(), true));
                self.sticky_actions.insert(op.action);
            }
            BroadcastStep::RemoveSticky => {
                self.sticky_actions.remove(&op.action);
            }
            BroadcastStep::Register => {
                let key = (op.receiver, op.action);
                self.registered.entry(key).or_insert_with(|| here.clone());
                if self.sticky_actions.contains(&op.action) {
                    self.registered_sticky
                        .entry(key)
                        .or_default()
                        .push_back(here.clone());
                }
            }
            BroadcastStep::Unregister => {
                self.registered
                    .retain(|(receiver, _), _| *receiver != op.receiver);
                self.registered_sticky
                    .retain(|(receiver, _), _| *receiver != op.receiver);
            }
            BroadcastStep::Promise(promise) => {
                let matched = self.matched(op);
                self.promised.insert(promise, matched);
            }
            BroadcastStep::Receive { promise, periodic } => {
                if let Some(task) = here.task {
                    self.receive_post(task, periodic, orders);
                }
                let promised = promise.and_then(|promise| self.promised.get(&promise).cloned());
                let matched = promised.unwrap_or_else(|| self.matched(op));
                self.receive(matched, orders, before);
            }
        }
    }

    fn matched(&mut self, op: &BroadcastOp) -> Match<M> {
        let key = (op.receiver, op.action);
        let (sent, is_sticky) = match self.sent.get(&op.intent) {
            Some((stamp, sticky)) => (Some(stamp.clone()), *sticky),
            None => (None, false),
        };
        if is_sticky
            && let Some(waiting) = self
                .registered_sticky
                .get_mut(&key)
                .and_then(VecDeque::pop_front)
        {
            return Match {
                sent,
                registered: Some(waiting),
                sticky: true,
            };
        }
        Match {
            sent,
            registered: self.registered.get(&key).cloned(),
            sticky: false,
        }
    }

    fn receive_post(&mut self, task: TaskId, periodic: bool, orders: &mut Orders<'_, M>) {
        if periodic && let Some(last) = self.last_tick.replace(task).filter(|last| *last != task) {
            orders.add(Rule::TimeTick, Source::PostOf(last), Target::PostOf(task));
        }
        if let Some(bound) = self.application_bound.filter(|bound| *bound != task) {
            orders.add(
                Rule::ApplicationBound,
                Source::PostOf(bound),
                Target::PostOf(task),
            );
        }
    }

    fn receive(
        &mut self,
        matched: Match<M>,
        orders: &mut Orders<'_, M>,
        before: impl Fn(&M, &M) -> bool,
    ) {
        let here = orders.here;
        if let Some(sent) = matched.sent {
            orders.enabled_by(Rule::Broadcast, &sent);
            if !matched.sticky {
                let new = Reception {
                    cause: sent,
                    received: here.clone(),
                };
                order_receptions(Rule::BroadcastOrder, &self.by_send, &new, orders, &before);
                remember(&mut self.by_send, new);
            }
        }
        if let Some(registered) = matched.registered {
            orders.enabled_by(Rule::Broadcast, &registered);
            if matched.sticky {
                let new = Reception {
                    cause: registered,
                    received: here.clone(),
                };
                order_receptions(
                    Rule::StickyOrder,
                    &self.by_sticky_registration,
                    &new,
                    orders,
                    &before,
                );
                remember(&mut self.by_sticky_registration, new);
            }
        }
    }

    pub fn remembered<'a>(&'a self, all: &mut Vec<&'a Stamp<M>>) {
        all.extend(self.sent.values().map(|(stamp, _)| stamp));
        all.extend(self.registered.values());
        all.extend(self.registered_sticky.values().flatten());
        for promised in self.promised.values() {
            all.extend(promised.sent.iter().chain(&promised.registered));
        }
        for reception in self.by_send.iter().chain(&self.by_sticky_registration) {
            all.extend([&reception.cause, &reception.received]);
        }
    }

    pub fn tasks(&self, all: &mut Vec<TaskId>) {
        all.extend(self.last_tick);
        all.extend(self.application_bound);
        let receptions = self.by_send.iter().chain(&self.by_sticky_registration);
        all.extend(receptions.filter_map(|reception| reception.received.task));
    }
}

fn remember<M>(receptions: &mut VecDeque<Reception<M>>, new: Reception<M>) {
    if receptions.len() == KEPT {
        receptions.pop_front();
    }
    receptions.push_back(new);
}

/// Receptions follow the order of what they are due to, whichever was logged first.
fn order_receptions<M: Clone>(
    rule: Rule,
    earlier: &VecDeque<Reception<M>>,
    new: &Reception<M>,
    orders: &mut Orders<'_, M>,
    before: &impl Fn(&M, &M) -> bool,
) {
    for old in earlier
        .iter()
        .filter(|old| old.cause.event != new.cause.event)
    {
        let (first, second) = if before(&old.cause.mark, &new.cause.mark) {
            (&old.received, &new.received)
        } else if before(&new.cause.mark, &old.cause.mark) {
            (&new.received, &old.received)
        } else {
            continue;
        };
        orders.add(
            rule,
            Source::Mark(first.mark.clone()),
            Target::Event(second.event),
        );
        if let (Some(a), Some(b)) = (first.task, second.task)
            && a != b
        {
            orders.add(rule, Source::PostOf(a), Target::PostOf(b));
        }
    }
}
