//! A verbs device that keeps the registrations, refuses chosen calls, and moves no data.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard};

use oxshmem_core::host::Result;
use oxshmem_rdma::fabric::{Completion, PostError, PostErrorKind, WorkRequest};
use oxshmem_rdma::fake::{FakeMachine, FakeNic};
use oxshmem_rdma::hca::{Found, Gid, GidKind, Handle, Mr, Port, Region, VerbsConnect, VerbsNic};
use oxshmem_rdma::rc::{Atomics, RcCaps, RcDevice, RcProvider, RcQp, RcQpAsk};

/// A NIC with the capabilities of a verbs device, and its history.
#[derive(Debug)]
pub(super) struct Fake {
    nic: FakeNic,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    caps: RcCaps,
    /// Connection parameters of queue pairs, by number.
    connected: BTreeMap<u32, VerbsConnect>,
}

impl Deref for Fake {
    type Target = FakeNic;

    fn deref(&self) -> &FakeNic {
        &self.nic
    }
}

const CAPS: RcCaps = RcCaps {
    max_qp: 1 << 10,
    max_qp_wr: 1 << 15,
    max_cqe: 1 << 20,
    max_rd_atom_requester: 16,
    max_rd_atom_responder: 16,
    atomics: Atomics::Device,
    max_message_bytes: 1 << 30,
    iova: true,
    dma_buf: false,
    empty_fetches: false,
};

impl Fake {
    /// An InfiniBand device with an active port of LID `lid`.
    pub(super) fn new(name: &str, lid: u16) -> Arc<Self> {
        let state = State { caps: CAPS, connected: BTreeMap::new() };
        let fake = Self { nic: FakeNic::new(name, lid), state: Mutex::new(state) };
        fake.set_port(|port| port.pkeys = 1);
        Arc::new(fake)
    }

    /// An Ethernet device with one address of this kind.
    pub(super) fn ethernet(name: &str, lid: u16, kind: GidKind, first: [u8; 14]) -> Arc<Self> {
        let fake = Self::new(name, lid);
        let mut raw = [0; 16];
        raw[..14].copy_from_slice(&first);
        raw[15] = lid as u8;
        fake.set_ethernet(&[Gid { index: 3, raw, kind }]);
        fake
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    pub(super) fn set_caps(&self, change: impl FnOnce(&mut RcCaps)) {
        change(&mut self.state().caps);
    }

    /// The number of objects of this kind that were not given back.
    pub(super) fn count(&self, kind: &str) -> usize {
        self.open(kind).len()
    }

    /// The numbers of connected queue pairs, and their connection parameters.
    pub(super) fn connected(&self) -> Vec<(u32, VerbsConnect)> {
        self.state().connected.iter().map(|(qpn, to)| (*qpn, *to)).collect()
    }
}

impl VerbsNic for Fake {
    fn name(&self) -> &str {
        self.nic.name()
    }

    fn firmware(&self) -> String {
        "1.2.3".into()
    }

    fn ports(&self) -> Result<Vec<Port>> {
        Ok(vec![self.port()])
    }

    fn gids(&self, _: u8) -> Result<Vec<Gid>> {
        Ok(self.nic.gids())
    }

    fn dealloc_pd(&self, pd: Handle) -> Result<()> {
        self.give_back(pd, "pd")
    }

    fn reg_mr(&self, pd: Handle, _: Region, _: u64, _: u64, _: u32) -> Result<Mr> {
        let number = self.make("ibv_reg_mr_iova2", "mr", vec![pd.0])?;
        Ok(Mr { handle: Handle(number), lkey: number as u32, rkey: 0x10_0000 + number as u32 })
    }

    fn dereg_mr(&self, mr: Handle) -> Result<()> {
        self.give_back(mr, "mr")
    }
}

// SAFETY: **named**, **until**, **once**: it executes no request, and accesses no memory.
unsafe impl RcDevice for Fake {
    fn caps(&self) -> Result<RcCaps> {
        Ok(self.state().caps)
    }

    fn alloc_pd(&self) -> Result<Handle> {
        self.make("ibv_alloc_pd", "pd", Vec::new()).map(Handle)
    }

    fn create_cq(&self, _: u32) -> Result<Handle> {
        self.make("ibv_create_cq", "cq", Vec::new()).map(Handle)
    }

    fn destroy_cq(&self, cq: Handle) -> Result<()> {
        self.give_back(cq, "cq")
    }

    fn create_qp(&self, pd: Handle, cq: Handle, ask: &RcQpAsk) -> Result<RcQp> {
        let number = self.make("ibv_create_qp", "qp", vec![pd.0, cq.0])?;
        // More than requested, as real devices do.
        let send_wr = ask.send_wr.next_power_of_two() * 2;
        Ok(RcQp { handle: Handle(number), qpn: number as u32, send_wr, inline_bytes: ask.inline_bytes })
    }

    fn connect(&self, qp: Handle, to: &VerbsConnect) -> Result<()> {
        self.call("ibv_modify_qp")?;
        self.state().connected.insert(qp.0 as u32, *to);
        Ok(())
    }

    fn fail_qp(&self, _: Handle) -> Result<()> {
        Ok(())
    }

    fn destroy_qp(&self, qp: Handle) -> Result<()> {
        self.give_back(qp, "qp")
    }

    fn post(&self, _: Handle, _: &[WorkRequest]) -> std::result::Result<(), PostError> {
        Err(PostError { posted: 0, kind: PostErrorKind::Failed, code: 22, call: "ibv_post_send" })
    }

    fn poll(&self, _: Handle, _: &mut [Completion]) -> Result<usize> {
        Ok(0)
    }
}

/// A machine with these devices.
#[derive(Debug)]
pub(super) struct Machine(pub(super) FakeMachine<Fake>);

impl RcProvider for Machine {
    fn describe(&self) -> String {
        "fakes".into()
    }

    fn list(&self) -> Result<Vec<Found>> {
        Ok(self.0.found())
    }

    fn open(&self, name: &str) -> Result<Arc<dyn RcDevice>> {
        self.0.find(name, "ibv_open_device").map(|nic| nic as Arc<dyn RcDevice>)
    }
}
