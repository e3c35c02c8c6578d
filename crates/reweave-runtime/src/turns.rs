//! Who may go on: the rule that makes a replay follow a recording.
//!
//! Every stream has a cursor. An event may happen when every event it is linked to has happened; nothing else is waited for, so threads that do not depend on
//! each other run in parallel (Girme 2011, chapter 4; there a scheduler thread looks through all waiting threads, here each thread waits for exactly
//! the stream it depends on). The kind and site of every event are checked: a replay that no longer fits ends with a [`Divergence`], it never guesses on.

mod accesses;
mod light;
mod stream;
mod waiting;

use self::accesses::awaited;
use self::light::Unparks;
use self::stream::{AT_END, ENDED, NOT_STARTED, RUNNING, Stream, WAITING, WAITING_FOR_ACCESSES};
use crate::slots::Slots;
use crate::sys::thread_number;
use reweave_trace::event::{TAG_SHARED, UPPER_SHIFT};
use reweave_trace::{Form, Kind, Link, Position, SiteId, StreamId};
use std::collections::HashSet;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// The replay no longer fits the recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Divergence {
    pub stream: StreamId,
    /// Of the expected event, or just behind the last one.
    pub position: Position,
    /// `None`: the recording has no more events here.
    pub expected: Option<(Kind, SiteId)>,
    pub observed: (Kind, SiteId),
    pub detail: String,
}

/// What a thread was told at the gate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Turn {
    /// Go on, and call [`Turns::done`] afterwards.
    Go,
    /// Go on, but this is the event at which the user wants to stop and look.
    StopHere,
    /// Not yet. Only for streams that are [light](Turns::is_light): ask again after [`Turns::next_to_unpark`] has named the stream.
    Later,
    /// The recording has no more events for this stream.
    End,
    Diverged(Divergence),
}

/// What a stream is doing, for the watcher and for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activity {
    NotStarted,
    Running,
    /// At its next event, until the linked one is done.
    Waiting(Link),
    /// At its next access to memory, until the stream has completed that many.
    WaitingForAccesses(StreamId, u64),
    /// At an operation that the recording does not have any more.
    AtEnd(Kind, SiteId),
    Ended,
}

pub struct Turns {
    streams: Vec<Stream>,
    /// Where the front end counts accesses to memory.
    slots: Slots,
    /// What a stream does that has accesses left when its recording has ended.
    beyond: Beyond,
    goto: Option<Link>,
    /// Grows with every event, so that the watcher sees progress.
    steps: AtomicU64,
    /// How many threads spin, and how many may: all processors but one.
    spinning: AtomicU32,
    spinners: u32,
    unparks: Unparks,
}

/// Whether accesses to memory may go on where a stream's recording ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beyond {
    /// The program ended in order: whatever comes is part of its end.
    GoOn,
    /// The recording was cut short: what would come is not known.
    Stop,
}

impl Turns {
    /// The words of stream k + 1 at index k.
    pub fn new(streams: Vec<Vec<u64>>, goto: Option<Link>) -> Turns {
        let mut streams: Vec<Stream> = streams.into_iter().map(Stream::new).collect();
        let slots = Slots::new(streams.len());
        for (stream, completed) in awaited(&streams) {
            if let Some(stream) = streams.get_mut(stream) {
                stream.awaited.push(completed);
            }
        }
        for stream in &mut streams {
            stream.awaited.sort_unstable();
            stream.awaited.dedup();
        }
        let processors = std::thread::available_parallelism().map_or(1, |n| n.get() as u32);
        let turns = Turns {
            streams,
            slots,
            beyond: Beyond::GoOn,
            goto,
            steps: AtomicU64::new(0),
            spinning: AtomicU32::new(0),
            spinners: processors - 1,
            unparks: Unparks::default(),
        };
        for id in turns.stream_ids() {
            turns.plan_asking(id);
            turns.plan_telling(id);
        }
        turns
    }

