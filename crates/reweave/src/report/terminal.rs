//! What is said to the user and where: results on standard output, everything else on standard error.

use crate::cli::{Color, Global};
use crate::exit::{Exit, Failure};
use anstyle::{AnsiColor, Style};
use serde_json::{Value, json};
use std::io::{self, Write};
use std::path::PathBuf;

const ERROR: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();
pub const FAINT: Style = Style::new().dimmed();
pub const STRONG: Style = Style::new().bold();

/// How the user wants to be talked to.
#[derive(Clone, Debug)]
pub struct Terminal {
    /// Whether the result is wanted as JSON.
    pub json: bool,
    /// Where, if not on standard output.
    report: Option<PathBuf>,
    talk: Talk,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Talk {
    Quiet,
    Normal,
    Verbose,
}

impl Terminal {
    pub fn new(global: &Global) -> Terminal {
        let choice = match global.color {
            Color::Auto => anstream::ColorChoice::Auto,
            Color::Always => anstream::ColorChoice::Always,
            Color::Never => anstream::ColorChoice::Never,
        };
        choice.write_global();
        Terminal {
            json: global.json || global.report.is_some(),
            report: global.report.clone(),
            talk: match (global.quiet, global.verbose) {
                (true, _) => Talk::Quiet,
                (false, true) => Talk::Verbose,
                (false, false) => Talk::Normal,
            },
        }
    }

    /// Something worth knowing; not with `--quiet`.
    pub fn note(&self, text: impl std::fmt::Display) {
        if self.talk >= Talk::Normal {
            say(&format!("reweave: {text}"));
        }
    }

    /// Part of a result or an error: never suppressed.
    pub fn result_line(&self, text: impl std::fmt::Display) {
        say(&format!("reweave: {text}"));
    }

    /// Only with `--verbose`.
    pub fn detail(&self, text: impl std::fmt::Display) {
        if self.talk >= Talk::Verbose {
            say(&format!("{FAINT}reweave: {text}{FAINT:#}"));
        }
    }

    /// Something that may spoil the result; never suppressed.
    pub fn warning(&self, text: impl std::fmt::Display) {
        say(&format!("reweave: {WARNING}warning:{WARNING:#} {text}"));
    }

    pub fn error(&self, text: impl std::fmt::Display) {
        say(&format!("reweave: {ERROR}error:{ERROR:#} {text}"));
    }

    pub fn failure(&self, failure: &Failure, exit: Exit) {
        self.error(&failure.message);
        if let Some(next) = &failure.next {
            say(&format!("  next: {next}"));
        }
        if self.json {
            let result = json!({
                "verdict": "error",
                "message": failure.message,
                "next": failure.next,
                "exit_code": exit.code(),
            });
            // The error is already said; a reader that went away changes nothing.
            let _ = self.result(&result);
        }
    }

    /// The one JSON object of a command.
    pub fn result(&self, value: &Value) -> Result<(), Failure> {
        let Some(path) = &self.report else {
            return self.print(|out| writeln!(out, "{value}"));
        };
        std::fs::write(path, format!("{value}\n"))
            .map_err(|error| Failure::new(format!("cannot write {}: {error}", path.display())))
    }

    /// Writes results to standard output.
    pub fn print(
        &self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        let mut out = io::BufWriter::new(anstream::stdout().lock());
        write(&mut out)
            .and_then(|()| out.flush())
            .map_err(Failure::output)
    }
}

/// One line on standard error. If nobody reads that, there is nobody to tell.
fn say(line: &str) {
    let _ = writeln!(anstream::stderr().lock(), "{line}");
}
