//! Mailboxes: a part of every heap in which each PE has room for two messages from each other one.

use core::mem::size_of;

use oxshmem_core::{Pe, SymAddr};

/// A message: four words, each with the number of the message in its upper 16 bits, so that it needs no other order.
pub type Mail = [u64; 4];

/// The bytes of a mailbox that belong to one sender.
pub const BYTES: u64 = 2 * size_of::<Mail>() as u64;

/// Returns the heap offset, on the receiver, of the message with this number from a PE.
pub const fn place(n_pes: u32, from: Pe, number: u16) -> SymAddr {
    let mailbox = size_of::<u64>() as u64 * n_pes as u64;
    SymAddr::new(mailbox + BYTES * from.number() as u64 + (number & 1) as u64 * size_of::<Mail>() as u64)
}
