//! The QP context.

use crate::decode::{bits, set_bits};

/// Bit offset of the QP context in commands, and in the answer to `QUERY_QP`.
const QPC: usize = 0x18 * 8;

/// The QP context, as far as RC, UC and UD need it, and the umem of the queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct QpContext {
    /// The optional fields that a modification sets.
    pub opt_param_mask: u32,
    pub state: u8,
    /// Service type: 0 RC, 1 UC, 2 UD, 5 DCI.
    pub service: u8,
    /// 3: migrated.
    pub pm_state: u8,
    pub pd: u32,
    pub mtu: u8,
    pub log_msg_max: u8,
    pub log_rq_size: u8,
    /// 16 bytes * 2^this: the stride of the receive queue.
    pub log_rq_stride: u8,
    /// Whether there is no send queue.
    pub no_sq: bool,
    pub log_sq_size: u8,
    pub ts_format: u8,
    pub uar: u32,
    pub user_index: u32,
    pub log_page_size: u8,
    pub remote_qpn: u32,
    pub pkey_index: u16,
    pub grh: bool,
    pub mlid: u8,
    pub rlid: u16,
    /// 4.096 us * 2^this.
    pub ack_timeout: u8,
    pub src_addr_index: u8,
    pub stat_rate: u8,
    pub hop_limit: u8,
    pub tclass: u8,
    pub flow_label: u32,
    pub rgid: [u8; 16],
    pub dscp: u8,
    pub udp_sport: u16,
    pub eth_prio: u8,
    pub sl: u8,
    pub port: u8,
    pub rmac: [u8; 6],
    pub log_ack_req_freq: u8,
    pub log_sra_max: u8,
    pub retry_count: u8,
    pub rnr_retry: u8,
    pub next_send_psn: u32,
    pub cqn_send: u32,
    pub log_rra_max: u8,
    pub atomic_mode: u8,
    pub remote_read: bool,
    pub remote_write: bool,
    pub remote_atomic: bool,
    pub page_offset: u8,
    pub min_rnr_nak: u8,
    pub next_rcv_psn: u32,
    pub cqn_receive: u32,
    /// Offset of the doorbell record in its umem.
    pub dbr_offset: u64,
    /// The key that datagrams to it must have.
    pub q_key: u32,
    /// 0 a receive queue, 1 shared, 3 of size zero.
    pub rq_type: u8,
    pub srqn: u32,
    pub hw_counter: u16,
    pub sw_counter: u16,
    pub cs_req: u8,
    pub cs_res: u8,
    /// 0: there is a doorbell record; 1: the doorbell alone counts.
    pub send_dbr_mode: u8,
    pub dbr_umem: u32,
    pub dbr_umem_valid: bool,
    /// Offset of the send queue in its umem.
    pub wq_offset: u64,
    pub wq_umem: u32,
}

/// Positions of the context's fields in bits, and their widths.
mod at {
    pub(super) type Field = (usize, usize);
    pub(super) const STATE: Field = (0, 4);
    pub(super) const SERVICE: Field = (8, 8);
    pub(super) const PM_STATE: Field = (0x13, 2);
    pub(super) const PD: Field = (0x28, 24);
    pub(super) const MTU: Field = (0x40, 3);
    pub(super) const LOG_MSG_MAX: Field = (0x43, 5);
    pub(super) const LOG_RQ_SIZE: Field = (0x49, 4);
    pub(super) const LOG_RQ_STRIDE: Field = (0x4d, 3);
    pub(super) const NO_SQ: Field = (0x50, 1);
    pub(super) const LOG_SQ_SIZE: Field = (0x51, 4);
    pub(super) const TS_FORMAT: Field = (0x58, 2);
    pub(super) const UAR: Field = (0x68, 24);
    pub(super) const USER_INDEX: Field = (0x88, 24);
    pub(super) const LOG_PAGE_SIZE: Field = (0xa3, 5);
    pub(super) const REMOTE_QPN: Field = (0xa8, 24);
    // The primary path begins at 0xc0.
    pub(super) const PKEY_INDEX: Field = (0xd0, 16);
    pub(super) const GRH: Field = (0xe8, 1);
    pub(super) const MLID: Field = (0xe9, 7);
    pub(super) const RLID: Field = (0xf0, 16);
    pub(super) const ACK_TIMEOUT: Field = (0x100, 5);
    pub(super) const SRC_ADDR_INDEX: Field = (0x108, 8);
    pub(super) const STAT_RATE: Field = (0x114, 4);
    pub(super) const HOP_LIMIT: Field = (0x118, 8);
    pub(super) const TCLASS: Field = (0x124, 8);
    pub(super) const FLOW_LABEL: Field = (0x12c, 20);
    pub(super) const RGID: usize = 0x140;
    pub(super) const DSCP: Field = (0x1ca, 6);
    pub(super) const UDP_SPORT: Field = (0x1d0, 16);
    pub(super) const ETH_PRIO: Field = (0x1e1, 3);
    pub(super) const SL: Field = (0x1e4, 4);
    pub(super) const PORT: Field = (0x1e8, 8);
    pub(super) const RMAC: Field = (0x1f0, 48);
    pub(super) const LOG_ACK_REQ_FREQ: Field = (0x380, 4);
    pub(super) const LOG_SRA_MAX: Field = (0x388, 3);
    pub(super) const RETRY_COUNT: Field = (0x38d, 3);
    pub(super) const RNR_RETRY: Field = (0x390, 3);
    pub(super) const NEXT_SEND_PSN: Field = (0x3c8, 24);
    pub(super) const CQN_SEND: Field = (0x3e8, 24);
    pub(super) const LOG_RRA_MAX: Field = (0x488, 3);
    pub(super) const ATOMIC_MODE: Field = (0x48c, 4);
    pub(super) const RRE: Field = (0x490, 1);
    pub(super) const RWE: Field = (0x491, 1);
    pub(super) const RAE: Field = (0x492, 1);
    pub(super) const PAGE_OFFSET: Field = (0x494, 6);
    pub(super) const MIN_RNR_NAK: Field = (0x4a3, 5);
    pub(super) const NEXT_RCV_PSN: Field = (0x4a8, 24);
    pub(super) const CQN_RECEIVE: Field = (0x4e8, 24);
    pub(super) const DBR_OFFSET: Field = (0x500, 64);
    pub(super) const Q_KEY: Field = (0x540, 32);
    pub(super) const RQ_TYPE: Field = (0x565, 3);
    pub(super) const SRQN: Field = (0x568, 24);
    pub(super) const HW_COUNTER: Field = (0x5a0, 16);
    pub(super) const SW_COUNTER: Field = (0x5b0, 16);
    pub(super) const CS_REQ: Field = (0x630, 8);
    pub(super) const CS_RES: Field = (0x638, 8);
    pub(super) const SEND_DBR_MODE: Field = (0x80, 2);
    pub(super) const DBR_UMEM: Field = (0x720, 32);
    pub(super) const DBR_UMEM_VALID: Field = (0x683, 1);
    pub(super) const RESERVED: Field = (0x600, 24);
}

