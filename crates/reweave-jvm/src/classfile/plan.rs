//! What the rewriter is asked to do to one class: data only. `hooks` makes plans, `rewrite` carries them out.

/// Everything to be done to one class.
#[derive(Debug, Clone, Default)]
pub struct Plan<'a> {
    /// Internal name of the helper class whose static methods are called, e.g. `java/lang/Reweave`.
    pub helper: &'a str,
    /// Fields appended to the class.
    pub fields: Vec<NewField<'a>>,
    /// Calls around every monitor acquisition; also turns synchronized methods into explicit monitors.
    pub monitors: Option<MonitorCalls<'a>>,
    /// Put in front of the name of a native synchronized method, so that a new method can take its place and its monitor. The VM must have been told
    /// to look for its native code without the prefix (JVMTI `SetNativeMethodPrefix`). `None`: such methods are skipped.
    pub native_prefix: Option<&'a str>,
    /// If not empty, `monitors` applies only to methods with these names.
    pub monitor_methods: &'a [&'a str],
    /// Call sites to be replaced by calls of the helper.
    pub calls: &'a [CallHook<'a>],
    /// Calls that are made as before, but between two calls of the helper.
    pub marks: Option<Marks<'a>>,
    /// A call before every instruction that may initialise another class.
    pub class_uses: Option<ClassUses<'a>>,
    /// Calls around accesses to memory.
    pub accesses: Option<AccessCalls<'a>>,
    /// Every method but constructors and the static initialiser runs between these calls.
    pub every_method: Option<Around<'a>>,
    /// What happens to whole methods of this class.
    pub methods: Vec<MethodHook<'a>>,
    /// Methods through which the outside world is reached.
    pub inputs: Option<InputCalls<'a>>,
    /// What is done to native methods that are not among `inputs`.
    pub natives: Option<NativeCalls<'a>>,
    /// Methods that the class inherits and that it gets as its own.
    pub overrides: &'a [Override<'a>],
    /// If set, `<clinit>` runs between these two helper calls: `enter(I)V` gets the class's `class_hash`, `leave()V` nothing.
    /// It is called on every way out, exceptions included.
    pub initialiser: Option<Around<'a>>,
}

#[derive(Debug, Clone, Copy)]
pub struct NewField<'a> {
    pub flags: u16,
    pub name: &'a str,
    pub descriptor: &'a str,
}

/// Helper methods of descriptor `(Ljava/lang/Object;I)V`: the lock and the site.
#[derive(Debug, Clone, Copy)]
pub struct MonitorCalls<'a> {
    /// Called before the monitor is entered (it may wait there).
    pub before: Option<&'a str>,
    /// Called while it is held, right after it was entered.
    pub after: Option<&'a str>,
    /// Called while it is still held, right before it is left; of descriptor `(Ljava/lang/Object;)V`.
    pub leaving: Option<&'a str>,
    /// Called right after a monitor was left; of descriptor `()V`.
    pub left: Option<&'a str>,
}

/// `owner.name descriptor` called from the class becomes `helper.method`, a static method that takes the receiver first (as
/// `receiver`, an internal class name) if there is one, then the same arguments, then the site as an int, and returns the same.
///
/// Method references (`lock::notifyAll`) become references to the helper's method of that name *without* the site.
/// `super.name()` is replaced only if `owner` is `None`: the helper would call the overriding method instead of the overridden one.
#[derive(Debug, Clone, Copy)]
pub struct CallHook<'a> {
    /// Internal name, [`ANY_ARRAY`], or `None` for any owner (methods that no class can override).
    pub owner: Option<&'a str>,
    pub name: &'a str,
    pub descriptor: &'a str,
    /// `Some(class)` for an instance method: the helper's first parameter has this class.
    pub receiver: Option<&'a str>,
    pub method: &'a str,
    /// The class of that method, if it is not the plan's helper.
    pub class: Option<&'a str>,
}

/// The owner of a [`CallHook`] that stands for all arrays.
pub const ANY_ARRAY: &str = "[";

/// Accesses to memory are put between two calls. Of an object: `reading(Object, site)` or `writing(Object, site)`, then `accessed()`.
/// Of a static: `readingStatic(Class, levels, site)`, where `levels` says in which superclass the field is declared. Of an array: `readingElement(Object, index,
/// site)`, and `storing(value, Object, index, site)` before a reference is written, which may fail because of its type. Around `super.clone()`, if that is Object's:
/// `cloning(Object, site)` and `cloned(Object)`, which gets the copy. If it is not known yet whether the field is to be ordered, the names end in `If`, and the helper gets the field's number (in place of `levels`).
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a question of its own, and any answers go together"
)]
#[derive(Clone, Copy)]
pub struct AccessCalls<'a> {
    /// Internal name of the class with these methods.
    pub helper: &'a str,
    pub fields: &'a dyn Fields,
    /// Whether array elements are meant too, except in static initialisers and in array initialisers (`fresh.rs`).
    pub elements: bool,
    /// Whether `made(Object)` is called in constructors, as soon as there is an object: in classes whose superclass has none of that.
    pub made: bool,
    /// Whether several accesses may share one pair of calls (`merge.rs`).
    pub merged: bool,
    /// Whether sites say which field they access, and every access is told of: those that share the calls of others by `alsoReading` and `alsoWriting`.
    pub named: bool,
}

