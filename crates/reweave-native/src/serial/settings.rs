//! What the command wants of a serial run: lines `native.KEY=VALUE` of the session file.

use std::path::PathBuf;

#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Decides who goes on and for how long.
    pub seed: u64,
    /// How many callbacks a thread gets on average before another one goes on; 0 as many as it wants.
    pub quantum: u64,
    /// Microseconds between interruptions at arbitrary instructions; 0 none.
    pub tick: u64,
    /// Those that the command may use, as the kernel writes them.
    pub processors: String,
    /// A replay writes what really happened into this live file.
    pub as_run: Option<PathBuf>,
    /// A schedule as text, to be kept to instead of the recorded one.
    pub plan: Option<PathBuf>,
}

impl Settings {
    /// `None`: not a serial run.
    pub fn read(lines: &[(String, String)]) -> Result<Option<Settings>, String> {
        let mut settings = Settings::default();
        let mut serial = false;
        for (key, value) in lines {
            let number = || {
                value
                    .parse::<u64>()
                    .map_err(|_| format!("session: native.{key}={value} is no number"))
            };
            match key.as_str() {
                "serial" => serial = value == "1",
                "seed" => settings.seed = number()?,
                "quantum" => settings.quantum = number()?,
                "tick" => settings.tick = number()?,
                "processors" => settings.processors = value.clone(),
                "as-run" => settings.as_run = Some(PathBuf::from(value)),
                "plan" => settings.plan = Some(PathBuf::from(value)),
                // For every level.
                "sent" | "without" => (),
                _ => return Err(format!("session: native.{key} is not known")),
            }
        }
        Ok(serial.then_some(settings))
    }
}
