//! A kernel's entry and its arguments, on either target.

use oxshmem_core::{Element, Pe, QpHandle, SymAddr, SymPtr, SymSlice};

use super::abi;
use super::team::TeamHandle;

/// A type that a kernel takes as an argument.
///
/// # Safety
///
/// - **plain**: every byte pattern of the host's values means the same on the device: the type holds no pointer to host
///   memory, has no `Drop`, is `repr(C)` or `repr(transparent)`, has at least one byte, and is aligned to at most 16.
pub unsafe trait KernelArg: Copy + 'static {
    /// The type's name, the same on both targets, in two parts: before and inside the angle brackets.
    const NAME: (&'static str, &'static str);
    /// The description that the kernel carries.
    const DESC: ArgDesc = {
        assert!(size_of::<Self>() > 0, "an argument has at least one byte");
        assert!(align_of::<Self>() <= 16, "an argument is aligned to at most 16 bytes");
        ArgDesc::new(Self::NAME, size_of::<Self>())
    };
}

macro_rules! plain_args {
    ($($t:ty)*) => { $(
        // SAFETY: **plain**: a number, or a struct of numbers; addresses in it are the device's.
        unsafe impl KernelArg for $t { const NAME: (&'static str, &'static str) = (stringify!($t), ""); }
    )* };
}
plain_args!(u8 i8 u16 i16 u32 i32 u64 i64 usize isize f32 f64 SymAddr Pe QpHandle TeamHandle);

// SAFETY: **plain**: a transparent wrapper of an offset.
unsafe impl<T: Element> KernelArg for SymPtr<T> {
    const NAME: (&'static str, &'static str) = ("SymPtr", T::NAME);
}

// SAFETY: **plain**: two words, an offset and a number of elements.
unsafe impl<T: Element> KernelArg for SymSlice<T> {
    const NAME: (&'static str, &'static str) = ("SymSlice", T::NAME);
}

/// The type of one argument, as a module records it for its kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct ArgDesc {
    /// Hash of name and size.
    pub hash: u64,
    /// Size in bytes.
    pub bytes: u32,
    /// The type's name, padded with zeros; cut if longer.
    pub name: [u8; 28],
}
static_assertions::const_assert_eq!(size_of::<ArgDesc>(), 40);

impl ArgDesc {
    /// Describes the type with this name and size.
    pub const fn new((outside, inside): (&str, &str), bytes: usize) -> Self {
        let mut hash = abi::fnv(abi::FNV_START, outside.as_bytes());
        hash = abi::fnv(hash, b"<");
        hash = abi::fnv(hash, inside.as_bytes());
        hash = abi::fnv(hash, &(bytes as u64).to_le_bytes());
        let mut name = [0; 28];
        let mut at = append(&mut name, 0, outside.as_bytes());
        if !inside.is_empty() {
            at = append(&mut name, at, b"<");
            at = append(&mut name, at, inside.as_bytes());
            append(&mut name, at, b">");
        }
        Self { hash, bytes: bytes as u32, name }
    }

    /// Returns the type's name.
    pub fn name(&self) -> &str {
        abi::text(&self.name)
    }

    /// Reads a description from a module's bytes.
    pub fn from_bytes(bytes: &[u8; 40]) -> Self {
        let mut name = [0; 28];
        name.copy_from_slice(&bytes[12..]);
        let (hash, size) = (bytes[0..8].try_into(), bytes[8..12].try_into());
        Self {
            hash: u64::from_le_bytes(hash.unwrap_or_default()),
            bytes: u32::from_le_bytes(size.unwrap_or_default()),
            name,
        }
    }
}

const fn append(to: &mut [u8; 28], mut at: usize, from: &[u8]) -> usize {
    let mut i = 0;
    while i < from.len() && at < to.len() {
        to[at] = from[i];
        (at, i) = (at + 1, i + 1);
    }
    at
}

/// A kernel with its arguments by name, ready to be launched: the struct that `kernel!` makes beside the function.
///
/// # Safety
///
/// - **described**: [`visit`](KernelCall::visit) passes a value of each type that [`ARGS`](KernelCall::ARGS) describes,
///   in that order.
/// - **kernel**: the kernel of this name in this module takes these types after the world's state, and is sound for all
///   of their values. [`HOST`](KernelCall::HOST) is its entry on the host.
pub unsafe trait KernelCall: Copy + 'static {
    /// The crate that defines the kernel, by the name of its library in Cargo.
    const MODULE: &'static str;
    /// The kernel's name.
    const NAME: &'static str;
    /// The types of its arguments after the world's state.
    const ARGS: &'static [ArgDesc];
    /// Its entry on the host.
    #[cfg(feature = "host")]
    const HOST: &'static HostKernel;

    /// Passes each argument to `visitor`, in order.
    fn visit(&self, visitor: &mut impl ArgVisitor);
}

/// Takes the arguments of a kernel one by one.
pub trait ArgVisitor {
    /// Takes the next argument.
    fn take<T: KernelArg>(&mut self, value: &T);
}

/// Prefix of the symbol that holds a kernel's argument types; the kernel's name follows.
pub const ARGS_PREFIX: &str = "oxshmem_args_";

/// A type that a kernel's body may return. A fault is reported where it arises, so the end of the kernel ignores it.
pub trait KernelReturn {
    /// Ends the kernel's thread.
    fn end(self);
}
impl KernelReturn for () {
    #[inline(always)]
    fn end(self) {}
}
impl KernelReturn for Result<(), oxshmem_core::Fault> {
    #[inline(always)]
    fn end(self) {
        #[cfg(feature = "host")]
        if self.is_err() {
            crate::gpu::simt::end_by_fault();
        }
    }
}

cfg_if::cfg_if! {
    if #[cfg(feature = "host")] {
        /// A kernel's entry on the host, registered by the crate that defines it.
        #[derive(Debug)]
        pub struct HostKernel {
            /// The crate that defines it, by the name of its library in Cargo.
            pub module: &'static str,
            /// The kernel's name.
            pub name: &'static str,
            /// The types of its arguments after the world's state.
            pub args: &'static [ArgDesc],
            /// Runs one thread of the kernel. It takes the arguments as a GPU driver does: one address for each, the
            /// world's state first.
            pub run: unsafe fn(*const *const core::ffi::c_void),
            /// The ABI that the module was built against.
            pub abi: &'static abi::Abi,
        }
        inventory::collect!(HostKernel);

        /// Returns every kernel linked into this program.
        pub fn host_kernels() -> impl Iterator<Item = &'static HostKernel> {
            inventory::iter::<HostKernel>.into_iter()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_argument_is_described_by_name_and_size_and_types_differ() {
        let (a, b) = (SymPtr::<f32>::DESC, SymPtr::<f64>::DESC);
        assert_eq!((a.name(), a.bytes), ("SymPtr<f32>", 8));
        assert_ne!(a.hash, b.hash);
        let slice = SymSlice::<f32>::DESC;
        assert_eq!((slice.name(), slice.bytes), ("SymSlice<f32>", 16));
        assert_ne!((slice.hash, slice.hash), (a.hash, SymSlice::<f64>::DESC.hash));
        assert_ne!(u32::DESC.hash, i32::DESC.hash);
        let mut bytes = [0u8; 40];
        bytes[0..8].copy_from_slice(&a.hash.to_le_bytes());
        bytes[8..12].copy_from_slice(&a.bytes.to_le_bytes());
        bytes[12..].copy_from_slice(&a.name);
        assert_eq!(ArgDesc::from_bytes(&bytes), a);
    }
}
