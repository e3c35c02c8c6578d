//! A recorded schedule, made ready to be followed.

use crate::place;
use reweave_trace::file::table::SiteKind;
use reweave_trace::{Event, Kind, Link, Operation, Position, Process, Reason, SiteId, StreamId};
use std::collections::HashMap;

/// One switch, in the order in which they happened. gdb reads these at fixed offsets.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Switch {
    pub thread: u32,
    pub next: u32,
    pub blocks: u64,
    /// Where in this process: the instruction that comes next, for an interruption; else for people.
    pub address: usize,
    pub site: u32,
    pub reason: u32,
    /// Position of its event in the thread's stream.
    pub position: u64,
}

impl Switch {
    pub fn reason(&self) -> Reason {
        Reason::from_number(self.reason as u8).unwrap_or(Reason::Blocked)
    }
}

/// An event of a thread other than a switch.
#[derive(Clone, Copy, Debug)]
pub struct Recorded {
    pub value: u64,
    pub link: Link,
}

#[derive(Default)]
pub struct Schedule {
    pub switches: Vec<Switch>,
    /// The events of each thread, by stream.
    streams: Vec<Vec<Event>>,
    inputs: HashMap<Link, Vec<u8>>,
    /// Module and offset of the sites of switches.
    places: HashMap<u32, (String, usize)>,
    /// The recording ended by force.
    pub cut: bool,
}

impl Schedule {
    pub fn of(process: Process) -> Result<Schedule, String> {
        let highest = process.threads.iter().map(|thread| thread.stream.0).max();
        let mut streams = vec![Vec::new(); highest.unwrap_or(0) as usize + 1];
        // Many switches share few sites.
        let mut sites: HashMap<SiteId, (Option<(String, usize)>, usize)> = HashMap::new();
        let mut of_threads: Vec<Vec<(Option<Link>, Switch)>> = vec![Vec::new(); streams.len()];
        for thread in &process.threads {
            let index = thread.stream.0 as usize;
            let events: Vec<Event> = thread.events().flatten().collect();
            for event in &events {
                let Ok(Operation::Switch {
                    next,
                    reason,
                    blocks,
                }) = event.operation()
                else {
                    continue;
                };
                let (_, address) = sites.entry(event.site).or_insert_with(|| {
                    let place = place(&process, event.site);
                    let address = place.as_ref().map_or(0, address);
                    (place, address)
                });
                let switch = Switch {
                    thread: thread.stream.0,
                    next: next.0,
                    blocks,
                    address: *address,
                    site: event.site.0,
                    reason: reason as u32,
                    position: event.position.0,
                };
                of_threads[index].push((event.previous, switch));
            }
            streams[index] = events;
        }
        let (switches, left) = in_order(&of_threads);
        if left > 0 && process.ended {
            return Err(format!(
                "the recording's chain of switches is broken: {left} are not reached"
            ));
        }
        Ok(Schedule {
            switches,
            streams,
            inputs: process.inputs,
            places: sites
                .into_iter()
                .filter_map(|(site, (place, _))| Some((site.0, place?)))
                .collect(),
            cut: !process.ended,
        })
    }

    /// The event of a thread at an index.
    pub fn event(&self, thread: StreamId, index: usize) -> Option<&Event> {
        self.streams.get(thread.0 as usize)?.get(index)
    }

    pub fn has(&self, kind: Kind) -> bool {
        self.streams
            .iter()
            .flatten()
            .any(|event| event.kind == kind)
    }

    /// Where in this process a switch between two instructions is. Its library may not have been loaded when the schedule was made ready.
    pub fn address(&self, switch: &Switch) -> usize {
        match switch.address {
            0 => self.places.get(&switch.site).map_or(0, address),
            known => known,
        }
    }

    pub fn input(&self, link: Link) -> &[u8] {
        self.inputs.get(&link).map_or(&[], Vec::as_slice)
    }

    pub fn events(&self) -> usize {
        self.streams.iter().map(Vec::len).sum()
    }
}

/// The switches of all threads in one row, and how many do not fit into it: each names the thread that goes on, whose next one is then the next of all, and the one before it.
fn in_order(of_threads: &[Vec<(Option<Link>, Switch)>]) -> (Vec<Switch>, usize) {
    let count = of_threads.iter().map(Vec::len).sum();
    let mut switches: Vec<Switch> = Vec::with_capacity(count);
    let mut taken = vec![0; of_threads.len()];
    let (mut last, mut current) = (None, StreamId::MAIN.0 as usize);
    while let Some(own) = of_threads.get(current)
        && let Some((previous, switch)) = own.get(taken[current])
        && *previous == last
    {
        taken[current] += 1;
        last = Some(Link::new(
            StreamId(switch.thread),
            Position(switch.position),
        ));
        current = switch.next as usize;
        switches.push(*switch);
    }
    let left = count - switches.len();
    (switches, left)
}

fn place(process: &Process, site: SiteId) -> Option<(String, usize)> {
    let place = process.sites.get(&site)?;
    if place.kind != SiteKind::Address {
        return None;
    }
    let offset = usize::from_str_radix(place.method.trim_start_matches("+0x"), 16).ok()?;
    Some((place.class.to_string(), offset))
}

/// 0 if no such module is there.
fn address((module, offset): &(String, usize)) -> usize {
    place::address_of(module, *offset).unwrap_or(0)
}

/// What an event expects, for a message.
pub fn kind_and_site(event: &Event) -> (Kind, SiteId) {
    (event.kind, event.site)
}
