//! One file for each verb.

mod doctor;
mod export;
mod import;
mod info;
mod ls;
mod manual;
pub mod races;
mod record;
pub mod replay;
pub use replay::Replay;
mod snapshot;
mod verify;
mod view;

use crate::cli::{self, Command};
use crate::exit::{Exit, Failure};
use crate::native;
use crate::report::terminal::Terminal;
use crate::store::Store;
use reweave_trace::{Process, Trace};
use std::path::PathBuf;

pub fn run(command: Command, terminal: &Terminal) -> Result<Exit, Failure> {
    match command {
        Command::Record(options) => record::run(&options, terminal),
        Command::Replay(options) => replay::run(&options, terminal),
        Command::Info(options) => info::run(&options, terminal),
        Command::Ls => ls::run(terminal),
        Command::Verify(options) => verify::run(&options, terminal),
        Command::View(options) => view::run(&options, terminal),
        Command::Export(options) => export::run(&options, terminal),
        Command::Races(options) => races::run(&options, terminal),
        Command::Import(options) => import::run(&options, terminal),
        Command::Doctor => doctor::run(terminal),
        Command::Cc(options) => native::compiler::run(cli::Language::C, &options),
        Command::Cxx(options) => native::compiler::run(cli::Language::Cxx, &options),
        Command::Rustc(options) => native::compiler::run(cli::Language::Rust, &options),
        Command::Flags(options) => native::compiler::print_flags(&options, terminal),
        Command::ExecAs(options) => native::gdb::exec_as(&options),
        Command::Snapshot(options) => snapshot::run(&options, terminal),
        Command::Seal(options) => native::gdb::seal_live(&options, terminal),
        Command::Completions(options) => manual::completions(&options, terminal),
        Command::Man => manual::page(terminal),
    }
}

/// Opens what the user means by a run.
fn open(run: &str) -> Result<(PathBuf, Trace), Failure> {
    let path = Store::find()?.resolve(run)?;
    let trace = Trace::open(&path)?;
    Ok((path, trace))
}

/// The process with that number, or the first.
fn choose_process(trace: &Trace, number: Option<u32>) -> Result<&Process, Failure> {
    let found = match number {
        Some(number) => trace
            .processes
            .iter()
            .find(|process| process.number.0 == number),
        None => trace.processes.first(),
    };
    found.ok_or_else(|| {
        let numbers: Vec<String> = trace
            .processes
            .iter()
            .map(|process| process.number.to_string())
            .collect();
        match numbers.as_slice() {
            [] => Failure::new("the recording holds no process"),
            _ => Failure::new(format!(
                "there is no such process; there are {}",
                numbers.join(", ")
            )),
        }
    })
}
