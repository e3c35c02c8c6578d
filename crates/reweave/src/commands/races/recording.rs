//! Races of a recording of ours. It holds no accesses, so it is replayed twice: the first replay is observed and analysed, in the second the stacks of the
//! accesses that race are taken.

use super::describe::{self, RaceText, SideText};
use super::names::is_jdk;
use super::subject::{Counts, Format, Subject, rules, shortcomings};
use crate::cli::{self, RaceOptions};
use crate::commands::replay::Prepared;
use crate::commands::replay::observe::{Log, thread_names};
use crate::exit::{Exit, Failure};
use crate::launch::jdwp::Debugger;
use crate::launch::outcome::Verdict;
use crate::launch::session::{Observe, ReplayMode, Session, Since};
use crate::report::terminal::Terminal;
use reweave_analysis::races::Options;
use reweave_analysis::races::analyse::Counting;
use reweave_analysis::races::event::LocationId;
use reweave_analysis::races::findings::Race;
use reweave_analysis::races::observation::{
    AccessName, Analysed, Kind, Names, Part, Record, Translator,
};
use reweave_analysis::races::observe::Frame;
use reweave_analysis::races::rules::RuleSet;
use reweave_trace::manifest::Level;
use reweave_trace::{Process, ProcessNumber, Trace};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// Of unordered accesses of one kind at one place a location remembers so many: one for each thread, as good as always.
const HISTORY: usize = 64;

/// Of the pairs of one race so many are looked at for the ways by which the program came there.
const EXAMPLES: usize = 16;

/// Finds the races of the recording at `path`.
pub fn open(path: &str, options: &RaceOptions, terminal: &Terminal) -> Result<Subject, Failure> {
    refuse(&Trace::open(Path::new(path))?, path)?;
    let prepared = Prepared::open(
        PathBuf::from(path),
        None,
        false,
        cli::Started::default(),
        terminal,
    )?;
    analyse(&prepared, options.no_adhoc, path, terminal)
}

pub fn analyse(
    prepared: &Prepared,
    no_adhoc: bool,
    path: &str,
    terminal: &Terminal,
) -> Result<Subject, Failure> {
    refuse(&prepared.trace, path)?;
    let observe = Observe {
        log: true,
        since: Since::SecondThread,
        ..Observe::default()
    };
    let session = replay(prepared, observe, path, terminal)?;
    let settings = Options {
        rules: rules(no_adhoc, RuleSet::ALL),
        history: HISTORY,
        examples: EXAMPLES,
        ..Options::default()
    };
    let mut found = vec![];
    let mut notes = vec![];
    for process in &prepared.trace.processes {
        if let Some(log) = Log::open(session.folder(), process)? {
            if log.header.full {
                notes.push("there was no room for all accesses: races are missing".to_owned());
            }
            found.push((process, races_of(&log, process, &settings)?));
        }
    }
    drop(session);
    add_stacks(prepared, &mut found, path, terminal)?;
    let mut races = vec![];
    let mut counts = Counts::default();
    for (process, mut analysed) in found {
        if analysed.refused > 0 {
            notes.push(format!(
                "{} records contradict others and were left out",
                analysed.refused
            ));
        }
        notes.extend(shortcomings(&analysed.findings));
        analysed.findings.races.retain(|race| {
            let stack = |event| analysed.names.stacks.get(&event);
            [race.first.event, race.second.event]
                .iter()
                .all(|event| stack(*event).is_none_or(|stack| concerns_the_program(stack)))
        });
        analysed.findings.count();
        counts.add(&Counts::of_findings(&analysed.findings));
        for (race, mut text) in analysed.findings.races.iter().zip(describe::races(
            &analysed.findings,
            &analysed.names,
            path,
            1,
        )) {
            let name = |tag| AccessName::unpack(tag);
            text.first.access = Some((process.number, name(race.first.tag)).into());
            text.second.access = Some((process.number, name(race.second.tag)).into());
            races.push(text);
        }
    }
    Ok(Subject {
        file: path.to_owned(),
        format: Format::Recording,
        counting: Counting::Places,
        races: alike_together(races),
        counts,
        table: None,
        notes,
    })
}

