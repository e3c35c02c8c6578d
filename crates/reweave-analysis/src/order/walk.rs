//! Goes through the events of a process in an order that could have happened, as far as there is one.
//!
//! An event happens after the event before it in its stream, after its link, a thread's first event after the `start` or
//! `hook` that names its stream, and a `wait` after the event in its value. Streams go on in turn; one that has to wait is
//! put down at the event it waits for, so every event is looked at once and every wait costs a heap operation.
//! Events that come after one that is not there, and those on a cycle (which only damage can make), are never reached.

use reweave_trace::file::table::ThreadKind;
use reweave_trace::{
    Event, Events, Kind, Link, LinkRole, Operation, Position, Process, StreamId, Thread, Woken,
};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};

/// The events that must come before one, besides the event before it in its stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Predecessors {
    /// The previous event on the same object.
    pub object: Option<Link>,
    /// The event that this one waited for without sharing an object: the exit of the joined thread, the interrupt.
    pub order: Option<Link>,
    /// The `start` or `hook` of a thread's first event.
    pub start: Option<Link>,
    /// The notify or interrupt that ended a wait.
    pub waker: Option<Link>,
}

impl Predecessors {
    pub fn iter(&self) -> impl Iterator<Item = Link> {
        [self.object, self.order, self.start, self.waker]
            .into_iter()
            .flatten()
    }
}

/// An event that the walk has reached.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Index of its thread in the process.
    pub thread: usize,
    pub event: Event,
    pub operation: Operation,
    pub predecessors: Predecessors,
    /// How often it happened in a row: an acquire and the `repeat` behind it are one step, because whatever is linked to
    /// the acquire came after all repetitions.
    pub times: u64,
    /// Position of the word after the event and its `repeat`.
    pub end: Position,
}

/// Reads any step of a process.
#[derive(Debug)]
pub struct Steps<'a> {
    process: &'a Process,
    starts: Starts,
    accesses: Accesses,
}

