//! `cargo xtask soak --modes`: is every way to access memory needed? Each is left unordered in recordings and their replays, one at a time; a program that uses
//! it must then come out differently, or leave its recording, within a few tries.

use super::Soak;
use crate::jdk::Jdk;
use crate::programs::{self, Compiled};
use crate::trial::{Bench, Conditions};
use crate::{Ended, Verdict};

/// Uses every access mode of a VarHandle on a field of type int, often.
const HANDLES: &str = "access-modes";

/// Ways that are no methods, and a program that needs them.
const INSTRUCTIONS: &[(&str, &str)] = &[("fields", "peterson"), ("elements", "racy-arrays")];

/// Operation, and what comes behind the type in the names of its variants.
const OPERATIONS: &[(&str, &[&str])] = &[
    ("get", &["", "Volatile", "Acquire", "Opaque"]),
    ("put", &["", "Volatile", "Release", "Opaque"]),
    ("compareAndSet", &[""]),
    ("weakCompareAndSet", &["", "Plain", "Acquire", "Release"]),
    ("compareAndExchange", &["", "Acquire", "Release"]),
    ("getAndSet", &["", "Acquire", "Release"]),
    ("getAndAdd", &["", "Acquire", "Release"]),
    ("getAndBitwiseOr", &["", "Acquire", "Release"]),
    ("getAndBitwiseAnd", &["", "Acquire", "Release"]),
    ("getAndBitwiseXor", &["", "Acquire", "Release"]),
];

/// One of so many recordings has to go wrong.
const TRIES: usize = 30;

pub fn run(soak: &Soak, jdks: &[Jdk]) -> Ended {
    let mut missed = Vec::new();
    println!("| left unordered | JDK | program | recordings until it was noticed |");
    println!("|---|---|---|---|");
    for jdk in jdks {
        for (mode, name) in all() {
            let program = programs::matching(name)?.remove(0);
            let tries = tries(soak, &program.compile(jdk)?, &mode)?;
            let text = tries.map_or("never".to_owned(), |tries| tries.to_string());
            println!("| {mode} | {} | {name} | {text} |", jdk.major);
            if tries.is_none() {
                missed.push(format!("{mode} on JDK {}", jdk.major));
            }
        }
    }
    Ok(if missed.is_empty() {
        Verdict::Good
    } else {
        println!("not noticed: {}", missed.join(", "));
        Verdict::Bad
    })
}

/// Every mode, as the switch of the agent names it, and the program that is to notice.
fn all() -> Vec<(String, &'static str)> {
    let methods = OPERATIONS.iter().flat_map(|(operation, variants)| {
        variants
            .iter()
            .map(move |variant| (format!("={operation}Int{variant}"), HANDLES))
    });
    let instructions = INSTRUCTIONS
        .iter()
        .map(|(mode, program)| ((*mode).to_owned(), *program));
    methods.chain(instructions).collect()
}

/// How many recordings it took until one went wrong.
fn tries(soak: &Soak, compiled: &Compiled, mode: &str) -> Result<Option<usize>, String> {
    let bench = Bench {
        reweave: &soak.reweave,
        scratch: &soak.scratch,
    };
    let conditions = Conditions {
        unordered: Some(mode),
        ..Conditions::default()
    };
    for number in 1..=TRIES {
        let trial = bench.trial_under(compiled, &conditions)?;
        if trial.wrong.is_some() {
            return Ok(Some(number));
        }
    }
    Ok(None)
}
