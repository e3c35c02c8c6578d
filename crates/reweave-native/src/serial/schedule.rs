//! A recorded schedule, made ready to be followed.

use crate::place;
use reweave_trace::file::table::SiteKind;
use reweave_trace::{Event, Kind, Link, Operation, Process, Reason, SiteId, StreamId};
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
    streams: HashMap<StreamId, Vec<Event>>,
    inputs: HashMap<Link, Vec<u8>>,
    /// Module and offset of the sites of switches.
    places: HashMap<u32, (String, usize)>,
    /// The recording ended by force.
    pub cut: bool,
}

impl Schedule {
    pub fn of(process: Process) -> Result<Schedule, String> {
        let mut streams = HashMap::new();
        // Many switches share few sites.
        let mut sites: HashMap<SiteId, (Option<(String, usize)>, usize)> = HashMap::new();
        let mut by_previous: HashMap<Option<Link>, Switch> = HashMap::new();
        for thread in &process.threads {
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
                by_previous.insert(event.previous, switch);
            }
            streams.insert(thread.stream, events);
        }
        // Every switch names the one before it.
        let mut switches = Vec::with_capacity(by_previous.len());
        let mut last = None;
        while let Some(switch) = by_previous.remove(&last) {
            last = Some(Link::new(
                StreamId(switch.thread),
                reweave_trace::Position(switch.position),
            ));
            switches.push(switch);
        }
        if !by_previous.is_empty() && process.ended {
            return Err(format!(
                "the recording's chain of switches is broken: {} are not reached",
                by_previous.len()
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
        self.streams.get(&thread)?.get(index)
    }

    pub fn has(&self, kind: Kind) -> bool {
        self.streams
            .values()
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
        self.streams.values().map(Vec::len).sum()
    }
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
