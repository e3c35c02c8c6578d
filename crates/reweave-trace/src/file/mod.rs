//! The `.rwv` file: fixed headers, tables, a reader for every state a file can be left in and, for the command, a writer.

pub mod header;
pub mod reader;
pub mod scan;
#[cfg(feature = "host")]
pub mod seal;
pub mod table;
#[cfg(all(test, feature = "host"))]
mod tests;
#[cfg(feature = "host")]
pub mod verify;
#[cfg(feature = "host")]
pub mod writer;

use self::header::HeaderError;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

pub use self::scan::Limits;

/// Why a file cannot be read. Every message names the file and what to do next.
#[derive(Debug, Error)]
pub enum ReadError {
    #[error("cannot open {}: {source}", path.display())]
    Open { path: PathBuf, source: io::Error },
    #[error("cannot read {} at offset {offset}: {source}", path.display())]
    Read {
        path: PathBuf,
        offset: u64,
        source: io::Error,
    },
    #[error("{} is not a recording: it has {length} bytes, a recording starts with 4096. Was it cut while being copied?", path.display())]
    TooShort { path: PathBuf, length: u64 },
    #[error("{}, offset {offset}: {error}. {}", path.display(), next_step(error))]
    Header {
        path: PathBuf,
        offset: u64,
        error: HeaderError,
    },
    #[error("{} is damaged at offset {offset}: {what}. Fetch the file again; `reweave verify` lists all damage", path.display())]
    Damaged {
        path: PathBuf,
        offset: u64,
        what: String,
    },
    #[error("{}: the section at offset {offset} would take {size} bytes, more than the {limit} permitted; the file is damaged or not to be trusted", path.display())]
    TooLarge {
        path: PathBuf,
        offset: u64,
        size: u64,
        limit: u64,
    },
    #[error("{}: the section at offset {offset} is compressed, and this reader takes only plain files", path.display())]
    Compressed { path: PathBuf, offset: u64 },
    #[error("{} has no manifest, so nothing says what ran. It was cut, or is not a whole recording", path.display())]
    NoManifest { path: PathBuf },
    #[cfg(feature = "host")]
    #[error("{}: {error}", path.display())]
    Manifest {
        path: PathBuf,
        error: crate::manifest::ManifestError,
    },
}

fn next_step(error: &HeaderError) -> &'static str {
    match error {
        HeaderError::Magic { .. } => "Give a file that `reweave record` made",
        HeaderError::Version { .. } => {
            "Use the version of reweave that recorded it, or record again"
        }
        HeaderError::Checksum { .. } | HeaderError::Field { .. } => {
            "The file is damaged: fetch it again"
        }
    }
}
