//! Progress on standard error: a bar on a terminal, a line now and then elsewhere.

use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// Interval between two lines of a program that does not write to a terminal.
const QUIET: Duration = Duration::from_secs(5);

/// The progress of one task, printed by one PE.
pub struct Progress {
    title: String,
    total: u64,
    shown: Shown,
}

enum Shown {
    Bar(ProgressBar),
    Lines { told: Instant },
    Nothing,
}

impl Progress {
    /// Creates a task of `total` steps, whose progress is printed if `show` is set.
    pub fn new(show: bool, title: &str, total: u64) -> Self {
        let shown = match (show, stderr().is_terminal()) {
            (false, _) => Shown::Nothing,
            (true, false) => Shown::Lines { told: Instant::now() },
            (true, true) => {
                let bar = ProgressBar::new(total);
                let style = ProgressStyle::with_template("{prefix:24} {wide_bar} {pos}/{len} {msg} {eta}");
                bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
                bar.set_prefix(title.to_owned());
                Shown::Bar(bar)
            }
        };
        Self { title: title.to_owned(), total, shown }
    }

    /// Records that `done` steps are done; `note` is printed beside the number.
    pub fn at(&mut self, done: u64, note: impl FnOnce() -> String) {
        match &mut self.shown {
            Shown::Bar(bar) => {
                bar.set_message(note());
                bar.set_position(done);
            }
            Shown::Lines { told } if told.elapsed() >= QUIET => {
                eprintln!("{}: {done} of {} {}", self.title, self.total, note());
                *told = Instant::now();
            }
            Shown::Lines { .. } | Shown::Nothing => {}
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Shown::Bar(bar) = &self.shown {
            bar.finish_and_clear();
        }
    }
}
