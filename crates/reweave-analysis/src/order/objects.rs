//! Names for the objects that events are on. An object is known by its first event; the others lead back to it by links.

use super::threads::ThreadName;
use super::walk::Step;
use reweave_trace::{ClassId, EventNumber, LinkRole, Operation, Process, StreamId};
use std::collections::HashMap;
use std::num::NonZeroU32;

/// Number of an object, in the order of first events, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId(NonZeroU32);

impl ObjectId {
    fn at(index: usize) -> ObjectId {
        let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
        ObjectId(NonZeroU32::new(number).unwrap_or(NonZeroU32::MAX))
    }

    /// Index in the list of all objects.
    pub fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// What an object is, as far as the recording tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Owner {
    /// A monitor; its class, if it was written down.
    Monitor(Option<ClassId>),
    /// The permit and interrupt flag of a thread; `None` if that thread is not recorded.
    Thread(Option<StreamId>),
}

#[derive(Clone, Debug)]
pub struct Object {
    pub id: ObjectId,
    pub owner: Owner,
    /// `Account#3`, `lock#3` if the class is not known, or the name of the thread whose permit it is.
    pub name: String,
    pub first: EventNumber,
    /// How many events are on it.
    pub events: usize,
}

/// Follows the chains of events.
pub(super) struct Objects<'a> {
    process: &'a Process,
    objects: Vec<Object>,
    /// Where each event stands, by event number.
    chain: Vec<Option<Chain>>,
    /// Objects that share a cell, by the cell's first event and their tag.
    shared: HashMap<(EventNumber, u32), ObjectId>,
}

#[derive(Clone, Copy)]
struct Chain {
    object: ObjectId,
    /// First event of the chain.
    cell: EventNumber,
}

impl<'a> Objects<'a> {
    pub fn new(process: &'a Process) -> Objects<'a> {
        Objects {
            process,
            objects: Vec::new(),
            chain: Vec::new(),
            shared: HashMap::new(),
        }
    }

    /// The object of the next event; `previous` is the event before it in its chain.
    pub fn object_of(
        &mut self,
        number: EventNumber,
        step: &Step,
        previous: Option<EventNumber>,
    ) -> Option<ObjectId> {
        if step.event.kind.link_role() != LinkRole::Object {
            return None;
        }
        let before = previous.and_then(|previous| *self.chain.get(previous.0 as usize)?);
        let cell = before.map_or(number, |before| before.cell);
        let object = match (step.event.tag.shared_number(), before) {
            (Some(tag), _) => match self.shared.get(&(cell, tag)) {
                Some(&object) => object,
                None => {
                    let object = self.add(number, step);
                    self.shared.insert((cell, tag), object);
                    object
                }
            },
            (None, Some(before)) => before.object,
            (None, None) => self.add(number, step),
        };
        self.objects[object.index()].events += 1;
        self.chain.resize(number.0 as usize + 1, None);
        self.chain[number.0 as usize] = Some(Chain { object, cell });
        Some(object)
    }

    fn add(&mut self, first: EventNumber, step: &Step) -> ObjectId {
        let id = ObjectId::at(self.objects.len());
        let recorded = |stream: StreamId| Some(stream).filter(|stream| stream.0 != 0);
        let owner = match step.operation {
            Operation::Park => Owner::Thread(Some(self.process.threads[step.thread].stream)),
            Operation::Unpark { target }
            | Operation::Interrupt { target }
            | Operation::ReadInterrupt { target, .. } => Owner::Thread(recorded(target)),
            _ => Owner::Monitor(step.event.first_class()),
        };
        self.objects.push(Object {
            id,
            owner,
            name: String::new(),
            first,
            events: 0,
        });
        id
    }

    /// Gives names: monitors are numbered in the order of their first events.
    pub fn finish(mut self, threads: &[ThreadName]) -> Vec<Object> {
        let mut monitors = 0;
        for object in &mut self.objects {
            object.name = match object.owner {
                Owner::Monitor(class) => {
                    monitors += 1;
                    let class = class.and_then(|class| self.process.classes.get(&class));
                    format!(
                        "{}#{monitors}",
                        class.map_or("lock", |class| simple_name(class))
                    )
                }
                Owner::Thread(stream) => threads
                    .iter()
                    .find(|thread| Some(thread.stream) == stream)
                    .map_or("a thread outside".to_owned(), |thread| thread.path.clone()),
            };
        }
        self.objects
    }
}

/// `Account` of `com/example/Account`, `Inner` of `com.example.Outer$Inner`.
fn simple_name(class: &str) -> &str {
    let name = class.rsplit(['/', '.']).next().unwrap_or(class);
    match name.rsplit_once('$') {
        // An anonymous class is only a number; then the outer name says more.
        Some((_, inner)) if inner.starts_with(char::is_alphabetic) => inner,
        _ => name,
    }
}
