//! Queue pairs, as commands create and change them.

use std::sync::Arc;

use crate::decode::Service;
use crate::decode::mailbox::{QpContext, Refusal, status};
use crate::engine::{Cq, Queue, Setup};
use crate::memory::Span;
use crate::plane::{PlaneQueue, Side};
use crate::{Defect, Profile};

use super::caps;
use super::keys::Target;
use super::objects::{Nic, Object, Objects, Qp};
use super::receive::{ReceiveQueue, Receiver};
use super::spans::{Words, queue_span, record_is_zero, record_span};
use super::state::{self, QpState};

pub(super) type Answer<T> = Result<T, Refusal>;

/// Types of receive queues: its own ring, a shared list, or none.
const RQ_RING: u8 = 0;
const RQ_SHARED: u8 = 1;
const RQ_NONE: u8 = 3;

pub(super) fn bad<T>(why: impl Into<String>) -> Answer<T> {
    Err(Refusal::new(status::BAD_PARAMETER, why))
}

pub(super) fn missing<T>(why: impl Into<String>) -> Answer<T> {
    Err(Refusal::new(status::BAD_RESOURCE, why))
}

impl Nic {
    /// Executes `CREATE_QP`.
    pub(super) fn create_qp(
        &self,
        objects: &mut Objects,
        context: u64,
        asked: QpContext,
    ) -> Answer<(Object, u32, Vec<u32>)> {
        let Some(service) = Service::of(asked.service) else {
            return bad(format!("service type {} is not RC (0), UC (1), UD (2) or DCI (5)", asked.service));
        };
        if asked.pm_state != 3 {
            return bad(format!("pm_state {} is not migrated (3)", asked.pm_state));
        }
        if !matches!(objects.get(context, asked.pd.into()), Some(Object::Pd)) {
            return missing(format!("there is no protection domain {:#x}", asked.pd));
        }
        if !matches!(objects.get(context, asked.uar.into()), Some(Object::Uar { .. })) {
            return missing(format!("there is no doorbell page {:#x}", asked.uar));
        }
        let Some(Object::Cq(cq)) = objects.get(context, asked.cqn_send.into()) else {
            return missing(format!("there is no completion queue {:#x} to send with", asked.cqn_send));
        };
        let cq = cq.clone();
        // A dynamically connected requester receives nothing.
        let rq_type = if service == Service::Dci { RQ_NONE } else { asked.rq_type };
        if !matches!(rq_type, RQ_RING | RQ_SHARED | RQ_NONE) {
            let what = rq_type;
            return bad(format!("rq_type {what} is no receive queue of its own (0), shared (1) or of size zero (3)"));
        }
        if service != Service::Rc && self.core.plane.is_some() {
            return bad("the engine that executes the queues has reliable connections only");
        }
        if rq_type != RQ_NONE && self.core.plane.is_some() {
            return bad("the engine that executes the queues takes no messages: rq_type must be 3");
        }
        let receive_cq = match objects.get(context, asked.cqn_receive.into()) {
            Some(Object::Cq(cq)) => Some(cq.clone()),
            _ if asked.cqn_receive == 0 && rq_type == RQ_NONE => None,
            _ => return missing(format!("there is no completion queue {:#x} to receive with", asked.cqn_receive)),
        };
        if asked.log_sq_size > caps::LOG_MAX_SQ {
            let most = caps::LOG_MAX_SQ;
            return bad(format!("a send queue of 2^{} blocks, and 2^{most} is the most", asked.log_sq_size));
        }
        match (asked.send_dbr_mode, self.core.options.profile) {
            (0, _) | (1, Profile::ConnectX8) => {}
            (mode, profile) => return bad(format!("send_dbr_mode {mode} is not for a {profile:?}")),
        }
        let wq = (asked.wq_umem, asked.wq_offset);
        let page = (asked.log_page_size, asked.page_offset);
        // The receive queue is first, and the send queue follows it.
        let log_stride = asked.log_rq_stride + 4;
        let rq_bytes = if rq_type == RQ_RING { 1 << (asked.log_rq_size + log_stride) } else { 0 };
        let sq_bytes = if asked.no_sq { 0 } else { 64 << asked.log_sq_size };
        let of = if rq_bytes == 0 { "send queue" } else { "queue" };
        let whole = queue_span(objects, context, wq, page, rq_bytes + sq_bytes, of)?;
        let (Some(rq), Some(sq)) = (whole.part(0, rq_bytes), whole.part(rq_bytes, sq_bytes)) else {
            return bad("the queue has no room for its parts");
        };
        let dbr = record_span(objects, context, (asked.dbr_umem, asked.dbr_offset), "queue pair")?;
        for (part, what) in [(whole, of), (dbr, "doorbell record")] {
            if cq.ring().entries.overlaps(part) {
                let count = cq.count();
                return bad(format!("the {what} is among the {count} entries of completion queue {:#x}", cq.cqn));
            }
        }
        let qpn = objects.number(self.core.lid());
        record_is_zero(&self.core, dbr, Words::Both, qpn, "queue pair")?;
        objects.qps_made += 1;
        let mut uses = vec![asked.pd, asked.uar, asked.cqn_send, asked.wq_umem, asked.dbr_umem];
        if asked.cqn_receive != 0 {
            uses.push(asked.cqn_receive);
        }
        let queue = match rq_type {
            RQ_RING => {
                let (log_size, pd, position, low) =
                    (asked.log_rq_size, asked.pd, Default::default(), Default::default());
                Some(Arc::new(ReceiveQueue {
                    entries: rq,
                    log_size,
                    log_stride,
                    dbr,
                    pd,
                    shared: false,
                    linked: false,
                    position,
                    low,
                }))
            }
            RQ_SHARED => {
                let Some(Object::Srq(queue)) = objects.get(context, asked.srqn.into()) else {
                    return missing(format!("there is no shared receive queue {:#x}", asked.srqn));
                };
                uses.push(asked.srqn);
                Some(queue.clone())
            }
            _ => None,
        };
        let receiver = queue.zip(receive_cq).map(|(queue, cq)| {
            let (user_index, arriving) = (asked.user_index, Default::default());
            Arc::new(Receiver { qpn, service, user_index, queue, cq, arriving })
        });
        let order = objects.qps_made;
        let qp = Qp { service, receiver, ..self.new_qp(asked, cq, sq, dbr, order) };
        Ok((Object::Qp(Box::new(qp)), qpn, uses))
    }

