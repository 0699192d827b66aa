//! Exercises every part of `oxshmem_raw::gpu::cuda` on this machine's GPUs.
//!
//! Prints one line for each check (`ok NAME`, `FAIL NAME: error`, `skipped NAME: why`) and the counts; exits with 1 if
//! a check failed. `--gpus N` makes fewer than N GPUs a failure.

mod device;
mod kernels;
mod memory;
mod pairs;
mod processes;
mod rdma;
mod report;

use std::env;
use std::process::ExitCode;

use oxshmem_raw::gpu::cuda::{self, Context, Device};
use report::{Report, ensure, noted, skipped};

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let least = match words[..] {
        [] => 0,
        ["--gpus", count] => match count.parse() {
            Ok(count) => count,
            Err(_) => return usage(),
        },
        ["child", role, ..] => return processes::child(role, &words[2..]),
        _ => return usage(),
    };
    if run(least).close() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn usage() -> ExitCode {
    eprintln!("usage: cuda-selftest [--gpus N]");
    ExitCode::from(2)
}

fn run(least: u32) -> Report {
    let mut report = Report::default();
    let info = cuda::available();
    report.check("driver", || match &info {
        Ok(info) => noted(format!("CUDA {}.{}", info.cuda().0, info.cuda().1)),
        Err(error) if least == 0 => skipped(error.to_string()),
        Err(error) => Err(error.clone().into()),
    });
    if info.is_err() {
        return report;
    }
    let count = cuda::device_count().unwrap_or(0);
    report.check("device-count", || {
        ensure(cuda::device_count()? >= least, || format!("{least} GPUs expected, {count} found"))?;
        noted(format!("{count}"))
    });
    report.check("device-out-of-range", || {
        let error = report::refusal(Device::get(count))?;
        noted(error.to_string())
    });
    let mut contexts = Vec::new();
    for ordinal in 0..count {
        report.check(&format!("gpu{ordinal}/context"), || {
            let context = Context::primary(Device::get(ordinal)?)?;
            context.bind()?;
            context.synchronize()?;
            let (free, total) = context.memory()?;
            contexts.push(context);
            noted(format!("{} of {} MiB free", free >> 20, total >> 20))
        });
    }
    for context in &contexts {
        let name = format!("gpu{}", context.device().ordinal());
        device::checks(&mut report, &name, context);
        memory::checks(&mut report, &name, context);
        rdma::checks(&mut report, &name, context);
        kernels::checks(&mut report, &name, context);
        processes::checks(&mut report, &name, context);
    }
    pairs::checks(&mut report, &contexts);
    report.check("release-and-retain-again", || {
        let ordinals: Vec<u32> = contexts.iter().map(|context| context.device().ordinal()).collect();
        contexts.clear();
        for ordinal in ordinals {
            Context::primary(Device::get(ordinal)?)?.synchronize()?;
        }
        report::passed()
    });
    report
}
