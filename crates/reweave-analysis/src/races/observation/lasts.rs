//! Which record of an object is its last: from there on the object is gone, for the analysis. So what is kept at one time
//! are the objects in use, not all that the program ever made.
//!
//! A log is complete before it is analysed, so its end can be read first, and one bit for each object and each record is
//! enough.

use super::{Record, first_user};

/// The last uses of objects.
#[derive(Debug, Default)]
pub struct Lasts {
    records: u64,
    /// By stream that met the object first, and number in it.
    seen: Vec<Vec<u64>>,
    /// By place of the record.
    last: Vec<u64>,
}

impl Lasts {
    /// For a log of so many records, finished or not.
    pub fn new(records: u64) -> Lasts {
        Lasts {
            records,
            seen: Vec::new(),
            last: vec![0; records.div_ceil(64) as usize],
        }
    }

    /// Takes the record at `place`, counted from 0. Those behind it must have been taken before.
    pub fn note(&mut self, place: u64, record: &Record) {
        let Some(object) = record.used_object() else {
            return;
        };
        let (stream, number) = (first_user(object) as usize, object & NUMBER);
        // Every object has a record that tells its class, so a larger number is none.
        if number > self.records {
            return;
        }
        if self.seen.len() <= stream {
            self.seen.resize_with(stream + 1, Vec::new);
        }
        if insert(&mut self.seen[stream], number) {
            insert(&mut self.last, place);
        }
    }

    /// The object of the record at `place`, if it is not used any more.
    pub fn gone_after(&self, place: u64, record: &Record) -> Option<u64> {
        let word = self.last.get((place / 64) as usize)?;
        (word & 1 << (place % 64) != 0)
            .then(|| record.used_object())
            .flatten()
    }
}

/// The part of an object's number that counts the objects of a stream.
const NUMBER: u64 = (1 << 40) - 1;

/// Says whether the number is new.
fn insert(bits: &mut Vec<u64>, number: u64) -> bool {
    let (word, bit) = ((number / 64) as usize, 1 << (number % 64));
    if bits.len() <= word {
        bits.resize(word + 1, 0);
    }
    let is_new = bits[word] & bit == 0;
    bits[word] |= bit;
    is_new
}
