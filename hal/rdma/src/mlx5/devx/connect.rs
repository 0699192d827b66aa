//! The three steps of a queue pair from RESET to RTS.

use super::bits::{Field, Mailbox, OBJECT};
use super::layout::{ads, qpc};
use super::queue::{MIGRATED, QPC, QUEUE_BYTES};

/// The optional parameters that a step changes: bits of its mask.
pub(super) const OPT_PARAM_MASK: Field = Field::new("opt_param_mask", 0x80, 32);
/// Remote reads, atomics and writes: bits 1, 2 and 3 of the mask.
pub(super) const CHANGES_ACCESS: u32 = 1 << 1 | 1 << 2 | 1 << 3;

/// The access rights of peers through a queue pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Peers may read.
    pub read: bool,
    /// Peers may write.
    pub write: bool,
    /// Peers may do atomics.
    pub atomic: bool,
    /// The atomic mode: 0 none, 1 as in the InfiniBand standard, 2 words of 8 bytes, 3 words of up to 8 bytes.
    pub atomic_mode: u8,
}

impl Access {
    /// All rights, with atomics of up to 8 bytes.
    pub const ALL: Self = Self { read: true, write: true, atomic: true, atomic_mode: 3 };

    fn put(self, mailbox: &mut Mailbox) {
        mailbox
            .put(qpc::ATOMIC_MODE.within(QPC), self.atomic_mode)
            .put(qpc::RRE.within(QPC), self.read)
            .put(qpc::RWE.within(QPC), self.write)
            .put(qpc::RAE.within(QPC), self.atomic);
    }
}

/// `RST2INIT_QP`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rst2Init {
    /// The queue pair.
    pub qpn: u32,
    /// The access rights of peers.
    pub access: Access,
    /// Its port, from 1.
    pub port: u8,
    /// Index into the port's partition table.
    pub pkey_index: u16,
}

impl Rst2Init {
    /// The command.
    pub const OPCODE: u16 = 0x502;

    /// Returns the mailbox.
    ///
    /// # Panics
    /// A value does not fit its field.
    pub fn encode(&self) -> Vec<u8> {
        let mut mailbox = step(Self::OPCODE, self.qpn);
        mailbox
            .put(qpc::PM_STATE.within(QPC), MIGRATED)
            .put(path(ads::PKEY_INDEX), self.pkey_index)
            .put(path(ads::VHCA_PORT_NUM), self.port);
        self.access.put(&mut mailbox);
        mailbox.finish()
    }
}

/// A global route. InfiniBand uses it only on request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GlobalRoute {
    /// The peer's GID, in network order.
    pub gid: [u8; 16],
    /// Index into this side's GID table.
    pub gid_index: u8,
    /// The hop limit.
    pub hop_limit: u8,
    /// Flow label, 20 bits.
    pub flow_label: u32,
}

/// The destination of packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// By LID.
    InfiniBand {
        /// The peer's LID.
        lid: u16,
        /// Service level, 0 to 15.
        sl: u8,
        /// Traffic class.
        traffic_class: u8,
        /// The global route header, if one is used.
        global: Option<GlobalRoute>,
    },
    /// By Ethernet.
    Roce {
        /// The Ethernet address of the peer or of the router.
        mac: [u8; 6],
        /// The peer's GID, in network order.
        gid: [u8; 16],
        /// Index into this side's GID table.
        gid_index: u8,
        /// The hop limit.
        hop_limit: u8,
        /// Priority, 0 to 7.
        eth_prio: u8,
        /// Traffic class of the global route header.
        traffic_class: u8,
        /// The upper 6 bits of the traffic class on RoCE v2, whose IP header has them; 0 on version 1.
        dscp: u8,
        /// UDP source port (RoCE v2), 0 for the NIC's choice: spreads flows over paths.
        udp_source_port: u16,
    },
}

/// The primary address path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrimaryPath {
    /// This side's port, from 1; 0 keeps that of INIT.
    pub port: u8,
    /// The destination of packets.
    pub route: Route,
}

impl PrimaryPath {
    fn put(&self, mailbox: &mut Mailbox) {
        mailbox.put(path(ads::VHCA_PORT_NUM), self.port);
        match self.route {
            Route::InfiniBand { lid, sl, traffic_class, global } => {
                mailbox.put(path(ads::RLID), lid).put(path(ads::SL), sl).put(path(ads::TCLASS), traffic_class);
                if let Some(route) = global {
                    mailbox
                        .put(path(ads::GRH), true)
                        .put(path(ads::SRC_ADDR_INDEX), route.gid_index)
                        .put(path(ads::HOP_LIMIT), route.hop_limit)
                        .put(path(ads::FLOW_LABEL), route.flow_label)
                        .put_bytes(QPC + qpc::PRIMARY + ads::RGID, &route.gid);
                }
            }
            Route::Roce { mac, gid, gid_index, hop_limit, eth_prio, traffic_class, dscp, udp_source_port } => {
                mailbox
                    .put(path(ads::SRC_ADDR_INDEX), gid_index)
                    .put(path(ads::HOP_LIMIT), hop_limit)
                    .put_bytes(QPC + qpc::PRIMARY + ads::RGID, &gid)
                    .put(path(ads::TCLASS), traffic_class)
                    .put(path(ads::DSCP), dscp)
                    .put(path(ads::UDP_SPORT), udp_source_port)
                    .put(path(ads::ETH_PRIO), eth_prio)
                    .put_bytes(path(ads::RMAC_HIGH).at, &mac);
            }
        }
    }
}

