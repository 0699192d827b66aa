//! The processes of one peer, one for each PE: started, written to, read from, ended.

use oxshmem_raw::os::private::Scratch;
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use super::answer::short;
use super::clock::Clock;
use xtask::run::{Device, World, die_with_the_launcher};
use xtask::shell;

/// The interval at which a wait checks for a reason to stop.
const PACE: Duration = Duration::from_millis(50);
/// The time that the other PEs have to answer after one has failed: the original cause may be theirs.
const GRACE: Duration = Duration::from_secs(2);
/// The number of lines of standard error that are kept for the message on a death.
const LAST_WORDS: usize = 3;

/// The start of a peer.
#[derive(Clone, Debug)]
pub(crate) struct Start {
    /// The peer's name, the prefix of its lines on standard error.
    pub name: String,
    pub program: PathBuf,
    pub args: Vec<String>,
    /// Variables in addition to this program's own.
    pub env: Vec<(String, String)>,
    pub n: u32,
    /// The device of a world of oxshmem.
    pub device: Device,
}

/// The reason why a PE's line is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Silence {
    /// A PE ended, or its time limit passed, as text.
    Broken(String),
    /// The whole run is to stop, for this reason.
    Stopped(String),
}

enum Event {
    Line(String),
    End,
}

struct Pe {
    child: Child,
    stdin: Option<ChildStdin>,
    last_words: Arc<Mutex<VecDeque<String>>>,
    /// Has no sender here, so that it closes after all output was read.
    silent: mpsc::Receiver<()>,
}

/// Running processes. They are killed when this is dropped.
pub(crate) struct Processes {
    name: String,
    pes: Vec<Pe>,
    events: mpsc::Receiver<(usize, Event)>,
    meet: Scratch,
}

impl Processes {
    /// Starts all processes. Their first lines are read later.
    pub(crate) fn start(start: &Start) -> Result<Self, String> {
        let meet = Scratch::new("perf").map_err(|error| error.to_string())?;
        let (say, events) = mpsc::channel();
        let mut processes = Self { name: start.name.clone(), pes: Vec::new(), events, meet };
        let world = World::new(start.n, start.device).map_err(|why| format!("cannot prepare a world: {why:#}"))?;
        for pe in 0..start.n {
            let mut command = Command::new(&start.program);
            command.args(&start.args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
            shell::forget_this_package(&mut command);
            world.enlist(pe, &mut command);
            command.env("PERF_PE", pe.to_string()).env("PERF_N_PES", start.n.to_string());
            command.env("PERF_MEET", &*processes.meet);
            command.envs(start.env.iter().map(|(name, value)| (name, value)));
            die_with_the_launcher(&mut command);
            let mut child = command.spawn().map_err(|why| {
                format!("cannot start PE {pe} of {} as `{}`: {why}", start.n, start.program.display())
            })?;
            let last_words = Arc::default();
            let (index, out, err) = (pe as usize, child.stdout.take(), child.stderr.take());
            let stdin = child.stdin.take();
            let (speaks, silent) = mpsc::channel();
            processes.pes.push(Pe { child, stdin, last_words: Arc::clone(&last_words), silent });
            let say = say.clone();
            thread::spawn(move || {
                out.into_iter().for_each(|out| each_line(out, |line| drop(say.send((index, Event::Line(line))))));
                let _ = say.send((index, Event::End));
            });
            let mark = format!("[{} {pe}]", start.name);
            thread::spawn(move || {
                err.into_iter().for_each(|err| each_line(err, |line| keep_and_show(&last_words, &mark, line)));
                drop(speaks);
            });
        }
        Ok(processes)
    }

    /// Writes a line to each process, unless one has written or ended since the last read.
    pub(crate) fn tell(&mut self, line: &str) -> Result<(), String> {
        match self.events.try_recv() {
            Ok((pe, Event::Line(said))) => return Err(unasked(pe, &said)),
            Ok((pe, Event::End)) => return Err(format!("before it was asked {}", self.obituary(&[pe]))),
            Err(_) => {}
        }
        for pe in &mut self.pes {
            // If a process ends now, `hear` reports it with its status.
            if let Some(stdin) = &mut pe.stdin {
                let _ = writeln!(stdin, "{line}").and_then(|()| stdin.flush());
            }
        }
        Ok(())
    }

    /// Waits for a line of each process and returns the lines with their PEs. After the first line that `is_bad` the
    /// others have a short time, and that line alone is returned if they write nothing.
    pub(crate) fn hear(
        &mut self,
        limit: Duration,
        clock: &Clock,
        is_bad: impl Fn(&str) -> bool,
    ) -> Result<Vec<(usize, String)>, Silence> {
        let mut lines: Vec<Option<String>> = vec![None; self.pes.len()];
        let mut until = Instant::now() + limit;
        let mut bad = None;
        let mut ended: Vec<usize> = Vec::new();
        while lines.iter().enumerate().any(|(pe, line)| line.is_none() && !ended.contains(&pe)) {
            match self.events.recv_timeout(PACE.min(until.saturating_duration_since(Instant::now()))) {
                Ok((pe, Event::Line(line))) => {
                    // A line after a bad one adds no information.
                    if lines[pe].is_some() && bad != Some(pe) {
                        return Err(Silence::Broken(unasked(pe, &line)));
                    }
                    if lines[pe].is_none() {
                        if bad.is_none() && is_bad(&line) {
                            bad = Some(pe);
                            until = until.min(Instant::now() + GRACE);
                        }
                        lines[pe] = Some(line);
                    }
                }
                Ok((pe, Event::End)) => {
                    ended.push(pe);
                    until = until.min(Instant::now() + GRACE);
                }
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    if let Some(why) = clock.over() {
                        return Err(Silence::Stopped(why));
                    }
                    if Instant::now() >= until {
                        break;
                    }
                }
            }
        }
        if lines.iter().all(Option::is_some) {
            return Ok(lines.into_iter().flatten().enumerate().collect());
        }
        if let Some(said) = bad.and_then(|pe| Some((pe, lines[pe].clone()?))) {
            // The others were waiting for the one that failed.
            return Ok(vec![said]);
        }
        if !ended.is_empty() {
            return Err(Silence::Broken(self.obituary(&ended)));
        }
        let silent: Vec<String> =
            lines.iter().enumerate().filter(|(_, line)| line.is_none()).map(|(pe, _)| pe.to_string()).collect();
        Err(Silence::Broken(format!("PE {} said nothing within {} s", silent.join(", "), limit.as_secs_f32())))
    }

