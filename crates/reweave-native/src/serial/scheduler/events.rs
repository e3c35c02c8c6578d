//! The events of a thread that are not switches, as a replay meets them; and what it says when it meets another.

use super::super::schedule::{Recorded, kind_and_site};
use super::super::{place_of, site_of, waits};
use super::countdown::{blocks, set_countdown};
use super::gdb::reweave_on_divergence;
use super::{Next, Scheduler};
use crate::ending;
use crate::order::From;
use crate::state::Mode;
use crate::thread::Thread;
use reweave_runtime::outcome::Outcome;
use reweave_runtime::turns::Divergence;
use reweave_trace::{Kind, Link, Moment, Operation, Position, SiteId, StreamId};

impl Scheduler {
    pub(super) fn diverged(
        &mut self,
        thread: &'static Thread,
        observed: (Kind, SiteId),
        from: From,
        what: String,
    ) -> Next {
        Next::Finish(Box::new(self.divergence(thread, observed, from, what)))
    }

    pub(super) fn divergence(
        &mut self,
        thread: &'static Thread,
        observed: (Kind, SiteId),
        from: From,
        detail: String,
    ) -> Outcome {
        let index = *self.followed(thread);
        let event = self.schedule.event(thread.id(), index);
        Outcome::Diverged {
            divergence: Divergence {
                stream: thread.id(),
                position: event.map_or(Position::FIRST, |event| event.position),
                expected: event.map(kind_and_site),
                observed,
                detail,
            },
            observed_at: place_of(from),
            stack: vec![],
        }
    }

    pub(super) fn followed(&mut self, thread: &Thread) -> &mut usize {
        let index = thread.stream as usize;
        if self.followed.len() <= index {
            self.followed.resize(index + 1, 0);
        }
        &mut self.followed[index]
    }

    /// The signal that comes next for the thread; one that came at a block only at that block.
    pub fn next_signal(&mut self, thread: &Thread, blocks: u64) -> Option<Recorded> {
        let index = *self.followed(thread);
        let event = self.schedule.event(thread.id(), index)?;
        let Ok(Operation::Signal {
            moment,
            blocks: recorded,
            ..
        }) = event.operation()
        else {
            return None;
        };
        (moment != Moment::Block || recorded == blocks).then(|| Recorded {
            value: event.value.unwrap_or(0),
            link: Link::new(thread.id(), event.position),
        })
    }

    /// The block at which the thread is to run a handler, if that is what comes next.
    pub(super) fn signal_block(&mut self, thread: &Thread) -> Option<u64> {
        let index = *self.followed(thread);
        match self.schedule.event(thread.id(), index)?.operation() {
            Ok(Operation::Signal {
                moment: Moment::Block,
                blocks,
                ..
            }) => Some(blocks),
            _ => None,
        }
    }

    /// The thread has followed an event.
    pub fn followed_one(&mut self, thread: &'static Thread) {
        *self.followed(thread) += 1;
        if let Some(block) = self.signal_block(thread) {
            let to_go = block.saturating_sub(blocks(thread)).max(1);
            set_countdown(thread, to_go as i64);
        }
    }

    /// In a replay, the thread's next event, which must be of this kind, from this place, and have this value. `None` if there is nothing to follow.
    pub fn check_event(
        &mut self,
        thread: &'static Thread,
        kind: Kind,
        from: From,
        value: Option<u64>,
    ) -> Option<Recorded> {
        match Mode::now() {
            Mode::SerialReplay => (),
            Mode::SerialFree => return self.next_input(thread, kind),
            _ => return None,
        }
        let site = site_of(thread, from);
        let index = *self.followed(thread);
        let event = self.schedule.event(thread.id(), index).copied();
        let Some(event) = event else {
            if self.schedule.cut {
                let (waits, _) = waits();
                self.leave(&Outcome::EndOfLog { waits });
            }
            let what = "the recording has no more events of this thread".to_owned();
            let outcome = self.divergence(thread, (kind, site), from, what);
            self.leave(&outcome);
        };
        let fits = event.kind == kind
            && event.site == site
            && value.is_none_or(|value| event.value == Some(value));
        if !fits {
            let what = "the program does something else than it did".to_owned();
            let outcome = self.divergence(thread, (kind, site), from, what);
            self.leave(&outcome);
        }
        self.followed_one(thread);
        Some(Recorded {
            value: event.value.unwrap_or(0),
            link: Link::new(thread.id(), event.position),
        })
    }

    /// Off the recording: the thread's next event of this kind still serves, so that it sees the same world for as long as it asks the same questions.
    fn next_input(&mut self, thread: &'static Thread, kind: Kind) -> Option<Recorded> {
        let mut index = *self.followed(thread);
        while let Some(event) = self.schedule.event(thread.id(), index).copied() {
            index += 1;
            match event.kind {
                found if found == kind => {
                    *self.followed(thread) = index;
                    return Some(Recorded {
                        value: event.value?,
                        link: Link::new(thread.id(), event.position),
                    });
                }
                Kind::Switch => (),
                _ => return None,
            }
        }
        None
    }

    /// Off the recording: whether it still has an input for the thread.
    pub fn has_input(&mut self, thread: &'static Thread) -> bool {
        let mut index = *self.followed(thread);
        while let Some(event) = self.schedule.event(thread.id(), index) {
            match event.kind {
                Kind::Input => return true,
                Kind::Switch => index += 1,
                _ => return false,
            }
        }
        false
    }

    /// The lock is held, and the process ends with it.
    fn leave(&mut self, outcome: &Outcome) -> ! {
        let progress = self.progress();
        reweave_on_divergence();
        ending::finish(progress, outcome)
    }

    /// Inputs are kept as long as the process lives.
    pub fn input(&self, link: Link) -> &'static [u8] {
        let bytes = self.schedule.input(link);
        // SAFETY: the schedule is never changed or dropped.
        unsafe { core::slice::from_raw_parts(bytes.as_ptr(), bytes.len()) }
    }

    /// Events followed, and events there are.
    pub fn progress(&self) -> (u64, u64) {
        let done: usize = self.followed.iter().sum();
        (done as u64, self.schedule.events() as u64)
    }

    pub fn end(&mut self) -> ((u64, u64), Outcome) {
        self.note_plan();
        let outcome = match self.next_switch().copied() {
            Some(switch) if Mode::now() == Mode::SerialReplay => Outcome::Diverged {
                divergence: Divergence {
                    stream: StreamId(switch.thread),
                    position: Position(switch.position),
                    expected: Some((Kind::Switch, SiteId(switch.site))),
                    observed: (Kind::Exit, SiteId(0)),
                    detail: "the program ended before this switch".to_owned(),
                },
                observed_at: "the end of the program".to_owned(),
                stack: vec![],
            },
            _ => Outcome::Followed,
        };
        (self.progress(), outcome)
    }
}