    pub(super) fn new_qp(&self, context: QpContext, cq: Arc<Cq>, sq: Span, dbr: Span, order: u64) -> Qp {
        let (service, state) = (Service::Rc, Arc::new(QpState::default()));
        Qp { uar: context.uar, context, service, state, cq, sq, dbr, receiver: None, order }
    }

    /// Executes `RST2INIT`.
    pub(super) fn to_init(&self, qp: &mut Qp, qpn: u32, asked: &QpContext) -> Answer<()> {
        must_be(qp, state::RESET, "RST2INIT")?;
        if asked.port != 1 {
            return bad(format!("port {} of a NIC with one (vhca_port_num)", asked.port));
        }
        if u32::from(asked.pkey_index) >= caps::PKEYS {
            return bad(format!("partition {} of {}", asked.pkey_index, caps::PKEYS));
        }
        if asked.pm_state != 3 {
            return bad(format!("pm_state {} is not migrated (3)", asked.pm_state));
        }
        record_is_zero(&self.core, qp.dbr, Words::Both, qpn, "queue pair")?;
        if let Some(receiver) = &qp.receiver {
            receiver.reset();
        }
        let context = &mut qp.context;
        context.q_key = asked.q_key;
        (context.port, context.pkey_index) = (asked.port, asked.pkey_index);
        context.remote_read = asked.remote_read;
        context.remote_write = asked.remote_write;
        context.remote_atomic = asked.remote_atomic;
        context.atomic_mode = asked.atomic_mode;
        qp.state.set(state::INIT);
        Ok(())
    }

