//! The compilers of this machine that `reweave cc` and the like can stand in for.

use crate::setup;
use crate::workspace::first_line_of;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    C,
    Cxx,
    Rust,
}

#[derive(Clone, Debug)]
pub struct Compiler {
    pub language: Language,
    pub name: &'static str,
    /// The one with which plain programs are built.
    pub is_first: bool,
}

const KNOWN: &[(Language, &str)] = &[
    (Language::C, "gcc"),
    (Language::C, "clang"),
    (Language::Cxx, "g++"),
    (Language::Cxx, "clang++"),
    (Language::Rust, "rustc"),
];

/// Those that are there; clang is installed if that is possible, and done without otherwise.
pub fn find() -> Vec<Compiler> {
    for need in [setup::Need::Gcc, setup::Need::Clang] {
        if let Err(why) = setup::ensure(need) {
            println!("  skipped: {why}");
        }
    }
    let mut found: Vec<Compiler> = Vec::new();
    for &(language, name) in KNOWN {
        if first_line_of(name, &["--version"]).is_none() {
            println!("  skipped: there is no {name}");
            continue;
        }
        let is_first = !found.iter().any(|known| known.language == language);
        found.push(Compiler {
            language,
            name,
            is_first,
        });
    }
    found
}
