//! The turns of accesses to memory. A recording has only those at which an object changed hands; the others are counted, and pass.

use super::stream::{RUNNING, Stream, WAITING_FOR_ACCESSES};
use super::{Beyond, Divergence, Turn, Turns};
use crate::slots::NEVER;
use reweave_trace::{Kind, Link, Position, SiteId, StreamId};
use std::sync::atomic::Ordering;

impl Turns {
    /// Waits for the turn of the stream's next access to memory, from this site. To be called when the stream's slot says so.
    pub fn enter_access(&self, id: StreamId, site: SiteId) -> Turn {
        let Some(stream) = self.stream(id) else {
            return Turn::End;
        };
        stream.introduce();
        let number = self.slots.count(id.0) + 1;
        let mut orders = 0;
        loop {
            let at = self.skip_foreign(stream);
            let Some(event) = stream.at(at) else {
                if orders == 0 && self.beyond == Beyond::Stop {
                    stream.stop_at(Kind::Order, site);
                    return Turn::End;
                }
                break;
            };
            let of_this = event.kind == Kind::Order && event.value == Some(number);
            if !of_this && orders > 0 {
                break;
            }
            if !of_this || event.site != site {
                return Turn::Diverged(Divergence {
                    stream: id,
                    position: Position(at + 1),
                    expected: Some((event.kind, event.site)),
                    observed: (Kind::Order, site),
                    detail: String::new(),
                });
            }
            if let Some(after) = event.link
                && !self.wait_for_accesses(id, stream, after)
            {
                return Turn::Later;
            }
            orders += 1;
            self.steps.fetch_add(1, Ordering::Relaxed);
            let end = at + event.form.words() as u64;
            stream.events.reached.store(end, Ordering::SeqCst);
        }
        stream.activity.store(RUNNING, Ordering::Release);
        self.plan_asking(id);
        Turn::Go
    }

    /// Tells others how many accesses the stream has completed. To be called when the stream's slot says so.
    pub fn tell_accesses(&self, id: StreamId) {
        if let Some(stream) = self.stream(id) {
            let count = self.slots.count(id.0);
            stream.accesses.reached.store(count, Ordering::SeqCst);
            let told = stream.awaited.partition_point(|awaited| *awaited <= count);
            stream.told.store(told as u32, Ordering::Relaxed);
            self.plan_telling(id);
            if stream.accesses.sleeping.load(Ordering::SeqCst) != 0 {
                self.wake(&stream.accesses);
            }
        }
    }

    /// Notes in the slot which access is the next that has to wait.
    pub(super) fn plan_asking(&self, id: StreamId) {
        let (Some(stream), Some(slot)) = (self.stream(id), self.slots.get(id.0)) else {
            return;
        };
        let mut at = stream.events.reached.load(Ordering::Relaxed);
        let next = loop {
            match stream.at(at) {
                Some(event) if event.kind == Kind::Order => break event.value.unwrap_or(NEVER),
                Some(event) => at += event.form.words() as u64,
                None if self.beyond == Beyond::GoOn => break NEVER,
                // Behind the last event, whose number of accesses is not known: only when that is done.
                None if at == stream.events.reached.load(Ordering::Relaxed) => break 0,
                None => break NEVER,
            }
        };
        slot.ask_at.store(next, Ordering::SeqCst);
    }

    pub(super) fn plan_telling(&self, id: StreamId) {
        let (Some(stream), Some(slot)) = (self.stream(id), self.slots.get(id.0)) else {
            return;
        };
        let told = stream.told.load(Ordering::Relaxed) as usize;
        let next = stream.awaited.get(told).copied().unwrap_or(NEVER);
        slot.tell_at.store(next, Ordering::SeqCst);
    }

    /// Waits until a stream has completed that many accesses; the link has their number in place of a position.
    /// False if it has not and the waiting stream is light.
    pub(super) fn wait_for_accesses(&self, id: StreamId, waiter: &Stream, link: Link) -> bool {
        let Some(target) = self.stream(link.stream) else {
            return true;
        };
        let to_go = || {
            let count = self.slots.count(link.stream.0);
            link.position.0.saturating_sub(count)
        };
        if self.spin(waiter, to_go) {
            return true;
        }
        waiter.detail.store(link.pack(), Ordering::Relaxed);
        waiter
            .activity
            .store(WAITING_FOR_ACCESSES, Ordering::Release);
        self.sleep(id, waiter, &target.accesses, link.position.0)
    }
}

/// Which streams are waited for, by index, and how many of their accesses.
pub(super) fn awaited(streams: &[Stream]) -> Vec<(usize, u64)> {
    let mut found = vec![];
    for stream in streams {
        let mut at = 0;
        while let Some(event) = stream.at(at) {
            if let (Kind::Order, Some(after)) = (event.kind, event.link) {
                found.push((after.stream.0 as usize - 1, after.position.0));
            }
            at += event.form.words() as u64;
        }
    }
    found
}
