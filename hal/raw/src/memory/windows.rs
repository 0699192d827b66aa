//! The windows through which a PE accesses the heaps that it reaches by load and store, its own among them.

use std::collections::BTreeMap;
use std::fmt;
use std::os::fd::AsFd;

use oxshmem_core::Pe;
use oxshmem_core::host::{Error, ErrorKind, Extent, Offer, Result};

use super::Memory;
use super::program_memory::{Chunk, ProgramMemory};
use crate::gpu::cuda::{DeviceMemory, IPC_HANDLE_BYTES, IpcMapping, PhysicalChunk, Reservation};
use crate::os::shm::{HostReservation, ShmChunk};

/// The alignment of windows, in bytes: at least the size in which a GPU's memory is mapped, and otherwise the largest
/// power of two that is no larger than a window. Above a limit, larger windows would cost more addresses than their
/// alignment is worth.
const LEAST_ALIGNMENT: u64 = 2 << 20;
const MOST_ALIGNMENT: u64 = 1 << 30;

/// One window for each PE, `stride` bytes long, mapped extent by extent.
///
/// With virtual memory management, and on the host, all windows are adjacent in one reservation, so that a peer's
/// address is arithmetic. On a GPU without it, the driver chooses the address of each window, which has one extent, and
/// kernels read the addresses from a table.
pub struct Windows {
    memory: Memory,
    me: Pe,
    stride: u64,
    alignment: u64,
    views: Views,
    /// The program's own address of each extent of memory of the program on a GPU, by offset.
    program: BTreeMap<u64, u64>,
}

enum Views {
    /// `skip` bytes of the reservation precede the first window, so that the windows are aligned.
    Host {
        space: HostReservation,
        skip: usize,
        own: BTreeMap<u64, ShmChunk>,
    },
    Gpu {
        space: Reservation,
        own: BTreeMap<u64, PhysicalChunk>,
    },
    /// A PE must not free memory that others still have open: see [`Windows::close_peers`].
    Table {
        peers: BTreeMap<u32, IpcMapping>,
        own: Option<DeviceMemory>,
        bases: DeviceMemory,
    },
}

impl Windows {
    /// Reserves windows of at least `stride` bytes for `n_pes` PEs, aligned so that a heap offset which is a multiple of
    /// [`alignment`](Self::alignment) is such an address.
    ///
    /// # Errors
    /// There are not enough addresses.
    pub fn new(memory: &Memory, me: Pe, n_pes: u32, stride: u64) -> Result<Self> {
        const SMALLER: &str = "lower OXSHMEM_HEAP_LIMIT: each PE reserves as many addresses for the heap of every PE";
        let alignment = (1 << stride.max(1).ilog2()).clamp(LEAST_ALIGNMENT, MOST_ALIGNMENT);
        let stride = stride.checked_next_multiple_of(alignment).unwrap_or(stride);
        let bytes = stride.checked_mul(n_pes as u64).and_then(|b| usize::try_from(b).ok()).ok_or_else(|| {
            Error::new(ErrorKind::Exhausted, "reserve addresses for the symmetric heaps")
                .amount(stride, u64::MAX / n_pes as u64, "bytes a PE")
                .hint(SMALLER)
        })?;
        let smaller = |error: Error| if error.kind() == ErrorKind::Exhausted { error.hint(SMALLER) } else { error };
        let views = match memory {
            Memory::Host => {
                let space = HostReservation::reserve(bytes.saturating_add(alignment as usize)).map_err(smaller)?;
                let base = space.base().as_ptr() as u64;
                let skip = (base.next_multiple_of(alignment) - base) as usize;
                Views::Host { space, skip, own: BTreeMap::new() }
            }
            Memory::Gpu(context) => {
                let space = Reservation::reserve(context, bytes, alignment as usize).map_err(smaller)?;
                Views::Gpu { space, own: BTreeMap::new() }
            }
        };
        Ok(Self { memory: memory.clone(), me, stride, alignment, views, program: BTreeMap::new() })
    }

