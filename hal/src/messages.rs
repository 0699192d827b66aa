//! Destination of the library's messages: the program's logger, or else standard error.

use std::collections::HashSet;
use std::io::Write;
use std::sync::{LazyLock, Mutex, PoisonError};

use log::{Level, LevelFilter};

/// The target of the library's log records.
const TARGET: &str = "oxshmem";

/// The messages that this process has written to standard error.
static WRITTEN: LazyLock<Mutex<HashSet<String>>> = LazyLock::new(Mutex::default);

/// Logs a message if the program has a logger, whose own filter then decides. Otherwise writes it to standard error, if
/// it `is_wanted` there: an error each time, another text once a process, for any number of worlds and PEs.
pub(crate) fn emit(level: Level, is_wanted: bool, text: &str) {
    if has_logger() {
        log::log!(target: TARGET, level, "{text}");
        return;
    }
    let line = line(level, text);
    if is_wanted && (level == Level::Error || is_first(&WRITTEN, &line)) {
        // One write, so that lines of several processes on one terminal stay whole. Nobody can be told that it failed.
        let _ = std::io::stderr().write_all(format!("{line}\n").as_bytes());
    }
}

/// Reports an error whose caller can't receive it as a value: to the program's logger, or as one line on standard error.
/// It is for interfaces over this library, such as that of C, which may end the process afterwards.
pub fn report_error(text: &str) {
    emit(Level::Error, true, &text.replace('\n', " "));
    log::logger().flush();
}

/// Whether a logger receives messages of this level that are not wanted on standard error.
pub(crate) fn is_logged(level: Level) -> bool {
    log::log_enabled!(target: TARGET, level)
}

/// Reports whether the program has a logger. Without one the log level is off, as the crate `log` sets it at first.
fn has_logger() -> bool {
    log::max_level() != LevelFilter::Off
}

/// Formats a message for standard error.
pub(crate) fn line(level: Level, text: &str) -> String {
    let note = if level == Level::Warn { "note: " } else { "" };
    format!("oxshmem: {note}{text}")
}

fn is_first(written: &Mutex<HashSet<String>>, line: &str) -> bool {
    // The set is consistent between any two calls on it.
    written.lock().unwrap_or_else(PoisonError::into_inner).insert(line.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_written_once_however_often_it_is_emitted() {
        let written = Mutex::default();
        let mut emitted = ["a", "b", "a", "a"].iter().map(|text| is_first(&written, &line(Level::Warn, text)));
        assert_eq!(std::array::from_fn(|_| emitted.next().unwrap()), [true, true, false, false]);
        assert_eq!(line(Level::Warn, "x is without effect"), "oxshmem: note: x is without effect");
        assert_eq!(line(Level::Info, "2 PEs"), "oxshmem: 2 PEs");
        assert_eq!(line(Level::Error, "PE 0: f: cannot do it"), "oxshmem: PE 0: f: cannot do it");
    }
}
