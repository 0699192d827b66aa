//! The settings file: lines `NAME = value`.
//!
//! A `#` at the start of a line or after white space starts a comment. Names are those of the variables, in either
//! case, and `OXSHMEM_` may be omitted. An unknown name is an error, and so is a setting that occurs twice.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use oxshmem_core::{Error, ErrorKind, Result};

use super::names::{KnownName, known, meant};
use super::note::shortened;

/// No settings file is longer, but a device or another file may be.
const MOST_BYTES: u64 = 1 << 20;

/// A line that sets something.
pub(super) struct SettingLine<'a> {
    /// The line's number, from 1.
    pub(super) number: usize,
    /// The variable's full name.
    pub(super) name: String,
    pub(super) known: KnownName,
    pub(super) value: &'a str,
}

/// Returns the lines of `text`, the file at `path`.
pub(super) fn lines<'a>(path: &Path, text: &'a str) -> Result<Vec<SettingLine<'a>>> {
    let mut seen: HashMap<String, (usize, String)> = HashMap::new();
    let mut lines = Vec::new();
    for (index, raw) in text.strip_prefix('\u{feff}').unwrap_or(text).lines().enumerate() {
        let number = index + 1;
        let fail = |reason: String| {
            Error::new(ErrorKind::Malformed, format!("read {}:{number}", shortened(&path.display().to_string())))
                .because(reason)
        };
        let line = without_comment(raw).trim();
        if line.is_empty() {
            continue;
        }
        let Some((key, value)) = line.split_once('=') else {
            return Err(fail(format!("`{}` has no `=`", shortened(line))).hint("write NAME = value"));
        };
        let (key, value) = (key.trim(), value.trim());
        let (name, known) = named(key).ok_or_else(|| {
            let unknown = fail(format!("`{}` is not a setting", shortened(key)));
            match meant(key) {
                Some(meant) => unknown.hint(format!("did you mean {meant}?")),
                None => unknown
                    .hint("`cargo oxshmem doctor` lists the settings (in oxshmem's checkout `cargo xtask doctor`)"),
            }
        })?;
        if let KnownName::Elsewhere = known {
            return Err(fail(format!("{name} is read from the environment alone")));
        }
        if value.is_empty() {
            return Err(fail(format!("{name} has no value")).hint("leave the line out for the default"));
        }
        // Two names of one setting count as the same.
        let setting = if let KnownName::Honoured(setting) = known { setting.name().to_string() } else { name.clone() };
        if let Some((first, first_name)) = seen.insert(setting, (number, name.clone())) {
            let what = if first_name == name { name } else { format!("{name}, which is {first_name},") };
            return Err(fail(format!("{what} was set at line {first} already")).hint("keep one of them"));
        }
        lines.push(SettingLine { number, name, known, value });
    }
    Ok(lines)
}

fn without_comment(line: &str) -> &str {
    let starts = |at: usize| line[..at].chars().next_back().is_none_or(char::is_whitespace);
    line.match_indices('#').map(|(at, _)| at).find(|at| starts(*at)).map_or(line, |at| &line[..at])
}

/// Returns the variable that a key names.
fn named(key: &str) -> Option<(String, KnownName)> {
    let upper = key.to_ascii_uppercase();
    let whole = format!("OXSHMEM_{upper}");
    [upper, whole].into_iter().find_map(|name| known(&name).map(|known| (name, known)))
}

/// Returns the text of the file at `path`.
pub(super) fn read(path: &Path) -> Result<String> {
    let action =
        || format!("read the settings in {}, which OXSHMEM_CONF names", shortened(&path.display().to_string()));
    let system = |call: &'static str| {
        move |error: io::Error| {
            let kind = match error.kind() {
                io::ErrorKind::NotFound => ErrorKind::NotFound,
                _ => ErrorKind::System,
            };
            let code = i64::from(error.raw_os_error().unwrap_or(0));
            Error::new(kind, action()).call(call, code, error.to_string())
        }
    };
    // Only regular files: opening a pipe would block until its other end is opened.
    if !std::fs::metadata(path).map_err(system("stat"))?.is_file() {
        return Err(Error::new(ErrorKind::InvalidArgument, action()).because("it is not a file"));
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(system("open"))?;
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(system("read"))?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(
            Error::new(ErrorKind::OutOfRange, action()).because(format!("it is longer than {MOST_BYTES} bytes"))
        );
    }
    String::from_utf8(bytes).map_err(|error| {
        let line = 1 + error.as_bytes()[..error.utf8_error().valid_up_to()].iter().filter(|b| **b == b'\n').count();
        Error::new(ErrorKind::Malformed, action()).because(format!("line {line} is not UTF-8"))
    })
}
