//! Where glibc keeps the number of a thread.

/// Which word of glibc's record of a thread is its number. It was the same one in all versions so far, and in any case begins a pair: the second of a pair may be the upper
/// half of an address, 0x7fff, and a thread may have that number.
pub fn number_in(words: &[u32], number: u32) -> Option<usize> {
    const USUAL: usize = 0x2d0 / 4;
    core::iter::once(USUAL)
        .chain((0..words.len()).step_by(2))
        .find(|&index| words.get(index) == Some(&number))
}
