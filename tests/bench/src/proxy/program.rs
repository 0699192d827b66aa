//! The program: comes up, says so, and answers line by line.

use std::fmt;
use std::io::{BufRead, Write};
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_proxy_kernels as _;

use super::KERNELS;
use super::latency::{self, Until};
use super::rate::{self, Puts};
use super::request::{Request, parse};
use crate::machine::{Machine, find_image};

/// What the program is asked on its command line.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// What kernels run on: `gpu`, `gpu:NUMBER` or `host`.
    #[arg(long, env = "OXSHMEM_DEVICE", default_value = "gpu")]
    pub device: String,
    /// The kernels' PTX or cubin, or the folder that it is in.
    #[arg(long, value_name = "PATH")]
    pub ptx: Option<PathBuf>,
}

/// What a row gives.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Outcome {
    /// Nanoseconds for one iteration, by repetition; and what else is worth saying, as ` KEY=VALUE...`.
    Times(Vec<f64>, String),
    /// There is no such test here.
    Skip(String),
    /// What the sink was given is not what was asked.
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

/// Why a row ends early.
#[derive(Debug)]
pub(super) enum Stop {
    /// What the sink was given is not what was asked.
    Wrong(String),
    /// Something failed.
    Failed(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

fn measure(machine: &Machine, request: &Request) -> Result<Outcome> {
    let outcome = match request.test.as_str() {
        "proxy_p_rate" => rate::puts(machine, request, Puts::Elements),
        "proxy_put_rate" => rate::puts(machine, request, Puts::Blocks),
        "proxy_put_bw" => rate::puts(machine, request, Puts::Large),
        "proxy_copy_bw" => rate::copy(machine, request),
        "proxy_call_latency" => latency::lone(machine, request, Until::Called),
        "proxy_round_latency" => latency::lone(machine, request, Until::Round),
        "proxy_post_latency" => latency::lone(machine, request, Until::Posted),
        "proxy_quiet_latency" => latency::lone(machine, request, Until::Quiet),
        "proxy_echo_latency" => latency::echo(machine, request),
        "proxy_wake_latency" => latency::wake(machine, request, true),
        "proxy_wake_untold_latency" => latency::wake(machine, request, false),
        "proxy_core_wake_latency" => Ok(latency::core_wake(request)),
        "proxy_idle" => latency::idle(machine, request, false),
        "proxy_stay" => latency::idle(machine, request, true),
        other => return Ok(Outcome::Skip(format!("no test {other}"))),
    };
    match outcome {
        Ok(outcome) => Ok(outcome),
        Err(Stop::Wrong(what)) => Ok(Outcome::Wrong(what)),
        Err(Stop::Failed(error)) => Err(error),
    }
}

/// Serves until `quit` or the end of the input; the value is the exit status.
///
/// # Errors
/// There is no such machine, or the answers can't be written.
pub fn run(options: &Options, input: impl BufRead, mut output: impl Write) -> Result<i32> {
    let started = Instant::now();
    let machine = machine(options)?;
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
        let request = match parse(&line) {
            Ok(None) => break,
            Ok(Some(request)) => request,
            Err(what) => {
                say(&mut output, &format!("error {what}"))?;
                continue;
            }
        };
        match measure(&machine, &request) {
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
                // After a kernel that did not end or did not run nothing else can be measured.
                if machine.is_gpu() && !matches!(error.kind(), ErrorKind::InvalidArgument | ErrorKind::Exhausted) {
                    return Ok(1);
                }
            }
        }
    }
    Ok(status)
}

fn machine(options: &Options) -> Result<Machine> {
    let unknown = || {
        Error::new(ErrorKind::InvalidArgument, format!("run on `{}`", options.device))
            .hint("say --device gpu, gpu:NUMBER or host")
    };
    match options.device.as_str() {
        "host" => Ok(Machine::host(KERNELS)),
        "gpu" => Machine::gpu(KERNELS, 0, &find_image(KERNELS, options.ptx.as_deref())?),
        other => {
            let ordinal = other.strip_prefix("gpu:").and_then(|number| number.parse().ok()).ok_or_else(unknown)?;
            Machine::gpu(KERNELS, ordinal, &find_image(KERNELS, options.ptx.as_deref())?)
        }
    }
}

fn say(output: &mut impl Write, line: &str) -> Result<()> {
    writeln!(output, "{line}").and_then(|()| output.flush()).map_err(|error| failed("write an answer", &error))
}

fn failed(action: &str, error: &std::io::Error) -> Error {
    Error::new(ErrorKind::System, action).call("write", error.raw_os_error().unwrap_or(0).into(), error.to_string())
}
