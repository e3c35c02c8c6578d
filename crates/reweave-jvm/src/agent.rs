//! The agent's life in a JVM: loaded before the first class, it rewrites classes as they are loaded, puts the helper into java.lang when the VM can take it,
//! wakes it once the VM is up, and sees the VM end.

mod events;

use crate::class_finder::ClassFinder;
use crate::classfile::plan::CallHook;
use crate::classfile::{self, class_hash};
use crate::fields::FieldTable;
use crate::hooks;
use crate::jvm::{Jvmti, Vm};
use crate::launch;
use crate::launchers;
use crate::plans::{Memory, Origin, Plans};
use crate::record::Recording;
use crate::replay::Replaying;
use crate::scope::Scope;
use reweave_runtime::session::{Level, Mode, Session};
use reweave_trace::SiteId;
use reweave_trace::file::table::{CodeSite, Record, SiteKind};
use reweave_trace::jvm;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

static AGENT: OnceLock<Agent> = OnceLock::new();

pub struct Agent {
    pub vm: Vm,
    pub jvmti: Jvmti,
    pub session: Session,
    pub work: Work,
    /// This library, for the command lines of child JVMs.
    library: String,
    plans: Plans,
    /// Which fields are ordered.
    pub fields: FieldTable,
    live: AtomicBool,
    names: Mutex<Names>,
}

/// What the agent is here for.
pub enum Work {
    Record(Box<Recording>),
    Replay(Box<Replaying>),
}

/// What was learned from the classes seen so far.
#[derive(Default)]
struct Names {
    /// Class names by hash, for static initialisers.
    classes: HashMap<u32, String>,
    /// Subclasses of Thread: calls may go through their names.
    threads: Vec<ThreadClass>,
    /// Where a site is, for messages.
    places: HashMap<SiteId, String>,
}

/// A subclass of Thread.
#[derive(Clone)]
struct ThreadClass {
    name: String,
    /// Names and descriptors of methods that it has instead of Thread's: its own `sleep`, say.
    own: Vec<(String, String)>,
}

impl ThreadClass {
    /// The hooks of calls through this class's name that mean Thread's methods.
    fn calls(&self) -> impl Iterator<Item = CallHook<'_>> {
        hooks::thread_calls(&self.name).filter(|call| {
            !self
                .own
                .iter()
                .any(|(name, descriptor)| name == call.name && descriptor == call.descriptor)
        })
    }
}

pub fn agent() -> Option<&'static Agent> {
    AGENT.get()
}

/// Sets everything up. `options` is the session folder, with `;path=P` behind it for child processes. `Err` is for the user.
pub fn load(vm: Vm, options: &str) -> Result<(), String> {
    let arguments = launchers::own_arguments();
    let main = launchers::main_of(&arguments);
    if AGENT.get().is_some() || launchers::is_launcher(&main) {
        return Ok(());
    }
    let (folder, path) = match options.split_once(";path=") {
        Some((folder, path)) => (folder, Some(path.to_owned())),
        None => (options, None),
    };
    let folder = match folder {
        "" => std::env::var_os("REWEAVE_SESSION").map(PathBuf::from).ok_or("no session folder given; start the program with `reweave record` or `reweave replay`")?,
        folder => PathBuf::from(folder),
    };
    let session = Session::read(&folder).map_err(|error| error.to_string())?;
    let jvmti = vm.jvmti().ok_or("this JVM offers no JVMTI")?;
    let jdk = jvmti
        .system_property(c"java.vm.version")
        .unwrap_or_default();
    let work = match &session.mode {
        Mode::Record => {
            let recording = Recording::start(&session, path, &main, &jdk)?;
            if let Some(launch) = launch::of_this_process() {
                recording.record(&Record::Launch(launch));
            }
            Work::Record(Box::new(recording))
        }
        Mode::Replay(options) => {
            Work::Replay(Box::new(Replaying::start(&session, options.clone(), path)?))
        }
    };
    if let Work::Replay(replaying) = &work {
        for (name, value) in replaying.properties() {
            jvmti.set_system_property(name, &value);
        }
    }
    let native_prefix = jvmti
        .set_native_method_prefix(hooks::NATIVE_PREFIX)
        .then_some(hooks::NATIVE_PREFIX);
    let fields = FieldTable::new(Scope::of(session.level));
    if let Some(finder) = class_finder(jvmti) {
        fields.look_in(finder);
    }
    let agent = Agent {
        vm,
        jvmti,
        plans: Plans::new(&session, native_prefix),
        session,
        work,
        fields,
        library: launchers::own_library(),
        live: AtomicBool::new(false),
        names: Mutex::default(),
    };
    let _ = AGENT.set(agent);
    jvmti.set_up(&events::callbacks())
}

