//! The command line: verbs and options, exactly as a user types them.

mod keep;
mod observe;
mod races;

pub use keep::KeepLast;
pub use observe::Observing;
pub use races::{Count, FailOn, Import, ImportFormat, RaceOptions, Races};

use crate::exit::Exit;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

/// Records a run of a Java or native program and replays it exactly, as often as you like and under a debugger.
#[derive(Debug, Parser)]
#[command(
    name = "reweave",
    version,
    propagate_version = true,
    max_term_width = 100
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    pub global: Global,
}

#[derive(Debug, Args)]
pub struct Global {
    /// Print one JSON object with the result on standard output (after the program's own output)
    #[arg(long, global = true)]
    pub json: bool,
    /// Write that JSON object to a file instead
    #[arg(long, global = true, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// When to use colour; NO_COLOR is respected
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub color: Color,
    /// Print nothing but results and errors
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Say more about what is done
    #[arg(short, long, global = true, conflicts_with = "quiet")]
    pub verbose: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a program and record it
    Record(Record),
    /// Run a recorded program again, in the recorded order
    Replay(Replay),
    /// What a recording holds
    Info(OneRun),
    /// The recordings of this project
    Ls,
    /// Check every byte of a recording
    Verify(OneRun),
    /// Show the events of a recording
    View(View),
    /// Write a recording for other tools
    Export(Export),
    /// Find data races, between threads and between tasks of one queue
    Races(Races),
    /// Read a trace of another tool
    Import(Import),
    /// Check whether this machine can record and replay
    Doctor,
    /// Compile and link C with the callbacks that --level serial needs
    Cc(Compiler),
    /// The same for C++
    #[command(name = "c++")]
    Cxx(Compiler),
    /// The same for Rust
    Rustc(Compiler),
    /// Print the options that `cc`, `c++` or `rustc` would add
    Flags(Flags),
    /// Start a program as gdb should
    #[command(hide = true)]
    ExecAs(ExecAs),
    /// Make a recording of a live file
    #[command(hide = true)]
    Seal(Seal),
    /// Write out what a program has recorded that still runs
    Snapshot(Snapshot),
    /// Completions for a shell
    Completions(Completions),
    /// The manual page
    Man,
}

/// The name of a verb without its options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    Record,
    Replay,
    Other,
}

impl Verb {
    /// `record` and `replay` return the program's codes, so theirs must not be among them.
    pub fn own_failure(self) -> Exit {
        match self {
            Verb::Record | Verb::Replay => Exit::OWN_FAILURE,
            Verb::Other => Exit::USAGE,
        }
    }
}

impl Command {
    pub fn verb(&self) -> Verb {
        match self {
            Command::Record(_) => Verb::Record,
            Command::Replay(_) => Verb::Replay,
            Command::Info(_)
            | Command::Ls
            | Command::Verify(_)
            | Command::View(_)
            | Command::Export(_)
            | Command::Races(_)
            | Command::Import(_)
            | Command::Doctor
            | Command::Cc(_)
            | Command::Cxx(_)
            | Command::Rustc(_)
            | Command::Flags(_)
            | Command::ExecAs(_)
            | Command::Seal(_)
            | Command::Snapshot(_)
            | Command::Completions(_)
            | Command::Man => Verb::Other,
        }
    }
}

