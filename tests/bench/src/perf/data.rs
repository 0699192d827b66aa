//! The data that is moved, and its checks.

use oxshmem_hal::{KernelArgs, Launch, Module, Result, SymPtr, World};
use oxshmem_perf_kernels::data::{FOUND, byte, word};
use oxshmem_perf_kernels::elements::{POISON, POISONED};

use super::buffers::{Buffer, GUARD, Place};

/// The expected contents of the destination.
#[derive(Clone, Copy, Debug)]
pub(super) enum Expected {
    /// `bytes` bytes from `at` on: the stream of `seed` from its byte `from` on.
    Stream { at: SymPtr<u8>, bytes: u64, seed: u64, from: u64 },
    /// Words of 4 bytes, `stride` bytes apart: word k is `first + k * step`.
    Words32 { at: SymPtr<u8>, count: u64, stride: u64, first: u32, step: u32 },
    /// Words of 8 bytes, `stride` bytes apart, all the same.
    Words64 { at: SymPtr<u8>, count: u64, stride: u64, value: u64 },
}

/// Fills and compares on the PE's machine.
#[derive(Debug)]
pub(super) struct Data<'a> {
    world: &'a World,
    module: &'a Module,
    launch: Launch,
    found: Buffer,
}

impl<'a> Data<'a> {
    pub(super) fn new(world: &'a World, module: &'a Module) -> Self {
        let launch = if world.on_host() { Launch::new(1, 32) } else { Launch::new(264, 256) };
        Self { world, module, launch, found: Buffer::default() }
    }

    /// Returns the seed of a PE's stream in a row.
    pub(super) fn seed(pe: u32, row: u64) -> u64 {
        word(u64::from(pe), row)
    }

    /// Returns the 4 bytes at byte `k`, a multiple of 4, of the stream, as a number.
    pub(super) fn u32_at(seed: u64, k: u64) -> u64 {
        (word(seed, k / 8) >> (8 * (k % 8))) & u64::from(u32::MAX)
    }

    /// Fills the source with random data, and poisons the destination and its guards.
    pub(super) fn fill(&self, place: Place, seed: u64) -> Result<()> {
        self.run("fill", (place.source.cast::<u64>(), place.source_bytes / 8, seed))?;
        let guarded = SymPtr::<u64>::new(oxshmem_core::SymAddr::new(place.dest.addr().offset() - GUARD));
        self.run("paint", (guarded, (place.dest_bytes + 2 * GUARD) / 8, POISONED))?;
        self.world.own_stream().synchronize()
    }

    /// Writes a chain of words of 8 bytes, `stride` bytes apart: each is `start` plus the offset of the next.
    pub(super) fn chain(&self, at: SymPtr<u8>, count: u64, stride: u64, start: u64) -> Result<()> {
        self.run("chain", (at.cast::<u64>(), count, stride, start))?;
        self.world.own_stream().synchronize()
    }

    /// Returns the difference in words, if there is any.
    pub(super) fn compare(&self, expected: Expected) -> Result<Option<String>> {
        let Some(found) = self.found() else { return Ok(Some("there is no room for what is found".into())) };
        let (of, unit) = match expected {
            Expected::Stream { at, bytes, seed, from } => {
                self.run("compare_bytes", (at, bytes, seed, from, found))?;
                (bytes, "bytes")
            }
            Expected::Words32 { at, count, stride, first, step } => {
                self.run("compare_words_u32", (at.cast::<u32>(), count, stride, first, step, found))?;
                (count, "words of 4 bytes")
            }
            Expected::Words64 { at, count, stride, value } => {
                self.run("compare_words_u64", (at.cast::<u64>(), count, stride, value, found))?;
                (count, "words of 8 bytes")
            }
        };
        self.world.own_stream().synchronize()?;
        let mut all = vec![0u64; FOUND * self.threads()];
        self.world.read(found, &mut all)?;
        let wrong: u64 = all.iter().step_by(FOUND).sum();
        let first = all.iter().skip(1).step_by(FOUND).min().copied().unwrap_or(u64::MAX);
        if wrong == 0 {
            return Ok(None);
        }
        let (is, should) = self.values(&expected, first)?;
        Ok(Some(format!("{wrong} of {of} {unit}, first number {first}: {is:#x} where {should:#x} was sent")))
    }

    /// Checks the guards before and after the data. Returns the unexpected contents, if there are any.
    pub(super) fn compare_guards(&self, at: SymPtr<u8>, bytes: u64) -> Result<Option<String>> {
        let before = SymPtr::<u8>::new(oxshmem_core::SymAddr::new(at.addr().offset() - GUARD));
        for (from, what) in [(before, "in front of"), (at.add(bytes as usize), "behind")] {
            // If the data begins later, less of the guard follows it.
            let mut guard = [0u8; GUARD as usize / 2];
            let from = if what == "behind" { from } else { from.add(GUARD as usize / 2) };
            self.world.read(from, &mut guard)?;
            let wrong = guard.iter().filter(|&&b| b != POISON).count();
            if let Some(first) = guard.iter().position(|&b| b != POISON) {
                let at = if what == "behind" { first } else { guard.len() - first };
                return Ok(Some(format!(
                    "{wrong} bytes {what} the {bytes} bytes of the destination were written, first that {at} {what}: \
                     {:#x}",
                    guard[first]
                )));
            }
        }
        Ok(None)
    }

    /// Returns the found and the expected value at `k`.
    fn values(&self, expected: &Expected, k: u64) -> Result<(u64, u64)> {
        Ok(match *expected {
            Expected::Stream { at, seed, from, .. } => {
                (self.world.g(at.add(k as usize), self.world.my_pe())?.into(), byte(seed, from + k).into())
            }
            Expected::Words32 { at, stride, first, step, .. } => {
                let is = self.world.g(at.add((k * stride) as usize).cast::<u32>(), self.world.my_pe())?;
                (is.into(), first.wrapping_add((k as u32).wrapping_mul(step)).into())
            }
            Expected::Words64 { at, stride, value, .. } => {
                (self.world.g(at.add((k * stride) as usize).cast::<u64>(), self.world.my_pe())?, value)
            }
        })
    }

    /// Allocates memory for the results of comparisons. Collective.
    pub(super) fn prepare(&mut self) -> Result<()> {
        self.found.ensure(self.world, (8 * FOUND * self.threads()) as u64).map(|_| ())
    }

    /// Frees the memory. Collective.
    pub(super) fn free(&mut self) -> Result<()> {
        self.found.free(self.world)
    }

    fn found(&self) -> Option<SymPtr<u64>> {
        self.found.at().map(SymPtr::cast)
    }

    fn threads(&self) -> usize {
        (self.launch.grid[0] * self.launch.block[0]) as usize
    }

    fn run(&self, kernel: &str, args: impl KernelArgs) -> Result<()> {
        self.world.own_stream().launch_kernel(&self.module.kernel(kernel)?, self.launch, args)
    }
}
