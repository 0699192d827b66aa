//! The control segment of a work queue entry, and the services of queue pairs.

use super::wqe::{be32, opcode};

/// The operations for which an entry waits before it starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fence {
    /// Nothing.
    None,
    /// Earlier small operations of the initiator (invalidations), of which there are none here.
    Small,
    /// Earlier reads and atomics.
    Fence,
    /// Everything earlier.
    Strong,
    /// Earlier reads, atomics and small operations.
    FenceAndSmall,
}

/// The condition under which an entry generates a completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completion {
    /// If it fails.
    OnError,
    /// If it is the first to fail.
    OnFirstError,
    /// Always.
    Always,
    /// Always, with an event.
    AlwaysWithEvent,
}

/// The control segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Control {
    /// Modifies the opcode.
    pub opmod: u8,
    /// The index of the first block, modulo 2^16.
    pub index: u16,
    /// The operation.
    pub opcode: u8,
    /// The queue pair.
    pub qpn: u32,
    /// The length, in segments of 16 bytes.
    pub ds: u8,
    /// The bits above `ds`.
    pub above_ds: u8,
    /// Signature (0 if unused) and stream (0 except in DC queues).
    pub signature_stream: u32,
    /// Fence mode, completion mode, solicited.
    pub fm_ce_se: u8,
    /// Immediate value, in host order.
    pub imm: u32,
}

impl Control {
    /// Returns the number of blocks of 64 bytes.
    pub fn blocks(&self) -> u64 {
        u64::from(self.ds).div_ceil(4).max(1)
    }

    /// Returns the condition under which the entry generates a completion.
    pub fn completion(&self) -> Completion {
        match self.fm_ce_se >> 2 & 3 {
            0 => Completion::OnError,
            1 => Completion::OnFirstError,
            2 => Completion::Always,
            _ => Completion::AlwaysWithEvent,
        }
    }

    /// Reports whether the entry always generates a completion.
    pub fn signalled(&self) -> bool {
        self.fm_ce_se & 8 != 0
    }

    /// Returns the fence mode; `None` if it does not exist.
    pub fn fence(&self) -> Option<Fence> {
        Some(match self.fm_ce_se >> 5 {
            0 => Fence::None,
            1 => Fence::Small,
            2 => Fence::Fence,
            3 => Fence::Strong,
            4 => Fence::FenceAndSmall,
            _ => return None,
        })
    }
}

/// The service of a queue pair, as the QP context encodes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Service {
    /// Reliable connection.
    #[default]
    Rc = 0,
    /// Unreliable connection.
    Uc = 1,
    /// Unreliable datagrams.
    Ud = 2,
    /// Dynamically connected, the requesting side (DCI): each entry names its peer.
    Dci = 5,
    /// Dynamically connected, the responding side (DCT). It is an object of its own, and no queue pair.
    Dct = 0x100,
}

impl Service {
    /// Returns the service of a code; `None` if there is none here.
    pub fn of(code: u8) -> Option<Self> {
        [Self::Rc, Self::Uc, Self::Ud, Self::Dci].into_iter().find(|service| *service as u16 == code.into())
    }

    /// Reports whether the responder acknowledges requests: a requester otherwise learns of no failure there.
    pub fn is_reliable(self) -> bool {
        !matches!(self, Self::Uc | Self::Ud)
    }

    /// Reports whether each entry names its peer.
    pub fn names_peers(self) -> bool {
        matches!(self, Self::Ud | Self::Dci)
    }

    /// Reports whether a queue pair with it has the operation.
    pub(super) fn offers(self, opcode: u8) -> bool {
        match self {
            Self::Rc | Self::Dci => true,
            Self::Dct => false,
            Self::Uc => !matches!(
                opcode,
                opcode::READ
                    | opcode::COMPARE_SWAP
                    | opcode::FETCH_ADD
                    | opcode::MASKED_COMPARE_SWAP
                    | opcode::MASKED_FETCH_ADD
            ),
            Self::Ud => matches!(opcode, opcode::NOP | opcode::SEND | opcode::SEND_IMM),
        }
    }
}

/// Returns the control segment at the start of a block.
#[inline]
pub fn control(block: &[u8; 64]) -> Control {
    let (first, second, third) = (be32(block, 0), be32(block, 4), be32(block, 8));
    Control {
        opmod: (first >> 24) as u8,
        index: (first >> 8) as u16,
        opcode: first as u8,
        qpn: second >> 8,
        ds: (second & 0x3f) as u8,
        above_ds: (second & 0xc0) as u8,
        signature_stream: third >> 8,
        fm_ce_se: third as u8,
        imm: be32(block, 12),
    }
}
