//! Commands that create, destroy and query completion queues and queue pairs.

use super::bits::{Field, Mailbox, OBJECT};
use super::layout::{cqc, qpc};

/// A place in a umem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InUmem {
    /// The umem's number.
    pub id: u32,
    /// The first byte.
    pub offset: u64,
}

/// `CREATE_CQ`. Its output is a [`Reply`](super::Reply) with the CQ's number.
///
/// ```text
/// byte  0        16    80          88       92      272
///      command | cqc | CQ offset | umem id | valid |
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CreateCq {
    /// The place of the entries.
    pub buffer: InUmem,
    /// The place of the doorbell record: two words of 32 bits.
    pub dbr: InUmem,
    /// The number of entries, as a power of two. The buffer has room for all of them, also in a collapsed queue.
    pub log_entries: u8,
    /// Page of doorbell registers.
    pub uar_page: u32,
    /// Event queue: all 32 bits of the number that the kernel reports.
    pub eqn: u32,
    /// Page size of the buffer, as a power of two above 4 KiB.
    pub log_page_size: u8,
    /// Offset of the buffer in its first page, in 64ths of the page.
    pub page_offset: u8,
    /// Entries have 128 bytes instead of 64.
    pub wide: bool,
    /// All completions go to the first entry.
    pub collapsed: bool,
    /// Completions that were read are not announced, so that there is no overrun.
    pub ignore_overrun: bool,
    /// Marks the umem's fields valid. The kernel overwrites the marks.
    pub mark_umems: bool,
}

impl CreateCq {
    /// The command.
    pub const OPCODE: u16 = 0x400;

    /// Returns the mailbox.
    ///
    /// # Panics
    /// A value does not fit its field.
    pub fn encode(&self) -> Vec<u8> {
        let mut mailbox = Mailbox::new(Self::OPCODE, QUEUE_BYTES);
        for (field, value) in [
            (cqc::DBR_UMEM_VALID, self.mark_umems.into()),
            (cqc::CQE_SZ, self.wide.into()),
            (cqc::CC, self.collapsed.into()),
            (cqc::OI, self.ignore_overrun.into()),
            (cqc::DBR_UMEM_ID, self.dbr.id.into()),
            (cqc::PAGE_OFFSET, self.page_offset.into()),
            (cqc::LOG_CQ_SIZE, self.log_entries.into()),
            (cqc::UAR_PAGE, self.uar_page.into()),
            (cqc::C_EQN, self.eqn.into()),
            (cqc::LOG_PAGE_SIZE, self.log_page_size.into()),
            (cqc::DBR_ADDR, self.dbr.offset),
        ] {
            mailbox.put(field.within(CQC), value);
        }
        mailbox
            .put(CQ_UMEM_OFFSET, self.buffer.offset)
            .put(CQ_UMEM_ID, self.buffer.id)
            .put(CQ_UMEM_VALID, self.mark_umems);
        mailbox.finish()
    }
}

/// The service type of a queue pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Service {
    /// A reliable connection to one peer.
    Rc = 0,
    /// An initiator of dynamic connections: each WQE names its destination.
    Dci = 5,
}

/// The receive side of a queue pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Receive {
    /// No receive queue at all.
    Nothing {
        /// The completion queue, which must be named although nothing completes there: the send queue's, or 0.
        cqn: u32,
    },
    /// A shared receive queue, which completes to a completion queue.
    Shared {
        /// Number of the shared receive queue.
        srqn: u32,
        /// Number of the completion queue.
        cqn: u32,
    },
}

/// `CREATE_QP`. Its output is a [`Reply`](super::Reply) with the number of the queue pair, which is in state RESET.
///
/// ```text
/// byte  0        16          24    256         264      268     272
///      command | opt mask  | qpc | SQ offset | umem id | valid |
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CreateQp {
    /// The service type.
    pub service: Service,
    /// Protection domain.
    pub pd: u32,
    /// Page of doorbell registers.
    pub uar_page: u32,
    /// The name of the queue pair in completions, 24 bits; for NICs with version 1 of completions.
    pub user_index: u32,
    /// The place of the send queue.
    pub send_queue: InUmem,
    /// Basic blocks of the send queue, as a power of two, up to 15.
    pub log_blocks: u8,
    /// Completion queue of the send queue.
    pub send_cqn: u32,
    /// The receive side.
    pub receive: Receive,
    /// The place of the doorbell record: two words of 32 bits, the second of which is the send queue's.
    pub dbr: InUmem,
    /// The doorbell alone counts, and the record is not read: for NICs with `send_dbr_mode_no_dbr_ext`.
    pub without_dbr: bool,
    /// Page size of the send queue, as a power of two above 4 KiB.
    pub log_page_size: u8,
    /// Offset of the send queue in its first page, in 64ths of the page.
    pub page_offset: u8,
    /// The timestamp format: 0 free running, 1 the NIC's default, 2 real time.
    pub timestamp_format: u8,
    /// Payload in completions, as requester and responder; 0 and 0: never.
    pub scatter_to_cqe: (u8, u8),
    /// Marks the umem's fields valid. The kernel overwrites the marks.
    pub mark_umems: bool,
}

