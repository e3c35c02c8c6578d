//! Link options of the library.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // Our constructor comes before those of all other libraries: some of them take locks already.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,initfirst");
    // Found under this name by programs that were linked with it.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libreweave_native.so");
    // Threads may still be in our code when somebody calls dlclose.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
}
