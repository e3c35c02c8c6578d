//! What the numbers in findings are called: by an imported log, or by whoever observed the program.

use super::describe::{FrameText, own_frame};
use reweave_analysis::races::environment::EnvironmentOp;
use reweave_analysis::races::event::{
    EventIndex, LocationId, LockId, Op, Place, Site, TaskId, ThreadId,
};
use reweave_analysis::races::log::{LocationName, Log};
use reweave_analysis::races::observe::{Frame, ObservedNames};
use std::collections::BTreeMap;

/// A location in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocationText {
    /// The same in every run: `com.example.Account.balance`.
    pub name: String,
    /// Which one in this run.
    pub object: Option<String>,
    pub class: Option<String>,
    pub field: Option<String>,
}

/// Whether a function is one of the JDK.
pub fn is_jdk(function: &str) -> bool {
    ["java.", "javax.", "jdk.", "sun."]
        .iter()
        .any(|prefix| function.starts_with(prefix))
}

/// Where a thread came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    pub by: ThreadId,
    pub event: EventIndex,
    pub site: Site,
}

pub trait Names {
    fn location(&self, location: LocationId, access: EventIndex) -> LocationText;
    /// The thread's name in the program, if it has one.
    fn thread_name(&self, thread: ThreadId) -> Option<String>;
    /// `T3`.
    fn thread(&self, thread: ThreadId) -> String;
    fn task(&self, task: TaskId) -> String;
    fn lock(&self, lock: LockId) -> String;
    /// The stack of an event, innermost first.
    fn frames(&self, event: EventIndex, site: Site) -> Vec<Frame>;
    fn creation(&self, thread: ThreadId) -> Option<Origin>;
    /// What an operation was and where.
    fn operation(&self, event: EventIndex) -> String;
    /// Whether frames name places in the program, not in a log.
    fn has_source(&self) -> bool;
}

/// Names of an imported log.
pub struct LogNames<'a> {
    log: &'a Log,
    /// The log's own name, for places in it.
    file: String,
    created: BTreeMap<ThreadId, Origin>,
}

impl LogNames<'_> {
    pub fn new<'a>(log: &'a Log, file: &str) -> LogNames<'a> {
        let mut created = BTreeMap::new();
        for (index, event) in log.events.iter().enumerate() {
            if let Op::Fork(child) = event.op {
                let origin = Origin {
                    by: event.thread,
                    event: EventIndex(index as u32),
                    site: event.site,
                };
                created.entry(child).or_insert(origin);
            }
        }
        LogNames {
            log,
            file: file.to_owned(),
            created,
        }
    }
}

/// `Lcom/example/Account;` becomes `com.example.Account`.
fn dotted(descriptor: &str) -> String {
    descriptor
        .strip_prefix('L')
        .and_then(|rest| rest.strip_suffix(';'))
        .unwrap_or(descriptor)
        .replace('/', ".")
}

impl Names for LogNames<'_> {
    fn location(&self, location: LocationId, access: EventIndex) -> LocationText {
        let class = dotted(self.log.class_of(access, location));
        let field = self.log.location(location).field();
        let object = match self.log.location(location) {
            LocationName::Field { object, .. } => Some(object.clone()),
            LocationName::Static { .. } => None,
        };
        LocationText {
            name: format!("{class}.{field}"),
            object,
            class: Some(class),
            field: Some(field.to_owned()),
        }
    }

    fn thread_name(&self, thread: ThreadId) -> Option<String> {
        let (_, name) = self.log.thread_name(thread).split_once(" (")?;
        Some(name.trim_end_matches(')').to_owned())
    }

    fn thread(&self, thread: ThreadId) -> String {
        let name = self.log.thread_name(thread);
        format!("T{}", name.split(' ').next().unwrap_or(name))
    }

    fn task(&self, task: TaskId) -> String {
        self.log.task_name(task).to_owned()
    }

    fn lock(&self, lock: LockId) -> String {
        self.log.lock_name(lock).to_owned()
    }

    fn frames(&self, event: EventIndex, _site: Site) -> Vec<Frame> {
        let origin = self.log.origin(event);
        let is_access = self.log.events[event.index()].op.access().is_some();
        let what = if is_access { "access" } else { "operation" };
        vec![Frame {
            function: format!("{what} {}", origin.number),
            file: Some(self.file.clone()),
            line: Some(origin.line),
        }]
    }

    fn creation(&self, thread: ThreadId) -> Option<Origin> {
        self.created.get(&thread).copied()
    }

    fn operation(&self, event: EventIndex) -> String {
        let what = &self.log.events[event.index()];
        format!(
            "{} by {} (line {})",
            operation(self, &what.op),
            self.thread(what.thread),
            self.log.origin(event).line
        )
    }

    fn has_source(&self) -> bool {
        false
    }
}

impl Names for ObservedNames {
    fn location(&self, location: LocationId, _access: EventIndex) -> LocationText {
        let text = self.locations.get(location.index());
        let text = text.map_or_else(|| location.to_string(), Clone::clone);
        // `Account#3.balance`: which object it was differs from run to run.
        let object = text.rsplit_once('.').filter(|(head, _)| head.contains('#'));
        let Some((object, field)) = object else {
            return LocationText {
                name: text,
                object: None,
                class: None,
                field: None,
            };
        };
        let class = object.split('#').next().unwrap_or(object).to_owned();
        LocationText {
            // So is which element it was.
            name: match field.starts_with('[') {
                true => format!("element of {class}"),
                false => format!("{class}.{field}"),
            },
            object: Some(object.to_owned()),
            class: Some(class),
            field: Some(field.to_owned()),
        }
    }

