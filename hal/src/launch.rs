//! Launches: shape and arguments.

use std::ffi::c_void;

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::state::WorldState;
use oxshmem_raw::state::kernel::{ArgDesc, ArgVisitor, KernelArg, KernelCall};
use smallvec::SmallVec;

/// The shape of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Number of blocks in each direction.
    pub grid: [u32; 3],
    /// Number of threads of a block in each direction.
    pub block: [u32; 3],
    /// Dynamic shared memory of a block, in bytes.
    pub shared_bytes: u32,
    /// Whether all blocks must be resident at once. A kernel that waits for other blocks or other PEs needs that.
    pub collective: bool,
    /// Whether the kernel may be placed before the preceding work of its stream has ended, for which it waits itself.
    pub(crate) early: bool,
}

impl Launch {
    /// Returns a launch of `blocks` blocks of `threads` threads, in one direction.
    pub const fn new(blocks: u32, threads: u32) -> Self {
        Self { grid: [blocks, 1, 1], block: [threads, 1, 1], shared_bytes: 0, collective: false, early: false }
    }

    /// Returns a launch of blocks and threads in three directions.
    pub const fn shaped(grid: [u32; 3], block: [u32; 3]) -> Self {
        Self { grid, block, shared_bytes: 0, collective: false, early: false }
    }

    /// Requires all blocks to be resident. A launch whose blocks can't be is refused, with the largest grid that fits.
    pub const fn collective(mut self) -> Self {
        self.collective = true;
        self
    }

    /// Sets the dynamic shared memory of a block, in bytes.
    pub const fn shared_bytes(mut self, bytes: u32) -> Self {
        self.shared_bytes = bytes;
        self
    }

    /// Returns the number of threads of a block.
    pub(crate) fn threads(&self) -> u64 {
        count(self.block)
    }

    /// Returns the number of blocks.
    pub(crate) fn blocks(&self) -> u64 {
        count(self.grid)
    }
}

/// Returns the product, at most `u64::MAX`, which exceeds every machine.
fn count(of: [u32; 3]) -> u64 {
    of.iter().fold(1, |all: u64, &n| all.saturating_mul(n.into()))
}

/// The arguments of a kernel, after the world's state: a tuple of at most 12 [`KernelArg`]s.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be a kernel's arguments",
    label = "a tuple of at most 12 values whose types implement `KernelArg`",
    note = "one argument is a tuple, too: `(n,)`",
    note = "more than 12 values are fields of a struct: `repr(C)`, with `unsafe impl KernelArg`, in the kernel crate"
)]
pub trait KernelArgs: sealed::Sealed {
    /// Returns their types, in order.
    fn describe(&self) -> &'static [ArgDesc];
    /// Appends their bytes, in order.
    #[doc(hidden)]
    fn pack(&self, into: &mut Packed);
}

mod sealed {
    /// Seals [`KernelArgs`](super::KernelArgs): a launch relies on its description.
    pub trait Sealed {}
}

/// Arguments of most kernels, beside the world's state: a launch of these allocates no memory.
const USUAL: usize = 12;

/// Arguments in the form that a driver takes: an address for each.
#[doc(hidden)]
#[derive(Clone, Debug, Default)]
pub struct Packed {
    /// The values, each at a 16-byte boundary.
    words: SmallVec<[u128; 2 * USUAL]>,
    /// The index in `words` at which each begins.
    starts: SmallVec<[usize; 1 + USUAL]>,
}

impl Packed {
    /// Packs the world's state, then the arguments.
    pub(crate) fn new(state: &WorldState, args: &impl KernelArgs) -> Self {
        let mut packed = Self::default();
        packed.push(state);
        args.pack(&mut packed);
        packed
    }

    /// Packs the world's state, then the arguments of a call.
    pub(crate) fn of_call(state: &WorldState, call: &impl KernelCall) -> Self {
        let mut packed = Self::default();
        packed.push(state);
        call.visit(&mut packed);
        packed
    }

    fn push<T: Copy>(&mut self, value: &T) {
        let start = self.words.len();
        self.starts.push(start);
        self.words.resize(start + size_of::<T>().div_ceil(16), 0);
        // SAFETY: `resize` made room for `T` from `start`, and `words` is aligned to 16 bytes, more than any argument
        // needs.
        unsafe { self.words.as_mut_ptr().add(start).cast::<T>().write_unaligned(*value) }
    }