#[derive(Debug, Args)]
pub struct Record {
    /// File to write [default: .reweave/runs/TIME-ID.rwv]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// What to record
    #[arg(long, value_enum, default_value_t = Level::Sync)]
    pub level: Level,
    /// Which recordings to keep [default: always; with --keep-last: on-failure]
    #[arg(long, value_enum)]
    pub keep: Option<Keep>,
    /// Keep only the last part: so much time (60s, 5m) or so many bytes (256M) of events. SIGUSR1 and `snapshot` write it out while the program runs. What is longer than that cannot be replayed, only looked at; Java programs
    #[arg(long, value_name = "TIME|SIZE", value_parser = keep::keep_last)]
    pub keep_last: Option<KeepLast>,
    /// Record again and again until the program fails, at most N times, and keep that recording only
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "0", conflicts_with = "force")]
    pub until_fail: Option<u32>,
    /// Record only classes whose name matches (* and ?); may be repeated
    #[arg(long, value_name = "GLOB")]
    pub include: Vec<String>,
    /// Leave classes alone whose name matches; may be repeated
    #[arg(long, value_name = "GLOB")]
    pub exclude: Vec<String>,
    /// Leave threads alone whose name matches; may be repeated
    #[arg(long, value_name = "GLOB")]
    pub exclude_thread: Vec<String>,
    /// Replace FILE if it exists
    #[arg(long)]
    pub force: bool,
    /// Record the program itself, not a JVM that it may start; found out by itself for most programs
    #[arg(long)]
    pub native: bool,
    /// With --level serial: callbacks that a thread gets on average before another goes on; 0 as many as it wants
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    pub quantum: u64,
    /// With --level serial: microseconds between interruptions at any instruction; 0 none
    #[arg(long, value_name = "MICROSECONDS", default_value_t = 0)]
    pub tick: u64,
    /// With --level serial: what decides who goes on [default: chosen at random]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// End the program after this time, as in 90s or 5m
    #[arg(long, value_name = "DURATION", value_parser = humantime::parse_duration)]
    pub time_limit: Option<Duration>,
    /// The program and its arguments
    #[arg(last = true, required = true, value_name = "CMD")]
    pub command: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Level {
    /// The order of synchronization, and inputs: exact for programs without data races
    Sync,
    /// The same and the order of all accesses to memory: exact for Java programs with data races, too
    Access,
    /// One thread at a time, every switch recorded: exact for anything, native programs built with `reweave cc`
    Serial,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Keep {
    Always,
    /// Only if the program failed
    OnFailure,
}

#[derive(Debug, Args)]
pub struct Replay {
    /// File, start of an id, or `latest`
    #[arg(default_value = "latest")]
    pub run: String,
    /// Let a Java debugger attach, on this port of this machine [default: a free one]
    #[arg(long, value_name = "PORT", num_args = 0..=1, require_equals = true, default_missing_value = "0")]
    pub debug: Option<u16>,
    #[command(flatten)]
    pub in_gdb: InGdb,
    /// Stop the debugger at an event: its number, PROCESS:STREAM:POSITION, `failure`, or race:N.a or race:N.b, the accesses of a race that `races` shows
    #[arg(long, value_name = "EVENT")]
    pub goto: Option<String>,
    /// Replay so many times and compare output, exit code and verdict
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub times: Option<u32>,
    /// Sleep and time out as long as the recorded program asked for, instead of not at all
    #[arg(long)]
    pub real_time: bool,
    #[command(flatten)]
    pub effects: Effects,
    #[command(flatten)]
    pub observing: Observing,
    /// What a thread does that has no recorded event left
    #[arg(long, value_enum, default_value_t = AtEnd::Stop)]
    pub at_end: AtEnd,
    /// Give up when nothing has happened for so many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 20.0, value_parser = seconds)]
    pub stall_after: f64,
    #[command(flatten)]
    pub by_schedule: BySchedule,
    /// Replay although the JDK or the program changed since
    #[arg(long)]
    pub ignore_changes: bool,
    /// Run in this directory instead of the recorded one
    #[arg(long, value_name = "DIRECTORY")]
    pub cwd: Option<PathBuf>,
    #[command(flatten)]
    pub started: Started,
    /// Keep what a native program sends to others, which in a replay goes to nobody: a file for each connection
    #[arg(long, value_name = "DIRECTORY")]
    pub sent: Option<PathBuf>,
    /// Let threads run as they like, to show that the recording is what holds them
    #[arg(long, hide = true)]
    pub test_no_enforce: bool,
}

/// Of a build tool or script and the JVMs that it started, what a replay starts.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct Started {
    /// Of several JVMs that a build tool or script started, replay only this one, by its number in `info`
    #[arg(long, value_name = "NUMBER", conflicts_with = "whole_command")]
    pub process: Option<u32>,
    /// Run the build tool or script again, too, instead of only the JVMs that it started
    #[arg(long)]
    pub whole_command: bool,
}

