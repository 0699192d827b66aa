//! The macros that define the functions.
//!
//! Each function has two forms. The first is that of a module without remote paths; it serves a call to a load/store
//! PE, or in a world without remote PEs. The second serves the remaining calls. It is a separate function, which costs
//! the first no registers, and all scopes share it.

/// Defines functions with the C ABI. Each is an expression over the world and over the operations on a queue by its
/// number, which get the names before `=>`. The expression after `if` says when the first form serves.
macro_rules! export {
    ($(
        $(#[$doc:meta])*
        $name:ident($($arg:ident: $type:ty),*) $(-> $result:ty)?, if $load_store:expr =>
        $shmem:ident, $on:ident => $call:expr;
    )*) => { $(
        $(#[$doc])*
        ///
        /// # Safety
        ///
        /// **initialised**, **symmetric**, **live**: see the crate.
        #[cfg_attr(all(target_arch = "nvptx64", not(feature = "names")), unsafe(no_mangle))]
        pub unsafe extern "C" fn $name($($arg: $type),*) $(-> $result)? {
            #[cfg_attr(target_arch = "nvptx64", optimize(size))]
            #[inline(never)]
            unsafe fn remote($($arg: $type),*) $(-> $result)? {
                remote!($shmem, $on);
                $call
            }
            if $load_store {
                load_store!($shmem, $on);
                $call
            } else {
                // SAFETY: **initialised**, **symmetric**, **live**: the caller's, for the same arguments.
                unsafe { remote($($arg),*) }
            }
        }
    )* };
}

/// Defines a function for each scope: a thread, a warp, a block. The group gets the third name.
macro_rules! export_scopes {
    ($(
        $(#[$doc:meta])*
        $thread:ident $warp:ident $block:ident
        ($($arg:ident: $type:ty),*) $(-> $result:ty)?, if $load_store:expr =>
        $shmem:ident, $on:ident, $group:ident => $call:expr;
    )*) => { $(
        pub use $thread::{$block, $thread, $warp};
        pub(crate) mod $thread {
            use super::*;

            #[cfg_attr(not(feature = "names"), inline(always))]
            #[cfg_attr(feature = "names", inline(never))]
            #[allow(clippy::too_many_arguments, reason = "OpenSHMEM's own list")]
            pub(crate) unsafe fn load_store<G: oxshmem_core::Group>($group: G $(, $arg: $type)*) $(-> $result)? {
                load_store!($shmem, $on);
                $call
            }

            #[cfg_attr(target_arch = "nvptx64", optimize(size))]
            #[inline(never)]
            #[allow(clippy::too_many_arguments, reason = "OpenSHMEM's own list")]
            pub(crate) unsafe fn remote($group: $crate::any_group::AnyGroup $(, $arg: $type)*) $(-> $result)? {
                remote!($shmem, $on);
                $call
            }

            export_scopes!(one $(#[$doc])* $thread THREAD($($arg: $type),*) $(-> $result)?, $load_store);
            export_scopes!(one $(#[$doc])* $warp WARP($($arg: $type),*) $(-> $result)?, $load_store);
            export_scopes!(one $(#[$doc])* $block BLOCK($($arg: $type),*) $(-> $result)?, $load_store);
        }
    )* };
    (one $(#[$doc:meta])* $name:ident $any:ident($($arg:ident: $type:ty),*) $(-> $result:ty)?, $load_store:expr) => {
        $(#[$doc])*
        ///
        /// # Safety
        ///
        /// **initialised**, **symmetric**, **live**: see the crate.
        #[cfg_attr(all(target_arch = "nvptx64", not(feature = "names")), unsafe(no_mangle))]
        #[allow(clippy::too_many_arguments, reason = "OpenSHMEM's own list")]
        pub unsafe extern "C" fn $name($($arg: $type),*) $(-> $result)? {
            // SAFETY: **initialised**, **symmetric**, **live**: the caller's, for the same arguments.
            unsafe {
                if $load_store {
                    load_store($crate::any_group::first::$any $(, $arg)*)
                } else {
                    remote($crate::any_group::AnyGroup::$any $(, $arg)*)
                }
            }
        }
    };
}

/// Names the world of the first form, and the operations on a queue of it by number.
macro_rules! load_store {
    ($shmem:ident, $on:ident) => {
        // SAFETY: **live**, **peopled**: by **initialised** of the caller.
        let $shmem = unsafe { $crate::world::LoadStore::from_state($crate::world::world()) };
        let $on = |qp| $shmem.qp($crate::args::qp(qp));
        let _ = (&$shmem, &$on);
    };
}

/// Names the same for the second form, whose operations are toward remote PEs.
macro_rules! remote {
    ($shmem:ident, $on:ident) => {
        // SAFETY: **live**, **peopled**: by **initialised** of the caller.
        let $shmem = unsafe { $crate::world::Any::from_state($crate::world::world()) };
        // SAFETY: **remote**: the first form serves the calls to load/store PEs.
        let $on = |qp| unsafe { $shmem.remote($crate::args::qp(qp)) };
        let _ = (&$shmem, &$on);
    };
}

/// Defines copies between mapped memory, for some groups each. A function knows the addresses of both ends and calls
/// nothing, so that it and its caller save few registers: to save those of a large block takes longer than a small copy.
/// On return, each thread's own part alone is certain to be done.
macro_rules! copies {
    ($($doc:literal ($to:ident, $from:ident, $count:ident, $group:ident) => $call:expr; $($name:ident $type:ident)*)*) => { $($(
        #[doc = $doc]
        ///
        /// # Safety
        ///
        /// **live**: see the crate.
        #[cfg_attr(all(target_arch = "nvptx64", not(feature = "names")), unsafe(no_mangle))]
        pub unsafe extern "C" fn $name($to: *mut u8, $from: *const u8, $count: usize) {
            let $group = $type;
            // SAFETY: **readable**, **writable**: by **live**. **apart**: OpenSHMEM forbids overlap. **alone**: nothing is
            // lent.
            unsafe { $call }
        }
    )*)* };
}
