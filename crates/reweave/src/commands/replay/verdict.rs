//! Says how a replay ended, and what to return for it.

use super::Replay;
use crate::exit::{Exit, Failure};
use crate::launch::outcome::{Divergence, Outcome, Verdict};
use crate::launch::run::Ended;
use crate::report::event::sentence;
use crate::report::{count, thousands};
use crate::store::shortest_name;
use reweave_analysis::order::Order;
use reweave_trace::{Kind, Link, Process, SiteId};
use serde_json::{Value, json};

pub fn report(
    replay: &Replay<'_>,
    ended: &Ended,
    outcome: Option<&Outcome>,
) -> Result<Exit, Failure> {
    let exit = exit_of(replay, ended, outcome);
    match outcome {
        None => say_died(replay, ended),
        Some(outcome) => say(replay, ended, outcome),
    }
    if replay.terminal.json {
        let result = to_json(replay, ended, outcome, exit);
        Failure::unless_broken_pipe(replay.terminal.result(&result))?;
    }
    Ok(exit)
}

pub fn exit_of(replay: &Replay<'_>, ended: &Ended, outcome: Option<&Outcome>) -> Exit {
    let recorded = || Exit::of_program(replay.recorded_exit_code().unwrap_or(ended.code));
    match outcome.map(|outcome| &outcome.verdict) {
        None if died_as_recorded(replay, ended) => recorded(),
        None => Exit::OWN_FAILURE,
        Some(Verdict::Diverged(_)) => Exit::DIVERGED,
        Some(Verdict::Stalled { .. }) => Exit::STALLED,
        Some(Verdict::Deadlock { .. } | Verdict::Hang { .. } | Verdict::EndOfLog { .. }) => {
            recorded()
        }
        Some(Verdict::Followed | Verdict::NotEnforced) => Exit::of_program(ended.code),
    }
}

/// A program that was killed by a signal while it was recorded may well end the same way again.
fn died_as_recorded(replay: &Replay<'_>, ended: &Ended) -> bool {
    let recorded = replay
        .trace
        .result
        .as_ref()
        .and_then(|result| result.signal);
    recorded.is_some() && recorded == ended.signal
}

fn say_died(replay: &Replay<'_>, ended: &Ended) {
    if died_as_recorded(replay, ended) {
        let signal = ended.signal.unwrap_or(0);
        replay.terminal.note(format!(
            "the program was killed by signal {signal}, as when it was recorded"
        ));
        return;
    }
    let how = match ended.signal {
        Some(signal) => format!("was killed by signal {signal}"),
        None => format!("ended with {}", ended.code),
    };
    replay.terminal.error(format!(
        "the program {how} before it could say how the replay went. If it printed why, that is above; if the JVM crashed, \
         there is a hs_err file in {}",
        replay.cwd.display()
    ));
    replay.terminal.note("next: reweave doctor");
}

fn say(replay: &Replay<'_>, ended: &Ended, outcome: &Outcome) {
    let terminal = replay.terminal;
    let progress = format!(
        "{} of {}",
        thousands(outcome.followed),
        count(outcome.total, "event")
    );
    match &outcome.verdict {
        Verdict::NotEnforced => terminal.note("the recording was not enforced"),
        Verdict::Followed => {
            terminal.note(format!("followed {progress}"));
            if let Some(recorded) = replay
                .recorded_exit_code()
                .filter(|&recorded| recorded != ended.code)
            {
                terminal.warning(format!(
                    "the program ended with {}, but with {recorded} when it was recorded",
                    ended.code
                ));
            }
        }
        Verdict::EndOfLog { waits } => {
            terminal.result_line(format!(
                "the recording ends here: {progress} followed; it was killed or cut at this point"
            ));
            say_waits(replay, waits);
        }
        Verdict::Deadlock { waits } => {
            terminal.result_line(format!("deadlock reproduced after {progress}:"));
            say_waits(replay, waits);
            terminal.note(format!(
                "next: reweave replay {} --debug",
                shortest_name(replay.path)
            ));
        }
        Verdict::Hang { waits } => {
            terminal.result_line(format!(
                "hang reproduced after {progress}: nobody can go on"
            ));
            say_waits(replay, waits);
            terminal.note(format!(
                "next: reweave replay {} --debug",
                shortest_name(replay.path)
            ));
        }
        Verdict::Stalled { waits } => {
            terminal.error(format!("the replay cannot go on after {progress}"));
            say_waits(replay, waits);
            terminal.note("a thread waits for an event that did not come; the program probably does something that was not recorded");
            terminal.note(format!(
                "next: reweave view {} --columns",
                shortest_name(replay.path)
            ));
        }
        Verdict::Diverged(divergence) => {
            terminal.error(divergence_text(replay, outcome, divergence))
        }
    }
}

