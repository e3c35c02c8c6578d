//! `ls`: the recordings of this project.

use crate::exit::{Exit, Failure};
use crate::report::size;
use crate::report::table::{self, Side};
use crate::report::terminal::Terminal;
use crate::store::Store;
use reweave_trace::file::header::FileState;
use reweave_trace::file::reader::Summary;
use serde_json::{Value, json};

pub fn run(terminal: &Terminal) -> Result<Exit, Failure> {
    let store = Store::find()?;
    let entries = store.entries()?;
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut runs: Vec<Value> = Vec::new();
    for entry in &entries {
        let summary = Summary::open(&entry.path);
        let (started, exit, command) = match &summary {
            Ok(summary) => {
                let exit = match (&summary.result, summary.state) {
                    (Some(result), _) => result.exit_code.to_string(),
                    (None, FileState::Live) => "live".to_owned(),
                    (None, FileState::Sealed) => "?".to_owned(),
                };
                (
                    summary.manifest.started_at.clone(),
                    exit,
                    summary.manifest.argv.join(" "),
                )
            }
            Err(_) => (
                String::new(),
                "?".to_owned(),
                "(cannot be read; see `reweave verify`)".to_owned(),
            ),
        };
        runs.push(json!({
            "id": entry.id(),
            "file": entry.path,
            "bytes": entry.size,
            "readable": summary.is_ok(),
            "started_at": started,
            "exit_code": summary.as_ref().ok().and_then(|summary| Some(summary.result.as_ref()?.exit_code)),
            "command": command,
        }));
        rows.push(vec![
            entry.id().to_owned(),
            started,
            size(entry.size),
            exit,
            command,
        ]);
    }
    if terminal.json {
        terminal.result(&json!({"verdict": "listed", "folder": store.runs(), "runs": runs}))?;
    } else if entries.is_empty() {
        terminal.note(format!("no recordings in {}", store.runs().display()));
        terminal.note("next: reweave record -- java …");
    } else {
        let titles = [
            ("ID", Side::Left),
            ("STARTED", Side::Left),
            ("SIZE", Side::Right),
            ("EXIT", Side::Right),
            ("COMMAND", Side::Left),
        ];
        terminal.print(|out| table::print(&titles, || rows.iter().cloned(), out))?;
    }
    Ok(Exit::SUCCESS)
}
