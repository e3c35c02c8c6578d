//! Which fields are ordered. An instruction names a field by a class that may not be loaded yet; then the answer is put into a table, which the helper reads when
//! the instruction runs: by then the class is there.

use crate::classfile::Field;
use crate::classfile::plan::{Concern, FieldName, Fields};
use crate::hooks;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// So many fields can be asked for before their class is known.
const CAPACITY: usize = 1 << 20;
/// In the table: not ordered; ordered and declared in the named class, and one more for each superclass further up.
const NOT: u8 = 1;
const ORDERED: u8 = 2;

const VOLATILE: u16 = 0x0040;
const FINAL: u16 = 0x0010;
const STATIC: u16 = 0x0008;

pub struct FieldTable {
    known: Mutex<Known>,
    answers: Box<[AtomicU8]>,
}

#[derive(Default)]
struct Known {
    classes: HashMap<Vec<u8>, Class>,
    numbers: HashMap<Owned, u32>,
    /// Fields that were asked for by the name of a class that is not known yet.
    pending: HashMap<Vec<u8>, Vec<(Owned, u32)>>,
}

struct Class {
    superclass: Option<Vec<u8>>,
    /// Names and descriptors of the ordered ones.
    ordered: Vec<(Vec<u8>, Vec<u8>)>,
    /// The others.
    rest: Vec<(Vec<u8>, Vec<u8>)>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Owned {
    owner: Vec<u8>,
    name: Vec<u8>,
    descriptor: Vec<u8>,
}

impl Default for FieldTable {
    fn default() -> FieldTable {
        FieldTable {
            known: Mutex::default(),
            answers: (0..CAPACITY).map(|_| AtomicU8::new(0)).collect(),
        }
    }
}

/// Whether accesses to this field of that class are ordered.
pub fn is_ordered(class: &str, field: &Field<'_>) -> bool {
    if field.name.starts_with(b"$rw") || field.flags & FINAL != 0 {
        return false;
    }
    match hooks::is_jdk_name(class) {
        true => hooks::memory_of_jdk_class(class).is_some(),
        false => field.flags & VOLATILE != 0,
    }
}

/// Whether fields of the class of that name may be ordered.
fn matters(class: &[u8]) -> bool {
    std::str::from_utf8(class).is_ok_and(|class| {
        !hooks::is_jdk_name(class) || hooks::memory_of_jdk_class(class).is_some()
    })
}

impl FieldTable {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Address of the table that the helper reads.
    pub fn address(&self) -> usize {
        self.answers.as_ptr() as usize
    }

