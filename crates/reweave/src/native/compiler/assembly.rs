//! Callbacks that are inlined, with gcc: they go into the assembler text that it writes.
//!
//! Blocks are counted where `blocks` says. For accesses gcc puts in calls, which are replaced. The countdown is found by a register that gcc is told not to use (`r11`, which
//! every function may change anyway). Calls that come as a jump at the end of a function stay as they are: they find the same callback in the library.

mod blocks;

use super::inline::{Dependencies, of_code_generation};
use super::{BLOCKS, Callbacks, status};
use crate::exit::{Exit, Failure};
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// What gcc has to know. The call that it does not know of writes below the stack pointer.
const ROOM: &[&str] = &["-ffixed-r11", "-mno-red-zone"];

/// The same two instructions as in `hook.h`, with the same prefix that the library knows the jump by.
const COUNT: &str = "\tmovq\treweave_countdown@gottpoff(%rip), %r11\n\tsubq\t$1, %fs:(%r11)\n\t.byte\t0x2e\n\tjnz\t1f\n\tcall\t*reweave_countdown_over@GOTPCREL(%rip)\n1:\n";

/// The same as a call.
const CALL: &str = "\tcall\t*reweave_counted@GOTPCREL(%rip)\n";

pub fn compile(
    compiler: &str,
    callbacks: &Callbacks<'_>,
    options: &[&String],
    source: &str,
    object: &Path,
) -> Result<Exit, Failure> {
    let folder = TempDir::with_prefix("reweave-cc-")
        .map_err(|error| Failure::new(format!("cannot make a temporary folder: {error}")))?;
    let text = folder.path().join("source.s");
    let exit = status(
        Command::new(compiler)
            .args(options)
            .args(callbacks.flags.iter().filter(|flag| *flag != BLOCKS))
            .args(ROOM)
            .args(Dependencies::of(options, object).options())
            .args(["-S", "-o"])
            .arg(&text)
            .arg(source),
    )?;
    if exit != Exit::SUCCESS {
        return Ok(exit);
    }
    let cannot = |error| Failure::new(format!("cannot change {}: {error}", text.display()));
    let written = std::fs::read(&text).map_err(cannot)?;
    let written = String::from_utf8_lossy(&written);
    let changed = match callbacks.inlined {
        true => replaced(&blocks::counted(&written, COUNT)),
        false => blocks::counted(&written, CALL),
    };
    std::fs::write(&text, changed).map_err(cannot)?;
    let machine = of_code_generation(options)
        .into_iter()
        .filter(|option| option.starts_with("-m"))
        .chain(
            options
                .iter()
                .copied()
                .filter(|option| option.starts_with("-Wa,")),
        );
    status(
        Command::new(compiler)
            .args(machine)
            .args(["-c", "-o"])
            .arg(object)
            .arg(&text),
    )
}

/// Whether options leave text to be changed: objects for optimisation at link time hold none.
pub fn is_possible(options: &[&String]) -> bool {
    !options
        .iter()
        .any(|option| option.starts_with("-flto") || option.starts_with("-masm"))
}

fn replaced(text: &str) -> String {
    let mut changed = String::with_capacity(text.len() * 2);
    for line in text.split_inclusive('\n') {
        match callback(line) {
            Some(Callback::Counts) => changed.push_str(COUNT),
            Some(Callback::DoesNothing) => (),
            None => changed.push_str(line),
        }
    }
    changed
}

enum Callback {
    Counts,
    DoesNothing,
}

fn callback(line: &str) -> Option<Callback> {
    let name = line
        .strip_prefix("\tcall\t*__tsan_")?
        .strip_suffix("@GOTPCREL(%rip)\n")?;
    if matches!(name, "func_entry" | "func_exit") {
        return Some(Callback::DoesNothing);
    }
    let size = name
        .trim_start_matches("unaligned_")
        .trim_start_matches("volatile_")
        .trim_start_matches("read_")
        .trim_start_matches("read")
        .trim_start_matches("write");
    matches!(size, "1" | "2" | "4" | "8" | "16").then_some(Callback::Counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(name: &str) -> String {
        format!("\tcall\t*__{name}@GOTPCREL(%rip)\n")
    }

    #[test]
    fn callbacks_that_count_are_replaced() {
        for name in [
            "tsan_read4",
            "tsan_write16",
            "tsan_unaligned_read8",
            "tsan_volatile_write4",
            "tsan_read_write8",
        ] {
            assert_eq!(replaced(&line(name)), COUNT, "{name}");
        }
        assert_eq!(replaced(&line("tsan_func_entry")), "");
    }

    #[test]
    fn everything_else_stays() {
        for name in ["tsan_atomic32_load", "tsan_init", "tsan_read_range", "own"] {
            assert_eq!(replaced(&line(name)), line(name));
        }
        let jump = "\tjmp\t*__tsan_read4@GOTPCREL(%rip)\n";
        assert_eq!(replaced(jump), jump);
    }
}
