//! A method's Code attribute, split into its parts, and the source lines it records.

use super::bytes::Reader;
use super::error::ClassFileError;
use super::opcode::Bytecode;
use super::pool::Pool;

#[derive(Debug, Clone, Copy)]
pub(super) struct Code<'a> {
    pub max_stack: u16,
    pub max_locals: u16,
    pub bytecode: Bytecode<'a>,
    pub exception_count: u16,
    /// Eight bytes an entry: start, end, handler, type.
    pub exceptions: Reader<'a>,
    pub attribute_count: u16,
    pub attributes: Reader<'a>,
    /// The whole attribute, without name and length.
    pub whole: &'a [u8],
}

impl<'a> Code<'a> {
    pub fn parse(mut reader: Reader<'a>) -> Result<Self, ClassFileError> {
        let whole = reader.rest();
        let max_stack = reader.u2("maximum stack")?;
        let max_locals = reader.u2("maximum locals")?;
        let offset = reader.offset();
        let length = reader.length("code length")?;
        if length > usize::from(u16::MAX) {
            return Err(ClassFileError::Malformed {
                what: "code length",
                offset,
            });
        }
        let bytecode = Bytecode {
            offset: reader.offset(),
            bytes: reader.take(length, "bytecode")?,
        };
        let exception_count = reader.u2("exception table length")?;
        let exceptions = reader.part(usize::from(exception_count) * 8, "exception table")?;
        let attribute_count = reader.u2("attribute count")?;
        Ok(Code {
            max_stack,
            max_locals,
            bytecode,
            exception_count,
            exceptions,
            attribute_count,
            attributes: reader,
            whole,
        })
    }

    /// Name, name index and contents of each attribute of the code.
    pub fn for_each_attribute<E: From<ClassFileError>>(
        &self,
        pool: &Pool<'_>,
        mut visit: impl FnMut(&[u8], u16, Reader<'a>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut reader = self.attributes;
        for _ in 0..self.attribute_count {
            let name_index = reader.u2("attribute name")?;
            let length = reader.length("attribute length")?;
            let contents = reader.part(length, "attribute")?;
            visit(pool.utf8(name_index)?, name_index, contents)?;
        }
        Ok(())
    }
}

/// Which source line each instruction belongs to.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// Sorted by bytecode index.
    starts: Vec<(u16, u16)>,
    /// The constant `LineNumberTable`, if the method has line numbers.
    pub name_index: Option<u16>,
}

impl Lines {
    pub fn read(code: &Code<'_>, pool: &Pool<'_>) -> Result<Self, ClassFileError> {
        let mut lines = Lines::default();
        code.for_each_attribute(pool, |name, name_index, mut contents| {
            if name != b"LineNumberTable" {
                return Ok(());
            }
            lines.name_index = Some(name_index);
            // Not reserved ahead: the count may be a lie.
            for _ in 0..contents.u2("line count")? {
                lines
                    .starts
                    .push((contents.u2("line start")?, contents.u2("line number")?));
            }
            Ok::<(), ClassFileError>(())
        })?;
        // Stable, so of several lines for one index the last counts.
        lines.starts.sort_by_key(|&(start, _)| start);
        Ok(lines)
    }

    /// 0 if unknown.
    pub fn at(&self, index: u16) -> u16 {
        let after = self.starts.partition_point(|&(start, _)| start <= index);
        after
            .checked_sub(1)
            .and_then(|last| self.starts.get(last))
            .map_or(0, |&(_, line)| line)
    }

    pub fn first(&self) -> u16 {
        self.at(0)
    }
}
