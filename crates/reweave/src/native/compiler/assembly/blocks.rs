//! Where in gcc's assembler text blocks are counted.
//!
//! gcc's own callbacks at blocks go in before it optimises loops, and keep it from that. Here the text is finished. A block begins at a function's start and at every label
//! that is jumped to, so nothing can run for long, or come to the same instruction twice, without a block. Counting changes the flags, so it stands at the first place in
//! the block at which nobody wants to know what they were: at the latest before the next instruction that sets them, and a loop that ends has one.

use std::collections::HashMap;

/// Inserts `count` into every block.
pub fn counted(text: &str, count: &str) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let labels: HashMap<&str, usize> = lines
        .iter()
        .enumerate()
        .filter_map(|(index, line)| Some((label(line)?, index)))
        .collect();
    let mut changed = String::with_capacity(text.len() * 2);
    let mut functions = Vec::new();
    let (mut in_code, mut by_hand, mut due) = (true, false, false);
    for (index, line) in lines.iter().enumerate() {
        if let Some(code) = begins_code(line) {
            (in_code, due) = (code, false);
        } else if let Some(name) = function(line) {
            functions.push(name);
        } else if let Some(label) = label(line) {
            due |= in_code && !by_hand && (is_jumped_to(label) || functions.contains(&label));
        } else if line.starts_with("#APP") {
            // gcc keeps nothing in the flags over instructions of the program's own.
            if due {
                changed.push_str(count);
            }
            (by_hand, due) = (true, false);
        } else if line.starts_with("#NO_APP") {
            by_hand = false;
        } else if let Some(instruction) = instruction(line)
            && due
            && instruction != "endbr64"
            && flags_are_free(&lines, &labels, index)
        {
            changed.push_str(count);
            due = false;
        }
        changed.push_str(line);
    }
    changed
}

/// Whether what follows a directive is code, if it begins another section.
fn begins_code(line: &str) -> Option<bool> {
    let mut words = line.split_whitespace();
    match words.next()? {
        ".text" => Some(true),
        ".data" | ".bss" => Some(false),
        ".section" => Some(words.next()?.starts_with(".text")),
        _ => None,
    }
}

fn function(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("\t.type\t")?;
    rest.strip_suffix(", @function\n")
}

fn label(line: &str) -> Option<&str> {
    line.strip_suffix(":\n")
        .filter(|name| !name.starts_with(['\t', ' ', '#']))
}