impl std::fmt::Debug for AccessCalls<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            out,
            "AccessCalls({}, elements: {})",
            self.helper, self.elements
        )
    }
}

/// A field as an instruction names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FieldName<'a> {
    pub owner: &'a [u8],
    pub name: &'a [u8],
    pub descriptor: &'a [u8],
}

/// Decides which fields are ordered.
pub trait Fields: Sync {
    fn concern(&self, field: &FieldName<'_>) -> Concern;

    /// Whether what is said of fields of `owner` is the same in every run, whatever else was loaded before. `class` is the class that is being rewritten.
    fn is_settled(&self, owner: &[u8], class: &[u8]) -> bool;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Concern {
    Not,
    /// `levels`: how many superclasses up from the named class the field is declared.
    Ordered {
        levels: u8,
    },
    /// The class that declares it is not known yet; the helper has a table in which the answer will stand under this number.
    AskLater(u32),
}

/// A call of one of these methods, which may or may not be the one that is meant (its owner is not loaded yet), is announced: `before(I)V` gets the
/// site, and `after()V` is called when the method has returned. The method itself finds out.
#[derive(Debug, Clone, Copy)]
pub struct Marks<'a> {
    /// Names and descriptors.
    pub methods: &'a [(&'a str, &'a str)],
    /// Whether a method of this owner may be meant.
    pub concerns: fn(&[u8]) -> bool,
    pub before: &'a str,
    pub after: &'a str,
}

/// `method(Ljava/lang/Class;)V` gets the class, loaded but perhaps not initialised, before `new`, `getstatic`, `putstatic` and `invokestatic` on it.
#[derive(Debug, Clone, Copy)]
pub struct ClassUses<'a> {
    pub method: &'a str,
    /// Whether uses of this class are of interest.
    pub concerns: fn(&[u8]) -> bool,
}

/// Each of these methods is renamed (a native one with the prefix for natives, others to `$rw$name`), and a new one takes its place that asks the helper whether the
/// call concerns the recording, and gives or takes what it brought in. What the code looks like stands in `input.rs`.
#[derive(Debug, Clone, Copy)]
pub struct InputCalls<'a> {
    /// Internal name of the class with the methods `on`, `begin`, and so on.
    pub helper: &'a str,
    pub side: InputSide,
    pub methods: &'a [InputMethod<'a>],
}

/// Every native method of the class gets one in front of it, as [`InputCalls`] has it.
#[derive(Debug, Clone, Copy)]
pub struct NativeCalls<'a> {
    pub helper: &'a str,
    pub side: InputSide,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputSide {
    Record,
    Replay,
}

#[derive(Debug, Clone, Copy)]
pub struct InputMethod<'a> {
    pub name: &'a str,
    pub descriptor: &'a str,
    /// For the helper: what the arguments mean.
    pub rule: i32,
    pub kind: InputKind,
}

/// Which methods of that name are meant: in another JDK a native method may have become one that calls a native one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputKind {
    Native,
    WithBody,
    /// The method, which returns nothing, does nothing.
    NotDone,
}

/// A method without parameters that calls the one it overrides, hands `this` (as `class`), what that gave, and the site to `helper.method`, and returns what it gets back.
/// For methods that the VM has code of its own for: that stays in use.
#[derive(Debug, Clone, Copy)]
pub struct Override<'a> {
    /// The superclass.
    pub owner: &'a str,
    pub name: &'a str,
    /// The type of its result, a class.
    pub result: &'a str,
    pub method: &'a str,
    pub class: &'a str,
}

#[derive(Debug, Clone, Copy)]
pub struct MethodHook<'a> {
    pub name: &'a str,
    /// `None`: every method of that name.
    pub descriptor: Option<&'a str>,
    pub action: MethodAction<'a>,
}

#[derive(Debug, Clone, Copy)]
pub enum MethodAction<'a> {
    /// The helper's `method` is called first thing, with `this` (as `class`) unless static, then all parameters, then the site.
    /// Returns nothing. With `arguments: false`, only `this` (if any) and the site.
    Entry {
        method: &'a str,
        class: &'a str,
        arguments: bool,
    },
    /// First thing, parameter `index` (a reference of type `descriptor`) is replaced by `helper.method(parameter)`.
    ReplaceArgument {
        method: &'a str,
        index: usize,
        descriptor: &'a str,
    },
    /// Before each return of a method without result, which may be a constructor, `method` gets what `Entry` would have got. The method must not assign to its parameters.
    Exit { method: &'a str, class: &'a str },
    /// The body runs between `enter()V` and `leave()V`; `leave` runs on every way out.
    Around(Around<'a>),
    /// What the method is about to return, a primitive, is replaced by `helper.method(it, site)`.
    Result { method: &'a str },
    /// The method is renamed to `$rw$name` (made public and synthetic, not synchronized if `monitors` would convert it) and a new one takes its place that calls
    /// `helper.method` with `this` (as `class`), all parameters and the site, and returns what that returns.
    Redirect { method: &'a str, class: &'a str },
    /// First thing, `helper.method` is called with `this` (as `class`), all parameters and the site. It gives an int: what the method, which returns an int or a boolean,
    /// is to return at once, or, if it is negative, that the method is to go on.
    Shortcut {
        helper: &'a str,
        method: &'a str,
        class: &'a str,
    },
}

#[derive(Debug, Clone, Copy)]
pub struct Around<'a> {
    pub enter: &'a str,
    pub leave: &'a str,
}
