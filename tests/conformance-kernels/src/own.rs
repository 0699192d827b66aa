//! Copies whose local side is a `Local`: a part of this PE's memory, or an array of the kernel.

use crate::kernel;
use oxshmem_device::Element;
use oxshmem_device::prelude::*;

use crate::place::{THREAD, WARP, expect, value, wrong};

/// The areas of a launch, each of `count` elements.
#[derive(Clone, Copy)]
struct Areas<T> {
    mine: SymPtr<T>,
    inbox: SymPtr<T>,
    fetched: SymPtr<T>,
    count: usize,
    /// Rises with each put with a signal.
    flag: SymPtr<u64>,
    record: SymPtr<u64>,
}

/// Returns element `i` of a PE's message; each kind of operation (`what`) sends other elements.
#[inline(always)]
fn element<T: Element>(pe: Pe, what: u64, i: usize) -> T {
    value(((pe.number() as u64) << 32) ^ (what << 24) ^ i as u64)
}

/// Fills the group's own elements.
#[inline(always)]
fn fill<T: Element, Gr: Group>(shmem: &Shmem, by: Gr, a: Areas<T>, what: u64) {
    let mine = shmem.local(a.mine, a.count);
    for i in group_stride(by, a.count) {
        mine.write(i, element(shmem.my_pe(), what, i));
    }
    by.sync();
}

/// Checks that the elements at `at` are those of `pe`, from element `first` on, in order.
#[inline(always)]
fn compare<T: Element, Gr: Group>(
    shmem: &Shmem,
    by: Gr,
    a: Areas<T>,
    at: SymPtr<T>,
    (pe, what, first): (Pe, u64, usize),
) -> Result<(), Fault> {
    let here = shmem.local(at, a.count);
    for i in stride(first + by.rank() as usize, a.count, by.size() as usize) {
        let right: T = element(pe, what, i);
        expect(shmem, a.record, (what << 32) | i as u64, right.to_bits64(), here.read(i).to_bits64())?;
    }
    Ok(())
}

#[inline(always)]
fn by_parts<T: Element, Gr: Group>(shmem: &Shmem, by: Gr, a: Areas<T>) -> Result<(), Fault> {
    let (right, left) = (shmem.pe_after(1), shmem.pe_before(1));
    let rest = a.count - 1;
    fill(shmem, by, a, 1);
    shmem.put(by, a.inbox.add(1), shmem.local(a.mine, a.count).part(1, rest), rest, right)?;
    shmem.barrier_all(by)?;
    compare(shmem, by, a, a.inbox, (left, 1, 1))?;
    shmem.get(by, shmem.local(a.fetched, a.count).part(1, rest), a.mine.add(1), rest, right)?;
    by.sync();
    compare(shmem, by, a, a.fetched, (right, 1, 1))?;
    shmem.barrier_all(by)?;
    fill(shmem, by, a, 2);
    shmem.put_signal(by, a.inbox, shmem.local(a.mine, a.count), a.count, Signal::add(a.flag, 1), right)?;
    shmem.signal_wait_until(a.flag, Cmp::Ge, 1)?;
    compare(shmem, by, a, a.inbox, (left, 2, 0))?;
    shmem.barrier_all(by)?;
    fill(shmem, by, a, 3);
    shmem.put_signal_nbi(by, a.inbox, a.mine, a.count, Signal::add(a.flag, 1), right)?;
    shmem.signal_wait_until(a.flag, Cmp::Ge, 2)?;
    compare(shmem, by, a, a.inbox, (left, 3, 0))
}

macro_rules! own {
    ($($name:ident $t:ty;)+) => { $( kernel! {
        /// Puts, gets, and puts with a signal, whose local side is a part of this PE's memory.
        pub fn $name(
            shmem: Shmem, scope: u32, mine: SymPtr<$t>, inbox: SymPtr<$t>, fetched: SymPtr<$t>, count: usize,
            flag: SymPtr<u64>, record: SymPtr<u64>,
        ) -> Result<(), Fault> {
            let areas = Areas { mine, inbox, fetched, count, flag, record };
            match scope {
                THREAD => by_parts(&shmem, Thread, areas),
                WARP => by_parts(&shmem, Warp, areas),
                _ => by_parts(&shmem, Block, areas),
            }
        }
    } )+ };
}
own! { own_part_u8 u8; own_part_u64 u64; own_part_f32 f32; }

kernel! {
    /// Each thread puts an array of its own to the right, and gets the elements that arrived here into another one.
    pub fn own_array(shmem: Shmem, inbox: SymPtr<u64>, record: SymPtr<u64>) -> Result<(), Fault> {
        let (me, right) = (shmem.my_pe(), shmem.pe_after(1));
        let thread = thread_in_grid();
        let inbox = inbox.add(3 * thread);
        let at = |i| element::<u64>(me, thread as u64, i);
        let mut sent = [at(0), at(1), at(2)];
        shmem.put(Thread, inbox, Local::of(&shmem, &mut sent), 3, right)?;
        shmem.quiet()?;
        let mut back = [0; 3];
        shmem.get(Thread, Local::of(&shmem, &mut back), inbox, 3, right)?;
        let [a, b, c] = back;
        if a != at(0) || b != at(1) || c != at(2) {
            wrong(&shmem, record, thread as u64, at(0), a)?;
        }
        Ok(())
    }
}