impl QpContext {
    /// Parses the context from a command (`CREATE_QP` and the modifications), or from an answer to `QUERY_QP`.
    pub fn parse(input: &[u8]) -> Self {
        let get = |(bit, width): at::Field| bits(input, QPC + bit, width);
        Self {
            opt_param_mask: bits(input, 0x80, 32) as u32,
            state: get(at::STATE) as u8,
            service: get(at::SERVICE) as u8,
            pm_state: get(at::PM_STATE) as u8,
            pd: get(at::PD) as u32,
            mtu: get(at::MTU) as u8,
            log_msg_max: get(at::LOG_MSG_MAX) as u8,
            log_rq_size: get(at::LOG_RQ_SIZE) as u8,
            log_rq_stride: get(at::LOG_RQ_STRIDE) as u8,
            no_sq: get(at::NO_SQ) != 0,
            log_sq_size: get(at::LOG_SQ_SIZE) as u8,
            ts_format: get(at::TS_FORMAT) as u8,
            uar: get(at::UAR) as u32,
            user_index: get(at::USER_INDEX) as u32,
            log_page_size: get(at::LOG_PAGE_SIZE) as u8,
            remote_qpn: get(at::REMOTE_QPN) as u32,
            pkey_index: get(at::PKEY_INDEX) as u16,
            grh: get(at::GRH) != 0,
            mlid: get(at::MLID) as u8,
            rlid: get(at::RLID) as u16,
            ack_timeout: get(at::ACK_TIMEOUT) as u8,
            src_addr_index: get(at::SRC_ADDR_INDEX) as u8,
            stat_rate: get(at::STAT_RATE) as u8,
            hop_limit: get(at::HOP_LIMIT) as u8,
            tclass: get(at::TCLASS) as u8,
            flow_label: get(at::FLOW_LABEL) as u32,
            rgid: std::array::from_fn(|i| get((at::RGID + 8 * i, 8)) as u8),
            dscp: get(at::DSCP) as u8,
            udp_sport: get(at::UDP_SPORT) as u16,
            eth_prio: get(at::ETH_PRIO) as u8,
            sl: get(at::SL) as u8,
            port: get(at::PORT) as u8,
            rmac: std::array::from_fn(|i| get((at::RMAC.0 + 8 * i, 8)) as u8),
            log_ack_req_freq: get(at::LOG_ACK_REQ_FREQ) as u8,
            log_sra_max: get(at::LOG_SRA_MAX) as u8,
            retry_count: get(at::RETRY_COUNT) as u8,
            rnr_retry: get(at::RNR_RETRY) as u8,
            next_send_psn: get(at::NEXT_SEND_PSN) as u32,
            cqn_send: get(at::CQN_SEND) as u32,
            log_rra_max: get(at::LOG_RRA_MAX) as u8,
            atomic_mode: get(at::ATOMIC_MODE) as u8,
            remote_read: get(at::RRE) != 0,
            remote_write: get(at::RWE) != 0,
            remote_atomic: get(at::RAE) != 0,
            page_offset: get(at::PAGE_OFFSET) as u8,
            min_rnr_nak: get(at::MIN_RNR_NAK) as u8,
            next_rcv_psn: get(at::NEXT_RCV_PSN) as u32,
            cqn_receive: get(at::CQN_RECEIVE) as u32,
            dbr_offset: get(at::DBR_OFFSET),
            q_key: get(at::Q_KEY) as u32,
            rq_type: get(at::RQ_TYPE) as u8,
            srqn: get(at::SRQN) as u32,
            hw_counter: get(at::HW_COUNTER) as u16,
            sw_counter: get(at::SW_COUNTER) as u16,
            cs_req: get(at::CS_REQ) as u8,
            cs_res: get(at::CS_RES) as u8,
            send_dbr_mode: get(at::SEND_DBR_MODE) as u8,
            dbr_umem: get(at::DBR_UMEM) as u32,
            dbr_umem_valid: get(at::DBR_UMEM_VALID) != 0,
            wq_offset: bits(input, 0x100 * 8, 64),
            wq_umem: bits(input, 0x108 * 8, 32) as u32,
        }
    }

