//! What a replay sends to nobody, kept for whoever wants to see it: one file for each connection, named after the other end.

use core::ffi::c_int;
use std::collections::HashMap;
use std::fs::File;
use std::io::Write;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock, PoisonError};

static FOLDER: OnceLock<PathBuf> = OnceLock::new();
static NAMES: Mutex<Option<Names>> = Mutex::new(None);

#[derive(Default)]
struct Names {
    by_number: HashMap<c_int, String>,
    /// How many there have been.
    count: usize,
}

pub fn keep_in(folder: PathBuf) {
    let _ = FOLDER.set(folder);
}

pub fn hold() -> impl Sized {
    NAMES.lock().unwrap_or_else(PoisonError::into_inner)
}

fn with<R>(work: impl FnOnce(&mut Names) -> R) -> R {
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    work(names.get_or_insert_default())
}

/// A connection has begun, with whoever has this address.
pub fn opened(number: c_int, address: &[u8]) {
    if FOLDER.get().is_none() {
        return;
    }
    with(|names| {
        names.count += 1;
        let name = format!("{:04}-{}", names.count, text(address));
        names.by_number.insert(number, name);
    });
}

pub fn closed(number: c_int) {
    if FOLDER.get().is_some() {
        with(|names| names.by_number.remove(&number));
    }
}

/// The first so many of these bytes went out.
pub fn keep(number: c_int, pieces: &[&[u8]], count: usize) {
    let Some(folder) = FOLDER.get() else {
        return;
    };
    let Some(name) = with(|names| names.by_number.get(&number).cloned()) else {
        // A pipe, an event counter.
        return;
    };
    let file = File::options()
        .create(true)
        .append(true)
        .open(folder.join(name));
    if let Ok(mut file) = file {
        let bytes: Vec<u8> = pieces.concat();
        let _ = file.write_all(&bytes[..count.min(bytes.len())]);
    }
}

/// An address as in a file's name.
fn text(address: &[u8]) -> String {
    let family = address
        .get(..2)
        .map_or(0, |bytes| u16::from_ne_bytes([bytes[0], bytes[1]]));
    let port = || u16::from_be_bytes([address[2], address[3]]);
    match (c_int::from(family), address.len()) {
        (libc::AF_INET, 8..) => {
            let ip = Ipv4Addr::new(address[4], address[5], address[6], address[7]);
            format!("{ip}:{}", port())
        }
        (libc::AF_INET6, 24..) => {
            let mut octets = [0; 16];
            octets.copy_from_slice(&address[8..24]);
            format!("{}:{}", Ipv6Addr::from(octets), port())
        }
        _ => "local".to_owned(),
    }
}
