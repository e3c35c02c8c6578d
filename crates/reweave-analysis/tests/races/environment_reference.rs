//! The environment's rules once more, written apart from the engine: which operation comes before which, by position
//! in the trace. What depends on the relation itself is a link with a condition.

use reweave_analysis::races::environment::{
    BroadcastOp, BroadcastStep, EnvironmentOp, Identity, IdleHandler, Input, Lifecycle, ServiceOp,
    ServiceStep,
};
use reweave_analysis::races::event::{TaskId, ThreadId};
use reweave_analysis::races::rules::{Rule, RuleSet};
use std::collections::BTreeMap;

#[derive(Clone, Copy)]
pub enum End {
    At(usize),
    /// Of a task: its post.
    Post(TaskId),
    /// Of a task: its end where a link starts, its beginning where it ends.
    Edge(TaskId),
}

impl End {
    pub fn resolve(
        self,
        post: impl Fn(TaskId) -> Option<usize>,
        edge: impl Fn(TaskId) -> Option<usize>,
    ) -> Option<usize> {
        match self {
            End::At(index) => Some(index),
            End::Post(task) => post(task),
            End::Edge(task) => edge(task),
        }
    }
}

pub struct Link {
    pub from: End,
    pub to: End,
    /// Holds if the first of these happened before the second.
    pub provided: Option<(usize, usize)>,
}

/// An operation: where, on which thread, in which task.
type At = (usize, ThreadId, Option<TaskId>);

pub struct Automata {
    rules: RuleSet,
    pub links: Vec<Link>,
    inputs: BTreeMap<Input, usize>,
    windows: BTreeMap<Identity, usize>,
    enabled: BTreeMap<(Identity, Lifecycle), Vec<usize>>,
    blank: Option<usize>,
    activities: BTreeMap<Identity, (Lifecycle, At)>,
    idle: BTreeMap<IdleHandler, (At, Option<TaskId>)>,
    loops: BTreeMap<ThreadId, usize>,
    services: BTreeMap<u32, Service>,
    starts: BTreeMap<Identity, usize>,
    connections: BTreeMap<(Identity, u32), (usize, bool)>,
    posts: BTreeMap<TaskId, usize>,
    sent: BTreeMap<Identity, (usize, bool)>,
    sticky: Vec<u32>,
    registered: BTreeMap<(Identity, u32), usize>,
    registered_sticky: BTreeMap<(Identity, u32), Vec<usize>>,
    promised: BTreeMap<Identity, (Option<usize>, Option<usize>, bool)>,
    received: Vec<(usize, At)>,
    received_sticky: Vec<(usize, At)>,
    tick: Option<TaskId>,
    bound: Option<TaskId>,
}

#[derive(Default)]
struct Service {
    first: usize,
    bind: Option<usize>,
    stop: Option<usize>,
    unbinds: Vec<usize>,
    created: Option<At>,
    bound: Option<At>,
    started_row: Vec<At>,
    bound_row: Vec<At>,
}

impl Automata {
    pub fn new(rules: RuleSet) -> Automata {
        Automata {
            rules,
            links: Vec::new(),
            inputs: BTreeMap::new(),
            windows: BTreeMap::new(),
            enabled: BTreeMap::new(),
            blank: None,
            activities: BTreeMap::new(),
            idle: BTreeMap::new(),
            loops: BTreeMap::new(),
            services: BTreeMap::new(),
            starts: BTreeMap::new(),
            connections: BTreeMap::new(),
            posts: BTreeMap::new(),
            sent: BTreeMap::new(),
            sticky: Vec::new(),
            registered: BTreeMap::new(),
            registered_sticky: BTreeMap::new(),
            promised: BTreeMap::new(),
            received: Vec::new(),
            received_sticky: Vec::new(),
            tick: None,
            bound: None,
        }
    }

    /// Where loops and posts are, which some rules ask for.
    pub fn know(
        mut self,
        loops: BTreeMap<ThreadId, usize>,
        posts: BTreeMap<TaskId, usize>,
    ) -> Automata {
        self.loops = loops;
        self.posts = posts;
        self
    }

    fn link(&mut self, rule: Rule, from: End, to: End) {
        if self.rules.has(rule) {
            self.links.push(Link {
                from,
                to,
                provided: None,
            });
        }
    }

