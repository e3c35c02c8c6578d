//! Races for people, in ThreadSanitizer's layout, then what it does not say: class, locks, the missing order.

use super::describe::{FrameText, GapText, RaceText, SideText, Status, TaskText};
use super::subject::{Counts, Subject};
use crate::report::table::{self, Side};
use crate::report::terminal::STRONG;
use crate::report::{count, thousands};
use std::io::{self, Write};

/// How many races there are of each status.
#[derive(Clone, Copy, Debug)]
pub struct Tallies {
    pub reported: u64,
    pub known: u64,
    pub suppressed: u64,
}

pub fn race(race: &RaceText, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "==================")?;
    let known = match race.status {
        Status::Known => ", in the baseline",
        Status::New | Status::Suppressed => "",
    };
    writeln!(
        out,
        "{STRONG}WARNING: reweave: data race{STRONG:#} ({}, race {}{known})  class: {}, {}",
        race.file, race.number, race.class, race.access
    )?;
    let location = match &race.object {
        Some(object) if object.contains('#') => format!("{} ({object})", race.location),
        Some(object) => format!("{} of object {object}", race.location),
        None => race.location.clone(),
    };
    let (second, first) = (&race.second, &race.first);
    writeln!(
        out,
        "  {} of {location} by {}:",
        capital(second.kind),
        who(second)
    )?;
    stack(&second.stack, out)?;
    writeln!(out, "  Previous {} by {}:", first.kind, who(first))?;
    stack(&first.stack, out)?;
    for side in tasks(race) {
        posted(side, out)?;
    }
    for side in threads(race) {
        created(side, out)?;
    }
    writeln!(out, "  Locks: {}", race.locking.text)?;
    missing(race, out)?;
    if race.pairs > 1 {
        writeln!(
            out,
            "  {} pairs of accesses race here",
            thousands(race.pairs)
        )?;
    }
    let at = second
        .own_frame()
        .map_or(String::new(), |frame| frame.place());
    writeln!(
        out,
        "SUMMARY: reweave: data race on {} in {at}",
        race.location
    )?;
    if race.first.access.is_some() {
        writeln!(
            out,
            "Debug it: reweave replay {} --goto race:{}.b",
            race.file, race.number
        )?;
    }
    Ok(())
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters
        .next()
        .map(|first| first.to_uppercase().chain(letters).collect())
        .unwrap_or_default()
}

fn who(side: &SideText) -> String {
    let name = side.thread_name.as_ref();
    let name = name.map(|name| format!(" \"{name}\"")).unwrap_or_default();
    let task = side.task.as_ref();
    let task = task
        .map(|task| format!(" in task {}", task.name))
        .unwrap_or_default();
    format!(
        "thread {}{name}{task} holding {{{}}}",
        side.thread,
        side.locks.join(", ")
    )
}

fn stack(frames: &[FrameText], out: &mut dyn Write) -> io::Result<()> {
    if frames.is_empty() {
        return writeln!(out, "    the trace does not say where");
    }
    for (index, frame) in frames.iter().enumerate() {
        writeln!(out, "    #{index} {}", frame.place())?;
    }
    Ok(())
}

/// The sides that ran in a task, each task once.
fn tasks(race: &RaceText) -> Vec<&SideText> {
    let mut sides: Vec<&SideText> = [&race.first, &race.second].into();
    sides.retain(|side| side.task.is_some());
    let name = |side: &SideText| side.task.as_ref().map(|task| task.name.clone());
    sides.dedup_by_key(|side| name(side));
    sides
}

fn posted(side: &SideText, out: &mut dyn Write) -> io::Result<()> {
    let Some(task) = &side.task else {
        return Ok(());
    };
    let within = task.posted_in.as_ref();
    let within = within.map(|task| format!(" in task {task}"));
    let delay = match task.delay_ms {
        0 => String::new(),
        delay => format!(", with a delay of {delay} ms"),
    };
    writeln!(
        out,
        "  Task {} was posted by thread {}{}{delay}:",
        task.name,
        task.posted_by,
        within.unwrap_or_default()
    )?;
    stack(&task.posted_at, out)?;
    match &task.trigger {
        Some(trigger) => writeln!(out, "    due to {trigger}"),
        None => Ok(()),
    }
}

/// The sides of different threads.
fn threads(race: &RaceText) -> Vec<&SideText> {
    let mut sides: Vec<&SideText> = [&race.first, &race.second].into();
    sides.dedup_by_key(|side| side.thread.clone());
    sides
}

fn created(side: &SideText, out: &mut dyn Write) -> io::Result<()> {
    let Some(created) = &side.created else {
        return writeln!(
            out,
            "  Thread {} was there from the beginning, or came from outside",
            side.thread
        );
    };
    writeln!(
        out,
        "  Thread {} was created by thread {} at:",
        side.thread, created.by
    )?;
    stack(&created.stack, out)
}

