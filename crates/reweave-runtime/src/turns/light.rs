//! Threads that must not block: virtual threads, of which there are many more than the threads that carry them. Such a thread is told [`Turn::Later`](super::Turn::Later),
//! stands aside by its own means, and is named by [`Turns::next_to_unpark`] when it is to ask again.

use super::Turns;
use reweave_trace::StreamId;
use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::sync::{Condvar, Mutex, PoisonError};

/// Streams to be told that they should ask again.
#[derive(Default)]
pub(super) struct Unparks {
    streams: Mutex<VecDeque<StreamId>>,
    added: Condvar,
}

impl Unparks {
    pub(super) fn add(&self, stream: StreamId) {
        let mut streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
        streams.push_back(stream);
        self.added.notify_one();
    }

    fn take(&self) -> StreamId {
        let mut streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(stream) = streams.pop_front() {
                return stream;
            }
            streams = self
                .added
                .wait(streams)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Turns {
    /// From now on the stream is told [`Turn::Later`](super::Turn::Later) where others would sleep. To be called before it begins.
    pub fn make_light(&self, id: StreamId) {
        if let Some(stream) = self.stream(id) {
            stream.light.store(true, Ordering::SeqCst);
        }
    }

    pub fn is_light(&self, id: StreamId) -> bool {
        self.stream(id)
            .is_some_and(|stream| stream.light.load(Ordering::Relaxed))
    }

    /// Waits until a light stream should ask for its turn again.
    pub fn next_to_unpark(&self) -> StreamId {
        self.unparks.take()
    }
}
