//! Operations of the log become operations of the engine.

mod environment;
mod finish;

use super::line::{Fields, shortened};
use super::{ImportError, Limits, Problem};
use crate::races::event::{Event, EventIndex, LocationId, LockId, Op, Post, TaskId, ThreadId};
use crate::races::hash::IdMap;
use crate::races::log::{ClassName, Log, Origin};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Numbers for names, in order of appearance.
#[derive(Debug, Default)]
struct Numbers {
    by_name: HashMap<String, u32>,
    names: Vec<String>,
}

impl Numbers {
    fn of(&mut self, name: &str) -> u32 {
        if let Some(number) = self.by_name.get(name) {
            return *number;
        }
        let number = self.names.len() as u32;
        self.by_name.insert(name.to_owned(), number);
        self.names.push(name.to_owned());
        number
    }
}

#[derive(Debug)]
struct Thread {
    id: ThreadId,
    /// It began, or came in from outside.
    exists: bool,
    looping: bool,
    running: Option<i64>,
    /// Accesses since its last operation: they count from the operation that closes the group.
    accesses: Vec<Access>,
}

#[derive(Debug)]
struct Message {
    task: TaskId,
    post: EventIndex,
    called: bool,
}

#[derive(Clone, Copy, Debug)]
struct Access {
    op: AccessOp,
    location: u32,
    class: ClassName,
    origin: Origin,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AccessOp {
    Read,
    Write,
}

/// What makes a location: an object whatever its class, so that an address used again is one location as it is for the
/// original, or a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Holder {
    Object(u32),
    Class(ClassName),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct LocationKey {
    holder: Holder,
    field: u32,
}

/// Who accessed a location first, which gives it its class.
#[derive(Clone, Copy, Debug)]
struct FirstClass {
    read: Option<ClassName>,
    write: Option<ClassName>,
}

#[derive(Debug)]
pub struct Translator {
    limits: Limits,
    log: Log,
    operations: HashSet<u32>,
    threads: HashMap<i64, Thread>,
    last_thread: i64,
    messages: HashMap<i64, Message>,
    locks: Numbers,
    classes: Numbers,
    services: Numbers,
    actions: Numbers,
    objects: Numbers,
    fields: Numbers,
    locations: IdMap<LocationKey, u32>,
    location_keys: Vec<LocationKey>,
    first_classes: Vec<FirstClass>,
    access_classes: Vec<(EventIndex, ClassName)>,
    last_enable: BTreeMap<(i64, i64), u32>,
    used_enables: BTreeSet<u32>,
    enables: u64,
    counted: Counted,
}

#[derive(Debug, Default)]
struct Counted {
    operations: u64,
    last_operation: u64,
    accesses: u64,
    groups: u64,
    threads: u64,
    queues: u64,
    tasks: u64,
}

impl Translator {
    pub fn new(limits: Limits) -> Translator {
        Translator {
            limits,
            log: Log::default(),
            operations: HashSet::new(),
            threads: HashMap::new(),
            last_thread: 1,
            messages: HashMap::new(),
            locks: Numbers::default(),
            classes: Numbers::default(),
            services: Numbers::default(),
            actions: Numbers::default(),
            objects: Numbers::default(),
            fields: Numbers::default(),
            locations: IdMap::default(),
            location_keys: Vec::new(),
            first_classes: Vec::new(),
            access_classes: Vec::new(),
            last_enable: BTreeMap::new(),
            used_enables: BTreeSet::new(),
            enables: 0,
            counted: Counted::default(),
        }
    }

    pub fn note(&mut self, note: &str) {
        self.log.notes.push(note.to_owned());
    }

    fn thread(&mut self, tid: i64) -> &mut Thread {
        let next = ThreadId(self.threads.len() as u32);
        let names = &mut self.log.thread_names;
        self.threads.entry(tid).or_insert_with(|| {
            names.push(tid.to_string());
            Thread {
                id: next,
                exists: false,
                looping: false,
                running: None,
                accesses: Vec::new(),
            }
        })
    }

    fn push(&mut self, origin: Origin, tid: i64, op: Op) -> EventIndex {
        let thread = self.thread(tid).id;
        let index = EventIndex(self.log.events.len() as u32);
        self.log.events.push(Event::new(thread, op));
        self.log.origins.push(origin);
        index
    }

