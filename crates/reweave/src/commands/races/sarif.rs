//! Races as SARIF 2.1.0, for code scanning: one result per race, in it one thread flow per thread.

use super::describe::{self, FrameText, RaceText, SideText, Status};
use crate::exit::Failure;
use reweave_analysis::races::classify::RaceClass;
use serde_json::{Value, json};
use std::path::Path;

pub fn write(path: &Path, races: &[&RaceText], has_baseline: bool) -> Result<(), Failure> {
    let text =
        serde_json::to_string_pretty(&document(races, has_baseline)).map_err(Failure::new)?;
    std::fs::write(path, text + "\n")
        .map_err(|error| Failure::new(format!("cannot write {}: {error}", path.display())))
}

fn document(races: &[&RaceText], has_baseline: bool) -> Value {
    let rules: Vec<Value> = RaceClass::ALL.iter().map(|class| rule(*class)).collect();
    let results: Vec<Value> = races
        .iter()
        .map(|race| result(race, has_baseline))
        .collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "reweave",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            }},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn rule_id(class: &str) -> String {
    format!("data-race/{class}")
}

fn rule(class: RaceClass) -> Value {
    let text = match class {
        RaceClass::MultiThreaded => "Two threads access a location, and nothing orders them.",
        RaceClass::CoEnabled => {
            "Two tasks of one queue access a location, due to events that may come in either order."
        }
        RaceClass::Delayed => {
            "Two tasks of one queue access a location, and a delay decides which runs first."
        }
        RaceClass::CrossPosted => {
            "Two tasks of one queue access a location, and another thread's post decides which runs first."
        }
        RaceClass::Uncategorised => {
            "Two tasks of one queue access a location, and nothing orders them."
        }
    };
    json!({
        "id": rule_id(class.name()),
        "name": format!("{class} data race"),
        "shortDescription": { "text": text },
        "defaultConfiguration": { "level": "warning" },
    })
}

fn rule_index(class: &str) -> usize {
    let classes = RaceClass::ALL.iter();
    classes
        .map(|class| class.name())
        .position(|name| name == class)
        .unwrap_or(0)
}

fn result(race: &RaceText, has_baseline: bool) -> Value {
    let message = format!(
        "Data race on {}: {} by thread {} and {} by thread {} are not ordered. {}.",
        race.location,
        race.first.kind,
        race.first.thread,
        race.second.kind,
        race.second.thread,
        race.locking.text
    );
    let mut related = location(
        race.first.own_frame(),
        race,
        &format!("previous {}", race.first.kind),
    );
    related["id"] = json!(1);
    let mut result = json!({
        "ruleId": rule_id(&race.class),
        "ruleIndex": rule_index(&race.class),
        "level": "warning",
        "message": { "text": message },
        "locations": [location(race.second.own_frame(), race, race.second.kind)],
        "relatedLocations": [related],
        "codeFlows": [{
            "message": { "text": "Both accesses, each as its thread came to it." },
            "threadFlows": [thread_flow(&race.first, race, 1), thread_flow(&race.second, race, 2)],
        }],
        "partialFingerprints": { "reweaveRace/v1": race.fingerprint },
        "properties": { "race": race.number, "pairs": race.pairs, "access": race.access },
    });
    if race.status == Status::Suppressed {
        result["suppressions"] = json!([{ "kind": "external" }]);
    }
    if has_baseline {
        result["baselineState"] = json!(match race.status {
            Status::Known => "unchanged",
            Status::New | Status::Suppressed => "new",
        });
    }
    result
}

/// How a thread came to its access: where it was created, what posted the task, the access.
fn thread_flow(side: &SideText, race: &RaceText, number: usize) -> Value {
    let mut steps: Vec<Value> = Vec::new();
    let mut step = |frame: Option<&FrameText>, text: String, importance: &str| {
        steps.push(json!({
            "location": location(frame, race, &text),
            "importance": importance,
        }));
    };
    if let Some(created) = &side.created {
        let text = format!("thread {} is created by thread {}", side.thread, created.by);
        step(describe::own_frame(&created.stack), text, "important");
    }
    if let Some(task) = &side.task {
        let text = format!("task {} is posted by thread {}", task.name, task.posted_by);
        step(task.posted_at.first(), text, "important");
    }
    for frame in side.stack.iter().skip(1).rev() {
        step(Some(frame), format!("in {}", frame.function), "unimportant");
    }
    let text = format!(
        "{} of {} holding {{{}}}",
        side.kind,
        race.location,
        side.locks.join(", ")
    );
    step(side.stack.first(), text, "essential");
    // Two tasks of one thread are two flows, so the thread alone does not name one.
    json!({
        "id": format!("{}-{number}", side.thread),
        "message": { "text": match &side.task {
            Some(task) => format!("thread {}, task {}", side.thread, task.name),
            None => format!("thread {}", side.thread),
        }},
        "locations": steps,
    })
}

/// A place in the source, or if the trace knows none in the trace itself.
fn location(frame: Option<&FrameText>, race: &RaceText, text: &str) -> Value {
    let file = frame.and_then(source_path);
    let mut physical = json!({
        "artifactLocation": { "uri": uri(file.as_deref().unwrap_or(&race.file)) },
    });
    if let Some(line) = frame.and_then(|frame| frame.line) {
        physical["region"] = json!({ "startLine": line });
    }
    let mut location = json!({
        "physicalLocation": physical,
        "message": { "text": text },
    });
    if let Some(frame) = frame {
        location["logicalLocations"] =
            json!([{ "fullyQualifiedName": frame.function, "kind": "function" }]);
    }
    location
}

/// The source file below the folder of the sources: Java keeps a package in a folder of its name.
fn source_path(frame: &FrameText) -> Option<String> {
    let file = frame.file.as_deref()?;
    let class = frame.function.rsplit_once('.').map(|(class, _)| class);
    let package = class.and_then(|class| class.rsplit_once('.'));
    Some(match package {
        Some((package, _)) if file.ends_with(".java") && !file.contains('/') => {
            format!("{}/{file}", package.replace('.', "/"))
        }
        Some(_) | None => file.to_owned(),
    })
}

/// A file name as a relative reference: what has a meaning in one is written as its number.
fn uri(file: &str) -> String {
    let mut text = String::new();
    for byte in file.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                text.push(char::from(byte))
            }
            _ => text += &format!("%{byte:02X}"),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_java_source_lies_in_the_folder_of_its_package() {
        let path = |function: &str, file: &str| {
            let frame = FrameText {
                function: function.to_owned(),
                file: Some(file.to_owned()),
                line: None,
            };
            source_path(&frame).unwrap()
        };
        let account = "bank.core.Account$Log.<init>";
        assert_eq!(path(account, "Account.java"), "bank/core/Account.java");
        assert_eq!(path("Account.withdraw", "Account.java"), "Account.java");
        assert_eq!(path("a.b.main", "src/bank.c"), "src/bank.c");
    }
}
