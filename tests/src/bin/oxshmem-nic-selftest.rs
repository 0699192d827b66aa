//! Tests whether the NICs of this machine meet the library's requirements: prints a line for each check, and returns
//! exit status 1 if one failed.

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use oxshmem_kit::nic::SelfTest;
use oxshmem_rdma::wire::{HcaList, WireParams};
use oxshmem_transport_ibgda::host::{IbgdaConfig, provider};

#[derive(Parser)]
#[command(version, max_term_width = 100)]
#[command(about = "Tests NICs: two queue pairs of a port, connected with each other, do all that the library does.")]
struct Command {
    /// NICs and ports, as mlx5_0 or mlx5_0:1,mlx5_1; ^mlx5_2 excludes that one [default: every active port].
    #[arg(value_parser = HcaList::parse, default_value = "", hide_default_value = true)]
    nics: HcaList,
    /// Fewer active ports than this are a failure.
    #[arg(long, value_name = "PORTS", default_value_t = 0)]
    least: u32,
    /// Times that the 16-bit index of entries wraps.
    #[arg(long, default_value_t = SelfTest::default().laps)]
    laps: u32,
    /// The seed of all data and places.
    #[arg(long, default_value_t = SelfTest::default().seed)]
    seed: u64,
    /// Blocks of a queue: a power of two.
    #[arg(long, default_value_t = IbgdaConfig::default().depth)]
    depth: u32,
    /// The entry of the GID table [default: chosen, as the library does].
    #[arg(long, env = "OXSHMEM_IB_GID_INDEX")]
    gid_index: Option<u32>,
    /// Service level, the priority on RoCE.
    #[arg(long, env = "OXSHMEM_IB_SL", default_value_t = 0)]
    sl: u8,
    /// Traffic class.
    #[arg(long, env = "OXSHMEM_IB_TRAFFIC_CLASS", default_value_t = 0)]
    traffic_class: u8,
    /// Entry of the partition table.
    #[arg(long, env = "OXSHMEM_IB_PKEY_INDEX", default_value_t = 0)]
    pkey_index: u16,
}

fn main() -> ExitCode {
    let Command { nics, least, laps, seed, depth, gid_index, sl, traffic_class, pkey_index } = Command::parse();
    let config = SelfTest::default().config;
    let wire = WireParams { gid_index, service_level: sl, traffic_class, pkey_index, ..config.wire };
    let config = IbgdaConfig { depth, wire, ..config };
    let report = SelfTest { nics, least, laps, seed, config }.run(&*provider(), |line| {
        // Flushed, so that a reader sees each line when it is due. Without a reader only the exit status remains.
        let mut out = std::io::stdout().lock();
        let _ = writeln!(out, "{line}").and_then(|()| out.flush());
    });
    if report.failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
