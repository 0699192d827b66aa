//! The program's requests, one line each.

use oxshmem_core::Scope;

/// A line of standard input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// `run`: measure this.
    Run(Box<Request>),
    /// `quit`: end.
    Quit,
}

/// A row to measure: the keys of `run`, with the protocol's defaults.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The test.
    pub test: String,
    /// The group that calls together.
    pub scope: Scope,
    /// Blocks of the grid.
    pub ctas: u32,
    /// Threads of a block.
    pub threads: u32,
    /// Bytes of an iteration, by all groups together.
    pub bytes: u64,
    /// Offset of the local side from a 256-byte boundary.
    pub skew: u64,
    /// Whether PE 0 and PE 1 do it to each other at the same time.
    pub both: bool,
    /// The atomic, or `put` or `get`.
    pub op: String,
    /// Whether each thread's element is in a line of its own.
    pub line: bool,
    /// Iterations of a repetition.
    pub iters: u32,
    /// Timed repetitions.
    pub repeat: u32,
    /// Columns of the Jacobi solver's field.
    pub nx: usize,
    /// Its rows.
    pub ny: usize,
    /// The method of the halo exchange.
    pub variant: String,
    /// Dynamic shared memory of each block that its groups lend to copies, in bytes.
    pub lend: u32,
    /// The quantile of single calls that is answered: `p50`, `p90`, `p99` or `max`.
    pub stat: String,
    /// Whether each PE's process is bound to one core.
    pub bound: bool,
    /// For tests of the program itself: corrupts the received data before the comparison.
    pub corrupt: bool,
}

impl Default for Request {
    fn default() -> Self {
        Self {
            test: String::new(),
            scope: Scope::Block,
            ctas: 1,
            threads: 1024,
            bytes: 8,
            skew: 0,
            both: false,
            op: String::new(),
            line: false,
            iters: 100,
            repeat: 5,
            nx: 256,
            ny: 256,
            variant: "persistent".into(),
            lend: 0,
            stat: "max".into(),
            bound: false,
            corrupt: false,
        }
    }
}

impl Request {
    /// Returns the operation, or `default` if none was named.
    pub(super) fn op_or<'a>(&'a self, default: &'a str) -> &'a str {
        if self.op.is_empty() { default } else { &self.op }
    }
}

/// Parses one line. Ignores unknown keys.
///
/// # Errors
/// The wrong word and the reason, as text.
pub fn parse(line: &str) -> Result<Line, String> {
    let mut words = line.split_ascii_whitespace();
    match words.next() {
        Some("quit") => return Ok(Line::Quit),
        Some("run") => {}
        Some(other) => return Err(format!("`{other}` is no request: one begins with `run` or is `quit`")),
        None => return Err("the line is empty: a request begins with `run` or is `quit`".into()),
    }
    let mut request = Request::default();
    for word in words {
        let Some((key, value)) = word.split_once('=') else {
            return Err(format!("`{word}` is not KEY=VALUE"));
        };
        take(&mut request, key, value)?;
    }
    if request.test.is_empty() {
        return Err("a request needs test=NAME".into());
    }
    Ok(Line::Run(Box::new(request)))
}

fn take(request: &mut Request, key: &str, value: &str) -> Result<(), String> {
    match key {
        "test" => request.test = value.into(),
        "op" => request.op = value.into(),
        "variant" => request.variant = value.into(),
        "scope" => request.scope = scope(value)?,
        "ctas" => request.ctas = number(key, value, 1, 65_535)? as u32,
        "threads" => request.threads = number(key, value, 1, 1024)? as u32,
        "bytes" => request.bytes = number(key, value, 1, 1 << 40)?,
        "skew" => request.skew = number(key, value, 0, 255)?,
        "both" => request.both = number(key, value, 0, 1)? == 1,
        "line" => request.line = number(key, value, 0, 1)? == 1,
        "iters" => request.iters = number(key, value, 1, u32::MAX.into())? as u32,
        "repeat" => request.repeat = number(key, value, 1, 1_000_000)? as u32,
        "nx" => request.nx = number(key, value, 1, 1 << 24)? as usize,
        "ny" => request.ny = number(key, value, 1, 1 << 30)? as usize,
        "lend" => request.lend = number(key, value, 0, 1 << 20)? as u32,
        "stat" if !["p50", "p90", "p99", "max"].contains(&value) => {
            return Err(format!("stat={value}: it is one of p50, p90, p99, max"));
        }
        "stat" => request.stat = value.into(),
        "bound" => request.bound = number(key, value, 0, 1)? == 1,
        "corrupt" => request.corrupt = number(key, value, 0, 1)? == 1,
        _ => {}
    }
    Ok(())
}

fn scope(value: &str) -> Result<Scope, String> {
    match value {
        "thread" => Ok(Scope::Thread),
        "warp" => Ok(Scope::Warp),
        "block" => Ok(Scope::Block),
        _ => Err(format!("scope={value}: it is one of thread, warp, block")),
    }
}

fn number(key: &str, value: &str, least: u64, most: u64) -> Result<u64, String> {
    match value.parse() {
        Ok(number) if (least..=most).contains(&number) => Ok(number),
        _ => Err(format!("{key}={value}: it is a number from {least} to {most}")),
    }
}
