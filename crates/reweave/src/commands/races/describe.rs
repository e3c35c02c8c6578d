//! Findings in words. Text, JSON and SARIF are all made from these values, so they cannot disagree.

use super::names::{LocationText, Names, is_jdk};
use reweave_analysis::races::event::AccessKind;
use reweave_analysis::races::findings::{Access, Findings, Locking, Race};
use reweave_analysis::races::observation::AccessName;
use reweave_analysis::races::observe::Frame;
use reweave_trace::ProcessNumber;
use serde::Serialize;
use xxhash_rust::xxh3::xxh3_64;

/// One race, ready to be printed.
#[derive(Clone, Debug, Serialize)]
pub struct RaceText {
    /// From 1, over all races of a report.
    pub number: usize,
    /// The file it was found in.
    pub file: String,
    pub class: String,
    /// `write-write` or `read-write`.
    pub access: &'static str,
    pub location: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location_class: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// Earlier in the trace.
    pub first: SideText,
    pub second: SideText,
    /// Pairs of accesses that this one stands for.
    pub pairs: u64,
    pub locking: LockingText,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gap: Option<GapText>,
    /// The same for the same race in another run.
    pub fingerprint: String,
    pub status: Status,
}

/// What becomes of a race.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    New,
    /// In the baseline.
    Known,
    /// A suppression names it.
    Suppressed,
}

#[derive(Clone, Debug, Serialize)]
pub struct SideText {
    pub kind: &'static str,
    /// `T2`.
    pub thread: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread_name: Option<String>,
    /// Number in the trace, from 1.
    pub event: u64,
    pub stack: Vec<FrameText>,
    /// In a recording of ours: by which a replay finds the access.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access: Option<AccessText>,
    pub locks: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskText>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created: Option<CreationText>,
}

/// The access of a stream with that number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct AccessText {
    pub process: u32,
    pub stream: u32,
    pub number: u64,
}

impl From<(ProcessNumber, AccessName)> for AccessText {
    fn from((process, access): (ProcessNumber, AccessName)) -> AccessText {
        AccessText {
            process: process.0,
            stream: access.stream,
            number: access.number,
        }
    }
}

impl SideText {
    /// The innermost frame of the program itself, which may have called a collection of the JDK.
    pub fn own_frame(&self) -> Option<&FrameText> {
        own_frame(&self.stack)
    }
}

