//! The contracts: the primitives of a mailbox, the table of mailboxes, the path.

use oxshmem_core::{AmoOp, AmoType, Completion, Fault, Scope, SignalOp, SymAddr, Width};
use oxshmem_raw::gpu::ptx;
use oxshmem_raw::queue::path::{SharedPath, SharedTable};
use oxshmem_raw::queue::remote_queue::{Failed, QueueTable, RemoteQueue, Signal, Transfer};
use oxshmem_raw::state::{PathSlot, fault};

use super::mailbox::MailboxRef;
use crate::state::{Kind, LAYOUT, Mailbox, Rows};

/// Every call returns after its operation is complete, so that there is never an index to wait for.
// SAFETY:
// - **named**: a request carries the addresses and lengths of the call, and the courier's thread checks the peer's range.
// - **own**: the thread copies memory outside of the heap itself, word by word, and each call waits for its end.
unsafe impl RemoteQueue for MailboxRef {
    #[inline(always)]
    fn write_word(self, to: SymAddr, width: Width, bits: u64) -> Result<(), Failed> {
        self.ask(Kind::Write, to.offset(), 0, width.bytes() as u64, bits).map(drop)
    }

    #[inline(always)]
    fn transfer(self, _: Scope, what: Transfer, _: Completion) -> Result<u64, Failed> {
        // A thread of the host may serve a request after its call has failed, when other memory is no longer there.
        if self.world().is_own(what.local) {
            let kind = if what.is_put { Kind::Put } else { Kind::Get };
            self.ask(kind, what.remote.offset(), what.local, what.bytes, 0)?;
        } else {
            self.transfer_by_words(what)?;
        }
        Ok(0)
    }

    #[inline(always)]
    fn put_signal(self, scope: Scope, what: Transfer, signal: Signal, when: Completion) -> Result<(), Failed> {
        if what.bytes != 0 {
            self.transfer(scope, what, when)?;
        }
        self.signal(signal)
    }

    #[inline(always)]
    fn read_bytes(self, from: SymAddr, bytes: u32) -> Result<u64, Failed> {
        self.ask(Kind::Read, from.offset(), 0, bytes as u64, 0)
    }

    #[inline(always)]
    fn amo(self, at: SymAddr, op: AmoOp, of: AmoType, operand: u64) -> Result<(), Failed> {
        self.amo_fetch(at, op, of, operand, 0).map(drop)
    }

    #[inline(always)]
    fn amo_fetch(self, at: SymAddr, op: AmoOp, of: AmoType, operand: u64, compare: u64) -> Result<u64, Failed> {
        self.ask(Kind::Amo(op, of), at.offset(), compare, 0, operand)
    }

    #[inline(always)]
    fn signal(self, signal: Signal) -> Result<(), Failed> {
        let op = match signal.op {
            SignalOp::Set => AmoOp::Set,
            SignalOp::Add => AmoOp::Add,
        };
        self.amo(signal.word, op, AmoType::B64, signal.value)
    }

    #[inline(always)]
    fn wait(self, _: u64) -> Result<(), Failed> {
        Ok(())
    }

    #[inline(always)]
    fn complete(self) -> Result<(), Failed> {
        Ok(())
    }

    /// Returns false: a mailbox never stops alone, because each failure is a fault of the whole PE.
    #[inline(always)]
    fn has_stopped(self) -> bool {
        false
    }

    #[inline(always)]
    fn fault(self) -> Fault {
        fault::first_or_aborted(self.world())
    }
}

impl MailboxRef {
    /// Moves data of a thread's stack or of shared memory, which only the GPU's threads reach: each request carries one
    /// aligned piece of 1, 2, 4 or 8 bytes.
    #[inline(always)]
    fn transfer_by_words(self, what: Transfer) -> Result<(), Failed> {
        let (mut at, end, mut local) = (what.remote.offset(), what.remote.offset() + what.bytes, what.local as *mut u8);
        while at < end {
            let piece = largest_piece(at, end - at);
            if what.is_put {
                // SAFETY: **local**: the caller of the operation keeps its local memory mapped, and `piece` bytes of it
                // are left.
                let bits = unsafe { load(local, piece) };
                self.ask(Kind::Write, at, 0, piece, bits)?;
            } else {
                let bits = self.ask(Kind::Read, at, 0, piece, 0)?;
                // SAFETY: **local**: the caller of the operation keeps its local memory mapped, and `piece` bytes of it
                // are left.
                unsafe { store(local, piece, bits) }
            }
            at += piece;
            local = local.wrapping_add(piece as usize);
        }
        Ok(())
    }
}