    /// Describes the ends of the PEs that closed their output. If several did, one that a signal killed is the cause.
    fn obituary(&mut self, ended: &[usize]) -> String {
        let statuses: Vec<(usize, Option<ExitStatus>)> =
            ended.iter().map(|&pe| (pe, wait(&mut self.pes[pe].child, GRACE))).collect();
        let first = statuses.iter().find(|(_, status)| status.is_some_and(|status| status.signal().is_some()));
        let Some(&(pe, status)) = first.or(statuses.first()) else { return "a PE ended".to_string() };
        let how = match status.map(|status| (status.code(), status.signal())) {
            Some((Some(code), _)) => format!("ended with exit code {code}"),
            Some((_, Some(signal))) => format!("was killed by signal {signal}"),
            _ => "closed its output and went on".to_string(),
        };
        if status.is_some() {
            // (A process that it left running may keep its standard error open.)
            let _ = self.pes[pe].silent.recv_timeout(GRACE);
        }
        let said = self.pes[pe].last_words.lock().unwrap_or_else(PoisonError::into_inner);
        let said: Vec<&str> = said.iter().map(String::as_str).collect();
        let said = if said.is_empty() { String::new() } else { format!("; its last words: {}", said.join(" / ")) };
        format!("PE {pe} {how}{said}")
    }

    /// Asks the processes to end, and kills those that don't.
    pub(crate) fn quit(mut self, limit: Duration) -> Result<(), String> {
        self.tell("quit").map_err(|what| format!("{}: {what}", self.name))?;
        self.pes.iter_mut().for_each(|pe| drop(pe.stdin.take()));
        let until = Instant::now() + limit;
        for (index, pe) in self.pes.iter_mut().enumerate() {
            match wait(&mut pe.child, until.saturating_duration_since(Instant::now())) {
                Some(status) if status.success() => {}
                Some(status) => return Err(format!("PE {index} of {} ended with {status} after `quit`", self.name)),
                None => {
                    let limit = limit.as_secs_f32();
                    return Err(format!("PE {index} of {} did not end within {limit} s after `quit`", self.name));
                }
            }
        }
        Ok(())
    }
}

impl Drop for Processes {
    fn drop(&mut self) {
        for pe in &mut self.pes {
            if let Ok(None) = pe.child.try_wait() {
                let group = pe.child.id() as libc::pid_t;
                // SAFETY: `kill` takes no pointer, and the child has not been waited for, so that the number still
                // belongs to its own group.
                unsafe { libc::kill(-group, libc::SIGKILL) };
                // A process that hangs in the driver does not end even then.
                let _ = wait(&mut pe.child, GRACE);
            }
        }
    }
}

fn unasked(pe: usize, line: &str) -> String {
    format!("PE {pe} said `{}` without being asked", short(line))
}

/// Returns the process's exit status, if it ends in time.
fn wait(child: &mut Child, limit: Duration) -> Option<ExitStatus> {
    let until = Instant::now() + limit;
    loop {
        match child.try_wait() {
            Ok(None) if Instant::now() < until => thread::sleep(Duration::from_millis(2)),
            Ok(status) => return status,
            Err(_) => return None,
        }
    }
}

fn each_line(from: impl Read, mut take: impl FnMut(String)) {
    let mut from = BufReader::new(from);
    let mut line = Vec::new();
    while from.read_until(b'\n', &mut line).is_ok_and(|bytes| bytes > 0) {
        take(String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']).to_string());
        line.clear();
    }
}

fn keep_and_show(last_words: &Mutex<VecDeque<String>>, mark: &str, line: String) {
    // A closed standard error is no reason to stop reading the peer's.
    let _ = writeln!(std::io::stderr(), "{mark} {line}");
    let mut kept = last_words.lock().unwrap_or_else(PoisonError::into_inner);
    kept.push_back(line);
    if kept.len() > LAST_WORDS {
        kept.pop_front();
    }
}
