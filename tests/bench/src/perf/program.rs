//! The program: initialises, announces itself, and answers line by line.

use std::io::{BufRead, Write};
use std::rc::Rc;
use std::time::Instant;

use clap::Args;
use oxshmem_hal::{Error, ErrorKind, Launch, Result, World};
use {oxshmem_collectives as _, oxshmem_perf_kernels as _};

use super::about::About;
use super::answer::Answer;
use super::limit::Limit;
use super::request::{Line, parse};
use super::session::Session;

/// The program's command line.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Measures hand-written PTX instead of the library.
    #[arg(long)]
    pub limit: bool,
    /// Dynamic shared memory of a block that its groups lend to copies; rows without copies are skipped.
    #[arg(long, value_name = "BYTES", default_value_t = 0, conflicts_with = "limit")]
    pub lend: u32,
    /// Also reports the way to PE 1: the transport, and the NICs that it uses.
    #[arg(long)]
    pub describe: bool,
}

/// Serves until `quit` or the end of the input. Returns the exit status.
///
/// # Errors
/// The world could not be made or ended, or the answers can't be written.
pub fn run(options: &Options, input: impl BufRead, mut output: impl Write) -> Result<i32> {
    let started = Instant::now();
    let about = options.describe.then(About::listen).transpose()?;
    let world = World::init()?;
    let module = world.modules().load("oxshmem-perf-kernels")?;
    let word = world.calloc::<u64>(1)?;
    world.own_stream().launch_kernel(&module.kernel("first")?, Launch::new(1, 32), (word, 1u64))?;
    world.own_stream().synchronize()?;
    let init_us = started.elapsed().as_nanos() as f64 / 1000.0;
    world.barrier_all()?;
    world.free(word)?;

    let peer = if options.limit { "limit" } else { "oxshmem" };
    let about = about.map(|about| about.to_json(&world)).transpose()?.unwrap_or_default();
    say(&mut output, &ready(&world, peer, init_us, &about))?;
    let limit = if options.limit { Limit::load(&world, &module)?.map(Rc::new) } else { None };
    let nothing_to_measure = options.limit && limit.is_none();
    let mut session = Session::new(&world, &module, limit)?;
    for line in input.lines() {
        let line = line.map_err(|error| failed("read a request", &error))?;
        let answer = match parse(&line) {
            Ok(Line::Quit) => break,
            Ok(Line::Run(_)) if nothing_to_measure => Ok(Answer::skip("no GPU")),
            Ok(Line::Run(mut request)) => {
                request.lend = request.lend.max(options.lend);
                session.measure(&request)
            }
            Err(what) => Ok(Answer::Error(what)),
        };
        let over = matches!(&answer, Err(error) if !goes_on(error.kind()));
        let answer = answer.unwrap_or_else(Answer::from);
        say(&mut output, &answer.to_string())?;
        if over {
            return Ok(1);
        }
    }
    session.end()?;
    drop(module);
    world.finalize()?;
    Ok(0)
}

/// Reports whether a world still works after an error of this kind.
fn goes_on(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::InvalidArgument | ErrorKind::OutOfRange | ErrorKind::Exhausted | ErrorKind::NotFound)
}

fn say(output: &mut impl Write, line: &str) -> Result<()> {
    writeln!(output, "{line}").and_then(|()| output.flush()).map_err(|error| failed("write an answer", &error))
}

fn failed(action: &str, error: &std::io::Error) -> Error {
    Error::new(ErrorKind::System, action).call("write", error.raw_os_error().unwrap_or(0).into(), error.to_string())
}

/// Returns the first line: the library and the device; `about` are further members.
fn ready(world: &World, peer: &str, init_us: f64, about: &str) -> String {
    // In `NVIDIA H200 (GPU 0)` the number is not part of the model.
    let machine = world.machine();
    let device = machine.split(" (").next().unwrap_or_default();
    let driver = if world.on_host() { "none".to_string() } else { driver_version() };
    format!(
        "ready {{\"peer\":{peer:?},\"version\":{:?},\"device\":{device:?},\"driver\":{driver:?},\"init_us\":{init_us:.1}{about}}}",
        env!("CARGO_PKG_VERSION"),
    )
}

/// Returns the GPU driver's version, as the kernel module reports it.
fn driver_version() -> String {
    let version = std::fs::read_to_string("/sys/module/nvidia/version");
    version.map_or_else(|_| "unknown".into(), |text| text.trim().to_string())
}
