//! Rewrites every class file below a folder with every kind of event that exists, and prints what it did as JSON.
//!
//! ```text
//! reweave-rewrite [--nops] FROM TO    rewrite the classes below FROM into TO (only those that change)
//! reweave-rewrite --plan              print what is hooked, for an independent count
//! ```
//! It is the subject of `cargo xtask rewriter`, which loads the results into a VM that verifies everything.

mod plan;

use reweave_jvm::classfile::plan::Plan;
use reweave_jvm::classfile::{
    ClassFileError, Rewritten, Site, SiteKind, peek, rewrite, rewrite_with_nops,
};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match words[..] {
        ["--plan"] => {
            plan::print();
            Ok(())
        }
        ["--nops", from, to] => run(Path::new(from), Path::new(to), rewrite_with_nops),
        [from, to] if !from.starts_with('-') => run(Path::new(from), Path::new(to), rewrite),
        _ => {
            eprintln!("usage: reweave-rewrite [--nops] FROM TO\n       reweave-rewrite --plan");
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("reweave-rewrite: {error}");
            ExitCode::FAILURE
        }
    }
}

#[derive(Default)]
struct Report {
    classes: usize,
    changed: usize,
    failures: Vec<String>,
    skipped: BTreeMap<String, usize>,
    sites: BTreeMap<&'static str, usize>,
    dropped: BTreeMap<&'static str, usize>,
    handles: usize,
    spent: Duration,
}

fn run(
    from: &Path,
    to: &Path,
    rewrite: fn(&[u8], &Plan<'_>) -> Result<Rewritten, ClassFileError>,
) -> io::Result<()> {
    let mut files = Vec::new();
    collect(from, &mut files)?;
    files.sort();
    let plan = plan::everything();
    let mut report = Report::default();
    for file in files {
        let bytes = std::fs::read(&file)?;
        let place = file.strip_prefix(from).unwrap_or(&file);
        // What the rewriter must not touch, see its documentation.
        if peek(&bytes).is_ok_and(|summary| summary.name == "java/lang/Object") {
            continue;
        }
        report.classes += 1;
        let start = processor_time();
        let result = rewrite(&bytes, &plan);
        report.spent += processor_time().saturating_sub(start);
        match result {
            Ok(rewritten) => {
                report.count(&rewritten, place);
                if let Some(new) = rewritten.bytes {
                    let target = to.join(place);
                    if let Some(folder) = target.parent() {
                        std::fs::create_dir_all(folder)?;
                    }
                    std::fs::write(target, new)?;
                }
            }
            Err(error) => report
                .failures
                .push(format!("{}: {error}", place.display())),
        }
    }
    println!("{}", report.json());
    Ok(())
}

/// Every class file below `folder`. Versions of a class for other JDKs, and descriptions of modules, are not loaded and left out.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            if path.file_name().is_some_and(|name| name != "META-INF") {
                collect(&path, files)?;
            }
        } else if path
            .extension()
            .is_some_and(|extension| extension == "class")
            && path
                .file_name()
                .is_some_and(|name| name != "module-info.class")
        {
            files.push(path);
        }
    }
    Ok(())
}

/// What this thread has used of a processor: what others do on the machine does not count.
fn processor_time() -> Duration {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the call writes to the structure and nothing else.
    let failed = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    assert_eq!(failed, 0, "Linux has this clock");
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

fn kind(site: &Site) -> &'static str {
    match site.kind {
        SiteKind::MonitorBlock => "monitor_blocks",
        SiteKind::SynchronizedMethod => "synchronized_methods",
        SiteKind::Call => "calls",
        SiteKind::Method => "methods",
        SiteKind::Access => "accesses",
    }
}

impl Report {
    fn count(&mut self, rewritten: &Rewritten, place: &Path) {
        self.changed += usize::from(rewritten.bytes.is_some());
        self.handles += rewritten.handles;
        for site in &rewritten.sites {
            *self.sites.entry(kind(site)).or_default() += 1;
        }
        for site in &rewritten.dropped {
            *self.dropped.entry(kind(site)).or_default() += 1;
        }
        for skipped in &rewritten.skipped {
            eprintln!(
                "{}: {} skipped: {}",
                place.display(),
                skipped.method,
                skipped.reason
            );
            *self
                .skipped
                .entry(format!("{:?}", skipped.reason))
                .or_default() += 1;
        }
    }

    fn json(&self) -> String {
        let seconds = self.spent.as_secs_f64();
        let failures: Vec<String> = self
            .failures
            .iter()
            .map(|failure| format!("{failure:?}"))
            .collect();
        let counts = |counts: Vec<String>| counts.join(", ");
        let by_kind = |sites: &BTreeMap<&str, usize>| {
            let all = sites.iter();
            counts(
                all.map(|(kind, count)| format!("\"{kind}\": {count}"))
                    .collect(),
            )
        };
        format!(
            "{{\"classes\": {}, \"changed\": {}, \"failures\": [{}], \"skipped\": {{{}}}, \"sites\": {{{}}}, \"dropped\": {{{}}}, \"handles\": {}, \
             \"seconds\": {seconds:.3}, \"classes_per_second\": {:.0}}}",
            self.classes,
            self.changed,
            counts(failures),
            counts(
                self.skipped
                    .iter()
                    .map(|(reason, count)| format!("\"{reason}\": {count}"))
                    .collect()
            ),
            by_kind(&self.sites),
            by_kind(&self.dropped),
            self.handles,
            self.classes as f64 / seconds.max(1e-9),
        )
    }
}
