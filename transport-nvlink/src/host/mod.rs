//! The host half.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use oxshmem_core::host::{Error, ErrorKind, HostAmo, Reach, Result, Transport};
use oxshmem_core::{Pe, Remote};
use oxshmem_raw::memory::{Memory, Windows};

/// The load/store transport of one PE.
#[derive(Debug)]
pub struct NvLink {
    memory: Memory,
    windows: Arc<Mutex<Windows>>,
    reach: Vec<Reach>,
}

impl NvLink {
    /// Creates a transport to the PEs for which `mappable` is true (indexed by PE). `windows` is shared with the world.
    pub fn new(memory: Memory, windows: Arc<Mutex<Windows>>, mappable: &[bool]) -> Self {
        let reach = mappable.iter().map(|&yes| if yes { Reach::LoadStore } else { Reach::None }).collect();
        Self { memory, windows, reach }
    }

    fn windows(&self) -> MutexGuard<'_, Windows> {
        // A poisoned lock is safe to use: no call on the windows leaves them half changed when it panics.
        self.windows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn address(&self, of: Remote) -> Result<u64> {
        let reached = self.reach(of.pe) == Reach::LoadStore;
        self.windows().address(of.pe, of.at.offset()).filter(|_| reached).ok_or_else(|| {
            Error::new(ErrorKind::Unreachable, format!("reach {} by load and store", of.pe)).about(of.pe)
        })
    }
}

// SAFETY:
// - **state**: it has none.
// - **mapped**: it reaches the PEs whose extents the windows have mapped by `accept`.
// - **within**: each operation accesses the range that the world names; a withdrawn extent is unmapped.
// - **lent**: copies are done when a call returns; nothing is registered.
unsafe impl Transport for NvLink {
    fn name(&self) -> &'static str {
        "nvlink"
    }

    fn reach(&self, pe: Pe) -> Reach {
        self.reach.get(pe.index()).copied().unwrap_or(Reach::None)
    }

    fn put(&self, to: Remote, from: &[u8]) -> Result<()> {
        let at = self.address(to)?;
        // SAFETY: **mapped**: the world checked that the range is in the heap, and the whole heap is mapped.
        unsafe { self.memory.write(at, from) }
    }

    fn get(&self, to: &mut [u8], from: Remote) -> Result<()> {
        let at = self.address(from)?;
        // SAFETY: **mapped**: the world checked that the range is in the heap, and the whole heap is mapped.
        unsafe { self.memory.read(to, at) }
    }

    fn atomic(&self, at: Remote, what: HostAmo) -> Result<u64> {
        let address = self.address(at)?;
        if matches!(self.memory, Memory::Gpu(_)) {
            let error = Error::new(ErrorKind::Unreachable, format!("do an atomic of the host to a word of {}", at.pe));
            return Err(error
                .because("a processor has none on a GPU's memory")
                .hint("a kernel may do it")
                .about(at.pe));
        }
        let HostAmo { op, of, operand, compare } = what;
        let word = std::ptr::with_exposed_provenance_mut(address as usize);
        // SAFETY: **live**: the world checked that the word is in the heap and aligned, and the whole heap is mapped.
        let found = unsafe { crate::device::fetch(word, op, of, operand, compare) };
        std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);
        Ok(found)
    }

    /// Orders this thread's copies, which are complete when their calls return, before its later accesses. (A wait for
    /// the device would wait for kernels, including one that waits for this very put.)
    fn quiet(&self) -> Result<()> {
        std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);
        Ok(())
    }
}