impl CreateQp {
    /// The command.
    pub const OPCODE: u16 = 0x500;

    /// Returns the mailbox.
    ///
    /// # Panics
    /// A value does not fit its field.
    pub fn encode(&self) -> Vec<u8> {
        let mut mailbox = Mailbox::new(Self::OPCODE, QUEUE_BYTES);
        let (rq_type, srqn, receive_cqn): (u64, u32, u32) = match self.receive {
            Receive::Nothing { cqn } => (3, 0, cqn),
            Receive::Shared { srqn, cqn } => (1, srqn, cqn),
        };
        for (field, value) in [
            (qpc::ST, self.service as u64),
            (qpc::PM_STATE, MIGRATED),
            (qpc::PD, self.pd.into()),
            (qpc::LOG_SQ_SIZE, self.log_blocks.into()),
            (qpc::TS_FORMAT, self.timestamp_format.into()),
            (qpc::UAR_PAGE, self.uar_page.into()),
            (qpc::SEND_DBR_MODE, self.without_dbr.into()),
            (qpc::USER_INDEX, self.user_index.into()),
            (qpc::LOG_PAGE_SIZE, self.log_page_size.into()),
            (qpc::CQN_SND, self.send_cqn.into()),
            (qpc::PAGE_OFFSET, self.page_offset.into()),
            (qpc::CQN_RCV, receive_cqn.into()),
            (qpc::DBR_ADDR, self.dbr.offset),
            (qpc::RQ_TYPE, rq_type),
            (qpc::SRQN, srqn.into()),
            (qpc::CS_REQ, self.scatter_to_cqe.0.into()),
            (qpc::CS_RES, self.scatter_to_cqe.1.into()),
            (qpc::DBR_UMEM_VALID, self.mark_umems.into()),
            (qpc::DBR_UMEM_ID, self.dbr.id.into()),
        ] {
            mailbox.put(field.within(QPC), value);
        }
        mailbox
            .put(WQ_UMEM_OFFSET, self.send_queue.offset)
            .put(WQ_UMEM_ID, self.send_queue.id)
            .put(WQ_UMEM_VALID, self.mark_umems);
        mailbox.finish()
    }
}

/// Declares a command whose only parameter is the number of an object.
macro_rules! about_an_object {
    ($($(#[$about:meta])* $name:ident = $opcode:literal;)*) => {$(
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $name {
            /// The object's number.
            pub number: u32,
        }

        impl $name {
            /// The command.
            pub const OPCODE: u16 = $opcode;

            /// Returns the mailbox.
            ///
            /// # Panics
            /// The number has more than 24 bits.
            pub fn encode(&self) -> Vec<u8> {
                let mut mailbox = Mailbox::new(Self::OPCODE, 16);
                mailbox.put(OBJECT, self.number);
                mailbox.finish()
            }
        }
    )*};
}

about_an_object! {
    /// `DESTROY_CQ`.
    DestroyCq = 0x401;
    /// `DESTROY_QP`.
    DestroyQp = 0x501;
    /// `2ERR_QP`: entries in flight are flushed with errors.
    ToError = 0x507;
    /// `2RST_QP`: the queue pair returns to its initial state.
    ToReset = 0x50a;
    /// `QUERY_QP`; its output is for [`QpContext`](super::QpContext).
    QueryQp = 0x50b;
}

/// Bytes of the mailboxes that have a context.
pub(super) const QUEUE_BYTES: usize = 272;
/// `qpc.pm_state` of every connection: no path to migrate to.
pub(super) const MIGRATED: u64 = 3;
/// The first bit of a completion queue's context.
pub(super) const CQC: usize = 0x80;
/// The first bit of a queue pair's context.
pub(super) const QPC: usize = 0xc0;

// After the contexts.
pub(super) const CQ_UMEM_OFFSET: Field = Field::new("cq_umem_offset", 0x280, 64);
pub(super) const CQ_UMEM_ID: Field = Field::new("cq_umem_id", 0x2c0, 32);
pub(super) const CQ_UMEM_VALID: Field = Field::new("cq_umem_valid", 0x2e0, 1);
pub(super) const WQ_UMEM_OFFSET: Field = Field::new("wq_umem_offset", 0x800, 64);
pub(super) const WQ_UMEM_ID: Field = Field::new("wq_umem_id", 0x840, 32);
pub(super) const WQ_UMEM_VALID: Field = Field::new("wq_umem_valid", 0x860, 1);

const _: () = assert!(CQC + cqc::BITS == CQ_UMEM_OFFSET.at && QPC + qpc::BITS == WQ_UMEM_OFFSET.at);
