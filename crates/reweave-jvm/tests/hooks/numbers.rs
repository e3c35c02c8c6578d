//! The numbers that the helper writes are those of the trace format.

use crate::read;
use reweave_trace::event::{FORM_SHIFT, KIND_SHIFT, TAG_SHARED, UPPER_MASK, UPPER_SHIFT};
use reweave_trace::{Ending, Form, Kind, Link, Operation, SiteId, Woken};
use std::collections::BTreeMap;

/// `NAME = number` in a Java source.
fn constants(source: &str) -> BTreeMap<String, u64> {
    source
        .split([',', ';'])
        .filter_map(|part| part.split_once(" = "))
        .filter_map(|(name, value)| {
            let name = name.rsplit(' ').next()?;
            Some((name.to_owned(), number(value.trim())?))
        })
        .collect()
}

fn number(text: &str) -> Option<u64> {
    if let Some((value, shift)) = text.split_once(" << ") {
        return Some(number(value)? << number(shift)?);
    }
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

fn java_name(kind: Kind) -> String {
    match kind {
        Kind::ReadInterrupt => "INTERRUPT_CHECK".to_owned(),
        kind => kind.name().to_uppercase().replace('-', "_"),
    }
}

#[test]
fn events_are_written_as_the_format_says() {
    // Only native programs have these.
    let native = [Kind::Switch, Kind::Signal];
    let mut expected: BTreeMap<String, u64> = Kind::ALL
        .iter()
        .filter(|kind| !native.contains(kind))
        .map(|kind| (java_name(*kind), kind.number().into()))
        .collect();
    for form in [Form::Short, Form::Linked, Form::Valued] {
        expected.insert(form.name().to_uppercase(), form.number().into());
    }
    let sleep = |ending| Operation::Sleep(ending).value().expect("a value");
    assert_eq!(sleep(Ending::Interrupted), Woken::INTERRUPTED);
    let others: [(&str, u64); 19] = [
        ("KIND_SHIFT", KIND_SHIFT.into()),
        ("FORM_SHIFT", FORM_SHIFT.into()),
        ("TAG_SHIFT", UPPER_SHIFT.into()),
        ("TAG_BITS", UPPER_MASK.count_ones().into()),
        ("STREAM_SHIFT", Link::STREAM_SHIFT.into()),
        ("SHARED_TAG", TAG_SHARED.into()),
        ("HASH_SITE", SiteId::IDENTITY_HASH.0.into()),
        ("SALT_SITE", SiteId::SALT.0.into()),
        ("FIRST_FIGURE_SITE", SiteId::FIGURES.0.into()),
        ("MADE_SITE", SiteId::MADE.0.into()),
        ("GONE_SITE", SiteId::GONE.0.into()),
        ("POLLED_SITE", SiteId::POLLED.0.into()),
        ("REMOVED_SITE", SiteId::REMOVED.0.into()),
        ("FINALIZED_SITE", SiteId::FINALIZED.0.into()),
        ("FIRST_PROPERTY_SITE", SiteId::PROPERTIES.0.into()),
        ("DONE", sleep(Ending::Done)),
        ("TIMED_OUT", Woken::TIMED_OUT),
        ("INTERRUPTED", Woken::INTERRUPTED),
        ("SPURIOUS", Woken::SPURIOUS),
    ];
    expected.extend(others.map(|(name, value)| (name.to_owned(), value)));
    let source = read("java/common/java/lang/ReweaveEvent.java");
    assert_eq!(constants(&source), expected);
}

#[test]
fn the_table_of_shared_words_is_as_large_as_the_helper_thinks() {
    let java = constants(&read("java/record/java/lang/ReweaveLog.java"));
    let rust = constants(&read("src/record.rs").replace(": usize", ""));
    assert_eq!(java["CELLS"], 1 << 16);
    assert_eq!(java["CELLS"], rust["CELLS"]);
}
