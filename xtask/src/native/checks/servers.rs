//! Servers as Debian built them, in sync order: recorded under a load, replayed without the network, and what they send is what the clients got, byte for byte.

use super::super::Harness;
use crate::e2e::Tally;
use crate::process::{self, End, Outcome, Running};
use crate::reweave::Enforcement;
use crate::setup::{self, Need};
use crate::trial::LIMIT;
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::time::{Duration, Instant};

const CLIENTS: usize = 4;
const REQUESTS: usize = 150;

struct Server {
    name: &'static str,
    need: Need,
    /// The command; `PORT` stands for the port.
    command: &'static [&'static str],
    /// What the k-th request is, by a random number.
    request: fn(u64) -> Vec<u8>,
    /// Reads one reply.
    reply: fn(&mut BufReader<TcpStream>, &mut Vec<u8>) -> std::io::Result<()>,
    end: Ending,
}

/// How it is told to end.
enum Ending {
    Request(&'static [u8]),
    /// By a signal.
    Terminate,
}

const SERVERS: &[Server] = &[
    Server {
        name: "redis-server",
        need: Need::Redis,
        command: &[
            "redis-server",
            "--port",
            "PORT",
            "--bind",
            "127.0.0.1",
            "--save",
            "",
            "--appendonly",
            "no",
        ],
        request: redis_request,
        reply: redis_reply,
        end: Ending::Request(b"SHUTDOWN NOSAVE\r\n"),
    },
    Server {
        name: "memcached",
        need: Need::Memcached,
        // Its threads for old entries read its clock without a lock: a data race, which sync order is not for.
        command: &[
            "memcached",
            "-u",
            "root",
            "-l",
            "127.0.0.1",
            "-p",
            "PORT",
            "-t",
            "2",
            "-A",
            "-o",
            "no_lru_maintainer,no_lru_crawler",
        ],
        request: memcached_request,
        reply: memcached_reply,
        end: Ending::Terminate,
    },
];

pub fn check(harness: &Harness, count: usize, tally: &mut Tally) {
    tally.heading(&format!(
        "servers of Debian in sync order, {count} recordings each, replayed without the network"
    ));
    for server in SERVERS {
        if let Err(why) = setup::ensure(server.need) {
            println!("  skipped: {why}");
            continue;
        }
        tally.check_with(server.name, many(harness, server, count));
    }
}

fn many(harness: &Harness, server: &Server, count: usize) -> Result<String, String> {
    let mut bytes = 0;
    for number in 1..=count {
        bytes += once(harness, server, number as u64)
            .map_err(|why| format!("recording {number}: {why}"))?;
    }
    Ok(format!(
        "{count} of {count} sent the same, {bytes} bytes on {} connections",
        count * CLIENTS
    ))
}

/// Records, replays and compares; the number of bytes that were sent.
fn once(harness: &Harness, server: &Server, seed: u64) -> Result<usize, String> {
    let port = free_port()?;
    let port_text = port.to_string();
    let command: Vec<&str> = server
        .command
        .iter()
        .map(|&word| if word == "PORT" { &port_text } else { word })
        .collect();
    let recording = harness.trials().recording();
    let _ = fs::remove_file(&recording);
    let mut record = harness.reweave.command();
    record
        .args(["-q", "record", "--native", "-o"])
        .arg(&recording)
        .arg("--")
        .args(&command);
    let mut running = Running::start(&mut record, &harness.scratch)?;
    let received = load(server, port, seed);
    if let Ending::Terminate = server.end {
        running.terminate();
    }
    let end = running.wait(LIMIT);
    if end != End::Exit(0) {
        let said = running.stderr()?;
        return Err(format!(
            "recording: {end}\n{}",
            String::from_utf8_lossy(&said)
        ));
    }
    let received = received?;
    // Whoever wanted to listen, or to connect, would be noticed.
    let occupied = TcpListener::bind(("127.0.0.1", port)).map_err(|error| error.to_string())?;
    occupied
        .set_nonblocking(true)
        .map_err(|error| error.to_string())?;
    let folder = harness.scratch.join("sent");
    let _ = fs::remove_dir_all(&folder);
    let mut replay = harness.reweave.replay(
        &recording,
        &harness.scratch.join("report.json"),
        Enforcement::On,
    );
    let replayed = process::run(replay.arg("--sent").arg(&folder), LIMIT, &harness.scratch)?;
    ended_well(&replayed, "replay")?;
    match occupied.accept() {
        Err(error) if error.kind() == ErrorKind::WouldBlock => (),
        _ => return Err("the replay connected to somebody".to_owned()),
    }
    compare(&received, &folder)
}

fn ended_well(outcome: &Outcome, what: &str) -> Result<(), String> {
    match outcome.end {
        End::Exit(0) => Ok(()),
        end => Err(format!("{what}: {end}\n{}", outcome.stderr_text())),
    }
}

fn free_port() -> Result<u16, String> {
    TcpListener::bind(("127.0.0.1", 0))
        .and_then(|listener| listener.local_addr())
        .map(|address| address.port())
        .map_err(|error| error.to_string())
}

/// What each client received, by its port.
fn compare(received: &BTreeMap<u16, Vec<u8>>, folder: &Path) -> Result<usize, String> {
    let mut sent: BTreeMap<u16, Vec<u8>> = BTreeMap::new();
    for entry in fs::read_dir(folder)
        .map_err(|error| error.to_string())?
        .flatten()
    {
        let name = entry.file_name().to_string_lossy().into_owned();
        let port = name.rsplit(':').next().and_then(|port| port.parse().ok());
        let bytes = fs::read(entry.path()).map_err(|error| error.to_string())?;
        sent.insert(port.ok_or(format!("{name} names no port"))?, bytes);
    }
    for (port, bytes) in received {
        match sent.get(port) {
            Some(same) if same == bytes => (),
            Some(other) => {
                let at = bytes.iter().zip(other).take_while(|(a, b)| a == b).count();
                return Err(format!(
                    "the client at port {port} got {} bytes, the replay sent it {}; they differ from byte {at} on",
                    bytes.len(),
                    other.len()
                ));
            }
            None => return Err(format!("the replay sent nothing to port {port}")),
        }
    }
    Ok(received.values().map(Vec::len).sum())
}

/// Several clients at once; then the server is told to end.
fn load(server: &Server, port: u16, seed: u64) -> Result<BTreeMap<u16, Vec<u8>>, String> {
    let received = std::thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS as u64)
            .map(|number| scope.spawn(move || client(server, port, seed * 100 + number)))
            .collect();
        clients
            .into_iter()
            .map(|client| client.join().expect("a client does not panic"))
            .collect::<Result<BTreeMap<_, _>, _>>()
    });
    // Also if a client failed, or the server would never end.
    let ended = match server.end {
        Ending::Request(request) => connect(port).and_then(|mut stream| {
            stream.write_all(request)?;
            stream.read_to_end(&mut Vec::new())
        }),
        Ending::Terminate => Ok(0),
    };
    let received = received.map_err(|error| format!("a client: {error}"))?;
    match ended {
        Err(error) if error.kind() != ErrorKind::ConnectionReset => {
            Err(format!("at the end: {error}"))
        }
        _ => Ok(received),
    }
}

