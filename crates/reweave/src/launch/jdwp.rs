//! The options with which a JVM lets a debugger in. Only from this machine: a debugger may run any code.

use crate::exit::Failure;
use std::net::{Ipv4Addr, TcpListener};
use std::time::Duration;

/// How often we look whether the program waits.
const PATIENCE: Duration = Duration::from_millis(50);

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

/// Calls `then` once somebody listens at the port, if that ever happens. To connect and see would be taken for a debugger.
pub fn when_open(port: u16, then: impl FnOnce() + Send + 'static) {
    std::thread::spawn(move || {
        while !is_open(port) {
            std::thread::sleep(PATIENCE);
        }
        then();
    });
}

fn is_open(port: u16) -> bool {
    let tables = ["/proc/net/tcp", "/proc/net/tcp6"];
    let mut texts = tables
        .iter()
        .filter_map(|table| std::fs::read_to_string(table).ok());
    texts.any(|text| text.lines().any(|line| listens(line, port)))
}

/// Whether a line of the kernel's table of sockets is one that listens at the port.
fn listens(line: &str, port: u16) -> bool {
    const LISTENS: &str = "0A";
    let mut fields = line.split_whitespace().skip(1);
    let local = fields.next().and_then(|address| address.rsplit_once(':'));
    let at_port = local.is_some_and(|(_, at)| u16::from_str_radix(at, 16) == Ok(port));
    at_port && fields.nth(1) == Some(LISTENS)
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

    #[test]
    fn a_port_is_open_when_somebody_listens() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let client = std::net::TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
        assert!(is_open(port));
        assert!(
            !is_open(client.local_addr().unwrap().port()),
            "connected only"
        );
    }
}
