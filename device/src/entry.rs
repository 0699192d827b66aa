//! The `kernel!` macro.

/// Defines kernels: functions that `hal` launches by name, on a GPU and on host threads alike.
///
/// The first argument is the world, [`Shmem`](crate::Shmem); the others are
/// [`KernelArg`](crate::KernelArg)s, whose types the host checks at launch. The body returns nothing, or
/// `Result<(), Fault>`: a fault is reported where it arises, so `?` is all that a kernel needs.
///
/// The function itself stays callable from other kernels.
#[macro_export]
macro_rules! kernel {
    ($(
        $(#[$meta:meta])*
        $vis:vis fn $name:ident ( $shmem:ident : Shmem $(, $arg:ident : $type:ty)* $(,)? ) $(-> $ret:ty)? $body:block
    )+) => { $(
        $(#[$meta])*
        #[inline(always)]
        #[allow(clippy::too_many_arguments, reason = "a kernel takes what its launch gives")]
        $vis fn $name($shmem: $crate::Shmem $(, $arg: $type)*) $(-> $ret)? $body

        const _: () = {
            use $crate::__private as p;

            // By another name, since an argument may have the kernel's.
            const BODY: fn($crate::Shmem $(, $type)*) $(-> $ret)? = $name;

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
                let shmem = unsafe { $crate::Shmem::from_state(state) };
                p::KernelReturn::end(BODY(shmem $(, $arg)*));
            }

            #[cfg(not(target_arch = "nvptx64"))]
            unsafe fn entry(args: *const *const ::core::ffi::c_void) {
                // SAFETY: the host gives an address for the state of a live world and one for each
                // argument, of the types that it has compared with `ARGS`.
                unsafe {
                    let shmem = $crate::Shmem::from_state((*args).cast::<p::WorldState>().read());
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
                p::HostKernel { module: env!("CARGO_CRATE_NAME"), name: stringify!($name), args: ARGS, run: entry, abi: &p::ABI }
            }
        };
    )+ };
}
