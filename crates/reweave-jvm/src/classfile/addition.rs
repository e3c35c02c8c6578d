//! What is to be added to one method's bytecode, before it is known where that will end up.
//!
//! Everything added is position-independent and leaves the stack as it found it, so the method's own stack map frames stay true and only
//! have to be moved. The handlers of brackets and the one jump of a prologue are the only new places that need a frame.

use std::ops::Range;

/// Runs before the first instruction; a branch to that instruction does not run it again.
#[derive(Debug, Default)]
pub(super) struct Prologue {
    pub code: Vec<u8>,
    /// How deep the stack gets in it.
    pub stack: usize,
    /// Where it is jumped to, with an int on the stack and the locals that the method starts with.
    pub goes_on_at: Option<usize>,
    /// What has to be undone on every way out, outermost first.
    pub brackets: Vec<Bracket>,
}

impl Prologue {
    pub fn is_empty(&self) -> bool {
        self.code.is_empty() && self.brackets.is_empty()
    }

    /// Called while code that needs `words` on an empty stack is written.
    pub fn needs_stack(&mut self, words: usize) {
        self.stack = self.stack.max(words);
    }

    /// Runs before each return: the exits, innermost first.
    pub fn epilogue(&self) -> Vec<u8> {
        self.brackets
            .iter()
            .rev()
            .flat_map(|bracket| bracket.exit.iter().copied())
            .collect()
    }
}

/// Something begun in the prologue that has to end whichever way the method is left.
#[derive(Debug)]
pub(super) struct Bracket {
    /// From here on in the prologue it has begun.
    pub held_from: usize,
    /// Ends it; needs at most one word of stack.
    pub exit: Vec<u8>,
    /// How much of `exit` runs again if it throws. As javac does it, that is a `monitorexit`: the VM expects to find it inside its own range. What comes
    /// after it does not: the monitor is free then, and releasing it again would fail, again and again.
    pub retried: usize,
    pub kind: BracketKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BracketKind {
    /// A helper call.
    Calls,
    /// A monitor.
    Monitor(Lock),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lock {
    /// In local variable 0, which the handler's frame has to mention.
    This,
    Class,
}

/// Changes to single instructions, in the order of the bytecode.
#[derive(Debug, Default)]
pub(super) struct Edits {
    pub list: Vec<Edit>,
    /// The code that `list` refers to.
    pub code: Vec<u8>,
    /// By how much the added code deepens the stack at most.
    pub stack: usize,
}

#[derive(Debug, Clone)]
pub(super) struct Edit {
    /// The instruction, by its index before rewriting.
    pub at: usize,
    /// The one after it.
    pub next: usize,
    /// Code before it, executed also by those who branch to it.
    pub before: Range<usize>,
    /// Code after it, executed when it completes.
    pub after: Range<usize>,
    pub instead: Instead,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Instead {
    /// The instruction stays.
    Same,
    /// It stays and the epilogue comes right before it.
    SameAfterEpilogue,
    /// It stays; the epilogue comes first, then the code before it.
    SameAfterEpilogueFirst,
    /// `invokestatic` of this constant.
    CallStatic(u16),
}

impl Edits {
    pub fn clear(&mut self) {
        self.list.clear();
        self.code.clear();
        self.stack = 0;
    }

    pub fn needs_stack(&mut self, words: usize) {
        self.stack = self.stack.max(words);
    }

    /// The edit of the instruction at `at`, if there is one.
    pub fn find(&self, at: usize) -> Option<&Edit> {
        self.list
            .binary_search_by_key(&at, |edit| edit.at)
            .ok()
            .map(|found| &self.list[found])
    }

    /// The edit of the instruction that ends at `next`, if there is one.
    pub fn find_ending(&self, next: usize) -> Option<&Edit> {
        self.list
            .binary_search_by_key(&next, |edit| edit.next)
            .ok()
            .map(|found| &self.list[found])
    }

    pub fn bytes(&self, range: &Range<usize>) -> &[u8] {
        self.code.get(range.clone()).unwrap_or_default()
    }
}
