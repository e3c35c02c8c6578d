//! A trace kept whole, with the names of what occurs in it and where each operation came from.

use super::event::{Event, EventIndex, LocationId, LockId, TaskId, ThreadId};
use super::hash::IdMap;

/// Number of a class name in a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClassName(pub u32);

/// What a location is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LocationName {
    /// A field of one object.
    Field {
        object: String,
        class: ClassName,
        field: String,
    },
    Static {
        class: ClassName,
        field: String,
    },
}

impl LocationName {
    pub fn class(&self) -> ClassName {
        match self {
            LocationName::Field { class, .. } | LocationName::Static { class, .. } => *class,
        }
    }

    pub fn field(&self) -> &str {
        match self {
            LocationName::Field { field, .. } | LocationName::Static { field, .. } => field,
        }
    }
}

/// Where an operation stood in the file it came from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// Line, from 1.
    pub line: u32,
    /// The number that the file gives to it.
    pub number: u32,
}

/// The size of a trace, counted as DroidRacer's authors counted it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TraceTable {
    /// Operations, with each group of accesses counted by its accesses.
    pub length: u64,
    /// Distinct pairs of class and field.
    pub fields: u64,
    pub threads_without_queue: u64,
    pub threads_with_queue: u64,
    pub tasks: u64,
    /// Operations that take part in the order: posts that never ran and inputs that never came do not.
    pub nodes: u64,
    pub accesses: u64,
}

/// A trace kept whole.
#[derive(Clone, Debug, Default)]
pub struct Log {
    pub events: Vec<Event>,
    /// By event.
    pub origins: Vec<Origin>,
    pub classes: Vec<String>,
    pub locations: Vec<LocationName>,
    /// The class of an accessed object where it is not that of the location: an address that was used again.
    pub other_classes: IdMap<EventIndex, ClassName>,
    pub thread_names: Vec<String>,
    pub task_names: Vec<String>,
    pub lock_names: Vec<String>,
    pub table: TraceTable,
    /// What a reader of the result should know about the file.
    pub notes: Vec<String>,
}

impl Log {
    pub fn location(&self, location: LocationId) -> &LocationName {
        &self.locations[location.index()]
    }

    pub fn class_name(&self, class: ClassName) -> &str {
        &self.classes[class.0 as usize]
    }

    /// The class of the object that this access went to.
    pub fn class_of(&self, access: EventIndex, location: LocationId) -> &str {
        let class = self.other_classes.get(&access).copied();
        self.class_name(class.unwrap_or_else(|| self.location(location).class()))
    }

    pub fn origin(&self, event: EventIndex) -> Origin {
        self.origins.get(event.index()).copied().unwrap_or_default()
    }

    pub fn thread_name(&self, thread: ThreadId) -> &str {
        self.thread_names
            .get(thread.index())
            .map_or("", String::as_str)
    }

    pub fn task_name(&self, task: TaskId) -> &str {
        self.task_names.get(task.index()).map_or("", String::as_str)
    }

    pub fn lock_name(&self, lock: LockId) -> &str {
        self.lock_names.get(lock.index()).map_or("", String::as_str)
    }
}
