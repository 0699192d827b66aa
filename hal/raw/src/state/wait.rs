//! Waits with a limit.

use oxshmem_core::{Cmp, Fault, FaultStep, Pe, SymAddr, Waitable, Width};

use crate::gpu::ptx;
use crate::state::fault;
use crate::state::{StopWord, WorldState};

/// Words read between two reads of the clock and of the host's stop word. The stop word is in host memory: a read costs
/// about 2 us, a read of device memory well under one.
const READS_PER_LOOK: u32 = if cfg!(target_arch = "nvptx64") { 2048 } else { 32 };

/// Whether a wait polls once more before it fails. The system may take the processor from a host thread between a poll
/// and the look that follows it. Meanwhile the word may come, and then the limit pass or the PE that wrote it die. A
/// GPU's thread looks within microseconds of its poll.
const LAST_POLL: bool = cfg!(not(target_arch = "nvptx64"));

/// The time that one call has waited. All waits of the call share the world's limit.
#[derive(Debug, Default)]
pub struct WaitBudget {
    /// The clock at its first read; 0 before that read.
    started_ns: u64,
    /// Words read since the last read of the clock.
    reads: u32,
}

impl WaitBudget {
    /// Returns the budget of a new call.
    #[inline(always)]
    pub const fn new() -> Self {
        Self { started_ns: 0, reads: 0 }
    }

    /// Counts a poll that read `words` words, and reports whether it is time to read the clock and the stop word.
    #[inline(always)]
    fn spent(&mut self, words: usize) -> bool {
        // More than `READS_PER_LOOK` words count as `READS_PER_LOOK`.
        let words = if words < READS_PER_LOOK as usize { words as u32 } else { READS_PER_LOOK };
        self.reads += if words == 0 { 1 } else { words };
        if self.reads < READS_PER_LOOK {
            return false;
        }
        self.reads = 0;
        true
    }
}

/// Loads a word that other PEs may write, with acquire order at system scope.
///
/// # Safety
///
/// - **live**: `at` is the address of a mapped and aligned word of this type.
#[inline(always)]
pub unsafe fn acquire<T: Waitable>(at: *const u8) -> T {
    // SAFETY: **live** by the caller.
    T::from_bits64(unsafe {
        match T::WIDTH {
            Width::B1 | Width::B2 => ptx::ld_acquire_sys_u16(at.cast()) as u64,
            Width::B4 => ptx::ld_acquire_sys_u32(at.cast()) as u64,
            Width::B8 => ptx::ld_acquire_sys_u64(at.cast()),
        }
    })
}

/// Returns the fault of a wait for `word` that reached its limit, when the word was `seen`.
#[inline(always)]
pub fn late<T: Waitable>(word: SymAddr, cmp: Cmp, value: T, seen: T) -> Fault {
    let mut fault = Fault::new(FaultStep::Wait);
    (fault.at, fault.detail) = (word.offset(), Fault::wait_detail::<T>(cmp));
    (fault.asked, fault.seen) = (value.to_bits64(), seen.to_bits64());
    fault
}

/// Polls until `poll` returns a value, the world's limit is reached, the host stops this PE's kernels, or another
/// thread of this PE has reported a fault. A poll reads `words` words.
///
/// # Errors
/// The fault that `late` returns if the limit is reached; else the fault that ended the wait. The fault is already
/// reported.
#[inline(always)]
pub fn until<T>(
    state: &WorldState,
    budget: &mut WaitBudget,
    words: usize,
    poll: impl FnMut() -> Option<T>,
    late: impl FnOnce() -> Fault,
) -> Result<T, Fault> {
    until_among(state, budget, words, |_| true, poll, late)
}

/// Waits as [`until`] does, for something that the death of a PE does not end unless `concerns` returns true for it.
///
/// # Errors
/// As [`until`].
#[inline(always)]
pub fn until_among<T>(
    state: &WorldState,
    budget: &mut WaitBudget,
    words: usize,
    concerns: impl Fn(Pe) -> bool,
    mut poll: impl FnMut() -> Option<T>,
    late: impl FnOnce() -> Fault,
) -> Result<T, Fault> {
    let ended_by = loop {
        if let Some(value) = poll() {
            ptx::poll_done();
            return Ok(value);
        }
        ptx::poll_pause();
        if budget.spent(words) {
            match look(state, &mut budget.started_ns, &concerns) {
                Look::GoOn => {}
                Look::Late => break late(),
                Look::Stop(reason) => break reason,
            }
        }
    };
    if LAST_POLL && let Some(value) = poll() {
        return Ok(value);
    }
    Err(fault::report(state, ended_by))
}

/// Waits as [`until`] does, for a poll of one read. It makes several polls in close sequence, so that the awaited value
/// is seen as early as possible.
///
/// # Errors
/// As [`until`].
#[inline(always)]
pub fn until_word<T>(
    state: &WorldState,
    budget: &mut WaitBudget,
    poll: impl FnMut() -> Option<T>,
    late: impl FnOnce() -> Fault,
) -> Result<T, Fault> {
    until_word_among(state, budget, |_| true, poll, late)
}

