//! What is recorded at level `access`: what the order of all accesses costs, and what it costs to look for races.

use super::{Measure, RECORD, RECORD_AND_RACES, Subject, Workshop};
use crate::programs::Level;

impl Workshop<'_> {
    /// What the order of all accesses costs.
    pub fn at_level_access(&self, wanted: impl Fn(&str) -> bool) -> Result<Vec<Subject>, String> {
        let mut subjects = Vec::new();
        let one = "javac, level access";
        if wanted(one) {
            subjects.push(self.compiler(one, &["3", "4"])?);
        }
        let two = "two javacs in one JVM, level access";
        if wanted(two) {
            let mut subject = self.compiler(two, &["0", "1", "2"])?;
            subject.measures = vec![Measure::ProcessCpu];
            subjects.push(subject);
        }
        let kernel = "plain accesses, 4 threads, 30 % shared, level access";
        if wanted(kernel) {
            let measures = vec![Measure::Printed {
                key: "cpu_ns",
                meaning: "CPU ns/access",
            }];
            let arguments = ["4", "2000000", "1024"];
            subjects.push(self.driver(
                kernel,
                "SharedKernel",
                &arguments,
                None,
                measures,
                RECORD,
                5,
            )?);
        }
        let compiler = "javac, for races";
        if wanted(compiler) {
            let mut subject = self.compiler(compiler, &["0", "2"])?;
            subject.measures = vec![Measure::ProcessCpu];
            subject.modes = RECORD_AND_RACES;
            subjects.push(subject);
        }
        let pool = "mixed executor, 1,000,000 tasks, for races";
        if wanted(pool) {
            let (measures, modes) = (vec![Measure::ProcessCpu], RECORD_AND_RACES);
            let arguments = ["1000000"];
            subjects.push(self.driver(
                pool,
                "MixedExecutor",
                &arguments,
                None,
                measures,
                modes,
                5,
            )?);
        }
        for subject in &mut subjects {
            subject.level = Level::Access;
        }
        Ok(subjects)
    }
}
