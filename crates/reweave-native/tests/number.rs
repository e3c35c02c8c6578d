//! What can be tested without the library, which would stand in front of the test program's own libc.

#[path = "../src/serial/scheduler/number.rs"]
mod number;

use number::number_in;

#[test]
fn an_address_is_not_taken_for_the_number() {
    let mut words = vec![0; 500];
    words[5] = 0x7fff;
    words[180] = 0x7fff;
    assert_eq!(number_in(&words, 0x7fff), Some(180));
    words[180] = 0;
    assert_eq!(number_in(&words, 0x7fff), None);
    words[200] = 0x7fff;
    assert_eq!(number_in(&words, 0x7fff), Some(200));
}

#[test]
fn threads_have_their_numbers_where_they_are_looked_for() {
    let found = || {
        // SAFETY: no preconditions; glibc's record of the calling thread is longer than that.
        unsafe {
            let words = core::slice::from_raw_parts(libc::pthread_self() as *const u32, 500);
            number_in(words, libc::gettid() as u32)
        }
    };
    let of_another = std::thread::spawn(found).join().expect("no panic");
    assert!(of_another.is_some());
    assert_eq!(of_another, found());
}
