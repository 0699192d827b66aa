//! The `compose!` macro.

/// Makes the calling crate the one on which kernels depend, with these remote paths. The crate then has all items of
/// this crate, `Shmem` and the related types for the list, and the kernels that every module carries. A program has one
/// such crate.
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
    // The types alone, for libraries of functions, which have no kernels.
    (world $paths:ty) => {
        pub use $crate::*;

        /// The world: the first argument of every kernel.
        pub type Shmem<'w> = $crate::Shmem<'w, $paths>;
        /// The world with another list of paths.
        pub type ShmemOf<'w, P> = $crate::Shmem<'w, P>;
        /// The world's operations on one queue.
        pub type OnQp<'a> = $crate::OnQp<'a, $paths>;
        /// The world's operations on a queue that one block uses alone. `Shmem::exclusive` creates it.
        pub type Exclusive<'a> = $crate::Exclusive<'a, $paths>;
        /// A count that PEs change on either kind of route. `Shmem::counter` returns it.
        pub type Counter<'a> = $crate::Counter<'a, $paths>;
        /// A team, as the calls of one group of each member use it. `Shmem::team` returns it.
        pub type Team<'a> = $crate::team::Team<'a, $paths>;

        /// The imports of a crate of kernels.
        pub mod prelude {
            pub use super::{Counter, Exclusive, Shmem};
            pub use $crate::prelude::*;
        }
    };
    (module) => {
        mod module {
            use super::Shmem;
            use $crate::{Fault, Pe, SymAddr, SymPtr};

            /// The versions and layouts with which this module was built. The host reads it first.
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
                /// Performs a barrier over all PEs. The host launches it for a barrier on a stream. `how` is a sum of
                /// modes.
                pub(crate) fn oxshmem_barrier_all(shmem: Shmem, how: u32) -> Result<(), Fault> {
                    $crate::__private::barrier_all(shmem, how)
                }

                /// Puts by a block, then signals. The host launches it for a small put with a signal on a stream and,
                /// with no bytes, for the signal of a large put. `how` is a `SignalMode`.
                pub(crate) fn oxshmem_put_on_stream(
                    shmem: Shmem, dest: SymPtr<u8>, source: u64, bytes: usize, word: SymPtr<u64>, value: u64,
                    how: u32, pe: Pe,
                ) -> Result<(), Fault> {
                    // SAFETY: **mapped**: the host alone launches this kernel, with addresses that it has checked, or for
                    // which its caller has promised it.
                    unsafe { $crate::__private::put_on_stream(shmem, dest, source, bytes, word, value, how, pe) }
                }

                /// Performs an operation on a stream to a remote PE, by one thread. `what` is a `QueueOp`.
                pub(crate) fn oxshmem_queue_on_stream(
                    shmem: Shmem, what: u32, there: SymPtr<u8>, here: u64, bytes: usize, pe: Pe,
                ) -> Result<(), Fault> {
                    // SAFETY: **mapped**: the host alone launches this kernel, with addresses that it has checked, or for
                    // which its caller has promised it.
                    unsafe { $crate::__private::queue_on_stream(shmem, what, there, here, bytes, pe) }
                }

                /// Moves single elements on a stream, by a block: one, or some that are strides apart. `what` is an
                /// `ElementsOp`.
                pub(crate) fn oxshmem_elements_on_stream(
                    shmem: Shmem, what: u32, there: SymPtr<u8>, here: u64, there_stride: usize, here_stride: usize,
                    count: usize, width: u32, pe: Pe,
                ) -> Result<(), Fault> {
                    // SAFETY: **mapped**: the host alone launches this kernel, with addresses that it has checked, or for
                    // which its caller has promised it.
                    unsafe {
                        $crate::__private::elements_on_stream(
                            shmem, what, there, here, there_stride, here_stride, count, width, pe,
                        )
                    }
                }

                /// An atomic of the host on a word of a load/store PE, by one thread. `what` encodes operation and
                /// type.
                pub(crate) fn oxshmem_atomic_of_host(
                    shmem: Shmem, what: u32, at: SymAddr, pe: Pe, operand: u64, compare: u64, answer: u64, number: u64,
                ) -> Result<(), Fault> {
                    // SAFETY: **mapped**: the host alone launches this kernel, with addresses that it has checked, or for
                    // which its caller has promised it.
                    unsafe { $crate::__private::atomic_of_host(shmem, what, at, pe, operand, compare, answer, number) }
                }

                /// A wait by one thread. The host launches it for a wait on a stream. `how` encodes the word's type and
                /// the comparison; the value is at `value_at`, or `value` if that is 0. The word at `left_out_at`, if
                /// that is not 0, leaves the wait out unless it is 0.
                pub(crate) fn oxshmem_wait_on_stream(
                    shmem: Shmem, word: SymAddr, how: u32, value: u64, value_at: u64, left_out_at: u64,
                ) -> Result<(), Fault> {
                    // SAFETY: **mapped**: the host alone launches this kernel, with addresses that it has checked, or for
                    // which its caller has promised it.
                    unsafe { $crate::__private::wait_on_stream(shmem, word, how, value, value_at, left_out_at) }
                }
            }

            // The host launches these kernels with at most these numbers of threads.
            $crate::launch_bounds!(oxshmem_put_on_stream, threads = 512);
            $crate::launch_bounds!(oxshmem_elements_on_stream, threads = 256);
        }
    };
    ($paths:ty) => {
        $crate::compose!(world $paths);
        $crate::compose!(module);
    };
}