    /// Returns the addresses, which are valid until `self` is changed or moved.
    pub(crate) fn addresses(&mut self) -> SmallVec<[*mut c_void; 1 + USUAL]> {
        let base = self.words.as_mut_ptr();
        self.starts.iter().map(|&start| base.wrapping_add(start).cast()).collect()
    }
}

impl ArgVisitor for Packed {
    fn take<T: KernelArg>(&mut self, value: &T) {
        self.push(value);
    }
}

macro_rules! tuples {
    ($($($name:ident)*;)*) => { $(
        impl<$($name: KernelArg),*> sealed::Sealed for ($($name,)*) {}
        impl<$($name: KernelArg),*> KernelArgs for ($($name,)*) {
            fn describe(&self) -> &'static [ArgDesc] {
                const { &[$($name::DESC),*] }
            }
            #[allow(non_snake_case, unused_variables, reason = "a tuple's fields are named by their types")]
            fn pack(&self, into: &mut Packed) {
                let ($($name,)*) = self;
                $(into.push($name);)*
            }
        }
    )* };
}
tuples! {
    ;
    A;
    A B;
    A B C;
    A B C D;
    A B C D E;
    A B C D E F;
    A B C D E F G;
    A B C D E F G H;
    A B C D E F G H I;
    A B C D E F G H I J;
    A B C D E F G H I J K;
    A B C D E F G H I J K L;
}

/// Checks that the given arguments have the types that the kernel takes.
pub(crate) fn check_args(kernel: &str, takes: &[ArgDesc], given: &[ArgDesc]) -> Result<()> {
    let list = |args: &[ArgDesc]| args.iter().map(|a| a.name().to_string()).collect::<Vec<_>>().join(", ");
    if takes.iter().map(|a| a.hash).eq(given.iter().map(|a| a.hash)) {
        return Ok(());
    }
    let reason = match takes.iter().zip(given).position(|(t, g)| t.hash != g.hash) {
        Some(at) => format!("argument {} is a {}, where it takes a {}", at + 1, given[at].name(), takes[at].name()),
        None => format!("it takes {} arguments, and was given {}", takes.len(), given.len()),
    };
    Err(Error::new(ErrorKind::InvalidArgument, format!("launch kernel `{kernel}`")).because(format!(
        "{reason}; it takes ({}), and was given ({})",
        list(takes),
        list(given)
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use oxshmem_core::{SymAddr, SymPtr};

    #[test]
    fn a_wrong_argument_is_named_with_its_place_and_both_types() {
        let takes = (SymPtr::<f32>::new(SymAddr::new(0)), 3usize).describe();
        assert!(check_args("k", takes, takes).is_ok());
        let given = (SymPtr::<f64>::new(SymAddr::new(0)), 3usize).describe();
        let error = check_args("k", takes, given).unwrap_err().to_string();
        assert!(error.contains("argument 1 is a SymPtr<f64>, where it takes a SymPtr<f32>"), "{error}");
        let error = check_args("k", takes, &given[..1]).unwrap_err().to_string();
        assert!(error.contains("argument 1"), "{error}");
        let error = check_args("k", takes, &takes[..1]).unwrap_err().to_string();
        assert!(error.contains("takes 2 arguments, and was given 1"), "{error}");
    }

    #[test]
    fn more_arguments_than_usual_are_where_their_addresses_say() {
        let mut packed = Packed::default();
        let arguments = 3 * USUAL as u64;
        (0..arguments).for_each(|value| packed.push(&[value; 3]));
        for (value, at) in (0..).zip(packed.addresses()) {
            // SAFETY: values of this type were packed, in this order.
            assert_eq!(unsafe { *at.cast::<[u64; 3]>() }, [value; 3]);
        }
        assert_eq!(packed.addresses().len() as u64, arguments);
    }

    #[test]
    fn packed_arguments_are_where_their_addresses_say() {
        struct Two;
        impl sealed::Sealed for Two {}
        impl KernelArgs for Two {
            fn describe(&self) -> &'static [ArgDesc] {
                &[]
            }
            fn pack(&self, into: &mut Packed) {
                (7u8, [0u32; 0].len(), u64::MAX, 2.5f32).pack(into)
            }
        }
        let mut packed = Packed::default();
        Two.pack(&mut packed);
        let at = packed.addresses();
        // SAFETY: four values of these types were packed, in this order.
        unsafe {
            assert_eq!(*at[0].cast::<u8>(), 7);
            assert_eq!(*at[2].cast::<u64>(), u64::MAX);
            assert_eq!(*at[3].cast::<f32>(), 2.5);
        }
    }
}
