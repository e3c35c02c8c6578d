//! Every way in which the JDK's Unsafe accesses memory is known.

use super::java;
use reweave_jvm::classfile;
use reweave_jvm::unsafe_methods::{old_name, unsafe_methods};
use std::collections::BTreeSet;

const UNSAFE: &str = "jdk/internal/misc/Unsafe";

/// Not accesses of a field or an element: whole blocks of memory, and raw addresses in memory.
const OTHERS: &[&str] = &[
    "setMemory",
    "copyMemory",
    "copySwapMemory",
    "getAddress",
    "putAddress",
];

#[test]
fn the_list_is_what_the_jdk_has() {
    let classes = java::jdk_classes(&[UNSAFE]);
    let (_, bytes) = classes.first().expect("the JDK has an Unsafe");
    let has: BTreeSet<(String, String)> = classfile::methods(bytes)
        .expect("a class file")
        .iter()
        // Private helpers are called by what is in the list.
        .filter(|method| method.access_flags & 1 != 0)
        .map(|method| (method.name.to_string(), method.descriptor.to_string()))
        .filter(|(name, descriptor)| {
            descriptor.starts_with("(Ljava/lang/Object;J") && !OTHERS.contains(&name.as_str())
        })
        .collect();
    let mut listed = BTreeSet::new();
    let mut old = BTreeSet::new();
    for method in unsafe_methods() {
        let descriptor = method.descriptor();
        old.extend(old_name(&method.name).map(|name| (name, descriptor.clone())));
        listed.insert((method.name, descriptor));
    }
    let known = &listed | &old;
    let unknown: Vec<_> = has.difference(&known).collect();
    assert!(
        unknown.is_empty(),
        "accesses that nobody orders: {unknown:#?}"
    );
    let gone: Vec<_> = listed.difference(&has).collect();
    assert!(gone.is_empty(), "the JDK has no such access: {gone:#?}");
}
