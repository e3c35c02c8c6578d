//! Options of `replay` for what is written down of it.

use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Default, Args)]
pub struct Observing {
    /// Write down every access to memory and all synchronization, as a trace that `races` can read
    #[arg(long, value_name = "FILE", conflicts_with_all = ["debug", "goto", "times", "gdb"])]
    pub observe: Option<PathBuf>,
    /// Only accesses by classes of such names (with * and ?); may be repeated
    #[arg(long, value_name = "GLOB", requires = "observe")]
    pub observe_class: Vec<String>,
    /// Only accesses to such fields, as Class.field, or `[]` for elements of arrays; may be repeated
    #[arg(long, value_name = "GLOB", requires = "observe")]
    pub observe_location: Vec<String>,
    /// With the whole stack of each access, not only its place
    #[arg(long, requires = "observe")]
    pub observe_stacks: bool,
}
