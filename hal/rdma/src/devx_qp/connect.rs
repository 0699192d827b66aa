//! The states of a queue pair, each step a command.

use std::sync::Arc;

use oxshmem_core::host::{Error, ErrorKind, Result};

use super::owned::{OpenedNic, OwnedObject};
use super::path::{ConnectParams, LocalPort};
use crate::hca::{Handle, Hca};
use crate::mlx5::devx::{
    Access, Init2Rtr, PrimaryPath, QUERY_QP_BYTES, QpContext, QueryQp, REPLY_BYTES, Reply, Rst2Init, Rtr2Rts, ToError,
};

/// `IBV_QPS_RTS`.
const READY_TO_SEND: u8 = 3;
/// 0.64 ms in the standard's code: a peer's wait before it repeats a request for which this side was not ready.
pub const MIN_RNR_NAK: u8 = 12;

/// Creates an object by the command `input`, and returns it with its number. `what` and `on` name it and the NIC in
/// errors: "a queue pair", "mlx5_0 port 1".
///
/// # Errors
/// The NIC refuses.
pub fn create<N: OpenedNic>(nic: &Arc<N>, on: &str, what: &str, input: &[u8]) -> Result<(OwnedObject<N>, u32)> {
    let mut output = [0; REPLY_BYTES];
    let handle = nic.hca().obj_create(input, &mut output).map_err(|error| {
        Error::new(error.kind(), format!("create {what} on {on}"))
            .because(error.to_string())
            .hint("ask for fewer or shallower queue pairs; the NIC may be shared with other programs")
    })?;
    let object = OwnedObject::new(nic, handle, |hca, object| hca.obj_destroy(object));
    Ok((object, Reply::parse(&output).object))
}

/// Moves queue pair `qpn` from RESET to RTS toward a peer. `on` names the NIC in errors.
///
/// # Errors
/// The NIC refuses a step, or reports another state afterwards.
pub fn connect(local: &LocalPort<'_>, on: &str, (qp, qpn): (Handle, u32), params: &ConnectParams) -> Result<()> {
    let LocalPort { hca, caps, wire, .. } = *local;
    let (access, port) = (Access::ALL, local.port.number);
    let step = |step: &str, input: &[u8]| modify(hca, on, (qp, qpn), step, input);
    step("initialise", &Rst2Init { qpn, access, port, pkey_index: wire.pkey_index }.encode())?;
    let receive = Init2Rtr {
        qpn,
        mtu: params.mtu,
        log_msg_max: caps.log_message(),
        remote_qpn: params.remote_qpn,
        path: PrimaryPath { port, route: params.route },
        next_rcv_psn: 0,
        log_rra_max: caps.log_rd_atomic().1,
        min_rnr_nak: MIN_RNR_NAK,
        access: Some(access),
    };
    step("connect", &receive.encode())?;
    let send = Rtr2Rts {
        qpn,
        log_ack_req_freq: 0,
        log_sra_max: params.log_rd_atomic,
        retry_count: wire.retry_count,
        rnr_retry: wire.rnr_retry,
        ack_timeout: wire.ack_timeout,
        next_send_psn: 0,
        access: None,
    };
    step("start", &send.encode())?;
    let state = context(hca, (qp, qpn))?.state();
    if state == READY_TO_SEND {
        return Ok(());
    }
    Err(Error::new(ErrorKind::System, format!("start queue pair {qpn:#x} of {on}"))
        .because(format!("all steps went well, and yet its state is {state} in place of {READY_TO_SEND}")))
}

/// Queries a queue pair's context.
///
/// # Errors
/// The NIC refuses.
pub fn context(hca: &dyn Hca, (qp, qpn): (Handle, u32)) -> Result<QpContext> {
    let mut output = vec![0; QUERY_QP_BYTES];
    hca.obj_query(qp, &QueryQp { number: qpn }.encode(), &mut output)?;
    QpContext::parse(&output)
}

/// Moves a queue pair to the error state: the NIC processes no more entries, and flushes those that it has. `on` names
/// the NIC in errors.
///
/// # Errors
/// The NIC refuses.
pub fn stop(hca: &dyn Hca, on: &str, (qp, qpn): (Handle, u32)) -> Result<()> {
    modify(hca, on, (qp, qpn), "stop", &ToError { number: qpn }.encode())
}

fn modify(hca: &dyn Hca, on: &str, (qp, qpn): (Handle, u32), step: &str, input: &[u8]) -> Result<()> {
    let mut output = [0; REPLY_BYTES];
    hca.obj_modify(qp, input, &mut output).map_err(|error| {
        Error::new(error.kind(), format!("{step} queue pair {qpn:#x} of {on}")).because(error.to_string())
    })
}
