//! Dependent launches: a grid that is put on its SM before the one ahead of it in the stream has ended.
//!
//! They exist from sm_90 on, and in builds for such an architecture ([`HAS_GRIDDEPCONTROL`]); elsewhere a grid never
//! comes early, and there is nothing to wait for.

/// Whether [`griddepcontrol_wait`] waits: only then may the host launch a kernel early.
pub const HAS_GRIDDEPCONTROL: bool = cfg!(all(target_arch = "nvptx64", oxshmem_sm90));

cfg_if::cfg_if! {
    if #[cfg(all(target_arch = "nvptx64", oxshmem_sm90))] {
        /// `griddepcontrol.wait`: the grids that this one depends on have ended, and what they did to memory is visible
        /// to this one. Of a grid that was launched in the usual way that is true from its start.
        #[inline(always)]
        pub fn griddepcontrol_wait() {
            // SAFETY: waits. As far as the compiler knows it changes all memory, so no access moves across.
            unsafe { core::arch::asm!("griddepcontrol.wait;", options(nostack)) }
        }

        /// `griddepcontrol.launch_dependents`: the next grid of the stream may be put on its SM as soon as every block
        /// of this one has said so, if it was launched to come early.
        #[inline(always)]
        pub fn griddepcontrol_launch_dependents() {
            // SAFETY: touches no memory.
            unsafe { core::arch::asm!("griddepcontrol.launch_dependents;", options(nostack)) }
        }
    } else {
        /// Nothing to wait for: no grid comes early.
        #[inline(always)]
        pub fn griddepcontrol_wait() {}

        /// Nothing to let go: no grid comes early.
        #[inline(always)]
        pub fn griddepcontrol_launch_dependents() {}
    }
}