    /// An enable: before the trigger, and before the post of the trigger's task.
    fn enables(&mut self, rule: Rule, enable: usize, here: At) {
        self.link(rule, End::At(enable), End::At(here.0));
        if let Some(task) = here.2 {
            self.link(rule, End::At(enable), End::Post(task));
        }
    }

    /// Two steps of one automaton.
    fn steps(&mut self, rule: Rule, first: At, second: At) {
        self.link(rule, End::At(first.0), End::At(second.0));
        if let (Some(a), Some(b)) = (first.2, second.2)
            && a != b
            && first.1 == second.1
        {
            self.link(rule, End::Edge(a), End::Edge(b));
            self.link(rule, End::Post(a), End::Post(b));
        }
    }

    pub fn step(
        &mut self,
        op: &EnvironmentOp,
        index: usize,
        thread: ThreadId,
        task: Option<TaskId>,
    ) {
        let here = (index, thread, task);
        match op {
            EnvironmentOp::EnableInput(input) => {
                self.inputs.insert(*input, index);
            }
            EnvironmentOp::TriggerInput(input) => {
                if let Some(enable) = self.inputs.get(input).copied() {
                    self.enables(Rule::Input, enable, here);
                }
            }
            EnvironmentOp::EnableFocus(window) => {
                self.windows.insert(*window, index);
            }
            EnvironmentOp::TriggerFocus(window) => {
                if let Some(enable) = self.windows.get(window).copied() {
                    self.enables(Rule::Focus, enable, here);
                }
            }
            EnvironmentOp::EnableLifecycle(instance, state) => {
                self.enabled
                    .entry((*instance, *state))
                    .or_default()
                    .push(index);
                if *state == Lifecycle::Resume && *instance == Identity(0) {
                    self.blank = Some(index);
                }
                if *state == Lifecycle::ApplicationBound && task.is_some() {
                    self.bound = task;
                }
            }
            EnvironmentOp::TriggerLifecycle(instance, state) => {
                self.lifecycle(*instance, *state, here)
            }
            EnvironmentOp::NameInstance { instance, intent } => {
                if let Some(step) = self.activities.remove(intent) {
                    self.activities.insert(*instance, step);
                }
                for state in [Lifecycle::Launch, Lifecycle::Resume] {
                    if let Some(enables) = self.enabled.remove(&(*intent, state)) {
                        self.enabled.insert((*instance, state), enables);
                    }
                }
            }
            EnvironmentOp::Service(op) => self.service(op, here),
            EnvironmentOp::Broadcast(op) => self.broadcast(op, here),
            EnvironmentOp::AddIdle(handler) => {
                self.idle.insert(*handler, (here, None));
            }
            EnvironmentOp::RemoveIdle(handler) => {
                self.idle.remove(handler);
            }
            EnvironmentOp::RunIdle(handler) => self.run_idle(*handler, here),
        }
    }

    fn lifecycle(&mut self, instance: Identity, state: Lifecycle, here: At) {
        // All enables since the last trigger; none of them is asked for again.
        let enables = self
            .enabled
            .get_mut(&(instance, state))
            .map(std::mem::take)
            .unwrap_or_default();
        for enable in &enables {
            self.enables(Rule::Lifecycle, *enable, here);
        }
        if state == Lifecycle::Resume
            && enables.is_empty()
            && let Some(blank) = self.blank.take()
        {
            self.enables(Rule::Lifecycle, blank, here);
        }
        use Lifecycle::{Destroy, Launch, NewIntent, Pause, Result, Resume, Start, Stop};
        let allowed: &[(Lifecycle, Lifecycle)] = &[
            (Launch, Resume),
            (Start, Resume),
            (Pause, Resume),
            (Stop, Resume),
            (NewIntent, Resume),
            (Result, Resume),
            (Stop, Start),
            (Resume, Pause),
            (Pause, Stop),
            (Stop, Destroy),
            (Stop, Result),
            (NewIntent, Result),
            (Result, NewIntent),
            (Pause, NewIntent),
            (Stop, NewIntent),
        ];
        if ![
            Launch, Resume, Start, Pause, Stop, Destroy, Result, NewIntent,
        ]
        .contains(&state)
        {
            return;
        }
        match self.activities.get(&instance).copied() {
            Some((previous, at)) => {
                if allowed.contains(&(previous, state)) {
                    self.steps(Rule::Activity, at, here);
                }
            }
            None if state == Launch => (),
            None => return,
        }
        match state {
            Destroy => self.activities.remove(&instance),
            _ => self.activities.insert(instance, (state, here)),
        };
    }

