//! Queue pairs made by verbs: the NIC's side allocates the queues, in host memory, as libmlx5 does.

use std::sync::{Arc, Mutex};

use oxshmem_rdma::hca::{Handle, LinkLayer, VerbsConnect, VerbsQpLayout};

use crate::decode::mailbox::{QpContext, Refusal};
use crate::engine::{Cq, Ring};
use crate::memory::Pages;

use super::objects::{Nic, Object, Refused};
use super::{caps, gid};

/// Layout of a queue pair's pages: its doorbell records, then its completion queue, then its send queue.
const CQ_AT: u64 = 4096;
/// The kernel's driver requests an acknowledgement of every 2^8th packet.
const ACK_REQUEST: u8 = 8;

fn refused(refusal: Refusal) -> Refused {
    (refusal.errno(), refusal.why)
}

impl Nic {
    pub(super) fn verbs_create(
        &self,
        context: u64,
        pd: Handle,
        depth: u32,
        inline: u32,
    ) -> Result<VerbsQpLayout, Refused> {
        if depth == 0 || depth > 1 << caps::LOG_MAX_SQ {
            return Err((libc::EINVAL, format!("{depth} blocks, and 1 to {} there can be", 1 << caps::LOG_MAX_SQ)));
        }
        if inline > 1024 - 32 - 4 {
            return Err((libc::EINVAL, format!("{inline} bytes inline, and a WQE has room for {}", 1024 - 32 - 4)));
        }
        let blocks = depth.next_power_of_two();
        let (cq_bytes, sq_bytes) = (u64::from(blocks) * 64, u64::from(blocks) * 64);
        let out_of_memory = |e: std::io::Error| (libc::ENOMEM, e.to_string());
        let pages = Pages::new(CQ_AT + cq_bytes + sq_bytes).map_err(out_of_memory)?;
        let page = Pages::new(4096).map_err(out_of_memory)?;
        let dma = &self.core.dma;
        let failed = |e: crate::MemoryFailed| (libc::EFAULT, e.0);
        let (base, page_base) = (pages.at(), page.at());
        // SAFETY: **mapped**: the queue pair keeps the pages as long as it exists.
        let whole = unsafe { dma.span(base, CQ_AT + cq_bytes + sq_bytes) }.map_err(failed)?;
        // SAFETY: **mapped**: the page is kept until its queue pair is gone.
        let registers = unsafe { dma.span(page_base, 4096) }.map_err(failed)?;
        let part = |at: u64, bytes: u64| whole.part(at, bytes).ok_or((libc::EINVAL, String::from("no such part")));
        let (dbr, cq_dbr) = (part(0, 8)?, part(64, 8)?);
        let (entries, sq) = (part(CQ_AT, cq_bytes)?, part(CQ_AT + cq_bytes, sq_bytes)?);
        for i in 0..u64::from(blocks) {
            if let Some(word) = entries.part(i * 64 + 60, 4) {
                dma.store_last(word, u32::from_le_bytes([0, 0, 0, 0xf0])).map_err(failed)?;
            }
        }

        let mut objects = self.objects();
        if !matches!(objects.get(context, pd.0), Some(Object::Pd)) {
            return Err((libc::EINVAL, format!("there is no protection domain {:#x}", pd.0)));
        }
        let lid = self.core.lid();
        let uar = objects.number(lid);
        let words = [0x800, 0x900].iter().filter_map(|at| registers.part(*at, 8)).collect();
        objects.add(uar, context, Object::Uar { words, _pages: page, _alias: None }, Vec::new());
        let cqn = objects.number(lid);
        let log_size = blocks.ilog2() as u8;
        let cq = Arc::new(Cq {
            cqn,
            collapsed: false,
            ignores_overrun: false,
            dbr: cq_dbr,
            ring: Mutex::new(Ring::new(entries, 64, log_size)),
        });
        objects.add(cqn, context, Object::Cq(cq.clone()), vec![uar]);
        let qpn = objects.number(lid);
        objects.qps_made += 1;
        let made = QpContext {
            pm_state: 3,
            pd: pd.0 as u32,
            log_sq_size: log_size,
            uar,
            user_index: qpn,
            cqn_send: cqn,
            cqn_receive: cqn,
            rq_type: 3,
            ..QpContext::default()
        };
        let order = objects.qps_made;
        let qp = self.new_qp(made, cq, sq, dbr, order);
        let object = Object::VerbsQp(Box::new(qp), pages);
        let handle = objects.add(qpn, context, object, vec![pd.0 as u32, uar, cqn]);
        Ok(VerbsQpLayout {
            handle,
            qpn,
            sq: sq.at(),
            sq_blocks: blocks,
            dbr: dbr.at(),
            register: page_base + 0x800,
            shares_register: false,
            cq: entries.at(),
            cq_entries: blocks,
            cq_dbr: cq_dbr.at(),
            cqn,
        })
    }

