//! `view`: the events of a recording, as a list or with one column for each thread.

mod schedule;

use super::{choose_process, open};
use crate::cli;
use crate::exit::{Exit, Failure};
use crate::report::event::{object, phrase, place, to_json, what};
use crate::report::table::{self, Side};
use crate::report::terminal::Terminal;
use reweave_analysis::order::{ObjectId, Order, Ordered};
use serde_json::json;
use std::collections::BTreeSet;
use std::io::{self, Write};

/// How many events `--around` shows before and after.
const AROUND: u64 = 20;
/// Wider cells are cut, so that several threads fit beside each other.
const COLUMN_WIDTH: usize = 36;

pub fn run(options: &cli::View, terminal: &Terminal) -> Result<Exit, Failure> {
    let (_, trace) = open(&options.run)?;
    let process = choose_process(&trace, options.process)?;
    if options.schedule {
        return schedule::print(process, terminal);
    }
    let order = Order::of(process);
    let filter = Filter::new(options, &order)?;
    if terminal.json {
        let events: Vec<_> = filter
            .events(&order)
            .map(|event| to_json(&order, &event))
            .collect();
        terminal
            .result(&json!({"verdict": "shown", "process": process.number.0, "events": events}))?;
        return Ok(Exit::SUCCESS);
    }
    terminal.print(|out| {
        if options.columns {
            columns(&order, &filter, out)
        } else {
            list(&order, &filter, out)
        }
    })?;
    let left_out = process.events() - order.events().map(|event| event.times).sum::<u64>();
    if left_out > 0 {
        terminal.note(format!(
            "{left_out} events are not shown: what came before them is missing from the recording"
        ));
    }
    Ok(Exit::SUCCESS)
}

/// Which events the user wants to see.
struct Filter {
    /// Indices of threads; all if empty.
    threads: Vec<usize>,
    /// All if empty.
    objects: Vec<ObjectId>,
    numbers: std::ops::RangeInclusive<u64>,
}

impl Filter {
    fn new(options: &cli::View, order: &Order<'_>) -> Result<Filter, Failure> {
        let mut threads = Vec::new();
        for name in &options.thread {
            let found = order
                .threads()
                .iter()
                .enumerate()
                .filter(|(_, thread)| thread.is(name))
                .map(|(index, _)| index);
            let before = threads.len();
            threads.extend(found);
            if threads.len() == before {
                let known: Vec<String> = order.threads().iter().map(ToString::to_string).collect();
                return Err(Failure::new(format!("there is no thread `{name}`"))
                    .with_next(format!("choose from {}", shortened(&known))));
            }
        }
        let mut objects = Vec::new();
        for name in &options.object {
            let found = order
                .objects()
                .iter()
                .find(|object| object.name == *name)
                .ok_or_else(|| {
                    let known: Vec<String> = order
                        .objects()
                        .iter()
                        .map(|object| object.name.clone())
                        .collect();
                    Failure::new(format!("there is no object `{name}`"))
                        .with_next(format!("choose from {}", shortened(&known)))
                })?;
            objects.push(found.id);
        }
        Ok(Filter {
            threads,
            objects,
            numbers: match options.around {
                Some(number) => number.saturating_sub(AROUND)..=number.saturating_add(AROUND),
                None => 0..=u64::MAX,
            },
        })
    }

    fn events<'a>(&'a self, order: &'a Order<'_>) -> impl Iterator<Item = Ordered> + 'a {
        order.events().filter(|event| self.shows(event))
    }

    fn shows(&self, event: &Ordered) -> bool {
        let thread = self.threads.is_empty() || self.threads.contains(&event.thread);
        let object = self.objects.is_empty()
            || event
                .object
                .is_some_and(|object| self.objects.contains(&object));
        thread && object && self.numbers.contains(&event.number.0)
    }
}

fn shortened(names: &[String]) -> String {
    const SHOWN: usize = 20;
    let mut text = names[..names.len().min(SHOWN)].join(", ");
    if names.len() > SHOWN {
        text.push_str(&format!(" and {} more", names.len() - SHOWN));
    }
    text
}

fn before(event: &Ordered) -> String {
    event
        .happened_before
        .map_or_else(|| "-".to_owned(), |number| number.to_string())
}

fn list(order: &Order<'_>, filter: &Filter, out: &mut dyn Write) -> io::Result<()> {
    let titles = [
        ("EVENT", Side::Right),
        ("THREAD", Side::Left),
        ("CLOCK", Side::Right),
        ("AFTER", Side::Right),
        ("WHAT", Side::Left),
        ("OBJECT", Side::Left),
        ("WHERE", Side::Left),
    ];
    let row = |event: Ordered| {
        vec![
            event.number.to_string(),
            order.thread(&event).to_string(),
            event.clock.to_string(),
            before(&event),
            what(order, &event),
            object(order, &event).to_owned(),
            place(order, &event),
        ]
    };
    table::print(&titles, || filter.events(order).map(row), out)
}

/// Time runs downwards, each thread has its column; `<5` is the event in another thread that came immediately before.
fn columns(order: &Order<'_>, filter: &Filter, out: &mut dyn Write) -> io::Result<()> {
    let threads: BTreeSet<usize> = filter.events(order).map(|event| event.thread).collect();
    let names: Vec<String> = threads
        .iter()
        .map(|&thread| cut(&order.threads()[thread].to_string()))
        .collect();
    let mut titles = vec![("EVENT", Side::Right), ("CLOCK", Side::Right)];
    titles.extend(names.iter().map(|name| (name.as_str(), Side::Left)));
    let row = |event: Ordered| {
        let mut cells = vec![event.number.to_string(), event.clock.to_string()];
        for &thread in &threads {
            cells.push(if thread == event.thread {
                cell(order, &event)
            } else {
                String::new()
            });
        }
        cells
    };
    table::print(&titles, || filter.events(order).map(row), out)
}

fn cell(order: &Order<'_>, event: &Ordered) -> String {
    let text = cut(&phrase(order, event));
    let elsewhere = event
        .happened_before
        .and_then(|number| order.event(number))
        .filter(|before| before.thread != event.thread);
    match elsewhere {
        Some(before) => format!("{text} <{}", before.number),
        None => text,
    }
}

fn cut(text: &str) -> String {
    if text.chars().count() <= COLUMN_WIDTH {
        return text.to_owned();
    }
    let kept: String = text.chars().take(COLUMN_WIDTH - 1).collect();
    format!("{kept}…")
}