    /// What happens to accesses where a stream's recording ends.
    pub fn ending(mut self, beyond: Beyond) -> Turns {
        self.beyond = beyond;
        for id in self.stream_ids() {
            self.plan_asking(id);
        }
        self
    }

    /// Where the front end counts accesses.
    pub fn slots(&self) -> &Slots {
        &self.slots
    }

    /// Waits for the turn of the stream's next event, which must be of this kind and from this site.
    pub fn enter(&self, id: StreamId, kind: Kind, site: SiteId) -> Turn {
        let Some(stream) = self.stream(id) else {
            return Turn::End;
        };
        stream.introduce();
        let at = self.skip_foreign(stream);
        let Some(event) = stream.at(at) else {
            stream.stop_at(kind, site);
            return Turn::End;
        };
        if (event.kind, event.site) != (kind, site) {
            return Turn::Diverged(Divergence {
                stream: id,
                position: Position(at + 1),
                expected: Some((event.kind, event.site)),
                observed: (kind, site),
                detail: String::new(),
            });
        }
        let first_round = stream.rounds.load(Ordering::Relaxed) == 0;
        for link in event
            .predecessors()
            .into_iter()
            .flatten()
            .filter(|_| first_round)
        {
            // A thread that runs an initialiser has done what it did before, though its last event may come to be repeated.
            let own = link.stream == id
                || kind == Kind::ClassInit
                    && (self.thread_of(link.stream) == thread_number() || self.is_repeating(link));
            if !own && !self.wait_for(id, stream, link) {
                return Turn::Later;
            }
        }
        stream.activity.store(RUNNING, Ordering::Release);
        match self.goto {
            Some(goto) if first_round && goto == Link::new(id, Position(at + 1)) => Turn::StopHere,
            _ => Turn::Go,
        }
    }

    /// Whether the event has happened but not yet as often as it will. A static initialiser may run between two repetitions: on that thread itself, whose
    /// repetitions go on afterwards.
    fn is_repeating(&self, link: Link) -> bool {
        self.stream(link.stream).is_some_and(|stream| {
            let reached = stream.events.reached.load(Ordering::SeqCst);
            let words = stream
                .at(reached)
                .map_or(0, |event| event.form.words() as u64);
            let current = reached < link.position.0 && link.position.0 <= reached + words + 1;
            current && stream.rounds.load(Ordering::Relaxed) > 0
        })
    }

    /// The event that [`Turns::enter`] let pass has happened.
    pub fn done(&self, id: StreamId) {
        if self.done_without_waking(id) {
            self.wake_up(id);
        }
    }

    /// Like [`Turns::done`], for an acquire: whoever sleeps for it could not have the lock yet. True if somebody does; [`Turns::wake_up`] is to be called
    /// when the lock is free, or at the next event.
    pub fn done_without_waking(&self, id: StreamId) -> bool {
        let Some(stream) = self.stream(id) else {
            return false;
        };
        let at = self.skip_foreign(stream);
        let Some(event) = stream.at(at) else {
            return false;
        };
        self.steps.fetch_add(1, Ordering::Relaxed);
        if let (Kind::Start, Some(child)) = (event.kind, event.value) {
            // It runs, though it may take its time until its first event: perhaps a debugger has stopped it.
            if let Some(child) = self.stream(StreamId(child as u32)) {
                child.begin();
            }
        }
        let mut end = at + event.form.words() as u64;
        // Nobody used the object in between, so whoever waits for the event waits for all its repetitions.
        if let Some(more) = stream.repeats(end) {
            let round = stream.rounds.load(Ordering::Relaxed);
            if round < more {
                stream.rounds.store(round + 1, Ordering::Relaxed);
                return false;
            }
            stream.rounds.store(0, Ordering::Relaxed);
            end += 1;
        }
        // Sequentially consistent, as the read below: either the sleeper sees the number, or we see the sleeper.
        stream.events.reached.store(end, Ordering::SeqCst);
        if self.beyond == Beyond::Stop && end >= stream.words.len() as u64 {
            self.plan_asking(id);
        }
        stream.events.sleeping.load(Ordering::SeqCst) != 0
    }

