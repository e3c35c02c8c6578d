//! What is written down about a JVM that came to the recording by `JAVA_TOOL_OPTIONS`: enough to start it again without the build tool
//! or script that started it.

use reweave_trace::launch::{KeptFile, Launch};
use std::path::Path;

/// Build tools pass class paths in jars and argument files of one run; those are small. What is larger is the program.
const LARGEST_FILE: u64 = 1 << 20;

/// `None` if reweave or a recorded JVM put the agent on its command line: then it is known how to start it.
pub fn of_this_process() -> Option<Launch> {
    let bytes = std::fs::read("/proc/self/cmdline").ok()?;
    let executable = std::fs::read_link("/proc/self/exe").ok()?;
    let directory = std::env::current_dir().ok()?;
    launch(&bytes, executable.to_str()?, &directory)
}

fn launch(command_line: &[u8], executable: &str, directory: &Path) -> Option<Launch> {
    let words = command_line.strip_suffix(&[0]).unwrap_or(command_line);
    let arguments: Option<Vec<String>> = words
        .split(|byte| *byte == 0)
        .map(|word| Some(std::str::from_utf8(word).ok()?.to_owned()))
        .collect();
    let arguments = arguments?;
    let ours = |word: &String| word.starts_with("-agentpath:") && word.contains("reweave_jvm");
    if arguments.iter().any(ours) {
        return None;
    }
    let files = files_of(&arguments)
        .filter_map(|name| keep(&directory.join(name)))
        .collect();
    Some(Launch {
        executable: executable.to_owned(),
        directory: directory.to_str()?.to_owned(),
        arguments,
        files,
    })
}

/// Argument files, and the jar that is run.
fn files_of(arguments: &[String]) -> impl Iterator<Item = &str> {
    let argument_files = arguments.iter().filter_map(|word| word.strip_prefix('@'));
    let jar = arguments.iter().skip_while(|word| *word != "-jar").nth(1);
    argument_files.chain(jar.map(String::as_str))
}

fn keep(path: &Path) -> Option<KeptFile> {
    let size = path.metadata().ok()?.len();
    (size <= LARGEST_FILE).then_some(())?;
    Some(KeptFile {
        path: path.to_str()?.to_owned(),
        bytes: std::fs::read(path).ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stay_as_they_are_and_short_files_are_kept() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let launch = launch(b"java\0\0-jar\0Cargo.toml\0", "/jdk/bin/java", here).unwrap();
        assert_eq!(launch.arguments, ["java", "", "-jar", "Cargo.toml"]);
        let bytes = std::fs::read(here.join("Cargo.toml")).unwrap();
        assert_eq!(launch.files[0].bytes, bytes);
    }

    #[test]
    fn a_jvm_that_was_given_the_agent_is_no_launch_of_its_own() {
        let line = b"java\0-agentpath:/x/libreweave_jvm.so=/s\0Main\0";
        assert_eq!(launch(line, "/jdk/bin/java", Path::new("/")), None);
    }
}
