//! Races that are known already, so that only new ones need to stop anybody.
//!
//! A file of one JSON object, a line a race, sorted, so that it can be kept under version control.

use super::describe::RaceText;
use crate::exit::Failure;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// Version of the names in the file.
const VERSION: u32 = 1;

#[derive(Debug, Serialize, Deserialize)]
pub struct Baseline {
    version: u32,
    /// By fingerprint; the text is for people.
    races: BTreeMap<String, String>,
}

impl Baseline {
    pub fn of<'a>(races: impl Iterator<Item = &'a RaceText>) -> Baseline {
        let races = races.map(|race| {
            let text = format!("{} {} of {}", race.class, race.access, race.location);
            (race.fingerprint.clone(), text)
        });
        Baseline {
            version: VERSION,
            races: races.collect(),
        }
    }

    pub fn read(path: &Path) -> Result<Baseline, Failure> {
        let text = std::fs::read(path).map_err(|error| {
            Failure::new(format!("cannot read {}: {error}", path.display()))
                .with_next("make a baseline with --write-baseline FILE")
        })?;
        let baseline: Baseline = serde_json::from_slice(&text)
            .map_err(|error| Failure::new(format!("{} is no baseline: {error}", path.display())))?;
        if baseline.version != VERSION {
            return Err(Failure::new(format!(
                "{} is a baseline of version {}, this reweave reads version {VERSION}",
                path.display(),
                baseline.version
            )));
        }
        Ok(baseline)
    }

    pub fn write(&self, path: &Path) -> Result<(), Failure> {
        let text = serde_json::to_string_pretty(self).map_err(Failure::new)?;
        std::fs::write(path, text + "\n")
            .map_err(|error| Failure::new(format!("cannot write {}: {error}", path.display())))
    }

    pub fn knows(&self, race: &RaceText) -> bool {
        self.races.contains_key(&race.fingerprint)
    }
}
