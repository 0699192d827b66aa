//! The library's own description of the way to another PE.

use std::sync::{Mutex, OnceLock, PoisonError};

use log::{Level, LevelFilter, Log, Metadata, Record};
use oxshmem_hal::{Error, ErrorKind, Pe, Result, World};

/// The name of load/store.
const LOAD_STORE: &str = "nvlink";

/// A logger that keeps the library's descriptions, and writes its other messages to standard error.
#[derive(Debug, Default)]
pub(super) struct About(Mutex<Vec<String>>);

impl About {
    /// Makes this the process's logger, before the world is made.
    ///
    /// # Errors
    /// The process has a logger.
    pub(super) fn listen() -> Result<&'static Self> {
        static LOGGER: OnceLock<About> = OnceLock::new();
        let logger = LOGGER.get_or_init(Self::default);
        log::set_logger(logger).map_err(|error| {
            Error::new(ErrorKind::InvalidArgument, "keep the library's messages").because(error.to_string())
        })?;
        log::set_max_level(LevelFilter::Info);
        Ok(logger)
    }

    /// Returns the transport to the other PE and its description as members of a JSON object, with a comma in front.
    ///
    /// # Errors
    /// There is no other PE.
    pub(super) fn to_json(&self, world: &World) -> Result<String> {
        let other = Pe::new(u32::from(world.my_pe().number() == 0));
        let transport = world.transport_to(other)?;
        // One transport may describe itself by the name of another, which it extends; load/store is apart from all.
        let of_me = format!("{}, ", world.my_pe());
        let is_near = transport == LOAD_STORE;
        let text = |line: &String| {
            let (name, text) = line.strip_prefix(&of_me)?.split_once(": ")?;
            ((name == LOAD_STORE) == is_near).then(|| format!("{text:?}"))
        };
        let said = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let about: Vec<String> = said.iter().filter_map(text).collect();
        Ok(format!(",\"transport\":{transport:?},\"about\":[{}]", about.join(",")))
    }
}

impl Log for About {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.level() <= Level::Info
    }

    fn log(&self, record: &Record<'_>) {
        match record.level() {
            Level::Error | Level::Warn => eprintln!("oxshmem: {}", record.args()),
            Level::Info => self.0.lock().unwrap_or_else(PoisonError::into_inner).push(record.args().to_string()),
            Level::Debug | Level::Trace => {}
        }
    }

    fn flush(&self) {}
}
