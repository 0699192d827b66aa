//! Verbs in software inside this process, for worlds of threads whose PEs proxies connect.

use std::sync::Arc;

use oxshmem_hal::Config;
use oxshmem_hal::config::RemoteChoice;
use oxshmem_softrc::{EmptyFetches, Network, Options};

/// Lets the worlds that are made from now on use devices whose delays and orders, and what queue pairs have room for
/// beyond what was asked or short of it, are drawn from `seed`.
pub fn install(seed: u64) -> Arc<Network> {
    let inline_bytes = [32, 12, 0][seed as usize % 3];
    let given_wr = [None, Some(1 << 14), Some(7)][(seed / 3) as usize % 3];
    let iova = seed.is_multiple_of(2);
    let empty_fetches = match seed % 8 {
        3 => EmptyFetches::BehindWrites,
        7 => EmptyFetches::BesideWrites,
        _ => EmptyFetches::None,
    };
    let options = Options { seed, inline_bytes, given_wr, iova, empty_fetches, ..Options::default() };
    let network = Network::new(options);
    let shared = network.clone();
    oxshmem_transport_ibrc::host::install(move |pe| Arc::new(shared.provider(pe.number())));
    network
}

/// The configuration of a world whose PEs reach each other by proxies alone, unless it says which are near.
pub fn by_proxy(mut config: Config) -> Config {
    config.remote = RemoteChoice::Named("ibrc".into());
    crate::soft_nic::by_nic(config)
}
