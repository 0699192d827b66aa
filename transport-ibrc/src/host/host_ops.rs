//! The host's own puts, gets and atomics, issued by the device half on rings that belong to the host.

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

/// The type of the host's own queues.
type HostQueues<'a> = <ProxyPath as DevicePath>::Queue<'a>;

/// Flag of a request that names one of the host's own queues; the PE is in the low bits.
pub(in crate::host) const HOST_OPS: u32 = 1 << 31;

/// The host's own queues, one to each PE that is reached by queues.
#[derive(Debug)]
pub(in crate::host) struct HostOps {
    pub(in crate::host) tables: Tables,
    state: WorldState,
    slots: Chunk,
    /// Held during a call, because the fault slot belongs to one call.
    calls: Mutex<()>,
}

/// Bytes that one call of the host moves in one piece.
const PIECE: usize = 1 << 20;

/// Offset of the local words to which the world's state points.
const LOCAL: usize = 0;
const NOTICE: usize = LOCAL + size_of::<LocalState>();
const FAULT: usize = NOTICE + size_of::<StopWord>();
const WORLD: usize = FAULT + size_of::<FaultSlot>();

impl HostOps {
    pub(in crate::host) fn new(
        remote: &[bool],
        me: Pe,
        rings: u32,
        depth: u32,
        limit: Option<Duration>,
    ) -> Result<Self> {
        let mut tables = Tables::new(&Memory::Host, remote.len() as u32, 1, rings, depth)?;
        // Requests may name any memory, because calls get memory that is never freed after a failure.
        tables.set_buffer(0, 0, u64::MAX)?;
        tables.publish_buffers(1)?;
        let slots = Chunk::on_host(&Memory::Host, WORLD + size_of::<WorldState>())?;
        let at = |offset: usize| slots.kernel() + offset as u64;
        let state = WorldState {
            local: at(LOCAL),
            notice: at(NOTICE),
            fault: at(FAULT),
            wait_limit_ns: limit.map_or(0, |limit| limit.as_nanos() as u64),
            my_pe: me.number(),
            n_pes: remote.len() as u32,
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
        // SAFETY: **live**: this value owns the tables and the words of this state, and the default row is published
        // with it.
        let ended = act(unsafe { ProxyPath::queue(&self.state, self.state.paths[0], Qp::Default) });
        if ended.is_err() {
            // The next call must find an empty fault slot.
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

    /// Lends memory to a call. A failed call may have left its request with the proxy, or a work request with the
    /// device, which then reads or writes the lent memory later. The call therefore never gets the caller's own memory,
    /// and memory that was lent to a failed call is never freed.
    fn lend(&self, mut bytes: Vec<u8>, call: impl FnOnce(LocalAddr, usize) -> Result<()>) -> Result<Vec<u8>> {
        // SAFETY: **owned**: the bytes stay allocated until the call returns without a fault, when none of its
        // operations is in flight; after a fault they are never freed.
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
