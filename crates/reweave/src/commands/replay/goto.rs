//! Which event the user means with `--goto`.

use crate::exit::{Exit, Failure};
use reweave_analysis::order::{Order, Ordered};
use reweave_trace::{
    EventNumber, Link, Operation, Position, Process, ProcessNumber, StreamId, Trace,
};

/// A number that `view` shows (of the first process), `PROCESS:STREAM:POSITION`, or `failure`.
pub fn find(trace: &Trace, text: &str) -> Result<(ProcessNumber, Link), Failure> {
    let wrong = |why: &str| {
        Failure::new(format!("--goto {text}: {why}"))
            .with_exit(Exit::USAGE)
            .with_next(
                "give a number that `reweave view` shows, PROCESS:STREAM:POSITION, or `failure`",
            )
    };
    if text == "failure" {
        return trace
            .processes
            .iter()
            .find_map(failure_of)
            .ok_or_else(|| wrong("no thread of this run failed"));
    }
    let parts: Result<Vec<u64>, _> = text.split(':').map(str::parse).collect();
    let (process, link) = match parts.as_deref() {
        Ok([number]) => {
            let process = trace
                .processes
                .first()
                .ok_or_else(|| wrong("the recording is empty"))?;
            (process, Order::of(process).link(EventNumber(*number)))
        }
        Ok([process, stream, position]) => {
            let process = trace
                .processes
                .iter()
                .find(|known| u64::from(known.number.0) == *process);
            let process = process.ok_or_else(|| wrong("there is no such process"))?;
            let link = u32::try_from(*stream)
                .ok()
                .map(|stream| Link::new(StreamId(stream), Position(*position)));
            (process, link.filter(|link| starts_event(process, *link)))
        }
        _ => return Err(wrong("this names no event")),
    };
    let link = link.ok_or_else(|| wrong("there is no such event in this recording"))?;
    Ok((process.number, link))
}

fn starts_event(process: &Process, link: Link) -> bool {
    let events = process
        .thread(link.stream)
        .into_iter()
        .flat_map(|thread| thread.events().flatten());
    events
        .into_iter()
        .any(|event| event.position == link.position)
}

/// The last exception that nobody caught, else the last time somebody asked for a failing exit.
fn failure_of(process: &Process) -> Option<(ProcessNumber, Link)> {
    let order = Order::of(process);
    let last = |is: fn(&Ordered) -> bool| order.events().rev().find(is);
    let event =
        last(|event| matches!(event.operation, Operation::Uncaught { .. })).or_else(|| {
            last(|event| matches!(event.operation, Operation::Halt { status } if status != 0))
        })?;
    Some((process.number, order.link(event.number)?))
}
