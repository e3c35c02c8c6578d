//! Reads the class file of a class before the VM loads it: from the JDK's image of modules, or from the class path. What the fields of a class are decides how code
//! that uses them is rewritten, and that code is mostly loaded first. Classes of the program's own loaders are not found here; for them the answer comes when they are loaded.
//!
//! Image and jars are read by the JDK's own libraries, which are loaded anyway and know every version of their formats.

use std::ffi::{CStr, CString, c_char, c_void};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

pub struct ClassFinder {
    image: Option<Image>,
    places: Vec<Place>,
}

/// An entry of the class path.
enum Place {
    Folder(PathBuf),
    Jar {
        path: PathBuf,
        opened: OnceLock<Option<Jar>>,
    },
}

/// Class files of modules are no larger than this; a size beyond it is not believed.
const LARGEST: i64 = 64 << 20;

impl ClassFinder {
    /// `class_path` as in the property `java.class.path`, `module_path` as in `jdk.module.path`.
    pub fn new(java_home: &Path, class_path: &str, module_path: &str) -> ClassFinder {
        let mut places: Vec<Place> = entries(class_path).map(Place::new).collect();
        for entry in entries(module_path) {
            if entry.is_dir() && !entry.join("module-info.class").exists() {
                let jars = fs::read_dir(&entry).into_iter().flatten().flatten();
                places.extend(
                    jars.map(|jar| jar.path())
                        .filter(|path| is_jar(path))
                        .map(Place::new),
                );
            } else {
                places.push(Place::new(entry));
            }
        }
        let _ = JAVA_HOME.set(java_home.to_owned());
        ClassFinder {
            image: Image::open(java_home),
            places,
        }
    }

    /// The class file of the class of that internal name.
    pub fn find(&self, name: &str) -> Option<Vec<u8>> {
        if name.starts_with('[') || name.contains("..") || name.contains('\0') {
            return None;
        }
        let from_image = self.image.as_ref().and_then(|image| image.read(name));
        from_image.or_else(|| self.places.iter().find_map(|place| place.read(name)))
    }
}

fn entries(path: &str) -> impl Iterator<Item = PathBuf> {
    path.split(':')
        .filter(|entry| !entry.is_empty())
        .map(PathBuf::from)
}

fn is_jar(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "jar")
}

impl Place {
    fn new(path: PathBuf) -> Place {
        if path.is_dir() {
            Place::Folder(path)
        } else {
            Place::Jar {
                path,
                opened: OnceLock::new(),
            }
        }
    }

    fn read(&self, name: &str) -> Option<Vec<u8>> {
        match self {
            Place::Folder(folder) => fs::read(folder.join(format!("{name}.class"))).ok(),
            Place::Jar { path, opened } => {
                let jar = opened.get_or_init(|| Jar::open(path)).as_ref()?;
                jar.read(&CString::new(format!("{name}.class")).ok()?)
            }
        }
    }
}

/// A library of the JDK.
struct Library(*mut c_void);

impl Library {
    fn open(path: &Path) -> Option<Library> {
        let path = CString::new(path.to_str()?).ok()?;
        // SAFETY: a library of the JDK that this process runs; loading it has no other effect.
        let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_LAZY) };
        (!handle.is_null()).then_some(Library(handle))
    }

    fn function(&self, name: &CStr) -> Option<*mut c_void> {
        // SAFETY: the library is never closed.
        let function = unsafe { libc::dlsym(self.0, name.as_ptr()) };
        (!function.is_null()).then_some(function)
    }
}

type ImageOpen = unsafe extern "C" fn(*const c_char, *mut i32) -> *mut c_void;
type ImageModule = unsafe extern "C" fn(*mut c_void, *const c_char) -> *const c_char;
type ImageFind =
    unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char, *const c_char, *mut i64) -> i64;
type ImageRead = unsafe extern "C" fn(*mut c_void, i64, *mut c_char, i64) -> i64;

/// The file `lib/modules` of the JDK.
struct Image {
    file: *mut c_void,
    module: ImageModule,
    find: ImageFind,
    read: ImageRead,
}

// SAFETY: the library's functions may be called by several threads at once, as the VM does.
unsafe impl Send for Image {}
// SAFETY: as above.
unsafe impl Sync for Image {}

