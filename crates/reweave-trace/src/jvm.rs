//! What a JVM that is recorded or replayed is told besides the agent, on the user's command line and on those of child JVMs.

/// Keeps it from printing about the agent's own native methods.
pub const QUIET: &str = "-Xlog:jni+resolve=off";

/// At level `access` compiled code would leave out accesses of StringBuilder that interpreted code makes. Not every JVM has that option, nor the optimization.
pub const ALL_ACCESSES: &[&str] = &[
    "-XX:+IgnoreUnrecognizedVMOptions",
    "-XX:-OptimizeStringConcat",
];
