//! Alternates plain, recorded and replayed runs of a subject and takes medians.

use super::subjects::{Measure, Mode, Subject};
use crate::process::{self, End, Outcome};
use crate::reweave::{Enforcement, Replayed, Report, Reweave};
use std::fmt;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// The longest subject compiles for half a minute on a busy machine.
const LIMIT: Duration = Duration::from_secs(600);

/// Exit code of `races` that found some.
const RACES: i32 = 66;

/// One figure of one subject in every mode it was run in.
pub struct Measured {
    subject: String,
    measure: Measure,
    plain: Figures,
    recorded: Figures,
    /// Empty when the subject is not replayed.
    replayed: Figures,
    /// Empty when no races are looked for.
    races: Figures,
    /// Bytes of the last recording.
    recording: u64,
}

/// Runs the subject `rounds` times in each of its modes; one row for each of its measures.
pub fn measure(
    subject: &Subject,
    rounds: usize,
    reweave: &Reweave,
    scratch: &Path,
) -> Result<Vec<Measured>, String> {
    let recording = scratch.join("bench.rwv");
    let mut rows: Vec<Measured> = subject
        .measures
        .iter()
        .map(|measure| Measured::empty(subject, *measure))
        .collect();
    for _ in 0..rounds {
        let _ = fs::remove_file(&recording);
        for mode in subject.modes {
            let outcome = run(subject, *mode, &recording, reweave, scratch)?;
            for row in &mut rows {
                let value = row.measure.of(&outcome)?;
                row.figures(*mode).0.push(value);
            }
        }
    }
    let bytes = fs::metadata(&recording).map_or(0, |metadata| metadata.len());
    rows.iter_mut().for_each(|row| row.recording = bytes);
    Ok(rows)
}

fn run(
    subject: &Subject,
    mode: Mode,
    recording: &Path,
    reweave: &Reweave,
    scratch: &Path,
) -> Result<Outcome, String> {
    let mut java = subject.java();
    let report = scratch.join("report.json");
    let outcome = match mode {
        Mode::Plain => process::run(&mut java, LIMIT, scratch)?,
        Mode::Record => {
            let mut record = reweave.record_at(subject.level, &java, recording);
            if subject.without_memory {
                record.env("REWEAVE_TEST_UNORDERED", "all");
            }
            process::run(&mut record, LIMIT, scratch)?
        }
        Mode::Replay => {
            let outcome = process::run(
                &mut reweave.replay(recording, &report, Enforcement::On),
                LIMIT,
                scratch,
            )?;
            let verdict = Report::read(&report)?.verdict;
            if verdict != Replayed::Followed {
                return Err(format!(
                    "the replay's verdict is {verdict:?}: {}",
                    outcome.stderr_text()
                ));
            }
            outcome
        }
        Mode::Races => process::run(&mut reweave.json("races", recording), LIMIT, scratch)?,
    };
    match outcome.end {
        End::Exit(0) => Ok(outcome),
        End::Exit(RACES) if mode == Mode::Races => Ok(outcome),
        end => Err(format!(
            "{mode:?}: {end}\n{}{}",
            outcome.stdout_text(),
            outcome.stderr_text()
        )),
    }
}

impl Measure {
    fn of(self, outcome: &Outcome) -> Result<f64, String> {
        match self {
            Measure::ProcessCpu => Ok(outcome.cpu.as_secs_f64() * 1000.0),
            Measure::ProcessWall => Ok(outcome.wall.as_secs_f64() * 1000.0),
            Measure::Printed { key, .. } => {
                let text = outcome.stdout_text();
                let value = text
                    .lines()
                    .find_map(|line| line.strip_prefix(key)?.strip_prefix(' ')?.parse().ok());
                value.ok_or_else(|| format!("no line `{key} <number>` in its output:\n{text}"))
            }
        }
    }
}

impl Measured {
    pub const HEAD: &str = "| subject | figure | plain | recorded | ratio | replayed | ratio | recording | races | recorded and races |\n|---|---|---|---|---|---|---|---|---|---|";

    fn empty(subject: &Subject, measure: Measure) -> Measured {
        Measured {
            subject: subject.name.clone(),
            measure,
            plain: Figures::default(),
            recorded: Figures::default(),
            replayed: Figures::default(),
            races: Figures::default(),
            recording: 0,
        }
    }

    fn figures(&mut self, mode: Mode) -> &mut Figures {
        match mode {
            Mode::Plain => &mut self.plain,
            Mode::Record => &mut self.recorded,
            Mode::Replay => &mut self.replayed,
            Mode::Races => &mut self.races,
        }
    }
}

impl fmt::Display for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (plain, recorded, replayed) = (&self.plain, &self.recorded, &self.replayed);
        write!(
            f,
            "| {} | {} | {plain} | {recorded} | {} ",
            self.subject,
            self.measure,
            recorded.ratio_to(plain)
        )?;
        let size = Size(self.recording);
        write!(f, "| {replayed} | {} | {size} |", replayed.ratio_to(plain))?;
        let both = match (recorded.median(), self.races.median()) {
            (Some(recorded), Some(races)) => Figures(vec![recorded + races]),
            (_, _) => Figures::default(),
        };
        write!(f, " {} | {} |", self.races, both.ratio_to(plain))
    }
}

/// The values of one measure in one mode.
#[derive(Default)]
struct Figures(Vec<f64>);

impl Figures {
    fn sorted(&self) -> Vec<f64> {
        let mut values = self.0.clone();
        values.sort_by(f64::total_cmp);
        values
    }

    fn median(&self) -> Option<f64> {
        let values = self.sorted();
        let middle = values.len() / 2;
        match values.len() {
            0 => None,
            length if length % 2 == 1 => Some(values[middle]),
            _ => Some(f64::midpoint(values[middle - 1], values[middle])),
        }
    }

    fn ratio_to(&self, plain: &Figures) -> String {
        match (self.median(), plain.median()) {
            (Some(this), Some(plain)) if plain > 0.0 => format!("**{:.2}**", this / plain),
            _ => String::new(),
        }
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Some(median), values) = (self.median(), self.sorted()) else {
            return Ok(());
        };
        write!(
            f,
            "{median:.1} ({:.1}–{:.1})",
            values[0],
            values[values.len() - 1]
        )
    }
}

struct Size(u64);

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0..10_000 => write!(f, "{} B", self.0),
            10_000..10_000_000 => write!(f, "{} kB", self.0 / 1000),
            _ => write!(f, "{} MB", self.0 / 1_000_000),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Figures;

    #[test]
    fn the_median_of_an_even_number_lies_between_the_middle_two() {
        assert_eq!(Figures(vec![9.0, 1.0, 2.0]).median(), Some(2.0));
        assert_eq!(Figures(vec![4.0, 1.0, 2.0, 9.0]).median(), Some(3.0));
        assert_eq!(Figures(vec![]).median(), None);
    }

    #[test]
    fn a_ratio_needs_both_sides() {
        let (two, four) = (Figures(vec![2.0]), Figures(vec![4.0]));
        assert_eq!(four.ratio_to(&two), "**2.00**");
        assert_eq!(Figures(vec![]).ratio_to(&two), "");
    }
}
