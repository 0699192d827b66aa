//! The bodies of the library's kernels in every module, for which [`compose!`](crate::compose) makes the entries.

use oxshmem_core::{AmoOp, AmoType, FaultStep, PeSet, QpResource, QpSet, Remote, SymAddr, Width};
use oxshmem_raw::gpu::local::LocalAddr;
use oxshmem_raw::gpu::ptx;
use oxshmem_raw::queue::path::PathList;
use oxshmem_raw::state::on_stream::{ElementsOp, QueueOp, SignalMode, barrier};
use oxshmem_raw::state::wait::{self, WaitBudget};
use oxshmem_raw::state::{LocalState, WorldState};
use oxshmem_transport_nvlink::device::LoadStore;

use crate::local::Memory;
use crate::local::sealed::Sealed;
use crate::{Block, Cmp, Fault, Group, Issue, Met, Pe, Rma, Shmem, Signal, SignalOp, Signals, SymPtr, Thread};

/// The address of this PE's end of an operation on a stream: symmetric memory, or memory of the program. The host has
/// checked it.
#[derive(Clone, Copy)]
struct Here(u64);

impl Here {
    #[inline(always)]
    fn local(self) -> LocalAddr {
        // SAFETY: **owned**: the host passes the address of symmetric memory, or one whose creator promised that it
        // stays mapped and unshared until the stream has done its work (`DevicePtr::new` of the host).
        unsafe { LocalAddr::new(self.0 as *mut u8) }
    }
}

impl Sealed for Here {}

impl Memory<u8> for Here {
    #[inline(always)]
    fn fits<I: Issue + ?Sized>(self, _: &I, _: usize) -> bool {
        true
    }

    #[inline(always)]
    fn misfit<I: Issue + ?Sized>(self, _: &I, _: usize) -> Option<Fault> {
        None
    }

    #[inline(always)]
    fn address(self, _: &WorldState) -> LocalAddr {
        self.local()
    }
}

/// Traps, which the driver reports as a failed launch. Device code is written so that nothing panics, and `xtask tidy`
/// refuses a module with a path to a panic.
#[cfg(target_arch = "nvptx64")]
#[panic_handler]
fn trap(_: &core::panic::PanicInfo<'_>) -> ! {
    oxshmem_raw::gpu::ptx::trap()
}

/// Performs a barrier over all PEs on a stream. `how` is a sum of modes ([`barrier`]): a barrier
/// that is no part of a graph counts itself.
#[inline(always)]
pub fn barrier_all<P: PathList>(shmem: Shmem<'_, P>, how: u32) -> Result<(), Fault> {
    // The kernel may have been launched early. Until this wait it reads only its arguments.
    ptx::griddepcontrol_wait();
    // Lets the next barrier be launched while this one runs; the next one waits at the line above. The permission
    // follows the wait, so that at most one barrier is launched early.
    ptx::griddepcontrol_launch_dependents();
    let local = shmem.state.local as *mut LocalState;
    // SAFETY: **live** of `from_state`: `local` is this PE's LocalState. Only barriers on streams change the word, one
    // at a time; a graph's barriers do not, since each would count once for every launch of the graph.
    let word = unsafe { &raw mut (*local).stream_barriers };
    // SAFETY: the word is in this PE's LocalState, which **live** of `from_state` keeps mapped.
    let before = unsafe { ptx::ld_weak_u32(word) };
    let met = shmem.meet(Block, how & barrier::COMPLETES != 0);
    // A failed barrier has ended too. A barrier that waits for this one must continue, and then fails as well.
    if how & barrier::COUNTS != 0 && Block.leads() {
        // SAFETY: the word is in this PE's LocalState, which **live** of `from_state` keeps mapped. The release makes
        // the barrier's round visible to the barrier that waits for this word.
        unsafe { ptx::st_release_gpu_u32(word, before.wrapping_add(1)) }
    }
    met
}

/// Puts by a block, then signals. `how` is a [`SignalMode`].
///
/// # Safety
///
/// - **mapped**: `bytes` bytes at `source` stay mapped until the kernel has ended, and no reference covers them.
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "a kernel takes what its launch gives")]
pub unsafe fn put_on_stream<P: PathList>(
    shmem: Shmem<'_, P>,
    dest: SymPtr<u8>,
    source: u64,
    bytes: usize,
    word: SymPtr<u64>,
    value: u64,
    how: u32,
    pe: Pe,
) -> Result<(), Fault> {
    // One call: where writes may overtake each other, only `put_signal` delays the signal until its data is delivered.
    let op = if how == SignalMode::Set as u32 { SignalOp::Set } else { SignalOp::Add };
    // SAFETY: **inside**: the host has checked PE, range and word.
    unsafe { shmem.unchecked() }.put_signal(Met(Block), dest, Here(source), bytes, Signal { word, value, op }, pe)
}

