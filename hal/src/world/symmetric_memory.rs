//! Memory of the program as a part of the symmetric heap.

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_core::{Element, SymAddr, SymPtr};
use oxshmem_raw::memory::{ProgramMemory, ShareableMemory};

use super::World;
use super::agreement::all_ok;
use super::local_end::{DevicePtr, LocalEnd};
use crate::plain::bytes_of_mut;

/// The name of a registration in collective calls.
const REGISTER: &str = "register_symmetric";

/// The wish of a PE that has none.
const NO_WISH: u64 = u64::MAX;

/// Memory of the program that PEs or NICs use beside the heap. [`World::user_memory`] returns it.
#[derive(Clone, Copy, Debug)]
pub struct UserMemory<'w>(&'w World);

impl UserMemory<'_> {
    /// Allocates at least `bytes` bytes of this PE's device that can be registered as symmetric memory, for a program
    /// without an allocator of its own. A GPU's memory has any contents, that of host PEs is zero.
    ///
    /// # Errors
    /// There is not enough memory, or the GPU has no virtual memory management.
    pub fn shareable(&self, bytes: usize) -> Result<ShareableMemory> {
        ShareableMemory::allocate(&self.0.machine.memory, bytes)
    }

    /// Lets kernels of this PE use `bytes` bytes at `address`, in the kernels' address space and outside the symmetric
    /// heap, as the local end of puts and gets to every PE. Memory that is not registered works too, but slowly where a
    /// NIC carries operations. The memory stays the program's. Kernels that are launched after this call may use
    /// registered memory of the host; kernels that already run may not.
    ///
    /// # Errors
    /// The range is empty or overlaps another, too many are registered, or the NIC can't reach it.
    ///
    /// # Safety
    ///
    /// Until [`unregister_buffer`](UserMemory::unregister_buffer) of the address has succeeded, or the world has ended:
    ///
    /// - **mapped**: the range is memory of the program that stays mapped: of this PE's GPU, or of this process.
    /// - **unshared**: a NIC or a thread of the library accesses the local end of an operation also after the call that
    ///   issued it, up to the quiet that completes it. Until then no reference of the program covers elements that it
    ///   writes, and no other code writes elements that it reads, also after a call that failed.
    pub unsafe fn register_buffer(&self, address: u64, bytes: u64) -> Result<()> {
        self.0.refuse_in_capture("register_buffer")?;
        for index in self.0.remote_transports() {
            if let Err(error) = self.0.on_transport(index, |one| one.register(address, bytes)) {
                // The first error is reported.
                self.0.remote_transports().take_while(|before| *before < index).for_each(|before| {
                    let _ = self.0.on_transport(before, |one| one.unregister(address));
                });
                return Err(error);
            }
        }
        Ok(())
    }

    /// Deregisters a buffer. Kernels must no longer use it: an operation that still names it may fail.
    ///
    /// # Errors
    /// No registered buffer begins at `address`.
    pub fn unregister_buffer(&self, address: u64) -> Result<()> {
        self.0.refuse_in_capture("unregister_buffer")?;
        self.0.each_remote(|one| one.unregister(address))
    }

    /// Makes memory of the program symmetric: maps the allocation of `bytes` bytes at `address` into this PE's heap, and
    /// into each peer's window of it. Collective, with the same size; each PE passes an allocation of its own. The
    /// result is used as memory of [`malloc`](World::malloc), until [`unregister_symmetric`](UserMemory::unregister_symmetric)
    /// or the end of the world. The program's own mapping stays valid, and leads to the same memory.
    ///
    /// | PEs | memory |
    /// |---|---|
    /// | on GPUs | made by `cuMemCreate` on the PE's GPU, with `CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR`, mapped as a whole |
    /// | on the host | a memfd with an open descriptor, mapped shared as a whole; its size becomes sealed |
    /// | all | of [`shareable`](UserMemory::shareable) |
    ///
    /// The heap counts the memory against its limit. Over NICs the memory must allow access of a NIC
    /// (`gpuDirectRDMACapable` of `cuMemCreate`).
    ///
    /// # Errors
    /// PEs differ in the size (both named); the range is not one whole allocation of the table, or registered already;
    /// the heap is at its limit or shared by legacy IPC handles; or a PE can't map it. Each PE gets an error, and the
    /// memory is symmetric on none.
    ///
    /// # Safety
    ///
    /// - **mapped**: the program's mapping at `address` stays as it is until the memory is unregistered: NICs may have
    ///   registered it at that address, by which the library also knows it.
    /// - **unshared**: no reference of the program covers the memory while it is registered.
    pub unsafe fn register_symmetric(&self, address: u64, bytes: usize) -> Result<SymPtr<u8>> {
        // SAFETY: **mapped** and **unshared** by the caller.
        unsafe { self.register_symmetric_at(address, bytes, None) }
    }

    /// Registers as [`register_symmetric`](UserMemory::register_symmetric), at the place `preferred` of the heap if all PEs
    /// name the same, and it is the heap's end or lies in a gap that an unregistered allocation left; else elsewhere.
    ///
    /// # Errors
    /// As [`register_symmetric`](UserMemory::register_symmetric).
    ///
    /// # Safety
    ///
    /// **mapped** and **unshared**, as for [`register_symmetric`](UserMemory::register_symmetric).
    pub unsafe fn register_symmetric_at(
        &self,
        address: u64,
        bytes: usize,
        preferred: Option<SymAddr>,
    ) -> Result<SymPtr<u8>> {
        // SAFETY: **mapped** by the caller.
        let memory = self.0.begin_registration(bytes, || unsafe { self.0.find_program_memory(address, bytes) })?;
        let wish = preferred.map_or(NO_WISH, SymAddr::offset);
        let wishes = self.0.control.all_gather(REGISTER, &wish.to_le_bytes())?;
        let is_common = wish != NO_WISH && wishes.iter().all(|other| *other == wish.to_le_bytes());
        // The heaps are alike, and so are the places and the errors.
        let extent = self.0.inner().heap.place_for(bytes as u64, Some(wish).filter(|_| is_common))?;
        self.0.add_extent(extent, |windows| windows.adopt(extent, &memory), |heap| heap.register(extent))?;
        self.0.inner().registered.insert(extent.offset, address..address + bytes as u64);
        Ok(SymPtr::new(SymAddr::new(extent.offset)))
    }

    /// Takes memory of the program out of the symmetric heap, on every PE. Collective, with the same arguments: the
    /// result and the size of a registration. The call waits for this PE's streams, as [`free`](World::free) does. The
    /// memory remains the program's. Later registrations may get its place in the heap; where memory was registered
    /// after it, the place is a gap until then, in which host calls report an error.
    ///
    /// # Errors
    /// PEs differ in an argument (both named), no memory is registered there, or it has another size.
    ///
    /// # Safety
    ///
    /// - **unused**: nothing on any PE uses the memory by its symmetric address from now on: no kernel, which may still
    ///   run on a stream that the library does not know, no graph, and no pointer of [`ptr`](World::ptr).
    pub unsafe fn unregister_symmetric(&self, at: SymPtr<u8>, bytes: usize) -> Result<()> {
        const STEP: &str = "unregister_symmetric";
        self.0.refuse_in_capture(STEP)?;
        // After the agreement, no PE has work left that uses the memory of another one.
        self.0.finish_own_work()?;
        let offset = at.addr().offset();
        self.0.control.agree(STEP, &[("the heap offset", offset), ("the size in bytes", bytes as u64)])?;
        let extent = {
            let mut inner = self.0.inner();
            let extent = inner.heap.unregister(offset, bytes as u64)?;
            inner.registered.remove(&offset);
            extent
        };
        self.0.withdraw(extent);
        // SAFETY: **unused** by the caller.
        unsafe { self.0.windows().discard(extent, self.0.n_pes) }
        self.0.refresh_linked();
        Ok(())
    }

    /// Reads memory of this PE's device outside of the symmetric heap, on the host. Waits for no kernel.
    ///
    /// # Errors
    /// The address is no multiple of the element's size, or the copy failed.
    pub fn read<T: Element>(&self, source: DevicePtr<T>, dest: &mut [T]) -> Result<()> {
        self.0.refuse_in_capture("read")?;
        let from = source.address(self.0, "read", dest.len())?;
        // SAFETY: **mapped**: the `DevicePtr` promises it.
        unsafe { self.0.machine.memory.read(bytes_of_mut(dest), from) }
    }
}

