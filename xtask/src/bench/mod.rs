//! `cargo xtask bench`: what recording and replaying cost, as ratios measured in one go.
//!
//! Plain, recorded and replayed runs of a subject alternate, so that whatever else the machine does hits all of them;
//! the figures are medians. Compare within one table only.

mod machine;
mod measure;
pub(crate) mod subjects;

use crate::jdk::Jdk;
use crate::{Ended, Verdict, build, setup, workspace};
use clap::Args;
use measure::Measured;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

#[derive(Args)]
pub struct Options {
    /// Rounds of each subject, instead of its own number
    #[arg(long, value_name = "N")]
    rounds: Option<usize>,
    /// Only subjects whose name contains this
    #[arg(long, value_name = "TEXT", default_value = "")]
    only: String,
    /// The JDK of this major version instead of the default one
    #[arg(long, value_name = "VERSION")]
    jdk: Option<u32>,
}

pub fn run(options: &Options) -> Ended {
    let jdk = chosen(setup::jdks()?, options.jdk)?;
    let reweave = build::run()?;
    let scratch = workspace::scratch("bench")?;
    let mut table = String::from(Measured::HEAD);
    let mut failures = Vec::new();
    println!("{table}");
    for subject in subjects::all(&jdk, &options.only)? {
        let rounds = options.rounds.unwrap_or(subject.rounds);
        match measure::measure(&subject, rounds, &reweave, &scratch) {
            Ok(rows) => {
                for row in rows {
                    println!("{row}");
                    write!(table, "\n{row}").expect("writing to a string");
                }
            }
            Err(why) => {
                println!("{}: {why}", subject.name);
                failures.push(subject.name);
            }
        }
    }
    let path = save(&jdk, options, &table, &failures)?;
    println!("\nsaved in {}", path.display());
    if failures.is_empty() {
        return Ok(Verdict::Good);
    }
    println!("could not be measured: {}", failures.join(", "));
    Ok(Verdict::Bad)
}

fn chosen(found: Vec<Jdk>, wanted: Option<u32>) -> Result<Jdk, String> {
    let matching = |jdk: &Jdk| wanted.is_none_or(|major| jdk.major == major);
    found
        .into_iter()
        .find(matching)
        .ok_or_else(|| "there is no JDK of that version here".to_owned())
}

fn save(jdk: &Jdk, options: &Options, table: &str, failures: &[String]) -> Result<PathBuf, String> {
    let folder = workspace::root().join("bench/results");
    workspace::create(&folder)?;
    let (date, commit) = (machine::today(), workspace::commit());
    let part = if options.only.is_empty() {
        String::new()
    } else {
        format!("-{}", options.only.replace(' ', "-"))
    };
    let path = folder.join(format!("{date}-{commit}-jdk{}{part}.md", jdk.major));
    let mut text = format!(
        "# Costs, {date}, commit {commit}\n\n{}\n{table}\n",
        machine::facts(jdk)
    );
    text += "\nMedians; in brackets the smallest and largest figure. Ratios are to the plain run of the same table.\n";
    text += "Made by `cargo xtask bench`.\n";
    if !failures.is_empty() {
        writeln!(text, "\nCould not be measured: {}.", failures.join(", "))
            .expect("writing to a string");
    }
    fs::write(&path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    Ok(path)
}
