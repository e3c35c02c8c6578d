//! Input and window focus: a view or window must have been enabled before the event comes. The latest enable counts.

use super::{Identity, Input, Orders, Stamp};
use crate::races::rules::Rule;
use std::collections::BTreeMap;

#[derive(Debug)]
pub struct Inputs<M> {
    inputs: BTreeMap<Input, Stamp<M>>,
    windows: BTreeMap<Identity, Stamp<M>>,
}

impl<M> Default for Inputs<M> {
    fn default() -> Inputs<M> {
        Inputs {
            inputs: BTreeMap::new(),
            windows: BTreeMap::new(),
        }
    }
}

impl<M: Clone> Inputs<M> {
    pub fn enable(&mut self, input: Input, here: &Stamp<M>) {
        self.inputs.insert(input, here.clone());
    }

    pub fn trigger(&self, input: Input, orders: &mut Orders<'_, M>) {
        if let Some(enabled) = self.inputs.get(&input) {
            orders.enabled_by(Rule::Input, enabled);
        }
    }

    pub fn enable_focus(&mut self, window: Identity, here: &Stamp<M>) {
        self.windows.insert(window, here.clone());
    }

    pub fn trigger_focus(&self, window: Identity, orders: &mut Orders<'_, M>) {
        if let Some(enabled) = self.windows.get(&window) {
            orders.enabled_by(Rule::Focus, enabled);
        }
    }

    pub fn remembered<'a>(&'a self, all: &mut Vec<&'a Stamp<M>>) {
        all.extend(self.inputs.values().chain(self.windows.values()));
    }
}
