//! Kernels, and parts of kernels.

use oxshmem_device::prelude::*;
use oxshmem_device::{Element, Held, Sum, Team};

kernel! {
    /// Sums a part of the field for each block.
    pub fn step(shmem: Shmem, team: TeamHandle, field: SymSlice<f32>) -> Result<(), Fault> {
        let block = block_idx()[0];
        let team = shmem.team(team).slot(block); // each block has a slot of its own
        let Some(part) = field.split(grid_dim()[0] as usize).nth(block as usize) else { return Ok(()) };
        team.reduce(Block, Sum, part.as_ptr(), part.as_ptr(), part.len())
    }
}

kernel! {
    /// Makes a step of a field.
    pub fn smooth(shmem: Shmem, field: SymSlice<f32>) {
        let all = shmem.local(field, ..);
        for i in grid_stride(all.len()) {
            all.write(i, 0.5 * all.read(i));
        }
    }

    /// Takes what has arrived.
    pub fn merge(shmem: Shmem, inbox: SymSlice<f32>, flag: SymPtr<u64>) {
        let arrived = shmem.local(inbox, ..).read(0);
        shmem.local(flag, 1).write(0, u64::from(arrived < 0.0));
    }
}

/// The value of a ticket that could not be taken.
const NONE: u64 = u64::MAX;

/// Takes a ticket for a block.
pub fn ticket(shmem: &Shmem, next: SymPtr<u64>, root: Pe) -> Option<u64> {
    // One thread takes a ticket for its block. If that fails, no thread goes on.
    let ticket = Block.broadcast(if Block.leads() { shmem.atomic_fetch_inc(next, root).unwrap_or(NONE) } else { NONE });
    (ticket != NONE).then_some(ticket)
}

/// Puts one part of a slice, and takes the caller's share of another one.
///
/// # Errors
/// As of a put.
pub fn parts(shmem: &Shmem, row: SymSlice<f32>, inbox: SymSlice<f32>) -> Result<(), Fault> {
    let (me, n_pes) = (shmem.my_pe().number() as usize, shmem.n_pes() as usize);
    let ends = shmem.range(row, ..2)?; // a fault, if the row is shorter
    let Some(mine) = inbox.split(n_pes).nth(me) else { return Ok(()) }; // this PE's share among all
    shmem.put(Block, mine, ends, ends.len(), shmem.pe_after(1)) // a fault, if the share is shorter
}

/// Puts on a queue of the program, and waits for that queue alone.
///
/// # Errors
/// As of a put.
pub fn on_a_queue<T: Element>(
    shmem: &Shmem,
    handle: QpHandle,
    (dest, source): (SymSlice<T>, SymSlice<T>),
    pe: Pe,
) -> Result<(), Fault> {
    shmem.qp(Qp::Custom(handle)).put_nbi(Block, dest, source, .., pe)?;
    shmem.quiet_on(Block, PeSet::One(pe), QpSet::Of(&[handle]))?; // waits for exactly this queue and PE
    Ok(())
}

/// Reduces a row of pairs of floats in registers, adds the residual, and stores the result.
///
/// # Errors
/// As of a reduction.
pub fn row_in_registers(
    team: &Team<'_>,
    (residual, out): (Local<'_, u64>, Local<'_, u64>),
    partial: SymPtr<f32>,
    hidden: usize,
) -> Result<(), Fault> {
    let add = |sum: u64, residual: u64| sum ^ residual;
    let residual = Held::<4>::load(Block, residual);
    let mut row = Held::<4>::EMPTY; // up to 4 units of 8 bytes for each thread
    team.reduce_held(Block, Sum, &mut row, partial, hidden)?;
    row.with(&residual, add).store(out);
    Ok(())
}

/// Counts arrivals from PEs of both kinds of routes, and takes a ticket.
///
/// # Errors
/// As of the calls.
pub fn count_arrivals(
    shmem: &Shmem,
    words: SymPtr<u64>,
    tickets: &Counter<'_>,
    owner: Pe,
) -> Result<(u64, u64), Fault> {
    let arrived = shmem.counter(words); // of two words, which begin with 0
    arrived.add(1, owner)?; // from any PE
    let all = arrived.wait_for(shmem.n_pes() as u64)?; // on the owner; `load` returns the count at once
    let ticket = tickets.ticket(owner)?; // a number that no other PE has
    Ok((all, ticket))
}
