//! Notes on settings without effect, and texts of users in messages.

use std::fmt;

/// A note for the user on the sources of a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The kind, on which a program can act.
    pub kind: NoteKind,
    /// The variable, or the key in the file, as the user wrote it.
    pub variable: String,
    /// A sentence about the variable, without its name.
    pub text: String,
}

/// The kind of a [`Note`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NoteKind {
    /// The variable is known, and without effect here.
    WithoutEffect,
    /// The variable is unknown.
    Unknown,
    /// The setting has two names in one place, and this one has no effect.
    Overruled,
    /// The variable requests a transport that this program does not link.
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

/// Makes a user's text fit for a terminal: escapes control characters, and shortens it.
pub(super) fn shortened(text: &str) -> String {
    const MOST: usize = 80;
    let shown: String = text.chars().take(MOST).collect::<String>().escape_debug().to_string().replace("\\'", "'");
    if text.chars().nth(MOST).is_some() { format!("{shown}...") } else { shown }
}
