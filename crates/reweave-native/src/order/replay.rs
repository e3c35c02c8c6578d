//! Replay in sync order: threads wait for their turns, in parallel where they can.

use super::From;
use crate::ending;
use crate::log::Errno;
use crate::place;
use crate::signals;
use crate::sys;
use crate::thread::Thread;
use core::sync::atomic::{AtomicBool, Ordering};
use reweave_runtime::outcome::Outcome;
use reweave_runtime::session::{AtEnd, ReplayOptions};
use reweave_runtime::turns::{Activity, Divergence, Turn, Turns};
use reweave_runtime::watch::{self, Finding};
use reweave_trace::{Kind, Link, Position, Process, SiteId, StreamId};
use std::collections::HashMap;
use std::time::{Duration, Instant};

pub struct Replaying {
    pub turns: Turns,
    options: ReplayOptions,
    names: HashMap<StreamId, String>,
    places: HashMap<SiteId, String>,
    inputs: HashMap<Link, Vec<u8>>,
    /// The recording ended by force.
    cut: bool,
    watched: AtomicBool,
}

impl Replaying {
    pub fn new(process: Process, options: ReplayOptions) -> Replaying {
        let count = process
            .threads
            .iter()
            .map(|thread| thread.stream.0 as usize);
        let mut words = vec![vec![]; count.max().unwrap_or(0).max(1)];
        let mut names = HashMap::new();
        for thread in process.threads {
            if thread
                .events()
                .flatten()
                .any(|event| event.kind == Kind::Signal)
            {
                signals::expect();
            }
            names.insert(
                thread.stream,
                format!("thread {} \"{}\"", thread.stream.0, thread.name),
            );
            words[thread.stream.0 as usize - 1] = thread.words;
        }
        Replaying {
            turns: Turns::new(words, None),
            options,
            names,
            places: process
                .sites
                .iter()
                .map(|(site, place)| (*site, place.to_string()))
                .collect(),
            inputs: process.inputs,
            cut: !process.ended,
            watched: AtomicBool::new(false),
        }
    }

    /// Whether the thread's next event is of one of these kinds.
    pub fn expects(&self, thread: &Thread, kinds: &[Kind]) -> bool {
        self.turns
            .expected(thread.id())
            .is_some_and(|(kind, _)| kinds.contains(&kind))
    }

    /// Whether the thread's next event is of this kind and from this place.
    pub fn expects_at(&self, thread: &Thread, kind: Kind, from: From) -> bool {
        self.turns.expected(thread.id()) == Some((kind, thread.places.site(from)))
    }

    /// Waits until it is this thread's turn for an operation; ends the process if the recording has another one.
    pub fn turn(&'static self, thread: &'static Thread, kind: Kind, from: From) {
        let errno = Errno::save();
        let site = thread.places.site(from);
        match self.turns.enter(thread.id(), kind, site) {
            Turn::Go | Turn::StopHere => (),
            // No thread here is light.
            Turn::Later | Turn::End => match self.options.at_end {
                AtEnd::Continue => self.turns.ended(thread.id()),
                AtEnd::Stop => {
                    self.start_watching();
                    sys::sleep_for_ever()
                }
            },
            Turn::Diverged(divergence) => {
                let observed_at = place::text(from);
                ending::finish(
                    self.progress(),
                    &Outcome::Diverged {
                        divergence,
                        observed_at,
                        stack: vec![],
                    },
                )
            }
        }
        errno.restore();
    }

    /// The replay cannot go on as recorded.
    pub fn diverged(&self, thread: &Thread, detail: String) -> ! {
        let expected = self.turns.expected(thread.id());
        let divergence = Divergence {
            stream: thread.id(),
            position: self.turns.next(thread.id()),
            expected,
            observed: expected.unwrap_or((Kind::Input, SiteId(0))),
            detail,
        };
        let outcome = Outcome::Diverged {
            divergence,
            observed_at: String::new(),
            stack: vec![],
        };
        ending::finish(self.progress(), &outcome)
    }

    pub fn done(&self, thread: &'static Thread) {
        let errno = Errno::save();
        self.turns.done(thread.id());
        signals::after_event(thread);
        errno.restore();
    }

