//! Command mailboxes: requests of drivers to the firmware.
//!
//! Source: the field order of rdma-core's and Linux's `mlx5_ifc.h`; offsets are checked against golden mailboxes.

mod qp_context;

use super::bits;

pub use qp_context::QpContext;

/// Opcodes of commands: the first 16 bits.
#[allow(missing_docs)]
pub mod op {
    pub const QUERY_HCA_CAP: u16 = 0x100;
    pub const CREATE_CQ: u16 = 0x400;
    pub const DESTROY_CQ: u16 = 0x401;
    pub const MODIFY_CQ: u16 = 0x403;
    pub const CREATE_QP: u16 = 0x500;
    pub const DESTROY_QP: u16 = 0x501;
    pub const RST2INIT: u16 = 0x502;
    pub const INIT2RTR: u16 = 0x503;
    pub const RTR2RTS: u16 = 0x504;
    pub const TO_ERR: u16 = 0x507;
    pub const TO_RST: u16 = 0x50a;
    pub const QUERY_QP: u16 = 0x50b;
    pub const CREATE_DCT: u16 = 0x710;
    pub const QUERY_LAG: u16 = 0x842;
    pub const CREATE_RMP: u16 = 0x90c;
}

/// A command that the firmware refuses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The first byte of the answer.
    pub status: u8,
    /// The second word of the answer.
    pub syndrome: u32,
    /// The reason in words.
    pub why: String,
}

/// Statuses of answers.
#[allow(missing_docs)]
pub mod status {
    pub const BAD_OPERATION: u8 = 2;
    pub const BAD_PARAMETER: u8 = 3;
    pub const BAD_RESOURCE: u8 = 5;
    pub const BUSY: u8 = 6;
    pub const EXCEEDS_LIMIT: u8 = 8;
    pub const BAD_STATE: u8 = 9;
    pub const BAD_QP_STATE: u8 = 0x10;
    pub const BAD_INPUT_LENGTH: u8 = 0x50;
    pub const BAD_OUTPUT_LENGTH: u8 = 0x51;
}

impl Refusal {
    /// Creates a refusal. Its syndrome is derived from the words, so that each reason has its own.
    pub fn new(status: u8, why: impl Into<String>) -> Self {
        let why = why.into();
        // FNV-1a over the text before the first digit: one reason has one syndrome, with any numbers.
        let reason = why.split(|c: char| c.is_ascii_digit()).next().unwrap_or("");
        let syndrome =
            reason.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
        Self { status, syndrome, why }
    }

    /// Returns the errno to which the kernel translates the status.
    pub fn errno(&self) -> i32 {
        match self.status {
            status::BUSY => libc::EBUSY,
            status::EXCEEDS_LIMIT => libc::ENOMEM,
            _ => libc::EINVAL,
        }
    }
}

/// Returns the opcode of a mailbox.
pub fn opcode(input: &[u8]) -> u16 {
    bits(input, 0, 16) as u16
}

/// Returns the modifier of a mailbox: for `QUERY_HCA_CAP` the capability type, and current or maximal.
pub fn op_mod(input: &[u8]) -> u16 {
    bits(input, 0x30, 16) as u16
}

/// Returns the queue pair that a mailbox names.
pub fn qpn(input: &[u8]) -> u32 {
    bits(input, 0x48, 24) as u32
}

/// `CREATE_CQ`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CreateCq {
    /// The umem of the entries, and the offset in it.
    pub umem: (u32, u64),
    /// Bits 5:0 of the start's offset in the first page, in 64ths of a page.
    pub page_offset: u8,
    /// Page size: 4096 << this.
    pub log_page_size: u8,
    /// The umem of the doorbell record, and the offset in it.
    pub dbr: (u32, u64),
    /// 0: 64 bytes an entry.
    pub cqe_sz: u8,
    /// Collapsed: all completions go to the first entry.
    pub collapsed: bool,
    /// Overrun is ignored.
    pub ignores_overrun: bool,
    /// Entries: 1 << this.
    pub log_size: u8,
    /// The page of doorbell registers.
    pub uar: u32,
    /// The event queue.
    pub eqn: u32,
}

