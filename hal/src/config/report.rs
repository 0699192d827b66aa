//! Reports of a configuration: notes on transports, the table of settings, the values.

use oxshmem_raw::transport::TransportFactory;

use super::Config;
use super::choice::RemoteChoice;
use super::names::{ELSEWHERE, without_effect};
use super::note::{Note, NoteKind, shortened};
use super::table::table;
use crate::transports::{self, NotLinked, Preference};

impl Config {
    /// Returns notes on settings that have no effect in a program that links these transports (their names, in lower
    /// case).
    pub fn notes_on_transports(&self, linked: &[&str]) -> Vec<Note> {
        let remote: Vec<_> = transports::linked().into_iter().filter(|one| linked.contains(&one.name())).collect();
        let quoted: Vec<String> = linked.iter().map(|name| format!("`{name}`")).collect();
        let build = format!("this build has only {} compiled in", quoted.join(", "));
        let mut notes = Vec::new();
        let mut in_vain = |kind, name: &str, value: &str, why: &str| {
            notes.push(Note::new(kind, name, format!("= {} is without effect: {why}", shortened(value))));
        };
        // Another name that is not linked is an error of the world's start.
        let preferences = self.preferences(&remote);
        if preferences.is_err() && self.names_nvshmems_transport() {
            in_vain(NoteKind::NotCompiled, "REMOTE_TRANSPORT", &self.remote.to_string(), &build);
        }
        let first = preferences.ok().and_then(|preferences| preferences.into_iter().next());
        let has_ibgda = linked.contains(&transports::IBGDA);
        match &first {
            _ if self.ibgda != Some(true) => {}
            _ if !has_ibgda => in_vain(NoteKind::NotCompiled, "IB_ENABLE_IBGDA", "1", &build),
            Some(first) if first.name != transports::IBGDA => {
                let why = format!("OXSHMEM_REMOTE_TRANSPORT chooses {}, beside which it is not used", first.name);
                in_vain(NoteKind::WithoutEffect, "IB_ENABLE_IBGDA", "1", &why);
            }
            _ => {}
        }
        let Some(first) = first else { return notes };
        for other in transports::linked().iter().filter(|other| !other.names().contains(&first.name)) {
            let why = format!("the transport {} reads it, and {} was chosen", other.name(), first.name);
            for variable in other.settings().iter().filter(|variable| self.transports.is_set(variable)) {
                let name = variable.names[0].trim_start_matches("OXSHMEM_");
                in_vain(NoteKind::WithoutEffect, name, self.transports.text(variable), &why);
            }
        }
        for (name, value) in &self.unread {
            in_vain(
                NoteKind::WithoutEffect,
                name.trim_start_matches("OXSHMEM_"),
                value,
                "no linked transport reads it",
            );
        }
        notes
    }

    /// Returns the transports, out of `linked`, by which this PE may reach others, the best first; none if the
    /// configuration forbids all.
    ///
    /// # Errors
    /// The requested transport is not among them.
    pub(crate) fn preferences(&self, linked: &[&'static dyn TransportFactory]) -> Result<Vec<Preference>, NotLinked> {
        match &self.remote {
            RemoteChoice::None => Ok(Vec::new()),
            RemoteChoice::Auto => transports::preferences(None, self.ibgda, linked),
            RemoteChoice::Named(name) => transports::preferences(Some(name), self.ibgda, linked),
        }
    }

    /// Reports whether the configuration names one of NVSHMEM's transports.
    pub(crate) fn names_nvshmems_transport(&self) -> bool {
        matches!(&self.remote, RemoteChoice::Named(name) if transports::OF_NVSHMEM.contains(&name.as_str()))
    }

    /// Returns all settings as a Markdown table that reads well as plain text: names, default, range and meaning; then
    /// the names that other parts read, and those of NVSHMEM without effect here.
    pub fn help() -> String {
        let defaults = Config::new();
        let set = table().map(|setting| {
            let default = setting.show(&defaults).unwrap_or_default();
            [setting.names().join(", "), default, setting.range(), setting.help().into()]
        });
        let elsewhere = ELSEWHERE.iter().map(|(name, what)| [name.to_string(), what.to_string()]);
        let without = without_effect().map(|(name, why)| [format!("NVSHMEM_{name}"), why.to_string()]);
        [
            columns(["variable", "default", "takes", "meaning"], set),
            columns(["read from the environment alone", "meaning"], elsewhere),
            columns(["without effect", "why"], without),
        ]
        .join("\n")
    }

    /// Returns the values, as a file that would set them.
    pub fn describe(&self) -> String {
        let lines = table().filter_map(|setting| Some((setting.name(), setting.show(self)?)));
        lines.map(|(name, value)| format!("{name} = {value}\n")).collect()
    }
}

/// Returns rows under a head, each column as wide as its widest cell.
fn columns<const N: usize>(head: [&str; N], rows: impl Iterator<Item = [String; N]>) -> String {
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
