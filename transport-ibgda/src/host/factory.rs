//! How the host library finds and opens this transport, and its own settings.

use oxshmem_core::host::{Result, Transport};
use oxshmem_raw::queue::host_path::{HostPath, HostPathOf};
use oxshmem_raw::settings::{Settings, Takes, Variable};
use oxshmem_raw::transport::{Connect, TransportContext, TransportFactory};

use crate::device::NicPath;

use super::config::{Buffers, DoorbellBy, IbgdaConfig};
use super::{Ibgda, provider};

/// Opens [`Ibgda`] on the provider that was installed, else on the system's NICs.
#[derive(Debug)]
pub struct IbgdaFactory;

// SAFETY: **halves**: both halves are of this crate, and have the structs of `crate::state`.
unsafe impl TransportFactory for IbgdaFactory {
    fn name(&self) -> &'static str {
        "ibgda"
    }

    fn priority(&self) -> u32 {
        200
    }

    fn settings(&self) -> &'static [Variable] {
        &[NIC_HANDLER, BUFFERS, VERBS_QP, DUMP, UDP_SPORT, RELAXED_ORDERING]
    }

    fn host_path(&self) -> &'static dyn HostPath {
        &HostPathOf::<NicPath>::NEW
    }

    fn open(&self, cx: &TransportContext<'_>, peers: &[bool]) -> Result<Box<dyn Transport + Sync>> {
        let (memory, windows) = (cx.memory.clone(), cx.windows.clone());
        let n_pes = peers.len() as u32;
        let mut opened = Ibgda::open(&config(cx), provider(), memory, windows, cx.me, n_pes, peers)?;
        if cx.nic.connect == Connect::Lazy {
            let bulk = "OXSHMEM_QP_CONNECT = lazy: queue pairs to which GPUs post are connected in bulk, since a GPU can't wait \
                        for the host before a doorbell";
            opened.setup.warnings.push(bulk.into());
        }
        Ok(Box::new(opened))
    }
}

const AUTO: &str = "auto";

const NIC_HANDLER: Variable = Variable {
    names: &["OXSHMEM_IBGDA_NIC_HANDLER", "NVSHMEM_IBGDA_NIC_HANDLER"],
    takes: Takes::Words(&[&["gpu"], &["cpu"]]),
    auto: true,
    default: AUTO,
    help: "Whether the GPU or a thread of the host rings the NIC's doorbell; auto: the GPU where it can.",
};

const BUFFERS: Variable = Variable {
    names: &["OXSHMEM_IBGDA_FORCE_NIC_BUF_MEMTYPE", "NVSHMEM_IBGDA_FORCE_NIC_BUF_MEMTYPE"],
    takes: Takes::Words(&[&["gpumem", "gpu"], &["hostmem", "host"]]),
    auto: true,
    default: AUTO,
    help: "The memory of send queues, completion queues and doorbell records; auto: the GPU's where the NIC reaches it.",
};

const VERBS_QP: Variable = Variable {
    names: &["OXSHMEM_IBGDA_VERBS_TWIN"],
    takes: Takes::Flag,
    auto: false,
    default: "0",
    help: "Whether verbs make queue pairs, in host memory, in place of DEVX: to compare, and where DEVX is refused.",
};

const DUMP: Variable = Variable {
    names: &["OXSHMEM_IBGDA_DUMP"],
    takes: Takes::Flag,
    auto: true,
    default: AUTO,
    help: "Whether a dump follows each read before its data is trusted; auto: as the GPU needs it.",
};

const UDP_SPORT: Variable = Variable {
    names: &["OXSHMEM_IB_UDP_SPORT"],
    takes: Takes::Flag,
    auto: false,
    default: "1",
    help: "Whether each queue pair has a UDP source port of its own (RoCE v2), so that switches spread them.",
};

const RELAXED_ORDERING: Variable = Variable {
    names: &["OXSHMEM_IB_ENABLE_RELAXED_ORDERING", "NVSHMEM_IB_ENABLE_RELAXED_ORDERING"],
    takes: Takes::Flag,
    auto: false,
    default: "0",
    help: "Whether writes to the heap may arrive in any order; a fence is a quiet then.",
};

fn config(cx: &TransportContext<'_>) -> IbgdaConfig {
    let (nic, own): (_, &Settings) = (cx.nic, cx.settings);
    let mut wire = nic.wire.clone();
    wire.udp_sport_spread = own.flag(&UDP_SPORT).unwrap_or(true);
    IbgdaConfig {
        rows: nic.rows,
        spare_rows: nic.spare_rows,
        depth: nic.depth,
        nics: nic.nics.clone(),
        wire,
        buffers: match own.text(&BUFFERS) {
            "gpumem" => Buffers::Gpu,
            "hostmem" => Buffers::Host,
            _ => Buffers::Auto,
        },
        doorbell: match own.text(&NIC_HANDLER) {
            "gpu" => DoorbellBy::Gpu,
            "cpu" => DoorbellBy::Cpu,
            _ => DoorbellBy::Auto,
        },
        dmabuf: nic.dmabuf,
        relaxed_ordering: own.flag(&RELAXED_ORDERING).unwrap_or(false),
        dump: own.flag(&DUMP),
        verbs_qp: own.flag(&VERBS_QP).unwrap_or(false),
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

    fn configured(settings: &Settings) -> IbgdaConfig {
        let me = Pe::new(0);
        let windows = Arc::new(Mutex::new(Windows::new(&Memory::Host, me, 1, 1 << 21).unwrap()));
        config(&TransportContext {
            me,
            memory: &Memory::Host,
            windows: &windows,
            nic: &NicSettings::default(),
            settings,
            wait_limit: IbgdaConfig::default().wait_limit,
            chosen: "ibgda",
            messages: None,
        })
    }

    #[test]
    fn without_settings_it_is_the_default_configuration() {
        assert_eq!(configured(&Settings::default()), IbgdaConfig::default());
    }

    #[test]
    fn every_setting_of_its_own_reaches_the_configuration() {
        let mut settings = Settings::default();
        for (variable, text) in IbgdaFactory.settings().iter().zip(["CPU", "host", "yes", "0", "0", "1"]) {
            settings.set(variable, text).unwrap();
        }
        let config = configured(&settings);
        assert_eq!((config.doorbell, config.buffers, config.verbs_qp), (DoorbellBy::Cpu, Buffers::Host, true));
        assert_eq!((config.dump, config.wire.udp_sport_spread, config.relaxed_ordering), (Some(false), false, true));
    }
}
