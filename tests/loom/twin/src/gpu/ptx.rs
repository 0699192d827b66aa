//! The instructions that the posting protocol uses. Scopes are not modelled: every observer is at every scope.

#![allow(clippy::missing_safety_doc, reason = "as in the real file; here an address is looked up and not followed")]

use std::panic::Location;
use std::sync::atomic::Ordering::{self, AcqRel, Acquire, Relaxed, Release, SeqCst};

use loom::sync::atomic::fence;

use crate::memory::{self, Word};
use crate::weaken;

/// 16 bytes.
pub type V2 = [u64; 2];

#[track_caller]
fn load(operation: &str, at: u64, order: Ordering) -> u64 {
    let Some(order) = weaken::order(operation, Location::caller(), order) else { return 0 };
    match &*memory::word(at) {
        Word::U64(word) => word.load(order),
        Word::U32(word) => word.load(order) as u64,
        Word::Plain(_) => memory::read(at)[0],
        Word::Count(count) => count.get(),
    }
}

#[track_caller]
fn store(operation: &str, at: u64, value: u64, order: Ordering) {
    let Some(order) = weaken::order(operation, Location::caller(), order) else { return };
    memory::checked(at, value);
    match &*memory::word(at) {
        Word::U64(word) => word.store(value, order),
        Word::U32(word) => word.store(value as u32, order),
        Word::Plain(_) => memory::write(at, [value, 0]),
        Word::Count(count) => count.set(value),
    }
}

macro_rules! loads {
    ($($name:ident $t:ty, $order:ident;)*) => { $(
        /// Acts as the real one.
        #[track_caller]
        pub unsafe fn $name(at: *const $t) -> $t {
            load(stringify!($name), at as u64, $order) as $t
        }
    )* };
}

macro_rules! stores {
    ($($name:ident $t:ty, $order:ident;)*) => { $(
        /// Acts as the real one.
        #[track_caller]
        pub unsafe fn $name(at: *mut $t, value: $t) {
            store(stringify!($name), at as u64, value as u64, $order)
        }
    )* };
}

macro_rules! fences {
    ($($name:ident $order:ident;)*) => { $(
        /// Acts as the real one.
        pub fn $name() {
            fence($order)
        }
    )* };
}

loads! {
    ld_relaxed_gpu_u32 u32, Relaxed;
    ld_relaxed_gpu_u64 u64, Relaxed;
    ld_acquire_gpu_u32 u32, Acquire;
    ld_acquire_gpu_u64 u64, Acquire;
    ld_relaxed_sys_u32 u32, Relaxed;
    ld_relaxed_sys_u64 u64, Relaxed;
    ld_acquire_sys_u32 u32, Acquire;
    ld_acquire_sys_u64 u64, Acquire;
    ld_relaxed_cta_u64 u64, Relaxed;
    ld_relaxed_cta_shared_u64 u64, Relaxed;
    ld_acquire_cta_shared_u64 u64, Acquire;
}

stores! {
    st_relaxed_gpu_u64 u64, Relaxed;
    st_release_gpu_u64 u64, Release;
    st_relaxed_sys_u32 u32, Relaxed;
    st_mmio_relaxed_sys_u64 u64, Relaxed;
    st_relaxed_cta_u64 u64, Relaxed;
    st_relaxed_cta_shared_u64 u64, Relaxed;
    st_release_cta_shared_u64 u64, Release;
}

fences! {
    fence_acq_rel_gpu AcqRel;
    fence_acq_rel_sys AcqRel;
    fence_sc_gpu SeqCst;
    fence_sc_sys SeqCst;
    fence_sc_cta SeqCst;
}

/// Acts as the real one, on real memory, for data that never change while threads run.
///
/// # Safety
///
/// - **live**: the 16 bytes at `at` are readable and never change.
pub unsafe fn ld_nc_v2(at: *const V2) -> V2 {
    // SAFETY: **live**: the caller passes 16 readable bytes that never change.
    unsafe { at.read() }
}

/// Acts as the real one.
#[track_caller]
pub unsafe fn st_weak_global_v2(at: *mut V2, value: V2) {
    if weaken::how("st_weak_global_v2", Location::caller()).is_none() {
        memory::write(at as u64, value)
    }
}

/// Acts as the real one, on real memory, for data that never change while threads run.
///
/// # Safety
///
/// - **live**: the 16 bytes at `at` are readable and never change.
pub unsafe fn ld_shared_v2(at: *const V2) -> V2 {
    // SAFETY: **live**: the caller passes 16 readable bytes that never change.
    unsafe { at.read() }
}

