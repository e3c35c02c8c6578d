//! Which JVMs are left alone: build tools and daemons that start the program's JVM but are not the program.

use std::ffi::CStr;
use std::path::Path;

/// Main classes and jars, as they stand on a command line.
const LAUNCHERS: &[&str] = &[
    "org.codehaus.plexus.classworlds.launcher.Launcher",
    "org.apache.maven.wrapper.MavenWrapperMain",
    "org.mvndaemon.mvnd.client.DefaultClient",
    "org.mvndaemon.mvnd.daemon.Server",
    "org.gradle.launcher.GradleMain",
    "org.gradle.launcher.daemon.bootstrap.GradleDaemon",
    "org.gradle.wrapper.GradleWrapperMain",
    "org.jetbrains.kotlin.daemon.KotlinCompileDaemon",
    "sbt.internal.ConsoleMain",
    "xsbt.boot.Boot",
    "sbt-launch.jar",
    "gradle-wrapper.jar",
    "maven-wrapper.jar",
    "bazel_deploy.jar",
    // Started by a program that wants an agent in itself; a replay starts it again.
    "net.bytebuddy.agent.Attacher",
];

/// What this process runs: the main class or the jar, from its command line.
pub fn main_of(arguments: &[String]) -> String {
    // Options of the java command that take their value as the next word.
    const WITH_VALUE: &[&str] = &[
        "-cp",
        "-classpath",
        "--class-path",
        "-p",
        "--module-path",
        "--add-modules",
        "--upgrade-module-path",
        "--add-exports",
        "--add-opens",
        "--add-reads",
        "--limit-modules",
        "--patch-module",
        "-d",
        "--describe-module",
    ];
    let mut words = arguments.iter().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "-jar" | "-m" | "--module" => return words.next().cloned().unwrap_or_default(),
            option if WITH_VALUE.contains(&option) => drop(words.next()),
            option if option.starts_with('-') || option.starts_with('@') => (),
            main => return main.to_owned(),
        }
    }
    String::new()
}

/// Whether a process with this main class or jar is a launcher or daemon.
pub fn is_launcher(main: &str) -> bool {
    let name = Path::new(main)
        .file_name()
        .map_or(main, |n| n.to_str().unwrap_or(main));
    LAUNCHERS
        .iter()
        .any(|launcher| *launcher == main || *launcher == name)
}

/// The command line of this process.
pub fn own_arguments() -> Vec<String> {
    let bytes = std::fs::read("/proc/self/cmdline").unwrap_or_default();
    bytes
        .split(|b| *b == 0)
        .filter(|word| !word.is_empty())
        .map(|word| String::from_utf8_lossy(word).into_owned())
        .collect()
}

/// The file that this code was loaded from.
pub fn own_library() -> String {
    // SAFETY: all fields are pointers, for which zero is a value.
    let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: dladdr only looks the address up, and fills the struct it is given.
    let found = unsafe { libc::dladdr(own_library as *const libc::c_void, &mut info) };
    if found == 0 || info.dli_fname.is_null() {
        return String::new();
    }
    // SAFETY: dladdr gave a C string that lives as long as this library.
    unsafe { CStr::from_ptr(info.dli_fname) }
        .to_string_lossy()
        .into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_main_class_is_found_behind_options() {
        let main = |line: &str| main_of(&line.split(' ').map(str::to_owned).collect::<Vec<_>>());
        assert_eq!(
            main("java -Xmx1g -cp a:b com.example.Main x"),
            "com.example.Main"
        );
        assert_eq!(
            main("/usr/bin/java -ea -jar /opt/app.jar y"),
            "/opt/app.jar"
        );
        assert_eq!(main("java -version"), "");
    }

    #[test]
    fn maven_is_a_launcher_and_its_test_jvm_is_not() {
        assert!(is_launcher(
            "org.codehaus.plexus.classworlds.launcher.Launcher"
        ));
        assert!(is_launcher("/home/x/gradle/wrapper/gradle-wrapper.jar"));
        assert!(!is_launcher("/tmp/surefire/surefirebooter.jar"));
    }
}
