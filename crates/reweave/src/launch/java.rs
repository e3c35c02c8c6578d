//! What there is to know about a `java` and its command line without running it.

use reweave_trace::manifest::Java;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Options of the java command whose value is the next word.
const OPTIONS_WITH_VALUE: &[&str] = &[
    "-cp",
    "-classpath",
    "--class-path",
    "-p",
    "--module-path",
    "--upgrade-module-path",
    "--add-modules",
    "--limit-modules",
    "--add-reads",
    "--add-exports",
    "--add-opens",
    "--patch-module",
    "--enable-native-access",
    "--source",
    "-d",
    "--describe-module",
];

/// Whether this is the java command itself, so that options can be given to it directly.
pub fn is_java(program: &str) -> bool {
    Path::new(program)
        .file_name()
        .is_some_and(|name| name == "java")
}

/// Looks a program up as a shell would.
pub fn find_program(program: &str, cwd: &Path, path: Option<&std::ffi::OsStr>) -> Option<PathBuf> {
    if program.contains('/') {
        let file = cwd.join(program);
        return file.is_file().then_some(file);
    }
    std::env::split_paths(path?)
        .map(|folder| cwd.join(folder).join(program))
        .find(|file| file.is_file() && is_executable(file))
}

fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata()
        .is_ok_and(|metadata| metadata.permissions().mode() & 0o111 != 0)
}

/// What the `release` file beside a java executable says.
pub fn describe(executable: &Path) -> Option<Java> {
    let home = executable
        .canonicalize()
        .ok()?
        .parent()?
        .parent()?
        .to_owned();
    Some(Java {
        executable: executable.display().to_string(),
        build: build_of(&home)?,
        home: home.display().to_string(),
    })
}

/// Vendor and build of the JDK at that place, as in `Debian 17.0.15+6-Debian-1deb12u1`.
pub fn build_of(home: &Path) -> Option<String> {
    let text = std::fs::read_to_string(home.join("release")).ok()?;
    let values: BTreeMap<&str, &str> = text
        .lines()
        .filter_map(|line| line.split_once('='))
        .map(|(key, value)| (key.trim(), value.trim().trim_matches('"')))
        .collect();
    let version = values
        .get("JAVA_RUNTIME_VERSION")
        .or(values.get("JAVA_VERSION"))?;
    match values.get("IMPLEMENTOR") {
        Some(vendor) => Some(format!("{vendor} {version}")),
        None => Some((*version).to_owned()),
    }
}

/// The arguments of a java command up to where the program's own begin.
#[derive(Debug, PartialEq, Eq)]
pub struct JavaArguments<'a> {
    /// Options for the JVM, then the main class or `-jar FILE`.
    pub options: &'a [String],
    /// Main class, jar, module or source file and what follows it.
    pub program: &'a [String],
    class_path: Option<&'a str>,
    jar: Option<&'a str>,
}

impl<'a> JavaArguments<'a> {
    /// `arguments` without the java command itself.
    pub fn read(arguments: &'a [String]) -> JavaArguments<'a> {
        let mut class_path = None;
        let mut jar = None;
        let mut index = 0;
        while let Some(argument) = arguments.get(index) {
            let next = arguments.get(index + 1).map(String::as_str);
            match argument.as_str() {
                "-jar" => {
                    jar = next;
                    break;
                }
                "-m" | "--module" => break,
                "-cp" | "-classpath" | "--class-path" => {
                    class_path = next;
                    index += 2;
                }
                option if OPTIONS_WITH_VALUE.contains(&option) => index += 2,
                option if option.starts_with("--class-path=") => {
                    class_path = option.split_once('=').map(|(_, value)| value);
                    index += 1;
                }
                // An @file holds more options; they are not looked into.
                option if option.starts_with('-') || option.starts_with('@') => index += 1,
                _ => break,
            }
        }
        let index = index.min(arguments.len());
        JavaArguments {
            options: &arguments[..index],
            program: &arguments[index..],
            class_path,
            jar,
        }
    }

    /// The entries of the class path as the JVM would use them.
    pub fn class_path(&self, environment: Option<&str>) -> Vec<String> {
        if let Some(jar) = self.jar {
            return vec![jar.to_owned()];
        }
        let path = self.class_path.or(environment).unwrap_or(".");
        path.split(':')
            .map(|entry| if entry.is_empty() { "." } else { entry }.to_owned())
            .collect()
    }
}

/// Options that a JVM refuses together with an agent that sees every class.
pub fn is_refused_with_agent(option: &str) -> bool {
    [
        "-XX:AOTMode=",
        "-XX:AOTCache=",
        "-XX:AOTCacheOutput=",
        "-XX:AOTConfiguration=",
        "-Xshare:on",
    ]
    .iter()
    .any(|refused| option.starts_with(refused))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    #[track_caller]
    fn check_split(line: &str, options: &str, program: &str, class_path: &str) {
        let arguments = words(line);
        let read = JavaArguments::read(&arguments);
        assert_eq!(
            (read.options.join(" "), read.program.join(" ")),
            (options.to_owned(), program.to_owned())
        );
        assert_eq!(read.class_path(None).join(" "), class_path);
    }

    #[test]
    fn java_command_lines_are_split() {
        check_split("-cp a:b Main x -cp y", "-cp a:b", "Main x -cp y", "a b");
        check_split("-Xmx1g Main", "-Xmx1g", "Main", ".");
        check_split("--class-path=a: Main", "--class-path=a:", "Main", "a .");
        check_split(
            "-ea -jar app.jar -cp z",
            "-ea",
            "-jar app.jar -cp z",
            "app.jar",
        );
        check_split(
            "--add-opens a=b -m mod/Main",
            "--add-opens a=b",
            "-m mod/Main",
            ".",
        );
        check_split("-cp", "-cp", "", ".");
    }

    #[test]
    fn java_is_known_by_its_name() {
        assert!(is_java("java") && is_java("/usr/lib/jvm/x/bin/java"));
        assert!(!is_java("javac") && !is_java("mvn"));
    }
}