/// Acts as the real one: two words, without order.
#[track_caller]
pub unsafe fn ld_relaxed_sys_v2(at: *const V2) -> V2 {
    [0, 8].map(|offset| load("ld_relaxed_sys_v2", at as u64 + offset, Relaxed))
}

/// Acts as the real one: two words, without order.
#[track_caller]
pub unsafe fn st_relaxed_sys_v2(at: *mut V2, value: V2) {
    let [a, b] = value;
    store("st_relaxed_sys_v2", at as u64, a, Relaxed);
    store("st_relaxed_sys_v2", at as u64 + 8, b, Relaxed);
}

#[track_caller]
fn add(at: u64, value: u64) -> u64 {
    match &*memory::word(at) {
        Word::U64(word) => word.fetch_add(value, Relaxed),
        Word::Count(count) => count.replace(count.get() + value),
        other => panic!("an atomic addition to {other:?}"),
    }
}

#[track_caller]
fn raise(operation: &str, at: u64, value: u64, order: Ordering) {
    let Some(order) = weaken::order(operation, Location::caller(), order) else { return };
    memory::checked(at, value);
    match &*memory::word(at) {
        Word::U64(word) => drop(word.fetch_max(value, order)),
        Word::Count(count) => count.set(count.get().max(value)),
        other => panic!("an atomic maximum of {other:?}"),
    }
}

#[track_caller]
fn swap(operation: &str, at: u64, expected: u64, new: u64) -> u64 {
    let Some(order) = weaken::order(operation, Location::caller(), AcqRel) else { return expected };
    match &*memory::word(at) {
        Word::U64(word) => {
            let failed = if order == AcqRel { Acquire } else { Relaxed };
            word.compare_exchange(expected, new, order, failed).unwrap_or_else(|seen| seen)
        }
        other => panic!("an atomic exchange of {other:?}"),
    }
}

macro_rules! atomics {
    ($($add:ident)*; $($red:ident)*; $($raise:ident)*; $($swap:ident)*) => {
        $(
            /// Acts as the real one.
            #[track_caller]
            pub unsafe fn $add(at: *mut u64, value: u64) -> u64 {
                add(at as u64, value)
            }
        )*
        $(
            /// Acts as the real one.
            #[track_caller]
            pub unsafe fn $red(at: *mut u64, value: u64) {
                add(at as u64, value);
            }
        )*
        $(
            /// Acts as the real one.
            #[track_caller]
            pub unsafe fn $raise(at: *mut u64, value: u64) {
                raise(stringify!($raise), at as u64, value, Release)
            }
        )*
        $(
            /// Acts as the real one: returns the previous value.
            #[track_caller]
            pub unsafe fn $swap(at: *mut u64, expected: u64, new: u64) -> u64 {
                swap(stringify!($swap), at as u64, expected, new)
            }
        )*
    };
}

atomics! {
    atom_add_relaxed_gpu_u64 atom_add_relaxed_cta_shared_u64;
    red_add_relaxed_gpu_u64;
    red_max_release_gpu_u64 red_max_release_cta_shared_u64;
    atom_cas_acq_rel_gpu_u64 atom_cas_acq_rel_cta_shared_u64
}

/// Acts as the real one.
#[track_caller]
pub unsafe fn red_max_relaxed_gpu_u64(at: *mut u64, value: u64) {
    raise("red_max_relaxed_gpu_u64", at as u64, value, Relaxed)
}

/// Does nothing: the other threads run before each poll (see `wait`).
pub fn poll_pause() {}

/// Does nothing, as [`poll_pause`].
pub fn sleep_ns(_: u32) {}

/// Returns this thread's lane: each thread is alone in its warp.
pub fn lane() -> u32 {
    0
}

/// Returns the lanes that run with this one: this lane alone.
pub fn lanes_with(_: u64) -> u32 {
    1
}

/// Returns true: this lane is the only one.
pub fn is_only_lane() -> bool {
    true
}

/// Acts as the real one.
pub fn opaque_u64(value: u64) -> u64 {
    value
}

/// Returns the value of the only lane.
pub fn shfl_sync_u64(_: u32, value: u64, _: u32) -> u64 {
    value
}

/// Does nothing: there is no other lane to meet.
pub fn bar_warp_sync(_: u32) {}

/// Acts as the real one; the model posts no rows of words.
///
/// # Safety
///
/// - **never**: no code calls it.
pub unsafe fn st_weak_u32(_: *mut u32, _: u32) {
    unreachable!("a thread is alone in its warp, and has no row to post")
}

/// Acts as the real one, with one lane.
pub fn vote_any_sync(_: u32, yes: bool) -> bool {
    yes
}
