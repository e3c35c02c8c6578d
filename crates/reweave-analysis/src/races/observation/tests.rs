//! A log by hand: what is read of it, what the engine makes of it, what it looks like as text.

use super::*;
use crate::races::Options;
use crate::races::text;
use std::collections::HashMap;

const NAMES: &str = "class\t1\tbank.Account\nclass\t2\t[I\nfield\t1\t12\t-Ibalance\nfield\t1\t104\t*Zopen\nsite\t7\tbank.Account\twithdraw\tAccount.java\t14\n\
site\t8\tbank.Account\tdeposit\tAccount.java\t20\nstack\t1\tbank.Bank.main(Bank.java:5)\tbank.Start.main(Start.java:1)\nunfinish";
const ACCOUNT: u64 = 1 << 40 | 1;
const LOCK: u64 = 1 << 40 | 2;

/// Records by hand: kind, stream, site, number, object, part, extra.
struct Builder {
    bytes: Vec<u8>,
    count: u64,
}

impl Builder {
    fn new() -> Builder {
        Builder {
            bytes: Vec::new(),
            count: 0,
        }
    }

    fn add(&mut self, kind: u8, stream: u32, site: u32, object: u64, last: (u32, u32)) {
        self.count += 1;
        let head = u64::from(kind) | u64::from(stream) << 8 | u64::from(site) << 32;
        let last = u64::from(last.0) | u64::from(last.1) << 32;
        for word in [head, self.count, object, last] {
            self.bytes.extend_from_slice(&word.to_le_bytes());
        }
    }

    fn records(&self) -> Vec<Record> {
        records(&self.bytes, 32).map(|(_, record)| record).collect()
    }
}

/// Two threads change a balance, under a lock or not.
fn bank(locked: bool) -> Vec<Record> {
    let mut log = Builder::new();
    log.add(43, 1, 0, ACCOUNT, (1, 0));
    for child in [2, 3] {
        log.add(36, 1, 0, child, (0, 1));
    }
    for (stream, site) in [(2, 7), (3, 8)] {
        if locked {
            log.add(32, stream, 0, LOCK, (0, 0));
        }
        log.add(2, stream, site, ACCOUNT, (12, 0));
        if locked {
            log.add(33, stream, 0, LOCK, (0, 0));
        }
        log.add(37, stream, 0, 0, (0, 0));
    }
    log.records()
}

fn analyse(records: &[Record]) -> Analysed {
    let mut translator = Translator::new(&Options::default(), HashMap::new());
    for record in records {
        translator.record(record);
    }
    translator.finish()
}

#[test]
fn a_header_says_where_the_records_are() {
    let mut bytes = vec![0; HEADER];
    assert_eq!(Header::read(&bytes), None);
    for (index, word) in [96u64, 32, 80].into_iter().enumerate() {
        bytes[index * 8..index * 8 + 8].copy_from_slice(&word.to_le_bytes());
    }
    let expected = Header {
        size: 32,
        end: 80,
        full: true,
    };
    assert_eq!(Header::read(&bytes), Some(expected));
    assert_eq!(Header::read(&bytes[..20]), None);
}

#[test]
fn what_was_not_finished_is_skipped() {
    let mut log = Builder::new();
    log.add(0, 2, 7, 5, (1, 1));
    log.add(99, 2, 7, 5, (1, 1));
    log.add(9, 2, 7, 5, (3, 0));
    let found = log.records();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].kind, Kind::Access(Access::Read, Part::Element));
    assert_eq!((found[0].stream, found[0].site, found[0].part), (2, 7, 3));
    let name = found[0].name();
    assert_eq!(AccessName::unpack(name.pack()), name);
}

#[test]
fn a_race_names_its_accesses() {
    let analysed = analyse(&bank(false));
    assert_eq!(analysed.refused, 0);
    let [race] = &analysed.findings.races[..] else {
        panic!("{:?}", analysed.findings.races);
    };
    let names = [race.first.tag, race.second.tag].map(|tag| AccessName::unpack(tag).stream);
    assert_eq!(names, [2, 3]);
    let place = analysed.locations[&race.location];
    assert_eq!(place, (ACCOUNT, 12, Part::Field));
}

#[test]
fn a_lock_orders() {
    assert_eq!(analyse(&bank(true)).findings.races, []);
}

#[test]
fn a_monitor_that_is_taken_twice_is_released_once() {
    let mut log = Builder::new();
    log.add(36, 1, 0, 2, (0, 0));
    for kind in [32, 32, 33] {
        log.add(kind, 1, 0, LOCK, (0, 0));
    }
    log.add(2, 1, 7, ACCOUNT, (12, 0));
    log.add(33, 1, 0, LOCK, (0, 0));
    log.add(32, 2, 0, LOCK, (0, 0));
    log.add(2, 2, 7, ACCOUNT, (12, 0));
    assert_eq!(analyse(&log.records()).findings.races, []);
}