/// Waits as [`until_word`] does, for something that the death of a PE does not end unless `concerns` returns true for
/// it.
///
/// # Errors
/// As [`until`].
#[inline(always)]
pub fn until_word_among<T>(
    state: &WorldState,
    budget: &mut WaitBudget,
    concerns: impl Fn(Pe) -> bool,
    mut poll: impl FnMut() -> Option<T>,
    late: impl FnOnce() -> Fault,
) -> Result<T, Fault> {
    let ended_by = 'wait: loop {
        macro_rules! poll_each {
            ($($nth:literal)*) => { $(
                let _: u32 = $nth;
                if let Some(value) = poll() {
                    ptx::poll_done();
                    return Ok(value);
                }
            )* };
        }
        poll_each!(0 1 2 3);
        ptx::poll_pause();
        if budget.spent(4) {
            match look(state, &mut budget.started_ns, &concerns) {
                Look::GoOn => {}
                Look::Late => break 'wait late(),
                Look::Stop(reason) => break 'wait reason,
            }
        }
    };
    if LAST_POLL && let Some(value) = poll() {
        return Ok(value);
    }
    Err(fault::report(state, ended_by))
}

enum Look {
    GoOn,
    Late,
    Stop(Fault),
}

#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn look(state: &WorldState, started: &mut u64, concerns: impl Fn(Pe) -> bool) -> Look {
    let mut at = state.notice as *const u64;
    loop {
        // SAFETY: the word is in the list that begins with this PE's StopWord, which stays mapped while its kernels
        // run: no word before it was the 0 that ends the list.
        let stop = unsafe { ptx::ld_relaxed_sys_u64(at) };
        if stop == 0 {
            break;
        }
        if stop == StopWord::ABORT || concerns(Pe::new(stop as u32)) {
            let mut reason = Fault::new(if stop == StopWord::ABORT { FaultStep::Aborted } else { FaultStep::PeerDied });
            reason.pe = if stop == StopWord::ABORT { Fault::NO_PE } else { stop as u32 };
            return Look::Stop(reason);
        }
        at = at.wrapping_add(1);
    }
    if fault::reported(state) {
        // Another thread was first; `report` returns that thread's fault.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::{FaultSlot, LocalState};

    /// Waits, after these reasons to stop, for something that the poll with this number finds and that only the death
    /// of PE `from` ends, if it is given.
    fn wait_among(reasons: [u64; 4], from: Option<Pe>, number: u32) -> Result<u32, Fault> {
        let mut slot = FaultSlot { state: 0, words: [0; 7] };
        let mut local = [0u64; size_of::<LocalState>() / 8];
        let state = WorldState {
            local: local.as_mut_ptr() as u64,
            notice: reasons.as_ptr() as u64,
            fault: &raw mut slot as u64,
            ..WorldState::default()
        };
        let mut polls = 0;
        let poll = || {
            polls += 1;
            (polls == number).then_some(number)
        };
        let concerns = |pe| from.is_none_or(|from| from == pe);
        until_word_among(&state, &mut WaitBudget::new(), concerns, poll, || Fault::new(FaultStep::Wait))
    }

    fn wait_for_poll(number: u32) -> Result<u32, Fault> {
        wait_among([StopWord::peer_died(Pe::new(1)), 0, 0, 0], None, number)
    }

    #[test]
    fn a_wait_of_a_host_thread_polls_once_more_before_it_fails() {
        assert_eq!(wait_for_poll(READS_PER_LOOK), Ok(READS_PER_LOOK));
        assert_eq!(wait_for_poll(READS_PER_LOOK + 1), Ok(READS_PER_LOOK + 1));
        let fault = wait_for_poll(READS_PER_LOOK + 2).unwrap_err();
        assert_eq!((fault.step, fault.pe), (FaultStep::PeerDied, 1));
    }
    #[test]
    fn a_wait_ends_by_the_first_reason_that_concerns_it() {
        let died = |pe| StopWord::peer_died(Pe::new(pe));
        let ended = |reasons| wait_among(reasons, Some(Pe::new(2)), 20 * READS_PER_LOOK);
        let fault = ended([died(1), died(3), died(2), 0]).unwrap_err();
        assert_eq!((fault.step, fault.pe), (FaultStep::PeerDied, 2));
        let fault = ended([died(1), StopWord::ABORT, died(2), 0]).unwrap_err();
        assert_eq!((fault.step, fault.pe), (FaultStep::Aborted, Fault::NO_PE));
        // The words after the list are no reasons.
        assert_eq!(ended([died(1), died(3), 0, died(2)]), Ok(20 * READS_PER_LOOK));
    }
}