/// `.L12`; others, like `.LFB12`, are for the debugger.
fn is_jumped_to(label: &str) -> bool {
    label
        .strip_prefix(".L")
        .is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The name of the instruction on a line, without prefixes.
fn instruction(line: &str) -> Option<&str> {
    let rest = line.strip_prefix('\t')?;
    if rest.starts_with(['.', '#', '\t', '\n']) {
        return None;
    }
    rest.split_whitespace()
        .find(|word| !matches!(*word, "lock" | "rep" | "repz" | "repnz" | "notrack" | "bnd"))
}

/// What becomes of the flags.
#[derive(Debug, PartialEq, Eq)]
enum Flags {
    Asked,
    Set,
    Kept,
}

/// Whether nobody asks for the flags before they are set anew, from a line on.
fn flags_are_free(lines: &[&str], labels: &HashMap<&str, usize>, from: usize) -> bool {
    const FAR: usize = 60;
    let (mut index, mut followed) = (from, Vec::new());
    for _ in 0..FAR {
        let Some(line) = lines.get(index) else {
            return false;
        };
        index += 1;
        if line.starts_with("#APP") {
            return true;
        }
        let Some(name) = instruction(line) else {
            continue;
        };
        if name == "jmp" {
            let target = line.trim().rsplit(char::is_whitespace).next().unwrap_or("");
            match labels.get(target) {
                // It goes round and round, and never asks.
                Some(label) if followed.contains(label) => return true,
                Some(&label) if is_jumped_to(target) => {
                    followed.push(label);
                    index = label;
                }
                // Another function, which does not look at them; or anywhere.
                _ => return !target.starts_with('*') || target.ends_with("@GOTPCREL(%rip)"),
            }
            continue;
        }
        match flags_of(name) {
            Flags::Asked => return false,
            Flags::Set => return true,
            Flags::Kept => (),
        }
    }
    false
}

fn flags_of(name: &str) -> Flags {
    const ASKING: &[&str] = &[
        "j", "set", "cmov", "adc", "sbb", "rcl", "rcr", "lahf", "pushf", "fcmov", "loop", "cmc",
    ];
    // With the letter for a size left out. What sets some of the flags only is not among them.
    const SETTING: &[&str] = &[
        "add", "sub", "cmp", "test", "and", "or", "xor", "neg", "imul", "mul", "idiv", "div",
        "sal", "shl", "sar", "shr", "xadd", "cmpxchg", "popcnt", "lzcnt", "tzcnt", "bsf", "bsr",
        "comisd", "comiss", "ucomisd", "ucomiss", "vcomisd", "vcomiss", "vucomisd", "vucomiss",
        "fcomi", "fcomip", "fucomi", "fucomip", "call", "ret", "ud2",
    ];
    let base = name.strip_suffix(['b', 'w', 'l', 'q']).unwrap_or(name);
    if ASKING.iter().any(|start| name.starts_with(start)) {
        Flags::Asked
    } else if SETTING.contains(&name) || SETTING.contains(&base) {
        Flags::Set
    } else {
        Flags::Kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COUNT: &str = "\tCOUNT\n";

    fn text(lines: &[&str]) -> String {
        let whole = |line: &&str| match line.ends_with(':') || line.starts_with('#') {
            true => format!("{line}\n"),
            false => format!("\t{}\n", line.replacen(' ', "\t", 1)),
        };
        lines.iter().map(whole).collect()
    }

    /// The text with counting before the lines that are marked by a star.
    #[track_caller]
    fn check(marked: &[&str]) {
        let plain: Vec<&str> = marked
            .iter()
            .map(|line| line.trim_start_matches('*'))
            .collect();
        let expected: String = marked
            .iter()
            .map(|line| match line.strip_prefix('*') {
                Some(line) => format!("{COUNT}{}", text(&[line])),
                None => text(&[line]),
            })
            .collect();
        assert_eq!(counted(&text(&plain), COUNT), expected);
    }

    #[test]
    fn functions_and_what_is_jumped_to() {
        check(&[
            ".text",
            ".type work, @function",
            "work:",
            ".LFB3:",
            ".cfi_startproc",
            "endbr64",
            "*xorl %eax, %eax",
            ".LVL7:",
            "movl $1, %ecx",
            ".L3:",
            ".loc 1 7",
            "*addl %ecx, %eax",
            "cmpl $9, %eax",
            "jne .L3",
            "movl $2, %edx",
            "ret",
        ]);
    }

    #[test]
    fn tables_and_data_are_no_code() {
        check(&[
            ".text",
            ".L2:",
            "*movl $1, %eax",
            "ret",
            ".section .rodata",
            ".L4:",
            ".long .L2-.L4",
            ".section .text.unlikely",
            ".L9:",
            "*call abort",
        ]);
    }

    #[test]
    fn flags_that_somebody_wants_are_left_alone() {
        check(&[
            ".text",
            ".L2:",
            "movl $1, %eax",
            "jle .L5",
            "*movl $2, %eax",
            "testl %edi, %edi",
            "je .L2",
            ".L5:",
            "*ret",
        ]);
        // Through a jump.
        check(&[
            ".text",
            ".L2:",
            "jmp .L6",
            ".L6:",
            "cmovl %eax, %edx",
            "*addl $1, %edx",
            "jmp .L2",
        ]);
    }

    #[test]
    fn a_loop_without_an_end_is_a_block() {
        let endless = counted(&text(&[".text", ".L2:", "movl $1, %eax", "jmp .L2"]), COUNT);
        assert!(endless.contains(COUNT), "{endless}");
    }

    #[test]
    fn instructions_of_the_program_are_not_taken_apart() {
        check(&[".text", ".L2:", "*#APP", "1:", "pause", "#NO_APP", "ret"]);
    }

    #[test]
    fn names_that_look_alike() {
        for kept in [
            "cmpltsd", "addsd", "subps", "andnps", "shlx", "mulx", "movl", "leaq", "orps", "incl",
            "btq",
        ] {
            assert_eq!(flags_of(kept), Flags::Kept, "{kept}");
        }
        for set in ["addq", "cmpb", "test", "ucomisd", "imulq", "call"] {
            assert_eq!(flags_of(set), Flags::Set, "{set}");
        }
        for asked in ["sete", "cmovne", "adcq", "jb"] {
            assert_eq!(flags_of(asked), Flags::Asked, "{asked}");
        }
    }
}
