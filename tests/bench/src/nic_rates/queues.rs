//! A hand-made world of two PEs, in which queues reach the other one.

use oxshmem_core::QpHandle;
use oxshmem_hal::{Error, ErrorKind, Result};
use oxshmem_nic_kernels::table::SinkQueue;
use oxshmem_raw::memory::Memory;
use oxshmem_raw::queue::rows::FIRST_CUSTOM;
use oxshmem_raw::state::{FaultSlot, LocalState, PathSlot, StopWord, WorldState};
use oxshmem_transport_ibgda::state::{ExtentKeys, FetchSlot, LocalKeys, MAX_EXTENTS, MAX_LOCALS, NicState, QueueState};

use super::request::Shape;
use crate::room::Room;

/// This PE, and the target.
pub(super) const ME: u32 = 0;
pub(super) const PEER: u32 = 1;
const N_PES: u32 = 2;

/// Limit of a kernel's waits.
const WAIT_LIMIT_NS: u64 = 5_000_000_000;

/// Addresses of the heaps. No memory is there: the engine moves no data.
const HEAP: u64 = 1 << 40;
/// Their size.
pub(super) const HEAP_BYTES: u64 = 1 << 30;

const LKEY: u32 = 0x0001_0200;
const RKEY: u32 = 0x0001_0300;
/// Number of the first queue pair.
const FIRST_QPN: u32 = 0x40;

/// Queues in the machine's memory, and the kernels' view of them.
#[derive(Debug)]
pub(super) struct Queues {
    region: Room,
    shape: Shape,
    /// `rows * N_PES` of `QueueState`.
    states: u64,
    fault: u64,
    /// One for each row.
    rows: Vec<Row>,
    /// One `SinkQueue` for each row.
    pub(super) table: u64,
    pub(super) world: WorldState,
    /// Address of the copy of the world that the queues refer to.
    copy: u64,
}

/// The control memory of a queue.
#[derive(Clone, Copy, Debug)]
struct Row {
    /// A completion of 64 bytes, the records of both queues of 8 bytes each, and the send queue from byte 128 on.
    chunk: u64,
    doorbell: u64,
    marks: u64,
    fetch: u64,
}

/// The counters of a queue.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) reserved: u64,
    pub(super) posted: u64,
    pub(super) done: u64,
    pub(super) doorbells: u64,
    pub(super) stalls: u64,
    pub(super) stopped: u64,
}

impl Queues {
    /// Lays the queues out; [`reset`](Queues::reset) initialises them.
    pub(super) fn new(memory: &Memory, shape: &Shape) -> Result<Self> {
        let (rows, depth) = (shape.qps as usize, shape.depth as usize);
        let line = Room::ALIGNMENT;
        let of_row = [128 + 64 * depth, line, 8 * depth, (depth + 1) * size_of::<FetchSlot>()];
        let of_row: usize = of_row.iter().map(|bytes| bytes.next_multiple_of(line)).sum();
        let shared = rows * (N_PES as usize * size_of::<QueueState>() + size_of::<SinkQueue>())
            + MAX_EXTENTS as usize * (size_of::<ExtentKeys>() + 4 * N_PES as usize)
            + MAX_LOCALS as usize * size_of::<LocalKeys>()
            + 16 * line;
        let mut region = Room::beside(memory, rows * of_row + shared)?;
        let states = region.take(rows * N_PES as usize * size_of::<QueueState>())?;
        let table = region.take(rows * size_of::<SinkQueue>())?;
        let (fault, local) = (region.take(size_of::<FaultSlot>())?, region.take(size_of::<LocalState>())?);
        let (notice, table_of_paths) = (region.take(size_of::<StopWord>())?, region.take(8)?);
        let copy = region.take(size_of::<WorldState>())?;
        let nic = region.take(size_of::<NicState>())?;
        let extents = region.take(MAX_EXTENTS as usize * size_of::<ExtentKeys>())?;
        let rkeys = region.take(MAX_EXTENTS as usize * 4 * N_PES as usize)?;
        let locals = region.take(MAX_LOCALS as usize * size_of::<LocalKeys>())?;
        let mut all = Vec::new();
        for _ in 0..rows {
            all.push(Row {
                chunk: region.take(128 + 64 * depth)?,
                doorbell: region.take(8)?,
                marks: region.take(8 * depth)?,
                fetch: region.take((depth + 1) * size_of::<FetchSlot>())?,
            });
        }
        region.write(table_of_paths, &[1u64 << (2 * PEER)])?;
        region.write(extents, &[ExtentKeys { end: HEAP_BYTES, lkey: LKEY.to_be(), unused: 0 }])?;
        region.write(rkeys, &[RKEY.to_be(); N_PES as usize])?;
        region.write(
            nic,
            &[NicState {
                extents,
                rkeys,
                locals,
                max_message: 1 << 30,
                n_extents: 1,
                n_locals: 0,
                rows: shape.qps,
                relaxed_ordering: 0,
            }],
        )?;
        let world = WorldState {
            heap: HEAP,
            stride: HEAP_BYTES,
            heap_bytes: HEAP_BYTES,
            own: HEAP + HEAP_BYTES * u64::from(ME),
            bases: 0,
            local,
            notice,
            fault,
            wait_limit_ns: WAIT_LIMIT_NS,
            my_pe: ME,
            n_pes: N_PES,
            paths: [PathSlot { queues: states, shared: nic }, PathSlot::default(), PathSlot::default()],
            path_bits: 1 << (2 * PEER),
            path_table: table_of_paths,
            path_numbers: 1,
            default_rows: shape.qps,
            map_by: shape.map_by,
            ..WorldState::default()
        };
        region.write(copy, &[world])?;
        Ok(Self { copy, region, shape: *shape, states, fault, rows: all, table, world })
    }

