//! Waiting with a limit.

use oxshmem_core::{Fault, FaultStep};

use crate::state::{Notice, WorldState};
use crate::{fault, ptx};

/// Polls between two looks at the clock and at the host's notice. The notice is in host memory: a look
/// at it costs about 2 us, a poll of device memory well under one.
const POLLS_PER_LOOK: u32 = if cfg!(target_arch = "nvptx64") { 2048 } else { 32 };

/// Polls until `poll` gives a value, the world's limit is reached, the host says stop, or another
/// thread of this PE has reported a fault.
///
/// # Errors
/// What `late` makes of a reached limit; else the fault that ended the wait. It is reported already.
#[inline(always)]
pub fn until<T>(
    state: &WorldState,
    mut poll: impl FnMut() -> Option<T>,
    late: impl FnOnce() -> Fault,
) -> Result<T, Fault> {
    let mut started = 0;
    let mut polls = 0u32;
    let ended_by = loop {
        if let Some(value) = poll() {
            ptx::poll_done();
            return Ok(value);
        }
        polls = polls.wrapping_add(1);
        ptx::poll_pause();
        if polls.is_multiple_of(POLLS_PER_LOOK) {
            match look(state, &mut started) {
                Look::GoOn => {}
                Look::Late => break late(),
                Look::Stop(reason) => break reason,
            }
        }
    };
    Err(fault::report(state, ended_by))
}

enum Look {
    GoOn,
    Late,
    Stop(Fault),
}

#[inline(always)]
fn look(state: &WorldState, started: &mut u64) -> Look {
    // SAFETY: `notice` is the live Notice of this PE.
    let stop = unsafe { ptx::ld_relaxed_sys_u64(state.notice as *const u64) };
    if stop != 0 {
        let mut reason = Fault::new(if stop == Notice::ABORT { FaultStep::Aborted } else { FaultStep::PeerDied });
        reason.pe = if stop == Notice::ABORT { Fault::NO_PE } else { stop as u32 };
        return Look::Stop(reason);
    }
    if fault::reported(state) {
        // Another thread was first: reporting gives back what it found.
        return Look::Stop(Fault::new(FaultStep::Aborted));
    }
    let now = ptx::global_timer_ns();
    if *started == 0 {
        *started = now;
    } else if state.wait_limit_ns != 0 && now.wrapping_sub(*started) > state.wait_limit_ns {
        return Look::Late;
    }
    Look::GoOn
}
