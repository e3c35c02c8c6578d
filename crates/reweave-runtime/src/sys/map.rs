//! Parts of a file mapped into memory, shared with whoever else maps them and with the file itself.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering};

/// Where the next mapping goes; 0 lets the kernel choose.
static NEXT_PLACE: AtomicUsize = AtomicUsize::new(0);

/// From now on mappings are made one after another from `address` on, which must be free for as long as the process lives. A recording of addresses needs this:
/// whatever the kernel places for us shifts what it places for the program, and a replay maps other things than a recording.
pub fn place_mappings_from(address: usize) {
    NEXT_PLACE.store(address, Ordering::Relaxed);
}

/// The address and the flag with which to ask for a mapping of this length.
fn place(len: usize) -> (usize, i32) {
    if NEXT_PLACE.load(Ordering::Relaxed) == 0 {
        return (0, 0);
    }
    let len = len.next_multiple_of(4096);
    (
        NEXT_PLACE.fetch_add(len, Ordering::Relaxed),
        libc::MAP_FIXED_NOREPLACE,
    )
}

/// A shared mapping of `len` bytes of a file. Unmapped when dropped.
pub struct Mapping {
    address: *mut u8,
    len: usize,
}

// SAFETY: the mapping is plain memory; all access goes through atomics or through the one owner of a chunk.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// Maps bytes that the file already has. Pages are brought in at once, so that the program does not fault them in one by one.
    pub fn new(file: &File, offset: u64, len: usize) -> io::Result<Mapping> {
        Mapping::with(file, offset, len, libc::MAP_POPULATE)
    }

    /// Maps a file most of which will not be used: nothing is brought in or reserved.
    pub fn sparse(file: &File, len: usize) -> io::Result<Mapping> {
        Mapping::with(file, 0, len, libc::MAP_NORESERVE)
    }

    fn with(file: &File, offset: u64, len: usize, flags: i32) -> io::Result<Mapping> {
        let (address, placed) = place(len);
        // SAFETY: a fresh mapping, at an address of the kernel's choice or one where nothing is, touches no memory of ours.
        let address = unsafe {
            libc::mmap(
                address as *mut libc::c_void,
                len,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED | flags | placed,
                file.as_raw_fd(),
                offset as libc::off_t,
            )
        };
        if address == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(Mapping {
            address: address.cast(),
            len,
        })
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub fn address(&self) -> usize {
        self.address as usize
    }

    pub fn write(&self, offset: usize, bytes: &[u8]) {
        assert!(
            offset
                .checked_add(bytes.len())
                .is_some_and(|end| end <= self.len)
        );
        // SAFETY: inside the mapping, checked above; only the owner of the chunk writes plainly.
        unsafe {
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.address.add(offset), bytes.len())
        };
    }

    /// Sets the first `len` bytes to zero.
    pub fn zero(&self, len: usize) {
        assert!(len <= self.len);
        // SAFETY: inside the mapping, checked above; only the owner of the chunk writes plainly.
        unsafe { std::ptr::write_bytes(self.address, 0, len) };
    }

    /// A copy of the bytes as they are now.
    pub fn read(&self, offset: usize, len: usize) -> Vec<u8> {
        assert!(offset.checked_add(len).is_some_and(|end| end <= self.len));
        let mut bytes = vec![0; len];
        // SAFETY: inside the mapping, checked above.
        unsafe { std::ptr::copy_nonoverlapping(self.address.add(offset), bytes.as_mut_ptr(), len) };
        bytes
    }

    /// The bytes for the owner of a chunk that nobody writes any more.
    pub fn bytes(&self, offset: usize, len: usize) -> &[u8] {
        assert!(offset.checked_add(len).is_some_and(|end| end <= self.len));
        // SAFETY: inside the mapping, checked above; the caller's chunk is finished.
        unsafe { std::slice::from_raw_parts(self.address.add(offset), len) }
    }

    pub fn atomic_u64(&self, offset: usize) -> &AtomicU64 {
        assert!(offset.is_multiple_of(8) && offset + 8 <= self.len);
        // SAFETY: aligned and inside the mapping; shared access to it is atomic.
        unsafe { AtomicU64::from_ptr(self.address.add(offset).cast()) }
    }

    pub fn atomic_u32(&self, offset: usize) -> &AtomicU32 {
        assert!(offset.is_multiple_of(4) && offset + 4 <= self.len);
        // SAFETY: aligned and inside the mapping; shared access to it is atomic.
        unsafe { AtomicU32::from_ptr(self.address.add(offset).cast()) }
    }

    pub fn atomic_u8(&self, offset: usize) -> &AtomicU8 {
        assert!(offset < self.len);
        // SAFETY: inside the mapping; shared access to it is atomic.
        unsafe { AtomicU8::from_ptr(self.address.add(offset)) }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours and nothing borrowed from it outlives it.
        unsafe { libc::munmap(self.address.cast(), self.len) };
    }
}

/// Makes sure that the disk has room for these bytes of the file: a store into a mapped hole on a full disk would kill the program.
pub fn preallocate(file: &File, offset: u64, len: u64) -> io::Result<()> {
    match fallocate(file, offset, len) {
        Err(error) if matches!(error.raw_os_error(), Some(libc::EOPNOTSUPP | libc::ENOSYS)) => (),
        result => return result,
    }
    // File systems without fallocate: write the zeros.
    let zeros = [0u8; 4096];
    let mut at = offset;
    while at < offset + len {
        let n = zeros.len().min((offset + len - at) as usize);
        file.write_all_at(&zeros[..n], at)?;
        at += n as u64;
    }
    Ok(())
}

/// Asks for room that is going to be written to: whether there is any shows then.
pub fn allocate(file: &File, offset: u64, len: u64) {
    let _ = fallocate(file, offset, len);
}

fn fallocate(file: &File, offset: u64, len: u64) -> io::Result<()> {
    loop {
        // SAFETY: no memory is involved.
        let result = unsafe {
            libc::fallocate(
                file.as_raw_fd(),
                0,
                offset as libc::off_t,
                len as libc::off_t,
            )
        };
        if result == 0 {
            return Ok(());
        }
        let error = io::Error::last_os_error();
        // A signal came; the disk is not full.
        if error.raw_os_error() != Some(libc::EINTR) {
            return Err(error);
        }
    }
}