    /// Makes windows without virtual memory management: one extent, shared by legacy IPC handles.
    ///
    /// # Errors
    /// The memory is not a GPU's, or the table can't be allocated.
    pub fn by_table(memory: &Memory, me: Pe, n_pes: u32, stride: u64) -> Result<Self> {
        let Memory::Gpu(context) = memory else {
            return Err(Error::new(ErrorKind::InvalidArgument, "share the heap by IPC handles")
                .because("host PEs share it by descriptors"));
        };
        let bases = DeviceMemory::alloc(context, 8 * n_pes as usize)?;
        Ok(Self {
            memory: memory.clone(),
            me,
            stride,
            // That of the driver's large allocations.
            alignment: LEAST_ALIGNMENT,
            views: Views::Table { peers: BTreeMap::new(), own: None, bases },
            program: BTreeMap::new(),
        })
    }

    /// Returns the address of the window of PE 0; 0 with a table.
    pub fn base(&self) -> u64 {
        match &self.views {
            Views::Host { space, skip, .. } => space.base().as_ptr() as u64 + *skip as u64,
            Views::Gpu { space, .. } => space.base(),
            Views::Table { .. } => 0,
        }
    }

    /// Returns the distance from one window to the next, in bytes.
    pub fn stride(&self) -> u64 {
        self.stride
    }

    /// Returns the largest alignment of an allocation, in bytes: up to it, an aligned heap offset is an aligned address in
    /// every window.
    pub fn alignment(&self) -> u64 {
        self.alignment
    }

    /// Returns the device address of the table of windows; 0 if the windows are at a fixed stride.
    pub fn table(&self) -> u64 {
        match &self.views {
            Views::Table { bases, .. } => bases.address(),
            _ => 0,
        }
    }

    /// Returns whether the heap may have more than one extent.
    pub fn can_grow(&self) -> bool {
        !matches!(self.views, Views::Table { .. })
    }

    /// Returns the address, in this PE's address space, of offset `at` of the heap of `pe`, if that PE has a window.
    pub fn address(&self, pe: Pe, at: u64) -> Option<u64> {
        match &self.views {
            Views::Table { own, .. } if pe == self.me => Some(own.as_ref()?.address() + at),
            Views::Table { peers, .. } => Some(peers.get(&pe.number())?.address() + at),
            _ => Some(self.base() + self.stride * pe.number() as u64 + at),
        }
    }

    /// Returns the address at which an extent of this PE's own heap is registered with NICs. For memory of the program
    /// on a GPU it is the program's own: nvidia-peermem knows the address at which memory was mapped first.
    pub fn registration_address(&self, extent: Extent) -> Option<u64> {
        self.program.get(&extent.offset).copied().or_else(|| self.address(self.me, extent.offset))
    }

    /// Maps memory of the program as an extent of this PE's own heap. The program's own mapping stays.
    ///
    /// # Errors
    /// The heap can't grow, the extent leaves the window, or the system refuses the mapping.
    pub fn adopt(&mut self, extent: Extent, from: &ProgramMemory) -> Result<()> {
        let at = self.place(self.me, extent)?;
        match (&mut self.views, &from.chunk) {
            (Views::Host { space, own, .. }, Chunk::Host(chunk)) => {
                space.map(at, chunk)?;
                own.insert(extent.offset, chunk.clone());
            }
            (Views::Gpu { space, own }, Chunk::Gpu(chunk)) => {
                space.map(at, chunk)?;
                own.insert(extent.offset, chunk.clone());
                self.program.insert(extent.offset, from.address);
            }
            _ => {
                return Err(Error::new(ErrorKind::Incompatible, "map memory of the program in the symmetric heap")
                    .because("a heap that is shared by legacy IPC handles has one extent")
                    .hint("set OXSHMEM_HEAP_KIND to vmm where the GPU supports it"));
            }
        }
        Ok(())
    }