/// `INIT2RTR_QP`: ready to receive from a peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Init2Rtr {
    /// The queue pair.
    pub qpn: u32,
    /// 1: 256 bytes to 5: 4096 bytes, `enum ibv_mtu`.
    pub mtu: u8,
    /// The longest message, as a power of two.
    pub log_msg_max: u8,
    /// The peer's queue pair; 0 for a DCI.
    pub remote_qpn: u32,
    /// The path to the peer.
    pub path: PrimaryPath,
    /// The first packet number that the peer will send.
    pub next_rcv_psn: u32,
    /// Reads and atomics of the peer in flight, as a power of two, up to 7.
    pub log_rra_max: u8,
    /// The standard's code, 0 to 31, of the time that a peer waits before it repeats a request for which this side was
    /// not ready.
    pub min_rnr_nak: u8,
    /// The access rights, if they are set in this step (again).
    pub access: Option<Access>,
}

impl Init2Rtr {
    /// The command.
    pub const OPCODE: u16 = 0x503;

    /// Returns the mailbox.
    ///
    /// # Panics
    /// A value does not fit its field.
    pub fn encode(&self) -> Vec<u8> {
        let mut mailbox = step(Self::OPCODE, self.qpn);
        self.path.put(&mut mailbox);
        for (field, value) in [
            (qpc::MTU, self.mtu.into()),
            (qpc::LOG_MSG_MAX, self.log_msg_max.into()),
            (qpc::REMOTE_QPN, self.remote_qpn),
            (qpc::NEXT_RCV_PSN, self.next_rcv_psn),
            (qpc::LOG_RRA_MAX, self.log_rra_max.into()),
            (qpc::MIN_RNR_NAK, self.min_rnr_nak.into()),
        ] {
            mailbox.put(field.within(QPC), value);
        }
        again(self.access, &mut mailbox);
        mailbox.finish()
    }
}

/// `RTR2RTS_QP`: ready to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rtr2Rts {
    /// The queue pair.
    pub qpn: u32,
    /// Packets between two requests for an acknowledgement, as a power of two.
    pub log_ack_req_freq: u8,
    /// Reads and atomics in flight, as a power of two, up to 7.
    pub log_sra_max: u8,
    /// Retries without an acknowledgement, 0 to 7.
    pub retry_count: u8,
    /// Retries while the peer is not ready, 0 to 6; 7: without end.
    pub rnr_retry: u8,
    /// The timeout of an acknowledgement: 4.096 us * 2^this; 0: without end.
    pub ack_timeout: u8,
    /// The first packet number.
    pub next_send_psn: u32,
    /// The access rights, if they are set in this step again.
    pub access: Option<Access>,
}

impl Rtr2Rts {
    /// The command.
    pub const OPCODE: u16 = 0x504;

    /// Returns the mailbox.
    ///
    /// # Panics
    /// A value does not fit its field.
    pub fn encode(&self) -> Vec<u8> {
        let mut mailbox = step(Self::OPCODE, self.qpn);
        mailbox.put(path(ads::ACK_TIMEOUT), self.ack_timeout);
        for (field, value) in [
            (qpc::LOG_ACK_REQ_FREQ, self.log_ack_req_freq.into()),
            (qpc::LOG_SRA_MAX, self.log_sra_max.into()),
            (qpc::RETRY_COUNT, self.retry_count.into()),
            (qpc::RNR_RETRY, self.rnr_retry.into()),
            (qpc::NEXT_SEND_PSN, self.next_send_psn),
        ] {
            mailbox.put(field.within(QPC), value);
        }
        again(self.access, &mut mailbox);
        mailbox.finish()
    }
}

/// Returns the mailbox of a step: that of a queue, with the queue pair's number.
fn step(opcode: u16, qpn: u32) -> Mailbox {
    let mut mailbox = Mailbox::new(opcode, QUEUE_BYTES);
    mailbox.put(OBJECT, qpn);
    mailbox
}

/// Returns a field of the primary path, at its place in the mailbox.
const fn path(field: Field) -> Field {
    field.within(QPC + qpc::PRIMARY)
}

fn again(access: Option<Access>, mailbox: &mut Mailbox) {
    if let Some(access) = access {
        mailbox.put(OPT_PARAM_MASK, CHANGES_ACCESS);
        access.put(mailbox);
    }
}
