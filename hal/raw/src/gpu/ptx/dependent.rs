//! Dependent launches: a grid that is placed on its SM before the previous grid of the stream has ended.
//!
//! They exist from sm_90 on, and only in builds for such an architecture ([`HAS_GRIDDEPCONTROL`]). In other builds no
//! grid starts early, and there is nothing to wait for.

/// Whether [`griddepcontrol_wait`] waits. Only in this case may the host launch a kernel early.
pub const HAS_GRIDDEPCONTROL: bool = cfg!(all(target_arch = "nvptx64", oxshmem_sm90));

cfg_if::cfg_if! {
    if #[cfg(all(target_arch = "nvptx64", oxshmem_sm90))] {
        /// `griddepcontrol.wait`: waits until the grids that this one depends on have ended and their memory operations
        /// are visible to it. In a grid launched in the usual way this holds from its start.
        #[inline(always)]
        pub fn griddepcontrol_wait() {
            // SAFETY: the instruction waits. The compiler assumes that it changes all memory, so no access moves across
            // it.
            unsafe { core::arch::asm!("griddepcontrol.wait;", options(nostack)) }
        }

        /// `griddepcontrol.launch_dependents`: permits the next grid of the stream, if it was launched to start early,
        /// to start once every block of this grid has executed the instruction.
        #[inline(always)]
        pub fn griddepcontrol_launch_dependents() {
            // SAFETY: it accesses no memory.
            unsafe { core::arch::asm!("griddepcontrol.launch_dependents;", options(nostack)) }
        }
    } else {
        /// No effect: no grid starts early.
        #[inline(always)]
        pub fn griddepcontrol_wait() {}

        /// No effect: no grid starts early.
        #[inline(always)]
        pub fn griddepcontrol_launch_dependents() {}
    }
}
