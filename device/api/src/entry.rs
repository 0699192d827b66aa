//! The `kernel!` macro.

/// Bounds the launches of a kernel: no block has more than `threads` threads, and `blocks` such blocks (default 1) fit
/// on an SM at once. The assembler relies on the bounds and limits the registers of a thread accordingly. A launch with
/// more threads is refused. Has no effect on host PEs.
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
            // Checks that the kernel exists and that a GPU can hold the bounds.
            #[allow(unused_imports, reason = "named so that a wrong name is an error")]
            use $kernel as _;
            const BOUNDS: [u32; 2] = [$threads, $blocks];
            assert!(BOUNDS[0] >= 1 && BOUNDS[0] <= 1024, "a block has 1 to 1024 threads");
            assert!(BOUNDS[1] >= 1 && BOUNDS[0] * BOUNDS[1] <= 2048, "an SM holds 2048 threads at most");

            // `xtask ptx` turns it into directives of the kernel's entry.
            #[cfg(target_arch = "nvptx64")]
            #[unsafe(export_name = concat!("oxshmem_bounds_", stringify!($kernel)))]
            #[used]
            static BOUNDS_OF_KERNEL: [u32; 2] = BOUNDS;
        };
    };
}

/// Defines kernels: functions that `hal` launches, on a GPU and on host threads alike.
///
/// The first argument is the world: [`Shmem`](crate::Shmem) with the paths of the crate that composes them. The others
/// are [`KernelArg`](crate::KernelArg)s, and the host checks their types at launch. The body returns nothing or
/// `Result<(), Fault>`. A fault is reported at its origin, so a kernel only needs `?`.
///
/// The function itself stays callable from other kernels. Beside it the macro makes a struct of the same name with the
/// arguments after the world as fields. The host launches it, and the compiler checks names and types:
///
/// ```ignore
/// stream.launch(Launch::new(1, 128), one_more { at, n: 1000 })?;
/// ```
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

        $(#[$meta])*
        #[doc = concat!("\n\nThe host launches the kernel [`", stringify!($name), "`](fn@", stringify!($name), ") by this struct of its arguments.")]
        #[allow(non_camel_case_types, dead_code, missing_docs, reason = "it is the kernel, under the kernel's name")]
        #[derive(Clone, Copy)]
        $vis struct $name { $($vis $arg: $type),* }

        const _: () = {
            use $crate::__private as p;

            // Another name, because an argument may have the kernel's name.
            const BODY: fn($world $(, $type)*) $(-> $ret)? = $name;

            const ARGS: &[p::ArgDesc] = &[$(<$type as p::KernelArg>::DESC),*];

            #[cfg(target_arch = "nvptx64")]
            #[unsafe(export_name = concat!("oxshmem_args_", stringify!($name)))]
            #[used]
            static ARGS_OF_KERNEL: [p::ArgDesc; ARGS.len() + 1] = {
                // An empty last description marks the end for the host.
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
                // SAFETY: **live**, **peopled**: the host passes the state of a world that outlives the kernel.
                let shmem = unsafe { <$world as p::KernelWorld>::from_state(&state) };
                p::KernelReturn::end(BODY(shmem $(, $arg)*));
            }

            #[cfg(not(target_arch = "nvptx64"))]
            unsafe fn entry(args: *const *const ::core::ffi::c_void) {
                // SAFETY: **live**, **peopled**: the host passes the address of the state of a world that outlives the
                // kernel. It also passes the address of each argument, whose type it has compared with `ARGS`.
                unsafe {
                    let state = (*args).cast::<p::WorldState>().read();
                    let shmem = <$world as p::KernelWorld>::from_state(&state);
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
            const HOST: p::HostKernel = p::HostKernel {
                module: env!("CARGO_CRATE_NAME"),
                name: stringify!($name),
                args: ARGS,
                run: entry,
                abi: <$world as p::KernelWorld>::ABI,
            };

            #[cfg(not(target_arch = "nvptx64"))]
            p::inventory::submit! { HOST }

            // SAFETY: **described**: `ARGS` has the types of the same list. **kernel**: its entries are those above.
            unsafe impl p::KernelCall for $name {
                const MODULE: &'static str = env!("CARGO_CRATE_NAME");
                const NAME: &'static str = stringify!($name);
                const ARGS: &'static [p::ArgDesc] = ARGS;
                #[cfg(not(target_arch = "nvptx64"))]
                const HOST: &'static p::HostKernel = &HOST;

                #[allow(unused_variables, reason = "a kernel may have no further argument")]
                fn visit(&self, visitor: &mut impl p::ArgVisitor) {
                    $(p::ArgVisitor::take(visitor, &self.$arg);)*
                }
            }
        };
    )+ };
}