impl Image {
    fn open(java_home: &Path) -> Option<Image> {
        let library = Library::open(&java_home.join("lib/libjimage.so"))?;
        let open = library.function(c"JIMAGE_Open")?;
        let module = library.function(c"JIMAGE_PackageToModule")?;
        let find = library.function(c"JIMAGE_FindResource")?;
        let read = library.function(c"JIMAGE_GetResource")?;
        let modules = CString::new(java_home.join("lib/modules").to_str()?).ok()?;
        let mut error = 0;
        // SAFETY: these are the signatures in the JDK's jimage.hpp, by which the VM itself finds the functions; they are the same in all releases since 9.
        unsafe {
            let open = std::mem::transmute::<*mut c_void, ImageOpen>(open);
            let file = open(modules.as_ptr(), &mut error);
            (!file.is_null()).then(|| Image {
                file,
                module: std::mem::transmute::<*mut c_void, ImageModule>(module),
                find: std::mem::transmute::<*mut c_void, ImageFind>(find),
                read: std::mem::transmute::<*mut c_void, ImageRead>(read),
            })
        }
    }

    fn read(&self, name: &str) -> Option<Vec<u8>> {
        let (package, _) = name.rsplit_once('/')?;
        let package = CString::new(package).ok()?;
        let file = CString::new(format!("{name}.class")).ok()?;
        let mut size = 0;
        // SAFETY: the image stays open; names are C strings, and the buffer has the size that the library asked for.
        unsafe {
            let module = (self.module)(self.file, package.as_ptr());
            if module.is_null() {
                return None;
            }
            let place = (self.find)(self.file, module, c"9.0".as_ptr(), file.as_ptr(), &mut size);
            if place == 0 || !(1..LARGEST).contains(&size) {
                return None;
            }
            let mut bytes = vec![0; size as usize];
            let got = (self.read)(self.file, place, bytes.as_mut_ptr().cast(), size);
            (got == size).then_some(bytes)
        }
    }
}

type ZipOpen = unsafe extern "C" fn(*const c_char, *mut *mut c_char) -> *mut c_void;
type ZipFind = unsafe extern "C" fn(*mut c_void, *const c_char, *mut i32, *mut i32) -> *mut c_void;
type ZipRead = unsafe extern "C" fn(*mut c_void, *mut c_void, *mut u8, *mut c_char) -> u8;

/// The library that reads jars, once for all of them.
struct Zip {
    open: ZipOpen,
    find: ZipFind,
    read: ZipRead,
}

static ZIP: OnceLock<Option<Zip>> = OnceLock::new();
/// Where the JDK is; before the first jar is opened.
static JAVA_HOME: OnceLock<PathBuf> = OnceLock::new();

fn zip() -> Option<&'static Zip> {
    let load = || {
        let library = Library::open(&JAVA_HOME.get()?.join("lib/libzip.so"))?;
        let open = library.function(c"ZIP_Open")?;
        let find = library.function(c"ZIP_FindEntry")?;
        let read = library.function(c"ZIP_ReadEntry")?;
        // SAFETY: these are the signatures by which the VM itself reads jars of the boot class path.
        unsafe {
            Some(Zip {
                open: std::mem::transmute::<*mut c_void, ZipOpen>(open),
                find: std::mem::transmute::<*mut c_void, ZipFind>(find),
                read: std::mem::transmute::<*mut c_void, ZipRead>(read),
            })
        }
    };
    ZIP.get_or_init(load).as_ref()
}

struct Jar(*mut c_void);

// SAFETY: the library locks a jar while it reads it.
unsafe impl Send for Jar {}
// SAFETY: as above.
unsafe impl Sync for Jar {}

impl Jar {
    fn open(path: &Path) -> Option<Jar> {
        let path = CString::new(path.to_str()?).ok()?;
        let mut message = std::ptr::null_mut();
        // SAFETY: a C string and a place for a message, which is not ours to free when it is a constant.
        let jar = unsafe { (zip()?.open)(path.as_ptr(), &mut message) };
        (!jar.is_null()).then_some(Jar(jar))
    }

    fn read(&self, name: &CStr) -> Option<Vec<u8>> {
        let zip = zip()?;
        let (mut size, mut name_length) = (0, 0);
        // SAFETY: the jar stays open, and the buffers have the sizes that the library asked for; reading frees the entry.
        unsafe {
            let entry = (zip.find)(self.0, name.as_ptr(), &mut size, &mut name_length);
            if entry.is_null() {
                return None;
            }
            let mut bytes = vec![0; usize::try_from(size).ok()?];
            let mut own_name = vec![0u8; usize::try_from(name_length).ok()? + 1];
            let done = (zip.read)(
                self.0,
                entry,
                bytes.as_mut_ptr(),
                own_name.as_mut_ptr().cast(),
            );
            (done != 0).then_some(bytes)
        }
    }
}
