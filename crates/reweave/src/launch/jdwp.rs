//! The options with which a JVM lets a debugger in. Only from this machine: a debugger may run any code.

use crate::exit::Failure;
use std::net::{Ipv4Addr, TcpListener};

/// How a debugger takes part in a replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Debugger {
    None,
    /// The program waits for a debugger before its first line.
    FromStart {
        port: u16,
    },
    /// The program runs up to an event and waits for a debugger there.
    AtEvent {
        port: u16,
    },
}

impl Debugger {
    pub fn port(self) -> Option<u16> {
        match self {
            Debugger::None => None,
            Debugger::FromStart { port } | Debugger::AtEvent { port } => Some(port),
        }
    }
}

/// The option for the JVM, if there is to be a debugger.
pub fn jdwp_options(debugger: Debugger) -> Option<String> {
    let common = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,quiet=y,address=127.0.0.1:";
    match debugger {
        Debugger::None => None,
        Debugger::FromStart { port } => Some(format!("{common}{port}")),
        // With `onthrow` the JVM opens its port only when that is thrown; `launch` is required with it.
        Debugger::AtEvent { port } => Some(format!(
            "{common}{port},onthrow=java.lang.Reweave$Stop,launch=/bin/true"
        )),
    }
}

/// `wanted`, or a port that is free now if it is 0.
pub fn choose_port(wanted: u16) -> Result<u16, Failure> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, wanted)).map_err(|error| {
        Failure::new(format!(
            "port {wanted} cannot be used for the debugger: {error}"
        ))
        .with_next("give another with --debug=PORT")
    })?;
    let address = listener
        .local_addr()
        .map_err(|error| Failure::new(format!("no free port for the debugger: {error}")))?;
    Ok(address.port())
}

/// How to attach, for the debuggers people use.
pub fn attach_lines(port: u16) -> [String; 3] {
    [
        format!("jdb:       jdb -attach 127.0.0.1:{port}"),
        format!(
            "IntelliJ:  Run > Attach to Process, or a Remote JVM Debug configuration with host 127.0.0.1, port {port}"
        ),
        format!(
            "VS Code:   {{\"type\": \"java\", \"request\": \"attach\", \"name\": \"reweave\", \"hostName\": \"127.0.0.1\", \"port\": {port}}}"
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_port_is_open_to_this_machine_only() {
        for debugger in [
            Debugger::FromStart { port: 5005 },
            Debugger::AtEvent { port: 5005 },
        ] {
            assert!(
                jdwp_options(debugger)
                    .unwrap()
                    .contains("address=127.0.0.1:5005")
            );
        }
        assert_eq!(jdwp_options(Debugger::None), None);
    }
}
