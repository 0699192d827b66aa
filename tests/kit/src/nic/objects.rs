//! Every kind of object that the transport makes, and a few requests that the NIC must refuse.

use std::sync::Arc;

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::memory::{Chunk, Memory};
use oxshmem_rdma::hca::{LinkLayer, Region, UarKind, access};
use oxshmem_transport_ibgda::host::for_tests::Nic;

use crate::report::{Fine, Outcome, noted, refusal, wrong};

const PAGE: u64 = 4096;
const BYTES: usize = 64 << 10;

pub(super) fn capabilities(nic: &Arc<Nic>) -> Outcome {
    let port = &nic.port;
    let wire = match port.link {
        LinkLayer::InfiniBand => format!("InfiniBand, LID {:#x}", port.lid),
        LinkLayer::Ethernet => "Ethernet".to_string(),
    };
    let gids: Vec<String> = nic.gids.iter().map(|gid| format!("GID {} ({})", gid.index, gid.class.text())).collect();
    let gids = if gids.is_empty() { String::new() } else { format!(", {}", gids.join(", ")) };
    noted(format!("firmware {}, {wire}{gids}; {}", nic.hca.firmware(), nic.caps.describe()))
}

/// Checks two keys of the same memory, and a protection domain in use.
pub(super) fn memory(nic: &Arc<Nic>) -> Outcome {
    let chunk = Chunk::on_host(&Memory::Host, BYTES)?;
    let at = chunk.kernel();
    let hca = &nic.hca;
    let (pd, number) = hca.alloc_pd()?;
    let all = access::LOCAL_WRITE | access::REMOTE_WRITE | access::REMOTE_READ | access::REMOTE_ATOMIC;
    let mr = hca.reg_mr(pd, Region::Address(at), BYTES as u64, 0, all)?;
    let relaxed = hca.reg_mr(pd, Region::Address(at), BYTES as u64, at, all | access::RELAXED_ORDERING)?;
    if mr.rkey == relaxed.rkey {
        let todo = "this driver can't be trusted with memory: update it";
        return Err(wrong("two registrations", "two keys", format!("{:#x} twice", mr.rkey), todo));
    }
    let busy = refused("to give back a protection domain in use", hca.dealloc_pd(pd))?;
    hca.dereg_mr(mr.handle)?;
    hca.dereg_mr(relaxed.handle)?;
    hca.dealloc_pd(pd)?;
    noted(format!("domain {number:#x}, keys {:#x} and {:#x}; a domain in use: {busy}", mr.rkey, relaxed.rkey))
}

/// Checks memory for commands, with and without a limit of its page size.
pub(super) fn umem(nic: &Arc<Nic>) -> Outcome {
    let chunk = Chunk::on_host(&Memory::Host, BYTES)?;
    let at = chunk.kernel();
    let plain = nic.hca.umem_reg(Region::Address(at), BYTES as u64, access::LOCAL_WRITE, None)?;
    nic.hca.umem_dereg(plain.handle)?;
    match nic.hca.umem_reg(Region::Address(at), BYTES as u64, access::LOCAL_WRITE, Some(PAGE)) {
        Ok(paged) => {
            nic.hca.umem_dereg(paged.handle)?;
            noted(format!("{:#x}, and with pages of {PAGE} bytes {:#x}", plain.id, paged.id))
        }
        Err(error) => noted(format!("{:#x}; no say in its pages: {error}", plain.id)),
    }
}

pub(super) fn doorbell_pages(nic: &Arc<Nic>) -> Outcome {
    let mut text = Vec::new();
    for kind in [UarKind::NonCachedDedicated, UarKind::NonCached, UarKind::BlueFlame] {
        match nic.hca.alloc_uar(kind) {
            Ok(uar) => {
                let at = uar.register.wrapping_sub(uar.base);
                if !(1..PAGE).contains(&at) {
                    let found = format!("{:#x} of a page at {:#x}", uar.register, uar.base);
                    let todo = "update libmlx5";
                    return Err(wrong("a doorbell register", "a place within its page", found, todo));
                }
                nic.hca.free_uar(uar.handle)?;
                text.push(format!("{kind:?}: register at {at:#x}"));
            }
            // One kind is enough, and making any queue pair needs one.
            Err(error) => text.push(format!("{kind:?}: {error}")),
        }
    }
    noted(text.join(", "))
}

/// Checks that the firmware refuses an unknown command with a description.
pub(super) fn no_command(nic: &Arc<Nic>) -> Outcome {
    let error = refused("a command that there is none of", nic.hca.general_cmd(&[0x7f; 16], &mut [0; 16]))?;
    if error.kind() == ErrorKind::Incompatible {
        return Err(error.into());
    }
    noted(error.to_string())
}

/// Returns the error of a call that the driver must refuse.
fn refused<T>(at: &str, result: Result<T>) -> Fine<Error> {
    refusal(result)
        .map_err(|_| wrong(at, "a refusal", "that it was done", "the driver takes what it must refuse: update it"))
}
