//! Life cycles of activities: the system enables a step and later triggers it, and the steps of one activity follow
//! each other as the platform's documentation draws them.

use super::{Identity, Orders, Stamp};
use crate::races::event::TaskId;
use crate::races::rules::Rule;
use std::collections::BTreeMap;

/// A step in the life of an activity or of the application.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lifecycle {
    BindApplication,
    /// The application is bound; broadcasts can reach it from here on.
    ApplicationBound,
    Launch,
    Start,
    Resume,
    Pause,
    Stop,
    Destroy,
    Result,
    NewIntent,
    StartNewIntent,
    Relaunch,
    ChangeConfiguration,
    ChangeActivityConfiguration,
    TimerTask,
}

impl Lifecycle {
    /// The steps that may come right before this one, or `None` if the step is not one of an activity's automaton.
    fn after(self) -> Option<&'static [Lifecycle]> {
        use Lifecycle::{Launch, NewIntent, Pause, Result, Resume, Start, Stop};
        match self {
            Lifecycle::Launch => Some(&[]),
            Lifecycle::Resume => Some(&[Launch, Start, Pause, Stop, NewIntent, Result]),
            Lifecycle::Start => Some(&[Stop]),
            Lifecycle::Pause => Some(&[Resume]),
            Lifecycle::Stop => Some(&[Pause]),
            Lifecycle::Destroy => Some(&[Stop]),
            Lifecycle::Result => Some(&[Stop, NewIntent]),
            Lifecycle::NewIntent => Some(&[Result, Pause, Stop]),
            Lifecycle::BindApplication
            | Lifecycle::ApplicationBound
            | Lifecycle::StartNewIntent
            | Lifecycle::Relaunch
            | Lifecycle::ChangeConfiguration
            | Lifecycle::ChangeActivityConfiguration
            | Lifecycle::TimerTask => None,
        }
    }
}

/// An enable, and whether a trigger has used it.
#[derive(Debug)]
struct Enabled<M> {
    at: Stamp<M>,
    used: bool,
}

#[derive(Debug)]
pub struct Activities<M> {
    enabled: BTreeMap<(Identity, Lifecycle), Vec<Enabled<M>>>,
    /// The last step of each activity.
    steps: BTreeMap<Identity, (Lifecycle, Stamp<M>)>,
    /// The last enable of a resume for an activity that is not named yet.
    blank_resume: Option<Stamp<M>>,
}

impl<M> Default for Activities<M> {
    fn default() -> Activities<M> {
        Activities {
            enabled: BTreeMap::new(),
            steps: BTreeMap::new(),
            blank_resume: None,
        }
    }
}

impl<M: Clone> Activities<M> {
    pub fn enable(&mut self, instance: Identity, state: Lifecycle, here: &Stamp<M>) {
        let enabled = self.enabled.entry((instance, state)).or_default();
        // A trigger uses all that is unused, so a used last one means that all are, and nobody asks for those again.
        if enabled.last().is_some_and(|last| last.used) {
            enabled.clear();
        }
        enabled.push(Enabled {
            at: here.clone(),
            used: false,
        });
        if state == Lifecycle::Resume && instance == Identity::BLANK {
            self.blank_resume = Some(here.clone());
        }
    }

    pub fn trigger(&mut self, instance: Identity, state: Lifecycle, orders: &mut Orders<'_, M>) {
        let mut found = false;
        if let Some(enabled) = self.enabled.get_mut(&(instance, state)) {
            for enable in enabled.iter_mut().rev().take_while(|enable| !enable.used) {
                enable.used = true;
                found = true;
                orders.enabled_by(Rule::Lifecycle, &enable.at);
            }
        }
        // A guess, as good as DroidRacer's: the pending resume without a name was meant for this activity.
        if state == Lifecycle::Resume
            && !found
            && let Some(blank) = self.blank_resume.take()
        {
            orders.enabled_by(Rule::Lifecycle, &blank);
        }
        if let Some(after) = state.after() {
            self.advance(instance, state, after, orders);
        }
    }

    fn advance(
        &mut self,
        instance: Identity,
        state: Lifecycle,
        after: &[Lifecycle],
        orders: &mut Orders<'_, M>,
    ) {
        match self.steps.get(&instance) {
            Some((previous, stamp)) if after.contains(previous) => {
                orders.follows(Rule::Activity, stamp)
            }
            // The automaton does not foresee this step here; it is where the activity is now all the same.
            Some(_) => (),
            None if state == Lifecycle::Launch => (),
            None => return,
        }
        if state == Lifecycle::Destroy {
            self.steps.remove(&instance);
        } else {
            self.steps.insert(instance, (state, orders.here.clone()));
        }
    }

    pub fn name(&mut self, instance: Identity, intent: Identity) {
        if let Some(step) = self.steps.remove(&intent) {
            self.steps.insert(instance, step);
        }
        for state in [Lifecycle::Launch, Lifecycle::Resume] {
            if let Some(enabled) = self.enabled.remove(&(intent, state)) {
                self.enabled.insert((instance, state), enabled);
            }
        }
    }

    pub fn remembered<'a>(&'a self, all: &mut Vec<&'a Stamp<M>>) {
        all.extend(
            self.enabled
                .values()
                .flatten()
                .filter(|enable| !enable.used)
                .map(|enable| &enable.at),
        );
        all.extend(self.steps.values().map(|(_, stamp)| stamp));
        all.extend(&self.blank_resume);
    }

    pub fn tasks(&self, all: &mut Vec<TaskId>) {
        all.extend(self.steps.values().filter_map(|(_, stamp)| stamp.task));
    }
}