    fn check_limit(&self, fields: &Fields<'_>) -> Result<(), ImportError> {
        let read = self.counted.operations + self.counted.accesses;
        if read > self.limits.operations as u64 {
            return Err(fields.error(Problem::TooLong(self.limits.operations)));
        }
        Ok(())
    }

    pub fn access(
        &mut self,
        line: u32,
        id: u32,
        kind: &str,
        fields: &Fields<'_>,
    ) -> Result<(), ImportError> {
        let op = match kind {
            "READ" | "READ-STATIC" => AccessOp::Read,
            "WRITE" | "WRITE-STATIC" => AccessOp::Write,
            _ => return Err(fields.error(Problem::UnknownKind(shortened(kind)))),
        };
        let tid = fields.number("tid")?;
        self.counted.accesses += 1;
        self.check_limit(fields)?;
        // Databases are outside the program and how they are shared is not recorded, so nobody reports them.
        if fields.rest("database").is_some() {
            return Ok(());
        }
        let is_static = kind.ends_with("-STATIC");
        let object = if is_static {
            None
        } else {
            Some(fields.name("obj")?)
        };
        let class = ClassName(self.classes.of(fields.name("class")?));
        let location = self.location(object, class, fields.name("field")?);
        let first = &mut self.first_classes[location as usize];
        match op {
            AccessOp::Read => first.read.get_or_insert(class),
            AccessOp::Write => first.write.get_or_insert(class),
        };
        let origin = Origin { line, number: id };
        self.thread(tid).accesses.push(Access {
            op,
            location,
            class,
            origin,
        });
        Ok(())
    }

    fn location(&mut self, object: Option<&str>, class: ClassName, field: &str) -> u32 {
        let holder = match object {
            Some(object) => Holder::Object(self.objects.of(object)),
            None => Holder::Class(class),
        };
        let key = LocationKey {
            holder,
            field: self.fields.of(field),
        };
        let next = self.location_keys.len() as u32;
        let keys = &mut self.location_keys;
        let first_classes = &mut self.first_classes;
        *self.locations.entry(key).or_insert_with(|| {
            keys.push(key);
            first_classes.push(FirstClass {
                read: None,
                write: None,
            });
            next
        })
    }

    /// The accesses of a thread since its last operation become operations here.
    fn close_group(&mut self, tid: i64) {
        let accesses = std::mem::take(&mut self.thread(tid).accesses);
        for access in accesses {
            let location = LocationId(access.location);
            let op = match access.op {
                AccessOp::Read => Op::Read(location),
                AccessOp::Write => Op::Write(location),
            };
            let event = self.push(access.origin, tid, op);
            self.access_classes.push((event, access.class));
        }
    }

    pub fn operation(
        &mut self,
        line: u32,
        id: u32,
        kind: &str,
        fields: &Fields<'_>,
    ) -> Result<(), ImportError> {
        if !self.operations.insert(id) {
            return Err(fields.error(Problem::OperationTwice(id)));
        }
        self.counted.operations += 1;
        self.check_limit(fields)?;
        self.counted.last_operation = self.counted.last_operation.max(id.into());
        if kind == "START" {
            return Ok(());
        }
        let origin = Origin { line, number: id };
        let tid = match kind {
            "POST" => fields.number("src")?,
            "FORK" => fields.number("par-tid")?,
            // These are logged without their thread, right after another operation of it.
            "ADD_IDLE_HANDLER" | "REMOVE_IDLE_HANDLER" => self.last_thread,
            _ => fields.number("tid")?,
        };
        self.last_thread = tid;
        self.check_thread(kind, tid, fields)?;
        match kind {
            "ACCESS" => {
                self.counted.groups += 1;
                self.close_group(tid);
                Ok(())
            }
            "POST" => self.post(tid, fields, origin),
            "CALL" => self.call(tid, fields, origin),
            "RET" => self.ret(tid, fields, origin),
            _ => {
                let op = self.plain(kind, tid, fields)?;
                let op = match op {
                    Some(op) => op,
                    None => Op::Environment(Box::new(self.environment(kind, id, fields)?)),
                };
                self.push(origin, tid, op);
                Ok(())
            }
        }
    }

