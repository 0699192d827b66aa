//! Settings that a transport brings along: variables with a type, a default and a meaning, and their values.
//!
//! The configuration parses, checks, lists and reports them in the same way as its own variables.

use std::collections::BTreeMap;

/// A variable of the environment, or of the settings file, that a transport reads.
///
/// ```
/// use oxshmem_raw::settings::{Settings, Takes, Variable};
///
/// const CHUNKS: Variable = Variable {
///     names: &["OXSHMEM_EXAMPLE_CHUNKS"],
///     takes: Takes::Number { least: 1, most: 64 },
///     auto: true,
///     default: "auto",
///     help: "Chunks in flight; auto: chosen by message size.",
/// };
/// let mut settings = Settings::default();
/// assert_eq!(settings.number(&CHUNKS), None);
/// settings.set(&CHUNKS, "8").unwrap();
/// assert_eq!(settings.number(&CHUNKS), Some(8));
/// assert!(settings.set(&CHUNKS, "65").unwrap_err().out_of_range);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Variable {
    /// All names, each with its prefix. The first is the one shown. If several are set in one place, the earliest
    /// counts.
    pub names: &'static [&'static str],
    /// The type of the value.
    pub takes: Takes,
    /// Whether the value can also be `auto`, by which the transport chooses.
    pub auto: bool,
    /// The value if none is set, in the form in which [`Settings::text`] returns it.
    pub default: &'static str,
    /// The meaning, in one sentence.
    pub help: &'static str,
}

/// The type of a [`Variable`].
#[derive(Clone, Copy, Debug)]
pub enum Takes {
    /// Yes or no: `0` or `1`, and the usual words for them.
    Flag,
    /// A whole number in a range.
    Number {
        /// The smallest.
        least: u32,
        /// The largest.
        most: u32,
    },
    /// A power of two in a range.
    PowerOfTwo {
        /// The smallest.
        least: u32,
        /// The largest.
        most: u32,
    },
    /// One of several choices. Each has one or more words, in lower case, of which the first is shown.
    Words(&'static [&'static [&'static str]]),
    /// A text of the transport's own form.
    Text {
        /// The form, for people.
        form: &'static str,
        /// Returns a clause that describes the mistake in a text.
        check: fn(&str) -> Result<(), String>,
    },
}

/// The forms of a flag, for people.
pub const FLAG_FORMS: &str = "0 or 1 (also false or true, no or yes, off or on)";
/// The reason for which a word is refused.
pub const NOT_A_WORD: &str = "it is none of its words";

/// The reason for which a value is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Whether the value has the right form and is out of range.
    pub out_of_range: bool,
    /// The reason for the refusal, as a clause.
    pub reason: String,
}

impl Refusal {
    /// Refuses a text that does not have the form of a value.
    pub fn form(reason: impl Into<String>) -> Self {
        Self { out_of_range: false, reason: reason.into() }
    }

    /// Refuses a value that is out of range.
    pub fn range(reason: impl Into<String>) -> Self {
        Self { out_of_range: true, reason: reason.into() }
    }
}

impl From<String> for Refusal {
    fn from(reason: String) -> Self {
        Self::form(reason)
    }
}

impl From<&str> for Refusal {
    fn from(reason: &str) -> Self {
        Self::form(reason)
    }
}

impl Variable {
    /// Returns the accepted values, as text for users.
    pub fn range(&self) -> String {
        let range = match self.takes {
            Takes::Flag => FLAG_FORMS.into(),
            Takes::Number { least, most } => format!("{least} to {most}"),
            Takes::PowerOfTwo { least, most } => format!("a power of two from {least} to {most}"),
            Takes::Words(words) => words.iter().map(|word| word[0]).collect::<Vec<_>>().join(", "),
            Takes::Text { form, .. } => form.into(),
        };
        match (self.auto, self.takes) {
            (false, _) => range,
            (true, Takes::Flag | Takes::Words(_)) => format!("auto, {range}"),
            (true, _) => format!("auto, or {range}"),
        }
    }

    /// Checks a text and returns the form in which it is kept.
    ///
    /// # Errors
    /// The text is not a value of this variable, or out of range.
    pub fn canonical(&self, text: &str) -> Result<String, Refusal> {
        if self.auto && text.eq_ignore_ascii_case("auto") {
            return Ok("auto".into());
        }
        match self.takes {
            Takes::Flag => parse_flag(text).map(|flag| u8::from(flag).to_string()).map_err(Refusal::form),
            Takes::Number { least, most } => {
                let value = parse_number(text).map_err(Refusal::form)?;
                within(value, least, most).map_err(Refusal::range)?;
                Ok(value.to_string())
            }
            Takes::PowerOfTwo { least, most } => {
                let value = parse_number(text).map_err(Refusal::form)?;
                power_of_two(value, least, most).map_err(Refusal::range)?;
                Ok(value.to_string())
            }
            Takes::Words(choices) => {
                let is_said = |words: &&&[&str]| words.iter().any(|word| text.eq_ignore_ascii_case(word));
                let said = choices.iter().find(is_said).ok_or_else(|| Refusal::form(NOT_A_WORD))?;
                Ok(said[0].into())
            }
            Takes::Text { check, .. } => check(text).map(|()| text.into()).map_err(Refusal::form),
        }
    }
}

/// The values of transports' variables. A variable without a value has its default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings(BTreeMap<&'static str, String>);

impl Settings {
    /// Sets a variable.
    ///
    /// # Errors
    /// As [`Variable::canonical`]; the value stays as it was.
    pub fn set(&mut self, variable: &'static Variable, text: &str) -> Result<(), Refusal> {
        let value = variable.canonical(text)?;
        match value == variable.default {
            true => self.0.remove(variable.names[0]),
            false => self.0.insert(variable.names[0], value),
        };
        Ok(())
    }

