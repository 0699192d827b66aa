//! What a world says on standard error when it begins, as far as its user asked for it.

use super::World;
use crate::config::{Config, Verbosity};
use crate::transports;

/// What one PE alone knows and its user should.
pub(super) fn tell(config: &Config, notes: &[String]) {
    if config.debug >= Verbosity::Warn {
        notes.iter().for_each(|note| eprintln!("oxshmem: note: {note}"));
    }
}

impl World {
    /// PE 0 tells for all: they agree on what matters, and nobody wants it once a PE.
    pub(super) fn report(&self) {
        if self.me.number() == 0 {
            for line in lines(&self.config, &self.machine(), self.n_pes) {
                eprintln!("oxshmem: {line}");
            }
        }
        // What a PE uses beside memory that is mapped is its own.
        for transport in (0..self.transports.len()).map(|index| self.transport(index)) {
            let about = transport.describe();
            if self.config.debug >= Verbosity::Info && about != transport.name() {
                about.lines().for_each(|line| eprintln!("oxshmem: {}, {}: {line}", self.me, transport.name()));
            }
        }
    }
}

fn lines(config: &Config, machine: &str, n_pes: u32) -> Vec<String> {
    let mut lines = Vec::new();
    if config.tells_version() {
        lines.push(format!("version {}", env!("CARGO_PKG_VERSION")));
    }
    if config.debug >= Verbosity::Warn {
        let linked = transports::names();
        let late = config.notes_on_transports(&linked.iter().map(String::as_str).collect::<Vec<_>>());
        lines.extend(config.notes().iter().chain(&late).map(|note| format!("note: {note}")));
    }
    if config.print_info || config.debug >= Verbosity::Info {
        lines.push(format!("{n_pes} PEs; PE 0 runs on {machine}; transports: {}", transports::names().join(", ")));
        lines.extend(config.describe().lines().map(str::to_owned));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(variables: &[(&str, &str)]) -> String {
        let variables = variables.iter().map(|(name, value)| (name.to_string(), value.to_string()));
        lines(&Config::from_sources(None, variables).unwrap(), "host threads", 2).join("\n")
    }

    #[test]
    fn a_world_says_nothing_unless_something_was_set_in_vain_or_asked_for() {
        assert_eq!(said(&[]), "");
        let vain = [("OXSHMEM_REMOTE_TRANSPORT", "ucx"), ("OXSHMEM_WAIT_LIMITS", "5s")];
        let notes = said(&vain);
        assert!(notes.contains("note: REMOTE_TRANSPORT = ucx is without effect"), "{notes}");
        assert!(notes.contains("note: OXSHMEM_WAIT_LIMITS"), "{notes}");
        let quiet = said(&[vain[0], vain[1], ("OXSHMEM_DEBUG", "none")]);
        assert_eq!(quiet, "");
        assert_eq!(said(&[("OXSHMEM_VERSION", "1")]), format!("version {}", env!("CARGO_PKG_VERSION")));
        let info = said(&[("OXSHMEM_INFO", "1")]);
        assert!(info.contains("2 PEs") && info.contains("OXSHMEM_WAIT_LIMIT = "), "{info}");
    }
}
