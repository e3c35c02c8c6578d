//! The environment: what it enables, when it posts, and what the posted task says it is.

use super::{Feature, Generator, Kind, Role};
use reweave_analysis::races::environment::{
    BroadcastOp, BroadcastStep, EnvironmentOp, Identity, IdleHandler, Input, Lifecycle, ServiceOp,
    ServiceStep,
};
use reweave_analysis::races::event::{Op, ThreadId};

/// What the environment remembers.
#[derive(Default)]
pub struct World {
    intents: i64,
    promises: i64,
    /// Enables that go with a task that is posted but has not begun.
    owed: Vec<(usize, EnvironmentOp)>,
    promised: Vec<(Identity, BroadcastOp)>,
}

const STATES: &[Lifecycle] = &[
    Lifecycle::Launch,
    Lifecycle::Resume,
    Lifecycle::Pause,
    Lifecycle::Stop,
    Lifecycle::Start,
    Lifecycle::Resume,
    Lifecycle::NewIntent,
    Lifecycle::Result,
    Lifecycle::Destroy,
];

impl Generator {
    fn environment(&mut self, id: ThreadId, op: EnvironmentOp) {
        self.emit(id, Op::Environment(Box::new(op)));
    }

    /// A binder thread posts something.
    pub(super) fn outside_turn(&mut self) {
        let Some(outside) = self
            .actors
            .iter()
            .find(|a| a.role == Role::Outside)
            .map(|a| a.id)
        else {
            return;
        };
        let loopers = self.loopers();
        // Most of what the environment does happens on the main thread.
        let to = if self.random.chance(70) {
            loopers.first().copied()
        } else {
            self.random.pick(&loopers).copied()
        };
        let Some(to) = to.map(|index| self.actors[index].id) else {
            return;
        };
        let trigger = self.new_trigger();
        if trigger.is_none() && self.random.chance(50) {
            return;
        }
        let mut post = self.new_post(to);
        if trigger.is_some() && self.random.chance(70) {
            post.delay = 0;
        }
        self.emit(outside, Op::OutsideEnter);
        self.emit(outside, Op::Post(post));
        self.emit(outside, Op::OutsideLeave);
        self.enqueue(post, trigger);
    }

    fn input(&mut self) -> Input {
        Input {
            view: Identity(1 + self.random.below(2) as i64),
            kind: self.random.below(2) as i64,
        }
    }

    fn new_trigger(&mut self) -> Option<EnvironmentOp> {
        let choice = self.random.below(8);
        match choice {
            0 if self.has(Feature::Input) => Some(EnvironmentOp::TriggerInput(self.input())),
            1 if self.has(Feature::Focus) => Some(EnvironmentOp::TriggerFocus(Identity(
                1 + self.random.below(2) as i64,
            ))),
            2..=3 if self.has(Feature::Activity) => {
                let state = STATES[self.random.below(STATES.len())];
                Some(EnvironmentOp::TriggerLifecycle(
                    Identity(1 + self.random.below(2) as i64),
                    state,
                ))
            }
            4..=5 if self.has(Feature::Service) => {
                let steps = [
                    ServiceStep::Create,
                    ServiceStep::Bind,
                    ServiceStep::Arguments,
                    ServiceStep::Connect,
                    ServiceStep::Unbind,
                    ServiceStep::Stop,
                ];
                Some(self.service(&steps))
            }
            6..=7 => self.reception(),
            _ => None,
        }
    }

    fn service(&mut self, steps: &[ServiceStep]) -> EnvironmentOp {
        let step = steps[self.random.below(steps.len())];
        EnvironmentOp::Service(ServiceOp {
            step,
            service: self.random.below(2) as u32,
            id: Identity(1 + self.random.below(2) as i64),
        })
    }

    fn reception(&mut self) -> Option<EnvironmentOp> {
        if self.has(Feature::TimeTick) && self.random.chance(40) {
            let step = BroadcastStep::Receive {
                promise: None,
                periodic: true,
            };
            return Some(EnvironmentOp::Broadcast(BroadcastOp {
                step,
                receiver: Identity(7),
                action: 9,
                intent: Identity(0),
            }));
        }
        if !self.has(Feature::Broadcast) && !self.has(Feature::Sticky) {
            return None;
        }
        if !self.world.promised.is_empty() && self.random.chance(50) {
            let (promise, op) = self.world.promised.remove(0);
            let step = BroadcastStep::Receive {
                promise: Some(promise),
                periodic: false,
            };
            return Some(EnvironmentOp::Broadcast(BroadcastOp { step, ..op }));
        }
        let step = BroadcastStep::Receive {
            promise: None,
            periodic: false,
        };
        Some(EnvironmentOp::Broadcast(self.broadcast(step)))
    }

    fn broadcast(&mut self, step: BroadcastStep) -> BroadcastOp {
        let sticky = self.has(Feature::Sticky);
        BroadcastOp {
            step,
            receiver: Identity(1 + self.random.below(2) as i64),
            action: self.random.below(2) as u32,
            // One sticky intent serves many receivers.
            intent: if sticky && self.random.chance(60) {
                Identity(100)
            } else {
                Identity(1 + self.random.below(self.world.intents.max(1) as usize) as i64)
            },
        }
    }

