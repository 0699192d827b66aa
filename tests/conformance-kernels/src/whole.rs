//! Elements that are written while they are read: a reader must see each one whole, old or new.

use crate::kernel;
use oxshmem_device::prelude::*;
use oxshmem_device::{Element, Waitable};

use crate::place::{THREAD, WARP, wrong};

/// PEs of even number put to the right, where the elements are watched.
pub const PUT: u32 = 0;
/// PEs of even number change their own elements, which the right neighbour gets.
pub const GET: u32 = 1;

/// The element that the host puts: all bytes differ, and none is 0.
pub const FROM_HOST: u64 = 0x0102_0304_0506_0708;

/// Returns an element whose bytes are all equal.
#[inline(always)]
fn alike<T: Element>(byte: u64) -> T {
    T::from_bits64(byte.wrapping_mul(0x0101_0101_0101_0101))
}

/// Records an element whose bytes are not all equal.
#[inline(always)]
fn look<T: Element>(shmem: &Shmem, record: SymPtr<u64>, index: usize, seen: T) -> Result<(), Fault> {
    let bits = seen.to_bits64();
    let whole = alike::<T>(bits & 0xff).to_bits64();
    if bits == whole { Ok(()) } else { wrong(shmem, record, index as u64, whole, bits) }
}

/// The parameters of a launch, equal for all of its threads.
#[derive(Clone, Copy)]
struct Job<T> {
    how: u32,
    words: SymPtr<T>,
    other: SymPtr<T>,
    count: usize,
    rounds: usize,
    record: SymPtr<u64>,
}

/// The byte of the last round.
const LAST: u64 = 0xff;

/// Writes elements of one round after another: to `words` of the right neighbour, or to this PE's own.
#[inline(always)]
fn write<T: Element, Gr: Group>(shmem: &Shmem, by: Gr, job: Job<T>) -> Result<(), Fault> {
    let mine = shmem.local(job.other, job.count);
    for round in span(1, job.rounds + 1) {
        let value = alike::<T>(if round == job.rounds { LAST } else { 1 + (round as u64 & 0x7f) });
        for i in group_stride(by, job.count) {
            match job.how {
                PUT => mine.write(i, value),
                _ => shmem.p(job.words.add(i), value, shmem.my_pe())?,
            }
        }
        if job.how == PUT {
            by.sync();
            shmem.put(by, job.words, job.other, job.count, shmem.pe_after(1))?;
            by.sync();
        }
    }
    Ok(())
}

/// Reads this PE's own words, by one thread, until all are of the last round.
#[inline(always)]
fn watch<T: Element + Waitable>(shmem: &Shmem, job: Job<T>) -> Result<(), Fault> {
    let (last, me) = (alike::<T>(LAST), shmem.my_pe());
    let end = job.words.add(job.count - 1);
    loop {
        for i in span(0, job.count) {
            look(shmem, job.record, i, shmem.g(job.words.add(i), me)?)?;
        }
        let seen = shmem.g(end, me)?;
        if seen == last {
            return shmem.wait_until_all(job.words, job.count, None, Cmp::Eq, last);
        }
        // This wait bounds the loop, which continues when a word has changed.
        shmem.wait_until(end, Cmp::Ne, seen)?;
    }
}

/// Gets the left neighbour's words repeatedly.
#[inline(always)]
fn fetch<T: Element, Gr: Group>(shmem: &Shmem, by: Gr, job: Job<T>) -> Result<(), Fault> {
    let here = shmem.local(job.other, job.count);
    for _ in span(0, job.rounds) {
        shmem.get(by, job.other, job.words, job.count, shmem.pe_before(1))?;
        by.sync();
        for i in group_stride(by, job.count) {
            look(shmem, job.record, i, here.read(i))?;
        }
        by.sync();
    }
    Ok(())
}

#[inline(always)]
fn run<T: Element + Waitable, Gr: Group>(shmem: &Shmem, by: Gr, job: Job<T>) -> Result<(), Fault> {
    shmem.sync_all(by)?;
    if shmem.my_pe().number() & 1 == 0 {
        return write(shmem, by, job);
    }
    if job.how == GET {
        return fetch(shmem, by, job);
    }
    if by.leads() { watch(shmem, job) } else { Ok(()) }
}

macro_rules! whole {
    ($($name:ident $t:ty;)+) => { $( kernel! {
        /// Half of the PEs write elements while the others read them: by a thread, a warp, or a block.
        pub fn $name(
            shmem: Shmem, how: u32, scope: u32, words: SymPtr<$t>, other: SymPtr<$t>, count: usize, rounds: usize,
            record: SymPtr<u64>,
        ) -> Result<(), Fault> {
            let job = Job { how, words, other, count, rounds, record };
            match scope {
                THREAD => run(&shmem, Thread, job),
                WARP => run(&shmem, Warp, job),
                _ => run(&shmem, Block, job),
            }
        }
    } )+ };
}
whole! { whole_u16 u16; whole_u32 u32; whole_u64 u64; }

kernel! {
    /// Waits for each word in turn to differ from 0; it must be the host's element, whole.
    pub fn whole_from_host(shmem: Shmem, words: SymPtr<u64>, count: usize, record: SymPtr<u64>) -> Result<(), Fault> {
        for i in span(0, count) {
            let seen = shmem.signal_wait_until(words.add(i), Cmp::Ne, 0)?;
            if seen != FROM_HOST {
                wrong(&shmem, record, i as u64, FROM_HOST, seen)?;
            }
        }
        Ok(())
    }
}
