//! The happened-before graph for Graphviz: a column for each thread, an arrow for each immediate happened-before relation.

use crate::report::event::sentence;
use reweave_analysis::order::Order;
use reweave_trace::{EventNumber, Trace};
use std::io::{self, Write};

pub fn write(trace: &Trace, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "digraph reweave {{\n  node [shape=box, fontname=\"sans-serif\"];"
    )?;
    for process in &trace.processes {
        let order = Order::of(process);
        let node = |number: EventNumber| format!("p{}e{number}", process.number);
        for (index, thread) in order.threads().iter().enumerate() {
            let events: Vec<_> = order.events_of(index).collect();
            if events.is_empty() {
                continue;
            }
            writeln!(
                out,
                "  subgraph cluster_{}_{} {{",
                process.number, thread.stream
            )?;
            writeln!(out, "    label={};", quoted(&thread.to_string()))?;
            for event in &events {
                let label = format!(
                    "{} [{}] {}",
                    event.number,
                    event.clock,
                    sentence(&order, event)
                );
                writeln!(
                    out,
                    "    {} [label={}];",
                    node(event.number),
                    quoted(&label)
                )?;
            }
            for pair in events.windows(2) {
                writeln!(
                    out,
                    "    {} -> {} [color=gray];",
                    node(pair[0].number),
                    node(pair[1].number)
                )?;
            }
            writeln!(out, "  }}")?;
        }
        for event in order.events() {
            let before = event.happened_before.and_then(|number| order.event(number));
            // Within a thread the gray arrows say it already.
            if let Some(before) = before.filter(|before| before.thread != event.thread) {
                writeln!(out, "  {} -> {};", node(before.number), node(event.number))?;
            }
        }
    }
    writeln!(out, "}}")
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
