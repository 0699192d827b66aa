//! The sources of settings: the file, then the environment. The program sets values later, by the functions of
//! [`Config`].

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use oxshmem_core::{Error, ErrorKind, Result};

use super::names::{KnownName, known, meant};
use super::note::{Note, NoteKind, shortened};
use super::table::{Setting, table};
use super::{Config, file};

/// The variable that names the file.
const CONF: &str = "OXSHMEM_CONF";

impl Config {
    /// Reads the configuration from the file that `OXSHMEM_CONF` names, if it is set, and then from the environment.
    ///
    /// # Errors
    ///
    /// The file can't be read, or has an unknown or repeated name; or a value is malformed or out of range: the error
    /// has the variable, where it was set, the value and the accepted values.
    pub fn from_env() -> Result<Self> {
        Self::from_variables(std::env::vars_os())
    }

    /// Reads as [`Config::from_env`], from this environment.
    pub(super) fn from_variables(env: impl Iterator<Item = (OsString, OsString)>) -> Result<Self> {
        let mut ours = Vec::new();
        let mut conf = None;
        for (name, value) in env {
            let Some(name) = name.to_str().filter(|name| is_ours(name)) else { continue };
            if name == CONF {
                conf = conf.or(Some(PathBuf::from(value)).filter(|path| !path.as_os_str().is_empty()));
                continue;
            }
            let value = match value.into_string() {
                Ok(value) => value,
                Err(value) if matches!(known(name), Some(KnownName::Honoured(_))) => {
                    let shown = shortened(&value.to_string_lossy());
                    return Err(Error::new(ErrorKind::InvalidArgument, format!("use {name} = {shown}"))
                        .because("it is not UTF-8"));
                }
                Err(value) => value.to_string_lossy().into_owned(),
            };
            ours.push((name.to_string(), value));
        }
        let text = conf.as_deref().map(file::read).transpose()?;
        Self::from_sources(conf.as_deref().zip(text.as_deref()), ours.into_iter())
    }

    /// Reads the configuration from a file (its path, for messages, and its text) and then from an environment (names
    /// and values; others' variables are skipped, and an empty value counts as not set).
    ///
    /// # Errors
    ///
    /// As [`Config::from_env`].
    pub fn from_sources(file: Option<(&Path, &str)>, env: impl Iterator<Item = (String, String)>) -> Result<Self> {
        let mut config = Self::new();
        if let Some((path, text)) = file {
            config.take_file(path, text)?;
        }
        config.take_environment(env)?;
        config.check()?;
        Ok(config)
    }

    fn take_file(&mut self, path: &Path, text: &str) -> Result<()> {
        let lines = file::lines(path, text)?;
        // In the order of the table, because the order of lines means nothing.
        for setting in table() {
            for line in lines.iter().filter(|line| setting.names().contains(&line.name.as_str())) {
                self.take(setting, &line.name, line.value, Origin::Line(path, line.number))?;
            }
        }
        for line in &lines {
            match line.known {
                KnownName::WithoutEffect(why) => {
                    let text = format!("({}) {}", Origin::Line(path, line.number), in_vain(why));
                    self.notes.push(Note::new(NoteKind::WithoutEffect, &line.name, text));
                }
                KnownName::OfTransport => drop(self.unread.insert(line.name.clone(), line.value.into())),
                _ => {}
            }
        }
        Ok(())
    }

    fn take_environment(&mut self, env: impl Iterator<Item = (String, String)>) -> Result<()> {
        // Sorted, so that notes have the same order each time. As with getenv, the first of equal names counts.
        let mut set: BTreeMap<String, String> = BTreeMap::new();
        for (name, value) in env.filter(|(name, value)| is_ours(name) && !value.trim().is_empty()) {
            set.entry(name).or_insert(value);
        }
        for setting in table() {
            let mut names = setting.names().iter().filter_map(|name| set.get_key_value(*name));
            let Some((name, value)) = names.next() else { continue };
            self.take(setting, name, value.trim(), Origin::Environment)?;
            for (other, _) in names.filter(|(_, other)| other.trim() != value.trim()) {
                let text = format!("does not count: {name} is set too, and goes before it");
                self.notes.push(Note::new(NoteKind::Overruled, other, text));
            }
        }
        for (name, value) in &set {
            match known(name) {
                Some(KnownName::OfTransport) => drop(self.unread.insert(name.clone(), value.trim().into())),
                Some(KnownName::WithoutEffect(why)) => {
                    self.notes.push(Note::new(NoteKind::WithoutEffect, name, in_vain(why)));
                }
                Some(_) => {}
                None => {
                    let hint = meant(name).map(|meant| format!("; did you mean {meant}?")).unwrap_or_default();
                    self.notes.push(Note::new(NoteKind::Unknown, name, format!("is not a known variable{hint}")));
                }
            }
        }
        Ok(())
    }

    /// Reads one value, and checks it while its origin is known.
    fn take(&mut self, setting: Setting, name: &str, value: &str, origin: Origin<'_>) -> Result<()> {
        let fail = |kind, reason| {
            Error::new(kind, format!("use {name} = {} ({origin})", shortened(value)))
                .because(reason)
                .hint(format!("it takes {}", setting.range()))
        };
        let in_vain_because = setting.set(self, value).map_err(|refusal| {
            let kind = if refusal.out_of_range { ErrorKind::OutOfRange } else { ErrorKind::InvalidArgument };
            fail(kind, refusal.reason)
        })?;
        setting.check(self).map_err(|reason| fail(ErrorKind::OutOfRange, reason))?;
        if let Some(why) = in_vain_because {
            self.notes.push(Note::new(
                NoteKind::WithoutEffect,
                name,
                format!("= {} {}", shortened(value), in_vain(&why)),
            ));
        }
        Ok(())
    }
}

impl Config {
    /// Sets a variable by name, as a line of the settings file would. This is the only way to set the variables that
    /// transports bring along.
    ///
    /// # Errors
    ///
    /// The name is not that of a setting, or the value is refused; the error gives the accepted values.
    pub fn with_setting(mut self, name: &str, value: &str) -> Result<Self> {
        match known(name) {
            Some(KnownName::Honoured(setting)) => self.take(setting, name, value.trim(), Origin::Code)?,
            _ => {
                let unknown = Error::new(ErrorKind::NotFound, format!("set {}", shortened(name)));
                return Err(unknown.because("no part of this program reads a variable of this name"));
            }
        }
        Ok(self)
    }

    /// Returns the value of a variable by name, as a text; `None` if the variable is unknown or has no text.
    pub fn setting(&self, name: &str) -> Option<String> {
        match known(name) {
            Some(KnownName::Honoured(setting)) => setting.show(self),
            _ => None,
        }
    }
}

/// Reports whether a variable of the environment belongs to this library, also if written in lower case by mistake.
fn is_ours(name: &str) -> bool {
    ["OXSHMEM_", "NVSHMEM_"].iter().any(|ours| {
        name.get(..ours.len()).is_some_and(|prefix| prefix.eq_ignore_ascii_case(ours)) && name.len() > ours.len()
    })
}

fn in_vain(why: &str) -> String {
    format!("is without effect: {why}")
}

/// The place where a value was set.
#[derive(Clone, Copy)]
enum Origin<'a> {
    Environment,
    Code,
    Line(&'a Path, usize),
}

impl fmt::Display for Origin<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Environment => f.write_str("in the environment"),
            Self::Code => f.write_str("by the program"),
            Self::Line(path, number) => write!(f, "{}:{number}", shortened(&path.display().to_string())),
        }
    }
}
