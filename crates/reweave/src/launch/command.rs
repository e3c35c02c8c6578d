//! Puts the agent into the command that the user gave.

use super::java::{JavaArguments, is_java, is_refused_with_agent};
use reweave_trace::jvm;
use reweave_trace::manifest::Level;
use std::path::Path;
use std::process::Command;

const TOOL_OPTIONS: &str = "JAVA_TOOL_OPTIONS";

/// What a JVM needs to be told for recordings of this level.
pub fn options_of(level: Level) -> Vec<String> {
    let options = match level {
        Level::Sync | Level::Serial => &[],
        Level::Access => jvm::ALL_ACCESSES,
    };
    options.iter().map(|&option| option.to_owned()).collect()
}

/// A command with the agent in it.
#[derive(Debug)]
pub struct Prepared {
    pub command: Command,
    /// Options of the user that were left out, because the JVM would refuse to start.
    pub left_out: Vec<String>,
}

/// `program` is what to start for `argv[0]`. `tool_options` are the user's own `JAVA_TOOL_OPTIONS`.
pub fn prepare(
    program: &Path,
    argv: &[String],
    agent: &Path,
    folder: &Path,
    more: &[String],
    tool_options: Option<&str>,
) -> Prepared {
    // Behind a debugger's agent, which makes threads when the VM is up: those are not the program's, so they have to be there before ours wakes.
    let mut options = more.to_vec();
    options.extend([
        format!("-agentpath:{}={}", agent.display(), folder.display()),
        jvm::QUIET.to_owned(),
    ]);
    let mut command = Command::new(program);
    command.env("REWEAVE_SESSION", folder);
    let arguments = argv.get(1..).unwrap_or(&[]);
    let mut left_out = Vec::new();
    if argv.first().is_some_and(|name| is_java(name)) {
        let own = JavaArguments::read(arguments);
        command.args(&options);
        for option in own.options {
            if is_refused_with_agent(option) {
                left_out.push(option.clone());
            } else {
                command.arg(option);
            }
        }
        command.args(own.program);
    } else {
        command.args(arguments);
        command.env(TOOL_OPTIONS, join_tool_options(tool_options, &options));
    }
    Prepared { command, left_out }
}

/// The JVM splits at white space and takes quotes away.
fn join_tool_options(own: Option<&str>, options: &[String]) -> String {
    let mut text = own.unwrap_or("").trim().to_owned();
    for option in options {
        if !text.is_empty() {
            text.push(' ');
        }
        if option.contains(char::is_whitespace) {
            text.push('"');
            text.push_str(option);
            text.push('"');
        } else {
            text.push_str(option);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prepared(line: &str, tool_options: Option<&str>) -> Prepared {
        let argv: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        prepare(
            Path::new(&argv[0]),
            &argv,
            Path::new("/a.so"),
            Path::new("/s"),
            &["-Dmore".to_owned()],
            tool_options,
        )
    }

    fn arguments(prepared: &Prepared) -> String {
        let words: Vec<_> = prepared
            .command
            .get_args()
            .map(|word| word.to_string_lossy().into_owned())
            .collect();
        words.join(" ")
    }

    fn variable(prepared: &Prepared, name: &str) -> Option<String> {
        let (_, value) = prepared.command.get_envs().find(|(key, _)| *key == name)?;
        Some(value?.to_string_lossy().into_owned())
    }

    #[test]
    fn java_gets_options() {
        let prepared = prepared(
            "/jdk/bin/java -XX:AOTMode=on -cp x Main -XX:AOTMode=on",
            Some("-Dmine"),
        );
        assert_eq!(
            arguments(&prepared),
            "-Dmore -agentpath:/a.so=/s -Xlog:jni+resolve=off -cp x Main -XX:AOTMode=on"
        );
        assert_eq!(prepared.left_out, ["-XX:AOTMode=on"]);
        assert_eq!(variable(&prepared, "JAVA_TOOL_OPTIONS"), None);
        assert_eq!(
            variable(&prepared, "REWEAVE_SESSION").as_deref(),
            Some("/s")
        );
    }

    #[test]
    fn other_programs_get_a_variable() {
        let prepared = prepared("mvn test", Some("-Dmine"));
        assert_eq!(arguments(&prepared), "test");
        assert_eq!(
            variable(&prepared, "JAVA_TOOL_OPTIONS").as_deref(),
            Some("-Dmine -Dmore -agentpath:/a.so=/s -Xlog:jni+resolve=off")
        );
    }

    #[test]
    fn spaces_are_quoted() {
        assert_eq!(
            join_tool_options(None, &["-agentpath:/a b=/s".to_owned()]),
            "\"-agentpath:/a b=/s\""
        );
    }
}
