//! The environment: what it enables, when it posts, and what the posted task says it is.

use super::{Feature, Generator, Role};
use reweave_analysis::races::environment::{
    BroadcastOp, BroadcastStep, EnvironmentOp, Identity, IdleHandler, Input, Lifecycle, ServiceOp,
    ServiceStep,
};
use reweave_analysis::races::event::{Op, Post, ThreadId};

/// What the environment remembers.
#[derive(Default)]
pub struct World {
    intents: i64,
    promises: i64,
    /// A sticky intent was sent.
    sticky: bool,
    /// Where the activities are, by number.
    activities: [Option<Lifecycle>; 3],
    /// How far the services are.
    services: [usize; 2],
    /// What the environment will do next.
    due: Vec<EnvironmentOp>,
}

const STATES: &[Lifecycle] = &[
    Lifecycle::Launch,
    Lifecycle::Resume,
    Lifecycle::Pause,
    Lifecycle::Stop,
    Lifecycle::Start,
    Lifecycle::NewIntent,
    Lifecycle::Result,
    Lifecycle::Destroy,
];

/// One way of using a service from beginning to end; requests are made by the program.
const SERVICE: &[ServiceStep] = &[
    ServiceStep::RequestStart,
    ServiceStep::Create,
    ServiceStep::Arguments,
    ServiceStep::RequestBind,
    ServiceStep::Bind,
    ServiceStep::Connect,
    ServiceStep::RequestUnbind,
    ServiceStep::Unbind,
    ServiceStep::RequestStop,
    ServiceStep::Stop,
];

impl Generator {
    fn environment(&mut self, id: ThreadId, op: EnvironmentOp) {
        self.emit(id, Op::Environment(Box::new(op)));
    }

