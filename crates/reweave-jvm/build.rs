//! Compiles the Java helper for both modes and makes a list of its class files that the agent embeds.
//! Needs a JDK 17 or newer: `$JAVA_HOME/bin/javac` or `javac` on the path.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

#[path = "src/unsafe_methods.rs"]
#[allow(dead_code, reason = "the hook list uses the rest")]
mod unsafe_methods;

fn main() {
    println!("cargo:rerun-if-changed=java");
    println!("cargo:rerun-if-changed=src/unsafe_methods.rs");
    println!("cargo:rerun-if-env-changed=JAVA_HOME");
    let out = PathBuf::from(std::env::var("OUT_DIR").expect("cargo sets OUT_DIR"));
    let generated = out.join("generated/java/lang");
    fs::create_dir_all(&generated).expect("OUT_DIR is writable");
    let mut list = String::new();
    for mode in ["record", "replay"] {
        let folder = out.join(mode);
        let _ = fs::remove_dir_all(&folder);
        let between = generated.join("ReweaveUnsafe.java");
        fs::write(&between, between_unsafe(mode)).expect("OUT_DIR is writable");
        compile(mode, &folder, &between);
        list += &format!("pub static {}: &[&[u8]] = &[\n", mode.to_uppercase());
        for class in classes(&folder.join("java/lang")) {
            list += &format!("    include_bytes!({:?}),\n", class);
        }
        list += "];\n";
    }
    fs::write(out.join("helper_classes.rs"), list).expect("OUT_DIR is writable");
}

/// One method for each access that Unsafe offers, between the two calls that order it.
fn between_unsafe(mode: &str) -> String {
    let mut text = "package java.lang;\n\nimport jdk.internal.misc.Unsafe;\n\n/** Accesses by Unsafe, ordered. Made by the build. */\npublic final class ReweaveUnsafe {\n    private ReweaveUnsafe() {}\n"
        .to_owned();
    for method in unsafe_methods::unsafe_methods() {
        use unsafe_methods::Shape;
        let value = method.value.1;
        let (result, parameters, arguments) = match method.shape {
            Shape::Get => (value, String::new(), ""),
            Shape::Put => ("void", format!(", {value} x"), ", x"),
            Shape::GetInOrder => (value, ", boolean x".to_owned(), ", x"),
            Shape::PutInOrder => ("void", format!(", {value} x, boolean y"), ", x, y"),
            Shape::Exchange => (value, format!(", {value} x"), ", x"),
            Shape::CompareAndSet => ("boolean", format!(", {value} x, {value} y"), ", x, y"),
            Shape::CompareAndExchange => (value, format!(", {value} x, {value} y"), ", x, y"),
        };
        let call = format!("u.{}(o, at{arguments})", method.strong);
        let (keep, give_back, give) = match method.shape {
            Shape::Put | Shape::PutInOrder => (String::new(), "return;", ""),
            _ => (format!("{result} result = "), "return result;", "return "),
        };
        let write = !matches!(method.shape, Shape::Get | Shape::GetInOrder);
        let direct = match method.shape {
            Shape::Put | Shape::PutInOrder => format!("{{ {call}; return; }}"),
            _ => format!("{give}{call};"),
        };
        let observed = match mode {
            "replay" => observed(&method),
            _ => String::new(),
        };
        let _ = write!(
            text,
            "\n    public static {result} {}(Unsafe u, Object o, long at{parameters}, int site) {{\n        if (!ReweaveMemory.begin(o, at, {write}, site)) {direct}\n        {keep}{call};\n{observed}        ReweaveMemory.accessed();\n        {give_back}\n    }}\n",
            method.name
        );
    }
    text + "}\n"
}

/// In a replay the access is written down, if that is wanted.
fn observed(method: &unsafe_methods::UnsafeMethod) -> String {
    use unsafe_methods::Shape;
    let (ordered, plain) = match method.shape {
        Shape::Get | Shape::GetInOrder => ("VOLATILE_READ", "READ"),
        Shape::Put | Shape::PutInOrder => ("VOLATILE_WRITE", "WRITE"),
        Shape::Exchange => ("UPDATE", "UPDATE"),
        Shape::CompareAndSet | Shape::CompareAndExchange => ("VOLATILE_READ", "VOLATILE_READ"),
    };
    let kind = if method.is_plain() { plain } else { ordered };
    // A comparison that fails only reads.
    let updates = match method.shape {
        Shape::CompareAndSet => "result ? ReweaveObservation.UPDATE : ",
        Shape::CompareAndExchange => "result == x ? ReweaveObservation.UPDATE : ",
        _ => "",
    };
    let kind_of_value = method.value.0.chars().next().unwrap_or(' ');
    format!(
        "        if (ReweaveObservation.on) ReweaveObservation.unsafe(o, at, {updates}ReweaveObservation.{kind}, '{kind_of_value}', site);\n"
    )
}

fn compile(mode: &str, folder: &Path, generated: &Path) {
    let mut sources: Vec<PathBuf> = vec![generated.to_owned()];
    for part in ["common", mode] {
        let part = Path::new("java").join(part).join("java/lang");
        sources.extend(
            fs::read_dir(part)
                .expect("the helper's sources are there")
                .map(|e| e.expect("readable").path()),
        );
    }
    sources.sort();
    let javac = match std::env::var_os("JAVA_HOME") {
        Some(home) => PathBuf::from(home).join("bin/javac"),
        None => PathBuf::from("javac"),
    };
    let result = Command::new(&javac)
        // Class files of Java 17 run on every JDK we support.
        .args([
            "-source",
            "17",
            "-target",
            "17",
            "-g",
            "-nowarn",
            "-proc:none",
            "-XDsuppressNotes",
            "-Xlint:-options",
        ])
        .arg(format!(
            "--patch-module=java.base=java/stubs:java/common:java/{mode}"
        ))
        .arg("-d")
        .arg(folder)
        .args(&sources)
        .output();
    match result {
        Ok(output) if output.status.success() => (),
        Ok(output) => panic!("javac failed:\n{}", String::from_utf8_lossy(&output.stderr)),
        Err(error) => panic!(
            "cannot run {}: {error}. Install a JDK (17 or newer), or run `cargo xtask setup`.",
            javac.display()
        ),
    }
}

/// Our classes without the stubs, inner classes after the class that names them first; the order in which they are defined.
fn classes(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(folder)
        .expect("javac wrote there")
        .map(|entry| entry.expect("readable").path())
        .filter(|path| {
            path.file_name()
                .is_some_and(|name| name.to_string_lossy().starts_with("Reweave"))
        })
        .collect();
    found.sort();
    found
}
