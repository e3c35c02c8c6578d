//! Places in the program: an address becomes module and offset, which are the same in every run, and these a site number.

use crate::{log, without};
use core::ffi::{CStr, c_int, c_void};
use core::sync::atomic::{AtomicU64, Ordering};
use reweave_trace::SiteId;
use reweave_trace::file::table::{CodeSite, Record, SiteKind};
use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A loaded program or library.
#[derive(Clone, Debug)]
pub struct Module {
    pub name: String,
    base: usize,
    /// Its executable parts.
    code: Vec<(usize, usize)>,
    /// It was compiled with callbacks into this library.
    pub instrumented: bool,
}

struct Modules {
    list: Vec<Module>,
    written: HashSet<u32>,
}

static MODULES: Mutex<Option<Modules>> = Mutex::new(None);

/// The places that a thread has been to lately.
pub struct Cache {
    /// Low 32 bits of the address and the site.
    entries: [AtomicU64; Cache::SIZE],
}

impl Cache {
    const SIZE: usize = 128;

    pub const fn new() -> Cache {
        Cache {
            entries: [const { AtomicU64::new(0) }; Cache::SIZE],
        }
    }

    /// The site of the code at an address.
    #[inline]
    pub fn site(&self, address: usize) -> SiteId {
        let entry = &self.entries[(address ^ address >> 7) % Cache::SIZE];
        let known = entry.load(Ordering::Relaxed);
        if known >> 32 == address as u64 & 0xffff_ffff && known as u32 != 0 {
            return SiteId(known as u32);
        }
        let site = look_up(address);
        entry.store(
            (address as u64) << 32 | u64::from(site.0),
            Ordering::Relaxed,
        );
        site
    }
}

/// The site of an address, and in a recording a line in the table about it. 0 for code that no module has.
pub fn look_up(address: usize) -> SiteId {
    let mut guard = modules(address);
    let Some(modules) = guard.as_mut() else {
        return SiteId(0);
    };
    let Some(module) = modules.list.iter().find(|module| module.has(address)) else {
        return SiteId(0);
    };
    let offset = address - module.base;
    let site = hash(module.short_name(), offset);
    if modules.written.insert(site) {
        log::table(&Record::Code {
            digest: 0,
            class: module.name.clone(),
            source: String::new(),
            sites: vec![CodeSite {
                site: SiteId(site),
                line: 0,
                kind: SiteKind::Address,
                method: format!("+{offset:#x}"),
            }],
        });
    }
    SiteId(site)
}

/// Whether the instruction at this address belongs to code with callbacks.
pub fn is_instrumented(address: usize) -> bool {
    let guard = modules(address);
    guard
        .as_ref()
        .and_then(|modules| modules.list.iter().find(|module| module.has(address)))
        .is_some_and(|module| module.instrumented)
}

/// Keeps the list from changing.
pub fn hold() -> impl Sized {
    MODULES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Places are to be written down again, for another process.
pub fn forget_written() {
    if let Some(modules) = modules(0).as_mut() {
        modules.written.clear();
    }
}

/// The code of the program itself, without its libraries.
pub fn code_of_program() -> Vec<(usize, usize)> {
    let guard = modules(0);
    let program = guard.as_ref().and_then(|modules| modules.list.first());
    program.map_or_else(Vec::new, |program| program.code.clone())
}

/// Where the lowest library begins; the program lies below.
pub fn lowest_library() -> usize {
    let guard = modules(0);
    let list = guard.as_ref().map_or(&[][..], |modules| &modules.list);
    let program = list.first().map_or(0, |program| program.base);
    let others = list.iter().skip(1).map(|module| module.base);
    others.filter(|&base| base > program).min().unwrap_or(0)
}

/// Where the code of the modules is whose names fit.
pub fn code_of(fits: impl Fn(&str) -> bool) -> Vec<(usize, usize)> {
    let guard = modules(0);
    let list = guard.as_ref().map_or(&[][..], |modules| &modules.list);
    list.iter()
        .filter(|module| fits(module.short_name()))
        .flat_map(|module| module.code.clone())
        .collect()
}

/// Where a place that a recording names is in this process.
pub fn address_of(module: &str, offset: usize) -> Option<usize> {
    let mut guard = modules(0);
    let modules = guard.as_mut()?;
    if let Some(found) = named(&modules.list, module) {
        return Some(found.base + offset);
    }
    // It may have been loaded since.
    modules.list = read_modules();
    named(&modules.list, module).map(|found| found.base + offset)
}

/// The module of this path, or of this file name elsewhere.
fn named<'a>(list: &'a [Module], path: &str) -> Option<&'a Module> {
    let short = |name: &str| name.rsplit('/').next().unwrap_or(name).to_owned();
    let same = list.iter().find(|known| known.name == path);
    same.or_else(|| list.iter().find(|known| short(&known.name) == short(path)))
}

