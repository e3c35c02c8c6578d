//! The racy counter: value, addresses and every switch come again, whichever way the processor is taken away.

use super::super::programs::{self, Build, Program};
use super::super::{Compiler, Harness, results};
use crate::e2e::Tally;
use crate::native::compilers::Language;
use std::collections::HashSet;

/// How the processor is taken away.
struct Policy {
    name: &'static str,
    build: Build,
    options: &'static [&'static str],
    /// Whether updates are lost: never at the border of a block, because load and store are in one.
    loses: bool,
}

const POLICIES: &[Policy] = &[
    Policy {
        name: "at blocks",
        build: Build::Blocks,
        options: &["--quantum", "1000"],
        loses: false,
    },
    Policy {
        name: "at accesses",
        build: Build::Instrumented,
        options: &["--quantum", "1000"],
        loses: true,
    },
    Policy {
        name: "at any instruction",
        build: Build::Blocks,
        options: &["--quantum", "0", "--tick", "20"],
        loses: true,
    },
];

pub fn check(harness: &Harness, count: usize, tally: &mut Tally) {
    tally.heading(&format!(
        "racy counter, {count} recordings each, every one replayed"
    ));
    for (name, language) in [
        ("racy-counter", Language::C),
        ("rust-racy-counter", Language::Rust),
    ] {
        let program = match programs::named(name) {
            Ok(program) => program,
            Err(why) => return tally.check(name, Err(why)),
        };
        for compiler in harness
            .compilers
            .iter()
            .filter(|compiler| compiler.language == language)
        {
            for policy in POLICIES {
                let name = format!("{} by {}", policy.name, compiler.name);
                let result = once(harness, &program, compiler, policy, count);
                if count >= MANY {
                    results::keep("native-counter.txt", &name, &result);
                }
                tally.check_with(&name, result);
            }
        }
    }
}

/// From so many recordings on the result is worth keeping, and at least so many of their values must be different.
const MANY: usize = 100;
const DIFFERENT: usize = 20;

fn once(
    harness: &Harness,
    program: &Program,
    compiler: &Compiler,
    policy: &Policy,
    count: usize,
) -> Result<String, String> {
    let binary = program.compile(harness, compiler, policy.build)?;
    let options: Vec<String> = ["--level", "serial"]
        .iter()
        .chain(policy.options)
        .map(|option| (*option).to_owned())
        .collect();
    let mut values = HashSet::new();
    let mut below = 0;
    for _ in 0..count {
        let recorded = harness.trials().trial(program, &binary, &options)?;
        let text = recorded.stdout_text();
        let value: u32 = text
            .split(' ')
            .next()
            .and_then(|word| word.parse().ok())
            .ok_or_else(|| format!("no value in {text}"))?;
        below += usize::from(value < 400_000);
        values.insert(value);
    }
    let expected = if policy.loses { count } else { 0 };
    if below != expected {
        return Err(format!(
            "{below} of {count} recordings lost updates, expected {expected}"
        ));
    }
    if policy.loses && count >= MANY && values.len() < DIFFERENT {
        return Err(format!("only {} different values", values.len()));
    }
    Ok(format!(
        "{count} of {count} identical, {below} with lost updates, {} different values",
        values.len()
    ))
}
