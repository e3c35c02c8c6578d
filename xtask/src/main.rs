//! `cargo xtask`: everything a person or a CI machine does with this repository, from a fresh checkout on.
//! Each verb installs and builds what it needs first, so any of them can be the first command after `git clone`.

mod artifacts;
mod bench;
mod build;
mod demo;
mod e2e;
mod jdk;
mod native;
mod outside;
mod process;
mod programs;
mod races;
mod real;
mod reweave;
mod rewriter;
mod setup;
mod soak;
mod test;
mod trial;
mod workspace;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

#[derive(Parser)]
#[command(
    name = "cargo xtask",
    about = "Builds, tests, measures and shows reweave"
)]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Install what is missing on a fresh Debian machine (a JDK)
    Setup,
    /// Build the command and the agent, optimised
    Build,
    /// Record a program whose output varies, and replay it: under a minute
    Demo,
    /// Everything CI checks: format, lints, unit tests, and every program recorded and replayed
    Test(test::Options),
    /// Rewrite whole libraries, count what was rewritten a second way, and have a JVM verify it
    Rewriter {
        /// Every JDK found, and large libraries of several compilers, instead of the default JDK only
        #[arg(long)]
        all: bool,
    },
    /// Record and replay every program many times and count what came out
    Soak(soak::Options),
    /// Record the programs with and without data races, and look for them
    Races(races::Options),
    /// Record and replay native programs many times
    Native(native::Options),
    /// Record and replay programs that others wrote: databases, servers, caches, pools, javac
    Real(real::Options),
    /// Measure what recording and replaying cost
    Bench(bench::Options),
}

/// What a verb ends with: whether everything it checked was as it should be, or why it could not go on.
pub type Ended = Result<Verdict, String>;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Good,
    Bad,
}

/// The rewriter's own harness; its arguments are as typed.
pub fn rewriter(all: bool) -> Result<(), String> {
    let arguments: &[String] = if all { &["--all".to_owned()] } else { &[] };
    rewriter::run(arguments).map_err(|error| error.to_string())
}

fn main() -> ExitCode {
    let ended = match Arguments::parse().verb {
        Verb::Setup => setup::run(),
        Verb::Build => build::run().map(|_| Verdict::Good),
        Verb::Demo => demo::run(),
        Verb::Test(options) => test::run(&options),
        Verb::Rewriter { all } => rewriter(all).map(|()| Verdict::Good),
        Verb::Soak(options) => soak::run(&options),
        Verb::Races(options) => races::run(&options),
        Verb::Native(options) => native::run(&options),
        Verb::Real(options) => real::run(&options),
        Verb::Bench(options) => bench::run(&options),
    };
    match ended {
        Ok(Verdict::Good) => ExitCode::SUCCESS,
        Ok(Verdict::Bad) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("xtask: {why}");
            ExitCode::from(2)
        }
    }
}
