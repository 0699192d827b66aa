//! The program's rows.

use std::io::{BufRead, Write};

use oxshmem_core::host::Result;
use oxshmem_proxy_kernels as _;

use super::KERNELS;
use super::latency::{self, Until};
use super::rate::{self, Puts};
use super::request::{Request, parse};
use crate::peer::{Options, Outcome, Program, Stop, serve};
use oxshmem_machine::Machine;

fn measure(machine: &Machine, request: &Request) -> Result<Outcome, Stop> {
    match request.test.as_str() {
        "proxy_p_rate" => rate::puts(machine, request, Puts::Elements),
        "proxy_put_rate" => rate::puts(machine, request, Puts::Blocks),
        "proxy_put_bw" => rate::puts(machine, request, Puts::Large),
        "proxy_put_copies" => rate::puts(machine, request, Puts::Copies),
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
        other => Ok(Outcome::Skip(format!("no test {other}"))),
    }
}

/// Serves until `quit` or the end of the input. Returns the exit status.
///
/// # Errors
/// There is no such machine, or the answers can't be written.
pub fn run(options: &Options, input: impl BufRead, output: impl Write) -> Result<i32> {
    serve(&Program { kernels: KERNELS, parse, measure }, options, input, output)
}
