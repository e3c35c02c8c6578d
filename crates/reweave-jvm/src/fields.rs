//! Which fields are ordered. An instruction names a field by a class that may not be loaded yet. Then its class file is looked at where the VM will find it; if it is
//! not there, the answer is put into a table, which the helper reads when the instruction runs: by then the class is loaded.

use crate::class_finder::ClassFinder;
use crate::classfile::plan::{Concern, FieldName, Fields};
use crate::classfile::{self, Field, SiteField};
use crate::scope::Scope;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// So many fields can be asked for before their class is known.
const CAPACITY: usize = 1 << 20;
/// In the table: not ordered; ordered and declared in the named class, and one more for each superclass further up.
const NOT: u8 = 1;
const ORDERED: u8 = 2;

const STATIC: u16 = 0x0008;
const VOLATILE: u16 = 0x0040;

pub struct FieldTable {
    scope: Scope,
    known: Mutex<Known>,
    finder: OnceLock<ClassFinder>,
    answers: Box<[AtomicU8]>,
}

#[derive(Default)]
struct Known {
    classes: HashMap<Vec<u8>, Class>,
    /// Where classes are looked for, and not there.
    found: HashSet<Vec<u8>>,
    not_found: HashSet<Vec<u8>>,
    numbers: HashMap<Owned, u32>,
    /// Fields that were asked for by the name of a class that is not known yet.
    pending: HashMap<Vec<u8>, Vec<(Owned, u32)>>,
}

/// What the VM makes of a class that was looked at before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Learned {
    /// Whether its instances have fields of its own that are ordered.
    pub word: bool,
    /// Whether code was rewritten in the belief that its fields are others: there are two classes of that name.
    pub surprise: bool,
}

