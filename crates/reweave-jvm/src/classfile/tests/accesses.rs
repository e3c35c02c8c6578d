//! Accesses to fields: calls around each, and around several at once.

use super::super::plan::{AccessCalls, Concern, FieldName, Fields, Plan};
use super::assembler::{PUBLIC, TestClass};
use super::{HELPER, check, plan};

/// Fields of the class Final are not ordered; those of Later are not known. What Loaded has depends on when one asks.
struct Known;

impl Fields for Known {
    fn concern(&self, field: &FieldName<'_>) -> Concern {
        match field.owner {
            b"Final" => Concern::Not,
            b"Later" => Concern::AskLater(7),
            _ => Concern::Ordered { levels: 0 },
        }
    }

    fn is_settled(&self, owner: &[u8], _: &[u8]) -> bool {
        owner != b"Loaded"
    }
}

fn accesses() -> Plan<'static> {
    Plan {
        accesses: Some(AccessCalls {
            helper: HELPER,
            fields: &Known,
            elements: false,
            made: false,
            merged: true,
            named: false,
        }),
        ..plan()
    }
}

/// What of the calls is in the rewritten code, with the fields between them.
#[track_caller]
fn calls(text: &str, expected: &str) {
    let class = TestClass::new(50)
        .method(PUBLIC, "run", "()V", text)
        .build();
    let rewritten = super::rewrite(&class, &accesses()).expect("a class file");
    let listing = super::listing(&rewritten.bytes.expect("changed"));
    let words: Vec<&str> = listing
        .split_whitespace()
        .filter_map(|word| match word.strip_prefix("Helper.") {
            Some(method) => Some(method),
            None => ["x", "y"].contains(&word).then_some(word),
        })
        .collect();
    assert_eq!(words.join(" "), expected, "\n{listing}");
    let accesses = text.matches("field ").count() - text.matches("field Final").count();
    assert_eq!(
        rewritten.sites.len(),
        accesses,
        "every ordered access has its site"
    );
}

#[test]
fn an_object_that_is_used_again_is_asked_for_once() {
    let text = "
        aload_1
        dup
        getfield P.x I
        iload 3
        iadd
        putfield P.x I
        aload_1
        getfield P.y I
        pop
        return
    ";
    let class = TestClass::new(50)
        .method(PUBLIC, "run", "()V", text)
        .build();
    check(
        &class,
        &accesses(),
        "
        0x0001 run()V
        0: aload_1
        1: dup
        2: dup
        3: ldc_w site
        6: invokestatic Helper.writing (Ljava/lang/Object;I)V
        9: getfield x
        12: iload 3
        14: iadd
        15: putfield x
        18: aload_1
        19: getfield y
        22: invokestatic Helper.accessed ()V
        25: pop
        26: return
    ",
    );
}

#[test]
fn only_reads_are_a_read() {
    calls(
        "
        aload_1
        getfield P.x I
        aload_1
        getfield P.y I
        aload_1
        getfield P.x I
        return
        ",
        "reading x y x accessed",
    );
}

#[test]
fn another_object_ends_it() {
    calls(
        "
        aload_1
        getfield P.x I
        aload_2
        getfield P.x I
        aload_1
        getfield P.x I
        return
        ",
        "reading x accessed reading x accessed reading x accessed",
    );
}

#[test]
fn another_value_in_the_variable_ends_it() {
    calls(
        "
        aload_1
        dup
        getfield P.x I
        pop
        aload_2
        astore_1
        getfield P.y I
        aload_1
        getfield P.x I
        return
        ",
        "reading x accessed reading y accessed reading x accessed",
    );
}

#[test]
fn what_may_throw_or_call_or_be_jumped_to_ends_it() {
    for between in [
        "iconst_0 \n iconst_0 \n idiv \n pop",
        "invokestatic Any.thing ()V",
        "ldc_w Some",
        "label:",
        "aload_2 \n monitorexit",
    ] {
        let text = format!(
            "
            iconst_0
            ifeq label
            aload_1
            getfield P.x I
            pop
            {between}
            aload_1
            getfield P.y I
            pop
            {}
            return
            ",
            if between == "label:" { "" } else { "label:" }
        );
        calls(&text, "reading x accessed reading y accessed");
    }
}

#[test]
fn what_is_not_known_in_every_run_is_alone() {
    calls(
        "
        aload_1
        getfield Loaded.x I
        aload_1
        getfield Loaded.y I
        aload_1
        getfield Later.x I
        return
        ",
        "reading x accessed reading y accessed readingIf x accessedIf",
    );
}

#[test]
fn what_is_not_ordered_may_stand_between() {
    calls(
        "
        aload_1
        getfield P.x I
        aload_1
        getfield Final.y I
        aload_1
        getfield P.x I
        return
        ",
        "reading x y x accessed",
    );
    // Of another object, which may be null.
    calls(
        "
        aload_1
        getfield P.x I
        aload_2
        getfield Final.y I
        aload_1
        getfield P.x I
        return
        ",
        "reading x accessed y reading x accessed",
    );
}