impl<'a> Steps<'a> {
    pub fn of(process: &'a Process) -> Steps<'a> {
        Steps {
            process,
            starts: Starts::of(process),
            accesses: Accesses::of(process),
        }
    }

    /// The step of that thread whose first word is at `position`. `None` at the end of the stream, if the words there
    /// have no meaning, and if the thread's start is missing.
    pub fn at(&self, thread: usize, position: Position) -> Option<Step> {
        let Thread { stream, .. } = self.process.threads.get(thread)?;
        let rest = self.process.threads[thread].words_from(position)?;
        let mut events = Events::new(*stream, position, rest);
        let event = events.next()?.ok()?;
        let repeat = match events.next() {
            Some(Ok(next)) if event.kind == Kind::Acquire && next.kind == Kind::Repeat => {
                Some(next)
            }
            _ => None,
        };
        let operation = event.operation().ok()?;
        let mut predecessors = Predecessors::default();
        match event.kind.link_role() {
            LinkRole::None => (),
            LinkRole::Object => predecessors.object = event.previous,
            LinkRole::Order => predecessors.order = event.previous,
            LinkRole::Accesses => {
                predecessors.order = event.previous.and_then(|link| self.accesses.before(link));
            }
        }
        if let Operation::Wait(Woken::By(link)) = operation {
            predecessors.waker = Some(link);
        }
        if position == Position::FIRST {
            match self.starts.of_stream(*stream) {
                Start::At(link) => predecessors.start = Some(link),
                Start::Missing => return None,
                Start::Free => (),
            }
        }
        Some(Step {
            thread,
            event,
            operation,
            predecessors,
            times: event.times() + repeat.map_or(0, |repeat| repeat.times()),
            end: repeat.unwrap_or(event).end(),
        })
    }
}

/// Calls `visit` for every event that can be reached, and returns how many words of each thread that were.
pub fn walk(steps: &Steps<'_>, mut visit: impl FnMut(&Step)) -> Vec<u64> {
    let threads = &steps.process.threads;
    // What is missing at the beginning of a bounded recording did happen.
    let begun = |thread: &Thread| Stream {
        finished: thread.first.0 - 1,
        ..Stream::default()
    };
    let mut streams: Vec<Stream> = threads.iter().map(begun).collect();
    let mut ready: VecDeque<usize> = (0..streams.len()).collect();
    while let Some(current) = ready.pop_front() {
        while let Some(step) = steps.at(current, Position(streams[current].finished + 1)) {
            let missing = step.predecessors.iter().find_map(|link| {
                match threads.binary_search_by_key(&link.stream, |thread| thread.stream) {
                    Ok(index) if streams[index].finished >= link.position.0 => None,
                    Ok(index) => Some((index, link.position)),
                    // Such a stream does not exist: nobody will ever wake this one.
                    Err(_) => Some((current, Position::MAX)),
                }
            });
            if let Some((other, position)) = missing {
                streams[other].waiting.push(Reverse((position, current)));
                break;
            }
            visit(&step);
            streams[current].finish(&step, &mut ready);
        }
    }
    streams.iter().map(|stream| stream.finished).collect()
}

#[derive(Default)]
struct Stream {
    /// Words of the events that were reached.
    finished: u64,
    /// Threads that wait until this many words are finished.
    waiting: BinaryHeap<Reverse<(Position, usize)>>,
}

impl Stream {
    fn finish(&mut self, step: &Step, ready: &mut VecDeque<usize>) {
        self.finished = step.end.0 - 1;
        while let Some(&Reverse((position, waiter))) = self.waiting.peek() {
            if position.0 > self.finished {
                break;
            }
            self.waiting.pop();
            ready.push_back(waiter);
        }
    }
}

/// Which events of a stream are known to come before how many of its accesses to memory.
#[derive(Debug)]
struct Accesses {
    /// Number of the access and position of each `order` event, ascending in both.
    streams: HashMap<StreamId, Vec<(u64, Position)>>,
}

impl Accesses {
    fn of(process: &Process) -> Accesses {
        let of_thread = |thread: &Thread| {
            let events = thread.events().flatten();
            let orders = events.filter_map(|event| match event.operation() {
                Ok(Operation::Order { access }) => Some((access, event.position)),
                _ => None,
            });
            (thread.stream, orders.collect())
        };
        Accesses {
            streams: process.threads.iter().map(of_thread).collect(),
        }
    }

    /// The last event that is known to come before the given number of accesses was completed.
    fn before(&self, completed: Link) -> Option<Link> {
        let orders = self.streams.get(&completed.stream)?;
        let count = orders.partition_point(|(access, _)| *access <= completed.position.0);
        let (_, position) = orders.get(count.checked_sub(1)?)?;
        Some(Link::new(completed.stream, *position))
    }
}

/// Where each thread was started.
#[derive(Debug)]
pub struct Starts {
    starts: HashMap<StreamId, Start>,
}

/// How a thread came to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    At(Link),
    /// By a recorded thread whose `start` is not in the trace.
    Missing,
    /// Not by a recorded thread.
    Free,
}

impl Starts {
    pub fn of(process: &Process) -> Starts {
        let mut starts = HashMap::new();
        for thread in &process.threads {
            for event in thread.events().flatten() {
                if let Ok(Operation::Start { child } | Operation::Hook { child }) =
                    event.operation()
                {
                    starts
                        .entry(child)
                        .or_insert(Start::At(thread.link(event.position)));
                }
            }
        }
        // Of a bounded recording the starts of threads may be gone.
        let bounded = process
            .threads
            .iter()
            .any(|thread| thread.first != Position::FIRST);
        let missing = process.threads.iter().filter(|_| !bounded);
        for thread in
            missing.filter(|thread| thread.kind == ThreadKind::Thread && thread.parent.is_some())
        {
            starts.entry(thread.stream).or_insert(Start::Missing);
        }
        Starts { starts }
    }

    pub fn of_stream(&self, stream: StreamId) -> Start {
        self.starts.get(&stream).copied().unwrap_or(Start::Free)
    }
}
