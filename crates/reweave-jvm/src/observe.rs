//! A replay that is observed: where the helper writes what the program does, and what the numbers in there stand for.
//!
//! In the session folder, for each process: `observed-PATH.log`, records of fixed size in the order in which they happened (`ReweaveObservation.java` writes them), and
//! `observed-PATH.names`, lines of text about sites, classes, fields and stacks. `reweave-analysis` reads both.

use crate::agent::{Agent, agent};
use crate::classfile::{Site, SiteField};
use crate::jvm::Jni;
use crate::replay::natives::replaying;
use jvmti_bindings::sys::jni::{JNIEnv, jclass, jint, jlong, jstring, jvalue};
use reweave_runtime::session::{Access, Observe, Session, Since, glob_matches};
use reweave_runtime::sys::Mapping;
use std::collections::HashMap;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// So much is kept at most, and so much of what is free.
const MOST: u64 = 256 << 30;
const PART_OF_FREE: u64 = 2;
/// Before the first record: where the next one goes, the size of records, the end.
const HEADER: u64 = 64;
const WORDS: u64 = 4;
const CONCURRENT: &str = "java/util/concurrent/";

pub struct Observing {
    options: Observe,
    log: Option<Mapping>,
    /// Accesses by stream and number, in a table as the helper searches it; never empty.
    watched: Option<Box<[u64]>>,
    /// The access at which the debugger is to stop.
    stop_at: Option<u64>,
    known: Mutex<Known>,
}

struct Known {
    names: File,
    /// What is known of each site; two sites may share a number.
    sites: HashMap<u32, Facts>,
    classes: HashMap<String, u32>,
    stacks: HashMap<String, u32>,
}

#[derive(Clone, PartialEq)]
enum Facts {
    Known {
        class: String,
        field: Option<SiteField>,
    },
    Ambiguous,
}

/// As `name` in the helper.
fn name(access: &Access) -> u64 {
    u64::from(access.stream) << 40 | access.number
}

