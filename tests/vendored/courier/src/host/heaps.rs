//! Copies and atomics between this PE's memory and the heaps of its peers.

use std::collections::BTreeMap;
use std::fs::File;
use std::sync::atomic::{AtomicU64, Ordering, fence};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use oxshmem_core::host::{Error, ErrorKind, Extent, HostAmo, Result};
use oxshmem_core::{AmoType, Pe, Remote};
use oxshmem_raw::gpu::cuda::{Stream, copy};
use oxshmem_raw::memory::{Memory, Windows};
use oxshmem_raw::queue::amo::{Atomic, NicAtomic};

/// Bytes of one step of a copy on the host: a multiple of the largest element.
const STEP: usize = 64 << 10;

/// The mapped heaps of the peers.
///
/// On the host all accesses are atomics of the processor. On a GPU they are copies of the driver, on a stream of their
/// own, and the atomics on a heap exclude each other by that heap's lock: they are not atomic with the stores and
/// atomics of the GPU's own threads.
#[derive(Debug)]
pub(super) struct Heaps {
    memory: Memory,
    stream: Option<Stream>,
    windows: Arc<Mutex<Windows>>,
    peers: Vec<Mutex<Option<Peer>>>,
}

/// The mapped heap of a peer.
#[derive(Debug)]
struct Peer {
    /// The extents that are mapped: the end of each by its offset.
    extents: BTreeMap<u64, u64>,
    /// Held for an atomic on a GPU's memory.
    lock: Arc<File>,
}

impl Peer {
    /// Returns the end of the mapped bytes that begin at `offset`, or before it; `offset` itself if it is not mapped.
    fn end_after(&self, offset: u64) -> u64 {
        let extents = self.extents.iter().map(|(start, end)| (*start, *end));
        extents.fold(offset, |at, (start, end)| if start <= at && at < end { end } else { at })
    }
}

impl Heaps {
    pub(super) fn new(memory: &Memory, windows: Arc<Mutex<Windows>>, n_pes: usize) -> Result<Self> {
        let stream = match memory {
            Memory::Host => None,
            Memory::Gpu(context) => Some(Stream::new(context)?),
        };
        Ok(Self { memory: memory.clone(), stream, windows, peers: (0..n_pes).map(|_| Mutex::default()).collect() })
    }

