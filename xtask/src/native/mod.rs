//! Native programs: `cargo xtask native` records and replays them many times; `cargo xtask test` makes the checks in `checks/`.

mod bench;
mod checks;
mod compilers;
mod programs;
mod results;
mod trial;

use crate::e2e::Tally;
use crate::reweave::Reweave;
use crate::{Ended, Verdict, build, setup, workspace};
use clap::{Args, ValueEnum};
use compilers::Compiler;
use programs::{Build, Kind, Level, Program};
use std::collections::HashSet;
use std::path::PathBuf;
use trial::Trials;

#[derive(Args)]
pub struct Options {
    /// Recordings of each program, compiler and level, each replayed once
    #[arg(long, value_name = "N", default_value_t = 20)]
    recordings: usize,
    /// Only these programs; `*` stands for anything
    #[arg(long, value_name = "GLOB", default_value = "*")]
    programs: String,
    /// Only the racy counter, with each of the three ways to take the processor away
    #[arg(long)]
    counter: bool,
    /// Only the binaries of Debian: pbzip2, pigz, xz
    #[arg(long)]
    debian: bool,
    /// Measure what callbacks and switches cost, and nothing else
    #[arg(long)]
    bench: bool,
    /// Only one of the other checks
    #[arg(long, value_enum)]
    check: Option<Check>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Check {
    /// Projects that are built by make, CMake and Cargo
    Builds,
    /// Block counts, counted again by single steps in gdb
    Blocks,
    /// gdb, schedules as text, and messages
    ByHand,
    /// The servers of Debian, under a load: redis-server, memcached
    Servers,
    /// One hook left out at a time: a replay must then fail
    Needed,
    /// Several programs recorded at the same time
    Together,
}

/// What the checks work with.
pub struct Harness {
    pub reweave: Reweave,
    pub compilers: Vec<Compiler>,
    pub scratch: PathBuf,
}

impl Harness {
    fn new(reweave: Reweave) -> Result<Harness, String> {
        Ok(Harness {
            reweave,
            compilers: compilers::find(),
            scratch: workspace::scratch("native")?,
        })
    }

    pub fn trials(&self) -> Trials<'_> {
        Trials {
            reweave: &self.reweave,
            scratch: &self.scratch,
        }
    }
}

/// `cargo xtask native`.
pub fn run(options: &Options) -> Ended {
    let harness = Harness::new(build::run()?)?;
    if options.bench {
        setup::ensure(setup::Need::ClangSanitizers)?;
        return bench::run(&harness);
    }
    let mut tally = Tally::default();
    if options.counter {
        checks::counter::check(&harness, options.recordings, &mut tally);
    } else if options.debian {
        checks::debian::check(&harness, options.recordings, &mut tally);
    } else if let Some(check) = options.check {
        match check {
            Check::Builds => checks::builds::check(&harness, options.recordings, &mut tally),
            Check::Servers => checks::servers::check(&harness, options.recordings, &mut tally),
            Check::Needed => checks::needed::check(&harness, &mut tally),
            Check::Together => checks::together::check(&harness, &mut tally),
            Check::Blocks => checks::blocks::check(&harness, &mut tally),
            Check::ByHand => {
                checks::gdb::check(&harness, &mut tally);
                checks::schedule::check(&harness, &mut tally);
                checks::messages::check(&harness, &mut tally);
            }
        }
    } else {
        recordings(&harness, &options.programs, options.recordings, &mut tally)?;
    }
    Ok(tally.finish())
}

/// The part of `cargo xtask test` for native programs.
pub fn check(reweave: Reweave, tally: &mut Tally) -> Result<Verdict, String> {
    let harness = Harness::new(reweave)?;
    recordings(&harness, "*", 2, tally)?;
    checks::counter::check(&harness, 4, tally);
    checks::control::check(&harness, tally);
    checks::deadlock::check(&harness, tally);
    checks::kill::check(&harness, tally);
    checks::gdb::check(&harness, tally);
    checks::schedule::check(&harness, tally);
    checks::blocks::check(&harness, tally);
    checks::builds::check(&harness, 3, tally);
    checks::together::check(&harness, tally);
    checks::messages::check(&harness, tally);
    checks::debian::check(&harness, 1, tally);
    checks::servers::check(&harness, 2, tally);
    Ok(Verdict::Good)
}

/// Every program with every compiler, at every level it is for.
fn recordings(
    harness: &Harness,
    pattern: &str,
    count: usize,
    tally: &mut Tally,
) -> Result<(), String> {
    tally.heading(&format!(
        "native programs, {count} recordings each, every one replayed"
    ));
    for program in programs::matching(pattern)? {
        if program.kind == Kind::Deadlock {
            continue;
        }
        for compiler in harness
            .compilers
            .iter()
            .filter(|compiler| compiler.language == program.language)
        {
            for &level in &program.levels {
                // The plain program is the same for every compiler, as far as sync order can see.
                if level == Level::Sync && !compiler.is_first {
                    continue;
                }
                let name = format!("{} by {}, {level}", program.name, compiler.name);
                tally.check_with(&name, many(harness, &program, compiler, level, count));
            }
        }
    }
    Ok(())
}

/// Records so often; what came out, in words.
fn many(
    harness: &Harness,
    program: &Program,
    compiler: &Compiler,
    level: Level,
    count: usize,
) -> Result<String, String> {
    let build = match level {
        Level::Sync => Build::Plain,
        Level::Serial => Build::Instrumented,
    };
    let binary = program.compile(harness, compiler, build)?;
    let mut distinct = HashSet::new();
    for number in 0..count {
        let options = program.record_options(level);
        let recorded = harness
            .trials()
            .trial(program, &binary, &options)
            .map_err(|why| format!("recording {}: {why}", number + 1))?;
        distinct.insert(recorded.stdout);
    }
    if count >= 20 && distinct.len() < program.distinct_min {
        return Err(format!(
            "only {} different results in {count} recordings, expected {}",
            distinct.len(),
            program.distinct_min
        ));
    }
    Ok(format!(
        "{count} of {count} identical, {} different results",
        distinct.len()
    ))
}