    fn run_idle(&mut self, handler: IdleHandler, here: At) {
        let Some(task) = here.2 else { return };
        if let Some((added, last)) = self.idle.get(&handler).copied() {
            self.link(Rule::Idle, End::At(added.0), End::Post(task));
            if let Some(adder) = added.2
                && added.1 == here.1
                && adder != task
            {
                self.link(Rule::Idle, End::Edge(adder), End::Post(task));
            }
            if let Some(last) = last.filter(|last| *last != task) {
                self.link(Rule::Idle, End::Edge(last), End::Post(task));
            }
            self.idle.insert(handler, (added, Some(task)));
        }
        if let Some(looped) = self.loops.get(&here.1).copied() {
            self.link(Rule::Idle, End::At(looped), End::Post(task));
        }
    }

    fn service(&mut self, op: &ServiceOp, here: At) {
        let (service, id) = (op.service, op.id);
        match op.step {
            ServiceStep::RequestStart => {
                self.starts.entry(id).or_insert(here.0);
                self.services.entry(service).or_insert(Service {
                    first: here.0,
                    ..Service::default()
                });
            }
            ServiceStep::RequestBind => {
                let connection = self
                    .connections
                    .entry((id, service))
                    .or_insert((here.0, false));
                if connection.1 {
                    *connection = (here.0, false);
                }
                let entry = self.services.entry(service).or_insert(Service {
                    first: here.0,
                    ..Service::default()
                });
                entry.bind.get_or_insert(here.0);
            }
            ServiceStep::RequestStop => {
                if let Some(service) = self.services.get_mut(&service) {
                    service.stop.get_or_insert(here.0);
                }
            }
            ServiceStep::RequestUnbind => {
                for ((other, service), connection) in &mut self.connections {
                    if *other == id && !connection.1 {
                        connection.1 = true;
                        if let Some(service) = self.services.get_mut(service) {
                            service.unbinds.push(here.0);
                        }
                    }
                }
            }
            ServiceStep::Create
            | ServiceStep::Bind
            | ServiceStep::Unbind
            | ServiceStep::Arguments
            | ServiceStep::Connect
            | ServiceStep::Stop => self.service_callback(op, here),
        }
    }

    fn service_callback(&mut self, op: &ServiceOp, here: At) {
        if op.step == ServiceStep::Connect {
            if let Some(bound) = self
                .services
                .get(&op.service)
                .and_then(|service| service.bound)
            {
                self.enables(Rule::Service, bound.0, here);
            }
            let posted = here.2.and_then(|task| self.posts.get(&task).copied());
            if let (Some((request, _)), Some(posted)) =
                (self.connections.get(&(op.id, op.service)).copied(), posted)
                && request < posted
            {
                self.enables(Rule::Service, request, here);
            }
            return;
        }
        let Some(mut service) = self.services.remove(&op.service) else {
            return;
        };
        let mut stopped = false;
        match op.step {
            ServiceStep::Create if service.created.is_none() => {
                self.enables(Rule::Service, service.first, here);
                service.created = Some(here);
                service.started_row = vec![here];
                service.bound_row = vec![here];
            }
            ServiceStep::Bind if service.created.is_some() && service.bound.is_none() => {
                if let Some(request) = service.bind {
                    self.enables(Rule::Service, request, here);
                }
                self.next(&mut service.bound_row, here);
                service.bound = Some(here);
            }
            ServiceStep::Unbind if service.bound.is_some() => {
                for request in std::mem::take(&mut service.unbinds) {
                    self.enables(Rule::Service, request, here);
                }
                self.next(&mut service.bound_row, here);
                (service.bound, service.bind) = (None, None);
            }
            ServiceStep::Arguments if service.created.is_some() => {
                if let Some(request) = self.starts.remove(&op.id) {
                    self.enables(Rule::Service, request, here);
                    self.next(&mut service.started_row, here);
                }
            }
            ServiceStep::Stop if service.started_row.len() + service.bound_row.len() > 2 => {
                for row in [&service.bound_row, &service.started_row] {
                    if let Some(last) = row.last() {
                        self.steps(Rule::Service, *last, here);
                    }
                }
                stopped = service.started_row.len() == 1;
                if let Some(request) = service.stop.filter(|_| !stopped) {
                    self.enables(Rule::Service, request, here);
                    stopped = true;
                }
            }
            _ => (),
        }
        if !stopped {
            self.services.insert(op.service, service);
        }
    }

