//! Notes on what was set in vain, and texts from outside in messages.

use std::fmt;

/// Something about the sources of a configuration that its user would want to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// What a program can act on.
    pub kind: NoteKind,
    /// The variable, or the key of the file, as it was written.
    pub variable: String,
    /// One sentence about it, without its name.
    pub text: String,
}

/// What a [`Note`] is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NoteKind {
    /// Known to NVSHMEM, and without effect here.
    WithoutEffect,
    /// Known to nobody.
    Unknown,
    /// Set under two names in one place; this one does not count.
    Overruled,
    /// Asks for a transport that this build does not have.
    NotCompiled,
}

impl Note {
    pub(super) fn new(kind: NoteKind, variable: &str, text: impl Into<String>) -> Self {
        Self { kind, variable: shortened(variable), text: text.into() }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.variable, self.text)
    }
}

/// A text from outside, fit for a terminal: control characters escaped, and not too much of it.
pub(super) fn shortened(text: &str) -> String {
    const MOST: usize = 80;
    let shown: String = text.chars().take(MOST).collect::<String>().escape_debug().to_string().replace("\\'", "'");
    if text.chars().nth(MOST).is_some() { format!("{shown}...") } else { shown }
}