    /// Executes `INIT2RTR`.
    pub(super) fn to_rtr(&self, qp: &mut Qp, qpn: u32, asked: &QpContext) -> Answer<()> {
        must_be(qp, state::INIT, "INIT2RTR")?;
        if qp.service == Service::Ud {
            // A datagram names its peer itself.
            self.core.responder.set_target(qpn, Some(target(qp, (0, 0))));
            qp.state.set(state::RTR);
            return Ok(());
        }
        if !(1..=5).contains(&asked.mtu) {
            return bad(format!("mtu {} is none of 1 to 5", asked.mtu));
        }
        if asked.log_msg_max > caps::LOG_MAX_MESSAGE || asked.log_msg_max == 0 {
            let most = caps::LOG_MAX_MESSAGE;
            return bad(format!("messages of 2^{} bytes, and 2^{most} is the most", asked.log_msg_max));
        }
        if asked.log_rra_max > caps::LOG_MAX_READS {
            let most = caps::LOG_MAX_READS;
            return bad(format!("2^{} reads as responder, and 2^{most} is the most", asked.log_rra_max));
        }
        let lid = if qp.service.names_peers() { 0 } else { self.core.route(asked)? };
        let context = &mut qp.context;
        let kept = (context.port, context.pkey_index, context.ack_timeout);
        // The path is the modification's; values set by the earlier transition stay.
        (context.mtu, context.log_msg_max) = (asked.mtu, asked.log_msg_max);
        (context.remote_qpn, context.rlid, context.grh) = (asked.remote_qpn, asked.rlid, asked.grh);
        (context.src_addr_index, context.hop_limit, context.tclass) =
            (asked.src_addr_index, asked.hop_limit, asked.tclass);
        (context.rgid, context.rmac, context.dscp, context.udp_sport) =
            (asked.rgid, asked.rmac, asked.dscp, asked.udp_sport);
        (context.eth_prio, context.sl, context.mlid) = (asked.eth_prio, asked.sl, asked.mlid);
        (context.stat_rate, context.flow_label) = (asked.stat_rate, asked.flow_label);
        (context.log_rra_max, context.min_rnr_nak, context.next_rcv_psn) =
            (asked.log_rra_max, asked.min_rnr_nak, asked.next_rcv_psn);
        (context.port, context.pkey_index, context.ack_timeout) = kept;
        rights(context, asked);
        if context.remote_atomic && context.atomic_mode == 0 {
            return bad("remote atomics are allowed, and atomic_mode says that there are none");
        }
        let from = (lid, context.remote_qpn);
        if qp.service != Service::Dci {
            self.core.responder.set_target(qpn, Some(target(qp, from)));
        }
        qp.state.set(state::RTR);
        Ok(())
    }

    /// Executes `RTR2RTS`: from now on the queue is executed.
    pub(super) fn to_rts(&self, objects: &mut Objects, number: u32, context: u64, asked: &QpContext) -> Answer<()> {
        let words = match objects.get(context, number.into()) {
            Some(Object::Qp(qp) | Object::VerbsQp(qp, _)) => {
                match objects.all.get(&qp.uar).map(|owned| &owned.object) {
                    Some(Object::Uar { words, .. }) => words.clone(),
                    _ => return missing(format!("doorbell page {:#x} is gone", qp.uar)),
                }
            }
            _ => return missing(format!("there is no queue pair {number:#x}")),
        };
        let Some(Object::Qp(qp) | Object::VerbsQp(qp, _)) = objects.get_mut(context, number.into()) else {
            return missing(format!("there is no queue pair {number:#x}"));
        };
        must_be(qp, state::RTR, "RTR2RTS")?;
        if asked.log_sra_max > caps::LOG_MAX_READS {
            let most = caps::LOG_MAX_READS;
            return bad(format!("2^{} reads as requester, and 2^{most} is the most", asked.log_sra_max));
        }
        let lid = if qp.service.names_peers() { 0 } else { self.core.route(&qp.context)? };
        let made = &mut qp.context;
        (made.log_sra_max, made.retry_count, made.rnr_retry) = (asked.log_sra_max, asked.retry_count, asked.rnr_retry);
        (made.next_send_psn, made.ack_timeout) = (asked.next_send_psn, asked.ack_timeout);
        made.log_ack_req_freq = asked.log_ack_req_freq;
        rights(made, asked);
        let setup = Setup {
            qpn: number,
            service: qp.service,
            state: qp.state.clone(),
            receiver: qp.receiver.clone(),
            rnr_retries: made.rnr_retry,
            pd: made.pd,
            sq: qp.sq,
            depth: 1 << made.log_sq_size,
            dbr: qp.dbr,
            without_dbr: made.send_dbr_mode != 0,
            uar: qp.uar,
            cq: qp.cq.clone(),
            user_index: made.user_index,
            to: (lid, made.remote_qpn),
            most: match qp.service {
                Service::Ud => self.core.mtu(),
                _ => 1 << made.log_msg_max,
            },
            credits: 1 << made.log_sra_max,
            order: qp.order,
        };
        let first = self.core.options.first_index;
        if let Some(word) = qp.dbr.part(4, 4).filter(|_| first != 0) {
            // Memory that fails is detected at the first doorbell.
            let _ = self.core.dma.store_last(word, u32::from(first as u16).to_be());
        }
        qp.state.set(state::RTS);
        match &self.core.plane {
            None => self.engine.add(Queue::new(setup, &self.core), &words),
            Some(plane) => {
                let queue = self.plane_queue(setup, &words);
                plane.start(queue).map_err(|why| Refusal::new(status::BAD_RESOURCE, why))?;
            }
        }
        Ok(())
    }