    fn thread_name(&self, thread: ThreadId) -> Option<String> {
        self.threads.get(thread.index()).cloned()
    }

    fn thread(&self, thread: ThreadId) -> String {
        format!("T{}", thread.0 + 1)
    }

    fn task(&self, task: TaskId) -> String {
        (task.0 + 1).to_string()
    }

    fn lock(&self, lock: LockId) -> String {
        self.locks
            .get(&lock)
            .map_or_else(|| lock.to_string(), Clone::clone)
    }

    fn frames(&self, event: EventIndex, site: Site) -> Vec<Frame> {
        if let Some(stack) = self.stacks.get(&event) {
            return stack.clone();
        }
        self.sites.get(site.index()).cloned().unwrap_or_default()
    }

    fn creation(&self, thread: ThreadId) -> Option<Origin> {
        let created = self.created.get(&thread)?;
        Some(Origin {
            by: created.by,
            event: created.event,
            site: created.site,
        })
    }

    fn operation(&self, event: EventIndex) -> String {
        let Some(what) = self.kept.get(&event) else {
            return event.to_string();
        };
        let at = self.frames(event, what.site);
        let at: Vec<FrameText> = at.into_iter().map(FrameText::from).collect();
        let at = own_frame(&at).map(|frame| format!(" at {}", frame.place()));
        format!(
            "{} by {}{} (event {})",
            operation(self, &what.op),
            self.thread(what.thread),
            at.unwrap_or_default(),
            event.0 + 1
        )
    }

    fn has_source(&self) -> bool {
        true
    }
}

/// What an operation is, without who did it.
fn operation(names: &dyn Names, op: &Op) -> String {
    let thread = |thread: &ThreadId| names.thread(*thread);
    match op {
        Op::ThreadBegin => "the beginning of the thread".to_owned(),
        Op::ThreadEnd => "the end of the thread".to_owned(),
        Op::Fork(child) => format!("the start of thread {}", thread(child)),
        Op::Join(child) => format!("the join of thread {}", thread(child)),
        Op::Acquire(lock) => format!("taking lock {}", names.lock(*lock)),
        Op::Release(lock) => format!("releasing lock {}", names.lock(*lock)),
        Op::Notify(woken) => format!("the notify of thread {}", thread(woken)),
        Op::Wait => "the return from a wait".to_owned(),
        Op::VolatileRead(_) => "a volatile read".to_owned(),
        Op::VolatileWrite(_) => "a volatile write".to_owned(),
        Op::VolatileUpdate(_) => "an atomic update".to_owned(),
        Op::Unpark(target) => format!("the unpark of thread {}", thread(target)),
        Op::Park => "the return from a park".to_owned(),
        Op::Submit(job) => format!("the submission of {job}"),
        Op::JobBegin(job) => format!("the beginning of {job}"),
        Op::JobEnd(job) => format!("the end of {job}"),
        Op::JobAwait(job) => format!("awaiting {job}"),
        Op::ClassReady(class) => format!("the end of the initialiser of {class}"),
        Op::ClassUse(class) => format!("the first use of {class}"),
        Op::AttachQueue => "the making of the queue".to_owned(),
        Op::Loop => "the beginning of the loop".to_owned(),
        Op::Post(post) => {
            let front = match post.place {
                Place::Front => " to the front",
                Place::Back => "",
            };
            format!(
                "the post of task {} to {}{front}",
                names.task(post.task),
                thread(&post.to)
            )
        }
        Op::Unpost(task) => format!("the removal of task {}", names.task(*task)),
        Op::TaskBegin(task) => format!("the beginning of task {}", names.task(*task)),
        Op::TaskEnd(task) => format!("the end of task {}", names.task(*task)),
        Op::BarrierPost { barrier, .. } => format!("the setting of {barrier}"),
        Op::BarrierRemove(barrier) => format!("the removal of {barrier}"),
        Op::OutsideEnter => "the entry from outside".to_owned(),
        Op::OutsideLeave => "the exit to outside".to_owned(),
        Op::Environment(op) => environment(op),
        Op::Read(_) => "a read".to_owned(),
        Op::Write(_) => "a write".to_owned(),
    }
}

fn environment(op: &EnvironmentOp) -> String {
    match op {
        EnvironmentOp::EnableInput(input) => {
            format!("enabling input {} of view {}", input.kind, input.view.0)
        }
        EnvironmentOp::TriggerInput(input) => {
            format!("input {} of view {}", input.kind, input.view.0)
        }
        EnvironmentOp::EnableFocus(window) => format!("enabling the focus of window {}", window.0),
        EnvironmentOp::TriggerFocus(window) => format!("the focus of window {}", window.0),
        EnvironmentOp::EnableLifecycle(id, step) => {
            format!("enabling the life cycle step {step:?} of {}", id.0)
        }
        EnvironmentOp::TriggerLifecycle(id, step) => {
            format!("the life cycle step {step:?} of {}", id.0)
        }
        EnvironmentOp::NameInstance { instance, .. } => format!("the naming of {}", instance.0),
        EnvironmentOp::Service(op) => format!("the service step {:?} of {}", op.step, op.id.0),
        EnvironmentOp::Broadcast(op) => {
            format!("the broadcast step {:?} of {}", op.step, op.intent.0)
        }
        EnvironmentOp::AddIdle(idle) => format!("adding idle handler {}", idle.handler.0),
        EnvironmentOp::RemoveIdle(idle) => format!("removing idle handler {}", idle.handler.0),
        EnvironmentOp::RunIdle(idle) => format!("idle handler {}", idle.handler.0),
    }
}