#[test]
fn ranges_are_elements() {
    let mut log = Builder::new();
    log.add(36, 1, 0, 2, (0, 0));
    log.add(36, 1, 0, 3, (0, 0));
    log.add(18, 2, 7, ACCOUNT, (3, 4));
    log.add(9, 3, 8, ACCOUNT, (6, 0));
    log.add(9, 3, 8, ACCOUNT, (7, 0));
    let analysed = analyse(&log.records());
    assert_eq!(analysed.findings.races.len(), 1);
    let place = analysed.locations[&analysed.findings.races[0].location];
    assert_eq!(place, (ACCOUNT, 6, Part::Element));
}

#[test]
fn what_an_initialiser_made_is_ready_for_others() {
    // Stream 4 is an initialiser that thread 2 runs.
    let mut log = Builder::new();
    log.add(36, 1, 0, 2, (0, 0));
    log.add(36, 1, 0, 3, (0, 0));
    log.add(41, 4, 0, 2, (0, 0));
    let made = 4 << 40 | 1;
    log.add(2, 4, 7, made, (12, 0));
    log.add(42, 4, 0, 0, (0, 0));
    log.add(1, 3, 8, made, (12, 0));
    assert_eq!(analyse(&log.records()).findings.races, []);
}

#[test]
fn as_text_it_is_the_same_race() {
    let names = Names::read(NAMES).unwrap();
    let threads = HashMap::from([(1, "main".to_owned()), (2, "main.1".to_owned())]);
    let mut printer = Printer::new(&names, threads);
    let all = bank(false);
    let mut out = format!("{}\n", Printer::title());
    for record in &all {
        printer.introduce(record);
    }
    for record in &all {
        printer.print(record, &mut out).unwrap();
    }
    assert_eq!(
        out,
        "reweave trace 1\nmain thread-begin\nmain fork main.1 @ bank.Bank.main(Bank.java:5) < bank.Start.main(Start.java:1)\n\
         main fork t3 @ bank.Bank.main(Bank.java:5) < bank.Start.main(Start.java:1)\nmain.1 thread-begin\n\
         main.1 write bank.Account#1-1.balance @ bank.Account.withdraw(Account.java:14)\nmain.1 thread-end\nt3 thread-begin\n\
         t3 write bank.Account#1-1.balance @ bank.Account.deposit(Account.java:20)\nt3 thread-end\n"
    );
    let (findings, _) = text::analyse(&out, &Options::default()).unwrap();
    assert_eq!(findings.races.len(), 1);
}

#[test]
fn values_and_statics_as_text() {
    let names = Names::read(NAMES).unwrap();
    let mut printer = Printer::new(&names, HashMap::new());
    let mut log = Builder::new();
    log.add(47, 1, 0, LOCK, (1, 0));
    log.add(4, 1, 8, LOCK, (104, 0));
    let mut all = log.records();
    all[1].value = Some(1);
    let mut out = String::new();
    for record in &all {
        printer.introduce(record);
        printer.print(record, &mut out).unwrap();
    }
    let line =
        "t1 volatile-write bank.Account.open = true @ bank.Account.deposit(Account.java:20)\n";
    assert_eq!(out, format!("t1 thread-begin\n{line}"));
    text::analyse(&format!("reweave trace 1\n{out}"), &Options::default()).unwrap();
}

#[test]
fn nonsense_in_the_names_is_named() {
    let error = Names::read("class\t1\tA\nfield\tx\n").unwrap_err();
    assert_eq!(error.line, 2);
}

/// What is found does not depend on when objects are given up, if that is after their last use.
#[test]
fn objects_are_gone_after_their_last_use() {
    let mut log = Builder::new();
    log.add(0, 1, 0, 0, (0, 0));
    log.add(36, 1, 0, 2, (0, 0));
    for number in 0..200 {
        let (account, lock) = (ACCOUNT + number * 2, LOCK + number * 2);
        for (stream, site) in [(1, 7), (2, 8)] {
            log.add(32, stream, 0, lock, (0, 0));
            log.add(2, stream, site, account, (12, 0));
            log.add(33, stream, 0, lock, (0, 0));
            log.add(2, stream, site, account, (16, 0));
        }
    }
    let all: Vec<(u64, Record)> = records(&log.bytes, 32).collect();
    let mut lasts = Lasts::new(log.count);
    for (place, record) in all.iter().rev() {
        lasts.note(*place, record);
    }
    let mut translator = Translator::new(&Options::default(), HashMap::new());
    let mut gone = Vec::new();
    for (place, record) in &all {
        translator.record(record);
        if let Some(object) = lasts.gone_after(*place, record) {
            gone.push(object);
            translator.object_gone(object);
        }
    }
    assert_eq!(gone.len(), 400);
    assert_eq!(gone[..2], [1 << 40 | 2, 1 << 40 | 1]);
    let found = translator.finish();
    assert_eq!(found.findings.races.len(), 200);
    let all: Vec<Record> = all.into_iter().map(|(_, record)| record).collect();
    let accesses = |found: &Analysed| -> Vec<_> {
        let races = found.findings.races.iter();
        races
            .map(|race| (race.first.tag, race.second.tag, race.gap))
            .collect()
    };
    assert!(accesses(&found) == accesses(&analyse(&all)));
    // Guarded and racing fields of accounts in use, and those that races name.
    assert!(
        found.names.locations.len() < 210,
        "{}",
        found.names.locations.len()
    );
}
