//! Copies by table: the groups of threads take its rows in turn.

use crate::kernel;
use oxshmem_device::Element;
use oxshmem_device::prelude::*;

use crate::place::{THREAD, WARP, group, queue};

/// `put`.
pub const PUT: u32 = 0;
/// `put_nbi`, and a quiet after the last row.
pub const PUT_NBI: u32 = 1;
/// `get`.
pub const GET: u32 = 2;
/// `get_nbi`, and a quiet after the last row.
pub const GET_NBI: u32 = 3;
/// `iput`.
pub const IPUT: u32 = 4;
/// `iget`.
pub const IGET: u32 = 5;
/// `p` of each element, by a thread.
pub const P: u32 = 6;
/// `g` of each element, by a thread.
pub const G: u32 = 7;

/// Words of a row: first element at the destination and at the source, count, and both strides, all in elements.
pub const ROW: usize = 5;

/// The parameters of a launch, equal for all of its threads.
struct Job<T> {
    op: u32,
    dest: SymPtr<T>,
    source: SymPtr<T>,
    table: SymPtr<u64>,
    rows: usize,
    pe: Pe,
}

impl<T> Clone for Job<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Job<T> {}

/// Executes the rows of this thread's group by blocking calls.
#[inline(always)]
fn blocking<T: Element, I: Rma, Gr: Group>(
    shmem: &Shmem,
    on: &I,
    by: Gr,
    scope: u32,
    job: Job<T>,
) -> Result<(), Fault> {
    let table = shmem.local(job.table, job.rows * ROW);
    let (first, step) = group(scope);
    for row in stride(first, job.rows, step) {
        let word = |i| table.read(row * ROW + i) as usize;
        let (dest, source, count) = (job.dest.add(word(0)), job.source.add(word(1)), word(2));
        match job.op {
            PUT => on.put(by, dest, source, count, job.pe)?,
            GET => on.get(by, dest, source, count, job.pe)?,
            IPUT => on.iput(by, dest, source, word(3), word(4), count, job.pe)?,
            IGET => on.iget(by, dest, source, word(3), word(4), count, job.pe)?,
            _ => {}
        }
    }
    Ok(())
}

/// Executes the rows of this thread's group by nonblocking calls, and a quiet after the last.
#[inline(always)]
fn nonblocking<T: Element, I: Rma, Gr: Group>(
    shmem: &Shmem,
    on: &I,
    by: Gr,
    scope: u32,
    job: Job<T>,
) -> Result<(), Fault> {
    let table = shmem.local(job.table, job.rows * ROW);
    let (first, step) = group(scope);
    for row in stride(first, job.rows, step) {
        let word = |i| table.read(row * ROW + i) as usize;
        let (dest, source, count) = (job.dest.add(word(0)), job.source.add(word(1)), word(2));
        match job.op {
            PUT_NBI => on.put_nbi(by, dest, source, count, job.pe)?,
            _ => on.get_nbi(by, dest, source, count, job.pe)?,
        }
    }
    shmem.quiet()
}

/// Executes the rows of this thread, one element at a time.
#[inline(always)]
fn elements<T: Element, I: Rma>(shmem: &Shmem, on: &I, job: Job<T>) -> Result<(), Fault> {
    let table = shmem.local(job.table, job.rows * ROW);
    for row in grid_stride(job.rows) {
        let word = |i| table.read(row * ROW + i) as usize;
        let (dest, source, count) = (job.dest.add(word(0)), job.source.add(word(1)), word(2));
        for i in span(0, count) {
            if job.op == P {
                on.p(dest.add(i), shmem.local(source.add(i), 1).read(0), job.pe)?;
            } else {
                shmem.local(dest.add(i), 1).write(0, on.g(source.add(i), job.pe)?);
            }
        }
    }
    Ok(())
}

#[inline(always)]
fn run<T: Element, I: Rma>(shmem: &Shmem, on: &I, scope: u32, job: Job<T>) -> Result<(), Fault> {
    if job.op == P || job.op == G {
        return elements(shmem, on, job);
    }
    match scope {
        THREAD => blocking(shmem, on, Thread, scope, job),
        WARP => blocking(shmem, on, Warp, scope, job),
        _ => blocking(shmem, on, Block, scope, job),
    }
}

#[inline(always)]
fn run_nbi<T: Element, I: Rma>(shmem: &Shmem, on: &I, scope: u32, job: Job<T>) -> Result<(), Fault> {
    match scope {
        THREAD => nonblocking(shmem, on, Thread, scope, job),
        WARP => nonblocking(shmem, on, Warp, scope, job),
        _ => nonblocking(shmem, on, Block, scope, job),
    }
}

macro_rules! on_a_queue {
    ($($name:ident $t:ty, $run:ident;)+) => { $( kernel! {
        /// Executes the rows of a table, on the queue that `view` and `handle` name.
        pub fn $name(
            shmem: Shmem, op: u32, scope: u32, view: u32, handle: QpHandle,
            dest: SymPtr<$t>, source: SymPtr<$t>, table: SymPtr<u64>, rows: usize, pe: Pe,
        ) -> Result<(), Fault> {
            $run(&shmem, &shmem.qp(queue(view, handle)), scope, Job { op, dest, source, table, rows, pe })
        }
    } )+ };
}
on_a_queue! {
    rma_i8 i8, run; rma_u8 u8, run; rma_i16 i16, run; rma_u16 u16, run; rma_i32 i32, run; rma_u32 u32, run;
    rma_i64 i64, run; rma_u64 u64, run; rma_isize isize, run; rma_usize usize, run;
    rma_f16 F16, run; rma_bf16 Bf16, run; rma_f32 f32, run; rma_f64 f64, run;
}
// A copy depends on the type's width alone: one type of each width keeps the module small.
on_a_queue! { rma_nbi_u8 u8, run_nbi; rma_nbi_f16 F16, run_nbi; rma_nbi_i32 i32, run_nbi; rma_nbi_f64 f64, run_nbi; }

macro_rules! without_a_queue {
    ($($name:ident $t:ty, $run:ident;)+) => { $( kernel! {
        /// Executes the rows of a table, by calls that name no queue.
        pub fn $name(
            shmem: Shmem, op: u32, scope: u32,
            dest: SymPtr<$t>, source: SymPtr<$t>, table: SymPtr<u64>, rows: usize, pe: Pe,
        ) -> Result<(), Fault> {
            $run(&shmem, &shmem, scope, Job { op, dest, source, table, rows, pe })
        }
    } )+ };
}
without_a_queue! {
    rma_plain_u8 u8, run; rma_plain_f64 f64, run; rma_plain_nbi_u8 u8, run_nbi; rma_plain_nbi_f64 f64, run_nbi;
}
