//! The time in which one lone element is posted.

use oxshmem_core::{Pe, SymAddr, SymPtr};
use oxshmem_nic_kernels::post::PostJob;
use oxshmem_raw::queue::rows::EXCLUSIVE_BYTES;

use super::engine::{Care, Engine};
use super::queues::{PEER, Queues};
use super::rate::{DEST, Slots};
use super::request::Request;
use super::session::{Outcome, Stop, agree, explain, finish};
use crate::room::Room;
use oxshmem_machine::{Lane, Machine};

/// Pause between two calls.
const PAUSE_NS: u64 = 2_000;
/// Time over which the clocks are compared.
const COMPARED_NS: u64 = 1_000_000;
/// Most calls of a repetition.
const MOST_CALLS: u32 = 1 << 16;

/// The end of the measured time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Until {
    /// Another warp of the multiprocessor has seen the doorbell.
    Doorbell,
    /// The same with the minimum of posting code.
    ByHand,
    /// The same with the store of a doorbell alone.
    Seen,
    /// The call has returned: the doorbell is stored.
    Called,
    /// The following quiet has returned: the completion was seen.
    Quiet,
}

/// Measures `nic_doorbell_seen_latency`, `nic_doorbell_by_hand_latency`, `nic_p_doorbell_latency`, `nic_p_call_latency`
/// and `nic_p_quiet_latency`: the median of the calls of each repetition. `own`: on an exclusive queue.
pub(super) fn lone_p(machine: &Machine, request: &Request, until: Until, own: bool) -> Result<Outcome, Stop> {
    let calls = request.iters.min(MOST_CALLS) as usize;
    let queues = Queues::new(&machine.memory, &request.shape)?;
    let slots = Slots::new(machine, 1)?;
    let mut region = Room::beside(&machine.memory, 16 * calls + 1024)?;
    let ticks = region.take(16 * calls)?;
    let (posting, threads) = match (until, own) {
        (Until::Doorbell, false) => ("nic_p_doorbell", 64),
        (Until::Doorbell, true) => ("nic_p_own_doorbell", 64),
        (Until::ByHand, _) => ("nic_doorbell_by_hand", 64),
        (Until::Seen, _) => ("nic_doorbell_alone", 64),
        (Until::Called | Until::Quiet, false) => ("nic_p_latency", 1),
        (Until::Called | Until::Quiet, true) => ("nic_p_own_latency", 1),
    };
    let (custom, handle, next) = queues.as_custom();
    let world = if own { custom } else { queues.world };
    // Words for the hand-written code: its queue has no NIC, and its doorbell rings nothing.
    let words = region.take(256)?;
    region.write(words, &[0u64; 32])?;
    let is_nobodys = matches!(until, Until::ByHand | Until::Seen);
    let doorbell = if is_nobodys { words + 32 } else { queues.doorbell() };
    let launch = |kernel: &'static str, base: u64, pause_ns: u64| -> oxshmem_hal::Result<()> {
        let job = PostJob {
            dest: SymPtr::new(SymAddr::new(DEST)),
            slots: slots.at,
            ticks,
            stride: if is_nobodys { words } else { 1 },
            doorbell,
            base,
            pause_ns,
            iters: calls as u32,
            pe: Pe::new(PEER),
            handle,
            next,
        };
        // SAFETY: **live**: queues, slots and ticks stay until the kernel has ended, which `finish` waits for.
        let running = unsafe { machine.launch_sharing(Lane::Post, kernel, [1, threads, EXCLUSIVE_BYTES], world, job)? };
        finish(running, &queues)
    };
    queues.reset()?;
    let engine = Engine::start(machine, &queues, request.shape.qps, Care::None)?;
    let (mut times, mut quantiles) = (Vec::new(), Vec::new());
    for repetition in 0..=request.repeat {
        if let Err(error) = launch(posting, u64::from(repetition) * calls as u64, PAUSE_NS) {
            return Err(explain(error, engine, &queues));
        }
        let all = region.read::<u64>(ticks, 2 * calls)?;
        launch("nic_clock", 0, COMPARED_NS)?;
        let clock = region.read::<u64>(ticks, 2)?;
        let ns_of_cycle = clock[1] as f64 / clock[0].max(1) as f64;
        let of = |pair: &[u64; 2]| match until {
            Until::Doorbell | Until::ByHand | Until::Seen => pair[1].wrapping_sub(pair[0]),
            Until::Called => pair[0],
            Until::Quiet => pair[1],
        };
        let mut cycles: Vec<u64> = all.as_chunks::<2>().0.iter().map(of).collect();
        cycles.sort_unstable();
        if repetition > 0 {
            times.push(cycles[cycles.len() / 2] as f64 * ns_of_cycle);
            let at = |share: f64| cycles[((cycles.len() - 1) as f64 * share) as usize] as f64 * ns_of_cycle;
            quantiles = vec![at(0.0), at(0.01), at(0.99), 1.0 / ns_of_cycle];
        }
    }
    agree(&engine.stop()?, &queues.counts()?)?;
    let note = match quantiles[..] {
        [least, low, high, ghz] => {
            format!(" ns={:.0} least={least:.0} p1={low:.0} p99={high:.0} GHz={ghz:.3}", times[0])
        }
        _ => String::new(),
    };
    Ok(Outcome::Times(times, note))
}
