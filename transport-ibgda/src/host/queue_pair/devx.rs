//! A queue pair made by commands: an RC send queue with a collapsed completion queue and no receive queue.

use std::sync::Arc;

use oxshmem_core::host::Result;
use oxshmem_rdma::devx_qp::{self, ConnectParams};
use oxshmem_rdma::hca::Handle;
use oxshmem_rdma::mlx5::devx::{CreateCq, CreateQp, QpContext, Receive, Service};

use crate::host::config::IbgdaConfig;
use crate::host::queue_memory::QueuePlaces;
use crate::host::setup::nic::{Nic, OwnedObject};

/// A queue pair and its completion queue, in the order in which they are dropped.
#[derive(Debug)]
pub(in crate::host) struct DevxQp {
    qp: OwnedObject,
    cq: OwnedObject,
    pub(in crate::host) qpn: u32,
}

impl DevxQp {
    /// Makes a queue pair in state RESET; `depth` is a power of two.
    ///
    /// # Errors
    /// The NIC refuses.
    pub(in crate::host) fn new(
        nic: &Arc<Nic>,
        places: &QueuePlaces,
        depth: u32,
        uar_page: u32,
        eqn: u32,
    ) -> Result<Self> {
        let create = |what: &str, input: &[u8]| devx_qp::create(nic, &nic.name(), what, input);
        let log_depth = depth.trailing_zeros() as u8;
        let cq = CreateCq {
            buffer: places.cq,
            dbr: places.cq_dbr,
            // One entry, as UCX has it wherever its completions are collapsed. The NIC then knows of no entry after the
            // first, where the doorbell records are. (NVSHMEM and DOCA have more entries, and memory for all of them;
            // that costs as much memory as the send queue.) The queue can't overrun: overruns are ignored.
            log_entries: 0,
            uar_page,
            eqn,
            log_page_size: 0,
            page_offset: 0,
            wide: false,
            collapsed: true,
            ignore_overrun: true,
            mark_umems: true,
        };
        let (cq, cqn) = create("a completion queue", &cq.encode())?;
        let qp = CreateQp {
            service: Service::Rc,
            pd: nic.pdn,
            uar_page,
            user_index: 0,
            send_queue: places.sq,
            log_blocks: log_depth,
            send_cqn: cqn,
            receive: Receive::Nothing { cqn },
            dbr: places.qp_dbr,
            without_dbr: false,
            log_page_size: 0,
            page_offset: 0,
            timestamp_format: nic.caps.timestamp_format(),
            scatter_to_cqe: (0, 0),
            mark_umems: true,
        };
        let (qp, qpn) = create("a queue pair", &qp.encode())?;
        Ok(Self { qp, cq, qpn })
    }

    /// Moves the queue pair to RTS toward a peer.
    ///
    /// # Errors
    /// The NIC refuses a step, or reports another state afterwards.
    pub(in crate::host) fn connect(&self, nic: &Nic, config: &IbgdaConfig, params: &ConnectParams) -> Result<()> {
        devx_qp::connect(&nic.local_port(config), &nic.name(), self.named(), params)
    }

    /// Queries the queue pair's context.
    ///
    /// # Errors
    /// The NIC refuses.
    pub(in crate::host) fn context(&self, nic: &Nic) -> Result<QpContext> {
        devx_qp::context(&*nic.hca, self.named())
    }

    /// Stops the queue pair: the NIC processes no more entries.
    pub(in crate::host) fn stop(&self, nic: &Nic) {
        // An error does not matter: the queue pair is destroyed next, which stops it too.
        let _ = devx_qp::stop(&*nic.hca, &nic.name(), self.named());
    }

    /// Destroys the queue pair.
    ///
    /// # Errors
    /// The NIC refuses.
    pub(in crate::host) fn destroy(mut self) -> Result<()> {
        self.qp.give_back()?;
        self.cq.give_back()
    }

    fn named(&self) -> (Handle, u32) {
        (self.qp.handle(), self.qpn)
    }
}
