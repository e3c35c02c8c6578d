//! `import`: traces of other tools. Nothing is converted: the foreign file is analysed as it is.

use super::races::{self, Expected};
use crate::cli::{Import, ImportFormat};
use crate::exit::{Exit, Failure};
use crate::report::terminal::Terminal;

pub fn run(options: &Import, terminal: &Terminal) -> Result<Exit, Failure> {
    match &options.format {
        ImportFormat::Droidracer { files, options } => {
            races::find(files, Expected::DroidRacer, options, terminal)
        }
    }
}
