//! Progress on standard error: a bar on a terminal, an occasional line elsewhere.

use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// The interval between lines without a terminal.
const QUIET: Duration = Duration::from_secs(10);

/// The progress of the run.
pub(crate) struct Progress {
    total: u64,
    bar: Option<ProgressBar>,
    told: Instant,
}

impl Progress {
    pub(crate) fn new(total: u64) -> Self {
        let bar = stderr().is_terminal().then(|| {
            let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} {eta} {msg}");
            ProgressBar::new(total).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
        });
        Self { total, bar, told: Instant::now() }
    }

    /// Shows that `done` rows are done, and `now` is next.
    pub(crate) fn at(&mut self, done: u64, now: impl FnOnce() -> String) {
        match &self.bar {
            Some(bar) => {
                bar.set_message(now());
                bar.set_position(done);
            }
            None if self.told.elapsed() >= QUIET => {
                eprintln!("perf: {done} of {} rows; now {}", self.total, now());
                self.told = Instant::now();
            }
            None => {}
        }
    }

    /// Prints a line that stays.
    pub(crate) fn say(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| eprintln!("{line}")),
            None => eprintln!("{line}"),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
