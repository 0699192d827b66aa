//! A setting that is a field of the configuration, and what such settings have in common.

use oxshmem_raw::settings::{NOT_A_WORD, Refusal};

use super::Config;

/// One thing that can be set.
pub(super) struct ConfigField {
    /// The first is the one that we tell; where several are set in one place, the first of them counts.
    pub(super) names: &'static [&'static str],
    /// One sentence.
    pub(super) help: &'static str,
    /// What it takes.
    pub(super) range: fn() -> String,
    /// Reads a text into the configuration; may answer why that has no effect. Fails with a clause that says why.
    pub(super) set: fn(&mut Config, &str) -> Result<Option<String>, Refusal>,
    /// Fails with a clause if the value is out of range by itself.
    pub(super) check: fn(&Config) -> Result<(), String>,
    /// The value as a text that `set` reads, if there is one to show.
    pub(super) show: fn(&Config) -> Option<String>,
}

pub(super) fn is(text: &str, word: &str) -> bool {
    text.eq_ignore_ascii_case(word)
}

pub(super) fn taken<T>(value: T, take: impl FnOnce(T)) -> Result<Option<String>, Refusal> {
    take(value);
    Ok(None)
}

pub(super) fn word<T>(
    text: &str,
    parse: fn(&str) -> Option<T>,
    take: impl FnOnce(T),
) -> Result<Option<String>, Refusal> {
    taken(parse(text).ok_or(NOT_A_WORD)?, take)
}

pub(super) fn bit(value: bool) -> Option<String> {
    Some(u8::from(value).to_string())
}
