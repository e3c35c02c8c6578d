//! Results that are worth keeping: one line each, in a file of `bench/results`.

use crate::workspace;
use std::fs::OpenOptions;
use std::io::Write;

/// Adds a line that begins with the commit. What went wrong is kept, too.
pub fn keep(file: &str, name: &str, result: &Result<String, String>) {
    let path = workspace::root().join("bench/results").join(file);
    let text = match result {
        Ok(text) => text.clone(),
        Err(why) => format!("FAILED: {}", why.lines().next().unwrap_or("")),
    };
    let line = format!("{} {name}: {text}\n", workspace::commit());
    let written = OpenOptions::new()
        .create(true)
        .append(true)
        .open(&path)
        .and_then(|mut file| file.write_all(line.as_bytes()));
    if let Err(error) = written {
        println!("  cannot write {}: {error}", path.display());
    }
}