    /// Returns the doorbell of the first queue.
    pub(super) fn doorbell(&self) -> u64 {
        self.rows.first().map_or(0, |row| row.doorbell)
    }

    /// Resets every queue to the state in which nothing is posted after its first index.
    pub(super) fn reset(&self) -> Result<()> {
        let (start, depth) = (self.shape.start, self.shape.depth);
        self.region.write(self.fault, &[0u64; 8])?;
        let mut table = Vec::new();
        for (number, row) in self.rows.iter().enumerate() {
            let qpn = FIRST_QPN + number as u32;
            self.region.fill(row.chunk, 0, 128 + 64 * depth as usize)?;
            self.region.fill(row.chunk, 0xff, 64)?;
            self.region.fill(row.marks, 0, 8 * depth as usize)?;
            self.region.fill(row.fetch, 0, (depth as usize + 1) * size_of::<FetchSlot>())?;
            self.region.write(row.doorbell, &[0u64])?;
            // After the completion and the completion queue's record; the receive queue's record comes first.
            let (dbr, sq) = (row.chunk + 64 + 8 + 4, row.chunk + 128);
            let state = |sq: u64, pe: u32| QueueState {
                sq,
                cqe: row.chunk,
                dbr,
                doorbell: row.doorbell,
                marks: row.marks,
                fetch: row.fetch,
                fetch_iova: row.fetch,
                first_end: HEAP_BYTES,
                lkey: LKEY.to_be(),
                rkey: RKEY.to_be(),
                fetch_lkey: LKEY.to_be(),
                qpn,
                depth,
                room: depth.min(i16::MAX as u32),
                pe,
                handle: QueueState::DEFAULT_RAW,
                flags: 0,
                most_served: depth,
                world: self.copy,
                nic: self.world.paths[0].shared,
                unused1: 0,
                reserved: start,
                done: start,
                bytes: 0,
                stalls: 0,
                posted: start,
                claim: start,
                doorbells: 0,
                stopped: 0,
                offered: 0,
                home: 0,
                unused2: [0; 6],
            };
            table.push(SinkQueue {
                doorbell: row.doorbell,
                dbr,
                cqe: row.chunk,
                sq,
                start,
                depth,
                qpn,
                unused: [0; 2],
            });
            self.region.write(self.state_of(number, PEER), &[state(sq, PEER)])?;
            // This PE reaches itself without a queue.
            self.region.write(self.state_of(number, ME), &[state(0, ME)])?;
        }
        self.region.write(self.table, &table)
    }

    fn state_of(&self, row: usize, pe: u32) -> u64 {
        self.states + ((row as u64 * u64::from(N_PES)) + u64::from(pe)) * size_of::<QueueState>() as u64
    }

    /// Returns the world as one in which every row is a custom one, with the handle of the first row and the distance
    /// to the next.
    pub(super) fn as_custom(&self) -> (WorldState, QpHandle, u32) {
        (WorldState { default_rows: 0, ..self.world }, QpHandle::from_raw(FIRST_CUSTOM), N_PES)
    }

    /// Returns the queues' counters.
    pub(super) fn counts(&self) -> Result<Vec<Counts>> {
        let mut all = Vec::new();
        for row in 0..self.rows.len() {
            let words = self.region.read::<u64>(self.state_of(row, PEER), size_of::<QueueState>() / 8)?;
            let word = |at: usize| words[at / 8];
            use std::mem::offset_of;
            all.push(Counts {
                reserved: word(offset_of!(QueueState, reserved)),
                posted: word(offset_of!(QueueState, posted)),
                done: word(offset_of!(QueueState, done)),
                doorbells: word(offset_of!(QueueState, doorbells)),
                stalls: word(offset_of!(QueueState, stalls)),
                stopped: word(offset_of!(QueueState, stopped)),
            });
        }
        Ok(all)
    }

    /// Returns the fault of a kernel as an error.
    ///
    /// # Errors
    /// There is a fault.
    pub(super) fn check_fault(&self) -> Result<()> {
        let words = self.region.read::<u64>(self.fault, 8)?;
        if words[0] != FaultSlot::WRITTEN {
            return Ok(());
        }
        let mut rest = [0; 7];
        rest.copy_from_slice(&words[1..]);
        let what = FaultSlot::decode(rest).map_or_else(|| format!("{rest:?}"), |fault| format!("{fault:?}"));
        Err(Error::new(ErrorKind::Fault, "post to the queues").because(what))
    }
}
