//! The threads that post on a queue, as a type: it decides where the queue's words are, and the scope of accesses to them.

use core::fmt::Debug;

use oxshmem_raw::gpu::{order, ptx};

/// The threads that post on a queue. The algorithm is the same for all; the instructions on the words that coordinate the
/// posting threads differ.
pub trait Sharing: Copy + Debug + words::Words {}

/// Any thread of the PE's kernels: the words are in the GPU's memory, and each access goes to its L2.
#[derive(Clone, Copy, Debug)]
pub struct Shared;

/// The threads of one block, while no other thread posts on the queue: its words and constants are in the block's shared
/// memory. The words that the host or another block's quiet reads are kept up to date in the queue itself, by stores that no
/// thread waits for.
#[derive(Clone, Copy, Debug)]
pub struct Exclusive;

impl Sharing for Shared {}
impl Sharing for Exclusive {}

/// The instructions, sealed: this crate has all implementations.
pub(super) mod words {
    use super::*;

    macro_rules! words {
        ($($(#[$doc:meta])* $name:ident($($arg:ident: $t:ty),*) $(-> $out:ty)?, $shared:ident, $exclusive:ident;)*) => {
            /// Instructions on a queue's words.
            pub trait Words {
                /// Whether the words are in shared memory, so that reading them is cheap, and copies of the queue's own
                /// words.
                const NEAR: bool;
                /// Orders this thread's earlier writes before its later reads, in one total order with the other posting
                /// threads.
                fn mine_before_theirs();
                $(
                    $(#[$doc])*
                    ///
                    /// # Safety
                    ///
                    /// - **live**: `at` is mapped, aligned, and where these instructions reach.
                    unsafe fn $name($($arg: $t),*) $(-> $out)?;
                )*
            }

            impl Words for Shared {
                const NEAR: bool = false;

                #[cfg_attr(target_arch = "nvptx64", inline(always))]
                #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
                fn mine_before_theirs() {
                    order::mine_before_theirs()
                }

                $(
                    #[cfg_attr(target_arch = "nvptx64", inline(always))]
                    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
                    unsafe fn $name($($arg: $t),*) $(-> $out)? {
                        // SAFETY: **live** is the caller's promise.
                        unsafe { ptx::$shared($($arg),*) }
                    }
                )*
            }

            impl Words for Exclusive {
                const NEAR: bool = true;

                #[cfg_attr(target_arch = "nvptx64", inline(always))]
                #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
                fn mine_before_theirs() {
                    order::mine_before_theirs_of_block()
                }

                $(
                    #[cfg_attr(target_arch = "nvptx64", inline(always))]
                    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
                    unsafe fn $name($($arg: $t),*) $(-> $out)? {
                        // SAFETY: **live** is the caller's promise.
                        unsafe { ptx::$exclusive($($arg),*) }
                    }
                )*
            }
        };
    }

    words! {
        /// 16 bytes that were set once.
        set_once(at: *const ptx::V2) -> ptx::V2, ld_nc_v2, ld_shared_v2;
        /// A word.
        load(at: *const u64) -> u64, ld_relaxed_gpu_u64, ld_relaxed_cta_shared_u64;
        /// A word, and what its writer did before.
        load_acquire(at: *const u64) -> u64, ld_acquire_gpu_u64, ld_acquire_cta_shared_u64;
        /// A word.
        store(at: *mut u64, value: u64), st_relaxed_gpu_u64, st_relaxed_cta_shared_u64;
        /// A word, behind what this thread did before.
        store_release(at: *mut u64, value: u64), st_release_gpu_u64, st_release_cta_shared_u64;
        /// Adds; the word as it was.
        add(at: *mut u64, value: u64) -> u64, atom_add_relaxed_gpu_u64, atom_add_relaxed_cta_shared_u64;
        /// Replaces the word if it is less, behind what this thread did before.
        raise_release(at: *mut u64, value: u64), red_max_release_gpu_u64, red_max_release_cta_shared_u64;
        /// Replaces the word if it is `compare`; the word as it was.
        swap_acq_rel(at: *mut u64, compare: u64, value: u64) -> u64, atom_cas_acq_rel_gpu_u64,
            atom_cas_acq_rel_cta_shared_u64;
        /// A mark, which is in the GPU's memory.
        load_mark(at: *const u64) -> u64, ld_relaxed_gpu_u64, ld_relaxed_cta_u64;
        /// A mark.
        store_mark(at: *mut u64, value: u64), st_relaxed_gpu_u64, st_relaxed_cta_u64;
    }
}
