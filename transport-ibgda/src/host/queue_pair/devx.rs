//! A queue pair made by commands: an RC send queue with a collapsed completion queue and no receive queue.

use std::sync::Arc;

use oxshmem_core::host::{Error, Result};
use oxshmem_rdma::mlx5::devx::{
    Access, CreateCq, CreateQp, Init2Rtr, PrimaryPath, QUERY_QP_BYTES, QpContext, QueryQp, REPLY_BYTES, Receive, Reply,
    Rst2Init, Rtr2Rts, Service, ToError,
};

use crate::host::config::IbgdaConfig;
use crate::host::queue_memory::QueuePlaces;
use crate::host::queue_pair::connect_params::ConnectParams;
use crate::host::setup::nic::{Nic, OwnedObject};

/// `IBV_QPS_RTS`.
const READY_TO_SEND: u8 = 3;
/// 0.64 ms in the standard's code: a peer's wait before it repeats a request for which this side was not ready.
pub const MIN_RNR_NAK: u8 = 12;

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
        let create = |what: &str, input: &[u8]| {
            let mut output = [0; REPLY_BYTES];
            let handle = nic.hca.obj_create(input, &mut output).map_err(|error| in_words(nic, what, error))?;
            Ok::<_, Error>((
                OwnedObject::new(nic, handle, |hca, object| hca.obj_destroy(object)),
                Reply::parse(&output).object,
            ))
        };
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
        let access = Access::ALL;
        let (port, pkey_index) = (nic.port.number, config.wire.pkey_index);
        self.modify(nic, "initialise", &Rst2Init { qpn: self.qpn, access, port, pkey_index }.encode())?;
        let receive = Init2Rtr {
            qpn: self.qpn,
            mtu: params.mtu,
            log_msg_max: nic.caps.log_message(),
            remote_qpn: params.remote_qpn,
            path: PrimaryPath { port, route: params.route },
            next_rcv_psn: 0,
            log_rra_max: nic.caps.log_rd_atomic().1,
            min_rnr_nak: MIN_RNR_NAK,
            access: Some(access),
        };
        self.modify(nic, "connect", &receive.encode())?;
        let send = Rtr2Rts {
            qpn: self.qpn,
            log_ack_req_freq: 0,
            log_sra_max: params.log_rd_atomic,
            retry_count: config.wire.retry_count,
            rnr_retry: config.wire.rnr_retry,
            ack_timeout: config.wire.ack_timeout,
            next_send_psn: 0,
            access: None,
        };
        self.modify(nic, "start", &send.encode())?;
        let state = self.context(nic)?.state();
        if state == READY_TO_SEND {
            return Ok(());
        }
        Err(Error::new(oxshmem_core::ErrorKind::System, format!("start queue pair {:#x} of {}", self.qpn, nic.name()))
            .because(format!("all steps went well, and yet its state is {state} in place of {READY_TO_SEND}")))
    }

    /// Queries the queue pair's context.
    ///
    /// # Errors
    /// The NIC refuses.
    pub(in crate::host) fn context(&self, nic: &Nic) -> Result<QpContext> {
        let mut output = vec![0; QUERY_QP_BYTES];
        nic.hca.obj_query(self.qp.handle(), &QueryQp { number: self.qpn }.encode(), &mut output)?;
        QpContext::parse(&output)
    }

    /// Stops the queue pair: the NIC processes no more entries.
    pub(in crate::host) fn stop(&self, nic: &Nic) {
        // An error does not matter: the queue pair is destroyed next, which stops it too.
        let _ = self.modify(nic, "stop", &ToError { number: self.qpn }.encode());
    }

    /// Destroys the queue pair.
    ///
    /// # Errors
    /// The NIC refuses.
    pub(in crate::host) fn destroy(mut self) -> Result<()> {
        self.qp.give_back()?;
        self.cq.give_back()
    }

    fn modify(&self, nic: &Nic, step: &str, input: &[u8]) -> Result<()> {
        let mut output = [0; REPLY_BYTES];
        let answer = nic.hca.obj_modify(self.qp.handle(), input, &mut output);
        answer.map_err(|error| {
            Error::new(error.kind(), format!("{step} queue pair {:#x} of {}", self.qpn, nic.name()))
                .because(error.to_string())
        })
    }
}

fn in_words(nic: &Nic, what: &str, error: Error) -> Error {
    Error::new(error.kind(), format!("create {what} on {}", nic.name()))
        .because(error.to_string())
        .hint("ask for fewer or shallower queue pairs; the NIC may be shared with other programs")
}
