//! Makes rows of unconnected queue pairs.

use std::sync::Arc;

use oxshmem_core::Pe;
use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::queue::host::Row;

use crate::host::config::Buffers;
use crate::host::doorbell::Doorbells;
use crate::host::queue_memory::QueueMemory;
use crate::host::queue_pair::QueuePair;
use crate::host::queue_pair::verbs_qp::VerbsQp;
use crate::host::setup::Setup;
use crate::host::setup::nic::Nic;

/// Blocks of the host's own send queues, on which few operations are in flight.
const HOST_DEPTH: u32 = 128;

/// Makes rows `first` to `first + count - 1`, each on its NIC.
///
/// # Errors
/// A NIC does not have as many queue pairs, or refuses one.
pub(super) fn rows(setup: &Setup, doorbells: &mut Doorbells, first: u32, count: u32) -> Result<Vec<Row<QueuePair>>> {
    let remote: Vec<Pe> = setup.remote_pes().collect();
    let mut rows: Vec<Row<QueuePair>> = (0..count).map(|_| empty_row(setup)).collect();
    if remote.is_empty() {
        return Ok(rows);
    }
    let of_nic = |number: usize| (0..count as usize).filter(move |row| setup.nic_of_row(first + *row as u32) == number);
    for (number, nic) in setup.nics.iter().enumerate() {
        let (queues, most) = ((of_nic(number).count() * remote.len()) as u64, nic.caps.max_qps());
        if queues > most {
            let error = Error::new(ErrorKind::Exhausted, format!("create queue pairs on {}", nic.name()));
            return Err(error.amount(queues, most, "queue pairs"));
        }
    }
    for (number, nic) in setup.nics.iter().enumerate() {
        let mut made = queue_pairs(setup, doorbells, nic, of_nic(number).count() * remote.len())?.into_iter();
        for row in of_nic(number) {
            remote.iter().zip(&mut made).for_each(|(pe, queue)| rows[row][pe.index()] = Some(queue));
        }
    }
    Ok(rows)
}

/// Makes the row of the host's own queue pairs, on the first NIC.
///
/// # Errors
/// The NIC refuses.
pub(super) fn host_row(setup: &Setup) -> Result<Row<QueuePair>> {
    let mut row = empty_row(setup);
    let queues = setup.remote_pes().count();
    if queues == 0 {
        return Ok(row);
    }
    let nic = &setup.nics[0];
    let eqn = nic.hca.query_eqn()?;
    let memory = QueueMemory::new(nic, &setup.memory, Buffers::Host, queues, HOST_DEPTH)?;
    for (index, pe) in setup.remote_pes().enumerate() {
        row[pe.index()] = Some(QueuePair::new(nic, &memory, index, HOST_DEPTH, eqn, None)?);
    }
    Ok(row)
}

/// Makes `count` queue pairs on a NIC.
fn queue_pairs(setup: &Setup, doorbells: &mut Doorbells, nic: &Arc<Nic>, count: usize) -> Result<Vec<QueuePair>> {
    if count == 0 {
        return Ok(Vec::new());
    }
    let depth = setup.config.depth;
    if setup.config.verbs_qp {
        let made = (0..count).map(|_| VerbsQp::new(nic, depth)).collect::<Result<Vec<_>>>()?;
        let depth = made.iter().map(|verbs| verbs.layout.sq_blocks).max().unwrap_or(depth);
        let memory = QueueMemory::new(nic, &setup.memory, Buffers::Host, count, depth)?;
        let queue = |(index, verbs)| QueuePair::of_verbs(nic, &memory, index, verbs, doorbells);
        return made.into_iter().enumerate().map(queue).collect();
    }
    let eqn = nic.hca.query_eqn()?;
    let memory = QueueMemory::new(nic, &setup.memory, setup.config.buffers, count, depth)?;
    (0..count).map(|index| QueuePair::new(nic, &memory, index, depth, eqn, Some(doorbells))).collect()
}

fn empty_row(setup: &Setup) -> Row<QueuePair> {
    (0..setup.n_pes()).map(|_| None).collect()
}