    /// Prepares a queue for a data plane other than the NIC's own thread.
    fn plane_queue(&self, setup: Setup, words: &[Span]) -> PlaneQueue {
        for word in words {
            // Old values of the registers are no doorbells of the new queue, whose first may be equal.
            let _ = self.core.dma.write(*word, &[0; 8]);
        }
        PlaneQueue {
            nic: self.core.lid(),
            peer: setup.to.0,
            qpn: setup.qpn,
            sq: setup.sq.at(),
            depth: setup.depth,
            record: setup.dbr.at(),
            doorbell: words.first().map_or(0, |word| word.at()),
            by_record: words.len() != 1,
            cqe: setup.cq.ring().entries.at(),
            cqes: if setup.cq.collapsed { 1 } else { setup.cq.count() },
            collapsed: setup.cq.collapsed,
            user_index: setup.user_index,
            pd: setup.pd,
            most: setup.most,
            first: self.core.options.first_index,
            side: Side::new(self.core.clone(), setup),
        }
    }

    /// Executes `2RST`.
    pub(super) fn to_reset(&self, qp: &mut Qp, qpn: u32) {
        qp.state.set(state::RESET);
        self.core.responder.set_target(qpn, None);
        self.stop(qpn);
    }

    /// Returns the context as `QUERY_QP` reports it.
    pub(super) fn query(&self, qp: &Qp, qpn: u32) -> QpContext {
        let (hw_counter, sw_counter) = match &self.core.plane {
            Some(plane) => plane.counters(self.core.lid(), qpn),
            None => self.engine.counters(qpn),
        }
        .unwrap_or((0, 0));
        let mut told = QpContext { state: qp.state.get(), hw_counter, sw_counter, ..qp.context };
        let defects = self.core.options.defects;
        if defects.has(Defect::State) && told.state == state::ERR {
            told.state = state::RTS;
        }
        if defects.has(Defect::Asked) && qp.cq.collapsed {
            told.retry_count ^= 1;
        }
        if defects.has(Defect::Twin) && !qp.cq.collapsed {
            told.min_rnr_nak ^= 1;
        }
        told
    }
}

/// Describes a queue pair to the responder. `from`: its requester, if it is connected.
fn target(qp: &Qp, from: (u16, u32)) -> Target {
    let context = &qp.context;
    Target {
        pd: context.pd,
        service: qp.service,
        from,
        read: context.remote_read,
        write: context.remote_write,
        atomic: context.remote_atomic,
        state: qp.state.clone(),
        receiver: qp.receiver.clone(),
        key: u64::from(context.q_key) << 32,
        min_rnr_nak: context.min_rnr_nak,
    }
}

/// Sets the rights that a modification's mask names: bits 1 read, 2 atomic, 3 write.
fn rights(context: &mut QpContext, asked: &QpContext) {
    if asked.opt_param_mask & 2 != 0 {
        context.remote_read = asked.remote_read;
    }
    if asked.opt_param_mask & 4 != 0 {
        context.remote_atomic = asked.remote_atomic;
        context.atomic_mode = asked.atomic_mode;
    }
    if asked.opt_param_mask & 8 != 0 {
        context.remote_write = asked.remote_write;
    }
}

fn must_be(qp: &Qp, needed: u8, command: &str) -> Answer<()> {
    let is = qp.state.get();
    if is == needed {
        return Ok(());
    }
    let (is, needed) = (state::name(is), state::name(needed));
    Err(Refusal::new(status::BAD_QP_STATE, format!("{command} is for a queue pair in {needed}, and it is in {is}")))
}