    /// The bytes of the input event whose turn it is.
    pub fn input(&self, thread: &Thread) -> Option<&[u8]> {
        let link = Link::new(thread.id(), self.turns.next(thread.id()));
        self.inputs.get(&link).map(Vec::as_slice)
    }

    pub fn name(&self, stream: StreamId) -> String {
        self.names
            .get(&stream)
            .cloned()
            .unwrap_or_else(|| format!("thread {}", stream.0))
    }

    fn place(&self, site: SiteId) -> String {
        self.places
            .get(&site)
            .cloned()
            .unwrap_or_else(|| format!("site {site}"))
    }

    /// Events followed, and events there are.
    pub fn progress(&self) -> (u64, u64) {
        self.turns.stream_ids().fold((0, 0), |(done, all), id| {
            let (finished, recorded) = self.turns.progress(id);
            (
                done + self.turns.events_in(id, finished),
                all + self.turns.events_in(id, recorded),
            )
        })
    }

    /// Begins to look for threads that cannot go on. Not before the program has a second thread, or none that goes on: libraries do
    /// other things in a process with threads than in one without, and the recorded one had none of ours.
    pub fn start_watching(&'static self) {
        if !self.watched.swap(true, Ordering::Relaxed) {
            std::thread::spawn(|| self.watch());
        }
    }

    fn watch(&'static self) {
        watch::watch(
            &self.turns,
            self.options.stall_after,
            false,
            self.cut,
            |finding| {
                let waits = watch::describe(
                    &self.turns,
                    |stream| self.name(stream),
                    |site| self.place(SiteId(site)),
                );
                let outcome = match finding {
                    Finding::Stalled => Outcome::Stalled { waits },
                    Finding::AllAtEnd => match ending::cycle(|stream| self.name(stream)) {
                        Some(waits) => Outcome::Deadlock { waits },
                        None if self.everybody_waits() => Outcome::Hang { waits },
                        None => Outcome::EndOfLog { waits },
                    },
                };
                ending::finish(self.progress(), &outcome)
            },
        );
    }

    /// Every thread that is left stands before something that others would have to bring about.
    fn everybody_waits(&self) -> bool {
        self.turns
            .stream_ids()
            .all(|id| match self.turns.activity(id) {
                Activity::AtEnd(kind, _) => matches!(
                    kind,
                    Kind::Acquire | Kind::Wait | Kind::Join | Kind::Value | Kind::Input
                ),
                _ => true,
            })
    }

    /// The program is about to end; threads that still have recorded events are given the time to follow them.
    pub fn end(&self) -> Outcome {
        let mut steps = self.turns.steps();
        let mut since = Instant::now();
        while self.unfinished().is_some() {
            let alive = self.turns.stream_ids().any(|id| {
                id != StreamId(1)
                    && matches!(
                        self.turns.activity(id),
                        Activity::Running | Activity::Waiting(_)
                    )
            });
            let patience = match alive {
                true => self.options.stall_after,
                false => Duration::from_millis(500),
            };
            if since.elapsed() > patience {
                break;
            }
            std::thread::sleep(Duration::from_millis(1));
            if self.turns.steps() != steps {
                steps = self.turns.steps();
                since = Instant::now();
            }
        }
        match self.unfinished() {
            None => Outcome::Followed,
            Some(stream) => Outcome::Diverged {
                divergence: Divergence {
                    stream,
                    position: self.turns.next(stream),
                    expected: self.turns.expected(stream),
                    observed: (Kind::Exit, SiteId(0)),
                    detail: "the program ended before this event".to_owned(),
                },
                observed_at: "the end of the program".to_owned(),
                stack: vec![],
            },
        }
    }

    fn unfinished(&self) -> Option<StreamId> {
        self.turns.stream_ids().find(|id| {
            let (finished, recorded) = self.turns.progress(*id);
            finished < recorded && self.turns.expected(*id).is_some()
        })
    }
}

/// A divergence of a process that the recording does not have.
pub fn unknown_process() -> Outcome {
    Outcome::Diverged {
        divergence: Divergence {
            stream: StreamId::MAIN,
            position: Position::FIRST,
            expected: None,
            observed: (Kind::Start, SiteId(0)),
            detail: "a process was started that the recording does not have".to_owned(),
        },
        observed_at: "the start of a program".to_owned(),
        stack: vec![],
    }
}
