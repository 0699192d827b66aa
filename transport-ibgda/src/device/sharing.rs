//! The threads that post on a queue, as a type. The type decides where the queue's words lie, and the scope of accesses
//! to them.

use core::fmt::Debug;

use oxshmem_raw::gpu::{order, ptx};

/// The threads that post on a queue. The algorithm is the same for all implementations; they differ in the instructions
/// on the words that coordinate the posting threads.
pub trait Sharing: Copy + Debug + words::Words {}

/// Any thread of the PE's kernels: the words are in the GPU's memory, and each access goes to its L2.
#[derive(Clone, Copy, Debug)]
pub struct Shared;

/// The threads of one block, while no other thread posts on the queue: its words and constants are in the block's
/// shared memory. The words that the host or another block's quiet reads are kept up to date in the queue itself, by
/// stores that no thread waits for.
#[derive(Clone, Copy, Debug)]
pub struct Exclusive;

impl Sharing for Shared {}
impl Sharing for Exclusive {}

/// The instructions. The trait is sealed: all implementations are in this crate.
pub(super) mod words {
    use super::*;

    macro_rules! words {
        ($($(#[$doc:meta])* $name:ident($($arg:ident: $t:ty),*) $(-> $out:ty)?, $shared:ident, $exclusive:ident;)*) => {
            /// Instructions on a queue's words.
            pub trait Words {
                /// Whether the words are copies in shared memory, which are cheap to read.
                const IN_SHARED_MEMORY: bool;
                /// Orders this thread's earlier writes before its later reads, in one total order with the other
                /// posting threads.
                fn mine_before_theirs();
                $(
                    $(#[$doc])*
                    ///
                    /// # Safety
                    ///
                    /// - **live**: `at` is mapped and aligned, in the memory that this type's instructions access.
                    unsafe fn $name($($arg: $t),*) $(-> $out)?;
                )*
            }

            impl Words for Shared {
                const IN_SHARED_MEMORY: bool = false;

                #[cfg_attr(target_arch = "nvptx64", inline(always))]
                #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
                fn mine_before_theirs() {
                    order::mine_before_theirs()
                }

                $(
                    #[cfg_attr(target_arch = "nvptx64", inline(always))]
                    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
                    unsafe fn $name($($arg: $t),*) $(-> $out)? {
                        // SAFETY: **live**: the caller's `at` is mapped and aligned, as the instruction requires.
                        unsafe { ptx::$shared($($arg),*) }
                    }
                )*
            }

            impl Words for Exclusive {
                const IN_SHARED_MEMORY: bool = true;

                #[cfg_attr(target_arch = "nvptx64", inline(always))]
                #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
                fn mine_before_theirs() {
                    order::mine_before_theirs_of_block()
                }

                $(
                    #[cfg_attr(target_arch = "nvptx64", inline(always))]
                    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
                    unsafe fn $name($($arg: $t),*) $(-> $out)? {
                        // SAFETY: **live**: the caller's `at` is mapped and aligned, as the instruction requires.
                        unsafe { ptx::$exclusive($($arg),*) }
                    }
                )*
            }
        };
    }

    words! {
        /// Loads 16 bytes that are set once.
        set_once(at: *const ptx::V2) -> ptx::V2, ld_nc_v2, ld_shared_v2;
        /// Loads a word.
        load(at: *const u64) -> u64, ld_relaxed_gpu_u64, ld_relaxed_cta_shared_u64;
        /// Loads a word with acquire order.
        load_acquire(at: *const u64) -> u64, ld_acquire_gpu_u64, ld_acquire_cta_shared_u64;
        /// Stores a word.
        store(at: *mut u64, value: u64), st_relaxed_gpu_u64, st_relaxed_cta_shared_u64;
        /// Stores a word with release order.
        store_release(at: *mut u64, value: u64), st_release_gpu_u64, st_release_cta_shared_u64;
        /// Adds to a word and returns its previous value.
        add(at: *mut u64, value: u64) -> u64, atom_add_relaxed_gpu_u64, atom_add_relaxed_cta_shared_u64;
        /// Replaces the word by `value` if the word is less, with release order.
        raise_release(at: *mut u64, value: u64), red_max_release_gpu_u64, red_max_release_cta_shared_u64;
        /// Replaces the word if it equals `compare`, and returns its previous value.
        swap_acq_rel(at: *mut u64, compare: u64, value: u64) -> u64, atom_cas_acq_rel_gpu_u64,
            atom_cas_acq_rel_cta_shared_u64;
        /// Loads a mark. Marks lie in the GPU's memory for both types.
        load_mark(at: *const u64) -> u64, ld_relaxed_gpu_u64, ld_relaxed_cta_u64;
        /// Stores a mark.
        store_mark(at: *mut u64, value: u64), st_relaxed_gpu_u64, st_relaxed_cta_u64;
    }
}
