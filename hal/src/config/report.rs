//! What a configuration tells: notes on what was set in vain, the table of settings, the values.

use std::fmt;

use super::names::{ELSEWHERE, without_effect};
use super::variables::variables;
use super::{Config, RemoteChoice};

/// Settings of one transport over NICs that the other has nothing to do with.
const OF_IBGDA: &[&str] = &[
    "OXSHMEM_IBGDA_NIC_HANDLER",
    "OXSHMEM_IBGDA_FORCE_NIC_BUF_MEMTYPE",
    "OXSHMEM_IBGDA_VERBS_TWIN",
    "OXSHMEM_IBGDA_DUMP",
    "OXSHMEM_IB_UDP_SPORT",
    "OXSHMEM_IB_ENABLE_RELAXED_ORDERING",
];
const OF_IBRC: &[&str] =
    &["OXSHMEM_PROXY_THREADS", "OXSHMEM_PROXY_PIN", "OXSHMEM_PROXY_GUARD_FETCHES", "OXSHMEM_PROXY_RING_DEPTH"];

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

impl Config {
    /// What was asked for that a build with the transports `compiled` (their names, in lower case) can't do.
    pub fn notes_on_transports(&self, compiled: &[&str]) -> Vec<Note> {
        let has = |name: &str| compiled.contains(&name);
        let named: Vec<String> = compiled.iter().map(|name| format!("`{name}`")).collect();
        let build = format!("this build has only {} compiled in", named.join(", "));
        let mut notes = Vec::new();
        if let RemoteChoice::Named(name) = &self.remote
            && !has(name)
        {
            let text = format!("= {name} is without effect: {build}");
            notes.push(Note::new(NoteKind::NotCompiled, "REMOTE_TRANSPORT", text));
        }
        if self.ibgda == Some(true) && !has("ibgda") {
            notes.push(Note::new(NoteKind::NotCompiled, "IB_ENABLE_IBGDA", format!("= 1 is without effect: {build}")));
        }
        if has("ibgda") || has("ibrc") {
            let (by_proxy, defaults) = (self.is_by_proxy(compiled), Config::new());
            let (others, why) = match by_proxy {
                true => (OF_IBGDA, "it is about GPUs that post to the NIC themselves, and here threads of the host do"),
                false => (OF_IBRC, "it is about threads of the host that post for GPUs, which here do it themselves"),
            };
            for variable in others.iter().filter_map(|name| variables().find(|variable| variable.names[0] == *name)) {
                let value = (variable.show)(self);
                if value != (variable.show)(&defaults) {
                    let text = format!("= {} is without effect: {why}", shortened(&value.unwrap_or_default()));
                    let name = variable.names[0].trim_start_matches("OXSHMEM_");
                    notes.push(Note::new(NoteKind::WithoutEffect, name, text));
                }
            }
        }
        notes
    }

    /// Whether threads of the host post for kernels, in a build with these transports: where both ways are compiled in
    /// it must be asked for by name, or that GPUs do it themselves be asked not to be.
    pub(crate) fn is_by_proxy(&self, compiled: &[&str]) -> bool {
        let asked = match (&self.remote, self.ibgda) {
            (RemoteChoice::Named(name), _) if name == "ibrc" => true,
            (RemoteChoice::Named(name), _) if name == "ibgda" => false,
            (_, Some(by_gpu)) => !by_gpu,
            (_, None) => false,
        };
        compiled.contains(&"ibrc") && (asked || !compiled.contains(&"ibgda"))
    }

    /// What can be set, as a Markdown table that reads well as plain text: names, default, range and meaning;
    /// then the names that other parts read, and those of NVSHMEM that set nothing here.
    pub fn help() -> String {
        let defaults = Config::new();
        let set = variables().map(|variable| {
            let default = (variable.show)(&defaults).unwrap_or_default();
            [variable.names.join(", "), default, (variable.range)(), variable.help.into()]
        });
        let elsewhere = ELSEWHERE.iter().map(|(name, what)| [name.to_string(), what.to_string()]);
        let without = without_effect().map(|(name, why)| [format!("NVSHMEM_{name}"), why.to_string()]);
        [
            table(["variable", "default", "takes", "meaning"], set),
            table(["read from the environment alone", "meaning"], elsewhere),
            table(["without effect", "why"], without),
        ]
        .join("\n")
    }

    /// The values, as a file that would set them.
    pub fn describe(&self) -> String {
        let lines = variables().filter_map(|variable| Some((variable.names[0], (variable.show)(self)?)));
        lines.map(|(name, value)| format!("{name} = {value}\n")).collect()
    }
}

/// Rows under a head, each column as wide as its widest cell.
fn table<const N: usize>(head: [&str; N], rows: impl Iterator<Item = [String; N]>) -> String {
    let mut cells = vec![head.map(String::from)];
    cells.extend(rows);
    let wide: [usize; N] =
        std::array::from_fn(|column| cells.iter().map(|row| row[column].chars().count()).max().unwrap_or(0));
    cells.insert(1, wide.map(|wide| "-".repeat(wide)));
    let line = |row: &[String; N]| -> String {
        let padded = row.iter().zip(wide).map(|(cell, wide)| format!("| {cell:wide$} "));
        padded.collect::<String>() + "|\n"
    };
    cells.iter().map(line).collect()
}
