//! The `compose!` macro.

/// Makes the calling crate the one that kernels depend on, with these remote paths: everything of this crate, `Shmem` and
/// its likes for the list, and what every module carries. A program has one such crate.
///
/// ```
/// use oxshmem_device_api::NoRemote;
///
/// oxshmem_device_api::compose!(NoRemote);
/// # fn main() {}
/// ```
///
/// The paths are tested in the order of the list, after load/store. The crate needs
/// `#![cfg_attr(target_arch = "nvptx64", no_std, feature(abi_ptx))]`.
#[macro_export]
macro_rules! compose {
    ($paths:ty) => {
        pub use $crate::*;

        /// The world: the first argument of every kernel.
        pub type Shmem = $crate::Shmem<$paths>;
        /// The world's operations on one queue.
        pub type OnQp<'a> = $crate::OnQp<'a, $paths>;
        /// The world's operations on a queue that one block has for itself: made by `Shmem::exclusive`.
        pub type Exclusive<'a> = $crate::Exclusive<'a, $paths>;

        /// What a crate of kernels imports.
        pub mod prelude {
            pub use super::{Exclusive, Shmem};
            pub use $crate::prelude::*;
        }

        mod module {
            use super::Shmem;
            use $crate::{Fault, Pe, SymPtr};

            /// What this module was built against; the host reads it first.
            #[cfg(target_arch = "nvptx64")]
            #[unsafe(export_name = "OXSHMEM_ABI")]
            #[used]
            static ABI: $crate::__private::Abi = *<Shmem as $crate::__private::KernelWorld>::ABI;

            /// Whether [`oxshmem_barrier_all`] may be launched early.
            #[cfg(target_arch = "nvptx64")]
            #[unsafe(export_name = "OXSHMEM_BARRIER_WAITS")]
            #[used]
            static BARRIER_WAITS: u32 = $crate::__private::HAS_GRIDDEPCONTROL as u32;

            $crate::kernel! {
                /// A barrier over all PEs, as a kernel: what the host launches for a barrier on a stream.
                pub(crate) fn oxshmem_barrier_all(shmem: Shmem) -> Result<(), Fault> {
                    $crate::__private::barrier_all(shmem)
                }

                /// A put by a block and, behind it, a signal: what the host launches for a small put with a signal on a
                /// stream, and, with no bytes, for the signal of a large one. `how`: 1 sets the word, 2 adds to it.
                pub(crate) fn oxshmem_put_on_stream(
                    shmem: Shmem, dest: SymPtr<u8>, source: SymPtr<u8>, bytes: usize, word: SymPtr<u64>, value: u64,
                    how: u32, pe: Pe,
                ) -> Result<(), Fault> {
                    $crate::__private::put_on_stream(shmem, dest, source, bytes, word, value, how, pe)
                }

                /// What a thread does for the host where a queue carries operations: 0 puts, 1 gets, 2 completes what was
                /// issued.
                pub(crate) fn oxshmem_queue_on_stream(
                    shmem: Shmem, what: u32, there: SymPtr<u8>, here: SymPtr<u8>, bytes: usize, pe: Pe,
                ) -> Result<(), Fault> {
                    $crate::__private::queue_on_stream(shmem, what, there, here, bytes, pe)
                }

                /// A wait by a thread: what the host launches for one on a stream. `cmp` is the number of a `Cmp`.
                pub(crate) fn oxshmem_wait_on_stream(
                    shmem: Shmem, word: SymPtr<u64>, cmp: u32, value: u64,
                ) -> Result<(), Fault> {
                    $crate::__private::wait_on_stream(shmem, word, cmp, value)
                }
            }

            // What the host launches for copies of some size.
            $crate::launch_bounds!(oxshmem_put_on_stream, threads = 512);
        }
    };
}
