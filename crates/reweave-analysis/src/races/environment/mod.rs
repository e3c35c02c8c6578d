//! What the system outside the program orders: a screen can be clicked only after it was shown, an activity is paused
//! only after it was resumed, a receiver runs only after the broadcast was sent.
//!
//! The model is DroidRacer's (Maiya, Kanade, Majumdar, PLDI 2014): `enable` operations and the life cycles of
//! activities, services and broadcast receivers as small automata. Each automaton turns an operation into orders; it
//! knows nothing of clocks. Most orders end at the *post* of the running task, which the system made long before the
//! program could log what enabled it: such an order may point backwards in the log.
//!
//! What an automaton does not understand gives no order and no error: applications do things that no model foresees,
//! and a missing order can only give a race too many.

mod activity;
mod broadcast;
mod idle;
mod input;
mod service;

pub use activity::Lifecycle;
pub use broadcast::{BroadcastOp, BroadcastStep};
pub use service::{ServiceOp, ServiceStep};

use super::event::{EventIndex, TaskId, ThreadId};
use super::rules::Rule;

/// Identity of a thing of the environment: a view, a window, an activity, an intent, a connection.
/// Equal numbers mean the same thing only within one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Identity(pub i64);

impl Identity {
    /// "Not known yet": an activity that the system has not named.
    pub const BLANK: Identity = Identity(0);
}

/// A kind of input that a view takes: click, long click, text, back, menu, rotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Input {
    pub view: Identity,
    pub kind: i64,
}

/// A callback that a queue runs when it is idle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IdleHandler {
    pub handler: Identity,
    pub queue: Identity,
}

/// An operation on the environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EnvironmentOp {
    EnableInput(Input),
    TriggerInput(Input),
    EnableFocus(Identity),
    TriggerFocus(Identity),
    EnableLifecycle(Identity, Lifecycle),
    TriggerLifecycle(Identity, Lifecycle),
    /// The activity that was asked for by `intent` is `instance` from now on.
    NameInstance {
        instance: Identity,
        intent: Identity,
    },
    Service(ServiceOp),
    Broadcast(BroadcastOp),
    AddIdle(IdleHandler),
    RemoveIdle(IdleHandler),
    /// The running task is a run of this idle handler.
    RunIdle(IdleHandler),
}

/// What an operation means for the cause of the task that it runs in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The task is due to what it was posted by.
    Inherited,
    /// The task is due to this event; who posted it does not matter, since that was the system.
    Event,
    /// The task is due to the queue having been idle; who posted it still matters.
    Idle,
}

impl EnvironmentOp {
    pub fn cause(&self) -> Cause {
        match self {
            EnvironmentOp::TriggerInput(_)
            | EnvironmentOp::TriggerFocus(_)
            | EnvironmentOp::TriggerLifecycle(..) => Cause::Event,
            EnvironmentOp::Service(op) if op.step.is_callback() => Cause::Event,
            EnvironmentOp::Broadcast(op) if matches!(op.step, BroadcastStep::Receive { .. }) => {
                Cause::Event
            }
            EnvironmentOp::RunIdle(_) => Cause::Idle,
            EnvironmentOp::EnableInput(_)
            | EnvironmentOp::EnableFocus(_)
            | EnvironmentOp::EnableLifecycle(..)
            | EnvironmentOp::NameInstance { .. }
            | EnvironmentOp::Service(_)
            | EnvironmentOp::Broadcast(_)
            | EnvironmentOp::AddIdle(_)
            | EnvironmentOp::RemoveIdle(_) => Cause::Inherited,
        }
    }
}

/// An operation as an automaton remembers it: where it was, and `mark`, by which the engine finds it again.
#[derive(Clone, Debug)]
pub struct Stamp<M> {
    pub mark: M,
    pub event: EventIndex,
    pub thread: ThreadId,
    pub task: Option<TaskId>,
    /// When that task was posted.
    pub posted: Option<EventIndex>,
}

/// Where an order starts.
#[derive(Clone, Debug)]
pub enum Source<M> {
    Mark(M),
    PostOf(TaskId),
    EndOf(TaskId),
    /// The moment at which this thread began to run its queue.
    LoopOf(ThreadId),
}

/// Where an order ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    Event(EventIndex),
    PostOf(TaskId),
    BeginOf(TaskId),
}

/// One order that the environment gives, and the rule it is due to.
#[derive(Clone, Debug)]
pub struct Order<M> {
    pub rule: Rule,
    pub from: Source<M>,
    pub to: Target,
}

