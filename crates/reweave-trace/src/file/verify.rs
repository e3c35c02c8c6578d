//! Checks a whole file and lists everything that is wrong with it, where a reader stops at the first thing.

use super::ReadError;
use super::header::{
    FILE_HEADER_SIZE, INDEX_ENTRY_SIZE, SectionHeader, SectionKind, SectionState, TRAILER_MAGIC,
    TRAILER_SIZE,
};
use super::scan::{Limits, Scan, Section};
use crate::model::{Fault, Trace};
use std::path::Path;

/// What was found in a file.
#[derive(Debug)]
pub struct Report {
    pub sections: usize,
    /// Damage: a checksum or a length that does not hold.
    pub errors: Vec<ReadError>,
    /// What is missing, if the rest could be read.
    pub faults: Vec<Fault>,
}

/// Checks every section, not only up to the first damaged one.
pub fn verify(path: &Path) -> Result<Report, ReadError> {
    let scan = Scan::open(path, Limits::default())?;
    let mut errors = Vec::new();
    for section in &scan.sections {
        let checked = match section.header.kind {
            SectionKind::Events => scan.event_words(section).map(drop),
            SectionKind::Table => scan.table_bytes(section).map(drop),
            SectionKind::Manifest | SectionKind::Index | SectionKind::Result => {
                scan.payload(section).map(drop)
            }
        };
        errors.extend(checked.err());
    }
    let faults = if errors.is_empty() {
        match Trace::from_scan(&scan) {
            Ok(trace) => trace.faults,
            Err(error) => {
                errors.push(error);
                Vec::new()
            }
        }
    } else {
        Vec::new()
    };
    Ok(Report {
        sections: scan.sections.len(),
        errors,
        faults,
    })
}

/// Why the end of a sealed file is not an index of its sections.
#[derive(Debug)]
pub struct IndexMismatch;

/// Compares the index at the end of a sealed file with the sections that are really there.
pub fn check_index(scan: &Scan) -> Result<(), IndexMismatch> {
    let index = read_index(scan).ok_or(IndexMismatch)?;
    let mut found: Vec<[u8; INDEX_ENTRY_SIZE]> = scan
        .sections
        .iter()
        .filter(|section| section.header.kind != SectionKind::Index)
        .map(entry_of)
        .collect();
    let mut listed: Vec<[u8; INDEX_ENTRY_SIZE]> = index.as_chunks().0.to_vec();
    found.sort_unstable();
    listed.sort_unstable();
    (found == listed && index.len() == found.len() * INDEX_ENTRY_SIZE)
        .then_some(())
        .ok_or(IndexMismatch)
}

fn read_index(scan: &Scan) -> Option<Vec<u8>> {
    let at = scan
        .length
        .checked_sub(TRAILER_SIZE as u64)
        .filter(|&at| at >= FILE_HEADER_SIZE as u64)?;
    let mut trailer = [0; TRAILER_SIZE];
    scan.read_exact_at(at, &mut trailer).ok()?;
    let (offset, magic) = trailer.split_at(8);
    let offset = u64::from_le_bytes(offset.try_into().ok()?);
    let section = scan
        .of_kind(SectionKind::Index)
        .find(|section| section.offset == offset)?;
    if magic != TRAILER_MAGIC || section.is_cut() {
        return None;
    }
    scan.payload(section).ok()
}

fn entry_of(section: &Section) -> [u8; INDEX_ENTRY_SIZE] {
    index_entry(&section.header, section.offset)
}

/// How the index describes a section.
pub fn index_entry(header: &SectionHeader, offset: u64) -> [u8; INDEX_ENTRY_SIZE] {
    let decoded = match header.state {
        SectionState::Open => 0,
        SectionState::Closed { decoded, .. } => decoded,
    };
    let mut entry = [0; INDEX_ENTRY_SIZE];
    entry[0..2].copy_from_slice(&(header.kind as u16).to_le_bytes());
    entry[4..8].copy_from_slice(&header.process.0.to_le_bytes());
    entry[8..12].copy_from_slice(&header.stream.to_le_bytes());
    entry[12..16].copy_from_slice(&header.number.to_le_bytes());
    entry[16..24].copy_from_slice(&offset.to_le_bytes());
    entry[24..32].copy_from_slice(&decoded.to_le_bytes());
    entry
}
