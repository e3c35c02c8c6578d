//! The order of the events of a process, derived from the links that the recording holds (Girme 2011, chapter 4: Lamport
//! clocks and the immediate happened-before relation).
//!
//! All events are numbered from 1 in one order that could have happened: by Lamport clock, then by stream. The numbers
//! are the same whenever the same recording is read. Differs from the paper: clocks are derived here instead of being
//! counted while the program runs, because the links determine them. Events that come after a missing one are left out.

pub mod cut;
pub mod objects;
pub mod threads;
pub mod walk;

#[cfg(test)]
mod tests;

pub use cut::Cut;
pub use objects::{Object, ObjectId, Owner};
pub use threads::ThreadName;
pub use walk::Predecessors;

use self::objects::Objects;
use self::walk::walk;
use reweave_trace::{Event, EventNumber, Link, Operation, Position, Process, StreamId, Woken};
use std::collections::BTreeMap;

/// An event and its place among the others.
#[derive(Clone, Copy, Debug)]
pub struct Ordered {
    pub number: EventNumber,
    /// Index of its thread in the process.
    pub thread: usize,
    pub event: Event,
    pub operation: Operation,
    /// How often it happened in a row, with nothing in between on its object or in its thread.
    pub times: u64,
    /// One more than the largest clock among the events that came immediately before.
    pub clock: u64,
    /// The last event that came immediately before by another way than being earlier in the same thread: the previous
    /// one on the object, the start of the thread, the exit of a joined one, the notify that woke it.
    pub happened_before: Option<EventNumber>,
    pub object: Option<ObjectId>,
}

/// All events of a process in one order.
#[derive(Debug)]
pub struct Order<'a> {
    process: &'a Process,
    events: Vec<Ordered>,
    /// For each thread: where each of its events starts, and which number it has.
    places: Vec<Vec<(Position, EventNumber)>>,
    objects: Vec<Object>,
    threads: Vec<ThreadName>,
    /// The waits that each notify ended.
    woken: BTreeMap<EventNumber, Vec<EventNumber>>,
}

impl<'a> Order<'a> {
    pub fn of(process: &'a Process) -> Order<'a> {
        let mut steps = Vec::new();
        let mut clocks: Vec<Vec<(Position, u64)>> = vec![Vec::new(); process.threads.len()];
        walk(process, |step| {
            let own = clocks[step.thread].last().map_or(0, |&(_, clock)| clock);
            let others = step.predecessors.iter().filter_map(|link| {
                let thread = thread_index(process, link.stream)?;
                find_at(&clocks[thread], link.position)
            });
            let clock = others.fold(own, u64::max) + 1;
            clocks[step.thread].push((step.event.position, clock));
            steps.push((clock, *step));
        });
        drop(clocks);
        // Threads are ordered by stream, and a clock occurs only once in a thread.
        steps.sort_unstable_by_key(|(clock, step)| (*clock, step.thread));
        let mut order = Order {
            process,
            events: Vec::with_capacity(steps.len()),
            places: vec![Vec::new(); process.threads.len()],
            objects: Vec::new(),
            threads: threads::names(process),
            woken: BTreeMap::new(),
        };
        let mut objects = Objects::new(process);
        for (clock, step) in steps {
            let number = EventNumber(order.events.len() as u64 + 1);
            let before: Vec<EventNumber> = step
                .predecessors
                .iter()
                .filter_map(|link| order.number_at(link))
                .collect();
            if let (Operation::Wait(Woken::By(_)), Some(notify)) = (
                step.operation,
                step.predecessors
                    .waker
                    .and_then(|link| order.number_at(link)),
            ) {
                order.woken.entry(notify).or_default().push(number);
            }
            let previous = step
                .predecessors
                .object
                .and_then(|link| order.number_at(link));
            order.places[step.thread].push((step.event.position, number));
            order.events.push(Ordered {
                number,
                thread: step.thread,
                event: step.event,
                operation: step.operation,
                times: step.times,
                clock,
                happened_before: before.into_iter().max(),
                object: objects.object_of(number, &step, previous),
            });
        }
        order.objects = objects.finish(&order.threads);
        order
    }

    pub fn process(&self) -> &'a Process {
        self.process
    }

    /// All events, by number.
    pub fn events(&self) -> &[Ordered] {
        &self.events
    }

    pub fn event(&self, number: EventNumber) -> Option<&Ordered> {
        self.events
            .get(usize::try_from(number.0).ok()?.checked_sub(1)?)
    }

    /// The number of the event that this word belongs to.
    pub fn number_at(&self, link: Link) -> Option<EventNumber> {
        let thread = thread_index(self.process, link.stream)?;
        let number = find_at(&self.places[thread], link.position)?;
        let event = self.event(number)?;
        (link.position < event.event.end()).then_some(number)
    }

    pub fn link(&self, number: EventNumber) -> Option<Link> {
        let event = self.event(number)?;
        Some(self.process.threads[event.thread].link(event.event.position))
    }

    /// By id.
    pub fn objects(&self) -> &[Object] {
        &self.objects
    }

    pub fn object(&self, event: &Ordered) -> Option<&Object> {
        self.objects.get(event.object?.0)
    }

    /// In the order of the process's threads.
    pub fn threads(&self) -> &[ThreadName] {
        &self.threads
    }

    pub fn thread(&self, event: &Ordered) -> &ThreadName {
        &self.threads[event.thread]
    }

    pub fn thread_of(&self, stream: StreamId) -> Option<&ThreadName> {
        Some(&self.threads[thread_index(self.process, stream)?])
    }

    /// The waits that this notify (or interrupt) ended.
    pub fn woken_by(&self, number: EventNumber) -> &[EventNumber] {
        self.woken.get(&number).map_or(&[], Vec::as_slice)
    }
}

fn thread_index(process: &Process, stream: StreamId) -> Option<usize> {
    process
        .threads
        .binary_search_by_key(&stream, |thread| thread.stream)
        .ok()
}

/// What belongs to the last entry at or before that position: links may name any word of an event.
fn find_at<T: Copy>(entries: &[(Position, T)], position: Position) -> Option<T> {
    let after = entries.partition_point(|(start, _)| *start <= position);
    Some(entries[after.checked_sub(1)?].1)
}
