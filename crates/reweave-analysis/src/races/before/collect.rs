//! Forgets what can no longer order anything.

use super::Before;

#[derive(Debug, Default)]
pub struct Schedule {}

impl Before {
    pub(super) fn collect_if_due(&mut self) {}
}