    pub(super) fn windows(&self) -> MutexGuard<'_, Windows> {
        locked(&self.windows)
    }

    /// Adds an extent that the windows map. An extent that was removed may leave a gap, and another one come there.
    pub(super) fn add(&self, pe: Pe, extent: Extent, lock: File) {
        let mut peer = locked(&self.peers[pe.index()]);
        let peer = peer.get_or_insert_with(|| Peer { extents: BTreeMap::new(), lock: Arc::new(lock) });
        peer.extents.insert(extent.offset, extent.offset + extent.bytes);
    }

    /// Forgets an extent of all peers that have it.
    pub(super) fn remove(&self, extent: Extent) {
        for peer in &self.peers {
            if let Some(peer) = &mut *locked(peer) {
                peer.extents.remove(&extent.offset);
            }
        }
    }

    /// Writes `from` to a heap, aligned elements as a whole. Another PE sees it before anything that this PE does
    /// later.
    pub(super) fn write(&self, to: Remote, from: &[u8]) -> Result<()> {
        let (at, _) = self.locate(to, from.len() as u64)?;
        // SAFETY: **mapped**: `locate` has checked the range.
        unsafe { self.store(at, from) }
    }

    /// Reads from a heap into `to`, aligned elements as a whole.
    pub(super) fn read(&self, to: &mut [u8], from: Remote) -> Result<()> {
        let (at, _) = self.locate(from, to.len() as u64)?;
        // SAFETY: **mapped**: `locate` has checked the range.
        unsafe { self.load(to, at) }
    }

    /// Copies `bytes` bytes from address `local` of this PE to a heap.
    ///
    /// # Safety
    ///
    /// - **local**: the range of this PE stays mapped during the call.
    pub(super) unsafe fn put(&self, to: Remote, local: u64, bytes: u64) -> Result<()> {
        let (at, _) = self.locate(to, bytes)?;
        // SAFETY: **mapped**: by `locate`, and by **local**.
        unsafe { self.copy(at, local, bytes) }
    }

    /// Copies `bytes` bytes from a heap to address `local` of this PE.
    ///
    /// # Safety
    ///
    /// - **local**: the range of this PE stays mapped during the call.
    pub(super) unsafe fn get(&self, local: u64, from: Remote, bytes: u64) -> Result<()> {
        let (at, _) = self.locate(from, bytes)?;
        // SAFETY: **mapped**: by `locate`, and by **local**.
        unsafe { self.copy(local, at, bytes) }
    }

    /// Applies an atomic, and returns the previous value.
    pub(super) fn atomic(&self, at: Remote, what: HostAmo) -> Result<u64> {
        let HostAmo { op, of, operand, compare } = what;
        let bytes = match of {
            AmoType::B64 | AmoType::F64 => 8,
            AmoType::B32 | AmoType::F32 => 4,
            AmoType::F16 => 2,
        };
        let atomic = Atomic::new(op, of, at.at.offset(), operand, compare).ok_or_else(|| {
            Error::new(ErrorKind::InvalidArgument, format!("do an atomic on a word of {}", at.pe))
                .because(format!("offset {:#x} is not a multiple of its {bytes} bytes", at.at.offset()))
                .about(at.pe)
        })?;
        let (word, lock) = self.locate(at, bytes)?;
        let whole = word & !7;
        if self.stream.is_none() {
            // SAFETY: **mapped**: `locate` has checked the word, and a heap begins and ends at a multiple of 8. All
            // code accesses heaps by atomics of the processor, which are atomic with each other also if their widths
            // differ.
            let whole = unsafe { AtomicU64::from_ptr(whole as *mut u64) };
            let mut seen = whole.load(Ordering::Acquire);
            while let Some(new) = changed(&atomic, seen) {
                match whole.compare_exchange_weak(seen, new, Ordering::AcqRel, Ordering::Acquire) {
                    Ok(_) => break,
                    Err(now) => seen = now,
                }
            }
            return Ok(atomic.word(seen));
        }
        let failed = |error: std::io::Error| super::system("lock a heap for an atomic", "flock", &error).about(at.pe);
        lock.lock().map_err(failed)?;
        let done = (|| {
            let mut seen = [0; 8];
            // SAFETY: **mapped**: `locate` has checked the word, and a heap begins and ends at a multiple of 8.
            unsafe { self.load(&mut seen, whole)? }
            let seen = u64::from_ne_bytes(seen);
            if let Some(new) = changed(&atomic, seen) {
                // Only the word itself is written, because others may write the bytes beside it.
                // SAFETY: **mapped**: `locate` has checked the word.
                unsafe { self.store(word, &atomic.word(new).to_ne_bytes()[..bytes as usize])? }
            }
            Ok(atomic.word(seen))
        })();
        lock.unlock().map_err(failed)?;
        done
    }

    /// Returns the address of a range in this PE's address space, and the lock of the heap.
    fn locate(&self, at: Remote, bytes: u64) -> Result<(u64, Arc<File>)> {
        let (peer, offset) = (locked(&self.peers[at.pe.index()]), at.at.offset());
        let mapped = peer.as_ref().map_or(0, |peer| peer.end_after(offset) - offset);
        let address = (bytes <= mapped).then(|| self.windows().address(at.pe, offset)).flatten();
        address.zip(peer.as_ref().map(|peer| peer.lock.clone())).ok_or_else(|| {
            let action = format!("reach the heap of {} at offset {offset:#x}", at.pe);
            Error::new(ErrorKind::OutOfRange, action).amount(bytes, mapped, "bytes").about(at.pe)
        })
    }

    /// Copies `bytes` bytes.
    ///
    /// # Safety
    ///
    /// - **mapped**: both ranges are mapped for this PE during the call.
    unsafe fn copy(&self, to: u64, from: u64, bytes: u64) -> Result<()> {
        if let Some(stream) = &self.stream {
            // SAFETY: **mapped**: the caller keeps both ranges mapped. **unshared**: an access at the same time is a
            // race of the program.
            unsafe { copy::anywhere_on(stream, to, from, bytes as usize)? }
            return stream.synchronize();
        }
        let mut buffer = [0; STEP];
        let mut done = 0;
        while done < bytes {
            let step = &mut buffer[..(bytes - done).min(STEP as u64) as usize];
            // SAFETY: **mapped**: the step is in the ranges.
            unsafe {
                self.load(step, from + done)?;
                self.store(to + done, step)?;
            }
            done += step.len() as u64;
        }
        Ok(())
    }

    /// Stores bytes, after earlier writes.
    ///
    /// # Safety
    ///
    /// - **mapped**: the range at `to` is mapped for this PE during the call.
    unsafe fn store(&self, to: u64, from: &[u8]) -> Result<()> {
        let Some(stream) = &self.stream else {
            // The bytes may be a flag that announces earlier writes.
            fence(Ordering::Release);
            // SAFETY: **mapped**: the caller keeps the range at `to` mapped.
            return unsafe { self.memory.write(to, from) };
        };
        // SAFETY: **mapped**: the caller keeps the range at `to` mapped. **alive**: the copy ends before the call.
        // **unshared**: an access at the same time is a race of the program.
        unsafe { copy::host_to_device_on(stream, to, from)? }
        stream.synchronize()
    }

    /// Loads bytes, before later accesses.
    ///
    /// # Safety
    ///
    /// - **mapped**: the range at `from` is mapped for this PE during the call.
    unsafe fn load(&self, to: &mut [u8], from: u64) -> Result<()> {
        let Some(stream) = &self.stream else {
            // SAFETY: **mapped**: the caller keeps the range at `from` mapped.
            unsafe { self.memory.read(to, from)? }
            // The bytes may be a flag that announces earlier writes.
            fence(Ordering::Acquire);
            return Ok(());
        };
        // SAFETY: **mapped**: the caller keeps the range at `from` mapped. **alive**: the copy ends before the call.
        // **unshared**: an access at the same time is a race of the program.
        unsafe { copy::device_to_host_on(stream, to, from)? }
        stream.synchronize()
    }
}

