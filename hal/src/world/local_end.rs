//! This PE's end of a copy on a stream.

use std::marker::PhantomData;

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_core::{Element, SymPtr, SymSlice};

use super::World;

/// This PE's end of a copy on a stream: its own part of symmetric memory ([`SymSlice`] or [`SymPtr`]), or other memory
/// of its device ([`DevicePtr`]).
pub trait LocalEnd<T: Element>: Copy + sealed::Sealed {
    /// Returns the device's address of `count` elements. `call` is the call's name, for errors.
    #[doc(hidden)]
    fn address(self, world: &World, call: &str, count: usize) -> Result<u64>;
}

mod sealed {
    /// Seals [`LocalEnd`](super::LocalEnd): copies rely on the addresses.
    pub trait Sealed {}
    impl<T> Sealed for oxshmem_core::SymPtr<T> {}
    impl<T> Sealed for oxshmem_core::SymSlice<T> {}
    impl<T> Sealed for super::DevicePtr<T> {}
}

/// The address of elements in memory of a PE's device, outside of the symmetric heap: memory that the program or
/// another library allocated on this PE's GPU; on host PEs, memory of this process.
///
/// It serves as this PE's end of copies on streams. To a PE that load/store reaches, such copies are as fast as those
/// of symmetric memory. To a remote PE they are fast if the memory is registered
/// ([`UserMemory::register_buffer`](crate::UserMemory::register_buffer)), and slow otherwise.
#[derive(Debug)]
pub struct DevicePtr<T> {
    address: u64,
    of: PhantomData<T>,
}

impl<T> Clone for DevicePtr<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for DevicePtr<T> {}

impl<T: Element> DevicePtr<T> {
    /// Names the elements from `address` on, in the address space of the PE's kernels.
    ///
    /// # Safety
    ///
    /// For each call that gets this value, until its stream has done the work (and, if the call was recorded, until the
    /// last launch of its graph has):
    ///
    /// - **mapped**: the call's elements from `address` on are in memory that kernels of this PE may read and, where
    ///   the call writes them, write: on a GPU, device memory that is mapped for it; on host PEs, memory of this
    ///   process.
    /// - **unshared**: no reference of the program covers them, and no other code writes elements that the call reads,
    ///   or accesses elements that it writes.
    pub const unsafe fn new(address: u64) -> Self {
        Self { address, of: PhantomData }
    }

    /// Returns the address `count` elements further.
    ///
    /// # Safety
    ///
    /// **mapped** and **unshared**: as for [`new`](DevicePtr::new), for the elements from there on.
    #[must_use]
    pub const unsafe fn add(self, count: usize) -> Self {
        Self { address: self.address.wrapping_add((count * size_of::<T>()) as u64), of: PhantomData }
    }
}

impl<T: Element> LocalEnd<T> for SymPtr<T> {
    fn address(self, world: &World, call: &str, count: usize) -> Result<u64> {
        world.own_address(call, self, count)
    }
}

impl<T: Element> LocalEnd<T> for SymSlice<T> {
    fn address(self, world: &World, call: &str, count: usize) -> Result<u64> {
        world.own_address(call, self, count)
    }
}

impl<T: Element> LocalEnd<T> for DevicePtr<T> {
    fn address(self, world: &World, call: &str, count: usize) -> Result<u64> {
        let width = T::WIDTH.bytes();
        let refuse = |kind| {
            let at = self.address;
            Error::new(
                kind,
                format!("{call} {count} elements of {width} bytes at address {at:#x} of {}", world.my_pe()),
            )
        };
        let end = count.checked_mul(width).and_then(|bytes| self.address.checked_add(bytes as u64));
        if count > 0 && (self.address == 0 || end.is_none()) {
            return Err(refuse(ErrorKind::OutOfRange).because("no memory is there"));
        }
        if !self.address.is_multiple_of(width as u64) {
            return Err(
                refuse(ErrorKind::InvalidArgument).because("the address is not a multiple of the element's size")
            );
        }
        Ok(self.address)
    }
}
