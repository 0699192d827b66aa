//! Completions: the entry of a completion queue, and the index that its counter stands for.

/// A requester's WQE is complete.
pub const REQ: u8 = 0;
/// A requester's WQE failed.
pub const REQ_ERR: u8 = 0xd;
/// A responder's WQE failed.
pub const RESP_ERR: u8 = 0xe;
/// No completion yet: the memory of a queue is filled with 0xff before it is used.
pub const INVALID: u8 = 0xf;

/// Offset of the word whose low 24 bits are the queue pair's user index, in bytes.
pub const USER_INDEX_OFFSET: usize = 32;
/// Offset of the word of [`CqeTail`], in bytes.
pub const TAIL_OFFSET: usize = 60;
/// Offset of a failed WQE's word of hardware syndrome, hardware syndrome type, vendor syndrome and syndrome: one byte
/// each.
pub const ERROR_OFFSET: usize = 52;
/// Offset of the word that has the WQE's opcode in its first byte and the QP number in the others.
pub const QPN_OFFSET: usize = 56;

/// The last word of a completion, loaded at once so that counter and opcode belong together.
///
/// ```text
/// byte  60            62          63                        64
///       wqe_counter | signature | opcode (4 bits), own (4) |
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct CqeTail(pub u32);

impl CqeTail {
    /// Returns the kind of completion: [`REQ`] ... [`INVALID`].
    #[inline(always)]
    pub const fn opcode(self) -> u8 {
        (u32::from_be(self.0) >> 4 & 0xf) as u8
    }

    /// Returns the owner bit: the lowest bit of the number of laps around the ring that the NIC had completed when it
    /// wrote the entry.
    #[inline(always)]
    pub const fn owner(self) -> u8 {
        (u32::from_be(self.0) & 1) as u8
    }

    /// Returns the low 16 bits of the index of the completed WQE's first basic block. Meaningless in an [`INVALID`]
    /// entry.
    #[inline(always)]
    pub const fn wqe_counter(self) -> u16 {
        (u32::from_be(self.0) >> 16) as u16
    }
}

/// Returns the index after the completed WQE, from the 16 bits on the wire and an index `done` that was known before.
///
/// The completed WQE has one basic block, and the new index is known to be in `done .. done + 2^15`, so that at most
/// 2^15 - 1 blocks may be in flight. A counter from before `done`, which a slower thread has read, gives `done`.
#[inline(always)]
pub const fn done_after(done: u64, wqe_counter: u16) -> u64 {
    let ahead = wqe_counter.wrapping_add(1).wrapping_sub(done as u16) as i16;
    if ahead < 0 { done } else { done.wrapping_add(ahead as u64) }
}

/// Syndromes of error completions.
pub mod syndrome {
    /// The message is longer than the local memory.
    pub const LOCAL_LENGTH: u8 = 0x01;
    /// The WQE is malformed.
    pub const LOCAL_QP_OPERATION: u8 = 0x02;
    /// The local key does not allow the access.
    pub const LOCAL_PROTECTION: u8 = 0x04;
    /// An earlier WQE failed.
    pub const FLUSHED: u8 = 0x05;
    /// A memory window could not be bound.
    pub const WINDOW_BIND: u8 = 0x06;
    /// The peer's answer is invalid.
    pub const BAD_RESPONSE: u8 = 0x10;
    /// Access to local memory failed, of a receive.
    pub const LOCAL_ACCESS: u8 = 0x11;
    /// The peer does not support such a request.
    pub const REMOTE_INVALID_REQUEST: u8 = 0x12;
    /// The peer's key or rights do not allow the access.
    pub const REMOTE_ACCESS: u8 = 0x13;
    /// The peer failed during the operation.
    pub const REMOTE_OPERATION: u8 = 0x14;
    /// No acknowledgement after all retries.
    pub const RETRIES_EXCEEDED: u8 = 0x15;
    /// The peer was not ready after all retries.
    pub const NOT_READY_RETRIES_EXCEEDED: u8 = 0x16;
    /// The peer aborted the operation.
    pub const REMOTE_ABORTED: u8 = 0x22;
}

/// Returns the description of a [`syndrome`].
pub const fn syndrome_words(code: u8) -> &'static str {
    match code {
        syndrome::LOCAL_LENGTH => "local length error",
        syndrome::LOCAL_QP_OPERATION => "local queue pair operation error",
        syndrome::LOCAL_PROTECTION => "local protection error",
        syndrome::FLUSHED => "flushed: the queue pair was in error before, and the cause was lost",
        syndrome::WINDOW_BIND => "memory window bind error",
        syndrome::BAD_RESPONSE => "bad response",
        syndrome::LOCAL_ACCESS => "local access error",
        syndrome::REMOTE_INVALID_REQUEST => "remote invalid request",
        syndrome::REMOTE_ACCESS => "remote access error",
        syndrome::REMOTE_OPERATION => "remote operation error",
        syndrome::RETRIES_EXCEEDED => "transport retries exceeded",
        syndrome::NOT_READY_RETRIES_EXCEEDED => "receiver-not-ready retries exceeded",
        syndrome::REMOTE_ABORTED => "remote aborted",
        _ => "unknown syndrome",
    }
}
