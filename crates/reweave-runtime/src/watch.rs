//! Notices a replay that cannot go on. A thread that computes for an hour is no stall; a thread that waits for an event that can never happen is one at once.

use crate::sys::thread_number;
use crate::turns::{Activity, Turns};
use reweave_trace::StreamId;
use std::time::{Duration, Instant};

/// Why the watcher calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finding {
    /// Every thread stands where its recording ends.
    AllAtEnd,
    /// Some thread waits for an event that nobody can bring about.
    Stalled,
}

const LOOK_EVERY: Duration = Duration::from_millis(20);
/// How long a thread that has nothing left to follow may sleep before it counts as being at its end.
const IDLE: Duration = Duration::from_secs(2);
/// Nothing at all may run for this long before a verdict: threads are between two states for microseconds.
const SETTLE: Duration = Duration::from_millis(300);

/// Looks at the turns for ever; `report` is called once there is a finding and is expected to end the process.
/// With `cut` set the recording was cut short: a thread that has followed all of it and sleeps somewhere is at its end too.
/// With `debugged` set a thread that does nothing may be one that a person has stopped, so only waits that can never end count.
pub fn watch(
    turns: &Turns,
    stall_after: Duration,
    debugged: bool,
    cut: bool,
    report: impl Fn(Finding),
) {
    let mut quiet_since = Instant::now();
    let mut seen = Snapshot::default();
    loop {
        std::thread::sleep(LOOK_EVERY);
        let now = Snapshot::take(turns);
        if now != seen {
            seen = now;
            quiet_since = Instant::now();
            continue;
        }
        let quiet = quiet_since.elapsed();
        let finding = match now.judge() {
            Judgement::AllAtEnd if quiet >= SETTLE => Some(Finding::AllAtEnd),
            Judgement::NobodyRuns if quiet >= SETTLE => Some(Finding::Stalled),
            Judgement::SomebodyRuns { others_wait: false }
                if cut && !debugged && quiet >= IDLE && now.followed =>
            {
                Some(Finding::AllAtEnd)
            }
            // Somebody runs, but is asleep in the kernel all the time, and somebody else waits for a turn.
            Judgement::SomebodyRuns { others_wait: true } if !debugged && quiet >= stall_after => {
                Some(Finding::Stalled)
            }
            // Nobody waits for a turn, but whoever has events left sleeps: perhaps for a lock that a thread at its end holds. A child that works is worth waiting
            // for, and so is the outside world: a person at the keyboard, a peer on the network.
            Judgement::SomebodyRuns { others_wait: false }
                if !debugged
                    && quiet >= stall_after
                    && !now.followed
                    && !has_children()
                    && !expects_input(turns) =>
            {
                Some(Finding::Stalled)
            }
            _ => None,
        };
        if let Some(finding) = finding {
            report(finding);
            quiet_since = Instant::now();
        }
    }
}

/// Sentences for people: who waits for whom, and how far everybody got.
pub fn describe(
    turns: &Turns,
    name: impl Fn(StreamId) -> String,
    place: impl Fn(u32) -> String,
) -> Vec<String> {
    let mut lines = vec![];
    for id in turns.stream_ids() {
        let (finished, recorded) = turns.progress(id);
        let (done, all) = (turns.events_in(id, finished), turns.events_in(id, recorded));
        let progress = format!("{done} of {all} events done");
        let line = match turns.activity(id) {
            Activity::NotStarted if recorded == 0 => continue,
            Activity::NotStarted => format!("{}: not started; {progress}", name(id)),
            Activity::Ended if finished >= recorded => continue,
            Activity::Ended => format!("{}: ended early; {progress}", name(id)),
            Activity::Running => format!(
                "{}: running, or blocked in an operation that is not recorded; {progress}",
                name(id)
            ),
            Activity::Waiting(link) => {
                let what = turns
                    .kind_of(link)
                    .map_or("an event", reweave_trace::Kind::name);
                format!(
                    "{}: waits for {} to {what} (position {}); {progress}",
                    name(id),
                    name(link.stream),
                    link.position.0
                )
            }
            Activity::WaitingForAccesses(other, count) => format!(
                "{}: at an access to memory, waits until {} has made {count} ({} so far); {progress}",
                name(id),
                name(other),
                turns.slots().count(other.0)
            ),
            Activity::AtEnd(kind, site) => {
                format!(
                    "{}: stopped before {} at {}; {progress}",
                    name(id),
                    kind.name(),
                    place(site.0)
                )
            }
        };
        lines.push(line);
    }
    lines
}