struct Class {
    superclass: Option<Vec<u8>>,
    /// Names and descriptors of the ordered ones.
    ordered: Vec<(Vec<u8>, Vec<u8>)>,
    /// The others.
    rest: Vec<(Vec<u8>, Vec<u8>)>,
    /// Those of either kind that are volatile.
    volatile: Vec<(Vec<u8>, Vec<u8>)>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Owned {
    owner: Vec<u8>,
    name: Vec<u8>,
    descriptor: Vec<u8>,
}

impl FieldTable {
    pub fn new(scope: Scope) -> FieldTable {
        FieldTable {
            scope,
            known: Mutex::default(),
            finder: OnceLock::new(),
            answers: (0..CAPACITY).map(|_| AtomicU8::new(0)).collect(),
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Address of the table that the helper reads.
    pub fn address(&self) -> usize {
        self.answers.as_ptr() as usize
    }

    /// From now on classes that are not loaded yet are looked for.
    pub fn look_in(&self, finder: ClassFinder) {
        let _ = self.finder.set(finder);
    }

    /// A class is being loaded.
    pub fn learn(&self, name: &str, superclass: Option<&str>, fields: &[Field<'_>]) -> Learned {
        let word = |field: &Field<'_>| field.flags & STATIC == 0 && self.scope.orders(name, field);
        let class = Class::new(self.scope, name, superclass, fields);
        let mut known = self.known();
        let before = known.classes.get(name.as_bytes());
        let learned = Learned {
            word: fields.iter().any(word),
            surprise: before.is_some_and(|before| before.ordered != class.ordered),
        };
        known.classes.insert(name.as_bytes().to_vec(), class);
        for (field, number) in known.pending.remove(name.as_bytes()).unwrap_or_default() {
            let answer = match known.find(self.scope, &field) {
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
        learned
    }

    /// Whether the field that an instruction names, whose class is loaded by now, is volatile.
    pub fn is_volatile(&self, field: &SiteField) -> bool {
        let known = self.known();
        let same = |(name, descriptor): &(Vec<u8>, Vec<u8>)| {
            *name == field.name.as_bytes() && *descriptor == field.descriptor.as_bytes()
        };
        let mut next = Some(field.owner.as_bytes());
        while let Some(class) = next.and_then(|name| known.classes.get(name)) {
            if class.ordered.iter().chain(&class.rest).any(same) {
                return class.volatile.iter().any(same);
            }
            next = class.superclass.as_deref();
        }
        false
    }

    /// Looks at the class file of a class that is not loaded yet. False: it is not there.
    fn look_at(&self, name: &[u8]) -> bool {
        let Some(finder) = self.finder.get() else {
            return false;
        };
        if self.known().not_found.contains(name) {
            return false;
        }
        // Without the lock: reading takes time, and two threads that read the same class read the same.
        let class = std::str::from_utf8(name).ok().and_then(|name| {
            let bytes = finder.find(name)?;
            let summary = classfile::peek(&bytes).ok()?;
            let fields = classfile::fields(&bytes).ok()?;
            (summary.name == name)
                .then(|| Class::new(self.scope, name, summary.superclass.as_deref(), &fields))
        });
        let mut known = self.known();
        match class {
            Some(class) => {
                known.classes.entry(name.to_vec()).or_insert(class);
                known.found.insert(name.to_vec());
                true
            }
            None => {
                known.not_found.insert(name.to_vec());
                false
            }
        }
    }
}

impl Class {
    fn new(scope: Scope, name: &str, superclass: Option<&str>, fields: &[Field<'_>]) -> Class {
        let owned = |field: &Field<'_>| (field.name.to_vec(), field.descriptor.to_vec());
        let (ordered, rest): (Vec<Field<'_>>, Vec<Field<'_>>) = fields
            .iter()
            .copied()
            .partition(|field| scope.orders(name, field));
        Class {
            superclass: superclass.map(|name| name.as_bytes().to_vec()),
            ordered: ordered.iter().map(owned).collect(),
            rest: rest.iter().map(owned).collect(),
            volatile: fields
                .iter()
                .filter(|field| field.flags & VOLATILE != 0)
                .map(owned)
                .collect(),
        }
    }
}

impl Known {
    /// Looks the field up as the VM does; `Err` names a class that is needed for that and not known yet. A class is rewritten before its superclass is loaded.
    fn find(&self, scope: Scope, field: &Owned) -> Result<Concern, Vec<u8>> {
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
            let Some(superclass) = class
                .superclass
                .as_ref()
                .filter(|name| scope.concerns(name))
            else {
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
    fn is_settled(&self, owner: &[u8], class: &[u8]) -> bool {
        let mut name = owner.to_vec();
        loop {
            // What is of no concern never is.
            if !self.scope.concerns(&name) {
                return true;
            }
            // The class itself is at hand; others must be where they are found before they are loaded, too.
            let found = name == class || self.known().found.contains(&name);
            if !found && !self.look_at(&name) {
                return false;
            }
            let known = self.known();
            match known.classes.get(&name).map(|class| &class.superclass) {
                Some(Some(superclass)) => name = superclass.clone(),
                Some(None) => return true,
                None => return false,
            }
        }
    }

    fn concern(&self, field: &FieldName<'_>) -> Concern {
        if !self.scope.concerns(field.owner) || field.name.starts_with(b"$rw") {
            return Concern::Not;
        }
        let field = Owned {
            owner: field.owner.to_vec(),
            name: field.name.to_vec(),
            descriptor: field.descriptor.to_vec(),
        };
        let (mut known, missing) = loop {
            let known = self.known();
            let missing = match known.find(self.scope, &field) {
                Ok(concern) => return concern,
                Err(missing) => missing,
            };
            if known.numbers.contains_key(&field) || known.not_found.contains(&missing) {
                break (known, missing);
            }
            drop(known);
            if !self.look_at(&missing) {
                break (self.known(), missing);
            }
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

    const FINAL: u16 = 0x0010;

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
        let table = FieldTable::new(Scope::default());
        assert!(
            table
                .learn(
                    "Base",
                    Some("java/lang/Object"),
                    &[field("v", VOLATILE), field("p", 0)]
                )
                .word
        );
        assert!(!table.learn("Sub", Some("Base"), &[field("q", 0)]).word);
        assert_eq!(concern(&table, "Base", "v"), Concern::Ordered { levels: 0 });
        assert_eq!(concern(&table, "Sub", "v"), Concern::Ordered { levels: 1 });
        assert_eq!(concern(&table, "Sub", "p"), Concern::Not);
        assert_eq!(concern(&table, "java/text/Format", "x"), Concern::Not);
    }

    #[test]
    fn at_level_access_plain_fields_are_ordered_too() {
        let table = FieldTable::new(Scope { plain: true });
        let fields = [field("p", 0), field("f", FINAL), field("$rw", 0)];
        assert!(table.learn("Base", Some("java/lang/Object"), &fields).word);
        assert_eq!(concern(&table, "Base", "p"), Concern::Ordered { levels: 0 });
        assert_eq!(concern(&table, "Base", "f"), Concern::Not);
        assert_eq!(concern(&table, "Base", "$rw"), Concern::Not);
        assert_eq!(concern(&table, "java/text/Format", "x"), Concern::Not);
    }

    #[test]
    fn a_class_is_seen_before_its_superclass() {
        let table = FieldTable::new(Scope::default());
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
    fn only_classes_that_are_at_hand_in_every_run_are_settled() {
        let table = FieldTable::new(Scope { plain: true });
        table.learn("Own", Some("java/lang/Object"), &[field("p", 0)]);
        table.learn("Sub", Some("Own"), &[]);
        assert!(table.is_settled(b"Own", b"Own"));
        assert!(
            !table.is_settled(b"Own", b"Other"),
            "loaded now, but perhaps not yet in another run"
        );
        assert!(!table.is_settled(b"Sub", b"Sub"), "its superclass");
        assert!(table.is_settled(b"java/text/Format", b"Own"));
    }

    #[test]
    fn the_answer_comes_when_the_class_does() {
        let table = FieldTable::new(Scope::default());
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