    /// Wakes whoever sleeps for what this stream has done.
    pub fn wake_up(&self, id: StreamId) {
        if let Some(stream) = self.stream(id) {
            self.wake(&stream.events);
        }
    }

    /// The value of the event that [`Turns::enter`] let pass; 0 if it has none.
    pub fn value(&self, id: StreamId) -> u64 {
        let Some(stream) = self.stream(id) else {
            return 0;
        };
        stream
            .at(self.skip_foreign(stream))
            .and_then(|event| event.value)
            .unwrap_or(0)
    }

    /// The link that the event has which [`Turns::enter`] let pass.
    pub fn link(&self, id: StreamId) -> Option<Link> {
        let stream = self.stream(id)?;
        stream.at(self.skip_foreign(stream))?.link
    }

    /// The links of all events of this kind at these sites.
    pub fn links_at(&self, kind: Kind, sites: &[SiteId]) -> HashSet<Link> {
        let mut found = HashSet::new();
        for stream in &self.streams {
            let mut at = 0;
            while let Some(event) = stream.at(at) {
                if event.kind == kind && sites.contains(&event.site) {
                    found.extend(event.link);
                }
                at += event.form.words() as u64;
            }
        }
        found
    }

    /// The link and the tag of the event that [`Turns::enter`] let pass.
    pub fn current(&self, id: StreamId) -> Option<(Link, u32)> {
        let stream = self.stream(id)?;
        let at = self.skip_foreign(stream);
        let tag = *stream.words.get(at as usize)? >> UPPER_SHIFT;
        Some((Link::new(id, Position(at + 1)), tag as u32))
    }

    /// Compares the value of the event that [`Turns::enter`] let pass with what the program has.
    pub fn check(&self, id: StreamId, value: u64, what: &str) -> Result<(), Divergence> {
        let Some(stream) = self.stream(id) else {
            return Ok(());
        };
        let at = self.skip_foreign(stream);
        let Some(event) = stream.at(at) else {
            return Ok(());
        };
        if event.value == Some(value) {
            return Ok(());
        }
        Err(Divergence {
            stream: id,
            position: Position(at + 1),
            expected: Some((event.kind, event.site)),
            observed: (event.kind, event.site),
            detail: what.to_owned(),
        })
    }

    /// The calling thread is about to run the stream. It may compute for long before it comes to its first event; that is no stall.
    pub fn started(&self, id: StreamId) {
        if let Some(stream) = self.stream(id) {
            stream.introduce();
            stream.begin();
        }
    }

    /// The thread behind the stream is gone, or no longer follows it.
    pub fn ended(&self, id: StreamId) {
        if let Some(stream) = self.stream(id) {
            stream.activity.store(ENDED, Ordering::Release);
        }
    }

    /// The value of the event that a link names.
    pub fn value_at(&self, link: Link) -> Option<u64> {
        self.stream(link.stream)?.at(link.position.0 - 1)?.value
    }

    pub fn has_happened(&self, link: Link) -> bool {
        self.stream(link.stream)
            .is_none_or(|stream| stream.events.reached.load(Ordering::SeqCst) >= link.position.0)
    }

    /// Lets a stream wait for an event without taking a turn of its own. False: not yet, as [`Turn::Later`].
    pub fn wait_until(&self, id: StreamId, link: Link) -> bool {
        let Some(stream) = self.stream(id) else {
            return true;
        };
        stream.introduce();
        let happened = self.wait_for(id, stream, link);
        if happened {
            stream.activity.store(RUNNING, Ordering::Release);
        }
        happened
    }