/// Returns the 8 bytes around a word after the atomic, if they were `seen` before; `None` if the atomic changes
/// nothing, because the word is not the one that it compares with.
fn changed(atomic: &Atomic, seen: u64) -> Option<u64> {
    match atomic.swap(atomic.guess(seen)) {
        NicAtomic::CompareSwap { compare, swap } if compare == seen => Some(swap),
        _ => None,
    }
}

/// Locks a mutex, also after a panic: no thread leaves the data half changed.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
pub(super) mod tests {
    use oxshmem_core::{AmoOp, SymAddr};

    use super::*;

    const PEER: Pe = Pe::new(1);

    /// Returns a peer's heap of one extent, which the windows of PE 0 map.
    pub(in crate::host) fn heaps() -> (Heaps, Windows, u64) {
        let bytes = Memory::Host.granularity().unwrap() as u64;
        let extent = Extent { offset: 0, bytes };
        let stride = 1 << 21;
        let mut theirs = Windows::new(&Memory::Host, PEER, 2, stride).unwrap();
        theirs.create(extent).unwrap();
        let mut mine = Windows::new(&Memory::Host, Pe::new(0), 2, stride).unwrap();
        mine.accept(PEER, extent, theirs.offer(extent).unwrap()).unwrap();
        let heaps = Heaps::new(&Memory::Host, Arc::new(Mutex::new(mine)), 2).unwrap();
        heaps.add(PEER, extent, File::open("/dev/null").unwrap());
        (heaps, theirs, bytes)
    }

    fn at(offset: u64) -> Remote {
        Remote { pe: PEER, at: SymAddr::new(offset) }
    }

