//! Accesses that later ones are compared with, and what becomes of them then.

use super::before::{Before, Class, Stand, View};
use super::event::{AccessKind, Site, ThreadId};
use super::locks::LockSet;

/// An access that later ones are compared with.
#[derive(Debug)]
pub(super) struct Remembered {
    pub(super) stand: Stand,
    pub(super) thread: ThreadId,
    pub(super) kind: AccessKind,
    pub(super) site: Site,
    pub(super) locks: LockSet,
    pub(super) tag: u64,
}

impl Remembered {
    /// Same kind, same place, same queue or both outside tasks.
    pub(super) fn is_like(&self, other: &Remembered) -> bool {
        self.site == other.site && self.kind == other.kind && self.stand.class == other.stand.class
    }
}

/// What becomes of a remembered access when a new one comes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Verdict {
    Races,
    /// The new one stands for it from now on.
    Replaced,
    Stays,
}

impl Verdict {
    pub(super) fn of(
        before: &Before,
        view: View<'_>,
        old: &Remembered,
        new: &Remembered,
    ) -> Verdict {
        let same_class = old.stand.class == new.stand.class;
        let same_place = old.site == new.site && old.kind == new.kind;
        let replaceable = same_place && (same_class || old.stand.class == Class::Threads);
        let conflicts = old.kind.conflicts(new.kind);
        if !conflicts && !replaceable {
            return Verdict::Stays;
        }
        match before.ordered(&old.stand, view) {
            true if replaceable => Verdict::Replaced,
            false if conflicts => Verdict::Races,
            true | false => Verdict::Stays,
        }
    }
}
