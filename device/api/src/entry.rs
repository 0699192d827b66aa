//! The `kernel!` macro.

/// Bounds the launches of a kernel, so that the assembler may count on them: no block has more than `threads` threads,
/// and `blocks` such blocks (1 if left out) fit on an SM at once. A thread then has no more registers than that leaves.
/// A launch with more threads is refused. Off the GPU it means nothing.
///
/// ```
/// use oxshmem_device::{launch_bounds, prelude::*};
///
/// kernel! {
///     /// Adds one to each element.
///     pub fn one_more(shmem: Shmem, at: SymPtr<u64>, n: usize) {
///         let all = shmem.local(at, n);
///         let i = thread_in_grid();
///         if i < n {
///             all.write(i, all.read(i) + 1);
///         }
///     }
/// }
/// launch_bounds!(one_more, threads = 256, blocks = 4);
/// ```
#[macro_export]
macro_rules! launch_bounds {
    ($kernel:ident, threads = $threads:expr) => {
        $crate::launch_bounds!($kernel, threads = $threads, blocks = 1);
    };
    ($kernel:ident, threads = $threads:expr, blocks = $blocks:expr) => {
        const _: () = {
            // There is such a kernel, and the bounds are what a GPU can hold.
            #[allow(unused_imports, reason = "named so that a wrong name is an error")]
            use $kernel as _;
            const BOUNDS: [u32; 2] = [$threads, $blocks];
            assert!(BOUNDS[0] >= 1 && BOUNDS[0] <= 1024, "a block has 1 to 1024 threads");
            assert!(BOUNDS[1] >= 1 && BOUNDS[0] * BOUNDS[1] <= 2048, "an SM holds 2048 threads at most");

            // `xtask ptx` makes directives of the entry of it.
            #[cfg(target_arch = "nvptx64")]
            #[unsafe(export_name = concat!("oxshmem_bounds_", stringify!($kernel)))]
            #[used]
            static BOUNDS_OF_KERNEL: [u32; 2] = BOUNDS;
        };
    };
}

/// Defines kernels: functions that `hal` launches by name, on a GPU and on host threads alike.
///
/// The first argument is the world, [`Shmem`](crate::Shmem) with the paths of the crate that composes them; the others are
/// [`KernelArg`](crate::KernelArg)s, whose types the host checks at launch. The body returns nothing, or
/// `Result<(), Fault>`: a fault is reported where it arises, so `?` is all that a kernel needs.
///
/// The function itself stays callable from other kernels.
#[macro_export]
macro_rules! kernel {
    ($(
        $(#[$meta:meta])*
        $vis:vis fn $name:ident ( $shmem:ident : $world:ty $(, $arg:ident : $type:ty)* $(,)? ) $(-> $ret:ty)? $body:block
    )+) => { $(
        $(#[$meta])*
        #[inline(always)]
        #[allow(clippy::too_many_arguments, reason = "a kernel takes what its launch gives")]
        $vis fn $name($shmem: $world $(, $arg: $type)*) $(-> $ret)? $body

        const _: () = {
            use $crate::__private as p;

            // By another name, since an argument may have the kernel's.
            const BODY: fn($world $(, $type)*) $(-> $ret)? = $name;

            const ARGS: &[p::ArgDesc] = &[$(<$type as p::KernelArg>::DESC),*];

            #[cfg(target_arch = "nvptx64")]
            #[unsafe(export_name = concat!("oxshmem_args_", stringify!($name)))]
            #[used]
            static ARGS_OF_KERNEL: [p::ArgDesc; ARGS.len() + 1] = {
                // A last, empty description tells the host how many there are.
                let mut all = [p::ArgDesc::new(("", ""), 0); ARGS.len() + 1];
                let mut i = 0;
                while i < ARGS.len() {
                    all[i] = ARGS[i];
                    i += 1;
                }
                all
            };

            #[cfg(target_arch = "nvptx64")]
            #[unsafe(export_name = stringify!($name))]
            unsafe extern "ptx-kernel" fn entry(state: p::WorldState $(, $arg: $type)*) {
                // SAFETY: the host gives the state of a live world.
                let shmem = unsafe { <$world as p::KernelWorld>::from_state(state) };
                p::KernelReturn::end(BODY(shmem $(, $arg)*));
            }

            #[cfg(not(target_arch = "nvptx64"))]
            unsafe fn entry(args: *const *const ::core::ffi::c_void) {
                // SAFETY: the host gives an address for the state of a live world and one for each
                // argument, of the types that it has compared with `ARGS`.
                unsafe {
                    let shmem = <$world as p::KernelWorld>::from_state((*args).cast::<p::WorldState>().read());
                    #[allow(unused_mut, unused_variables, reason = "a kernel may have no further argument")]
                    let mut at = args;
                    $(
                        at = at.add(1);
                        let $arg = (*at).cast::<$type>().read();
                    )*
                    p::KernelReturn::end(BODY(shmem $(, $arg)*));
                }
            }

            #[cfg(not(target_arch = "nvptx64"))]
            p::inventory::submit! {
                p::HostKernel { module: env!("CARGO_CRATE_NAME"), name: stringify!($name), args: ARGS, run: entry, abi: <$world as p::KernelWorld>::ABI }
            }
        };
    )+ };
}
