//! Asks the driver of every ConnectX of this machine for each thing that `oxshmem_raw::mlx5dv` can ask for.
//!
//! Prints one line for each check (`ok NAME`, `FAIL NAME: error`, `skipped NAME: why`) and the counts; exits with 1 if
//! a check failed. `--nics N` makes fewer than N a failure. It sends nothing.

#[path = "../cuda-selftest/report.rs"]
mod report;

use std::alloc::{Layout, alloc_zeroed};
use std::env;
use std::process::ExitCode;

use oxshmem_core::host::{ErrorKind, Result};
use oxshmem_raw::hca::{AhAttr, Handle, Hca, LinkLayer, Provider, Region, UarKind, VerbsConnect, access};
use oxshmem_raw::mlx5dv::Libraries;
use report::{Outcome, Report, ensure, noted, passed, refusal, skipped};

const PAGE: usize = 4096;
const BYTES: usize = 16 * PAGE;
/// Where the state of a queue pair is in `QUERY_QP`'s answer: the top four bits of its context.
const STATE: usize = 0x18;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let least = match words[..] {
        [] => Some(0),
        ["--nics", count] => count.parse().ok(),
        _ => None,
    };
    let Some(least) = least else {
        eprintln!("usage: nic-selftest [--nics N]");
        return ExitCode::from(2);
    };
    if run(least).close() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn run(least: usize) -> Report {
    let mut report = Report::default();
    let libraries = Libraries::open();
    report.check("libraries", || match &libraries {
        Ok(libraries) => noted(libraries.describe()),
        Err(error) if least == 0 => skipped(error.to_string()),
        Err(error) => Err(error.clone().into()),
    });
    let Ok(libraries) = libraries else { return report };
    let found = libraries.list();
    report.check("list", || match &found {
        Ok(found) => {
            ensure(found.len() >= least, || format!("{least} NICs expected, {} found", found.len()))?;
            noted(format!("{found:?}"))
        }
        Err(error) if least == 0 => skipped(error.to_string()),
        Err(error) => Err(error.clone().into()),
    });
    for found in found.into_iter().flatten().filter(|found| found.is_mlx5) {
        let mut check = |what: &str, check: &dyn Fn(&dyn Hca) -> Outcome| {
            report.check(&format!("{}: {what}", found.name), || {
                // Opened for each: what one check leaves behind must not disturb the next.
                let nic = libraries.open(&found.name)?;
                check(&*nic)
            });
        };
        check("open", &|nic| noted(format!("firmware {}, {:?}", nic.firmware(), nic.ports()?)));
        check("gids", &gids);
        check("memory", &memory);
        check("umem", &umem);
        check("doorbell pages", &doorbell_pages);
        check("event queue", &|nic| noted(nic.query_eqn()?.to_string()));
        check("verbs queue pair", &verbs_queue_pair);
        check("a command that is none", &|nic| {
            let error = refusal(nic.general_cmd(&[0x7f; 16], &mut [0; 16]))?;
            noted(error.to_string())
        });
    }
    report
}

/// Host memory that stays until the program ends.
fn buffer() -> u64 {
    let layout = Layout::from_size_align(BYTES, PAGE).expect("a power of two");
    // SAFETY: the layout is not empty.
    let at = unsafe { alloc_zeroed(layout) };
    at as u64
}

fn gids(nic: &dyn Hca) -> Outcome {
    let mut text = Vec::new();
    for port in nic.ports()? {
        let gids = nic.gids(port.number)?;
        ensure(port.state != 4 || !gids.is_empty(), || format!("port {} is active and has no GID", port.number))?;
        text.extend(gids.iter().map(|gid| format!("{}/{}: {:?}", port.number, gid.index, gid.kind)));
    }
    noted(text.join(", "))
}