#[derive(Debug, Args)]
pub struct BySchedule {
    /// Switch threads as this text says (see `view --schedule`) instead of as recorded; native programs, level serial
    #[arg(long, value_name = "FILE", requires = "save", conflicts_with_all = ["gdb", "times", "debug"])]
    pub schedule: Option<PathBuf>,
    /// File for the recording of what then happens
    #[arg(long, value_name = "FILE", requires = "schedule")]
    pub save: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct Effects {
    /// Change files as the recorded program did, instead of nothing but standard output and error
    #[arg(long)]
    pub side_effects: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AtEnd {
    Stop,
    Continue,
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds.is_finite() => Ok(seconds),
        _ => Err("a number of seconds above 0 is needed".to_owned()),
    }
}

#[derive(Debug, Args)]
pub struct OneRun {
    /// File, start of an id, or `latest`
    #[arg(default_value = "latest")]
    pub run: String,
}

#[derive(Debug, Args)]
pub struct View {
    /// File, start of an id, or `latest`
    #[arg(default_value = "latest")]
    pub run: String,
    /// One column per thread
    #[arg(long)]
    pub columns: bool,
    /// Who went on when, as text that `replay --schedule` takes; native programs, level serial
    #[arg(long, conflicts_with_all = ["columns", "thread", "object", "around"])]
    pub schedule: bool,
    /// Only events of this thread (its name, path or stream); may be repeated
    #[arg(long, value_name = "THREAD")]
    pub thread: Vec<String>,
    /// Only events on this object, as in Account#3; may be repeated
    #[arg(long, value_name = "OBJECT")]
    pub object: Vec<String>,
    /// Only events near this event number
    #[arg(long, value_name = "EVENT")]
    pub around: Option<u64>,
    /// Which process, if there are several
    #[arg(long, value_name = "NUMBER")]
    pub process: Option<u32>,
}

#[derive(Debug, Args)]
pub struct Export {
    /// File, start of an id, or `latest`
    #[arg(default_value = "latest")]
    pub run: String,
    #[arg(long, value_enum)]
    pub format: ExportFormat,
    /// File to write instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Replace FILE if it exists
    #[arg(long)]
    pub force: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// Processes, threads, objects and events
    Json,
    /// The happened-before graph for Graphviz
    Dot,
}

#[derive(Debug, Args)]
pub struct InGdb {
    /// Replay a native program in gdb
    #[arg(long, conflicts_with_all = ["debug", "goto", "times"])]
    pub gdb: bool,
    /// Arguments for gdb
    #[arg(last = true, requires = "gdb", value_name = "GDB ARGUMENT")]
    pub gdb_arguments: Vec<String>,
}

#[derive(Debug, Args)]
#[command(disable_help_flag = true, disable_version_flag = true)]
pub struct Compiler {
    /// What you would give to the compiler
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub arguments: Vec<String>,
}

#[derive(Debug, Args)]
pub struct Flags {
    /// Of which compiler
    #[arg(value_enum)]
    pub language: Language,
    /// For compiling or for linking
    #[arg(value_enum)]
    pub step: Step,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Language {
    C,
    #[value(name = "c++")]
    Cxx,
    Rust,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Step {
    Compile,
    Link,
}

#[derive(Debug, Args)]
pub struct ExecAs {
    pub session: PathBuf,
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub command: Vec<String>,
}

#[derive(Debug, Args)]
pub struct Seal {
    pub live: PathBuf,
    pub output: PathBuf,
}

#[derive(Debug, Args)]
pub struct Snapshot {
    /// The file that is being recorded, start of its id, or `latest`
    #[arg(default_value = "latest")]
    pub run: String,
    /// File to write [default: beside it, with a number]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct Completions {
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}
