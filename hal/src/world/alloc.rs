//! Symmetric memory.

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_core::{Element, SymAddr, SymPtr, SymSlice, Symmetric};

use super::World;
use super::agreement::all_ok;

impl World {
    /// Allocates a slice of `count` elements of symmetric memory, with any contents. Collective, with the same `count`.
    ///
    /// New programs take this call and [`alloc_zeroed`](World::alloc_zeroed): a slice keeps its length, so that no
    /// later call needs it again, and none leaves the slice. [`malloc`](World::malloc) and its like have OpenSHMEM's
    /// names and return a pointer, which suits a single word.
    ///
    /// # Errors
    /// As [`malloc`](World::malloc).
    pub fn alloc<T: Element>(&self, count: usize) -> Result<SymSlice<T>> {
        Ok(SymSlice::new(self.malloc(count)?, count))
    }

    /// Allocates as [`alloc`](World::alloc), zeroed on every PE.
    ///
    /// # Errors
    /// As [`malloc`](World::malloc).
    pub fn alloc_zeroed<T: Element>(&self, count: usize) -> Result<SymSlice<T>> {
        Ok(SymSlice::new(self.calloc(count)?, count))
    }

    /// Allocates `count` elements of symmetric memory, with any contents. Collective, with the same `count`.
    ///
    /// The heap grows if needed; earlier allocations do not move.
    ///
    /// # Errors
    /// PEs differ in the size (both named), `count` is 0, or the heap is at its limit.
    pub fn malloc<T: Element>(&self, count: usize) -> Result<SymPtr<T>> {
        self.allocate("malloc", count, T::WIDTH.bytes(), 1).map(SymPtr::new)
    }

    /// Allocates as [`malloc`](World::malloc), zeroed on every PE.
    ///
    /// # Errors
    /// As [`malloc`](World::malloc).
    pub fn calloc<T: Element>(&self, count: usize) -> Result<SymPtr<T>> {
        let at = self.allocate("calloc", count, T::WIDTH.bytes(), 1)?;
        let state = self.state();
        // SAFETY: **mapped**: the range was just allocated, with this size, in this PE's heap.
        let zeroed = unsafe { self.machine.memory.fill(state.own + at.offset(), 0, count * T::WIDTH.bytes()) };
        // No PE may write into a peer's memory that is yet to be zeroed.
        let zeroed = all_ok(&self.control, "zero the memory that was allocated", zeroed);
        if zeroed.is_err() {
            // On every PE alike, so that the heaps remain equal.
            self.inner().heap.free(at.offset())?;
        }
        zeroed.map(|()| SymPtr::new(at))
    }

    /// Allocates as [`malloc`](World::malloc), at a multiple of `alignment` bytes, in the memory of every PE that maps it.
    /// It is a power of two of at most 1 GiB or the heap's limit, if that is less; of at most 2 MiB in a heap that is
    /// shared by legacy IPC handles. Collective, with the same arguments.
    ///
    /// # Errors
    /// As [`malloc`](World::malloc); or the alignment is not such a power of two.
    pub fn align<T: Element>(&self, alignment: usize, count: usize) -> Result<SymPtr<T>> {
        self.allocate("align", count, T::WIDTH.bytes(), alignment).map(SymPtr::new)
    }

    /// Frees symmetric memory, which an allocation has returned as `at`. Collective, with the same pointer or slice; no
    /// PE may still use the memory.
    ///
    /// # Errors
    /// PEs differ in the pointer (both named), or nothing is allocated there.
    pub fn free<T: Element>(&self, at: impl Symmetric<T>) -> Result<()> {
        let at = at.start();
        self.refuse_in_capture("free")?;
        // No PE may free memory that another PE's kernel still uses on this one.
        self.finish_own_work()?;
        self.control.agree("free", &[("the heap offset to free", at.addr().offset())])?;
        // All preceding calls were equal on every PE, so this one needs no further agreement.
        self.inner().heap.free(at.addr().offset())
    }