    /// Writes the context into an answer to `QUERY_QP`. Reserved bits have a value of the firmware's own, which differs
    /// from one queue pair to the next.
    pub fn answer(&self, output: &mut [u8]) {
        let mut put = |(bit, width): at::Field, value: u64| set_bits(output, QPC + bit, width, value);
        put(at::STATE, self.state.into());
        put(at::SERVICE, self.service.into());
        put(at::PM_STATE, self.pm_state.into());
        put(at::PD, self.pd.into());
        put(at::MTU, self.mtu.into());
        put(at::LOG_MSG_MAX, self.log_msg_max.into());
        put(at::LOG_RQ_SIZE, self.log_rq_size.into());
        put(at::LOG_RQ_STRIDE, self.log_rq_stride.into());
        put(at::NO_SQ, self.no_sq.into());
        put(at::LOG_SQ_SIZE, self.log_sq_size.into());
        put(at::TS_FORMAT, self.ts_format.into());
        put(at::UAR, self.uar.into());
        put(at::USER_INDEX, self.user_index.into());
        put(at::LOG_PAGE_SIZE, self.log_page_size.into());
        put(at::REMOTE_QPN, self.remote_qpn.into());
        put(at::PKEY_INDEX, self.pkey_index.into());
        put(at::GRH, self.grh.into());
        put(at::MLID, self.mlid.into());
        put(at::RLID, self.rlid.into());
        put(at::ACK_TIMEOUT, self.ack_timeout.into());
        put(at::SRC_ADDR_INDEX, self.src_addr_index.into());
        put(at::STAT_RATE, self.stat_rate.into());
        put(at::HOP_LIMIT, self.hop_limit.into());
        put(at::TCLASS, self.tclass.into());
        put(at::FLOW_LABEL, self.flow_label.into());
        for (i, byte) in self.rgid.iter().enumerate() {
            put((at::RGID + 8 * i, 8), (*byte).into());
        }
        put(at::DSCP, self.dscp.into());
        put(at::UDP_SPORT, self.udp_sport.into());
        put(at::ETH_PRIO, self.eth_prio.into());
        put(at::SL, self.sl.into());
        put(at::PORT, self.port.into());
        for (i, byte) in self.rmac.iter().enumerate() {
            put((at::RMAC.0 + 8 * i, 8), (*byte).into());
        }
        put(at::LOG_ACK_REQ_FREQ, self.log_ack_req_freq.into());
        put(at::LOG_SRA_MAX, self.log_sra_max.into());
        put(at::RETRY_COUNT, self.retry_count.into());
        put(at::RNR_RETRY, self.rnr_retry.into());
        put(at::NEXT_SEND_PSN, self.next_send_psn.into());
        put(at::CQN_SEND, self.cqn_send.into());
        put(at::LOG_RRA_MAX, self.log_rra_max.into());
        put(at::ATOMIC_MODE, self.atomic_mode.into());
        put(at::RRE, self.remote_read.into());
        put(at::RWE, self.remote_write.into());
        put(at::RAE, self.remote_atomic.into());
        put(at::PAGE_OFFSET, self.page_offset.into());
        put(at::MIN_RNR_NAK, self.min_rnr_nak.into());
        put(at::NEXT_RCV_PSN, self.next_rcv_psn.into());
        put(at::CQN_RECEIVE, self.cqn_receive.into());
        put(at::DBR_OFFSET, self.dbr_offset);
        put(at::Q_KEY, self.q_key.into());
        put(at::RQ_TYPE, self.rq_type.into());
        put(at::SRQN, self.srqn.into());
        put(at::HW_COUNTER, self.hw_counter.into());
        put(at::SW_COUNTER, self.sw_counter.into());
        put(at::CS_REQ, self.cs_req.into());
        put(at::CS_RES, self.cs_res.into());
        put(at::SEND_DBR_MODE, self.send_dbr_mode.into());
        put(at::DBR_UMEM, self.dbr_umem.into());
        put(at::DBR_UMEM_VALID, self.dbr_umem_valid.into());
        put(at::RESERVED, (self.cqn_send ^ 0xa5_a5a5).into());
    }
}