    fn check_thread(
        &mut self,
        kind: &str,
        tid: i64,
        fields: &Fields<'_>,
    ) -> Result<(), ImportError> {
        let thread = self.thread(tid);
        match kind {
            "THREADINIT" | "NATIVE-ENTRY" => thread.exists = true,
            // After its end a thread may still be seen: what it does last is logged late.
            _ if !thread.exists => return Err(fields.error(Problem::UnknownThread(tid))),
            "LOOP" => thread.looping = true,
            _ => (),
        }
        Ok(())
    }

    /// Operations of threads and locks; `None` if it is one of the environment.
    fn plain(
        &mut self,
        kind: &str,
        tid: i64,
        fields: &Fields<'_>,
    ) -> Result<Option<Op>, ImportError> {
        Ok(Some(match kind {
            "THREADINIT" => {
                self.counted.threads += 1;
                Op::ThreadBegin
            }
            "THREADEXIT" => Op::ThreadEnd,
            "FORK" => {
                let child = fields.number("child-tid")?;
                Op::Fork(self.thread(child).id)
            }
            "ATTACH-Q" => {
                self.counted.queues += 1;
                Op::AttachQueue
            }
            "LOOP" => Op::Loop,
            "LOCK" => Op::Acquire(LockId(self.locks.of(fields.name("lock-obj")?))),
            "UNLOCK" => Op::Release(LockId(self.locks.of(fields.name("lock-obj")?))),
            "NOTIFY" => {
                let woken = fields.number("notifiedTid")?;
                Op::Notify(self.thread(woken).id)
            }
            "WAIT" => Op::Wait,
            "NATIVE-ENTRY" => {
                if let Some(name) = fields
                    .rest("tid")
                    .and_then(|rest| rest.split_once("thread-name:"))
                {
                    let id = self.thread(tid).id;
                    self.log.thread_names[id.index()] = format!("{tid} ({})", shortened(name.1));
                }
                Op::OutsideEnter
            }
            "NATIVE-EXIT" => Op::OutsideLeave,
            _ => return Ok(None),
        }))
    }

    fn post(&mut self, tid: i64, fields: &Fields<'_>, origin: Origin) -> Result<(), ImportError> {
        let msg = fields.number("msg")?;
        let delay = fields.number("delay")?;
        if self.messages.contains_key(&msg) {
            return Err(fields.error(Problem::PostedTwice(msg)));
        }
        let task = TaskId(self.messages.len() as u32);
        // The log does not say where it goes; that is known once it is called. A delay that has passed is none.
        let mut spec = Post::plain(task, ThreadId(u32::MAX));
        spec.delay = u32::try_from(delay.max(0)).unwrap_or(u32::MAX);
        let post = self.push(origin, tid, Op::Post(spec));
        self.log.task_names.push(msg.to_string());
        self.messages.insert(
            msg,
            Message {
                task,
                post,
                called: false,
            },
        );
        Ok(())
    }

    fn call(&mut self, tid: i64, fields: &Fields<'_>, origin: Origin) -> Result<(), ImportError> {
        let msg = fields.number("msg")?;
        let thread = self.thread(tid);
        if !thread.looping {
            return Err(fields.error(Problem::NoLoop(tid)));
        }
        if let Some(outer) = thread.running {
            return Err(fields.error(Problem::Nested { inner: msg, outer }));
        }
        let to = thread.id;
        let Some(message) = self.messages.get_mut(&msg) else {
            return Err(fields.error(Problem::NotPosted(msg)));
        };
        if message.called {
            return Err(fields.error(Problem::CalledTwice(msg)));
        }
        message.called = true;
        let (task, post) = (message.task, message.post);
        if let Op::Post(spec) = &mut self.log.events[post.index()].op {
            spec.to = to;
        }
        self.thread(tid).running = Some(msg);
        self.counted.tasks += 1;
        self.push(origin, tid, Op::TaskBegin(task));
        Ok(())
    }

    fn ret(&mut self, tid: i64, fields: &Fields<'_>, origin: Origin) -> Result<(), ImportError> {
        let msg = fields.number("msg")?;
        let thread = self.thread(tid);
        if thread.running != Some(msg) {
            return Err(fields.error(Problem::NotRunning(msg)));
        }
        thread.running = None;
        let Some(message) = self.messages.get(&msg) else {
            return Err(fields.error(Problem::NotPosted(msg)));
        };
        let task = message.task;
        self.push(origin, tid, Op::TaskEnd(task));
        Ok(())
    }
}