    /// A class is being loaded. Returns whether its instances have fields of its own that are ordered.
    pub fn learn(&self, name: &str, superclass: Option<&str>, fields: &[Field<'_>]) -> bool {
        let owned = |field: &Field<'_>| (field.name.to_vec(), field.descriptor.to_vec());
        let (ordered, rest): (Vec<Field<'_>>, Vec<Field<'_>>) = fields
            .iter()
            .copied()
            .partition(|field| is_ordered(name, field));
        let word = ordered.iter().any(|field| field.flags & STATIC == 0);
        let mut known = self.known();
        let class = Class {
            superclass: superclass.map(|name| name.as_bytes().to_vec()),
            ordered: ordered.iter().map(owned).collect(),
            rest: rest.iter().map(owned).collect(),
        };
        known.classes.insert(name.as_bytes().to_vec(), class);
        for (field, number) in known.pending.remove(name.as_bytes()).unwrap_or_default() {
            let answer = match known.find(&field) {
                Ok(Concern::Ordered { levels }) => ORDERED + levels,
                Ok(_) => NOT,
                Err(missing) => {
                    known
                        .pending
                        .entry(missing)
                        .or_default()
                        .push((field, number));
                    continue;
                }
            };
            self.answers[number as usize].store(answer, Ordering::Release);
        }
        word
    }
}

impl Known {
    /// Looks the field up as the VM does; `Err` names a class that is needed for that and not known yet. A class is rewritten before its superclass is loaded.
    fn find(&self, field: &Owned) -> Result<Concern, Vec<u8>> {
        let mut class = self
            .classes
            .get(&field.owner)
            .ok_or_else(|| field.owner.clone())?;
        let same = |(name, descriptor): &(Vec<u8>, Vec<u8>)| {
            *name == field.name && *descriptor == field.descriptor
        };
        for levels in 0..ORDERED.wrapping_neg() {
            if class.ordered.iter().any(same) {
                return Ok(Concern::Ordered { levels });
            }
            if class.rest.iter().any(same) {
                return Ok(Concern::Not);
            }
            let Some(superclass) = class.superclass.as_ref().filter(|name| matters(name)) else {
                break;
            };
            class = self
                .classes
                .get(superclass)
                .ok_or_else(|| superclass.clone())?;
        }
        Ok(Concern::Not)
    }
}

impl Fields for FieldTable {
    fn concern(&self, field: &FieldName<'_>) -> Concern {
        if !matters(field.owner) || field.name.starts_with(b"$rw") {
            return Concern::Not;
        }
        let field = Owned {
            owner: field.owner.to_vec(),
            name: field.name.to_vec(),
            descriptor: field.descriptor.to_vec(),
        };
        let mut known = self.known();
        let missing = match known.find(&field) {
            Ok(concern) => return concern,
            Err(missing) => missing,
        };
        let next = known.numbers.len() as u32;
        if let Some(&number) = known.numbers.get(&field) {
            return Concern::AskLater(number);
        }
        if next as usize >= CAPACITY {
            return Concern::Not;
        }
        known.numbers.insert(field.clone(), next);
        known
            .pending
            .entry(missing)
            .or_default()
            .push((field, next));
        Concern::AskLater(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(name: &'static str, flags: u16) -> Field<'static> {
        Field {
            flags,
            name: name.as_bytes(),
            descriptor: b"I",
        }
    }

    fn concern(table: &FieldTable, owner: &str, name: &str) -> Concern {
        table.concern(&FieldName {
            owner: owner.as_bytes(),
            name: name.as_bytes(),
            descriptor: b"I",
        })
    }

    #[test]
    fn volatile_fields_are_ordered_also_inherited_ones() {
        let table = FieldTable::default();
        assert!(table.learn(
            "Base",
            Some("java/lang/Object"),
            &[field("v", VOLATILE), field("p", 0)]
        ));
        assert!(!table.learn("Sub", Some("Base"), &[field("q", 0)]));
        assert_eq!(concern(&table, "Base", "v"), Concern::Ordered { levels: 0 });
        assert_eq!(concern(&table, "Sub", "v"), Concern::Ordered { levels: 1 });
        assert_eq!(concern(&table, "Sub", "p"), Concern::Not);
        assert_eq!(concern(&table, "java/awt/Point", "x"), Concern::Not);
    }

    #[test]
    fn a_class_is_seen_before_its_superclass() {
        let table = FieldTable::default();
        table.learn("Sub", Some("Base"), &[]);
        let Concern::AskLater(number) = concern(&table, "Sub", "v") else {
            panic!("Base is not known yet");
        };
        table.learn("Base", Some("java/lang/Object"), &[field("v", VOLATILE)]);
        assert_eq!(
            table.answers[number as usize].load(Ordering::Relaxed),
            ORDERED + 1
        );
    }

    #[test]
    fn the_answer_comes_when_the_class_does() {
        let table = FieldTable::default();
        let Concern::AskLater(number) = concern(&table, "Node", "next") else {
            panic!("Node is not known yet");
        };
        assert_eq!(concern(&table, "Node", "next"), Concern::AskLater(number));
        table.learn("Node", Some("java/lang/Object"), &[field("next", VOLATILE)]);
        assert_eq!(
            table.answers[number as usize].load(Ordering::Relaxed),
            ORDERED
        );
        assert_eq!(
            concern(&table, "Node", "next"),
            Concern::Ordered { levels: 0 }
        );
    }
}
