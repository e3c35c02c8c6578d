//! An event in words and as JSON, the same for every command.

use reweave_analysis::order::{Order, Ordered};
use reweave_trace::{Ending, EventNumber, Operation, StreamId, Woken};
use serde_json::{Value, json};

/// What happened, without the object: `acquire`, `start main.2`, `wait, woken by 17`.
pub fn what(order: &Order<'_>, event: &Ordered) -> String {
    match event.times {
        1 => operation(order, event),
        times => format!("{} {times} times", operation(order, event)),
    }
}

fn operation(order: &Order<'_>, event: &Ordered) -> String {
    let kind = event.event.kind;
    let thread = |stream: StreamId| match order.thread_of(stream) {
        Some(thread) => thread.path.clone(),
        None if stream.0 == 0 => "a thread outside".to_owned(),
        None => format!("t{stream}"),
    };
    let ending = |ending: Ending| match ending {
        Ending::Done => "",
        Ending::TimedOut => ", timed out",
        Ending::Interrupted => ", interrupted",
    };
    match event.operation {
        Operation::Wait(Woken::By(link)) => match order.number_at(link) {
            Some(number) => format!("{kind}, woken by {number}"),
            None => format!("{kind}, woken"),
        },
        Operation::Wait(Woken::TimedOut) => format!("{kind}, timed out"),
        Operation::Wait(Woken::Interrupted) => format!("{kind}, interrupted from outside"),
        Operation::Wait(Woken::Spurious) => format!("{kind}, woke by itself"),
        Operation::Notify | Operation::NotifyAll => match order.woken_by(event.number) {
            [] => kind.to_string(),
            woken => format!("{kind}, woke {}", woken_threads(order, woken)),
        },
        Operation::Start { child } | Operation::Hook { child } => {
            format!("{kind} {}", thread(child))
        }
        Operation::Join {
            target,
            ending: how,
        } => format!("{kind} {}{}", thread(target), ending(how)),
        Operation::ReadInterrupt { flag, cleared, .. } => {
            let flag = if flag { "yes" } else { "no" };
            format!("{kind} {flag}{}", if cleared { ", cleared" } else { "" })
        }
        Operation::Sleep(how) => format!("{kind}{}", ending(how)),
        Operation::ClassInit { by } => format!("{kind} by {}", thread(by)),
        Operation::Value(value) => format!("{kind} {value}"),
        Operation::Output {
            descriptor, length, ..
        } => format!("{kind} of {length} bytes to {descriptor}"),
        Operation::Uncaught { class } => match order.process().classes.get(&class) {
            Some(name) => format!("{kind} {}", name.replace('/', ".")),
            None => kind.to_string(),
        },
        Operation::Halt { status } => format!("{kind} {status}"),
        Operation::Acquire
        | Operation::Exit
        | Operation::Interrupt { .. }
        | Operation::Park
        | Operation::Unpark { .. }
        | Operation::ClassInitEnd
        | Operation::Foreign
        | Operation::Repeat { .. } => kind.to_string(),
    }
}

fn woken_threads(order: &Order<'_>, woken: &[EventNumber]) -> String {
    let names: Vec<&str> = woken
        .iter()
        .filter_map(|&number| Some(order.thread(order.event(number)?).path.as_str()))
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
    let mut text = what(order, event);
    let object = object(order, event);
    if !object.is_empty() {
        text.push_str(&format!(" {object}"));
    }
    let place = place(order, event);
    if !place.is_empty() {
        text.push_str(&format!(" at {place}"));
    }
    text
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
