//! Verbs in software inside this process, for worlds of threads that are connected by proxies.

use std::sync::Arc;

use oxshmem_core::{AmoOp, AmoType};
use oxshmem_hal::Config;
use oxshmem_hal::config::RemoteChoice;
use oxshmem_rdma::fabric::AtomicSet;
use oxshmem_softrc::{EmptyFetches, Network, Options};

/// Installs devices for the worlds that are made from now on. `seed` determines their delays and orders, and the depth
/// of their queue pairs, which is more or less than requested.
pub fn install(seed: u64) -> Arc<Network> {
    let inline_bytes = [32, 12, 0][seed as usize % 3];
    let given_depth = [None, Some(1 << 14), Some(7)][(seed / 3) as usize % 3];
    let wanted_bases = seed.is_multiple_of(2);
    let atomics = match seed % 5 {
        1 => AtomicSet::NONE.with(AmoOp::CompareSwap, AmoType::B64),
        2 => AtomicSet::VERBS.with(AmoOp::Set, AmoType::B64).with(AmoOp::Add, AmoType::B32),
        _ => AtomicSet::VERBS,
    };
    let empty_fetches = match seed % 8 {
        3 => EmptyFetches::BehindWrites,
        7 => EmptyFetches::BesideWrites,
        _ => EmptyFetches::None,
    };
    let options = Options {
        seed,
        inline_bytes,
        given_depth,
        wanted_bases,
        atomics,
        ordered: seed % 10 != 9,
        needs_progress: seed % 7 == 3,
        again: if seed % 6 == 1 { 32 } else { 0 },
        empty_fetches,
        ..Options::default()
    };
    let network = Network::new(options);
    let shared = network.clone();
    oxshmem_transport_ibrc::host::install(move |pe| Arc::new(shared.provider(pe.number())));
    network
}

/// Returns the configuration of a world whose PEs reach each other by proxies alone, unless it names load/store PEs.
pub fn by_proxy(mut config: Config) -> Config {
    config.remote = RemoteChoice::Named("ibrc".into());
    crate::soft_nic::by_nic(config)
}