fn missing(race: &RaceText, out: &mut dyn Write) -> io::Result<()> {
    let Some(gap) = &race.gap else {
        return writeln!(
            out,
            "  Missing order: not looked for, the trace is too long"
        );
    };
    match (&race.first.task, &race.second.task) {
        (Some(first), Some(second)) if race.first.thread == race.second.thread => {
            between_tasks(race, first, second, out)?;
        }
        (_, _) => between_threads(race, gap, out)?,
    }
    match &gap.common {
        Some(operation) => writeln!(out, "  Nearest common point: {operation}"),
        None => writeln!(
            out,
            "  Nearest common point: none, nothing came before both"
        ),
    }
}

/// Tasks of one queue are ordered by how they were posted, never by locks.
fn between_tasks(
    race: &RaceText,
    first: &TaskText,
    second: &TaskText,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(
        out,
        "  Missing order: nothing puts the end of task {} before the beginning of task {}:",
        first.name, second.name
    )?;
    let why = match (race.class.as_str(), &first.trigger, &second.trigger) {
        ("co-enabled", Some(a), Some(b)) => {
            format!("{a} and {b} may come in either order")
        }
        ("delayed", ..) => format!(
            "a delay on the way to one of them lets the other overtake (their own: {} and {} ms)",
            first.delay_ms, second.delay_ms
        ),
        ("cross-posted", ..) => format!(
            "the posts by {} and {} that led to them are not ordered",
            first.posted_by, second.posted_by
        ),
        (..) => "their posts are not ordered".to_owned(),
    };
    writeln!(out, "    {why}")
}

fn between_threads(race: &RaceText, gap: &GapText, out: &mut dyn Write) -> io::Result<()> {
    let (first, second) = (race.first.kind, race.second.kind);
    let published = match &gap.published {
        Some(operation) => format!("the first thing others could learn of is {operation}"),
        None => "nothing followed that others could learn of".to_owned(),
    };
    writeln!(out, "  Missing order: after the {first}, {published};")?;
    match &gap.learned {
        Some(operation) => writeln!(
            out,
            "    before the {second}, the last thing its thread learnt from was {operation};"
        )?,
        None => writeln!(out, "    before the {second}, its thread learnt of nobody;")?,
    }
    match &gap.seen {
        Some(operation) => writeln!(
            out,
            "    of {} it knew no more than {operation}",
            race.first.thread
        )?,
        None => writeln!(out, "    of {} it knew nothing", race.first.thread)?,
    }
    Ok(())
}

/// The table of DroidRacer's paper, a line a file.
pub fn stats(subjects: &[Subject], out: &mut dyn Write) -> io::Result<()> {
    let columns = [
        ("trace", Side::Left),
        ("length", Side::Right),
        ("fields", Side::Right),
        ("threads without queue", Side::Right),
        ("with queue", Side::Right),
        ("tasks", Side::Right),
    ];
    let rows = || {
        subjects.iter().map(|subject| {
            let mut row = vec![subject.file.clone()];
            match &subject.table {
                Some(table) => row.extend(
                    [
                        table.length,
                        table.fields,
                        table.threads_without_queue,
                        table.threads_with_queue,
                        table.tasks,
                    ]
                    .map(|number| number.to_string()),
                ),
                None => row.push("not kept".to_owned()),
            }
            row
        })
    };
    table::print(&columns, rows, out)
}

pub fn summary(
    subjects: &[Subject],
    counts: &Counts,
    tallies: Tallies,
    out: &mut dyn Write,
) -> io::Result<()> {
    if tallies.reported > 0 {
        writeln!(out, "==================")?;
    }
    let co_enabled = match counts.co_enabled_ui {
        Some(ui) => format!(
            "{} co-enabled ({ui} on user interface classes)",
            counts.co_enabled
        ),
        None => format!("{} co-enabled", counts.co_enabled),
    };
    writeln!(
        out,
        "{} with a race, {} of accesses: {} multi-threaded, {} cross-posted, {co_enabled}, {} delayed, {} uncategorised",
        count(counts.locations, "location"),
        count(counts.pairs, "pair"),
        counts.multi_threaded,
        counts.cross_posted,
        counts.delayed,
        counts.uncategorised,
    )?;
    let mut line = format!(
        "reweave: {} in {}",
        count(tallies.reported, "race"),
        count(subjects.len() as u64, "file")
    );
    if tallies.known > 0 {
        line += &format!(", {} of them known", thousands(tallies.known));
    }
    if tallies.suppressed > 0 {
        line += &format!("; {} suppressed", thousands(tallies.suppressed));
    }
    writeln!(out, "{line}")
}
