//! The announcement of new WQEs to the NIC: the record in memory, and the register.

/// Returns the send queue's word of the doorbell record, as it is stored: the low 16 bits of the index after the last
/// WQE, big-endian in 32 bits.
///
/// ```text
/// byte  0                4               8
///       receive queue  | send queue    |
/// ```
#[inline(always)]
pub const fn send_dbr(next: u64) -> u32 {
    (next as u16 as u32).to_be()
}

/// Returns the word to store in the doorbell register: as the first 8 bytes of a control segment, with the index after
/// the last WQE and no other field.
///
/// ```text
/// byte  0   1      3   4     7   8
///       0 | next | 0 | qpn | 0 |
/// ```
#[inline(always)]
pub const fn doorbell(next: u64, qpn: u32) -> u64 {
    ((next as u16 as u64) << 40 | (qpn << 8) as u64).to_be()
}
