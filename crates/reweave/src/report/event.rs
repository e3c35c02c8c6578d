//! An event in words and as JSON, the same for every command.

use super::input;
use reweave_analysis::order::{Order, Ordered};
use reweave_trace::{Ending, EventNumber, Link, Operation, StreamId, Woken};
use serde_json::{Value, json};

/// What happened, without the object: `acquire`, `start main.2`, `wait, woken by 17`.
pub fn what(order: &Order<'_>, event: &Ordered) -> String {
    let (verb, detail) = parts(order, event);
    format!("{verb}{detail}")
}

/// What happened and on what: `wait Account#3, woken by 17`.
pub fn phrase(order: &Order<'_>, event: &Ordered) -> String {
    let (verb, detail) = parts(order, event);
    match object(order, event) {
        "" => format!("{verb}{detail}"),
        object => format!("{verb} {object}{detail}"),
    }
}

/// The operation, and what is to be said about it after its object.
fn parts(order: &Order<'_>, event: &Ordered) -> (String, String) {
    let kind = event.event.kind;
    let thread = |stream: StreamId| match order.thread_of(stream) {
        Some(thread) => thread.path.clone(),
        None if stream.0 == 0 => "a thread outside".to_owned(),
        None => format!("t{stream}"),
    };
    let ending = |ending: Ending| match ending {
        Ending::Done => String::new(),
        Ending::TimedOut => ", timed out".to_owned(),
        Ending::Interrupted => ", interrupted".to_owned(),
    };
    let on = |target: String| format!("{kind} {target}");
    let with = |detail: String| (kind.to_string(), detail);
    match event.operation {
        Operation::Acquire if event.times > 1 => with(format!(", {} times", event.times)),
        Operation::Wait(Woken::By(link)) => match order.number_at(link) {
            Some(number) => with(format!(", woken by {number}")),
            None => with(", woken".to_owned()),
        },
        Operation::Wait(Woken::TimedOut) => with(", timed out".to_owned()),
        Operation::Wait(Woken::Interrupted) => with(", interrupted from outside".to_owned()),
        Operation::Wait(Woken::Spurious) => with(", woke by itself".to_owned()),
        Operation::Notify | Operation::NotifyAll => match order.woken_by(event.number) {
            [] => with(String::new()),
            woken => with(format!(", woke {}", woken_threads(order, woken))),
        },
        Operation::Start { child } | Operation::Hook { child } => {
            (on(thread(child)), String::new())
        }
        Operation::Join {
            target,
            ending: how,
        } => (on(thread(target)), ending(how)),
        Operation::ReadInterrupt { flag, cleared, .. } => {
            let flag = if flag { ": yes" } else { ": no" };
            with(format!("{flag}{}", if cleared { ", cleared" } else { "" }))
        }
        Operation::Sleep(how) => with(ending(how)),
        Operation::ClassInit { by } => with(format!(" by {}", thread(by))),
        Operation::Value(value) => {
            let link = Link::new(order.thread(event).stream, event.event.position);
            match input::special(link, event.event.site, value) {
                Some(words) => with(format!(": {words}")),
                None => (on(value.to_string()), String::new()),
            }
        }
        Operation::Output {
            descriptor, length, ..
        } => with(format!(" of {length} bytes to {descriptor}")),
        Operation::Uncaught { class } => match order.process().classes.get(&class) {
            Some(name) => (on(name.replace('/', ".")), String::new()),
            None => with(String::new()),
        },
        Operation::Halt { status } => (on(status.to_string()), String::new()),
        Operation::Switch {
            next,
            reason,
            blocks,
        } => (
            on(thread(next)),
            format!(", {} at block {blocks}", reason.name()),
        ),
        Operation::Input { descriptor, result } if !order.process().is_native() => {
            let process = order.process();
            let link = Link::new(order.thread(event).stream, event.event.position);
            let site = process.sites.get(&event.event.site);
            with(input::describe(process, link, site, descriptor, result))
        }
        Operation::Input { descriptor, result } => with(format!(" {result} from {descriptor}")),
        Operation::Signal {
            number, blocks: 0, ..
        } => with(format!(" {number}")),
        Operation::Signal { number, blocks, .. } => with(format!(" {number} at block {blocks}")),
        Operation::Repeat { times } => with(format!(", {times} times")),
        Operation::Order { access } => with(format!(" of access {access}")),
        Operation::Acquire
        | Operation::Exit
        | Operation::Interrupt { .. }
        | Operation::Park
        | Operation::Unpark { .. }
        | Operation::ClassInitEnd
        | Operation::Foreign => with(String::new()),
    }
}

fn woken_threads(order: &Order<'_>, woken: &[EventNumber]) -> String {
    let names: Vec<&str> = woken
        .iter()
        .filter_map(|&number| Some(order.thread(&order.event(number)?).path.as_str()))
        .collect();
    names.join(", ")
}

/// Name of the object that the event is on, or nothing.
pub fn object<'a>(order: &'a Order<'_>, event: &Ordered) -> &'a str {
    order.object(event).map_or("", |object| &object.name)
}

/// Where in the program, as in a stack trace; nothing if unknown.
pub fn place(order: &Order<'_>, event: &Ordered) -> String {
    order
        .process()
        .sites
        .get(&event.event.site)
        .map_or_else(String::new, ToString::to_string)
}

/// One line: `acquire Account#3 at Bank.withdraw(Bank.java:14)`.
pub fn sentence(order: &Order<'_>, event: &Ordered) -> String {
    match place(order, event).as_str() {
        "" => phrase(order, event),
        place => format!("{} at {place}", phrase(order, event)),
    }
}

pub fn to_json(order: &Order<'_>, event: &Ordered) -> Value {
    let thread = order.thread(event);
    let site = order.process().sites.get(&event.event.site).map(|site| {
        json!({
            "class": site.class.replace('/', "."),
            "method": site.method,
            "source": *site.source,
            "line": site.line,
        })
    });
    json!({
        "number": event.number.0,
        "thread": thread.path,
        "stream": thread.stream.0,
        "position": event.event.position.0,
        "clock": event.clock,
        "happened_before": event.happened_before.map(|number| number.0),
        "kind": event.event.kind.name(),
        "times": event.times,
        "what": what(order, event),
        "object": order.object(event).map(|object| &object.name),
        "value": event.event.value,
        "site": site,
    })
}
