//! Options of `races` and `import`.

use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct Races {
    /// Recordings, DroidRacer logs, or traces as text: files, starts of ids, or `latest`
    #[arg(required = true, value_name = "RUN")]
    pub runs: Vec<String>,
    #[command(flatten)]
    pub options: RaceOptions,
}

#[derive(Debug, Args)]
pub struct Import {
    #[command(subcommand)]
    pub format: ImportFormat,
}

#[derive(Debug, Subcommand)]
pub enum ImportFormat {
    /// Logs of the original DroidRacer (abc_log.txt): find and classify their races
    Droidracer {
        #[arg(required = true, value_name = "FILE")]
        files: Vec<String>,
        #[command(flatten)]
        options: RaceOptions,
    },
}

#[derive(Debug, Args)]
pub struct RaceOptions {
    /// How races are counted [default: droidracer for its logs, places otherwise]
    #[arg(long, value_enum)]
    pub count: Option<Count>,
    /// Print the size of the trace, as in DroidRacer's tables
    #[arg(long)]
    pub stats: bool,
    /// Do not take a loop that ends by reading another thread's write for synchronization
    #[arg(long)]
    pub no_adhoc: bool,
    /// Leave out races that this file names, in ThreadSanitizer's syntax; may be repeated
    #[arg(long, value_name = "FILE")]
    pub suppress: Vec<PathBuf>,
    /// Races that are known already
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Write the races found as a baseline for later
    #[arg(long, value_name = "FILE")]
    pub write_baseline: Option<PathBuf>,
    /// Which races make the exit code 66
    #[arg(long, value_enum, default_value_t = FailOn::Any)]
    pub fail_on: FailOn,
    /// Write the races for code scanning tools (SARIF 2.1.0)
    #[arg(long, value_name = "FILE")]
    pub sarif: Option<PathBuf>,
    /// Print at most so many races; reports in files always have all
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub show: usize,
    /// Refuse logs with more operations than this; one takes up to 150 bytes of memory
    #[arg(long, value_name = "N", default_value_t = 4_000_000)]
    pub max_operations: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Count {
    /// One per location, pair of code places and class
    Places,
    /// One per location and class, as the paper counts
    Droidracer,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// Every race that is not suppressed
    Any,
    /// Those that the baseline does not know
    New,
    Never,
}
