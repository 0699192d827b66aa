//! The frame of a program that answers the performance suite line by line (`tests/peers/PROTOCOL.md`) in one process,
//! with rows of its own.

use std::fmt;
use std::io::{BufRead, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::Args;
use oxshmem_core::host::{Error, ErrorKind, Result};

use oxshmem_machine::{Machine, find_image};

/// The parts of a program; `R` is a requested row.
#[derive(Debug)]
pub struct Program<R> {
    /// The crate whose kernels run.
    pub kernels: &'static str,
    /// Parses a line: see [`parse`].
    pub parse: fn(&str) -> Result<Option<R>, String>,
    /// Measures a row. If it fails, the machine may be unfit for more.
    pub measure: fn(&Machine, &R) -> Result<Outcome, Stop>,
}

/// The program's command line.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// The machine for kernels: `gpu`, `gpu:NUMBER` or `host`.
    #[arg(long, env = "OXSHMEM_DEVICE", default_value = "gpu")]
    pub device: String,
    /// The kernels' PTX or cubin, or its folder.
    #[arg(long, value_name = "PATH")]
    pub ptx: Option<PathBuf>,
}

/// The outcome of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// Nanoseconds for one iteration, by repetition; and further facts, as ` KEY=VALUE...`.
    Times(Vec<f64>, String),
    /// This program has no such test.
    Skip(String),
    /// The result differs from the request.
    Wrong(String),
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Times(times, _) => {
                f.write_str("times")?;
                times.iter().try_for_each(|time| write!(f, " {time:.3}"))
            }
            Self::Skip(why) => write!(f, "skip {why}"),
            Self::Wrong(what) => write!(f, "wrong {what}"),
        }
    }
}

/// The reason why a row ends early.
#[derive(Debug)]
pub enum Stop {
    /// The result differs from the request.
    Wrong(String),
    /// Something failed.
    Failed(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// Serves until `quit` or the end of the input. Returns the exit status.
///
/// # Errors
/// There is no such machine, or the answers can't be written.
pub fn serve<R>(program: &Program<R>, options: &Options, input: impl BufRead, mut output: impl Write) -> Result<i32> {
    let started = Instant::now();
    let machine = machine(program.kernels, options)?;
    let ready = format!(
        "ready {{\"peer\":\"oxshmem\",\"version\":{:?},\"device\":{:?},\"init_us\":{:.1}}}",
        env!("CARGO_PKG_VERSION"),
        machine.name(),
        started.elapsed().as_nanos() as f64 / 1000.0
    );
    say(&mut output, &ready)?;
    let mut status = 0;
    for line in input.lines() {
        let line = line.map_err(|error| failed("read a request", &error))?;
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let request = match (program.parse)(&line) {
            Ok(None) => break,
            Ok(Some(request)) => request,
            Err(what) => {
                say(&mut output, &format!("error {what}"))?;
                continue;
            }
        };
        match ended((program.measure)(&machine, &request)) {
            Ok(outcome) => {
                if let Outcome::Times(_, note) = &outcome {
                    eprintln!("row peer=oxshmem {}{note}", line.trim_start_matches("run").trim());
                }
                status |= i32::from(matches!(outcome, Outcome::Wrong(_)));
                say(&mut output, &outcome.to_string())?;
            }
            Err(error) => {
                let text = error.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
                say(&mut output, &format!("error {text}"))?;
                status = 1;
                // After a kernel that did not end or did not run, nothing else can be measured.
                if machine.is_gpu() && !matches!(error.kind(), ErrorKind::InvalidArgument | ErrorKind::Exhausted) {
                    return Ok(1);
                }
            }
        }
    }
    Ok(status)
}

/// Returns the exit code of a program with this status. The error's text goes to standard error.
pub fn exit_code(program: &str, status: Result<i32>) -> ExitCode {
    match status {
        Ok(status) => ExitCode::from(u8::from(status != 0)),
        Err(error) => {
            eprintln!("{program}: {error}");
            ExitCode::FAILURE
        }
    }
}

fn ended(row: Result<Outcome, Stop>) -> Result<Outcome> {
    match row {
        Ok(outcome) => Ok(outcome),
        Err(Stop::Wrong(what)) => Ok(Outcome::Wrong(what)),
        Err(Stop::Failed(error)) => Err(error),
    }
}

fn machine(kernels: &'static str, options: &Options) -> Result<Machine> {
    let unknown = || {
        Error::new(ErrorKind::InvalidArgument, format!("run on `{}`", options.device))
            .hint("say --device gpu, gpu:NUMBER or host")
    };
    match options.device.as_str() {
        "host" => Ok(Machine::host(kernels)),
        "gpu" => Machine::gpu(kernels, 0, &find_image(kernels, options.ptx.as_deref())?),
        other => {
            let ordinal = other.strip_prefix("gpu:").and_then(|number| number.parse().ok()).ok_or_else(unknown)?;
            Machine::gpu(kernels, ordinal, &find_image(kernels, options.ptx.as_deref())?)
        }
    }
}

fn say(output: &mut impl Write, line: &str) -> Result<()> {
    writeln!(output, "{line}").and_then(|()| output.flush()).map_err(|error| failed("write an answer", &error))
}

fn failed(action: &str, error: &std::io::Error) -> Error {
    Error::new(ErrorKind::System, action).call("write", error.raw_os_error().unwrap_or(0).into(), error.to_string())
}

/// Parses a line word by word with `take`, which ignores unknown keys; `None` is `quit`.
///
/// # Errors
/// The wrong word, and why.
pub fn parse<R: Default>(
    line: &str,
    take: impl Fn(&mut R, &str, &str) -> Result<(), String>,
) -> Result<Option<R>, String> {
    let mut words = line.split_ascii_whitespace();
    match words.next() {
        Some("quit") => return Ok(None),
        Some("run") => {}
        other => return Err(format!("`{}` is no request: one begins with `run` or is `quit`", other.unwrap_or(""))),
    }
    let (mut request, mut has_test) = (R::default(), false);
    for word in words {
        let (key, value) = word.split_once('=').ok_or_else(|| format!("`{word}` is not KEY=VALUE"))?;
        has_test |= key == "test" && !value.is_empty();
        take(&mut request, key, value)?;
    }
    if has_test { Ok(Some(request)) } else { Err("a request needs test=NAME".into()) }
}

/// Returns the number of a key, which must be within bounds.
///
/// # Errors
/// It is not a number, or out of bounds; in words.
pub fn number(key: &str, value: &str, least: u64, most: u64) -> Result<u64, String> {
    match value.parse() {
        Ok(number) if (least..=most).contains(&number) => Ok(number),
        _ => Err(format!("{key}={value}: it is a number from {least} to {most}")),
    }
}
