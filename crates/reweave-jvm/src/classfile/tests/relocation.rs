//! Everything that holds a place in the code, moved by a `nop` before every instruction.

use super::super::code::Code;
use super::super::pool::Pool;
use super::super::{ClassFileError, SkipReason, rewrite, rewrite_with_nops};
use super::assembler::{PUBLIC, RawAttribute, STATIC, TestClass};
use super::listing::{listing, methods};
use super::plan;
use crate::classfile::plan::{MonitorCalls, Plan};

/// The contents of the attribute `name` of the only method, after a nop was put before each instruction.
#[track_caller]
fn check_attribute(text: &str, attribute: RawAttribute<'_>, expected: &[u8]) {
    let name = attribute.0;
    let class = TestClass::new(52)
        .method_with(PUBLIC, "run", "()V", text, &[attribute])
        .build();
    let bytes = rewrite_with_nops(&class, &plan())
        .expect("a class file")
        .bytes
        .expect("changed");
    let pool = Pool::parse(&bytes).expect("constants");
    let method = &methods(&bytes, &pool)[0];
    let code = Code::parse(method.code.expect("code").contents).expect("code");
    let mut found = None;
    code.for_each_attribute(&pool, |other, _, contents| {
        if other == name.as_bytes() {
            found = Some(contents.rest().to_vec());
        }
        Ok::<(), ClassFileError>(())
    })
    .expect("attributes");
    assert_eq!(found.as_deref(), Some(expected));
}

/// aload_0 0, new 1, pop 4, return 5; then 1, 3, 7 and 9.
const FOUR: &str = "aload_0\nnew Subject\npop\nreturn";

#[test]
fn branches_and_switches() {
    let text = "
        start:
        goto end
        iload 1
        tableswitch start end start
        iload 1
        lookupswitch end start
        jsr end
        goto_w start
        end:
        astore 2
        ret 2
    ";
    let class = TestClass::new(48)
        .method(STATIC, "run", "()V", text)
        .build();
    let bytes = rewrite_with_nops(&class, &plan())
        .expect("a class file")
        .bytes
        .expect("changed");
    let lines = listing(&bytes);
    let instructions: Vec<&str> = lines
        .lines()
        .filter(|line| !line.ends_with("nop"))
        .collect();
    assert_eq!(
        instructions,
        [
            "0x0009 run()V",
            "1: goto 66",
            "5: iload 1",
            "8: tableswitch 0 66 0",
            "33: iload 1",
            "36: lookupswitch 66 0",
            "57: jsr 66",
            "61: goto_w 0",
            "67: astore 2",
            "70: ret 2",
        ]
    );
}

#[test]
fn lines_that_point_into_instructions_go_to_the_instruction() {
    check_attribute(
        FOUR,
        (
            "LineNumberTable",
            vec![0, 4, 0, 0, 0, 7, 0, 1, 0, 8, 0, 2, 0, 9, 0, 5, 0, 10],
        ),
        &[0, 4, 0, 0, 0, 7, 0, 2, 0, 8, 0, 2, 0, 9, 0, 8, 0, 10],
    );
}

#[test]
fn local_variables() {
    // From 0 for 6, the whole method, and from 1 for 4.
    let table = vec![
        0, 2, 0, 0, 0, 6, 9, 9, 8, 8, 0, 0, 0, 1, 0, 4, 7, 7, 6, 6, 0, 1,
    ];
    let moved = [
        0, 2, 0, 0, 0, 10, 9, 9, 8, 8, 0, 0, 0, 2, 0, 6, 7, 7, 6, 6, 0, 1,
    ];
    check_attribute(FOUR, ("LocalVariableTable", table.clone()), &moved);
    check_attribute(FOUR, ("LocalVariableTypeTable", table), &moved);
}