impl World {
    /// Returns the calls for memory of the program.
    pub fn user_memory(&self) -> UserMemory<'_> {
        UserMemory(self)
    }

    #[cfg(feature = "capi")]
    #[doc(hidden)]
    /// Makes the other PEs' registration fail, because this PE can't take part for `reason`. Collective with
    /// [`register_symmetric`](UserMemory::register_symmetric), with the same size. Returns this PE's error: `reason`, or the
    /// error of a call that failed before, for example because PEs differ in the size. The other PEs get an error that
    /// names this PE and has the text of `reason`.
    pub fn refuse_to_register(&self, bytes: usize, reason: Error) -> Error {
        self.begin_registration(bytes, || Err(reason.clone())).err().unwrap_or(reason)
    }

    /// Agrees on the size of a registration, finds this PE's memory, and continues only if every PE has found its own.
    fn begin_registration(&self, bytes: usize, find: impl FnOnce() -> Result<ProgramMemory>) -> Result<ProgramMemory> {
        self.refuse_in_capture(REGISTER)?;
        self.control.agree(REGISTER, &[("the size in bytes", bytes as u64)])?;
        all_ok(&self.control, "register symmetric memory", find())
    }

    #[cfg(feature = "capi")]
    #[doc(hidden)]
    /// Converts an address in this PE's window to a heap offset, also in a gap; `None` for other addresses.
    pub fn symmetric_place(&self, address: u64) -> Option<SymAddr> {
        let windows = self.windows();
        let at = address.checked_sub(windows.address(self.me, 0)?)?;
        (at < windows.stride()).then_some(SymAddr::new(at))
    }

    /// Finds memory of the program that is to become symmetric on this PE.
    ///
    /// # Safety
    ///
    /// - **mapped**: as for [`register_symmetric`](UserMemory::register_symmetric).
    unsafe fn find_program_memory(&self, address: u64, bytes: usize) -> Result<ProgramMemory> {
        let refuse = |kind, reason: String| {
            let action = format!("register {bytes} bytes at address {address:#x} as symmetric memory");
            Err(Error::new(kind, action).because(reason).about(self.me))
        };
        if address == 0 {
            return refuse(ErrorKind::InvalidArgument, "the address is null".into());
        }
        if !self.heap().can_grow {
            return refuse(
                ErrorKind::Incompatible,
                "a heap that is shared by legacy IPC handles has one extent".into(),
            )
            .map_err(|error| error.hint("set OXSHMEM_HEAP_KIND to vmm where the GPU supports it"));
        }
        let end = address.saturating_add(bytes as u64);
        let windows = {
            let windows = self.windows();
            windows.base()..windows.base() + windows.stride() * u64::from(self.n_pes)
        };
        if address < windows.end && windows.start < end {
            return refuse(ErrorKind::InvalidArgument, "it is in the symmetric heap".into());
        }
        let taken =
            self.inner().registered.iter().find_map(|(offset, other)| {
                (address < other.end && other.start < end).then(|| (*offset, other.clone()))
            });
        if let Some((offset, other)) = taken {
            let (bytes, start) = (other.end - other.start, other.start);
            return refuse(
                ErrorKind::InvalidArgument,
                format!("{bytes} bytes at address {start:#x} are registered already, at heap offset {offset:#x}"),
            );
        }
        // SAFETY: **mapped** by the caller.
        unsafe { ProgramMemory::find(&self.machine.memory, address, bytes) }.map_err(|error| error.about(self.me))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Config, DeviceChoice};

    #[test]
    fn memory_outside_the_heap_is_read_by_its_address() {
        let config = Config::new().with_device(DeviceChoice::Host).with_heap_bytes(1 << 20);
        World::threads(1, &config, |world| {
            let (numbers, mut read) = ([3u32, 5, 7], [0; 2]);
            // SAFETY: **mapped** and **unshared**: the call reads elements of the array.
            let from = |bytes: u64| unsafe { DevicePtr::new(numbers.as_ptr() as u64 + bytes) };
            world.user_memory().read(from(4), &mut read)?;
            assert_eq!(read, [5, 7]);
            let refused = world.user_memory().read(from(2), &mut read).unwrap_err();
            assert_eq!((refused.kind(), read), (ErrorKind::InvalidArgument, [5, 7]));
            Ok(())
        })
        .unwrap();
    }
}
