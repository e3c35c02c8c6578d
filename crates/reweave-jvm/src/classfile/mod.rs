//! Rewrites class files: adds fields, calls of a helper class and explicit monitors, as a [`plan::Plan`] says.
//!
//! What is promised:
//! - Every byte that the plan does not concern is copied. Constants are appended, so old indices stay valid; of the rest only Code
//!   attributes change, and flags and annotations where they would otherwise be wrong.
//! - What verified before verifies after. All code added is position-independent and leaves the stack as it was, so frames are moved,
//!   never computed; only the handlers of brackets get new ones.
//! - No input makes it panic, loop or allocate more than a small multiple of the input: hostile bytes give a [`ClassFileError`].
//! - A method that cannot take the additions is left alone and reported in [`Rewritten::skipped`].
//!
//! Not to be used on `java/lang/Object`: HotSpot takes an empty `finalize` there as "no finalizer", and a single added instruction gives
//! every class one, which crashes the VM at start. Attributes of code that neither the VM nor javac's defaults know are copied as they
//! are, even if bytecode indices in them are then out of date.

mod access;
mod addition;
mod annotations;
mod assemble;
mod bytes;
mod calls;
mod class;
mod code;
mod descriptor;
mod emit;
mod error;
mod exceptions;
mod frames;
mod fresh;
mod helper;
mod input;
mod layout;
mod member;
mod merge;
mod number;
mod opcode;
mod overrides;
mod patches;
pub mod plan;
mod pool;
mod prologue;
mod pure;
mod scan;
mod site;
mod skip;
mod splice;
mod summary;
mod synchronized;
mod tables;
#[cfg(test)]
mod tests;
mod treat;
mod wrapper;

pub use error::ClassFileError;
pub use site::{Site, SiteField, SiteId, SiteKind, class_hash};
pub use skip::{SkipReason, Skipped};
pub use summary::{Field, Method, Summary, fields, methods, peek};

use plan::Plan;
use scan::Stress;

/// What came of a class.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rewritten {
    /// The new class file; `None` if the plan changes nothing in this class.
    pub bytes: Option<Vec<u8>>,
    /// Every place from which the helper is now called with a site.
    pub sites: Vec<Site>,
    /// Methods to which the plan could not be applied, wholly or in part.
    pub skipped: Vec<Skipped>,
    /// The sites that skipped methods would have had.
    pub dropped: Vec<Site>,
    /// How many method handles now go to the helper. They have no site.
    pub handles: usize,
}

/// Carries out `plan` on a class.
pub fn rewrite(class_file: &[u8], plan: &Plan<'_>) -> Result<Rewritten, ClassFileError> {
    class::rewrite(class_file, plan, Stress::None)
}

/// Like [`rewrite`], but with a `nop` before every instruction too, so that everything that can be relocated is. For tests.
pub fn rewrite_with_nops(class_file: &[u8], plan: &Plan<'_>) -> Result<Rewritten, ClassFileError> {
    class::rewrite(class_file, plan, Stress::Nops)
}
