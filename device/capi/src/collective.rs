//! The macro that defines collectives.

/// Defines a collective for each scope, over the world, the group and the team's handle. All scopes share the
/// function for teams with remote members.
macro_rules! collectives {
    ($(
        $(#[$doc:meta])*
        $thread:ident $warp:ident $block:ident
        ($($arg:ident: $type:ty),*), $shmem:ident, $group:ident, $team:ident => $call:expr;
    )*) => { $(
        pub use $thread::{$thread, $warp, $block};
        mod $thread {
            use super::*;
            #[inline(always)]
            unsafe fn near<G: oxshmem_core::Group>($group: G, $team: i32 $(, $arg: $type)*) -> i32 {
                // SAFETY: **live**, **peopled**: by **initialised** of the caller.
                let $shmem = unsafe { Near::from_state(world()) };
                status(handle($team).map(|$team| $call))
            }
            #[inline(never)]
            unsafe fn far($group: AnyGroup, $team: i32 $(, $arg: $type)*) -> i32 {
                // SAFETY: **live**, **peopled**: by **initialised** of the caller.
                let $shmem = unsafe { Any::from_state(world()) };
                status(far_handle($team).map(|$team| $call))
            }
            collectives!(one $(#[$doc])* $thread Thread AnyGroup::THREAD, ($($arg: $type),*));
            collectives!(one $(#[$doc])* $warp Warp AnyGroup::WARP, ($($arg: $type),*));
            collectives!(one $(#[$doc])* $block Block AnyGroup::BLOCK, ($($arg: $type),*));
        }
    )* };
    (one $(#[$doc:meta])* $name:ident $group:ident $any:expr, ($($arg:ident: $type:ty),*)) => {
        $(#[$doc])*
        ///
        /// # Safety
        ///
        /// **initialised**, **symmetric**, **live**: see the crate.
        #[cfg_attr(all(target_arch = "nvptx64", not(feature = "names")), unsafe(no_mangle))]
        pub unsafe extern "C" fn $name(team: i32 $(, $arg: $type)*) -> i32 {
            // SAFETY: passed on.
            unsafe {
                if meets_near(team) {
                    near(oxshmem_device_api::$group, team $(, $arg)*)
                } else {
                    far($any, team $(, $arg)*)
                }
            }
        }
    };
}
