//! The primitives of a queue, by which the shared layer performs every operation.

use oxshmem_core::{AmoOp, AmoType, Completion, Fault, Scope, SymAddr, Width};
use oxshmem_raw::queue::remote_queue::{Failed, RemoteQueue, Signal, Transfer};

use super::queue_ref::QueueRef;
use super::sharing::Sharing;
use super::{atomics, done, fetch, signal, transfer};

// SAFETY:
// - **named**: an entry has the addresses and lengths of the call, with the keys of the extents or buffers in which they
//   are.
// - **own**: memory without a key is copied by the thread, through the queue's own memory.
unsafe impl<S: Sharing> RemoteQueue for QueueRef<S> {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn write_word(self, to: SymAddr, width: Width, bits: u64) -> Result<(), Failed> {
        transfer::write_word(self, to, width, bits)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn transfer(self, scope: Scope, what: Transfer, when: Completion) -> Result<u64, Failed> {
        transfer::transfer(self, scope, what, when)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn put_signal(self, _: Scope, what: Transfer, signal: Signal, when: Completion) -> Result<(), Failed> {
        signal::put_signal(self, what, signal, when)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn read_bytes(self, from: SymAddr, bytes: u32) -> Result<u64, Failed> {
        fetch::read_bytes(self, from, bytes)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn amo(self, at: SymAddr, op: AmoOp, of: AmoType, operand: u64) -> Result<(), Failed> {
        atomics::amo(self, at, op, of, operand)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn amo_fetch(self, at: SymAddr, op: AmoOp, of: AmoType, operand: u64, compare: u64) -> Result<u64, Failed> {
        atomics::amo_fetch(self, at, op, of, operand, compare)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn signal(self, signal: Signal) -> Result<(), Failed> {
        signal::signal(self, signal)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn wait(self, target: u64) -> Result<(), Failed> {
        done::wait(self, target)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn complete(self) -> Result<(), Failed> {
        // The loads overlap. `done` is read after `reserved`.
        let (cqe, issued) = (self.cqe(), self.reserved());
        let done = self.done();
        if issued == 0 { Ok(()) } else { done::wait_from(self, issued, done, cqe) }
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn has_stopped(self) -> bool {
        self.stopped().is_some()
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn fault(self) -> Fault {
        done::reason(self)
    }
}