fn client(server: &Server, port: u16, seed: u64) -> std::io::Result<(u16, Vec<u8>)> {
    let mut stream = connect(port)?;
    let own = stream.local_addr()?.port();
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut received = Vec::new();
    let mut random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    for _ in 0..REQUESTS {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        stream.write_all(&(server.request)(random))?;
        (server.reply)(&mut reader, &mut received)?;
    }
    Ok((own, received))
}

/// The server may need a moment.
fn connect(port: u16) -> std::io::Result<TcpStream> {
    let end = Instant::now() + Duration::from_secs(20);
    loop {
        match TcpStream::connect(("127.0.0.1", port)) {
            Ok(stream) => {
                stream.set_read_timeout(Some(Duration::from_secs(20)))?;
                return Ok(stream);
            }
            Err(error) if Instant::now() > end => return Err(error),
            Err(_) => std::thread::sleep(Duration::from_millis(20)),
        }
    }
}

fn redis_request(random: u64) -> Vec<u8> {
    let (key, length) = (random >> 8 & 15, (random >> 16) as usize % 2000);
    match random % 8 {
        0 | 1 => "INCR counter\r\n".to_owned(),
        2 => format!("SET k{key} {}\r\n", "x".repeat(length)),
        3 => format!("GET k{key}\r\n"),
        4 => format!("LPUSH list{key} v\r\n"),
        5 => "RANDOMKEY\r\n".to_owned(),
        6 => "TIME\r\n".to_owned(),
        _ => "KEYS *\r\n".to_owned(),
    }
    .into_bytes()
}

fn redis_reply(reader: &mut BufReader<TcpStream>, received: &mut Vec<u8>) -> std::io::Result<()> {
    let line = line(reader, received)?;
    let number: i64 = line[1..].trim_end().parse().unwrap_or(-1);
    match line.as_bytes()[0] {
        b'$' if number >= 0 => exactly(reader, number as usize + 2, received),
        b'*' => (0..number).try_for_each(|_| redis_reply(reader, received)),
        _ => Ok(()),
    }
}

fn memcached_request(random: u64) -> Vec<u8> {
    let (key, length) = (random >> 8 & 15, (random >> 16) as usize % 2000);
    match random % 4 {
        0 => format!("set k{key} 0 0 {length}\r\n{}\r\n", "x".repeat(length)),
        1 => "incr counter 1\r\n".to_owned(),
        2 => "add counter 0 0 1\r\n5\r\n".to_owned(),
        _ => format!("get k{key} counter\r\n"),
    }
    .into_bytes()
}

fn memcached_reply(
    reader: &mut BufReader<TcpStream>,
    received: &mut Vec<u8>,
) -> std::io::Result<()> {
    loop {
        let line = line(reader, received)?;
        match line.strip_prefix("VALUE ") {
            Some(rest) => {
                let length: usize = rest
                    .split_whitespace()
                    .nth(2)
                    .and_then(|n| n.parse().ok())
                    .unwrap_or(0);
                exactly(reader, length + 2, received)?;
            }
            None => return Ok(()),
        }
    }
}

fn line(reader: &mut BufReader<TcpStream>, received: &mut Vec<u8>) -> std::io::Result<String> {
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Err(ErrorKind::UnexpectedEof.into());
    }
    received.extend_from_slice(line.as_bytes());
    Ok(line)
}

fn exactly(
    reader: &mut BufReader<TcpStream>,
    count: usize,
    received: &mut Vec<u8>,
) -> std::io::Result<()> {
    let start = received.len();
    received.resize(start + count, 0);
    reader.read_exact(&mut received[start..])
}