/// What races cannot be found in.
fn refuse(trace: &Trace, path: &str) -> Result<(), Failure> {
    if trace.manifest.native.is_some() {
        return Err(Failure::new(format!(
            "{path} is a recording of a native program: races are found in those of Java programs so far"
        )));
    }
    if trace.manifest.level != Level::Access {
        return Err(Failure::new(format!(
            "{path} was recorded at level {}: it holds the order of synchronization, but not that of accesses to memory, so races \
             cannot be found in it",
            trace.manifest.level.name()
        ))
        .with_next("record the program again with --level access"));
    }
    Ok(())
}

/// Runs the program again, without its output.
fn replay(
    prepared: &Prepared,
    observe: Observe,
    path: &str,
    terminal: &Terminal,
) -> Result<Session, Failure> {
    let mode = ReplayMode {
        observe,
        ..prepared.mode()
    };
    let replay = prepared.replay(mode, Debugger::None, terminal);
    let session = replay.session()?;
    let quiet = |command: &mut std::process::Command| {
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
    };
    let (_, outcome) = replay.run_in(&session, quiet, |_| ())?;
    let wrong = |what: &str, exit| {
        Failure::new(format!("{path} is looked at in a replay, which {what}"))
            .with_exit(exit)
            .with_next(format!("reweave replay {path}"))
    };
    match outcome.map(|outcome| outcome.verdict) {
        None => Err(wrong("ended before its end", Exit::OWN_FAILURE)),
        Some(Verdict::Diverged(_)) => Err(wrong("diverged", Exit::DIVERGED)),
        Some(Verdict::Stalled { .. }) => Err(wrong("stalled", Exit::STALLED)),
        Some(_) => Ok(session),
    }
}

fn races_of(log: &Log, process: &Process, settings: &Options) -> Result<Analysed, Failure> {
    let unreadable = |error: std::io::Error| Failure::new(format!("what was observed: {error}"));
    let mut translator = Translator::new(settings, thread_names(process));
    let lasts = log.lasts().map_err(unreadable)?;
    log.each_at(|place, record| {
        translator.record(record);
        if let Some(object) = lasts.gone_after(place, record) {
            translator.object_gone(object);
        }
        Ok(())
    })
    .map_err(unreadable)?;
    drop(lasts);
    let mut analysed = translator.finish();
    analysed.name_sites(&log.names);
    let mut wanted: HashMap<u64, Option<(u32, bool)>> = HashMap::new();
    wanted.extend(analysed.locations.values().map(|place| (place.0, None)));
    let races = analysed.findings.races.iter();
    let held = races.flat_map(|race| race.first.held.iter().chain(&race.second.held));
    let keys = &analysed.names.lock_keys;
    wanted.extend(held.filter_map(|lock| Some((*keys.get(lock)?, None))));
    let gaps = analysed
        .names
        .kept
        .values()
        .filter_map(|event| event.op.lock());
    wanted.extend(gaps.filter_map(|lock| Some((*keys.get(&lock)?, None))));
    log.each(|record| {
        note_class(record, &mut wanted);
        Ok(())
    })
    .map_err(unreadable)?;
    name_things(&mut analysed, &log.names, &wanted);
    Ok(analysed)
}

fn note_class(record: &Record, wanted: &mut HashMap<u64, Option<(u32, bool)>>) {
    let is_static = match record.kind {
        Kind::Made => false,
        Kind::Class => true,
        _ => return,
    };
    if let Some(class) = wanted.get_mut(&record.object) {
        *class = Some((record.part, is_static));
    }
}

fn name_things(
    analysed: &mut Analysed,
    names: &Names,
    classes: &HashMap<u64, Option<(u32, bool)>>,
) {
    let object = |object: u64| match classes.get(&object).copied().flatten() {
        Some((class, true)) => format!("class {}", names.class(class)),
        Some((class, false)) => names.object(object, class),
        None => names.object(object, object as u32),
    };
    for (lock, key) in &analysed.names.lock_keys {
        if classes.contains_key(key) {
            analysed.names.locks.insert(*lock, object(*key));
        }
    }
    let place = |&(key, part, kind): &(u64, u32, Part)| {
        let class = classes.get(&key).copied().flatten();
        let or_offset = |name: Option<&str>| name.map_or_else(|| format!("+{part}"), str::to_owned);
        match (class, kind) {
            (_, Part::Element | Part::Elements(_)) => format!("{}.[{part}]", object(key)),
            (Some((class, true)), _) => {
                let field = names.static_field(class, part).map(|f| f.name.as_str());
                format!("{}.{}", names.class(class), or_offset(field))
            }
            (Some((class, false)), _) => {
                let field = names.field(class, part).map(|f| f.name.as_str());
                format!("{}.{}", object(key), or_offset(field))
            }
            (None, _) => format!("{}.+{part}", object(key)),
        }
    };
    let locations: Vec<(LocationId, String)> = analysed
        .locations
        .iter()
        .map(|(location, where_)| (*location, place(where_)))
        .collect();
    for (location, name) in locations {
        analysed.names.locations[location.index()] = name;
    }
}

