//! The macros that define the functions.
//!
//! Each function has two forms. The first is that of a module without remote paths; it serves a call to a load/store
//! PE, or in a world without remote PEs. The other one serves the remaining calls, as a function of its own, so that it
//! costs the first one no registers.

/// Defines functions with the C ABI. Each is an expression over the world, which gets the name before `=>`. `near` says
/// when the first form serves; `far` is what the second form may then take for granted.
macro_rules! export {
    ($(
        $(#[$doc:meta])*
        $name:ident($($arg:ident: $type:ty),*) $(-> $result:ty)?, near $near:expr => $shmem:ident => $call:expr;
    )*) => { $(
        $(#[$doc])*
        ///
        /// # Safety
        ///
        /// **initialised**, **symmetric**, **live**: see the crate.
        #[cfg_attr(all(target_arch = "nvptx64", not(feature = "names")), unsafe(no_mangle))]
        #[allow(clippy::too_many_arguments, reason = "OpenSHMEM's own list")]
        pub unsafe extern "C" fn $name($($arg: $type),*) $(-> $result)? {
            #[inline(never)]
            #[allow(clippy::too_many_arguments, reason = "OpenSHMEM's own list")]
            unsafe fn far($($arg: $type),*) $(-> $result)? {
                // SAFETY: the first form serves the calls for which this holds.
                unsafe { core::hint::assert_unchecked(!$near) }
                // SAFETY: **live**, **peopled**: by **initialised** of the caller.
                let $shmem = unsafe { $crate::world::Any::from_state($crate::world::world()) };
                $call
            }
            if $near {
                // SAFETY: **live**, **peopled**: by **initialised** of the caller.
                let $shmem = unsafe { $crate::world::Near::from_state($crate::world::world()) };
                $call
            } else {
                // SAFETY: the caller's clauses are passed on.
                unsafe { far($($arg),*) }
            }
        }
    )* };
}

/// Defines a function for each scope: a thread, a warp, a block. The group gets the name after the world's.
macro_rules! export_scopes {
    ($(
        $(#[$doc:meta])*
        $thread:ident $warp:ident $block:ident
        ($($arg:ident: $type:ty),*) $(-> $result:ty)?, near $near:expr => $shmem:ident, $group:ident => $call:expr;
    )*) => { $(
        export! {
            $(#[$doc])*
            $thread($($arg: $type),*) $(-> $result)?, near $near => $shmem => {
                let $group = oxshmem_device_api::Thread;
                $call
            };
            $(#[$doc])*
            $warp($($arg: $type),*) $(-> $result)?, near $near => $shmem => {
                let $group = oxshmem_device_api::Warp;
                $call
            };
            $(#[$doc])*
            $block($($arg: $type),*) $(-> $result)?, near $near => $shmem => {
                let $group = oxshmem_device_api::Block;
                $call
            };
        }
    )* };
}