/// A place for people, as in `racy+0x1139`.
pub fn text(address: usize) -> String {
    let guard = modules(address);
    guard
        .as_ref()
        .and_then(|modules| modules.list.iter().find(|module| module.has(address)))
        .map_or_else(
            || format!("{address:#x}"),
            |module| format!("{}+{:#x}", module.short_name(), address - module.base),
        )
}

/// The list, read again if it has no module at `address`: one may have been loaded since.
fn modules(address: usize) -> MutexGuard<'static, Option<Modules>> {
    let mut guard = MODULES.lock().unwrap_or_else(PoisonError::into_inner);
    let known = guard.as_ref().is_some_and(|modules| {
        address == 0 || modules.list.iter().any(|module| module.has(address))
    });
    // Tests show that later ones matter.
    let stays = guard.is_some() && without::is_left_out("dlopen");
    if !known && !stays {
        let written = guard.take().map_or_else(HashSet::default, |m| m.written);
        *guard = Some(Modules {
            list: read_modules(),
            written,
        });
    }
    guard
}

impl Module {
    fn has(&self, address: usize) -> bool {
        self.code
            .iter()
            .any(|(start, end)| (*start..*end).contains(&address))
    }

    fn short_name(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or(&self.name)
    }
}

/// FNV-1a: short, and there are few sites.
fn hash(module: &str, offset: usize) -> u32 {
    let offset = offset.to_le_bytes();
    let bytes = module.bytes().chain(offset);
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    });
    ((hash ^ hash >> 32) as u32).max(1)
}

fn read_modules() -> Vec<Module> {
    let mut list: Vec<Module> = Vec::new();
    // SAFETY: the callback gets the list back as it was passed, and keeps nothing of what it is shown.
    unsafe { libc::dl_iterate_phdr(Some(add_module), (&raw mut list).cast()) };
    list
}

unsafe extern "C" fn add_module(
    info: *mut libc::dl_phdr_info,
    _size: usize,
    list: *mut c_void,
) -> c_int {
    // SAFETY: the loader shows a valid module; the list is that of `read_modules`.
    let (info, list) = unsafe { (&*info, &mut *list.cast::<Vec<Module>>()) };
    // SAFETY: as many headers as it says, and a terminated name.
    let (headers, name) = unsafe {
        (
            core::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum)),
            CStr::from_ptr(info.dlpi_name),
        )
    };
    let base = info.dlpi_addr as usize;
    let name = match name.to_string_lossy() {
        // The program itself comes first and has no name here.
        name if name.is_empty() && list.is_empty() => std::fs::read_link("/proc/self/exe")
            .map_or_else(
                |_| "program".to_owned(),
                |path| path.to_string_lossy().into_owned(),
            ),
        name => name.into_owned(),
    };
    let code = headers
        .iter()
        .filter(|header| header.p_type == libc::PT_LOAD && header.p_flags & libc::PF_X != 0)
        .map(|header| {
            let start = base + header.p_vaddr as usize;
            (start, start + header.p_memsz as usize)
        })
        .collect();
    let dynamic = headers
        .iter()
        .find(|header| header.p_type == libc::PT_DYNAMIC);
    let ours = name.ends_with("libreweave_native.so");
    list.push(Module {
        instrumented: !ours
            && dynamic.is_some_and(|header| {
                let table = (base + header.p_vaddr as usize) as *const [usize; 2];
                // SAFETY: a loaded module's dynamic section is mapped and ends with a zero entry.
                unsafe { needs_this_library(base, table) }
            }),
        name,
        base,
        code,
    });
    0
}

/// Whether a dynamic section names this library as needed: the compiler driver links instrumented code with it.
unsafe fn needs_this_library(base: usize, table: *const [usize; 2]) -> bool {
    const NEEDED: usize = 1;
    const STRINGS: usize = 5;
    let entries = || {
        (0..)
            // SAFETY: the caller promises a table that ends with a zero entry.
            .map(|index| unsafe { *table.add(index) })
            .take_while(|entry| entry[0] != 0)
    };
    let Some([_, strings]) = entries().find(|entry| entry[0] == STRINGS) else {
        return false;
    };
    // The loader has made it an address already, except for the kernel's own module.
    if strings < base || strings < 4096 {
        return false;
    }
    entries()
        .filter(|entry| entry[0] == NEEDED)
        .any(|[_, offset]| {
            // SAFETY: an entry of the module's own table of texts.
            let name = unsafe { CStr::from_ptr((strings + offset) as *const _) };
            name.to_bytes().ends_with(b"libreweave_native.so")
        })
}