    /// Whether the environment has something to react to.
    pub(super) fn is_outside_due(&self) -> bool {
        !self.world.due.is_empty()
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
            post = Post::plain(post.task, to);
        }
        self.emit(outside, Op::OutsideEnter);
        self.emit(outside, Op::Post(post));
        self.enqueue(post, trigger);
        // Usually a visit makes one post.
        while self.random.chance(10) {
            let Some(to) = self
                .random
                .pick(&loopers)
                .map(|index| self.actors[*index].id)
            else {
                break;
            };
            self.clock += 1;
            let more = self.new_post(to);
            self.emit(outside, Op::Post(more));
            self.enqueue(more, None);
        }
        self.emit(outside, Op::OutsideLeave);
    }

    fn number(&mut self, choices: usize) -> Identity {
        Identity(1 + self.random.below(choices) as i64)
    }

    fn input(&mut self) -> Input {
        Input {
            view: self.number(2),
            kind: self.random.below(2) as i64,
        }
    }

    fn new_trigger(&mut self) -> Option<EnvironmentOp> {
        if !self.world.due.is_empty() && self.random.chance(70) {
            return Some(self.world.due.remove(0));
        }
        match self.random.below(9) {
            0 if self.has(Feature::Input) => Some(EnvironmentOp::TriggerInput(self.input())),
            1 if self.has(Feature::Focus) => Some(EnvironmentOp::TriggerFocus(self.number(2))),
            2..=4 if self.has(Feature::Activity) => Some(self.activity_step()),
            5..=6 if self.has(Feature::Service) => Some(self.service_step(true)),
            7..=8 => self.reception(),
            _ => None,
        }
    }

    /// Mostly the step that may come next, sometimes any.
    fn activity_step(&mut self) -> EnvironmentOp {
        let instance = 1 + self.random.below(2);
        let next: &[Lifecycle] = match self.world.activities[instance] {
            None | Some(Lifecycle::Destroy) => &[Lifecycle::Launch],
            Some(Lifecycle::Resume) => &[Lifecycle::Pause],
            Some(Lifecycle::Pause) => &[Lifecycle::Stop, Lifecycle::Resume, Lifecycle::NewIntent],
            Some(Lifecycle::Stop) => &[
                Lifecycle::Start,
                Lifecycle::Destroy,
                Lifecycle::Result,
                Lifecycle::NewIntent,
            ],
            Some(_) => &[Lifecycle::Resume],
        };
        let next = if self.random.chance(85) { next } else { STATES };
        let state = next[self.random.below(next.len())];
        self.world.activities[instance] = Some(state);
        EnvironmentOp::TriggerLifecycle(Identity(instance as i64), state)
    }

    /// The next step in the use of a service, or any, of callbacks or of requests.
    fn service_step(&mut self, callback: bool) -> EnvironmentOp {
        let service = self.random.below(2);
        let progress = self.world.services[service];
        let fits = |step: &ServiceStep| step.is_callback() == callback;
        let step = if self.random.chance(80) {
            let ahead = SERVICE
                .iter()
                .cycle()
                .skip(progress % SERVICE.len())
                .take(SERVICE.len());
            ahead
                .copied()
                .find(|step| fits(step))
                .unwrap_or(ServiceStep::Create)
        } else {
            let all: Vec<ServiceStep> = SERVICE.iter().copied().filter(|step| fits(step)).collect();
            all[self.random.below(all.len())]
        };
        if let Some(at) = SERVICE.iter().position(|other| *other == step) {
            self.world.services[service] = at + 1;
        }
        let id = if self.random.chance(80) {
            Identity(1)
        } else {
            self.number(2)
        };
        EnvironmentOp::Service(ServiceOp {
            step,
            service: service as u32,
            id,
        })
    }

    fn reception(&mut self) -> Option<EnvironmentOp> {
        if self.has(Feature::TimeTick) && self.random.chance(60) {
            let step = BroadcastStep::Receive {
                promise: None,
                periodic: true,
            };
            let op = BroadcastOp {
                step,
                receiver: Identity(7),
                action: 9,
                intent: Identity(0),
            };
            return Some(EnvironmentOp::Broadcast(op));
        }
        if !self.has(Feature::Broadcast) && !self.has(Feature::Sticky) {
            return None;
        }
        let step = BroadcastStep::Receive {
            promise: None,
            periodic: false,
        };
        Some(EnvironmentOp::Broadcast(self.broadcast(step)))
    }

    fn broadcast(&mut self, step: BroadcastStep) -> BroadcastOp {
        let intents = self.world.intents.max(1) as usize;
        BroadcastOp {
            step,
            receiver: self.number(2),
            action: self.random.below(2) as u32,
            intent: self.number(intents),
        }
    }

    /// The program does something that the environment will react to.
    pub(super) fn enable(&mut self, id: ThreadId) {
        let broadcasts = self.has(Feature::Broadcast) || self.has(Feature::Sticky);
        if broadcasts && self.random.chance(35) {
            let op = self.send_or_register();
            self.environment(id, op);
            return;
        }
        let op = match self.random.below(10) {
            0..=1 if self.has(Feature::Input) => EnvironmentOp::EnableInput(self.input()),
            2 if self.has(Feature::Focus) => EnvironmentOp::EnableFocus(self.number(2)),
            3..=4 if self.has(Feature::Activity) => self.enable_activity(),
            5..=6 if self.has(Feature::Service) => self.service_step(false),
            7..=8 if broadcasts => self.send_or_register(),
            9 if self.has(Feature::Idle) && self.random.chance(60) => {
                EnvironmentOp::AddIdle(IdleHandler {
                    handler: self.number(2),
                    queue: Identity(1),
                })
            }
            9 if self.has(Feature::TimeTick) || self.has(Feature::Broadcast) => {
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
        match self.random.below(8) {
            0 => EnvironmentOp::NameInstance {
                instance: Identity(1),
                intent: Identity(2),
            },
            1 => EnvironmentOp::EnableLifecycle(Identity(0), Lifecycle::Resume),
            _ => {
                let state = STATES[self.random.below(STATES.len())];
                EnvironmentOp::EnableLifecycle(self.number(2), state)
            }
        }
    }

    fn send_or_register(&mut self) -> EnvironmentOp {
        let received = |op: &BroadcastOp, promise| {
            let step = BroadcastStep::Receive {
                promise,
                periodic: false,
            };
            EnvironmentOp::Broadcast(BroadcastOp { step, ..op.clone() })
        };
        // One sticky intent waits for many receivers.
        let sticky = Identity(100);
        let op = match self.random.below(10) {
            0..=5 if self.has(Feature::Sticky) && !self.world.sticky => {
                self.world.sticky = true;
                BroadcastOp {
                    intent: sticky,
                    action: 0,
                    ..self.broadcast(BroadcastStep::SendSticky)
                }
            }
            0..=6 if self.has(Feature::Sticky) => {
                let op = BroadcastOp {
                    intent: sticky,
                    action: 0,
                    ..self.broadcast(BroadcastStep::Register)
                };
                self.world.due.push(received(&op, None));
                op
            }
            0..=1 => self.broadcast(BroadcastStep::Register),
            3 if self.random.chance(30) => self.broadcast(BroadcastStep::Unregister),
            4 => {
                self.world.promises += 1;
                let promise = Identity(self.world.promises);
                let op = self.broadcast(BroadcastStep::Promise(promise));
                self.world.due.push(received(&op, Some(promise)));
                op
            }
            5 if self.has(Feature::Sticky) && self.random.chance(20) => {
                self.broadcast(BroadcastStep::RemoveSticky)
            }
            5..=6 if self.has(Feature::Sticky) => BroadcastOp {
                intent: sticky,
                ..self.broadcast(BroadcastStep::SendSticky)
            },
            _ => {
                self.world.intents += 1;
                let op = BroadcastOp {
                    intent: Identity(self.world.intents),
                    ..self.broadcast(BroadcastStep::Send)
                };
                self.world.due.push(received(&op, None));
                op
            }
        };
        EnvironmentOp::Broadcast(op)
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
        if !self.has(Feature::Idle) || !self.random.chance(30) {
            return;
        }
        let id = self.actors[index].id;
        let post = self.new_post(id);
        let post = Post::plain(post.task, id);
        self.emit(id, Op::Post(post));
        let handler = IdleHandler {
            handler: self.number(2),
            queue: Identity(1),
        };
        self.start_task(index, id, post.task, Some(EnvironmentOp::RunIdle(handler)));
        if self.random.chance(15) {
            self.environment(id, EnvironmentOp::RemoveIdle(handler));
        }
    }
}