    /// Returns the completion queue and the doorbell page of a queue pair.
    pub(super) fn verbs_parts(&self, context: u64, qp: Handle) -> Vec<Handle> {
        match self.objects().get(context, qp.0) {
            Some(Object::VerbsQp(qp, _)) => vec![Handle(qp.cq.cqn.into()), Handle(qp.uar.into())],
            _ => Vec::new(),
        }
    }

    pub(super) fn verbs_connect(&self, context: u64, handle: Handle, to: &VerbsConnect) -> Result<(), Refused> {
        let mut asked = QpContext {
            pm_state: 3,
            port: to.ah.port,
            pkey_index: to.pkey_index,
            remote_read: true,
            remote_write: true,
            remote_atomic: true,
            atomic_mode: 3,
            mtu: to.mtu,
            log_msg_max: caps::LOG_MAX_MESSAGE,
            remote_qpn: to.remote_qpn,
            min_rnr_nak: to.min_rnr_timer,
            retry_count: to.retry_cnt,
            rnr_retry: to.rnr_retry,
            ack_timeout: to.timeout,
            log_rra_max: to.rd_atomic.max(1).ilog2() as u8,
            log_sra_max: to.rd_atomic.max(1).ilog2() as u8,
            log_ack_req_freq: ACK_REQUEST,
            ..QpContext::default()
        };
        // As the kernel's driver does.
        let ethernet = self.core.options.link == LinkLayer::Ethernet;
        if ethernet {
            asked.eth_prio = to.ah.sl & 7;
        } else {
            (asked.rlid, asked.sl, asked.grh) = (to.ah.dlid, to.ah.sl, to.ah.global.is_some());
        }
        if let Some((gid, index)) = to.ah.global {
            (asked.rgid, asked.src_addr_index) = (gid, index as u8);
            (asked.tclass, asked.hop_limit) = (to.ah.traffic_class, to.ah.hop_limit);
        }
        if let (true, Some((gid, _))) = (ethernet, to.ah.global) {
            asked.udp_sport = 0xc000 | (to.remote_qpn & 0x3fff) as u16;
            asked.dscp = to.ah.traffic_class >> 2;
            if let Some(lid) = gid::lid_of(self.core.options.link, gid) {
                asked.rmac = gid::mac(lid);
            }
        } else if ethernet {
            return Err((libc::EINVAL, "on Ethernet a path has a GID".into()));
        }
        let mut objects = self.objects();
        let Some(Object::VerbsQp(qp, _)) = objects.get_mut(context, handle.0) else {
            return Err((libc::EINVAL, format!("there is no queue pair {:#x}", handle.0)));
        };
        let qpn = handle.0 as u32;
        self.to_init(qp, qpn, &asked).map_err(refused)?;
        self.to_rtr(qp, qpn, &asked).map_err(refused)?;
        self.to_rts(&mut objects, qpn, context, &asked).map_err(refused)
    }
}
