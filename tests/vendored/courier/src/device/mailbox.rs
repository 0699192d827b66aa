//! A mailbox: reserves slots, writes requests and waits for answers.

use core::ptr::{addr_of, addr_of_mut};

use oxshmem_core::{Fault, FaultStep};
use oxshmem_raw::gpu::ptx;
use oxshmem_raw::queue::remote_queue::{Failed, WordOrFailed};
use oxshmem_raw::state::WorldState;
use oxshmem_raw::state::fault;
use oxshmem_raw::state::wait::{self, WaitBudget};

use crate::state::{DEPTH, Kind, Mailbox, Slot};

/// Polls of a slot between two reads of the word that reports the end of the courier.
const POLLS_PER_LOOK: u32 = 256;

/// The mailbox to one PE.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct MailboxRef(*mut Mailbox);

impl MailboxRef {
    /// Returns the mailbox at this address.
    ///
    /// # Safety
    ///
    /// - **live**: `at` is a mailbox of a live world, which stays mapped with its slots, its world's state and its word
    ///   `ended` while the value is used. Its first half does not change any more.
    #[inline(always)]
    pub(super) unsafe fn at(at: *mut Mailbox) -> Self {
        Self(at)
    }

    /// Reports whether the transport reaches this PE.
    #[inline(always)]
    pub(super) fn exists(self) -> bool {
        // SAFETY: **live**: the mailbox is mapped, and the field does not change.
        unsafe { (*self.0).slots != 0 }
    }

    /// Returns the world's state.
    #[inline(always)]
    pub(super) fn world<'a>(self) -> &'a WorldState {
        // SAFETY: **live**: the copy is written before the first kernel runs, and does not change afterwards.
        unsafe { &*((*self.0).world as *const WorldState) }
    }

    /// Makes a request and returns its answer, once it is complete.
    ///
    /// # Errors
    /// The courier has ended, the limit was reached, or a thread of the PE has reported a fault. The reason is
    /// reported.
    #[inline(always)]
    pub(super) fn ask(self, kind: Kind, remote: u64, local: u64, bytes: u64, operand: u64) -> Result<u64, Failed> {
        // A function of its own that takes and returns plain words: inlined, it would cost registers at each call.
        #[inline(never)]
        fn call(mailbox: MailboxRef, kind: u64, remote: u64, local: u64, bytes: u64, operand: u64) -> WordOrFailed {
            WordOrFailed::encode(mailbox.exchange([kind, remote, local, bytes, operand]))
        }
        call(self, kind.word(), remote, local, bytes, operand).decode()
    }

    #[inline(always)]
    fn exchange(self, request: [u64; 5]) -> Result<u64, Failed> {
        // SAFETY: **live**: the counter is in the mailbox; kernels alone change it, by this atomic.
        let index = unsafe { ptx::atom_add_relaxed_gpu_u64(addr_of_mut!((*self.0).reserved), 1) };
        // SAFETY: **live**: the mailbox is mapped, and the field does not change.
        let slots = unsafe { (*self.0).slots } as *mut Slot;
        let slot = slots.wrapping_add((index % DEPTH) as usize);
        let free = 3 * (index / DEPTH);
        self.wait_for(slot, free, index)?;
        let [kind, remote, local, bytes, operand] = request;
        // SAFETY: **live**: `slot` is one of the mailbox's slots. Its turn makes it this thread's alone.
        unsafe {
            ptx::st_relaxed_sys_u64(addr_of_mut!((*slot).kind), kind);
            ptx::st_relaxed_sys_u64(addr_of_mut!((*slot).remote), remote);
            ptx::st_relaxed_sys_u64(addr_of_mut!((*slot).local), local);
            ptx::st_relaxed_sys_u64(addr_of_mut!((*slot).bytes), bytes);
            ptx::st_relaxed_sys_u64(addr_of_mut!((*slot).operand), operand);
            // The release also covers the data that the request names, which any thread of the group may have written.
            ptx::st_release_sys_u64(addr_of_mut!((*slot).turn), free + 1);
        }
        // If this fails, the courier may still write the answer, so the slot is not given back.
        self.wait_for(slot, free + 2, index)?;
        // SAFETY: **live**: `slot` is one of the mailbox's slots; once answered, it is this thread's alone.
        unsafe {
            let answer = ptx::ld_relaxed_sys_u64(addr_of!((*slot).answer));
            ptx::st_release_sys_u64(addr_of_mut!((*slot).turn), free + 3);
            Ok(answer)
        }
    }

    /// Waits until the slot has this turn.
    #[inline(always)]
    fn wait_for(self, slot: *const Slot, turn: u64, index: u64) -> Result<(), Failed> {
        let mut polls = 0;
        let poll = || {
            // SAFETY: **live**: `slot` is one of the mailbox's slots.
            if unsafe { ptx::ld_acquire_sys_u64(addr_of!((*slot).turn)) } == turn {
                return Some(true);
            }
            polls += 1;
            // SAFETY: **live**: the mailbox is mapped, and `ended` is the address of a word in host memory.
            let has_ended = || unsafe { ptx::ld_relaxed_sys_u64((*self.0).ended as *const u64) } != 0;
            (polls % POLLS_PER_LOOK == 0 && has_ended()).then_some(false)
        };
        let answered = wait::until(self.world(), &mut WaitBudget::new(), 1, poll, || {
            let mut fault = Fault::new(FaultStep::Queue);
            (fault.pe, fault.asked, fault.seen) = (self.pe(), index + 1, index);
            fault
        });
        match answered {
            Ok(true) => Ok(()),
            Ok(false) => {
                let mut gone = Fault::new(FaultStep::HostThread);
                gone.pe = self.pe();
                fault::report(self.world(), gone);
                Err(Failed)
            }
            Err(_) => Err(Failed),
        }
    }

    #[inline(always)]
    fn pe(self) -> u32 {
        // SAFETY: **live**: the mailbox is mapped, and the field does not change.
        unsafe { (*self.0).pe as u32 }
    }
}
