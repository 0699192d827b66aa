//! Settings that are fields of the configuration.

use oxshmem_raw::settings::{NOT_A_WORD, Refusal};

use super::Config;

/// A setting that is a field.
pub(super) struct ConfigField {
    /// The first name is the one shown. If several names are set in one place, the first of them takes effect.
    pub(super) names: &'static [&'static str],
    /// The meaning, in one sentence.
    pub(super) help: &'static str,
    /// Returns the accepted values, as text for users.
    pub(super) range: fn() -> String,
    /// Reads a text into the configuration. Returns the reason if the value has no effect. Fails with a clause that
    /// gives the reason.
    pub(super) set: fn(&mut Config, &str) -> Result<Option<String>, Refusal>,
    /// Fails with a clause if the value is out of range by itself.
    pub(super) check: fn(&Config) -> Result<(), String>,
    /// Returns the value as a text that `set` reads; `None` if there is no text for it.
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
