//! The reweave command: records a run of a program, replays it, and shows what happened.

#![forbid(unsafe_code)]

mod cli;
mod commands;
mod exit;
mod launch;
mod native;
mod report;
mod store;

use clap::Parser;
use cli::Cli;
use report::terminal::Terminal;
use std::process::ExitCode;

fn main() -> ExitCode {
    // Prints usage errors and help itself; usage errors exit with 2.
    let cli = Cli::parse();
    let terminal = Terminal::new(&cli.global);
    let verb = cli.command.verb();
    match commands::run(cli.command, &terminal) {
        Ok(exit) => exit.into(),
        Err(failure) => {
            let exit = failure.exit.unwrap_or(verb.own_failure());
            if !failure.is_broken_pipe() {
                terminal.failure(&failure, exit);
            }
            exit.into()
        }
    }
}
