//! The library's messages reach the program's logger, whose own filter decides about them.

use std::sync::Mutex;

use log::{Level, LevelFilter, Log, Metadata, Record};
use oxshmem_hal::{Config, DeviceChoice, World, report_error};

/// Keeps the logged messages.
struct Kept(Mutex<Vec<(Level, String)>>);

impl Log for Kept {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "oxshmem"
    }

    fn log(&self, record: &Record<'_>) {
        if self.enabled(record.metadata()) {
            self.0.lock().unwrap().push((record.level(), record.args().to_string()));
        }
    }

    fn flush(&self) {}
}

static KEPT: Kept = Kept(Mutex::new(Vec::new()));

#[test]
fn a_logger_gets_notes_as_warnings_errors_as_errors_and_the_rest_as_information() {
    log::set_logger(&KEPT).unwrap();
    log::set_max_level(LevelFilter::Info);
    let variables = [("OXSHMEM_WAIT_LIMITS", "5s"), ("OXSHMEM_DEBUG", "none"), ("OXSHMEM_SYMMETRIC_SIZE", "1m")];
    let variables = variables.iter().map(|(name, value)| (name.to_string(), value.to_string()));
    let config = Config::from_sources(None, variables).unwrap().with_device(DeviceChoice::Host);
    World::threads(2, &config, |world| world.barrier_all()).unwrap();
    (0..2).for_each(|_| report_error("PE 0: nvshmem_malloc: cannot\nallocate"));
    let kept = KEPT.0.lock().unwrap();
    let errors = kept.iter().filter(|(level, _)| *level == Level::Error).map(|(_, text)| &text[..]);
    assert_eq!(errors.collect::<Vec<_>>(), ["PE 0: nvshmem_malloc: cannot allocate"; 2], "each time, in one line");
    let notes: Vec<&str> = kept.iter().filter(|(level, _)| *level == Level::Warn).map(|(_, text)| &text[..]).collect();
    assert_eq!(notes, ["OXSHMEM_WAIT_LIMITS is not a known variable; did you mean OXSHMEM_WAIT_LIMIT?"]);
    let has = |part: &str| kept.iter().any(|(level, text)| *level == Level::Info && text.contains(part));
    assert!(
        has("version ") && has("2 PEs; PE 0 runs on host threads") && has("OXSHMEM_SYMMETRIC_SIZE = 1 MiB"),
        "{kept:?}"
    );
}
