//! A place for something that every process has one of, and a child that was forked another one. What was there before stays: others may still use it.

use core::sync::atomic::{AtomicPtr, Ordering};

pub struct Latest<T: 'static>(AtomicPtr<T>);

impl<T: Sync> Latest<T> {
    pub const fn none() -> Latest<T> {
        Latest(AtomicPtr::new(core::ptr::null_mut()))
    }

    pub fn set(&self, value: T) -> &'static T {
        let value = Box::leak(Box::new(value));
        self.0.store(value, Ordering::Release);
        value
    }

    pub fn clear(&self) {
        self.0.store(core::ptr::null_mut(), Ordering::Release);
    }

    #[inline]
    pub fn get(&self) -> Option<&'static T> {
        // SAFETY: null, or leaked by `set`.
        unsafe { self.0.load(Ordering::Acquire).as_ref() }
    }
}