    /// Allocates memory for an extent of this PE's own heap, and maps it.
    ///
    /// # Errors
    /// There is not enough memory, or the extent leaves the window.
    pub fn create(&mut self, extent: Extent) -> Result<()> {
        let (at, bytes) = (self.place(self.me, extent)?, extent.bytes as usize);
        match (&mut self.views, &self.memory) {
            (Views::Host { space, own, .. }, _) => {
                let chunk = ShmChunk::create(bytes)?;
                space.map(at, &chunk)?;
                own.insert(extent.offset, chunk);
            }
            (Views::Gpu { space, own }, Memory::Gpu(context)) => {
                let chunk = PhysicalChunk::create(context, bytes)?;
                space.map(at, &chunk)?;
                own.insert(extent.offset, chunk);
            }
            (Views::Table { own, bases, .. }, Memory::Gpu(context)) => {
                if own.is_some() {
                    return Err(Error::new(ErrorKind::Exhausted, "grow the symmetric heap")
                        .because("a heap that is shared by legacy IPC handles can't grow")
                        .hint("set OXSHMEM_SYMMETRIC_SIZE to all that the program needs"));
                }
                let memory = DeviceMemory::alloc(context, bytes)?;
                let entry = bases.address() + 8 * self.me.number() as u64;
                // SAFETY: **mapped**: the table has an entry for each PE, and the memory is as large as the extent.
                unsafe {
                    self.memory.write(entry, &memory.address().to_le_bytes())?;
                    self.memory.fill(memory.address(), 0, bytes)?;
                }
                *own = Some(memory);
            }
            _ => unreachable!("the views were made for this memory"),
        }
        Ok(())
    }

    /// Returns the data that a peer needs to map an extent of this PE's heap.
    ///
    /// # Errors
    /// The heap has no such extent, or it can't be shared.
    pub fn offer(&self, extent: Extent) -> Result<Offer> {
        let missing = || {
            Error::new(ErrorKind::InvalidArgument, "share an extent of the symmetric heap")
                .because("there is no such extent")
        };
        match &self.views {
            Views::Host { own, .. } => {
                let fd = own.get(&extent.offset).ok_or_else(missing)?.fd().try_clone_to_owned().map_err(|e| {
                    let code = e.raw_os_error().unwrap_or(0);
                    let none_left = code == libc::EMFILE || code == libc::ENFILE;
                    let kind = if none_left { ErrorKind::Exhausted } else { ErrorKind::System };
                    let error = Error::new(kind, "share an extent of the symmetric heap").call(
                        "fcntl",
                        code.into(),
                        e.to_string(),
                    );
                    if none_left { error.hint("raise `ulimit -n`") } else { error }
                })?;
                Ok(Offer { bytes: Vec::new(), fds: vec![fd] })
            }
            Views::Gpu { own, .. } => {
                let fd = own.get(&extent.offset).ok_or_else(missing)?.export_fd()?;
                Ok(Offer { bytes: Vec::new(), fds: vec![fd] })
            }
            Views::Table { own, .. } => {
                let handle = own.as_ref().ok_or_else(missing)?.handle()?;
                Ok(Offer { bytes: handle.to_vec(), fds: Vec::new() })
            }
        }
    }