    fn next(&mut self, row: &mut Vec<At>, here: At) {
        if let Some(last) = row.last() {
            self.steps(Rule::Service, *last, here);
        }
        row.push(here);
    }

    fn matched(&mut self, op: &BroadcastOp) -> (Option<usize>, Option<usize>, bool) {
        let key = (op.receiver, op.action);
        let sent = self.sent.get(&op.intent).copied();
        if sent.is_some_and(|(_, sticky)| sticky)
            && let Some(waiting) = self
                .registered_sticky
                .get_mut(&key)
                .filter(|waiting| !waiting.is_empty())
        {
            return (sent.map(|sent| sent.0), Some(waiting.remove(0)), true);
        }
        (
            sent.map(|sent| sent.0),
            self.registered.get(&key).copied(),
            false,
        )
    }

    fn broadcast(&mut self, op: &BroadcastOp, here: At) {
        match op.step {
            BroadcastStep::Send => {
                self.sent.entry(op.intent).or_insert((here.0, false));
            }
            BroadcastStep::SendSticky => {
                self.sent.entry(op.intent).or_insert((here.0, true));
                self.sticky.push(op.action);
            }
            BroadcastStep::RemoveSticky => self.sticky.retain(|action| *action != op.action),
            BroadcastStep::Register => {
                let key = (op.receiver, op.action);
                self.registered.entry(key).or_insert(here.0);
                if self.sticky.contains(&op.action) {
                    self.registered_sticky.entry(key).or_default().push(here.0);
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
                self.receive(op, promise, periodic, here)
            }
        }
    }

    fn receive(&mut self, op: &BroadcastOp, promise: Option<Identity>, periodic: bool, here: At) {
        if let Some(task) = here.2 {
            if periodic {
                if let Some(tick) = self.tick.filter(|tick| *tick != task) {
                    self.link(Rule::TimeTick, End::Post(tick), End::Post(task));
                }
                self.tick = Some(task);
            }
            if let Some(bound) = self.bound.filter(|bound| *bound != task) {
                self.link(Rule::ApplicationBound, End::Post(bound), End::Post(task));
            }
        }
        let promised = promise.and_then(|promise| self.promised.get(&promise).copied());
        let (sent, registered, sticky) = promised.unwrap_or_else(|| self.matched(op));
        if let Some(sent) = sent {
            self.enables(Rule::Broadcast, sent, here);
            if !sticky {
                let earlier = self.received.clone();
                self.in_order(Rule::BroadcastOrder, &earlier, sent, here);
                self.received.push((sent, here));
            }
        }
        if let Some(registered) = registered {
            self.enables(Rule::Broadcast, registered, here);
            if sticky {
                let earlier = self.received_sticky.clone();
                self.in_order(Rule::StickyOrder, &earlier, registered, here);
                self.received_sticky.push((registered, here));
            }
        }
    }

    fn in_order(&mut self, rule: Rule, earlier: &[(usize, At)], cause: usize, here: At) {
        if !self.rules.has(rule) {
            return;
        }
        for (other_cause, other) in earlier.iter().filter(|(other, _)| *other != cause) {
            for (a, at, b, bt) in [
                (*other_cause, *other, cause, here),
                (cause, here, *other_cause, *other),
            ] {
                let provided = Some((a, b));
                self.links.push(Link {
                    from: End::At(at.0),
                    to: End::At(bt.0),
                    provided,
                });
                if let (Some(first), Some(second)) = (at.2, bt.2)
                    && first != second
                {
                    self.links.push(Link {
                        from: End::Post(first),
                        to: End::Post(second),
                        provided,
                    });
                }
            }
        }
    }
}
