//! Waits and tests on words, in every form.

use crate::kernel;
use oxshmem_device::Waitable;
use oxshmem_device::prelude::*;

use crate::place::block_in_grid;

/// `wait_until` on the first word.
pub const WAIT: u32 = 0;
/// `wait_until_all`.
pub const WAIT_ALL: u32 = 1;
/// `wait_until_any`.
pub const WAIT_ANY: u32 = 2;
/// `wait_until_some`.
pub const WAIT_SOME: u32 = 3;
/// `test` of the first word.
pub const TEST: u32 = 4;
/// `test_all`.
pub const TEST_ALL: u32 = 5;
/// `test_any`.
pub const TEST_ANY: u32 = 6;
/// `test_some`.
pub const TEST_SOME: u32 = 7;
/// Added to a form over several words: its `_vector` form.
pub const VECTOR: u32 = 8;

/// Stands for no index.
pub const NONE: u64 = u64::MAX;

/// Returns the comparison with this number of the C interface.
#[inline(always)]
pub fn cmp(number: u32) -> Cmp {
    match number {
        0 => Cmp::Eq,
        1 => Cmp::Ne,
        2 => Cmp::Gt,
        3 => Cmp::Le,
        4 => Cmp::Lt,
        _ => Cmp::Ge,
    }
}

/// The parameters of a wait or a test.
#[derive(Clone, Copy)]
struct Ask<'a, T> {
    form: u32,
    cmp: Cmp,
    words: SymPtr<T>,
    count: usize,
    status: Option<Local<'a, i32>>,
    values: Local<'a, T>,
    indices: Local<'a, usize>,
}

#[inline(always)]
fn index(found: Option<usize>) -> u64 {
    match found {
        Some(index) => index as u64,
        None => NONE,
    }
}

/// Makes the call, and returns its result as a number.
#[inline(always)]
fn ask<T: Waitable>(shmem: &Shmem, ask: Ask<'_, T>) -> Result<u64, Fault> {
    let Ask { form, cmp, words, count, status, values, indices } = ask;
    let value = values.read(0);
    Ok(match form {
        WAIT => shmem.wait_until(words, cmp, value).map(|()| 1)?,
        WAIT_ALL => shmem.wait_until_all(words, count, status, cmp, value).map(|()| 1)?,
        WAIT_ANY => index(shmem.wait_until_any(words, count, status, cmp, value)?),
        WAIT_SOME => shmem.wait_until_some(words, count, indices, status, cmp, value)? as u64,
        TEST => shmem.test(words, cmp, value)? as u64,
        TEST_ALL => shmem.test_all(words, count, status, cmp, value)? as u64,
        TEST_ANY => index(shmem.test_any(words, count, status, cmp, value)?),
        TEST_SOME => shmem.test_some(words, count, indices, status, cmp, value)? as u64,
        _ => match form - VECTOR {
            WAIT_ALL => shmem.wait_until_all_vector(words, count, status, cmp, values).map(|()| 1)?,
            WAIT_ANY => index(shmem.wait_until_any_vector(words, count, status, cmp, values)?),
            WAIT_SOME => shmem.wait_until_some_vector(words, count, indices, status, cmp, values)? as u64,
            TEST_ALL => shmem.test_all_vector(words, count, status, cmp, values)? as u64,
            TEST_ANY => index(shmem.test_any_vector(words, count, status, cmp, values)?),
            _ => shmem.test_some_vector(words, count, indices, status, cmp, values)? as u64,
        },
    })
}

macro_rules! waits {
    ($($name:ident $t:ty;)+) => { $( kernel! {
        /// Block 0 makes the call on this PE's words. Block 1, if it exists, sets the right neighbour's words to the
        /// values in `raised`, in the order of `order`.
        pub fn $name(
            shmem: Shmem, form: u32, cmp_number: u32, words: SymPtr<$t>, count: usize, status: SymPtr<i32>, masked: u32,
            values: SymPtr<$t>, indices: SymPtr<usize>, raised: SymPtr<$t>, order: SymPtr<u32>, out: SymPtr<u64>,
        ) -> Result<(), Fault> {
            if block_in_grid() == 1 {
                let (raised, order) = (shmem.local(raised, count), shmem.local(order, count));
                for i in span(0, count) {
                    let at = order.read(i) as usize;
                    // A word that must not be raised has an index after the last.
                    if at < count {
                        shmem.p(words.add(at), raised.read(at), shmem.pe_after(1))?;
                    }
                }
                return Ok(());
            }
            let status = if masked != 0 { Some(shmem.local(status, count)) } else { None };
            let (values, indices) = (shmem.local(values, if count == 0 { 1 } else { count }), shmem.local(indices, count));
            let got = ask(&shmem, Ask { form, cmp: cmp(cmp_number), words, count, status, values, indices })?;
            shmem.local(out, 1).write(0, got);
            Ok(())
        }
    } )+ };
}
waits! {
    wait_i16 i16; wait_u16 u16; wait_i32 i32; wait_u32 u32; wait_i64 i64; wait_u64 u64; wait_isize isize; wait_usize usize;
}