/// Bit offset of the CQ context in `CREATE_CQ`.
const CQC: usize = 0x10 * 8;

impl CreateCq {
    /// Reads the mailbox.
    pub fn parse(input: &[u8]) -> Self {
        let cqc = |bit: usize, width| bits(input, CQC + bit, width);
        Self {
            umem: (bits(input, 0x58 * 8, 32) as u32, bits(input, 0x50 * 8, 64)),
            page_offset: cqc(0x54, 6) as u8,
            log_page_size: cqc(0xc3, 5) as u8,
            dbr: (cqc(0x20, 32) as u32, cqc(0x1c0, 64)),
            cqe_sz: cqc(8, 3) as u8,
            collapsed: cqc(0xb, 1) != 0,
            ignores_overrun: cqc(0xe, 1) != 0,
            log_size: cqc(0x63, 5) as u8,
            uar: cqc(0x68, 24) as u32,
            eqn: cqc(0xa0, 32) as u32,
        }
    }
}

/// `CREATE_RMP`: a receive queue that queue pairs share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CreateRmp {
    /// 0: a linked list; 1: a ring.
    pub wq_type: u8,
    /// The protection domain of its entries' keys.
    pub pd: u32,
    /// The umem of the entries, and the offset in it.
    pub umem: (u32, u64),
    /// Offset of the start in the first page, in 32ths of a page.
    pub page_offset: u8,
    /// Page size: 4096 << this.
    pub log_page_size: u8,
    /// The umem of the doorbell record, and the offset in it.
    pub dbr: (u32, u64),
    /// Bytes of an entry: 1 << this.
    pub log_stride: u8,
    /// Entries: 1 << this.
    pub log_size: u8,
}

/// `CREATE_DCT`: the responding side of dynamic connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct CreateDct {
    pub user_index: u32,
    pub cqn: u32,
    pub srqn: u32,
    pub pd: u32,
    pub atomic_mode: u8,
    pub remote_read: bool,
    pub remote_write: bool,
    pub remote_atomic: bool,
    pub min_rnr_nak: u8,
    /// The key that requests must have.
    pub key: u64,
    pub mtu: u8,
    pub port: u8,
    pub pkey_index: u16,
    pub source_index: u8,
    pub hop_limit: u8,
}

impl CreateDct {
    /// Reads the mailbox. Source: `dctc` of Linux's `mlx5_ifc.h`.
    pub fn parse(input: &[u8]) -> Self {
        let get = |bit: usize, width| bits(input, 0x80 + bit, width);
        Self {
            user_index: get(0x28, 24) as u32,
            cqn: get(0x48, 24) as u32,
            srqn: get(0xa8, 24) as u32,
            pd: get(0xc8, 24) as u32,
            atomic_mode: get(0x68, 4) as u8,
            remote_read: get(0x6c, 1) != 0,
            remote_write: get(0x6d, 1) != 0,
            remote_atomic: get(0x6e, 1) != 0,
            min_rnr_nak: get(0x93, 5) as u8,
            key: get(0x100, 64),
            mtu: get(0x145, 3) as u8,
            port: get(0x148, 8) as u8,
            pkey_index: get(0x150, 16) as u16,
            source_index: get(0x168, 8) as u8,
            hop_limit: get(0x178, 8) as u8,
        }
    }
}

/// Bit offset of the work queue in `CREATE_RMP`.
const WQ: usize = 0x50 * 8;

impl CreateRmp {
    /// Reads the mailbox. Source: `rmpc` and `wq` of Linux's `mlx5_ifc.h`.
    pub fn parse(input: &[u8]) -> Self {
        let wq = |bit: usize, width| bits(input, WQ + bit, width);
        Self {
            wq_type: wq(0, 4) as u8,
            pd: wq(0x48, 24) as u32,
            umem: (wq(0x160, 32) as u32, wq(0x180, 64)),
            page_offset: wq(0x2b, 5) as u8,
            log_page_size: wq(0x113, 5) as u8,
            dbr: (wq(0x140, 32) as u32, wq(0x80, 64)),
            log_stride: wq(0x10c, 4) as u8,
            log_size: wq(0x11b, 5) as u8,
        }
    }
}
