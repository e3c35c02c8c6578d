//! One file for each verb.

mod record;
mod replay;

use crate::cli::Command;
use crate::exit::{Exit, Failure};
use crate::report::terminal::Terminal;

pub fn run(command: Command, terminal: &Terminal) -> Result<Exit, Failure> {
    match command {
        Command::Record(options) => record::run(&options, terminal),
        Command::Replay(options) => replay::run(&options, terminal),
        _ => Err(Failure::new("not there yet")),
    }
}