fn say_waits(replay: &Replay<'_>, waits: &[String]) {
    for wait in waits {
        replay.terminal.result_line(format!("  {wait}"));
    }
}

fn divergence_text(replay: &Replay<'_>, outcome: &Outcome, divergence: &Divergence) -> String {
    let process = replay
        .trace
        .processes
        .iter()
        .find(|process| process.path == outcome.process);
    let order = process.map(Order::of);
    let at = match (divergence.stream, divergence.position) {
        (Some(stream), Some(position)) => Some(Link::new(stream, position)),
        _ => None,
    };
    let event = match (&order, at) {
        (Some(order), Some(link)) => order.number_at(link).and_then(|number| order.event(number)),
        _ => None,
    };
    let place = match (event, &order) {
        (Some(event), Some(order)) => format!("event {} of {}", event.number, order.len()),
        _ => format!(
            "{} of {}",
            thousands(outcome.followed),
            count(outcome.total, "event")
        ),
    };
    let thread = order
        .as_ref()
        .and_then(|order| order.thread_of(divergence.stream?))
        .map(ToString::to_string);
    let expected = match (divergence.expected, event, &order) {
        (None, ..) => "nothing: the recording has no more events of this thread".to_owned(),
        (Some(_), Some(event), Some(order)) => sentence(order, &event),
        (Some(expected), ..) => event_text(process, expected),
    };
    let observed = match divergence.observed {
        Some((kind, _)) if !divergence.observed_at.is_empty() => {
            format!("{kind} at {}", divergence.observed_at)
        }
        Some(observed) => event_text(process, observed),
        None => divergence.observed_at.clone(),
    };
    let thread = thread.unwrap_or_else(|| "unknown".to_owned());
    let mut text = format!(
        "the replay left the recording at {place}\n  thread    {thread}\n  expected  {expected}\n  observed  {observed}"
    );
    // The innermost frame is the place itself.
    for frame in divergence.stack.iter().skip(1) {
        text.push_str(&format!("\n            called from {frame}"));
    }
    if !divergence.detail.is_empty() {
        text.push_str(&format!("\n  detail    {}", divergence.detail));
    }
    text.push_str(
        "\n  likely    a data race, or something that is not recorded: docs/limits.md lists it",
    );
    let around = event.map_or_else(String::new, |event| format!(" --around {}", event.number));
    text.push_str(&format!(
        "\n  next      reweave view {} --columns{around}",
        shortest_name(replay.path)
    ));
    text
}

fn event_text(process: Option<&Process>, (kind, site): (Kind, SiteId)) -> String {
    match process.and_then(|process| process.sites.get(&site)) {
        Some(place) => format!("{kind} at {place}"),
        None if site == SiteId::default() => kind.to_string(),
        None => format!("{kind} at site {site}"),
    }
}

pub fn to_json(replay: &Replay<'_>, ended: &Ended, outcome: Option<&Outcome>, exit: Exit) -> Value {
    let mut value = json!({
        "verdict": match outcome {
            Some(outcome) => outcome.verdict.name(),
            None if died_as_recorded(replay, ended) => "died-as-recorded",
            None => "died",
        },
        "file": replay.path,
        "run": replay.trace.manifest.run,
        "exit_code": exit.code(),
        "program_exit_code": ended.code,
        "recorded_exit_code": replay.recorded_exit_code(),
        "wall_ms": ended.wall.as_millis() as u64,
    });
    let Some(outcome) = outcome else { return value };
    value["followed"] = outcome.followed.into();
    value["total"] = outcome.total.into();
    match &outcome.verdict {
        Verdict::Followed | Verdict::NotEnforced => (),
        Verdict::EndOfLog { waits }
        | Verdict::Hang { waits }
        | Verdict::Deadlock { waits }
        | Verdict::Stalled { waits } => {
            value["waits"] = json!(waits);
        }
        Verdict::Diverged(divergence) => {
            let event = |event: Option<(Kind, SiteId)>| {
                event.map(|(kind, site)| json!({"kind": kind.name(), "site": site.0}))
            };
            value["divergence"] = json!({
                "process": outcome.process,
                "stream": divergence.stream.map(|stream| stream.0),
                "position": divergence.position.map(|position| position.0),
                "expected": event(divergence.expected),
                "observed": event(divergence.observed),
                "observed_at": divergence.observed_at,
                "detail": divergence.detail,
            });
        }
    }
    value
}