fn memory(nic: &dyn Hca) -> Outcome {
    let at = buffer();
    let (pd, number) = nic.alloc_pd()?;
    let all = access::LOCAL_WRITE | access::REMOTE_WRITE | access::REMOTE_READ | access::REMOTE_ATOMIC;
    let mr = nic.reg_mr(pd, Region::Address(at), BYTES as u64, 0, all)?;
    let relaxed = nic.reg_mr(pd, Region::Address(at), BYTES as u64, at, all | access::RELAXED_ORDERING)?;
    ensure(mr.rkey != relaxed.rkey, || format!("two registrations have the key {:#x}", mr.rkey))?;
    let busy = refusal(nic.dealloc_pd(pd))?;
    ensure(busy.kind() == ErrorKind::System, || format!("a domain in use: {busy}"))?;
    nic.dereg_mr(mr.handle)?;
    nic.dereg_mr(relaxed.handle)?;
    nic.dealloc_pd(pd)?;
    noted(format!("domain {number}, keys {:#x} and {:#x}; {busy}", mr.rkey, relaxed.rkey))
}

fn umem(nic: &dyn Hca) -> Outcome {
    let at = buffer();
    let plain = nic.umem_reg(Region::Address(at), BYTES as u64, access::LOCAL_WRITE, None)?;
    let paged = nic.umem_reg(Region::Address(at), BYTES as u64, access::LOCAL_WRITE, Some(PAGE as u64))?;
    nic.umem_dereg(paged.handle)?;
    nic.umem_dereg(plain.handle)?;
    noted(format!("{} and {}", plain.id, paged.id))
}

fn doorbell_pages(nic: &dyn Hca) -> Outcome {
    let mut text = Vec::new();
    for kind in [UarKind::NonCachedDedicated, UarKind::BlueFlame, UarKind::NonCached] {
        match nic.alloc_uar(kind) {
            Ok(uar) => {
                ensure(uar.register > uar.base, || format!("a register at {:#x} of {:#x}", uar.register, uar.base))?;
                nic.free_uar(uar.handle)?;
                text.push(format!("{kind:?}: page {}, register at {:#x}", uar.page, uar.register - uar.base));
            }
            Err(error) if error.kind() == ErrorKind::Incompatible => text.push(format!("{kind:?}: {error}")),
            Err(error) => return Err(error.into()),
        }
    }
    noted(text.join(", "))
}

fn verbs_queue_pair(nic: &dyn Hca) -> Outcome {
    let Some(port) = nic.ports()?.into_iter().find(|port| port.state == 4) else {
        return skipped("no port is active");
    };
    let (pd, _) = nic.alloc_pd()?;
    let qp = nic.verbs_qp(pd, 128, 12)?;
    ensure(qp.sq_blocks >= 128 && qp.cq_entries >= 128, || format!("{qp:?}"))?;
    ensure(state(nic, qp.handle)? == 0, || "it is not in state RESET".into())?;
    let gid = nic.gids(port.number)?.into_iter().next();
    let ah = AhAttr {
        port: port.number,
        dlid: port.lid,
        sl: 0,
        global: gid.filter(|_| port.link == LinkLayer::Ethernet).map(|gid| (gid.raw, gid.index)),
        hop_limit: 64,
        traffic_class: 0,
    };
    // With itself: nothing is sent.
    let connect = VerbsConnect {
        ah,
        remote_qpn: qp.qpn,
        mtu: port.active_mtu,
        pkey_index: 0,
        timeout: 14,
        retry_cnt: 7,
        rnr_retry: 7,
        rd_atomic: 1,
        min_rnr_timer: 12,
    };
    nic.verbs_connect(qp.handle, &connect)?;
    ensure(state(nic, qp.handle)? == 3, || "it is not in state RTS".into())?;
    if ah.global.is_some() {
        let mac = nic.resolve_mac(pd, &ah)?;
        ensure(mac != [0; 6], || "the Ethernet address is empty".into())?;
    }
    nic.verbs_destroy(qp.handle)?;
    nic.dealloc_pd(pd)?;
    passed()
}

fn state(nic: &dyn Hca, qp: Handle) -> Result<u8> {
    let mut answer = [0; 0x200];
    nic.verbs_query(qp, &mut answer)?;
    Ok(answer[STATE] >> 4)
}
