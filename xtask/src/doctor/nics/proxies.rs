//! Whether proxies can use a device. They need ordinary verbs, which every InfiniBand and RoCE driver has.

use oxshmem_core::host::Result;
use oxshmem_rdma::hca::{Region, access};
use oxshmem_rdma::rc::{Atomics, RcCaps, RcDevice, RcProvider};

use super::super::Check;

/// The size of the registration that is tried, in the way that heaps are registered.
const TRIED_BYTES: usize = 1 << 20;

/// Opens the device and queries everything that a world needs before its PEs connect.
pub(super) fn check(provider: &dyn RcProvider, name: &str) -> Check {
    let device = match provider.open(name) {
        Ok(device) => device,
        Err(error) => return Check::refused(what(name), &error),
    };
    match device.caps() {
        Ok(caps) => verdict(name, &caps, register(&*device)),
        Err(error) => Check::refused(what(name), &error),
    }
}

fn what(name: &str) -> String {
    format!("{name}: proxies")
}

/// Registers memory with all access rights, and deregisters it.
fn register(device: &dyn RcDevice) -> Result<()> {
    let memory = vec![0_u64; TRIED_BYTES / 8];
    let rights = access::LOCAL_WRITE | access::REMOTE_WRITE | access::REMOTE_READ | access::REMOTE_ATOMIC;
    let (at, pd) = (memory.as_ptr() as u64, device.alloc_pd()?);
    let registered = device.reg_mr(pd, Region::Address(at), TRIED_BYTES as u64, at, rights);
    let ended = registered.and_then(|mr| device.dereg_mr(mr.handle));
    ended.and(device.dealloc_pd(pd))
}

fn verdict(name: &str, caps: &RcCaps, registered: Result<()>) -> Check {
    if let Err(error) = registered {
        return Check::refused(what(name), &error);
    }
    let atomics = match caps.atomics {
        Atomics::None => {
            return Check::cannot(
                what(name),
                "its driver has no atomics, which signals are made of",
                "name another device in OXSHMEM_HCA_LIST; in a virtual machine: pass a function with atomics through",
            );
        }
        Atomics::Device => "atomics among its queue pairs",
        Atomics::System => "atomics also with CPUs",
    };
    let RcCaps { max_qp, max_qp_wr, max_cqe, max_rd_atom_requester: reads, .. } = caps;
    let limits =
        format!("{max_qp} queue pairs of {max_qp_wr} work requests, {max_cqe} completions, {reads} reads at once");
    if *reads == 0 {
        return Check::cannot(
            what(name),
            format!("it takes no reads nor atomics: {limits}"),
            "see the driver's limits",
        );
    }
    let dma_buf = if caps.dma_buf { "takes DMA buffers" } else { "takes no DMA buffers" };
    Check::can(what(name), format!("{atomics}; {limits}; registers memory, {dma_buf}"))
}

#[cfg(test)]
mod tests {
    use oxshmem_core::host::{Error, ErrorKind};

    use super::*;

    fn caps(atomics: Atomics) -> RcCaps {
        RcCaps {
            max_qp: 100,
            max_qp_wr: 1000,
            max_cqe: 5000,
            max_rd_atom_requester: 16,
            max_rd_atom_responder: 16,
            atomics,
            max_message_bytes: 1 << 30,
            iova: true,
            dma_buf: false,
            empty_fetches: false,
        }
    }

    #[test]
    fn a_device_is_said_to_do_when_it_has_atomics_and_registers_memory() {
        let Check { what, found } = verdict("rxe0", &caps(Atomics::Device), Ok(()));
        let said = format!("{found:?}");
        assert_eq!(what, "rxe0: proxies");
        assert!(
            said.starts_with("Can(") && said.contains("100 queue pairs of 1000") && said.contains("no DMA"),
            "{said}"
        );
    }

    #[test]
    fn what_a_device_lacks_is_said_with_what_to_do() {
        let locked = Error::new(ErrorKind::Exhausted, "register memory").because("ENOMEM").hint("ulimit -l unlimited");
        for (caps, registered, part) in [
            (caps(Atomics::None), Ok(()), "OXSHMEM_HCA_LIST"),
            (caps(Atomics::Device), Err(locked), "ulimit -l unlimited"),
            (RcCaps { max_rd_atom_requester: 0, ..caps(Atomics::Device) }, Ok(()), "no reads nor atomics"),
        ] {
            let said = format!("{:?}", verdict("rxe0", &caps, registered).found);
            assert!(said.starts_with("Cannot") && said.contains(part), "{said}");
        }
    }
}