    /// The program does something that the environment will react to.
    pub(super) fn enable(&mut self, id: ThreadId) {
        let choice = self.random.below(8);
        let op = match choice {
            0 if self.has(Feature::Input) => EnvironmentOp::EnableInput(self.input()),
            1 if self.has(Feature::Focus) => {
                EnvironmentOp::EnableFocus(Identity(1 + self.random.below(2) as i64))
            }
            2 if self.has(Feature::Activity) => self.enable_activity(),
            3..=4 if self.has(Feature::Service) => self.service(&[
                ServiceStep::RequestStart,
                ServiceStep::RequestBind,
                ServiceStep::RequestUnbind,
                ServiceStep::RequestStop,
            ]),
            5..=6 if self.has(Feature::Broadcast) || self.has(Feature::Sticky) => {
                self.send_or_register()
            }
            7 if self.has(Feature::Idle) => EnvironmentOp::AddIdle(IdleHandler {
                handler: Identity(1 + self.random.below(2) as i64),
                queue: Identity(1),
            }),
            7 if self.has(Feature::TimeTick) => {
                EnvironmentOp::EnableLifecycle(Identity(0), Lifecycle::ApplicationBound)
            }
            _ if self.has(Feature::Anywhere) && self.random.chance(30) => {
                match self.new_trigger() {
                    Some(trigger) => trigger,
                    None => return,
                }
            }
            _ => return,
        };
        self.environment(id, op);
    }

    fn enable_activity(&mut self) -> EnvironmentOp {
        match self.random.below(6) {
            0 => EnvironmentOp::NameInstance {
                instance: Identity(1),
                intent: Identity(2),
            },
            1 => EnvironmentOp::EnableLifecycle(Identity(0), Lifecycle::Resume),
            _ => {
                let state = STATES[self.random.below(STATES.len())];
                EnvironmentOp::EnableLifecycle(Identity(1 + self.random.below(2) as i64), state)
            }
        }
    }

    fn send_or_register(&mut self) -> EnvironmentOp {
        let step = match self.random.below(10) {
            0..=2 => BroadcastStep::Register,
            3 if self.random.chance(40) => BroadcastStep::Unregister,
            4 => {
                self.world.promises += 1;
                let promise = Identity(self.world.promises);
                let op = self.broadcast(BroadcastStep::Promise(promise));
                self.world.promised.push((promise, op.clone()));
                return EnvironmentOp::Broadcast(op);
            }
            5 if self.has(Feature::Sticky) && self.random.chance(30) => BroadcastStep::RemoveSticky,
            5..=6 if self.has(Feature::Sticky) => {
                let op = self.broadcast(BroadcastStep::SendSticky);
                return EnvironmentOp::Broadcast(BroadcastOp {
                    intent: Identity(100),
                    ..op
                });
            }
            _ => {
                self.world.intents += 1;
                let op = self.broadcast(BroadcastStep::Send);
                return EnvironmentOp::Broadcast(BroadcastOp {
                    intent: Identity(self.world.intents),
                    ..op
                });
            }
        };
        EnvironmentOp::Broadcast(self.broadcast(step))
    }

    /// A task says what it is. If the log is of the backward kind, what enabled it may be logged only now, by someone
    /// else, although the task was posted long ago.
    pub(super) fn trigger(&mut self, id: ThreadId, op: EnvironmentOp, late: bool) {
        if late && self.random.chance(40) {
            let enable = match &op {
                EnvironmentOp::TriggerInput(input) => Some(EnvironmentOp::EnableInput(*input)),
                EnvironmentOp::TriggerFocus(window) => Some(EnvironmentOp::EnableFocus(*window)),
                EnvironmentOp::TriggerLifecycle(instance, state) => {
                    Some(EnvironmentOp::EnableLifecycle(*instance, *state))
                }
                _ => None,
            };
            if let Some(enable) = enable {
                let index = self
                    .actors
                    .iter()
                    .position(|actor| actor.id == id)
                    .unwrap_or(0);
                if let Some(other) = self.someone_active(index) {
                    self.environment(other, enable);
                }
            }
        }
        self.environment(id, op);
    }

    /// A queue with nothing to do runs an idle handler, in a task that it posts itself.
    pub(super) fn idle_run(&mut self, index: usize) {
        if !self.has(Feature::Idle) || !self.random.chance(20) {
            return;
        }
        let id = self.actors[index].id;
        let post = self.new_post(id);
        let post = reweave_analysis::races::event::Post::plain(post.task, id);
        self.emit(id, Op::Post(post));
        let handler = IdleHandler {
            handler: Identity(1 + self.random.below(2) as i64),
            queue: Identity(1),
        };
        self.start_task(index, id, post.task, Some(EnvironmentOp::RunIdle(handler)));
        if self.random.chance(15) {
            self.environment(id, EnvironmentOp::RemoveIdle(handler));
        }
    }
}

/// Whether a trace of this kind may hold orders that point backwards.
pub fn may_point_backwards(kind: Kind) -> bool {
    kind == Kind::Backward
}
