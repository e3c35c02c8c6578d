//! How a JVM that a build tool or script started can be started again without that tool.

/// What the JVM found when it began.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Launch {
    /// Absolute path of what was executed.
    pub executable: String,
    pub directory: String,
    /// With the name of the program first.
    pub arguments: Vec<String>,
    /// Short files named by the arguments that such tools make for one run and remove afterwards.
    pub files: Vec<KeptFile>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptFile {
    /// Absolute.
    pub path: String,
    pub bytes: Vec<u8>,
}

impl Launch {
    /// As it stands in a table: every text and every file is u32 length and bytes, every list u32 length and elements.
    pub(crate) fn put(&self, out: &mut Vec<u8>) {
        put(out, self.executable.as_bytes());
        put(out, self.directory.as_bytes());
        put_length(out, self.arguments.len());
        for argument in &self.arguments {
            put(out, argument.as_bytes());
        }
        put_length(out, self.files.len());
        for file in &self.files {
            put(out, file.path.as_bytes());
            put(out, &file.bytes);
        }
    }

    /// The launch at the start of `bytes` and what is behind it; `None` if they are something else.
    pub(crate) fn read(bytes: &[u8]) -> Option<(Launch, &[u8])> {
        let mut rest = bytes;
        let executable = text(&mut rest)?;
        let directory = text(&mut rest)?;
        // The lengths of lists are not believed: they grow only as elements are really there.
        let mut arguments = Vec::new();
        for _ in 0..length(&mut rest)? {
            arguments.push(text(&mut rest)?);
        }
        let mut files = Vec::new();
        for _ in 0..length(&mut rest)? {
            files.push(KeptFile {
                path: text(&mut rest)?,
                bytes: part(&mut rest)?.to_vec(),
            });
        }
        let launch = Launch {
            executable,
            directory,
            arguments,
            files,
        };
        Some((launch, rest))
    }
}

fn put_length(out: &mut Vec<u8>, length: usize) {
    out.extend_from_slice(&(length as u32).to_le_bytes());
}

fn put(out: &mut Vec<u8>, bytes: &[u8]) {
    put_length(out, bytes.len());
    out.extend_from_slice(bytes);
}

fn length(rest: &mut &[u8]) -> Option<u32> {
    let (length, behind) = rest.split_first_chunk()?;
    *rest = behind;
    Some(u32::from_le_bytes(*length))
}

fn part<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = length(rest)? as usize;
    let (part, behind) = rest.split_at_checked(length)?;
    *rest = behind;
    Some(part)
}

fn text(rest: &mut &[u8]) -> Option<String> {
    Some(std::str::from_utf8(part(rest)?).ok()?.to_owned())
}
