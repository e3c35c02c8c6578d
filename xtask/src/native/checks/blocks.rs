//! The block counts of a recording are those that gdb finds by going through the threads instruction by instruction.

use super::super::programs::{self, Build};
use super::super::{Compiler, Harness};
use super::gdb::gdb;
use crate::e2e::Tally;
use crate::native::compilers::Language;
use crate::setup;

/// Programs whose threads only compute, and their arguments.
const PROGRAMS: &[(&str, &[&str])] = &[
    ("two-steps", &[]),
    ("branches", &[]),
    ("racy-counter", &["40"]),
];

pub fn check(harness: &Harness, tally: &mut Tally) {
    tally.heading("block counts, counted again by single steps in gdb");
    if let Err(why) = setup::ensure(setup::Need::Gdb) {
        println!("  skipped: {why}");
        return;
    }
    for compiler in harness
        .compilers
        .iter()
        .filter(|compiler| compiler.language == Language::C)
    {
        for (name, arguments) in PROGRAMS {
            let title = format!("{name} by {}", compiler.name);
            tally.check_with(&title, once(harness, compiler, name, arguments));
        }
    }
}

/// Steps through `work` in every thread. A block is counted where the program's own code calls the callback (gcc), or has counted and is about to ask whether that
/// was the last (clang): this looks at the bytes of each instruction that is executed and at nothing that the library keeps.
const SCRIPT: &str = r#"
python
def is_block(pc):
    code = read(pc, 6)
    if code[:2] == b'\x2e\x75' or code[:3] == b'\x2e\x0f\x85':
        return True
    if code[:2] != b'\xff\x15':
        return False
    slot = pc + 6 + struct.unpack('<i', code[2:])[0]
    return struct.unpack('<Q', read(slot, 8))[0] == callback

callback = address('__sanitizer_cov_trace_pc')
recorded = {thread: blocks for (thread, _, blocks, _, _, reason, _) in schedule() if reason == 5}
counted, steps = {}, 0
# The library may have been compiled so that gdb takes its own language from there.
gdb.execute('set language c')
gdb.execute('break *work', to_string=True)
while True:
    gdb.execute('continue', to_string=True)
    if not gdb.selected_inferior().pid:
        break
    number = u32('reweave_current')
    back = struct.unpack('<Q', read(int(gdb.parse_and_eval('(unsigned long)$sp')), 8))[0]
    gdb.execute('set scheduler-locking on')
    pc = int(gdb.parse_and_eval('(unsigned long)$pc'))
    while pc != back:
        counted[number] = counted.get(number, 0) + is_block(pc)
        gdb.execute('stepi', to_string=True)
        steps += 1
        pc = int(gdb.parse_and_eval('(unsigned long)$pc'))
    gdb.execute('set scheduler-locking off')
for thread, blocks in sorted(recorded.items()):
    if thread != 1:
        same = 'same' if blocks == counted.get(thread) else 'DIFFERENT'
        print('thread %d: recorded %d, counted %d: %s' % (thread, blocks, counted.get(thread, 0), same))
print('%d instructions' % steps)
end
"#;

fn once(
    harness: &Harness,
    compiler: &Compiler,
    name: &str,
    arguments: &[&str],
) -> Result<String, String> {
    let program = programs::named(name)?;
    let binary = program.compile(harness, compiler, Build::Blocks)?;
    let binary = binary.display().to_string();
    let command: Vec<&str> = [binary.as_str()]
        .into_iter()
        .chain(arguments.iter().copied())
        .collect();
    // No thread is stopped while gdb goes through it.
    let options = ["--level", "serial", "--quantum", "0"].map(str::to_owned);
    let recorded = harness.trials().record(&options, &command)?;
    harness.trials().same(&recorded)?;
    let session = gdb(harness, SCRIPT)?;
    let text = session.stdout_text();
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| line.contains(": recorded "))
        .collect();
    let steps = text.lines().find(|line| line.ends_with(" instructions"));
    let Some(steps) = steps.filter(|_| lines.len() >= 2) else {
        return Err(format!("{text}{}", session.stderr_text()));
    };
    if lines.iter().any(|line| !line.ends_with(": same")) {
        return Err(format!("{text}{}", session.stderr_text()));
    }
    Ok(format!("{}; {steps}", lines.join("; ")))
}