    #[test]
    fn a_put_and_a_get_move_exactly_the_bytes_that_they_name() {
        let (heaps, _theirs, _) = heaps();
        let from: Vec<u8> = (1..=100).collect();
        // SAFETY: **local**: the range is in the vector.
        unsafe { heaps.put(at(9), from.as_ptr() as u64, 100).unwrap() }
        let mut all = [7; 120];
        heaps.read(&mut all, at(0)).unwrap();
        assert_eq!((&all[..9], &all[9..109], &all[109..]), (&[0; 9][..], &from[..], &[0; 11][..]));
        let mut to = [7u8; 6];
        // SAFETY: **local**: the range is in the array.
        unsafe { heaps.get(to[1..].as_mut_ptr() as u64, at(10), 4).unwrap() }
        assert_eq!(to, [7, 2, 3, 4, 5, 7]);
    }

    #[test]
    fn an_atomic_changes_its_word_alone_and_returns_the_old_one() {
        let (heaps, _theirs, _) = heaps();
        let amo = |op, of, operand, compare| HostAmo { op, of, operand, compare };
        heaps.write(at(8), &[0xff; 8]).unwrap();
        let upper = at(12);
        assert_eq!(heaps.atomic(upper, amo(AmoOp::Add, AmoType::B32, 2, 0)).unwrap(), 0xffff_ffff);
        assert_eq!(heaps.atomic(upper, amo(AmoOp::CompareSwap, AmoType::B32, 9, 2)).unwrap(), 1, "no match");
        assert_eq!(heaps.atomic(upper, amo(AmoOp::CompareSwap, AmoType::B32, 9, 1)).unwrap(), 1);
        assert_eq!(heaps.atomic(at(8), amo(AmoOp::Fetch, AmoType::B64, 0, 0)).unwrap(), 9 << 32 | 0xffff_ffff);
        let misaligned = heaps.atomic(at(10), amo(AmoOp::Fetch, AmoType::B32, 0, 0)).unwrap_err();
        assert_eq!(misaligned.kind(), ErrorKind::InvalidArgument);
    }

    #[test]
    fn a_range_outside_the_mapped_heap_is_refused_also_after_an_extent_was_withdrawn() {
        let (heaps, _theirs, bytes) = heaps();
        heaps.write(at(bytes - 4), &[1; 4]).unwrap();
        for (offset, length) in [(bytes - 3, 4), (bytes, 1), (u64::MAX, 2)] {
            assert_eq!(heaps.write(at(offset), &vec![1; length]).unwrap_err().kind(), ErrorKind::OutOfRange);
        }
        let myself = Remote { pe: Pe::new(0), at: SymAddr::new(0) };
        assert_eq!(heaps.write(myself, &[1]).unwrap_err().kind(), ErrorKind::OutOfRange, "no extent was accepted");
        heaps.remove(Extent { offset: 0, bytes });
        assert_eq!(heaps.write(at(0), &[1]).unwrap_err().kind(), ErrorKind::OutOfRange);
    }

    #[test]
    fn a_gap_between_extents_is_refused_until_an_extent_fills_it() {
        let (heaps, mut theirs, bytes) = heaps();
        let of = |place: u64| Extent { offset: place * bytes, bytes };
        let mut map = |extent: Extent| {
            theirs.create(extent).unwrap();
            let offer = theirs.offer(extent).unwrap();
            heaps.windows().accept(PEER, extent, offer).unwrap();
        };
        let add = |extent| heaps.add(PEER, extent, File::open("/dev/null").unwrap());
        for extent in [of(1), of(2)] {
            map(extent);
            add(extent);
        }
        heaps.write(at(bytes - 4), &[1; 8]).unwrap();
        heaps.remove(of(1));
        for (offset, length) in [(bytes - 4, 8), (bytes, 1), (2 * bytes - 1, 2)] {
            assert_eq!(heaps.write(at(offset), &vec![1; length]).unwrap_err().kind(), ErrorKind::OutOfRange);
        }
        heaps.write(at(0), &vec![1; bytes as usize]).unwrap();
        heaps.write(at(2 * bytes), &vec![1; bytes as usize]).unwrap();
        add(of(1));
        heaps.write(at(0), &vec![1; 3 * bytes as usize]).unwrap();
        let error = heaps.write(at(3 * bytes - 4), &[1; 8]).unwrap_err().to_string();
        assert!(error.contains("8 bytes asked, 4 available"), "{error}");
    }
}
