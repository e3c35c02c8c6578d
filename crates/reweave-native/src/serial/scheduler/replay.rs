//! A replay: every switch where, why and to whom the recording says.

use super::super::schedule::Switch;
use super::super::{name, planted, waits};
use super::countdown::{NEVER, blocks};
use super::gdb::{reweave_force, reweave_position};
use super::{Leaving, Next, Scheduler, anybody_left, can_run};
use crate::state::Mode;
use crate::sys::Nanos;
use crate::thread::{State, Thread};
use core::sync::atomic::Ordering;
use reweave_runtime::outcome::Outcome;
use reweave_runtime::session::AtEnd;
use reweave_trace::{Kind, Reason, SiteId, StreamId};

impl Scheduler {
    pub(super) fn countdown_of_replay(
        &mut self,
        thread: &'static Thread,
    ) -> (i64, Option<Outcome>) {
        let done = blocks(thread);
        if let Some(block) = self.signal_block(thread) {
            return (block.saturating_sub(done).max(1) as i64, None);
        }
        let Some(switch) = self.next_switch().copied() else {
            return (NEVER, None);
        };
        if switch.thread != thread.stream {
            return (NEVER, None);
        }
        match switch.reason() {
            Reason::Callback if switch.blocks > done => ((switch.blocks - done) as i64, None),
            Reason::Instruction if switch.blocks > done => ((switch.blocks - done) as i64, None),
            Reason::Instruction if switch.blocks == done => {
                planted::plant(self.schedule.address(&switch));
                (1, None)
            }
            Reason::Callback | Reason::Instruction => {
                let what = format!(
                    "{} has executed {done} blocks, the switch came after {}",
                    name(thread),
                    switch.blocks
                );
                let observed = (Kind::Switch, SiteId(0));
                (NEVER, Some(self.divergence(thread, observed, 0, what)))
            }
            _ => (NEVER, None),
        }
    }

    pub(super) fn next_switch(&self) -> Option<&Switch> {
        self.schedule
            .switches
            .get(reweave_position.load(Ordering::SeqCst) as usize)
    }

    /// In a replay: where the thread is to be interrupted before its next block, if it is.
    pub fn interruption_here(&mut self, thread: &Thread) -> Option<usize> {
        if Mode::now() == Mode::SerialFree && reweave_force.load(Ordering::Relaxed) == 0 {
            return self.planned_interruption(thread);
        }
        if Mode::now() != Mode::SerialReplay || reweave_force.load(Ordering::Relaxed) != 0 {
            return None;
        }
        let switch = self.next_switch()?;
        let here = switch.thread == thread.stream
            && switch.reason() == Reason::Instruction
            && switch.blocks == blocks(thread);
        here.then(|| self.schedule.address(switch))
    }

    /// Whether the thread goes on after a stop for gdb: no switch is due here.
    pub fn goes_on(&self, thread: &Thread) -> bool {
        if reweave_force.load(Ordering::Relaxed) != 0 {
            return false;
        }
        let due = self
            .next_switch()
            .is_some_and(|next| next.thread == thread.stream && next.blocks == blocks(thread));
        Mode::now() != Mode::SerialReplay || !due
    }

    /// A switch in a replay: where, why and to whom the recording says.
    pub(super) fn follow_switch(&mut self, leaving: &Leaving) -> Next {
        let thread = leaving.thread;
        let Some(switch) = self.next_switch().copied() else {
            return self.after_the_last(leaving);
        };
        let fits = switch.thread == thread.stream
            && switch.reason == leaving.reason as u32
            && switch.blocks == leaving.blocks
            && switch.site == leaving.site.0;
        let observed = (Kind::Switch, leaving.site);
        if !fits {
            let what = format!(
                "switch {} was recorded in thread {} ({} after {} blocks), but {} is here ({} after {} blocks)",
                reweave_position.load(Ordering::SeqCst) + 1,
                switch.thread,
                switch.reason().name(),
                switch.blocks,
                name(thread),
                leaving.reason.name(),
                leaving.blocks
            );
            return self.diverged(thread, observed, leaving.from, what);
        }
        let index = *self.followed(thread);
        let here = self.schedule.event(thread.id(), index);
        if here.is_none_or(|event| event.position.0 != switch.position) {
            let what = "the thread has not read all that it had read before this switch".to_owned();
            return self.diverged(thread, observed, leaving.from, what);
        }
        *self.followed(thread) += 1;
        let Some(next) = Thread::of(StreamId(switch.next)) else {
            let what = format!("thread {} does not exist yet", switch.next);
            return self.diverged(thread, observed, leaving.from, what);
        };
        let waits_for_ever =
            next.state() == State::Blocked && next.deadline.load(Ordering::Relaxed) == 0;
        if waits_for_ever || next.state() == State::Ended {
            let what = format!("{} cannot run, but did", name(next));
            return self.diverged(thread, observed, leaving.from, what);
        }
        self.switch(leaving, next)
    }

    /// The recording has no more switches.
    fn after_the_last(&mut self, leaving: &Leaving) -> Next {
        if leaving.reason == Reason::Ended && !anybody_left() {
            return Next::Later;
        }
        let somebody = Thread::all().any(|thread| can_run(thread, Nanos::MAX));
        if !somebody {
            return self.deadlock(leaving);
        }
        let continues = self
            .options
            .as_ref()
            .is_some_and(|options| options.at_end == AtEnd::Continue);
        if continues {
            Mode::SerialFree.set();
            return self.decide(leaving);
        }
        let (waits, _) = waits();
        if self.schedule.cut {
            return Next::Finish(Box::new(Outcome::EndOfLog { waits }));
        }
        let what = "the recording has no more switches".to_owned();
        self.diverged(
            leaving.thread,
            (Kind::Switch, leaving.site),
            leaving.from,
            what,
        )
    }
}
