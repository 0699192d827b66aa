//! The output of PEs: unchanged, with `[pe]` before each line, or copied for a caller that counts tests.

use std::io::{BufRead, BufReader, Read, Write};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

/// The destination of the PEs' output.
#[derive(Clone, Default)]
pub(crate) enum Output {
    /// This program's output, unchanged.
    #[default]
    Inherited,
    /// This program's output, with `[pe]` before each line.
    Tagged,
    /// This program's output, with a copy of standard output in this buffer.
    Kept(Arc<Mutex<Vec<u8>>>),
    /// The same for `cargo test -- --show-output`: the prints of tests that passed go to the buffer alone.
    KeptOfTests(Arc<Mutex<Vec<u8>>>),
}

impl Output {
    /// Returns the copy of standard output so far; an empty text if none is kept.
    pub(crate) fn kept(&self) -> String {
        match self {
            Self::Inherited | Self::Tagged => String::new(),
            Self::Kept(kept) | Self::KeptOfTests(kept) => {
                String::from_utf8_lossy(&kept.lock().unwrap_or_else(|poisoned| poisoned.into_inner())).into_owned()
            }
        }
    }
}

/// Threads that copy the PEs' output, a whole line at a time.
pub(crate) struct Copiers {
    running: usize,
    ended: mpsc::Receiver<()>,
    end: mpsc::Sender<()>,
}

impl Copiers {
    pub(crate) fn new() -> Self {
        let (end, ended) = mpsc::channel();
        Self { running: 0, ended, end }
    }

    /// Copies `from` to `to` until its end, with the PE's number before each line.
    pub(crate) fn tag(&mut self, pe: u32, from: impl Read + Send + 'static, mut to: impl Write + Send + 'static) {
        let mark = format!("[{pe}] ");
        self.each_line(from, move |line| write_line(&mut to, &mark, line));
    }

    /// Copies `from` to `kept` until its end, and the lines that `shown` accepts to `to`.
    pub(crate) fn keep(
        &mut self,
        kept: Arc<Mutex<Vec<u8>>>,
        from: impl Read + Send + 'static,
        mut to: impl Write + Send + 'static,
        mut shown: impl FnMut(&str) -> bool + Send + 'static,
    ) {
        self.each_line(from, move |line| {
            if shown(String::from_utf8_lossy(line).trim_end()) {
                write_line(&mut to, "", line);
            }
            kept.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).extend_from_slice(line);
        });
    }

    fn each_line(&mut self, from: impl Read + Send + 'static, take: impl FnMut(&[u8]) + Send + 'static) {
        let end = self.end.clone();
        self.running += 1;
        thread::spawn(move || {
            read_lines(from, take);
            let _ = end.send(());
        });
    }

    /// Waits until everything is copied, but no longer than `limit`, because a process that a PE left running can keep
    /// its output open.
    pub(crate) fn finish(self, limit: Duration) {
        let deadline = Instant::now() + limit;
        for _ in 0..self.running {
            let left = deadline.saturating_duration_since(Instant::now());
            if self.ended.recv_timeout(left).is_err() {
                return;
            }
        }
    }
}

/// Passes on each line with its line end, and adds one to the last line if it is missing.
fn read_lines(from: impl Read, mut take: impl FnMut(&[u8])) {
    let mut from = BufReader::new(from);
    let mut line = Vec::new();
    while from.read_until(b'\n', &mut line).is_ok_and(|bytes| bytes > 0) {
        if line.last() != Some(&b'\n') {
            line.push(b'\n');
        }
        take(&line);
        line.clear();
    }
}

/// Writes a line, and ignores a closed output: if reading stopped, the PE would block on a full pipe.
fn write_line(to: &mut impl Write, mark: &str, line: &[u8]) {
    let whole = [mark.as_bytes(), line].concat();
    let _ = to.write_all(&whole).and_then(|()| to.flush());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_gets_its_pe_and_the_last_one_its_end() {
        let mut out = Vec::new();
        read_lines(&b"one\n\ntwo"[..], |line| write_line(&mut out, "[3] ", line));
        assert_eq!(String::from_utf8(out).unwrap(), "[3] one\n[3] \n[3] two\n");
    }

    #[test]
    fn an_output_that_is_held_open_does_not_hold_the_launcher() {
        let (reader, _held) = std::io::pipe().unwrap();
        let mut copiers = Copiers::new();
        copiers.tag(0, reader, std::io::sink());
        copiers.finish(Duration::from_millis(20));
    }
}