/// All automata together.
#[derive(Debug)]
pub struct Environment<M> {
    inputs: input::Inputs<M>,
    activities: activity::Activities<M>,
    services: service::Services<M>,
    broadcasts: broadcast::Broadcasts<M>,
    idle: idle::IdleHandlers<M>,
}

impl<M> Default for Environment<M> {
    fn default() -> Environment<M> {
        Environment {
            inputs: input::Inputs::default(),
            activities: activity::Activities::default(),
            services: service::Services::default(),
            broadcasts: broadcast::Broadcasts::default(),
            idle: idle::IdleHandlers::default(),
        }
    }
}

impl<M: Clone> Environment<M> {
    /// The orders that `op`, done at `here`, gives. `before` tells whether one remembered operation happened before
    /// another.
    pub fn step(
        &mut self,
        op: &EnvironmentOp,
        here: &Stamp<M>,
        before: impl Fn(&M, &M) -> bool,
    ) -> Vec<Order<M>> {
        let mut orders = Orders {
            here,
            list: Vec::new(),
        };
        match op {
            EnvironmentOp::EnableInput(input) => self.inputs.enable(*input, here),
            EnvironmentOp::TriggerInput(input) => self.inputs.trigger(*input, &mut orders),
            EnvironmentOp::EnableFocus(window) => self.inputs.enable_focus(*window, here),
            EnvironmentOp::TriggerFocus(window) => self.inputs.trigger_focus(*window, &mut orders),
            EnvironmentOp::EnableLifecycle(instance, state) => {
                self.activities.enable(*instance, *state, here);
                if *state == Lifecycle::ApplicationBound {
                    self.broadcasts.application_bound(here.task);
                }
            }
            EnvironmentOp::TriggerLifecycle(instance, state) => {
                self.activities.trigger(*instance, *state, &mut orders);
            }
            EnvironmentOp::NameInstance { instance, intent } => {
                self.activities.name(*instance, *intent)
            }
            EnvironmentOp::Service(op) => self.services.step(op, &mut orders),
            EnvironmentOp::Broadcast(op) => self.broadcasts.step(op, &mut orders, before),
            EnvironmentOp::AddIdle(handler) => self.idle.add(*handler, here),
            EnvironmentOp::RemoveIdle(handler) => self.idle.remove(*handler),
            EnvironmentOp::RunIdle(handler) => self.idle.run(*handler, &mut orders),
        }
        orders.list
    }

    /// Everything that is remembered and may still start an order.
    pub fn remembered(&self) -> Vec<&Stamp<M>> {
        let mut all = Vec::new();
        self.inputs.remembered(&mut all);
        self.activities.remembered(&mut all);
        self.services.remembered(&mut all);
        self.broadcasts.remembered(&mut all);
        self.idle.remembered(&mut all);
        all
    }

    /// Tasks that an order may still name.
    pub fn tasks(&self) -> Vec<TaskId> {
        let mut all = Vec::new();
        self.activities.tasks(&mut all);
        self.services.tasks(&mut all);
        self.broadcasts.tasks(&mut all);
        self.idle.tasks(&mut all);
        all
    }
}

/// The orders that one operation gives.
#[derive(Debug)]
struct Orders<'a, M> {
    here: &'a Stamp<M>,
    list: Vec<Order<M>>,
}

impl<M: Clone> Orders<'_, M> {
    fn add(&mut self, rule: Rule, from: Source<M>, to: Target) {
        self.list.push(Order { rule, from, to });
    }

    /// `from` comes before this operation and before the post of the task that it runs in.
    fn enabled_by(&mut self, rule: Rule, from: &Stamp<M>) {
        self.add(
            rule,
            Source::Mark(from.mark.clone()),
            Target::Event(self.here.event),
        );
        if let Some(task) = self.here.task {
            self.add(rule, Source::Mark(from.mark.clone()), Target::PostOf(task));
        }
    }

    /// `previous` is the step before this one in an automaton: it comes first, and if both are tasks of one queue then
    /// so do its task and the post of that.
    fn follows(&mut self, rule: Rule, previous: &Stamp<M>) {
        self.add(
            rule,
            Source::Mark(previous.mark.clone()),
            Target::Event(self.here.event),
        );
        if let (Some(before), Some(task)) = (previous.task, self.here.task)
            && before != task
            && previous.thread == self.here.thread
        {
            self.add(rule, Source::EndOf(before), Target::BeginOf(task));
            self.add(rule, Source::PostOf(before), Target::PostOf(task));
        }
    }
}