/// Performs an operation on a stream to a remote PE, by one thread. `what` is a [`QueueOp`]. `here` is the
/// address of this PE's end.
///
/// # Safety
///
/// - **mapped**: `bytes` bytes at `here` stay mapped until the kernel has ended, and no reference covers them.
#[inline(always)]
pub unsafe fn queue_on_stream<P: PathList>(
    shmem: Shmem<'_, P>,
    what: u32,
    there: SymPtr<u8>,
    here: u64,
    bytes: usize,
    pe: Pe,
) -> Result<(), Fault> {
    // SAFETY: **inside**: the host has checked PE and range.
    let on = unsafe { shmem.unchecked() };
    match QueueOp::from_raw(what) {
        Some(QueueOp::Put) => {
            on.put(Thread, there, Here(here), bytes, pe)?;
            shmem.quiet()
        }
        Some(QueueOp::Get) => on.get(Thread, Here(here), there, bytes, pe),
        Some(QueueOp::Quiet) | None => shmem.quiet(),
    }
}

/// Moves single elements of `width` bytes on a stream, by a block, and completes the operations. `what` is an
/// [`ElementsOp`]: it writes the element with the bits `here` at `there` on `pe`, or puts or gets `count` elements (not
/// 0), which are `there_stride` elements apart on `pe` and `here_stride` apart from address `here` on.
///
/// # Safety
///
/// - **mapped**: the elements from `here` on, unless `what` writes one, stay mapped until the kernel has ended, and no
///   reference covers them.
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "a kernel takes what its launch gives")]
pub unsafe fn elements_on_stream<P: PathList>(
    shmem: Shmem<'_, P>,
    what: u32,
    there: SymPtr<u8>,
    here: u64,
    there_stride: usize,
    here_stride: usize,
    count: usize,
    width: u32,
    pe: Pe,
) -> Result<(), Fault> {
    let (at, width) = (Remote { pe, at: there.addr() }, width_of(width));
    let queue = shmem.queue()?.0;
    match ElementsOp::from_raw(what) {
        Some(ElementsOp::P) if !Block.leads() => return Ok(()),
        Some(ElementsOp::P) => {
            queue.p(at, width, here)?;
            return shmem.quiet();
        }
        Some(ElementsOp::Iput) => {
            queue.iput(Met(Block), at, Here(here).local(), there_stride, here_stride, count, width)?
        }
        Some(ElementsOp::Iget) | None => {
            queue.iget(Met(Block), Here(here).local(), at, here_stride, there_stride, count, width)?
        }
    }
    shmem.quiet_on(Block, PeSet::One(pe), QpSet::All)
}

#[inline(always)]
const fn width_of(bytes: u32) -> Width {
    match bytes {
        1 => Width::B1,
        2 => Width::B2,
        4 => Width::B4,
        _ => Width::B8,
    }
}

/// Performs an atomic of the host on the word at `at` on `pe`, a load/store PE, by one thread. `what` is the operation,
/// and shifted by 8 the type. Writes the word's previous bits to the second word at the address `answer`, which is in
/// memory of the host, and then `number` to the first. The host has checked the word.
///
/// # Safety
///
/// - **mapped**: the two words at `answer` stay mapped until the kernel has ended, and no reference covers them.
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "a kernel takes what its launch gives")]
pub unsafe fn atomic_of_host<P: PathList>(
    shmem: Shmem<'_, P>,
    what: u32,
    at: SymAddr,
    pe: Pe,
    operand: u64,
    compare: u64,
    answer: u64,
    number: u64,
) -> Result<(), Fault> {
    // SAFETY: **live**: by **live** of `from_state`, the world outlives the kernel, and `pe` is a load/store PE.
    let load_store = unsafe { LoadStore::new(&shmem.state) };
    let before = load_store.amo_fetch(Remote { pe, at }, op_of(what), type_of(what >> 8), operand, compare)?;
    let words = answer as *mut u64;
    // SAFETY: the host passes the address of two words of its own, which stay mapped until the kernel has ended.
    unsafe { ptx::st_relaxed_sys_u64(words.add(1), before) }
    // SAFETY: it is the first of the same two words, which stay mapped until the kernel has ended. The release makes the
    // second word visible to a host that sees the first one.
    unsafe { ptx::st_release_sys_u64(words, number) }
    Ok(())
}

