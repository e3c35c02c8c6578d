//! A schedule that a person wrote: the run keeps to its lines as far as it can, and is otherwise as calm as an experiment in gdb.
//!
//! A line waits until its thread comes to it. If the thread has passed it, or the one that is to go on cannot, the line is left out; at the end a note says so.

use super::super::planted;
use super::countdown::{NEVER, blocks};
use super::{Leaving, Scheduler, can_run};
use crate::log;
use crate::place;
use crate::sys::Nanos;
use crate::thread::{State, Thread};
use reweave_trace::Reason;
use reweave_trace::file::table::Record;
use reweave_trace::schedule::Line;

#[derive(Default)]
pub struct Plan {
    lines: Vec<Line>,
    at: usize,
    followed: usize,
    /// The first line that was left out.
    left_out: Option<usize>,
}

impl Plan {
    pub fn of(lines: Vec<Line>) -> Plan {
        Plan {
            lines,
            ..Plan::default()
        }
    }

    fn line(&self) -> Option<&Line> {
        self.lines.get(self.at)
    }

    fn follow(&mut self) {
        self.at += 1;
        self.followed += 1;
    }

    fn leave_out(&mut self) {
        let number = self.line().map(|line| line.number);
        self.left_out = self.left_out.or(number);
        self.at += 1;
    }

    /// The next line, if it stops this thread while it runs.
    fn stop_of(&mut self, thread: &Thread) -> Option<&Line> {
        let done = blocks(thread);
        while self.line().is_some_and(|line| {
            line.thread == thread.id() && takes_away(line.reason) && line.blocks < done
        }) {
            self.leave_out();
        }
        self.line()
            .filter(|line| line.thread == thread.id() && takes_away(line.reason))
    }
}

fn takes_away(reason: Reason) -> bool {
    matches!(reason, Reason::Callback | Reason::Instruction)
}

/// Nobody will come to the line any more. The one that is ending just now may be what it is about.
fn has_ended(line: &Line) -> bool {
    line.reason != Reason::Ended
        && Thread::of(line.thread).is_some_and(|thread| thread.state() == State::Ended)
}

fn address(line: &Line) -> usize {
    line.place
        .as_ref()
        .and_then(|(module, offset)| place::address_of(module, *offset))
        .unwrap_or(0)
}

impl Scheduler {
    /// Blocks until the thread's next line.
    pub(super) fn countdown_of_plan(&mut self, thread: &'static Thread) -> i64 {
        let done = blocks(thread);
        let Some(line) = self.plan.stop_of(thread) else {
            return NEVER;
        };
        match (line.blocks - done) as i64 {
            0 if line.reason == Reason::Instruction => {
                planted::plant(address(line));
                1
            }
            // A callback that is due already was made with the last block; the next one is the nearest.
            0 => 1,
            blocks => blocks,
        }
    }

    /// Where the thread is to be stopped before its next block.
    pub(super) fn planned_interruption(&mut self, thread: &Thread) -> Option<usize> {
        let done = blocks(thread);
        let line = self.plan.stop_of(thread)?;
        (line.reason == Reason::Instruction && line.blocks == done).then(|| address(line))
    }

    /// Who goes on, if a line says so; else whoever the next line waits for.
    pub(super) fn planned_next(&mut self, leaving: &Leaving) -> Option<&'static Thread> {
        while self.plan.line().is_some_and(has_ended) {
            self.plan.leave_out();
        }
        let line = self.plan.line()?.clone();
        let fits = line.thread == leaving.thread.id()
            && line.reason == leaving.reason
            && (!takes_away(line.reason) || line.blocks <= leaving.blocks);
        let runs = |thread: &&'static Thread| can_run(thread, Nanos::MAX);
        if !fits {
            let stays = takes_away(leaving.reason);
            return Thread::of(line.thread).filter(|thread| !stays && runs(thread));
        }
        match Thread::of(line.next).filter(runs) {
            Some(next) => {
                self.plan.follow();
                Some(next)
            }
            None => {
                self.plan.leave_out();
                None
            }
        }
    }

    /// Says in the recording how far the plan was kept to.
    pub(super) fn note_plan(&self) {
        let Plan {
            lines,
            at,
            followed,
            left_out,
        } = &self.plan;
        if lines.is_empty() {
            return;
        }
        let first = left_out.or_else(|| lines.get(*at).map(|line| line.number));
        let rest = first.map_or_else(String::new, |number| {
            format!("; line {number} is the first that was not")
        });
        log::table(&Record::Note(format!(
            "{followed} of {} lines of the schedule were followed{rest}",
            lines.len()
        )));
    }
}