    /// Returns a variable's value as a text, in its canonical form.
    pub fn text<'a>(&'a self, variable: &Variable) -> &'a str {
        self.0.get(variable.names[0]).map_or(variable.default, String::as_str)
    }

    /// Returns the value of a flag; `None` for `auto`.
    pub fn flag(&self, variable: &Variable) -> Option<bool> {
        parse_flag(self.text(variable)).ok()
    }

    /// Returns the value of a number; `None` for `auto`.
    pub fn number(&self, variable: &Variable) -> Option<u32> {
        parse_number(self.text(variable)).ok()
    }

    /// Reports whether a variable has another value than its default.
    pub fn is_set(&self, variable: &Variable) -> bool {
        self.0.contains_key(variable.names[0])
    }
}

/// Reads yes or no, in any of its usual words.
///
/// # Errors
/// A clause that describes the mistake in the text.
pub fn parse_flag(text: &str) -> Result<bool, String> {
    match text.to_ascii_lowercase().as_str() {
        "0" | "false" | "no" | "off" | "n" | "f" => Ok(false),
        "1" | "true" | "yes" | "on" | "y" | "t" => Ok(true),
        _ => Err("it is neither yes nor no".into()),
    }
}

/// Reads a whole number of decimal digits, without a sign.
///
/// # Errors
/// A clause that describes the mistake in the text.
pub fn parse_number(text: &str) -> Result<u32, String> {
    let all_digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let value = all_digits.then(|| text.parse().ok()).flatten();
    value.ok_or_else(|| "it is not a whole number of 32 bits".into())
}

/// Checks that a value is in a range, ends included.
///
/// # Errors
/// A clause that names the side on which the value is out of range.
pub fn within(value: u32, least: u32, most: u32) -> Result<(), String> {
    match value {
        _ if value < least => Err(format!("{value} is too small")),
        _ if value > most => Err(format!("{value} is too large")),
        _ => Ok(()),
    }
}

/// Checks that a value is a power of two in a range, ends included.
///
/// # Errors
/// A clause that describes the mistake.
pub fn power_of_two(value: u32, least: u32, most: u32) -> Result<(), String> {
    within(value, least, most)?;
    if value.is_power_of_two() { Ok(()) } else { Err("it is not a power of two".into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn variable(takes: Takes, auto: bool, default: &'static str) -> Variable {
        Variable { names: &["OXSHMEM_A", "NVSHMEM_A"], takes, auto, default, help: "An example." }
    }

    #[test]
    fn a_value_is_kept_in_one_form_whatever_its_words() {
        let words: &[&[&str]] = &[&["gpumem", "gpu"], &["hostmem", "host"]];
        for (takes, text, kept) in [
            (Takes::Flag, "Yes", "1"),
            (Takes::Flag, "off", "0"),
            (Takes::Flag, "AUTO", "auto"),
            (Takes::Number { least: 1, most: 64 }, "007", "7"),
            (Takes::PowerOfTwo { least: 64, most: 65536 }, "64", "64"),
            (Takes::Words(words), "HOST", "hostmem"),
            (Takes::Text { form: "anything", check: |_| Ok(()) }, "a b", "a b"),
        ] {
            assert_eq!(variable(takes, true, "auto").canonical(text).as_deref(), Ok(kept), "{takes:?}");
        }
    }

    #[test]
    fn a_refused_value_leaves_the_setting_as_it_was_and_says_whether_it_is_out_of_range() {
        static DEPTH: Variable = variable(Takes::PowerOfTwo { least: 64, most: 256 }, false, "128");
        let mut settings = Settings::default();
        settings.set(&DEPTH, "256").unwrap();
        for (text, out_of_range) in
            [("32", true), ("512", true), ("100", true), ("", false), ("+64", false), ("auto", false)]
        {
            assert_eq!(settings.set(&DEPTH, text).unwrap_err().out_of_range, out_of_range, "{text}");
        }
        assert_eq!((settings.number(&DEPTH), settings.is_set(&DEPTH)), (Some(256), true));
        settings.set(&DEPTH, "128").unwrap();
        assert_eq!(settings, Settings::default(), "the default is no setting");
    }
}
