//! How the host library finds and opens this transport, and its own settings.

use std::sync::OnceLock;

use oxshmem_core::host::{Result, Transport};
use oxshmem_raw::queue::host_path::{HostPath, HostPathOf};
use oxshmem_raw::settings::{Settings, Takes, Variable};
use oxshmem_raw::transport::{TransportContext, TransportFactory};

use crate::device::ProxyPath;

use super::Ibrc;
use super::setup::provider;
use crate::host::config::IbrcConfig;

/// Opens [`Ibrc`] on the linked provider whose name was chosen, else on the installed one, else on libibverbs.
#[derive(Debug)]
pub struct IbrcFactory;

// SAFETY: **halves**: both halves are of this crate, and have the structs of `crate::state`.
unsafe impl TransportFactory for IbrcFactory {
    fn name(&self) -> &'static str {
        provider::NAME
    }

    fn names(&self) -> Vec<String> {
        provider::names().into_iter().map(Into::into).collect()
    }

    fn priority(&self) -> u32 {
        100
    }

    fn settings(&self) -> &'static [Variable] {
        static ALL: OnceLock<Vec<Variable>> = OnceLock::new();
        ALL.get_or_init(|| [THREADS, PIN, GUARD_FETCHES, RING_DEPTH].into_iter().chain(provider::variables()).collect())
    }

    fn host_path(&self) -> &'static dyn HostPath {
        &HostPathOf::<ProxyPath>::NEW
    }

    fn open(&self, cx: &TransportContext<'_>, peers: &[bool]) -> Result<Box<dyn Transport + Sync>> {
        let (memory, windows) = (cx.memory.clone(), cx.windows.clone());
        let provider = provider::provider_named(cx.chosen, cx.me, cx.settings)?;
        Ok(Box::new(Ibrc::open(&config(cx), &*provider, memory, windows, cx.me, cx.messages, peers)?))
    }
}

const AUTO: &str = "auto";

const THREADS: Variable = Variable {
    names: &["OXSHMEM_PROXY_THREADS"],
    takes: Takes::Number { least: IbrcConfig::PROXIES.0, most: IbrcConfig::PROXIES.1 },
    auto: true,
    default: AUTO,
    help: "Threads of the host that post for kernels; auto: by NICs and cores.",
};

const PIN: Variable = Variable {
    names: &["OXSHMEM_PROXY_PIN"],
    takes: Takes::Flag,
    auto: false,
    default: "1",
    help: "Whether such threads stay on the cores near their NIC that the process may use.",
};

const GUARD_FETCHES: Variable = Variable {
    names: &["OXSHMEM_PROXY_GUARD_FETCHES"],
    takes: Takes::Flag,
    auto: true,
    default: AUTO,
    help: "Whether such threads keep reads and atomics apart from writes, on queue pairs of their own, and a fetch that \
           brings nothing is a fault; auto: with NICs that may answer wrongly where packets are lost (Soft-RoCE).",
};

const RING_DEPTH: Variable = Variable {
    names: &["OXSHMEM_PROXY_RING_DEPTH"],
    takes: Takes::PowerOfTwo { least: IbrcConfig::RING_DEPTHS.0, most: IbrcConfig::RING_DEPTHS.1 },
    auto: false,
    default: "4096",
    help: "Requests of kernels that a ring to such a thread has room for.",
};

fn config(cx: &TransportContext<'_>) -> IbrcConfig {
    let (nic, own): (_, &Settings) = (cx.nic, cx.settings);
    let defaults = IbrcConfig::default();
    IbrcConfig {
        proxies: own.number(&THREADS),
        pin: own.flag(&PIN).unwrap_or(defaults.pin),
        guard_fetches: own.flag(&GUARD_FETCHES),
        ring_depth: own.number(&RING_DEPTH).unwrap_or(defaults.ring_depth),
        rows: nic.rows,
        spare_rows: nic.spare_rows,
        depth: nic.depth,
        connect: nic.connect,
        nics: nic.nics.clone(),
        wire: nic.wire.clone(),
        dmabuf: nic.dmabuf,
        wait_limit: cx.wait_limit,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use oxshmem_core::Pe;
    use oxshmem_raw::memory::{Memory, Windows};
    use oxshmem_raw::transport::NicSettings;

    use super::*;

    fn configured(settings: &Settings) -> IbrcConfig {
        let me = Pe::new(0);
        let windows = Arc::new(Mutex::new(Windows::new(&Memory::Host, me, 1, 1 << 21).unwrap()));
        config(&TransportContext {
            me,
            memory: &Memory::Host,
            windows: &windows,
            nic: &NicSettings::default(),
            settings,
            wait_limit: IbrcConfig::default().wait_limit,
            chosen: "ibrc",
            messages: None,
        })
    }

    #[test]
    fn without_settings_it_is_the_default_configuration() {
        assert_eq!(configured(&Settings::default()), IbrcConfig::default());
    }

    #[test]
    fn every_setting_of_its_own_reaches_the_configuration() {
        let mut settings = Settings::default();
        for (variable, text) in IbrcFactory.settings().iter().zip(["4", "no", "1", "64"]) {
            settings.set(variable, text).unwrap();
        }
        let config = configured(&settings);
        assert_eq!((config.proxies, config.pin), (Some(4), false));
        assert_eq!((config.guard_fetches, config.ring_depth), (Some(true), 64));
    }
}