/// Returns the operation with this number.
#[inline(always)]
const fn op_of(what: u32) -> AmoOp {
    const FETCH: u32 = AmoOp::Fetch as u32;
    const SET: u32 = AmoOp::Set as u32;
    const COMPARE_SWAP: u32 = AmoOp::CompareSwap as u32;
    const ADD: u32 = AmoOp::Add as u32;
    const AND: u32 = AmoOp::And as u32;
    const OR: u32 = AmoOp::Or as u32;
    match what & 0xff {
        FETCH => AmoOp::Fetch,
        SET => AmoOp::Set,
        COMPARE_SWAP => AmoOp::CompareSwap,
        ADD => AmoOp::Add,
        AND => AmoOp::And,
        OR => AmoOp::Or,
        _ => AmoOp::Xor,
    }
}

/// Returns the type with this number.
#[inline(always)]
const fn type_of(of: u32) -> AmoType {
    const B32: u32 = AmoType::B32 as u32;
    const F16: u32 = AmoType::F16 as u32;
    const F32: u32 = AmoType::F32 as u32;
    const F64: u32 = AmoType::F64 as u32;
    match of {
        B32 => AmoType::B32,
        F16 => AmoType::F16,
        F32 => AmoType::F32,
        F64 => AmoType::F64,
        _ => AmoType::B64,
    }
}

/// Waits for a word, by one thread. `how` encodes its type and the comparison, as [`Fault::wait_detail`] does; `value` has
/// the bits of the value to compare with. The host has checked the word.
///
/// A `value_at` or `left_out_at` other than 0 is the address of an entry in a list of the program, which earlier work of
/// the stream may have written: of the value, and of a word that leaves the wait out unless it is 0.
///
/// # Safety
///
/// - **mapped**: the entries at `value_at` and `left_out_at`, unless they are 0, stay mapped until the kernel has ended, and no reference covers them.
#[inline(always)]
pub unsafe fn wait_on_stream<P: PathList>(
    shmem: Shmem<'_, P>,
    word: SymAddr,
    how: u32,
    value: u64,
    value_at: u64,
    left_out_at: u64,
) -> Result<(), Fault> {
    let (cmp, is_signed, bytes) = (cmp_of(how), how & 0x100 != 0, how >> 16 & 0xf);
    let at = shmem.state.own_address(word).cast_const();
    // SAFETY: **live**: by **live** of `from_state`, the checked word is aligned and in this PE's heap, which is mapped;
    // so are the list's entries, by **mapped** of the addresses that the host's caller has given.
    let load_from = |at: *const u8, bytes: u32| unsafe {
        match bytes {
            2 => wait::acquire::<u16>(at) as u64,
            4 => wait::acquire::<u32>(at) as u64,
            _ => wait::acquire::<u64>(at),
        }
    };
    if left_out_at != 0 && load_from(left_out_at as *const u8, 4) != 0 {
        return Ok(());
    }
    let value = if value_at == 0 { value } else { load_from(value_at as *const u8, bytes) };
    let load = || load_from(at, bytes);
    // Words of either kind are compared as unsigned numbers: the sign, as the highest bit, is inverted.
    let above = 64 - 8 * bytes;
    let ordered = |bits: u64| bits.wrapping_shl(above) ^ if is_signed { 1 << 63 } else { 0 };
    let holds = || cmp.holds(ordered(load()), ordered(value)).then_some(());
    wait::until_word(&shmem.state, &mut WaitBudget::new(), holds, || {
        let mut fault = Fault::new(FaultStep::Wait);
        (fault.at, fault.detail, fault.asked, fault.seen) = (word.offset(), how, value, load());
        fault
    })
}

/// Returns the comparison with this number.
#[inline(always)]
fn cmp_of(how: u32) -> Cmp {
    const EQ: u32 = Cmp::Eq as u32;
    const NE: u32 = Cmp::Ne as u32;
    const GT: u32 = Cmp::Gt as u32;
    const LE: u32 = Cmp::Le as u32;
    const LT: u32 = Cmp::Lt as u32;
    match how & 0xff {
        EQ => Cmp::Eq,
        NE => Cmp::Ne,
        GT => Cmp::Gt,
        LE => Cmp::Le,
        LT => Cmp::Lt,
        _ => Cmp::Ge,
    }
}
