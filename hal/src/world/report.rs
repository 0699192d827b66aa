//! Reports of a world at its start: notes for its user, the hardware found, and the choices made.

use log::Level;
use oxshmem_core::Pe;

use super::World;
use crate::config::{Config, Verbosity, size_text};
use crate::{messages, transports};

/// Reports notes that concern this PE alone.
pub(super) fn note<'a>(config: &Config, notes: impl IntoIterator<Item = &'a String>) {
    notes.into_iter().for_each(|note| messages::emit(Level::Warn, config.debug >= Verbosity::Warn, note));
}

/// Returns the note of PE 0 for all if the heap's first extent has more bytes for the program than were configured.
pub(super) fn rounded(config: &Config, me: Pe, bytes: u64) -> Option<String> {
    let text =
        || format!("OXSHMEM_SYMMETRIC_SIZE = {} is rounded up to {}", size_text(config.heap_bytes), size_text(bytes));
    (me.number() == 0 && bytes > config.heap_bytes).then(text)
}

impl World {
    /// Reports the world. PE 0 reports for all, since the PEs agree on these facts.
    pub(super) fn report(&self) {
        if self.me.number() == 0 {
            for message in messages(&self.config, &self.machine(), self.n_pes) {
                messages::emit(message.level, message.is_wanted, &message.text);
            }
        }
        let is_wanted = self.config.debug >= Verbosity::Info;
        if !is_wanted && !messages::is_logged(Level::Info) {
            return;
        }
        // The queues and devices that a PE uses are its own.
        for transport in self.transports() {
            let about = transport.describe();
            let lines = about.lines().filter(|_| about != transport.name());
            lines.for_each(|line| {
                messages::emit(Level::Info, is_wanted, &format!("{}, {}: {line}", self.me, transport.name()));
            });
        }
    }
}

struct Message {
    level: Level,
    /// Whether it goes to standard error if there is no logger.
    is_wanted: bool,
    text: String,
}

fn messages(config: &Config, machine: &str, n_pes: u32) -> Vec<Message> {
    let linked = transports::names();
    let late = config.notes_on_transports(&linked.iter().map(String::as_str).collect::<Vec<_>>());
    let version = format!("version {}", env!("CARGO_PKG_VERSION"));
    let mut messages = vec![Message { level: Level::Info, is_wanted: config.reports_version(), text: version }];
    messages.extend(config.notes().iter().chain(&late).map(|note| Message {
        level: Level::Warn,
        is_wanted: config.debug >= Verbosity::Warn,
        text: note.to_string(),
    }));
    let world = format!("{n_pes} PEs; PE 0 runs on {machine}; transports: {}", linked.join(", "));
    messages.extend(std::iter::once(world).chain(config.describe().lines().map(str::to_owned)).map(|text| Message {
        level: Level::Info,
        is_wanted: config.print_info || config.debug >= Verbosity::Info,
        text,
    }));
    messages
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(variables: &[(&str, &str)]) -> String {
        let variables = variables.iter().map(|(name, value)| (name.to_string(), value.to_string()));
        let messages = messages(&Config::from_sources(None, variables).unwrap(), "host threads", 2);
        let wanted = messages.iter().filter(|message| message.is_wanted);
        wanted.map(|message| messages::line(message.level, &message.text)).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn pe_0_notes_that_the_heap_has_more_bytes_than_were_asked_for() {
        let config = Config::new().with_heap_bytes(512);
        let note = "OXSHMEM_SYMMETRIC_SIZE = 512 bytes is rounded up to 2 MiB";
        assert_eq!(rounded(&config, Pe::new(0), 2 << 20).as_deref(), Some(note));
        assert_eq!((rounded(&config, Pe::new(1), 2 << 20), rounded(&config, Pe::new(0), 512)), (None, None));
    }

    #[test]
    fn a_world_says_nothing_unless_something_was_set_in_vain_or_asked_for() {
        assert_eq!(said(&[]), "");
        let vain = [("OXSHMEM_NVSHMEM_LIKE", "1"), ("OXSHMEM_WAIT_LIMITS", "5s")];
        let notes = said(&vain);
        assert!(notes.contains("note: OXSHMEM_NVSHMEM_LIKE"), "{notes}");
        assert!(notes.contains("note: OXSHMEM_WAIT_LIMITS"), "{notes}");
        let quiet = said(&[vain[0], vain[1], ("OXSHMEM_DEBUG", "none")]);
        assert_eq!(quiet, "");
        assert_eq!(said(&[("OXSHMEM_VERSION", "1")]), format!("oxshmem: version {}", env!("CARGO_PKG_VERSION")));
        let info = said(&[("OXSHMEM_INFO", "1")]);
        assert!(info.contains("2 PEs") && info.contains("OXSHMEM_WAIT_LIMIT = "), "{info}");
    }
}
