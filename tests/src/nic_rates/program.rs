//! The program: comes up, says so, and answers line by line.

use std::io::{BufRead, Write};
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use oxshmem_hal::{Error, ErrorKind, Result};
use oxshmem_nic_kernels as _;

use super::KERNELS;
use super::request::parse;
use super::session::{Outcome, measure};
use oxshmem_bench::machine::{Machine, find_image};

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