/// Looks for classes where this VM does.
fn class_finder(jvmti: Jvmti) -> Option<ClassFinder> {
    let home = PathBuf::from(jvmti.system_property(c"java.home")?);
    let property = |name| jvmti.system_property(name).unwrap_or_default();
    let (class_path, module_path) = (property(c"java.class.path"), property(c"jdk.module.path"));
    Some(ClassFinder::new(&home, &class_path, &module_path))
}

impl Names {
    fn thread(&self, name: &str) -> Option<&ThreadClass> {
        self.threads.iter().find(|class| class.name == name)
    }
}

impl Agent {
    fn names(&self) -> MutexGuard<'_, Names> {
        self.names.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Name of the class with that hash.
    pub fn class_of_hash(&self, hash: u32) -> Option<String> {
        self.names().classes.get(&hash).cloned()
    }

    /// Where a site is, for people.
    pub fn place(&self, site: SiteId) -> String {
        self.names()
            .places
            .get(&site)
            .cloned()
            .unwrap_or_else(|| format!("site {:#x}", site.0))
    }

    fn path(&self) -> &str {
        match &self.work {
            Work::Record(recording) => recording.path(),
            Work::Replay(replaying) => replaying.path(),
        }
    }

    /// What the command lines of child JVMs get. The child's number is appended to the last word of the first option.
    fn child_options(&self) -> Vec<String> {
        let agent = format!(
            "-agentpath:{}={};path={}",
            self.library,
            self.session.folder.display(),
            self.path()
        );
        let more = match self.session.level {
            Level::Sync | Level::Serial => &[],
            Level::Access => jvm::ALL_ACCESSES,
        };
        let more = std::iter::once(&jvm::QUIET).chain(more);
        std::iter::once(agent)
            .chain(more.map(|&option| option.to_owned()))
            .collect()
    }

    /// The new bytes of a class, if it is to be changed.
    fn transform(&self, name: &str, origin: Origin, bytes: &[u8]) -> Option<Vec<u8>> {
        if self.plans.ignores(name, origin) {
            return None;
        }
        let summary = match classfile::peek(bytes) {
            Ok(summary) => summary,
            // The VM reads the same bytes next and throws ClassFormatError: that is the program's business.
            Err(error) => {
                self.note(format!(
                    "{name}: not a class file that reweave can read: {error}"
                ));
                return None;
            }
        };
        if name.is_empty() && self.plans.ignores(&summary.name, origin) {
            return None;
        }
        let application = Plans::is_application(&summary.name, origin);
        let threads = self.learn(&summary, application, bytes);
        let mut calls: Vec<CallHook<'_>> = hooks::OBJECT_CALLS.to_vec();
        calls.extend(hooks::thread_calls("java/lang/Thread"));
        for class in &threads {
            calls.extend(class.calls());
        }
        if hooks::orders_unsafe(&summary.name) {
            calls.extend_from_slice(hooks::unsafe_calls());
        }
        if summary.name == hooks::DISPLAY_LOCK_IN {
            calls.extend_from_slice(hooks::DISPLAY_CALLS);
        }
        let scope = Scope::of(self.session.level);
        if scope.plain {
            calls.extend_from_slice(hooks::ARRAY_CALLS);
        }
        let observed =
            matches!(&self.work, Work::Replay(replaying) if replaying.observing.is_some());
        let memory = Memory {
            fields: &self.fields,
            has_word: self.learn_fields(&summary, application, bytes),
            helper: match self.work {
                Work::Record(_) if scope.plain => hooks::ACCESS_HELPER,
                Work::Replay(_) if observed => hooks::OBSERVE_HELPER,
                Work::Record(_) | Work::Replay(_) => hooks::MEMORY_HELPER,
            },
            merged: scope.plain,
            named: observed,
            made: scope.plain
                && (observed || matches!(self.work, Work::Record(_)))
                && summary
                    .superclass
                    .as_deref()
                    .is_none_or(|name| !scope.concerns(name.as_bytes())),
        };
        let plan = self.plans.plan(&summary, origin, &calls, memory);
        let rewritten = match classfile::rewrite(bytes, &plan) {
            Ok(rewritten) => rewritten,
            Err(error) => {
                self.note(format!(
                    "class {} is not instrumented: {error}",
                    summary.name
                ));
                return None;
            }
        };
        for skipped in &rewritten.skipped {
            self.record(&Record::Skipped(format!(
                "{}.{}: {}",
                summary.name, skipped.method, skipped.reason
            )));
        }
        self.describe(&summary, application, bytes, &rewritten.sites);
        rewritten.bytes
    }