    /// Maps an extent of the heap of `pe`, from the offer of that PE.
    ///
    /// # Errors
    /// The offer is malformed, or the system refuses the mapping.
    pub fn accept(&mut self, pe: Pe, extent: Extent, offer: Offer) -> Result<()> {
        let action = || format!("map the heap of {pe}");
        let malformed =
            || Error::new(ErrorKind::Malformed, action()).because("its offer does not have the form of this transport");
        let at = self.place(pe, extent)?;
        let fd = offer.fds.into_iter().next();
        match (&mut self.views, &self.memory) {
            (Views::Host { space, .. }, _) => {
                space.map(at, &ShmChunk::from_fd(fd.ok_or_else(malformed)?, extent.bytes as usize)?)?;
            }
            (Views::Gpu { space, .. }, Memory::Gpu(context)) => {
                let fd = fd.ok_or_else(malformed)?;
                space.map(at, &PhysicalChunk::import_fd(context, fd.as_fd(), extent.bytes as usize)?)?;
            }
            (Views::Table { peers, bases, .. }, Memory::Gpu(context)) => {
                let handle: [u8; IPC_HANDLE_BYTES] = offer.bytes.try_into().map_err(|_| malformed())?;
                let mapping = IpcMapping::open(context, handle)?;
                let entry = bases.address() + 8 * pe.number() as u64;
                // SAFETY: **mapped**: the table has an entry for each PE.
                unsafe { self.memory.write(entry, &mapping.address().to_le_bytes())? }
                peers.insert(pe.number(), mapping);
            }
            _ => unreachable!("the views were made for this memory"),
        }
        Ok(())
    }

    /// Unmaps an extent of this PE and of each other of `n_pes` PEs, as far as it was mapped, and frees its memory.
    /// Memory of the program remains the program's. Another extent can then be mapped there.
    ///
    /// # Safety
    ///
    /// - **unused**: nothing on this PE uses an address of the extent any more.
    pub unsafe fn discard(&mut self, extent: Extent, n_pes: u32) {
        for pe in (0..n_pes).map(Pe::new) {
            let Ok(at) = self.place(pe, extent) else { continue };
            // Unmapping fails only if the extent was not mapped yet, which needs no action.
            let _ = match &mut self.views {
                // SAFETY: **unused** by the caller: nothing uses an address in the unmapped range.
                Views::Host { space, .. } => unsafe { space.unmap(at) },
                Views::Gpu { space, .. } => space.unmap(at),
                Views::Table { peers, .. } => {
                    peers.remove(&pe.number());
                    Ok(())
                }
            };
        }
        self.program.remove(&extent.offset);
        match &mut self.views {
            Views::Host { own, .. } => drop(own.remove(&extent.offset)),
            Views::Gpu { own, .. } => drop(own.remove(&extent.offset)),
            Views::Table { own, .. } => *own = None,
        }
    }

    /// Closes this PE's mappings of its peers' heaps where legacy IPC handles share them: a PE may free its own heap
    /// only after all others have closed it. Does nothing otherwise, because a mapping keeps the memory alive.
    ///
    /// # Safety
    ///
    /// - **unused**: nothing on this PE uses a peer's window any more.
    pub unsafe fn close_peers(&mut self) {
        if let Views::Table { peers, .. } = &mut self.views {
            peers.clear();
        }
    }

    /// Prepares to be dropped while peers may still have this PE's heap open, because the world ended with an error.
    ///
    /// # Safety
    ///
    /// - **unused**: nothing on this PE uses a peer's window any more.
    pub unsafe fn abandon(&mut self) {
        if let Views::Table { peers, own, .. } = &mut self.views {
            peers.clear();
            // Freeing memory that another process has open by a legacy IPC handle is undefined behaviour. It is leaked
            // until this process ends instead.
            std::mem::forget(own.take());
        }
    }

    /// Returns the extent's offset in the reservation.
    fn place(&self, pe: Pe, extent: Extent) -> Result<usize> {
        let end = extent.offset.checked_add(extent.bytes).filter(|&end| end <= self.stride);
        if end.is_none() {
            return Err(Error::new(ErrorKind::Exhausted, "grow the symmetric heap")
                .amount(extent.offset.saturating_add(extent.bytes), self.stride, "bytes")
                .hint("raise OXSHMEM_HEAP_LIMIT"));
        }
        let skip = if let Views::Host { skip, .. } = &self.views { *skip } else { 0 };
        Ok(skip + (self.stride * pe.number() as u64 + extent.offset) as usize)
    }
}

impl fmt::Debug for Windows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Windows").field("memory", &self.memory).field("stride", &self.stride).finish_non_exhaustive()
    }
}