/// Everything that changes while a replay makes progress.
#[derive(Default, PartialEq, Eq)]
struct Snapshot {
    steps: u64,
    streams: Vec<(Activity, u64)>,
    /// Every started stream is at the end of its recording.
    followed: bool,
}

enum Judgement {
    AllAtEnd,
    NobodyRuns,
    SomebodyRuns { others_wait: bool },
    NothingStarted,
}

impl Snapshot {
    fn take(turns: &Turns) -> Snapshot {
        let streams = turns
            .stream_ids()
            .map(|id| {
                let activity = turns.activity(id);
                let busy = match activity {
                    Activity::Running => cpu_time(turns.thread_of(id)),
                    _ => 0,
                };
                (activity, busy)
            })
            .collect();
        let followed = turns.stream_ids().all(|id| {
            let (finished, recorded) = turns.progress(id);
            finished >= recorded || turns.activity(id) == Activity::NotStarted
        });
        Snapshot {
            steps: turns.steps(),
            streams,
            followed,
        }
    }

    fn judge(&self) -> Judgement {
        let (mut running, mut waiting, mut at_end) = (0, 0, 0);
        for (activity, _) in &self.streams {
            match activity {
                Activity::NotStarted | Activity::Ended => (),
                Activity::Running => running += 1,
                Activity::Waiting(_) | Activity::WaitingForAccesses(..) => waiting += 1,
                Activity::AtEnd(..) => at_end += 1,
            }
        }
        match (running, waiting, at_end) {
            (0, 0, 0) => Judgement::NothingStarted,
            (0, 0, _) => Judgement::AllAtEnd,
            (0, _, _) => Judgement::NobodyRuns,
            (_, waiting, _) => Judgement::SomebodyRuns {
                others_wait: waiting > 0,
            },
        }
    }
}

/// Whether this process waits for others that it started.
fn has_children() -> bool {
    let threads = std::fs::read_dir("/proc/self/task")
        .into_iter()
        .flatten()
        .flatten();
    threads
        .filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok())
        .any(|children| !children.trim().is_empty())
}

/// Whether a running stream waits in a system call other than those that locks and timers sleep in.
fn expects_input(turns: &Turns) -> bool {
    turns
        .stream_ids()
        .filter(|id| turns.activity(*id) == Activity::Running)
        .filter_map(|id| {
            let path = format!("/proc/self/task/{}/syscall", turns.thread_of(id));
            let text = std::fs::read_to_string(path).ok()?;
            text.split_ascii_whitespace().next()?.parse::<i64>().ok()
        })
        .any(|call| {
            ![
                libc::SYS_futex,
                libc::SYS_nanosleep,
                libc::SYS_clock_nanosleep,
            ]
            .contains(&call)
        })
}

/// Clock ticks that a thread of this process has used; a thread that is gone has used none.
fn cpu_time(thread: i32) -> u64 {
    debug_assert_ne!(thread, thread_number());
    let Ok(text) = std::fs::read_to_string(format!("/proc/self/task/{thread}/stat")) else {
        return 0;
    };
    // The name is in parentheses and may contain anything; the fields behind it are numbers.
    let Some((_, rest)) = text.rsplit_once(')') else {
        return 0;
    };
    let mut fields = rest.split_ascii_whitespace().skip(11);
    let mut next = || {
        fields
            .next()
            .and_then(|f| f.parse::<u64>().ok())
            .unwrap_or(0)
    };
    next() + next()
}