    /// Remembers what later classes and messages need. Returns the subclasses of Thread that this class mentions.
    fn learn(
        &self,
        summary: &classfile::Summary<'_>,
        application: bool,
        bytes: &[u8],
    ) -> Vec<ThreadClass> {
        let mut names = self.names();
        if application && summary.has_initialiser {
            names
                .classes
                .insert(class_hash(&summary.name), summary.name.to_string());
        }
        if let Some(parent) = summary.superclass.as_deref() {
            let inherited = match parent {
                "java/lang/Thread" => Some(vec![]),
                parent => names.thread(parent).map(|class| class.own.clone()),
            };
            if let Some(inherited) = inherited
                && application
                && names.thread(&summary.name).is_none()
            {
                let own = classfile::methods(bytes).unwrap_or_default();
                let own = own
                    .iter()
                    .map(|method| (method.name.to_string(), method.descriptor.to_string()));
                names.threads.push(ThreadClass {
                    name: summary.name.to_string(),
                    own: inherited.into_iter().chain(own).collect(),
                });
            }
        }
        names
            .threads
            .iter()
            .filter(|class| contains(bytes, class.name.as_bytes()))
            .cloned()
            .collect()
    }

    /// Remembers the fields of a class whose fields may be ordered; whether it has some that are.
    fn learn_fields(
        &self,
        summary: &classfile::Summary<'_>,
        application: bool,
        bytes: &[u8],
    ) -> bool {
        let scope = Scope::of(self.session.level);
        if !application && scope.of_jdk_class(&summary.name).is_none() {
            return false;
        }
        let declared = classfile::fields(bytes).unwrap_or_default();
        let learned = self
            .fields
            .learn(&summary.name, summary.superclass.as_deref(), &declared);
        if learned.surprise {
            self.note(format!(
                "class {} is there in two versions: accesses to its volatile fields may be missed where the other one was expected",
                summary.name
            ));
        }
        learned.word
    }

    /// Puts the class's sites into the table, or, in a replay, keeps them for messages.
    fn describe(
        &self,
        summary: &classfile::Summary<'_>,
        application: bool,
        bytes: &[u8],
        sites: &[classfile::Site],
    ) {
        if !application && sites.is_empty() {
            return;
        }
        let class = summary.name.replace('/', ".");
        let source = summary.source_file.as_deref().unwrap_or_default();
        match &self.work {
            Work::Replay(replaying) => {
                if let Some(observing) = &replaying.observing {
                    observing.describe(&summary.name, source, sites);
                }
                let mut names = self.names();
                for site in sites {
                    let method = site.method.split('(').next().unwrap_or_default();
                    let place = format!("{class}.{method}({source}:{})", site.line);
                    names.places.insert(SiteId(site.id.0), place);
                }
            }
            Work::Record(recording) => recording.record(&Record::Code {
                digest: xxhash_rust::xxh3::xxh3_64(bytes),
                class,
                source: source.to_owned(),
                sites: sites.iter().map(table_site).collect(),
            }),
        }
    }

    fn record(&self, record: &Record) {
        if let Work::Record(recording) = &self.work {
            recording.record(record);
        }
    }

    fn note(&self, text: String) {
        self.record(&Record::Note(text));
    }
}

fn table_site(site: &classfile::Site) -> CodeSite {
    CodeSite {
        site: SiteId(site.id.0),
        line: site.line,
        kind: match site.kind {
            classfile::SiteKind::MonitorBlock => SiteKind::MonitorBlock,
            classfile::SiteKind::SynchronizedMethod => SiteKind::SynchronizedMethod,
            classfile::SiteKind::Call => SiteKind::Call,
            classfile::SiteKind::Method => SiteKind::Method,
            classfile::SiteKind::Access => SiteKind::Access,
        },
        method: site.method.clone(),
    }
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}