    fn allocate(&self, call: &'static str, count: usize, width: usize, alignment: usize) -> Result<SymAddr> {
        self.refuse_in_capture(call)?;
        let action = || format!("allocate {count} elements of {width} bytes of symmetric memory");
        let bytes = count.checked_mul(width).map(|bytes| bytes as u64);
        // All PEs check the arguments together. Otherwise a PE with valid arguments would wait for one that returned an
        // error.
        let values = [("the size in bytes", bytes.unwrap_or(u64::MAX)), ("the alignment in bytes", alignment as u64)];
        self.control.agree(call, &values)?;
        let Some(bytes) = bytes else {
            return Err(Error::new(ErrorKind::OutOfRange, action()).because("the size in bytes overflows"));
        };
        if bytes == 0 {
            return Err(Error::new(ErrorKind::InvalidArgument, action()).because("there is no memory of 0 bytes"));
        }
        if !alignment.is_power_of_two() {
            return Err(Error::new(ErrorKind::InvalidArgument, action())
                .because(format!("the alignment {alignment} is not a power of two")));
        }
        let (most, can_grow) = {
            let windows = self.windows();
            (windows.alignment(), windows.can_grow())
        };
        if alignment as u64 > most {
            let error = Error::new(ErrorKind::InvalidArgument, action())
                .because("the heaps of the PEs are not mapped at multiples of the alignment")
                .amount(alignment as u64, most, "bytes of alignment");
            return Err(if can_grow {
                error.hint("raise OXSHMEM_HEAP_LIMIT, up to alignments of 1 GiB")
            } else {
                error
            });
        }
        if let Some(at) = self.take(bytes, alignment) {
            return Ok(at);
        }
        if !can_grow {
            let largest = self.inner().heap.largest_free();
            return Err(Error::new(ErrorKind::Exhausted, action())
                .because("this heap, shared by legacy IPC handles, can't grow")
                .amount(bytes, largest, "bytes in one piece")
                .hint("set OXSHMEM_SYMMETRIC_SIZE to all that the program needs"));
        }
        let room = bytes.saturating_add(if alignment > 256 { alignment as u64 } else { 0 });
        let extent = self.inner().heap.next_extent(room)?;
        self.grow(extent)?;
        self.take(bytes, alignment)
            .ok_or_else(|| Error::new(ErrorKind::Exhausted, action()).because("the heap is too fragmented"))
    }