#[test]
fn frames_of_every_shape() {
    let table = vec![
        0, 6, //                        six frames
        0, //                           same at 0
        64, 8, 0, 1, //                 one value at 1, made by the `new` at 1
        247, 0, 0, 1, //                one int at 2
        252, 0, 0, 7, 0, 3, //          one local more at 3
        250, 0, 0, //                   one less at 4
        255, 0, 0, 0, 1, 1, 0, 1, 8, 0, 1, // all at 5
    ];
    let moved = [
        0, 6, //
        0, //
        65, 8, 0, 3, //
        65, 1, //
        252, 0, 1, 7, 0, 3, //
        250, 0, 1, //
        255, 0, 1, 0, 1, 1, 0, 1, 8, 0, 3,
    ];
    // Instructions at 0, 1, 2, 3, 4 and 5.
    check_attribute(
        "nop\nnop\nnop\nnop\nnop\nreturn",
        ("StackMapTable", table),
        &moved,
    );
}

#[test]
fn annotations_on_types() {
    let tail = [
        1, 3, 0, 0, 9, 0, 1, 0, 8, b'[', 0, 2, b's', 0, 7, b'@', 0, 6, 0, 0,
    ];
    let annotation = |target: &[u8]| [target, &tail].concat();
    let table = |targets: &[&[u8]]| {
        let count = (targets.len() as u16).to_be_bytes().to_vec();
        targets
            .iter()
            .fold(count, |table, target| [table, annotation(target)].concat())
    };
    let before: &[&[u8]] = &[
        &[0x40, 0, 1, 0, 1, 0, 4, 0, 2], // a local variable from 1 for 4
        &[0x42, 0, 5],                   // an exception handler that does not exist
        &[0x44, 0, 1],                   // the `new` at 1
        &[0x47, 0, 4, 1],                // a cast at 4
    ];
    let after: &[&[u8]] = &[
        &[0x40, 0, 1, 0, 2, 0, 6, 0, 2],
        &[0x42, 0, 5],
        &[0x44, 0, 3],
        &[0x47, 0, 7, 1],
    ];
    for name in [
        "RuntimeVisibleTypeAnnotations",
        "RuntimeInvisibleTypeAnnotations",
    ] {
        check_attribute(FOUR, (name, table(before)), &table(after));
    }
}

#[test]
fn unknown_attributes_are_copied() {
    check_attribute(FOUR, ("Unheard", vec![1, 2, 3]), &[1, 2, 3]);
}

#[test]
fn nothing_to_do_is_nothing_done() {
    let class = TestClass::new(52)
        .method(PUBLIC, "run", "()V", FOUR)
        .build();
    let monitors = Plan {
        monitors: Some(MonitorCalls {
            before: Some("before"),
            after: None,
            leaving: None,
            left: None,
        }),
        ..plan()
    };
    assert_eq!(rewrite(&class, &plan()).expect("a class file").bytes, None);
    assert_eq!(
        rewrite(&class, &monitors).expect("a class file").bytes,
        None
    );
}

#[test]
fn what_would_grow_too_large_is_left_alone() {
    let long = "nop\n".repeat(40_000) + "return";
    let far = "goto end\n".to_owned() + &"nop\n".repeat(30_000) + "end:\nreturn";
    let class = TestClass::new(48)
        .method(PUBLIC, "long", "()V", &long)
        .method(PUBLIC, "far", "()V", &far);
    let rewritten = rewrite_with_nops(&class.build(), &plan()).expect("a class file");
    assert_eq!(rewritten.bytes, None);
    let skipped: Vec<_> = rewritten
        .skipped
        .iter()
        .map(|skipped| (skipped.method.as_str(), skipped.reason))
        .collect();
    assert_eq!(
        skipped,
        [
            ("long()V", SkipReason::CodeTooLarge),
            ("far()V", SkipReason::BranchTooFar)
        ]
    );
}

#[test]
fn sites_do_not_depend_on_the_rest_of_the_plan() {
    let class = TestClass::new(52)
        .method(STATIC, "run", "()V", "aload_0\nmonitorenter\nreturn")
        .build();
    let plan = Plan {
        monitors: Some(MonitorCalls {
            before: Some("before"),
            after: None,
            leaving: None,
            left: None,
        }),
        ..plan()
    };
    let plain = rewrite(&class, &plan).expect("a class file").sites;
    let stressed = rewrite_with_nops(&class, &plan)
        .expect("a class file")
        .sites;
    assert_eq!(plain, stressed);
    assert_ne!(plain[0].id.0, 0);
}
