//! Small files that claim to be large, and files made to be slow.

use super::super::plan::{MonitorCalls, Plan};
use super::super::{ClassFileError, SkipReason, rewrite, rewrite_with_nops};
use super::assembler::{PUBLIC, SYNCHRONIZED, TestClass};
use super::plan;

fn monitors() -> Plan<'static> {
    Plan {
        monitors: Some(MonitorCalls {
            before: Some("before"),
            after: Some("after"),
            leaving: None,
            left: None,
        }),
        ..plan()
    }
}

/// Replaces the only occurrence of some bytes.
fn replaced(mut class: Vec<u8>, old: &[u8], new: &[u8]) -> Vec<u8> {
    let places: Vec<usize> = class
        .windows(old.len())
        .enumerate()
        .filter(|(_, window)| *window == old)
        .map(|(at, _)| at)
        .collect();
    let [at] = places[..] else {
        panic!("{} places", places.len())
    };
    class.splice(at..at + old.len(), new.iter().copied());
    class
}

#[test]
fn a_code_length_beyond_the_attribute() {
    let class = TestClass::new(52)
        .method(PUBLIC, "run", "()V", "nop\nreturn")
        .build();
    let class = replaced(class, &[0, 0, 0, 2, 0, 177], &[0, 0, 255, 255, 0, 177]);
    assert!(matches!(
        rewrite(&class, &monitors()),
        Err(ClassFileError::Truncated {
            what: "bytecode",
            ..
        })
    ));
    let class = replaced(
        class,
        &[0, 0, 255, 255, 0, 177],
        &[255, 255, 255, 255, 0, 177],
    );
    assert!(matches!(
        rewrite(&class, &monitors()),
        Err(ClassFileError::Malformed {
            what: "code length",
            ..
        })
    ));
}

#[test]
fn a_switch_with_four_billion_cases() {
    let class = TestClass::new(52)
        .method(PUBLIC, "run", "()V", "end:\ntableswitch end end\nreturn")
        .build();
    // The bounds are 0 and 0.
    let bounds = [170, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let mut wide = bounds;
    wide[8..16].copy_from_slice(&[128, 0, 0, 0, 127, 255, 255, 255]);
    let class = replaced(class, &bounds, &wide);
    assert!(matches!(
        rewrite(&class, &monitors()),
        Err(ClassFileError::Truncated {
            what: "instruction",
            ..
        })
    ));
}

#[test]
fn branches_between_instructions() {
    let class = TestClass::new(52)
        .method(PUBLIC, "run", "()V", "goto end\nend:\nreturn")
        .build();
    let class = replaced(class, &[167, 0, 3, 177], &[167, 0, 2, 177]);
    let error = rewrite_with_nops(&class, &plan()).expect_err("a branch into itself");
    assert!(
        matches!(
            error,
            ClassFileError::NoInstruction {
                what: "branch",
                index: 2,
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn annotations_without_end() {
    // One annotation with one element: arrays of one element, nested.
    let nested = [b'[', 0, 1].repeat(100_000);
    let head = [0, 1, 0x44, 0, 0, 0, 0, 1, 0, 1, 0, 1].to_vec();
    let attribute = ("RuntimeVisibleTypeAnnotations", [head, nested].concat());
    let class = TestClass::new(52)
        .method_with(PUBLIC, "run", "()V", "return", &[attribute])
        .build();
    let error = rewrite_with_nops(&class, &plan()).expect_err("too deep");
    assert!(
        matches!(
            error,
            ClassFileError::Malformed {
                what: "annotation value",
                ..
            }
        ),
        "{error}"
    );
}

/// A synchronized method whose thousand ranges each cover all of its returns.
fn many_ranges(between: &str) -> Vec<u8> {
    let returns = format!("{between}return\n").repeat(10_000);
    let catches = ".catch start end end\n".repeat(1_000);
    let text = format!("start:\n{returns}end:\nathrow\n{catches}");
    TestClass::new(48)
        .method(SYNCHRONIZED, "run", "()V", &text)
        .build()
}

#[test]
fn ranges_that_would_be_cut_into_millions_of_pieces() {
    let plan = Plan {
        monitors: Some(MonitorCalls {
            before: None,
            after: None,
            leaving: None,
            left: None,
        }),
        ..plan()
    };
    let rewritten = rewrite(&many_ranges("nop\n"), &plan).expect("a class file");
    assert_eq!(rewritten.skipped[0].reason, SkipReason::TooManyHandlers);
    let rewritten = rewrite(&many_ranges(""), &plan).expect("a class file");
    assert_eq!(rewritten.skipped, []);
}

#[test]
fn a_full_constant_pool() {
    let mut class = TestClass::new(52);
    for number in 0..65_500 {
        class.utf8(&number.to_string());
    }
    let class = class.method(SYNCHRONIZED, "run", "()V", "return");
    let before = rewrite(&class.build(), &monitors());
    assert!(before.is_ok(), "{before:?}");
    let mut class = TestClass::new(52);
    for number in 0..65_523 {
        class.utf8(&number.to_string());
    }
    let class = class.method(SYNCHRONIZED, "run", "()V", "return");
    assert_eq!(
        rewrite(&class.build(), &monitors()),
        Err(ClassFileError::PoolFull)
    );
}