    /// What kind of event a link names.
    pub fn kind_of(&self, link: Link) -> Option<Kind> {
        self.stream(link.stream)?
            .at(link.position.0 - 1)
            .map(|event| event.kind)
    }

    pub fn activity(&self, id: StreamId) -> Activity {
        let Some(stream) = self.stream(id) else {
            return Activity::NotStarted;
        };
        let activity = stream.activity.load(Ordering::Acquire);
        // After the activity, to which it belongs.
        let detail = stream.detail.load(Ordering::Relaxed);
        match activity {
            NOT_STARTED => Activity::NotStarted,
            WAITING => Link::unpack(detail).map_or(Activity::Running, Activity::Waiting),
            WAITING_FOR_ACCESSES => Link::unpack(detail).map_or(Activity::Running, |link| {
                Activity::WaitingForAccesses(link.stream, link.position.0)
            }),
            ENDED => Activity::Ended,
            n if n > AT_END => match Kind::from_number((n - AT_END) as u8) {
                Some(kind) => Activity::AtEnd(kind, SiteId(detail as u32)),
                None => Activity::Running,
            },
            _ => Activity::Running,
        }
    }

    pub fn thread_of(&self, id: StreamId) -> i32 {
        self.stream(id)
            .map_or(0, |stream| stream.thread.load(Ordering::Relaxed))
    }

    pub fn stream_ids(&self) -> impl Iterator<Item = StreamId> + use<> {
        (1..=self.streams.len() as u32).map(StreamId)
    }

    /// Finished and recorded words of a stream.
    pub fn progress(&self, id: StreamId) -> (u64, u64) {
        self.stream(id).map_or((0, 0), |stream| {
            (
                stream.events.reached.load(Ordering::Acquire),
                stream.words.len() as u64,
            )
        })
    }

    /// Number of events that happened so far.
    pub fn steps(&self) -> u64 {
        self.steps.load(Ordering::Relaxed)
    }

    /// Number of events in the first `words` words of a stream.
    pub fn events_in(&self, id: StreamId, words: u64) -> u64 {
        let Some(stream) = self.stream(id) else {
            return 0;
        };
        let (mut at, mut count) = (0, 0);
        while let Some(event) = stream.at(at).filter(|_| at < words) {
            count += match event.kind {
                Kind::Foreign => 0,
                Kind::Repeat => stream.repeats(at).unwrap_or(0),
                _ => 1,
            };
            at += event.form.words() as u64;
        }
        count
    }

    /// Position of the next event of a stream.
    pub fn next(&self, id: StreamId) -> Position {
        self.stream(id).map_or(Position(1), |stream| {
            Position(self.skip_foreign(stream) + 1)
        })
    }

    pub fn expected(&self, id: StreamId) -> Option<(Kind, SiteId)> {
        let stream = self.stream(id)?;
        stream
            .at(self.skip_foreign(stream))
            .map(|event| (event.kind, event.site))
    }

    /// The stream's next event, if it is on an object that shares its cell with others.
    pub fn uses_shared_cell(&self, id: StreamId) -> Option<Link> {
        let stream = self.stream(id)?;
        let at = self.skip_foreign(stream);
        let event = stream.at(at)?;
        let upper = *stream.words.get(at as usize)? >> UPPER_SHIFT;
        (event.form != Form::Short && upper & u64::from(TAG_SHARED) != 0)
            .then(|| Link::new(id, Position(at + 1)))
    }

    fn stream(&self, id: StreamId) -> Option<&Stream> {
        self.streams.get((id.0 as usize).checked_sub(1)?)
    }

    /// Index of the stream's next event. Marks left by threads outside the recording are no operations of this one.
    fn skip_foreign(&self, stream: &Stream) -> u64 {
        let mut at = stream.events.reached.load(Ordering::Relaxed);
        while let Some(event) = stream.at(at).filter(|event| event.kind == Kind::Foreign) {
            at += event.form.words() as u64;
        }
        at
    }
}
