//! The helper is compiled against stubs of Thread and Class that have the fields which the agent adds.

use crate::read;
use reweave_jvm::classfile::plan::NewField;
use reweave_jvm::hooks;
use std::collections::BTreeSet;

/// Name and descriptor of the fields of ours in a stub.
fn fields(stub: &str) -> BTreeSet<(String, String)> {
    read(&format!("java/stubs/java/lang/{stub}.java"))
        .lines()
        .filter_map(|line| line.trim().strip_prefix("public ")?.strip_suffix(';'))
        .filter_map(|declaration| declaration.split_once(' '))
        .filter(|(_, name)| name.starts_with("$rw") && !name.contains('('))
        .map(|(kind, name)| {
            let descriptor = match kind {
                "long" => "J",
                "int" => "I",
                "boolean" => "Z",
                "Object" => "Ljava/lang/Object;",
                other => panic!("{other}: which descriptor is that?"),
            };
            (name.to_owned(), descriptor.to_owned())
        })
        .collect()
}

#[track_caller]
fn check_fields(stub: &str, added: &[NewField<'_>]) {
    let names: BTreeSet<(String, String)> = added
        .iter()
        // The helper reaches these words by their offsets, in whatever class they are.
        .filter(|field| ![hooks::ORDER_WORD, hooks::MEMORY_WORD].contains(&field.name))
        .map(|field| (field.name.to_owned(), field.descriptor.to_owned()))
        .collect();
    assert_eq!(fields(stub), names);
    let words = added.len() - names.len();
    assert!(words == 1 || words == 2, "each once, and the words");
}

#[test]
fn the_fields_of_thread() {
    check_fields("Thread", hooks::THREAD_FIELDS);
}

#[test]
fn the_fields_of_references() {
    for class in ["WeakReference", "SoftReference", "PhantomReference"] {
        let added: BTreeSet<_> = hooks::REFERENCE_FIELDS
            .iter()
            .map(|field| (field.name.to_owned(), field.descriptor.to_owned()))
            .collect();
        assert_eq!(fields(&format!("ref/{class}")), added);
    }
    let queue = BTreeSet::from([("$rwFollowed".to_owned(), "Z".to_owned())]);
    assert_eq!(fields("ref/ReferenceQueue"), queue);
    assert_eq!(hooks::QUEUE_FIELDS.len(), queue.len());
    let values = BTreeSet::from([("$rwValues".to_owned(), "Ljava/lang/Object;".to_owned())]);
    assert_eq!(fields("ClassValue"), values);
    assert_eq!(hooks::CLASS_VALUE_FIELDS.len(), values.len());
}

#[test]
fn the_fields_of_class() {
    check_fields("Class", hooks::CLASS_FIELDS);
}
