//! A peer in a run: started, asked for rows, and started again after a failure.

use std::time::Duration;

use super::answer::{Answer, Ready, Timed, Verdict, together};
use super::clock::Clock;
use super::processes::{Processes, Silence, Start};
use super::row::Row;

/// The time limit of a start, which takes longer than an answer.
const START_FACTOR: u32 = 2;
/// A peer that failed on this many rows in succession is not asked again.
const MOST_BREAKS: u32 = 8;
/// A peer whose start failed this many times is not started again.
const MOST_STARTS: u32 = 2;
/// The time that a peer has to end after `quit`.
const QUIT_LIMIT: Duration = Duration::from_secs(10);

/// A peer's answer for a row, or the reason why there is none.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Said {
    /// The times and the notes about them.
    Times(Timed),
    /// The peer lacks this row.
    Skipped(String),
    /// The failure, as text.
    Failed(String),
    /// The whole run is to stop.
    Stopped(String),
}

/// A library under measurement.
pub(crate) struct Peer {
    pub start: Start,
    /// The origin of its program, if it can differ.
    pub origin: Option<&'static str>,
    /// The first line of PE 0.
    pub ready: Option<Ready>,
    running: Option<Processes>,
    breaks: u32,
    bad_starts: u32,
    limit: Duration,
}

impl Peer {
    /// Makes a peer that is not started yet. A request may take `limit`.
    pub(crate) fn new(start: Start, limit: Duration) -> Self {
        Self { start, origin: None, ready: None, running: None, breaks: 0, bad_starts: 0, limit }
    }

    /// Returns the peer's name.
    pub(crate) fn name(&self) -> &str {
        &self.start.name
    }

    /// Measures the row.
    pub(crate) fn ask(&mut self, row: &Row, repeat: u32, clock: &Clock) -> Said {
        if let Err(said) = self.be_up(clock) {
            return said;
        }
        let Some(processes) = &mut self.running else { return Said::Failed("it is not up".to_string()) };
        if let Err(what) = processes.tell(&row.request(repeat)) {
            return self.broken(Silence::Broken(what));
        }
        let is_bad = |line: &str| matches!(Answer::parse(line, repeat), Err(_) | Ok(Answer::Error(_)));
        let lines = match processes.hear(self.limit, clock, is_bad) {
            Ok(lines) => lines,
            Err(silence) => return self.broken(silence),
        };
        let mut answers = Vec::new();
        for (pe, line) in lines {
            match Answer::parse(&line, repeat) {
                Ok(answer) => answers.push((pe, answer)),
                Err(what) => return self.broken(Silence::Broken(format!("PE {pe} {what}"))),
            }
        }
        self.breaks = 0;
        // After an error the process may end, and the state of the others is unknown.
        if answers.iter().any(|(_, answer)| matches!(answer, Answer::Error(_))) {
            self.running = None;
        }
        match together(&answers) {
            Verdict::Times(timed) => Said::Times(timed),
            Verdict::Skipped(why) => Said::Skipped(why),
            Verdict::Failed(what) => Said::Failed(what),
        }
    }

    /// Starts it anew and returns the time of the start in ns: the largest over the PEs.
    pub(crate) fn restart(&mut self, clock: &Clock) -> Said {
        self.end();
        self.up(clock).map_or_else(|said| said, |ns| Said::Times(vec![ns].into()))
    }

    /// Ends its processes, and returns the error of that, if any.
    pub(crate) fn end(&mut self) -> Option<String> {
        self.running.take().and_then(|processes| processes.quit(QUIT_LIMIT).err())
    }

    /// Starts it unless it is running.
    pub(crate) fn be_up(&mut self, clock: &Clock) -> Result<(), Said> {
        if self.running.is_some() {
            return Ok(());
        }
        if self.breaks >= MOST_BREAKS {
            return Err(Said::Failed(format!("not asked: it broke on {MOST_BREAKS} rows one after the other")));
        }
        if self.bad_starts >= MOST_STARTS {
            return Err(Said::Failed(format!("not asked: it did not come up {MOST_STARTS} times")));
        }
        self.up(clock).map(|_| ())
    }

    /// Starts it and returns the time that this took, in ns.
    fn up(&mut self, clock: &Clock) -> Result<f64, Said> {
        match self.try_up(clock) {
            Ok((processes, readies)) => {
                let ns = readies.iter().map(|ready| ready.init_us * 1e3).fold(0.0, f64::max);
                if self.ready.is_none() {
                    self.ready = readies.into_iter().next();
                }
                self.running = Some(processes);
                self.bad_starts = 0;
                Ok(ns)
            }
            Err(Silence::Stopped(why)) => Err(Said::Stopped(why)),
            Err(Silence::Broken(what)) => {
                self.bad_starts += 1;
                Err(Said::Failed(format!("at its start {what}")))
            }
        }
    }

    fn try_up(&self, clock: &Clock) -> Result<(Processes, Vec<Ready>), Silence> {
        let mut processes = Processes::start(&self.start).map_err(Silence::Broken)?;
        let lines = processes.hear(self.limit * START_FACTOR, clock, |line| Ready::parse(line).is_err())?;
        let readies = lines
            .into_iter()
            .map(|(pe, line)| Ready::parse(&line).map_err(|what| Silence::Broken(format!("PE {pe} {what}"))));
        let readies = readies.collect::<Result<Vec<Ready>, Silence>>()?;
        Ok((processes, readies))
    }

    fn broken(&mut self, silence: Silence) -> Said {
        self.running = None;
        match silence {
            Silence::Stopped(why) => Said::Stopped(why),
            Silence::Broken(what) => {
                self.breaks += 1;
                Said::Failed(what)
            }
        }
    }
}
