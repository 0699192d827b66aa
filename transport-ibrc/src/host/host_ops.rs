//! What the host itself asks: puts, gets and atomics of its own, by the device half on the host's own rings.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use oxshmem_core::host::{Error, HostAmo, Result};
use oxshmem_core::{Completion, Fault, OrderingDomain, Pe, PeSet, Qp, QpResource, QpSet, Remote};
use oxshmem_raw::gpu::group::Thread;
use oxshmem_raw::gpu::local::LocalAddr;
use oxshmem_raw::memory::{Chunk, Memory};
use oxshmem_raw::queue::path::DevicePath;
use oxshmem_raw::state::{FaultSlot, LocalState, PathSlot, StopWord, WorldState};

use crate::device::ProxyPath;
use crate::host::tables::Tables;

/// The host's own queues, as a resource.
type HostQueues<'a> = <ProxyPath as DevicePath>::Queue<'a>;

/// What the host's own queues are called in requests: this, and the PE.
pub(in crate::host) const HOST_OPS: u32 = 1 << 31;

/// The host's own queues, one to each PE that is reached by queues.
#[derive(Debug)]
pub(in crate::host) struct HostOps {
    pub(in crate::host) tables: Tables,
    state: WorldState,
    slots: Chunk,
    /// One call at a time: a fault is one call's.
    calls: Mutex<()>,
}

/// Bytes that a call of the host's moves at once.
const PIECE: usize = 1 << 20;

/// Where the words are that a world's state leads to.
const LOCAL: usize = 0;
const NOTICE: usize = LOCAL + size_of::<LocalState>();
const FAULT: usize = NOTICE + size_of::<StopWord>();
const WORLD: usize = FAULT + size_of::<FaultSlot>();

impl HostOps {
    pub(in crate::host) fn new(far: &[bool], me: Pe, rings: u32, depth: u32, limit: Option<Duration>) -> Result<Self> {
        let mut tables = Tables::new(&Memory::Host, far.len() as u32, 1, rings, depth)?;
        let slots = Chunk::on_host(&Memory::Host, WORLD + size_of::<WorldState>())?;
        let at = |offset: usize| slots.kernel() + offset as u64;
        let state = WorldState {
            local: at(LOCAL),
            notice: at(NOTICE),
            fault: at(FAULT),
            wait_limit_ns: limit.map_or(0, |limit| limit.as_nanos() as u64),
            my_pe: me.number(),
            n_pes: far.len() as u32,
            paths: [
                PathSlot { queues: tables.queues(), shared: tables.state() },
                PathSlot::default(),
                PathSlot::default(),
            ],
            default_rows: 1,
            ..WorldState::default()
        };
        slots.write(WORLD, state.bytes())?;
        tables.world = at(WORLD);
        Ok(Self { tables, state, slots, calls: Mutex::new(()) })
    }

    fn call(&self, action: &str, pe: Pe, act: impl FnOnce(HostQueues<'_>) -> Result<(), Fault>) -> Result<()> {
        let _one = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: **live**: the tables and the words of this state are this value's, and the default row is published with it.
        let ended = act(unsafe { ProxyPath::queue(&self.state, self.state.paths[0], Qp::Default) });
        if ended.is_err() {
            // The next call has a fault of its own.
            self.slots.write(LOCAL, &[0; FAULT + size_of::<FaultSlot>() - LOCAL])?;
        }
        ended.map_err(|fault| Error::from_fault(format!("{action} {pe}"), fault))
    }

    pub(in crate::host) fn put(&self, to: Remote, from: &[u8]) -> Result<()> {
        for (number, piece) in from.chunks(PIECE).enumerate() {
            let to = Remote { at: to.at.add((number * PIECE) as u64), ..to };
            self.lend(piece.to_vec(), |local, bytes| {
                self.call("copy to", to.pe, |queues| {
                    queues.put(Thread, to, local, bytes, Completion::Blocking)?;
                    queues.quiet(Thread, PeSet::One(to.pe), QpSet::Default)
                })
            })?;
        }
        Ok(())
    }

    pub(in crate::host) fn get(&self, to: &mut [u8], from: Remote) -> Result<()> {
        for (number, piece) in to.chunks_mut(PIECE).enumerate() {
            let from = Remote { at: from.at.add((number * PIECE) as u64), ..from };
            let got = self.lend(vec![0; piece.len()], |local, bytes| {
                self.call("copy from", from.pe, |queues| queues.get(Thread, local, from, bytes, Completion::Blocking))
            })?;
            piece.copy_from_slice(&got);
        }
        Ok(())
    }

    pub(in crate::host) fn atomic(&self, at: Remote, what: HostAmo) -> Result<u64> {
        let (HostAmo { op, of, operand, compare }, mut found) = (what, 0);
        self.call("do an atomic to a word of", at.pe, |queues| {
            found = queues.amo_fetch(at, op, of, operand, compare)?;
            Ok(())
        })?;
        Ok(found)
    }

    /// Lends memory to a call. One that failed may have left its request with the proxy, or a work request with the
    /// device, which would read or write the caller's memory when that is another's: so it is never the caller's, and
    /// what was lent to a call that failed is not given back.
    fn lend(&self, mut bytes: Vec<u8>, call: impl FnOnce(LocalAddr, usize) -> Result<()>) -> Result<Vec<u8>> {
        // SAFETY: **owned**: the bytes are there until the call has returned without a fault, which is when nothing of
        // it is under way; else for ever.
        let local = unsafe { LocalAddr::new(bytes.as_mut_ptr()) };
        match call(local, bytes.len()) {
            Ok(()) => Ok(bytes),
            Err(error) => {
                std::mem::forget(bytes);
                Err(error)
            }
        }
    }
}
