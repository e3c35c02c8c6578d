//! The block counts of a recording are those that gdb finds by stopping at every callback.

use super::super::Harness;
use super::super::programs::{self, Build};
use super::gdb::gdb;
use crate::e2e::Tally;
use crate::setup;

pub fn check(harness: &Harness, tally: &mut Tally) {
    tally.heading("block counts, counted again by gdb");
    if let Err(why) = setup::ensure(setup::Need::Gdb) {
        println!("  skipped: {why}");
        return;
    }
    for name in ["two-steps", "overdraft", "branches"] {
        tally.check_with(name, once(harness, name));
    }
}

/// Counts the hits of the callback by thread and compares with what the library says at each thread's last switch.
const SCRIPT: &str = r#"
python
counted = {}
class Count(gdb.Breakpoint):
    def stop(self):
        number = u32('reweave_current')
        counted[number] = counted.get(number, 0) + 1
        return False
Count('__sanitizer_cov_trace_pc')
# Main has been counting since before the breakpoint was there.
before = Thread(1).blocks()
recorded = {}
for (thread, _, blocks, _, _, reason, _) in schedule():
    recorded[thread] = blocks if reason == 5 else recorded.get(thread)
gdb.execute('continue')
for thread, blocks in sorted(recorded.items()):
    if thread != 1 and blocks is not None:
        print('thread %d: recorded %d, counted %d: %s' % (thread, blocks, counted.get(thread, 0), 'same' if blocks == counted.get(thread, 0) else 'DIFFERENT'))
end
"#;

fn once(harness: &Harness, name: &str) -> Result<String, String> {
    let program = programs::named(name)?;
    let binary = program.compile(harness, &harness.compilers[0], Build::Blocks)?;
    let options = ["--level", "serial", "--quantum", "50"].map(str::to_owned);
    let recorded = harness
        .trials()
        .record(&options, &[&binary.display().to_string()])?;
    harness.trials().same(&recorded)?;
    let session = gdb(harness, SCRIPT)?;
    let text = session.stdout_text();
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| line.contains(": recorded "))
        .collect();
    if lines.len() < 2 || lines.iter().any(|line| line.ends_with("DIFFERENT")) {
        return Err(format!("{text}{}", session.stderr_text()));
    }
    Ok(lines.join("; "))
}
