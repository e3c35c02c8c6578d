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
use self::walk::{Steps, walk};
use reweave_trace::{Event, EventNumber, Link, Operation, Position, Process, StreamId};
use std::collections::BTreeMap;
use std::num::NonZeroU64;

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

/// All events of a process in one order. Takes about 60 bytes for each; what the words say is read again when asked for.
#[derive(Debug)]
pub struct Order<'a> {
    process: &'a Process,
    steps: Steps<'a>,
    /// By number.
    places: Vec<Place>,
    /// For each thread: where each of its events starts, and which number it has.
    numbers: Vec<Vec<(Position, EventNumber)>>,
    objects: Vec<Object>,
    threads: Vec<ThreadName>,
    /// The waits that each notify ended.
    woken: BTreeMap<EventNumber, Vec<EventNumber>>,
}

/// What has to be remembered of an event.
#[derive(Clone, Copy, Debug)]
struct Place {
    clock: u64,
    position: Position,
    happened_before: Option<NonZeroU64>,
    /// Streams have 24 bits.
    thread: u32,
    object: Option<ObjectId>,
}

impl<'a> Order<'a> {
    pub fn of(process: &'a Process) -> Order<'a> {
        let steps = Steps::of(process);
        let mut places = clocks(process, &steps);
        // Threads are ordered by stream, and a clock occurs only once in a thread.
        places.sort_unstable_by_key(|place| (place.clock, place.thread));
        let mut order = Order {
            process,
            steps,
            places: Vec::with_capacity(places.len()),
            numbers: vec![Vec::new(); process.threads.len()],
            objects: Vec::new(),
            threads: threads::names(process),
            woken: BTreeMap::new(),
        };
        let mut objects = Objects::new(process);
        for place in places {
            order.add(place, &mut objects);
        }
        order.objects = objects.finish(&order.threads);
        order
    }

    /// Gives the next number to an event; all that came before have theirs.
    fn add(&mut self, mut place: Place, objects: &mut Objects<'_>) {
        let number = EventNumber(self.places.len() as u64 + 1);
        // It was there when the clocks were counted.
        let Some(step) = self.steps.at(place.thread as usize, place.position) else {
            return;
        };
        let before = step
            .predecessors
            .iter()
            .filter_map(|link| self.number_at(link))
            .max();
        place.happened_before = before.and_then(|number| NonZeroU64::new(number.0));
        if let Some(notify) = step
            .predecessors
            .waker
            .and_then(|link| self.number_at(link))
        {
            self.woken.entry(notify).or_default().push(number);
        }
        let previous = step
            .predecessors
            .object
            .and_then(|link| self.number_at(link));
        place.object = objects.object_of(number, &step, previous);
        self.numbers[step.thread].push((place.position, number));
        self.places.push(place);
    }

    pub fn process(&self) -> &'a Process {
        self.process
    }

    /// All events, by number.
    pub fn events(&self) -> impl DoubleEndedIterator<Item = Ordered> {
        (1..=self.places.len() as u64).filter_map(|number| self.event(EventNumber(number)))
    }

    /// The events of one thread, by its index in the process.
    pub fn events_of(&self, thread: usize) -> impl DoubleEndedIterator<Item = Ordered> {
        let numbers = self.numbers.get(thread).map_or(&[][..], Vec::as_slice);
        numbers.iter().filter_map(|&(_, number)| self.event(number))
    }

    /// How many events there are, those that repeat an event not counted.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    pub fn event(&self, number: EventNumber) -> Option<Ordered> {
        let place = self
            .places
            .get(usize::try_from(number.0).ok()?.checked_sub(1)?)?;
        let step = self.steps.at(place.thread as usize, place.position)?;
        Some(Ordered {
            number,
            thread: step.thread,
            event: step.event,
            operation: step.operation,
            times: step.times,
            clock: place.clock,
            happened_before: place
                .happened_before
                .map(|number| EventNumber(number.get())),
            object: place.object,
        })
    }

    /// The number of the event that this word belongs to.
    pub fn number_at(&self, link: Link) -> Option<EventNumber> {
        let thread = thread_index(self.process, link.stream)?;
        let number = find_at(&self.numbers[thread], link.position)?;
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
        self.objects.get(event.object?.index())
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

/// The Lamport clock of every event that can be reached.
fn clocks(process: &Process, steps: &Steps<'_>) -> Vec<Place> {
    let mut places = Vec::new();
    let mut clocks: Vec<Vec<(Position, u64)>> = vec![Vec::new(); process.threads.len()];
    walk(steps, |step| {
        let own = clocks[step.thread].last().map_or(0, |&(_, clock)| clock);
        let others = step.predecessors.iter().filter_map(|link| {
            let thread = thread_index(process, link.stream)?;
            find_at(&clocks[thread], link.position)
        });
        let clock = others.fold(own, u64::max) + 1;
        clocks[step.thread].push((step.event.position, clock));
        places.push(Place {
            clock,
            position: step.event.position,
            happened_before: None,
            thread: step.thread as u32,
            object: None,
        });
    });
    places
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