    fn take(&self, bytes: u64, alignment: usize) -> Option<SymAddr> {
        self.inner().heap.allocate(bytes, alignment as u64).map(SymAddr::new)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::{Duration, Instant};

    use oxshmem_core::{Cmp, Pe};

    use super::*;
    use crate::world::teams::TeamOptions;
    use crate::{Config, DeviceChoice};

    fn config() -> Config {
        Config::new().with_device(DeviceChoice::Host).with_heap_bytes(1 << 20)
    }

    #[test]
    fn a_heap_of_any_size_has_room_for_as_much_and_as_much_memory_for_teams_as_a_large_one() {
        let shape_beside = |bytes: u64| {
            let shapes = World::threads(2, &config().with_heap_bytes(bytes).with_heap_limit(2 << 30), |world| {
                let whole = world.malloc::<u8>(bytes.max(1) as usize)?;
                let last = whole.add(bytes.max(1) as usize - 1);
                world.p(last, 7 + world.my_pe().number() as u8, world.pe_after(1))?;
                let grown = world.malloc::<u64>(1 << 17)?;
                world.put(grown, &[5, 6], world.pe_after(1))?;
                world.barrier_all()?;
                assert_eq!(world.g(last, world.my_pe())?, 8 - world.my_pe().number() as u8);
                let mut seen = [0; 2];
                world.read(grown, &mut seen)?;
                assert_eq!(seen, [5, 6]);
                let team = world.team_world()?;
                team.split_strided(0, 1, 2)?;
                Ok((team.slots(), team.handle().payload))
            });
            shapes.unwrap_or_else(|error| panic!("{bytes} bytes: {error}"))
        };
        let large = shape_beside(1 << 30);
        for bytes in [0, 1, 512, 1 << 10, 4 << 10, (16 << 10) + 1, 64 << 10, 100 << 10, 256 << 10, 400 << 10, 512 << 10]
        {
            assert_eq!(shape_beside(bytes), large, "{bytes} bytes");
        }
    }

    #[test]
    fn what_is_used_up_names_its_own_variable() {
        World::threads(2, &config().with_heap_bytes(512).with_heap_limit(1 << 20).with_team_bytes(64 << 10), |world| {
            let error = world.malloc::<u8>(2 << 20).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Exhausted, "{error}");
            assert!(error.to_string().contains("OXSHMEM_HEAP_LIMIT") && !error.to_string().contains("TEAM"), "{error}");
            let pes: Vec<Pe> = world.pes().collect();
            let error = world.team(&pes, TeamOptions::default().with_slots(100)).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Exhausted, "{error}");
            assert!(error.to_string().contains("OXSHMEM_TEAM_MEMORY"), "{error}");
            world.malloc::<u8>(512 << 10).map(drop)
        })
        .unwrap();
    }

    #[test]
    fn an_alignment_up_to_the_limit_is_one_of_the_address_on_every_pe_that_maps_it() {
        World::threads(3, &config().with_heap_limit(4 << 30), |world| {
            for shift in 3..=30 {
                let at = world.align::<u8>(1 << shift, 100)?;
                for pe in world.pes() {
                    let there = world.ptr(at, pe)?.unwrap() as usize;
                    assert!(there.is_multiple_of(1 << shift), "2^{shift}: {there:#x} of {pe}");
                }
                world.p(at, shift, world.pe_after(1))?;
                world.barrier_all()?;
                assert_eq!(world.g(at, world.my_pe())?, shift);
                world.free(at)?;
            }
            let error = world.align::<u8>(2 << 30, 100).unwrap_err();
            assert!(error.to_string().contains("2147483648 bytes of alignment asked, 1073741824"), "{error}");
            let error = world.align::<u8>(48, 100).unwrap_err();
            assert!(error.to_string().contains("not a power of two"), "{error}");
            Ok(())
        })
        .unwrap();
    }

    #[test]
    fn many_pes_are_threads_of_a_process_with_the_usual_limit() {
        let config = Config::new().with_device(DeviceChoice::Host);
        World::threads(64, &config, |world| {
            let word = world.calloc::<u64>(1)?;
            world.p(word, 1 + u64::from(world.my_pe().number()), world.pe_after(1))?;
            world.barrier_all()?;
            assert_eq!(world.g(word, world.pe_after(1))?, 1 + u64::from(world.my_pe().number()));
            world.barrier_all()
        })
        .unwrap();
        // The PEs that have no addresses left say how many there are.
        let outcomes = World::threads_each(64, &config.with_heap_limit(64 << 30), |_| Ok(())).unwrap();
        let errors: Vec<Error> = outcomes.into_iter().map(Result::unwrap_err).collect();
        assert!(errors.iter().all(|error| error.kind() == ErrorKind::Exhausted), "{}", errors[0]);
        let own: Vec<&Error> = errors.iter().filter(|error| error.how_much().is_some()).collect();
        assert!(!own.is_empty());
        for error in own {
            let how_much = error.how_much().unwrap();
            assert!(
                how_much.limit < 2 * how_much.asked && error.to_string().contains("lower OXSHMEM_HEAP_LIMIT"),
                "{error}"
            );
        }
    }

    #[test]
    fn no_pe_frees_memory_that_another_ones_kernel_still_uses() {
        let freed = AtomicBool::new(false);
        World::threads(2, &config(), |world| {
            let (block, go) = (world.malloc::<u64>(1)?, world.calloc::<u64>(1)?);
            if world.my_pe() == Pe::new(0) {
                world.free(block)?;
                freed.store(true, Ordering::SeqCst);
                return world.barrier_all();
            }
            // A kernel of this PE writes into the other one's block when the word is set.
            let stream = world.stream()?;
            stream.wait_until(go, Cmp::Eq, 1)?;
            stream.p(block, 7, Pe::new(0))?;
            std::thread::scope(|scope| {
                // Any time is right for the word: no PE frees the block before it is set.
                scope.spawn(|| {
                    let start = Instant::now();
                    while !freed.load(Ordering::SeqCst) && start.elapsed() < Duration::from_millis(200) {
                        std::thread::yield_now();
                    }
                    let is_freed = freed.load(Ordering::SeqCst);
                    world.p(go, 1, Pe::new(1)).unwrap();
                    assert!(!is_freed, "the block was freed while a kernel used it");
                });
                world.free(block)
            })?;
            world.barrier_all()
        })
        .unwrap();
    }
}
