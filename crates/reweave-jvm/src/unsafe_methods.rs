// The methods of the JDK's Unsafe that access memory of objects, made from their parts: types, operations, modes. Included by the build script, which writes a
// Java method for each, and by the hook list; a test compares it with the methods that the JDKs have.

/// An access that Unsafe offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnsafeMethod {
    /// As the JDK calls it.
    pub name: String,
    /// What is called in its place: weak operations may fail for no reason, so the strong ones do their work.
    pub strong: String,
    /// Type of the value, in a descriptor and in Java.
    pub value: (&'static str, &'static str),
    pub shape: Shape,
}

/// What an access takes, besides the object and the offset, and gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Nothing, the value.
    Get,
    /// A value, nothing.
    Put,
    /// Whether the bytes are in the other order, the value.
    GetInOrder,
    /// A value and whether its bytes are in the other order, nothing.
    PutInOrder,
    /// A value, the old one.
    Exchange,
    /// Two values, whether it was done.
    CompareAndSet,
    /// Two values, the old one.
    CompareAndExchange,
}

impl UnsafeMethod {
    /// Whether it is a read or write like that of a plain field.
    pub fn is_plain(&self) -> bool {
        let operand = ["get", "put"]
            .iter()
            .find_map(|operation| self.name.strip_prefix(operation));
        operand.is_some_and(|operand| {
            let operand = operand.strip_suffix("Unaligned").unwrap_or(operand);
            TYPES.iter().any(|(name, ..)| *name == operand)
        })
    }

    pub fn descriptor(&self) -> String {
        let value = self.value.0;
        match self.shape {
            Shape::Get => format!("(Ljava/lang/Object;J){value}"),
            Shape::Put => format!("(Ljava/lang/Object;J{value})V"),
            Shape::GetInOrder => format!("(Ljava/lang/Object;JZ){value}"),
            Shape::PutInOrder => format!("(Ljava/lang/Object;J{value}Z)V"),
            Shape::Exchange => format!("(Ljava/lang/Object;J{value}){value}"),
            Shape::CompareAndSet => format!("(Ljava/lang/Object;J{value}{value})Z"),
            Shape::CompareAndExchange => format!("(Ljava/lang/Object;J{value}{value}){value}"),
        }
    }
}

/// Name in method names, in descriptors, in Java.
const TYPES: &[(&str, &str, &str)] = &[
    ("Int", "I", "int"),
    ("Long", "J", "long"),
    ("Reference", "Ljava/lang/Object;", "Object"),
    ("Boolean", "Z", "boolean"),
    ("Byte", "B", "byte"),
    ("Short", "S", "short"),
    ("Char", "C", "char"),
    ("Float", "F", "float"),
    ("Double", "D", "double"),
];

/// Types of several bytes that may lie at any address.
const ALIGNED: &[&str] = &["Reference", "Boolean", "Byte", "Float", "Double"];

/// Operation, its modes, its shape, and the types that do not have it.
const OPERATIONS: &[(&str, &[&str], Shape, &[&str])] = &[
    (
        "get",
        &["", "Volatile", "Acquire", "Opaque"],
        Shape::Get,
        &[],
    ),
    (
        "put",
        &["", "Volatile", "Release", "Opaque"],
        Shape::Put,
        &[],
    ),
    ("get", &["Unaligned"], Shape::Get, ALIGNED),
    ("get", &["Unaligned"], Shape::GetInOrder, ALIGNED),
    ("put", &["Unaligned"], Shape::Put, ALIGNED),
    ("put", &["Unaligned"], Shape::PutInOrder, ALIGNED),
    ("compareAndSet", &[""], Shape::CompareAndSet, &[]),
    (
        "weakCompareAndSet",
        &["", "Plain", "Acquire", "Release"],
        Shape::CompareAndSet,
        &[],
    ),
    (
        "compareAndExchange",
        &["", "Acquire", "Release"],
        Shape::CompareAndExchange,
        &[],
    ),
    (
        "getAndSet",
        &["", "Acquire", "Release"],
        Shape::Exchange,
        &[],
    ),
    (
        "getAndAdd",
        &["", "Acquire", "Release"],
        Shape::Exchange,
        &["Reference", "Boolean"],
    ),
    (
        "getAndBitwiseOr",
        &["", "Acquire", "Release"],
        Shape::Exchange,
        &["Reference", "Float", "Double"],
    ),
    (
        "getAndBitwiseAnd",
        &["", "Acquire", "Release"],
        Shape::Exchange,
        &["Reference", "Float", "Double"],
    ),
    (
        "getAndBitwiseXor",
        &["", "Acquire", "Release"],
        Shape::Exchange,
        &["Reference", "Float", "Double"],
    ),
];

/// All of them. Names with `Reference` have an older form with `Object` in some JDKs, see [`old_name`].
pub fn unsafe_methods() -> Vec<UnsafeMethod> {
    let mut all = vec![];
    for &(operation, modes, shape, without) in OPERATIONS {
        for &(name, descriptor, java) in TYPES.iter().filter(|kind| !without.contains(&kind.0)) {
            for mode in modes {
                let strong = match operation {
                    "weakCompareAndSet" => format!("compareAndSet{name}"),
                    _ => format!("{operation}{name}{mode}"),
                };
                all.push(UnsafeMethod {
                    name: format!("{operation}{name}{mode}"),
                    strong,
                    value: (descriptor, java),
                    shape,
                });
            }
        }
    }
    all
}

/// What the method was called in older JDKs, if that differs.
pub fn old_name(name: &str) -> Option<String> {
    name.contains("Reference")
        .then(|| name.replace("Reference", "Object"))
}
