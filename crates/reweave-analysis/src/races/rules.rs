//! The rules that order operations, by name: each can be counted, and switched off to see what it contributes.

use std::fmt;

macro_rules! rules {
    ($($(#[$doc:meta])* $name:ident $text:literal,)*) => {
        /// One rule. Those marked *limit* take orders away: switching one off gives more orders, not fewer.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Rule {
            $($(#[$doc])* $name,)*
        }

        impl Rule {
            pub const ALL: &'static [Rule] = &[$(Rule::$name,)*];

            /// The name in reports and documentation.
            pub fn name(self) -> &'static str {
                match self {
                    $(Rule::$name => $text,)*
                }
            }
        }
    };
}

rules! {
    /// A fork comes before the first operation of the new thread.
    Fork "fork",
    /// The last operation of a thread comes before whoever joined it goes on.
    Join "join",
    /// A release comes before a later acquire of the same lock by another thread.
    Lock "lock",
    /// A notify comes before the return of the wait that it ended.
    Notify "notify-wait",
    /// A volatile or atomic write comes before a later read of the same variable.
    Volatile "volatile",
    /// An unpark comes before the return of the park that it ended.
    Park "park",
    /// Giving a job to an executor comes before its run, and its run before whoever takes the result.
    Job "job",
    /// A static initialiser comes before the first use of its class.
    ClassInit "class initialisation",
    /// A loop that ends by reading another thread's write comes after that write.
    AdHoc "ad-hoc synchronization",
    /// Beginning to run a queue comes before its tasks.
    Loop "loop",
    /// All tasks of a queue come before the end of its thread.
    LoopEnd "loop end",
    /// A post comes before its task; so does the end of the task that posted it to its own queue.
    Post "post",
    /// Of two tasks posted to one queue in order, the first ends before the second begins.
    Fifo "first in, first out",
    /// *Limit*: a delayed task goes first only before one with at least its delay.
    Delay "delay",
    /// A task posted to the front goes before tasks posted earlier that had not begun.
    Front "front of the queue",
    /// *Limit*: a synchronous task may wait behind a barrier while an asynchronous one passes.
    Asynchronous "asynchronous",
    /// Removing a barrier comes before the synchronous tasks that were posted behind it.
    Barrier "barrier",
    /// A task is not interrupted: if a part of it comes before another task of its queue, all of it does.
    NoPreemption "no pre-emption",
    /// *Limit*: two tasks of one queue are not ordered by way of other threads alone.
    ConditionalTransitivity "conditional transitivity",
    /// If one task ends before a second begins, and that before a third, the first ends before the third begins.
    TaskTransitivity "transitivity of tasks",
    /// Adding an idle handler comes before its runs.
    Idle "idle handler",
    /// Enabling an input comes before the input.
    Input "input",
    /// Enabling a window's focus comes before the focus.
    Focus "window focus",
    /// Enabling a step of a life cycle comes before the step.
    Lifecycle "life cycle",
    /// The steps of an activity follow its automaton.
    Activity "activity",
    /// The steps of a service follow its automaton.
    Service "service",
    /// Registering a receiver and sending a broadcast come before its reception.
    Broadcast "broadcast",
    /// Broadcasts sent in order are received in order.
    BroadcastOrder "order of broadcasts",
    /// Waiting intents are received in the order of registration.
    StickyOrder "order of sticky broadcasts",
    /// Receptions of a periodic broadcast follow each other.
    TimeTick "time tick",
    /// Broadcasts come after the application is bound.
    ApplicationBound "application bound",
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The rules in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleSet(u64);

impl Default for RuleSet {
    fn default() -> RuleSet {
        RuleSet::ALL
    }
}

impl RuleSet {
    pub const ALL: RuleSet = RuleSet(u64::MAX);

    /// As the original DroidRacer was built.
    pub const DROIDRACER: RuleSet = RuleSet::ALL
        .without(Rule::TaskTransitivity)
        .without(Rule::LoopEnd)
        .without(Rule::AdHoc);

    pub const fn without(self, rule: Rule) -> RuleSet {
        RuleSet(self.0 & !(1 << rule as u32))
    }

    pub fn has(self, rule: Rule) -> bool {
        self.0 & (1 << rule as u32) != 0
    }
}

/// How often each rule gave an order, or as a limit withheld one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Firings(Vec<u64>);

impl Firings {
    pub fn count(&mut self, rule: Rule) {
        let index = rule as usize;
        if self.0.len() <= index {
            self.0.resize(Rule::ALL.len(), 0);
        }
        self.0[index] += 1;
    }

    pub fn of(&self, rule: Rule) -> u64 {
        self.0.get(rule as usize).copied().unwrap_or(0)
    }
}