impl Observing {
    /// `None` if this replay is not observed.
    pub fn start(
        session: &Session,
        options: &Observe,
        process: u32,
        path: &str,
    ) -> Result<Option<Observing>, String> {
        let of_process = |access: &&Access| access.process == process;
        let stop_at = options.stop_at.as_ref().filter(of_process).map(name);
        if !options.log && stop_at.is_none() {
            return Ok(None);
        }
        let failed = |error: std::io::Error| format!("cannot write down what is observed: {error}");
        let names = session.folder.join(format!("observed-{path}.names"));
        let log = match options.log {
            true => Some(make_log(session, options, path).map_err(failed)?),
            false => None,
        };
        let watched = (!options.watch.is_empty()).then(|| {
            let names = options.watch.iter().filter(of_process).map(name);
            table(&names.collect::<Vec<u64>>())
        });
        Ok(Some(Observing {
            options: options.clone(),
            log,
            watched,
            stop_at,
            known: Mutex::new(Known {
                names: File::create(names).map_err(failed)?,
                sites: HashMap::new(),
                classes: HashMap::new(),
                stacks: HashMap::new(),
            }),
        }))
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells the helper where to write.
    pub fn wake(&self, jni: Jni) -> bool {
        let Some(class) = jni.find_class(c"java/lang/ReweaveObservation") else {
            return false;
        };
        let Some(init) = jni.static_method(class, c"init", c"(JZZZJIJ)V") else {
            return false;
        };
        let watched = self.watched.as_deref();
        let arguments = [
            jvalue {
                j: self.log.as_ref().map_or(0, Mapping::address) as jlong,
            },
            jvalue {
                z: self.options.values.into(),
            },
            jvalue {
                z: self.options.stacks.into(),
            },
            jvalue {
                z: (self.options.since == Since::SecondThread).into(),
            },
            jvalue {
                j: watched.map_or(0, |table| table.as_ptr() as usize) as jlong,
            },
            jvalue {
                i: watched.map_or(0, |table| table.len() as jint - 1),
            },
            jvalue {
                j: self.stop_at.unwrap_or(0) as jlong,
            },
        ];
        jni.call_static(class, init, &arguments)
    }

    /// A class was rewritten.
    pub fn describe(&self, class: &str, source: &str, sites: &[Site]) {
        let mut known = self.known();
        let mut lines = String::new();
        for site in sites {
            let facts = Facts::Known {
                class: class.to_owned(),
                field: site.field.clone(),
            };
            let known = known
                .sites
                .entry(site.id.0)
                .or_insert_with(|| facts.clone());
            if *known != facts {
                *known = Facts::Ambiguous;
            }
            let method = site.method.split('(').next().unwrap_or_default();
            lines += &format!(
                "site\t{}\t{}\t{method}\t{source}\t{}\n",
                site.id.0,
                class.replace('/', "."),
                site.line
            );
        }
        known.write(&lines);
    }

    /// What the helper wants to know of a site, as `ReweaveSites.describe` says.
    fn facts(&self, agent: &Agent, site: u32) -> Option<String> {
        let facts = self.known().sites.get(&site).cloned();
        let Some(Facts::Known { class, field }) = facts else {
            return None;
        };
        let wanted = |patterns: &[String], text: &str| {
            patterns.is_empty() || patterns.iter().any(|pattern| glob_matches(pattern, text))
        };
        if !wanted(&self.options.classes, &class) {
            return None;
        }
        let location = field.as_ref().map_or("[]".to_owned(), |field| {
            format!("{}.{}", field.owner, field.name)
        });
        if !wanted(&self.options.locations, &location) {
            return None;
        }
        let mut text = String::new();
        text.push(if class.starts_with(CONCURRENT) {
            'n'
        } else {
            '-'
        });
        let Some(field) = field else {
            text.push('-');
            return Some(text);
        };
        text.push(if agent.fields.is_volatile(&field) {
            'v'
        } else {
            '-'
        });
        // To the helper a bracket means the type of an array's elements.
        let letter = field.descriptor.chars().next();
        text.push(letter.filter(|letter| *letter != '[').unwrap_or('L'));
        text += &format!("{}|{}", field.owner.replace('/', "."), field.name);
        Some(text)
    }
}

impl Known {
    /// What cannot be written is missing in reports; the replay goes on.
    fn write(&mut self, lines: &str) {
        let _ = self.names.write_all(lines.as_bytes());
    }
}

fn make_log(session: &Session, options: &Observe, path: &str) -> std::io::Result<Mapping> {
    let log = session.folder.join(format!("observed-{path}.log"));
    let file = File::options()
        .read(true)
        .write(true)
        .create(true)
        .truncate(true)
        .open(&log)?;
    let record = 8 * (WORDS + u64::from(options.values));
    let len = (free_space(&session.folder) / PART_OF_FREE).min(MOST);
    let len = HEADER + (len.saturating_sub(HEADER) / record).max(1) * record;
    file.set_len(len)?;
    let map = Mapping::sparse(&file, len as usize)?;
    for (at, value) in [HEADER, record, len].into_iter().enumerate() {
        map.write(at * 8, &value.to_le_bytes());
    }
    Ok(map)
}

/// Bytes that can still be written there.
fn free_space(folder: &Path) -> u64 {
    use std::os::unix::ffi::OsStrExt;
    let Ok(path) = std::ffi::CString::new(folder.as_os_str().as_bytes()) else {
        return 0;
    };
    // SAFETY: all fields are numbers, for which zero is a value.
    let mut facts: libc::statvfs = unsafe { std::mem::zeroed() };
    // SAFETY: a C string and a struct that the call fills.
    match unsafe { libc::statvfs(path.as_ptr(), &mut facts) } {
        0 => facts.f_bavail * facts.f_frsize,
        _ => 0,
    }
}

/// Open addressing, at most half full, so that a search ends.
fn table(names: &[u64]) -> Box<[u64]> {
    let size = (names.len() * 2 + 1).next_power_of_two();
    let mut table = vec![0; size].into_boxed_slice();
    for &name in names {
        let mut at = mix((name ^ name >> 32) as u32) as usize & (size - 1);
        while table[at] != 0 && table[at] != name {
            at = (at + 1) & (size - 1);
        }
        table[at] = name;
    }
    table
}

/// As `mix` in ReweaveSites.
fn mix(number: u32) -> u32 {
    let number = number.wrapping_mul(0x9e37_79b1);
    number ^ number >> 15
}

fn observing() -> Option<(&'static Agent, &'static Observing)> {
    let (agent, replaying) = replaying()?;
    Some((agent, replaying.observing.as_ref()?))
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_ReweaveSites_describe(
    env: *mut JNIEnv,
    _class: jclass,
    site: jint,
) -> jstring {
    let facts = observing().and_then(|(agent, observing)| observing.facts(agent, site as u32));
    match facts {
        // SAFETY: the JVM passes the calling thread's environment.
        Some(text) => unsafe { Jni::new(env) }.string(&text),
        None => std::ptr::null_mut(),
    }
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_ReweaveObservation_stack(
    env: *mut JNIEnv,
    _class: jclass,
    frames: jstring,
) -> jint {
    let Some((_, observing)) = observing() else {
        return 0;
    };
    // SAFETY: the JVM passes the calling thread's environment.
    let frames = unsafe { Jni::new(env) }.text(frames);
    let mut known = observing.known();
    let next = known.stacks.len() as u32 + 1;
    if let Some(number) = known.stacks.get(&frames) {
        return *number as jint;
    }
    known.write(&format!("stack\t{next}\t{frames}\n"));
    known.stacks.insert(frames, next);
    next as jint
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_ReweaveObjects_number(
    _env: *mut JNIEnv,
    _class: jclass,
    class: jclass,
) -> jint {
    let Some((agent, observing)) = observing() else {
        return 0;
    };
    let name = agent.jvmti.class_name(class).unwrap_or_default();
    let mut known = observing.known();
    let next = known.classes.len() as u32 + 1;
    // Classes of one name from several loaders have one number: their fields are at the same places, as good as always.
    if let Some(number) = known.classes.get(&name) {
        return *number as jint;
    }
    known.write(&format!("class\t{next}\t{}\n", name.replace('/', ".")));
    known.classes.insert(name, next);
    next as jint
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_ReweaveObjects_fields(
    env: *mut JNIEnv,
    _class: jclass,
    class: jclass,
) -> jstring {
    let mut text = String::new();
    for field in agent().map_or(vec![], |agent| agent.jvmti.fields(class)) {
        text.push(if field.is_static { '*' } else { '-' });
        text.push(field.type_letter);
        text += &field.name;
        text.push(' ');
    }
    // SAFETY: the JVM passes the calling thread's environment.
    unsafe { Jni::new(env) }.string(&text)
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_ReweaveObjects_field(
    env: *mut JNIEnv,
    _class: jclass,
    number: jint,
    offset: jlong,
    name: jstring,
) {
    if let Some((_, observing)) = observing() {
        // SAFETY: the JVM passes the calling thread's environment.
        let name = unsafe { Jni::new(env) }.text(name);
        observing
            .known()
            .write(&format!("field\t{number}\t{offset}\t{name}\n"));
    }
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_ReweaveObjects_orderClass(
    env: *mut JNIEnv,
    _class: jclass,
    class: jclass,
) -> jclass {
    crate::record::declaring(env, class, crate::hooks::ORDER_WORD)
}