pub fn own_frame(stack: &[FrameText]) -> Option<&FrameText> {
    let own = stack.iter().find(|frame| !is_jdk(&frame.function));
    own.or(stack.first())
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FrameText {
    pub function: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

#[derive(Clone, Debug, Serialize)]
pub struct TaskText {
    pub name: String,
    pub posted_by: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub posted_in: Option<String>,
    pub posted_at: Vec<FrameText>,
    pub delay_ms: u32,
    /// The event of the environment that it is due to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trigger: Option<String>,
}

#[derive(Clone, Debug, Serialize)]
pub struct CreationText {
    pub by: String,
    pub stack: Vec<FrameText>,
}

#[derive(Clone, Debug, Serialize)]
pub struct LockingText {
    /// `none`, `one-side`, `different` or `common`.
    pub kind: &'static str,
    pub text: String,
    /// Whether both sides were probably meant to hold a lock in common.
    pub common_lock_expected: bool,
}

#[derive(Clone, Debug, Serialize)]
pub struct GapText {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub common: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seen: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub learned: Option<String>,
}

impl From<Frame> for FrameText {
    fn from(frame: Frame) -> FrameText {
        FrameText {
            function: frame.function,
            file: frame.file,
            line: frame.line,
        }
    }
}

impl FrameText {
    /// As ThreadSanitizer prints it.
    pub fn place(&self) -> String {
        match (&self.file, self.line) {
            (Some(file), Some(line)) => format!("{} {file}:{line}", self.function),
            (Some(file), None) => format!("{} {file}", self.function),
            (None, _) => self.function.clone(),
        }
    }
}

/// Puts the races of one file into words, numbered from `from`.
pub fn races(findings: &Findings, names: &dyn Names, file: &str, from: usize) -> Vec<RaceText> {
    let races = findings.races.iter().enumerate();
    races
        .map(|(index, race)| describe(race, names, file, from + index))
        .collect()
}

fn describe(race: &Race, names: &dyn Names, file: &str, number: usize) -> RaceText {
    let location = names.location(race.location, race.first.event);
    let (first, second) = (side(&race.first, names), side(&race.second, names));
    let both_write = race.first.kind == AccessKind::Write && race.second.kind == AccessKind::Write;
    RaceText {
        number,
        file: file.to_owned(),
        class: race.class.name().to_owned(),
        access: if both_write {
            "write-write"
        } else {
            "read-write"
        },
        fingerprint: fingerprint(race, &location, names, &first, &second),
        location: location.name,
        object: location.object,
        location_class: location.class,
        field: location.field,
        first,
        second,
        pairs: race.pairs,
        locking: locking(&race.locking, names),
        gap: race.gap.map(|gap| {
            let text = |event: Option<_>| event.map(|event| names.operation(event));
            GapText {
                common: text(gap.common),
                published: text(gap.published),
                seen: text(gap.seen),
                learned: text(gap.learned),
            }
        }),
        status: Status::New,
    }
}

/// Survives edits elsewhere in the file and other object identities: no lines, no numbers of this run.
fn fingerprint(
    race: &Race,
    location: &LocationText,
    names: &dyn Names,
    first: &SideText,
    second: &SideText,
) -> String {
    let mut sides = [first, second].map(|side| {
        let frame = side.own_frame().filter(|_| names.has_source());
        let function = frame.map_or("", |frame| frame.function.as_str());
        let file = frame.and_then(|frame| frame.file.as_deref()).unwrap_or("");
        format!("{} {function} {file}", side.kind)
    });
    sides.sort();
    let text = format!(
        "{}|{}|{}|{}",
        race.class.name(),
        location.name,
        sides[0],
        sides[1]
    );
    format!("{:016x}", xxh3_64(text.as_bytes()))
}

fn side(access: &Access, names: &dyn Names) -> SideText {
    let frames = |event, site| -> Vec<FrameText> {
        let frames = names.frames(event, site).into_iter();
        frames.map(FrameText::from).collect()
    };
    SideText {
        kind: match access.kind {
            AccessKind::Read => "read",
            AccessKind::Write => "write",
        },
        thread: names.thread(access.thread),
        thread_name: names.thread_name(access.thread),
        event: u64::from(access.event.0) + 1,
        stack: frames(access.event, access.site),
        access: None,
        locks: access.held.iter().map(|lock| names.lock(*lock)).collect(),
        task: access.task.map(|task| TaskText {
            name: names.task(task.id),
            posted_by: names.thread(task.posted.by),
            posted_in: task.posted.within.map(|task| names.task(task)),
            posted_at: frames(task.posted.event, task.posted.site),
            delay_ms: task.posted.delay,
            trigger: task.trigger.map(|event| names.operation(event)),
        }),
        created: names.creation(access.thread).map(|origin| CreationText {
            by: names.thread(origin.by),
            stack: frames(origin.event, origin.site),
        }),
    }
}

fn locking(locking: &Locking, names: &dyn Names) -> LockingText {
    let (kind, text) = match locking {
        Locking::None => ("none", "neither side holds a lock".to_owned()),
        Locking::OneSide { lock, holding, of } => (
            "one-side",
            format!(
                "one side holds {}, the other none; {holding} of {of} accesses to this location hold it",
                names.lock(*lock)
            ),
        ),
        Locking::Different => (
            "different",
            "both sides hold locks, but none in common".to_owned(),
        ),
        Locking::Common(lock) => (
            "common",
            format!(
                "both sides hold {}, which does not order tasks of one queue",
                names.lock(*lock)
            ),
        ),
    };
    let expected = locking.was_expected();
    LockingText {
        kind,
        text: if expected {
            format!("{text}: a common lock was probably meant")
        } else {
            text
        },
        common_lock_expected: expected,
    }
}
