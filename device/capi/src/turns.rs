//! Turns of threads at the collectives of a team.
//!
//! A compiler for whole blocks, such as Triton, lets every thread of a block make the call of a thread. A collective
//! has one caller of each member at a time, so these calls take turns: every member then makes as many calls, one after
//! another, and a call of one thread takes an atomic longer. Turns are given in the order of the arrivals. A thread that
//! has ended its call so makes the next one after the others' calls, if these have arrived by that time. Each of these
//! calls is a collective of its own: `docs/c.md` has the rules that follow for programs.

use oxshmem_core::Scope;
use oxshmem_raw::gpu::ptx;

/// The barriers of all PEs, in the place of a team's number.
pub(crate) const ALL_PES: i32 = -1;
/// The number of teams that kernels can name, as `hal` has it.
const TEAMS: usize = 4096;

/// The turns of a team.
#[repr(C)]
#[derive(Clone, Copy)]
struct Turns {
    /// The turn that the next thread gets.
    next: u32,
    /// The turn whose thread makes its call.
    now: u32,
}

const NONE_TAKEN: Turns = Turns { next: 0, now: 0 };

cfg_if::cfg_if! {
    if #[cfg(target_arch = "nvptx64")] {
        use core::cell::UnsafeCell;

        struct List(UnsafeCell<[Turns; TEAMS + 1]>);
        // SAFETY: the words are accessed by atomic instructions alone.
        unsafe impl Sync for List {}

        /// The turns of a module: kernels of different modules do not use one team at once.
        static LIST: List = List(UnsafeCell::new([NONE_TAKEN; TEAMS + 1]));

        #[inline(always)]
        fn list() -> *mut Turns {
            LIST.0.get().cast()
        }
    } else {
        use std::cell::UnsafeCell;

        thread_local! {
            /// The turns of the PE whose kernel runs on this OS thread.
            static LIST: UnsafeCell<Vec<Turns>> = UnsafeCell::new(vec![NONE_TAKEN; TEAMS + 1]);
        }

        fn list() -> *mut Turns {
            // SAFETY: no other reference to the list exists at this time.
            LIST.with(|list| unsafe { (*list.get()).as_mut_ptr() })
        }
    }
}

/// Makes a call of a collective of a team, or of all PEs, after those of other threads if the caller is a thread alone.
#[inline(always)]
pub(crate) fn in_turn<R>(scope: Scope, team: i32, call: impl Fn() -> R) -> R {
    let number = team.wrapping_sub(ALL_PES) as u32 as usize;
    if scope != Scope::Thread || number > TEAMS {
        return call();
    }
    let turns = list().wrapping_add(number);
    // SAFETY: **live**: the words are in this module's list, whose length was checked.
    unsafe {
        let mine = ptx::atom_add_acq_rel_gpu_u32(&raw mut (*turns).next, 1);
        // The call is inside the loop: a lane that has the turn waits for no other lane of its warp to leave it.
        loop {
            if ptx::ld_acquire_gpu_u32(&raw const (*turns).now) == mine {
                let result = call();
                ptx::st_release_gpu_u32(&raw mut (*turns).now, mine.wrapping_add(1));
                return result;
            }
            ptx::poll_pause();
        }
    }
}
