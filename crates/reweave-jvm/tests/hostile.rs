//! Damaged class files: whatever the bytes are, the answer is a value, it comes soon, and it costs little memory.

mod java;
mod memory;

use memory::peak_of;
use reweave_jvm::classfile::plan::{
    Around, CallHook, ClassUses, Marks, MethodAction, MethodHook, MonitorCalls, NewField, Plan,
};
use reweave_jvm::classfile::{peek, rewrite, rewrite_with_nops};
use std::time::{Duration, Instant};

const CALLS: &[CallHook<'static>] = &[
    CallHook {
        owner: None,
        name: "notifyAll",
        descriptor: "()V",
        receiver: Some("java/lang/Object"),
        method: "signalAll",
        class: None,
    },
    CallHook {
        owner: Some("java/lang/Math"),
        name: "abs",
        descriptor: "(I)I",
        receiver: None,
        method: "absolute",
        class: None,
    },
];

/// Uses every part of the rewriter.
fn plan() -> Plan<'static> {
    let hook = |name, action| MethodHook {
        name,
        descriptor: None,
        action,
    };
    let bracket = Around {
        enter: "enter",
        leave: "leave",
    };
    Plan {
        helper: "Helper",
        fields: vec![NewField {
            flags: 2,
            name: "$word",
            descriptor: "J",
        }],
        monitors: Some(MonitorCalls {
            before: Some("before"),
            after: Some("after"),
            leaving: None,
            left: Some("left"),
        }),
        native_prefix: Some("$native$"),
        calls: CALLS,
        marks: Some(Marks {
            methods: &[("run", "()V"), ("step", "(Ljava/lang/String;)V")],
            concerns: |_| true,
            before: "mark",
            after: "unmark",
        }),
        class_uses: Some(ClassUses {
            method: "touch",
            concerns: |_| true,
        }),
        methods: vec![
            hook("add", MethodAction::Around(bracket)),
            hook(
                "entry",
                MethodAction::Entry {
                    method: "entered",
                    class: "Methods",
                    arguments: true,
                },
            ),
            hook(
                "argument",
                MethodAction::ReplaceArgument {
                    method: "argument",
                    index: 1,
                    descriptor: "Ljava/lang/String;",
                },
            ),
            hook(
                "greet",
                MethodAction::Redirect {
                    method: "redirected",
                    class: "Methods",
                },
            ),
            hook("main", MethodAction::Around(bracket)),
        ],
        initialiser: Some(bracket),
        ..Plan::default()
    }
}

/// Far more than any of the test classes needs: the tables of one method with 64 KiB of code, each instruction of which is changed.
const MEMORY: usize = 16 << 20;
/// Generous, since other tests run at the same time.
const TIME: Duration = Duration::from_secs(5);

/// Rewrites the bytes in every way; they need not be a class file.
#[track_caller]
fn check_survives(bytes: &[u8], plan: &Plan<'_>) {
    let start = Instant::now();
    let memory = peak_of(|| {
        let _ = peek(bytes);
        let _ = rewrite(bytes, plan);
        let _ = rewrite_with_nops(bytes, plan);
    });
    assert!(
        memory < MEMORY,
        "{memory} bytes for a class file of {} bytes",
        bytes.len()
    );
    assert!(
        start.elapsed() < TIME,
        "{:?} for a class file of {} bytes",
        start.elapsed(),
        bytes.len()
    );
}

#[test]
fn every_prefix_of_real_classes() {
    let plan = plan();
    for (name, class) in java::compile_all() {
        assert!(peek(&class).is_ok());
        for length in 0..class.len() {
            let prefix = &class[..length];
            assert!(peek(prefix).is_err(), "the first {length} bytes of {name}");
            check_survives(prefix, &plan);
        }
    }
}

#[test]
fn thousands_of_damaged_classes() {
    let plan = plan();
    let classes = java::compile_all();
    let mut random = Random(0x5EED);
    for round in 0..30_000 {
        let (_, class) = &classes[round % classes.len()];
        let mut damaged = class.clone();
        for _ in 0..1 + random.below(4) {
            damage(&mut damaged, &mut random);
        }
        check_survives(&damaged, &plan);
    }
}

/// Changes a few bytes to something random or something extreme, or removes or repeats some.
fn damage(bytes: &mut Vec<u8>, random: &mut Random) {
    let at = random.below(bytes.len());
    let length = (1 + random.below(4)).min(bytes.len() - at);
    match random.below(6) {
        0 => bytes[at] ^= 1 << random.below(8),
        1 => bytes[at] = random.below(256) as u8,
        2 => bytes[at..at + length].fill(0xFF),
        3 => bytes[at..at + length].fill(0),
        4 => drop(bytes.drain(at..at + length)),
        _ => {
            let repeated = bytes[at..at + length].to_vec();
            bytes.splice(at..at, repeated);
        }
    }
}

/// Xorshift: the same damage in every run.
struct Random(u64);

impl Random {
    /// Less than `bound`, or 0.
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % bound.max(1)
    }
}
