//! The parts of the NIC's formats that the engine reads and writes, coded from the format and not from the posting
//! code.

/// Returns the index that a doorbell names: bits 23..8 of its first big-endian word.
#[inline(always)]
pub(crate) fn doorbell_index(word: u64) -> u16 {
    ((word as u32).swap_bytes() >> 8) as u16
}

/// Returns the queue pair that a doorbell names: bits 31..8 of its second big-endian word.
#[inline(always)]
pub(crate) fn doorbell_qpn(word: u64) -> u32 {
    ((word >> 32) as u32).swap_bytes() >> 8
}

/// Returns the last word of a completion: the entry's index, no signature, and opcode 0 (a successful request).
#[inline(always)]
pub(crate) fn completion(index: u64) -> u32 {
    (index as u16).swap_bytes() as u32
}

/// Offset of this word in the 64 bytes of a completion.
pub(crate) const COMPLETION_AT: u64 = 60;