/// Replays again, and takes the stacks of the accesses that race.
fn add_stacks(
    prepared: &Prepared,
    found: &mut [(&Process, Analysed)],
    path: &str,
    terminal: &Terminal,
) -> Result<(), Failure> {
    let watch: Vec<(ProcessNumber, AccessName)> = found
        .iter()
        .flat_map(|(process, analysed)| {
            let accesses = analysed.accesses().into_iter();
            accesses.map(|access| (process.number, access))
        })
        .collect();
    if watch.is_empty() {
        return Ok(());
    }
    let observe = Observe {
        log: true,
        watch,
        ..Observe::default()
    };
    let session = replay(prepared, observe, path, terminal)?;
    for (process, analysed) in found {
        let Some(log) = Log::open(session.folder(), process)? else {
            continue;
        };
        let mut stacks: HashMap<u64, Vec<Frame>> = HashMap::new();
        log.each(|record| {
            if let Some(stack) = log.names.stack(record.stack) {
                stacks.insert(record.name().pack(), stack.to_vec());
            }
            Ok(())
        })
        .map_err(|error| Failure::new(format!("what was observed: {error}")))?;
        let mut by_event = BTreeMap::new();
        let races = std::mem::take(&mut analysed.findings.races);
        analysed.findings.races = races.into_iter().flat_map(ways_to_it).collect();
        for race in &analysed.findings.races {
            for side in [&race.first, &race.second] {
                if let Some(stack) = stacks.get(&side.tag) {
                    by_event.insert(side.event, stack.clone());
                }
            }
        }
        analysed.names.stacks = by_event;
    }
    Ok(())
}

/// The same accesses of a collection may come from several places in the program: each is a race of its own. Those that turn out to be alike
/// are put together again.
fn ways_to_it(race: Race) -> impl Iterator<Item = Race> {
    let mut first = race.clone();
    let examples = std::mem::take(&mut first.examples);
    let others = examples.into_iter().map(move |(first, second)| Race {
        first,
        second,
        // The first stands for all of them.
        pairs: 0,
        examples: Vec::new(),
        gap: None,
        ..race.clone()
    });
    std::iter::once(first).chain(others)
}

/// Whether an access is one of the program, or of a collection that the program itself called: what the JDK does for itself it
/// orders in ways that are not observed.
fn concerns_the_program(stack: &[Frame]) -> bool {
    let own = |frame: &&Frame| {
        let name = &frame.function;
        name.starts_with("java.util.") || name.starts_with("java.lang.Iterable.")
    };
    let caller = stack.iter().find(|frame| !own(frame));
    caller.is_some_and(|frame| !is_jdk(&frame.function))
}

/// One race for each field and pair of places, on however many objects; in an order that does not depend on the replay.
fn alike_together(races: Vec<RaceText>) -> Vec<RaceText> {
    let place = |side: &SideText| {
        let frame = side.own_frame().map(|frame| frame.place());
        (frame.unwrap_or_default(), side.kind)
    };
    let key = |race: &RaceText| {
        let mut sides = [place(&race.first), place(&race.second)];
        sides.sort();
        (race.location.clone(), sides)
    };
    let mut kept: Vec<RaceText> = vec![];
    let mut seen = HashMap::new();
    for race in races {
        match seen.get(&key(&race)) {
            Some(index) => {
                let known: &mut RaceText = &mut kept[*index];
                known.pairs += race.pairs;
            }
            None => {
                seen.insert(key(&race), kept.len());
                kept.push(race);
            }
        }
    }
    kept.sort_by_key(key);
    for (index, race) in kept.iter_mut().enumerate() {
        race.number = index + 1;
        race.pairs = race.pairs.max(1);
    }
    kept
}
