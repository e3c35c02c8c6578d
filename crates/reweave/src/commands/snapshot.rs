//! `snapshot`, and SIGUSR1 to `record`: what a program has recorded up to now, as a file of its own, while it goes on.

use crate::cli;
use crate::exit::{Exit, Failure};
use crate::report::size;
use crate::report::terminal::Terminal;
use crate::store::{Store, shortest_name};
use reweave_trace::file::seal::seal;
use reweave_trace::file::writer::Existing;
use serde_json::json;
use signal_hook::consts::SIGUSR1;
use signal_hook::iterator::{Handle, Signals};
use std::path::{Path, PathBuf};

pub fn run(options: &cli::Snapshot, terminal: &Terminal) -> Result<Exit, Failure> {
    let live = Store::find()?.resolve(&options.run)?;
    let out = options.output.clone().unwrap_or_else(|| next_name(&live));
    let bytes = seal(&live, &out, None, Existing::Keep)?;
    terminal.note(written(&out, bytes));
    if terminal.json {
        Failure::unless_broken_pipe(terminal.result(&json!({
            "verdict": "written",
            "file": out,
            "bytes": bytes,
        })))?;
    }
    Ok(Exit::SUCCESS)
}

/// Writes a snapshot of `live` whenever this process is sent SIGUSR1, until the answer is dropped.
pub fn on_request(live: &Path, terminal: &Terminal) -> Result<OnRequest, Failure> {
    let mut signals = Signals::new([SIGUSR1])
        .map_err(|error| Failure::new(format!("cannot handle signals: {error}")))?;
    let handle = signals.handle();
    let (live, terminal) = (live.to_owned(), terminal.clone());
    std::thread::spawn(move || {
        for _ in signals.forever() {
            let out = next_name(&live);
            match seal(&live, &out, None, Existing::Keep) {
                Ok(bytes) => terminal.note(written(&out, bytes)),
                Err(error) => terminal.warning(format!("no snapshot: {error}")),
            }
        }
    });
    Ok(OnRequest(handle))
}

pub struct OnRequest(Handle);

impl Drop for OnRequest {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// `run-1.rwv` beside `run.rwv`, or the first number that is free.
fn next_name(live: &Path) -> PathBuf {
    let stem = live.file_stem().unwrap_or_default().to_string_lossy();
    (1u32..)
        .map(|number| live.with_file_name(format!("{stem}-{number}.rwv")))
        .find(|path| !path.exists())
        .expect("there are not that many files")
}

fn written(out: &Path, bytes: u64) -> String {
    format!(
        "snapshot of {} written; next: reweave view {}",
        size(bytes),
        shortest_name(out)
    )
}