/// Returns the size of the largest aligned piece, at most 8 bytes, that begins at offset `at` and has no more than
/// `left` bytes.
#[inline(always)]
const fn largest_piece(at: u64, left: u64) -> u64 {
    let mut piece = 8;
    while !at.is_multiple_of(piece) || piece > left {
        piece /= 2;
    }
    piece
}

/// Loads `bytes` bytes as bits, at any alignment.
///
/// # Safety
///
/// - **local**: `from` is mapped for reading, for that many bytes.
#[inline(always)]
unsafe fn load(from: *const u8, bytes: u64) -> u64 {
    let (mut bits, mut i) = (0, 0);
    while i < bytes {
        // SAFETY: **local**: byte `i` is in the range.
        bits |= (unsafe { ptx::ld_weak_u8(from.wrapping_add(i as usize)) } as u64) << (8 * i);
        i += 1;
    }
    bits
}

/// Stores `bytes` bytes of `bits`, at any alignment.
///
/// # Safety
///
/// - **local**: `to` is mapped for writing, for that many bytes.
#[inline(always)]
unsafe fn store(to: *mut u8, bytes: u64, bits: u64) {
    let mut i = 0;
    while i < bytes {
        // SAFETY: **local**: byte `i` is in the range.
        unsafe { ptx::st_weak_u8(to.wrapping_add(i as usize), (bits >> (8 * i)) as u8) }
        i += 1;
    }
}

/// The table of mailboxes, in which number `pe` carries requests to `pe`. Every row is this one.
#[derive(Clone, Copy, Debug)]
pub struct Mailboxes;

// SAFETY: **rows**: the host half makes the table with a mailbox for each PE, which are every row.
unsafe impl QueueTable for Mailboxes {
    type Queue = MailboxRef;

    #[inline(always)]
    unsafe fn queue(slot: PathSlot, number: u32) -> MailboxRef {
        // SAFETY: **live**: the caller passes this path's slot.
        let n_pes = unsafe { rows(slot) }.n_pes;
        // (There is a PE at least; a division by none would be a panic of the kernel.)
        let pe = number.checked_rem(n_pes).unwrap_or(0);
        // SAFETY: **live**: the table, by **live**, has a mailbox for each PE.
        unsafe { MailboxRef::at((slot.queues as *mut Mailbox).wrapping_add(pe as usize)) }
    }

    #[inline(always)]
    unsafe fn exists(slot: PathSlot, number: u32) -> bool {
        // SAFETY: **live** and **published**: the caller passes this path's slot and the number of a published row.
        unsafe { Self::queue(slot, number) }.exists()
    }

    #[inline(always)]
    unsafe fn published(slot: PathSlot) -> u32 {
        // SAFETY: **live**: the caller passes this path's slot.
        unsafe { rows(slot) }.count
    }

    #[inline(always)]
    unsafe fn keeps_order(_: PathSlot) -> bool {
        true
    }
}

/// Returns the rows of a path.
///
/// # Safety
///
/// - **live**: `slot` is this path's slot of a live world, which stays mapped while the result is used.
#[inline(always)]
unsafe fn rows<'a>(slot: PathSlot) -> &'a Rows {
    // SAFETY: **live**: the host half has written the struct before kernels run, and does not change it.
    unsafe { &*(slot.shared as *const Rows) }
}

// SAFETY: **layout**: the hash covers `Mailbox`, its slots and `Rows`, which the host half writes.
unsafe impl SharedTable for Mailboxes {
    const NAME: &'static str = "courier";
    const LAYOUT: u64 = LAYOUT;
}

/// The path whose requests the courier's thread executes. Mailboxes are shared by all threads.
pub type CourierPath = SharedPath<Mailboxes>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_aligned_and_fit() {
        let cases = [(0, 8, 8), (0, 9, 8), (0, 7, 4), (8, 3, 2), (8, 1, 1), (4, 100, 4), (6, 100, 2), (1, 100, 1)];
        for (at, left, piece) in cases {
            assert_eq!(largest_piece(at, left), piece, "{left} bytes at {at}");
        }
    }

    #[test]
    fn bytes_keep_their_order_through_a_word() {
        let from = [1, 2, 3, 4];
        let mut to = [0; 6];
        // SAFETY: **local**: both ranges are in the arrays.
        unsafe {
            assert_eq!(load(from.as_ptr(), 4), 0x0403_0201);
            store(to[1..].as_mut_ptr(), 4, load(from.as_ptr(), 4));
        }
        assert_eq!(to, [0, 1, 2, 3, 4, 0]);
    }
}
