//! A verbs device that keeps the registrations, refuses chosen calls, and moves no data.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard};

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::fabric::{Completion, PostError, PostErrorKind, WorkRequest};
use oxshmem_raw::rdma::hca::{Found, Gid, GidKind, Handle, LinkLayer, Mr, Port, Region, VerbsConnect, VerbsNic};
use oxshmem_raw::rdma::rc::{Atomics, RcCaps, RcDevice, RcProvider, RcQp, RcQpAsk};

/// A device's properties, and its history.
#[derive(Debug)]
pub(super) struct Fake {
    name: String,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    ports: Vec<Port>,
    gids: Vec<Gid>,
    caps: RcCaps,
    /// Calls that fail, with the number of successful calls before and the errno.
    refused: HashMap<&'static str, (usize, i64, &'static str)>,
    next: u64,
    open: BTreeMap<u64, &'static str>,
    /// Connection parameters of queue pairs, by number.
    connected: BTreeMap<u32, VerbsConnect>,
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
        let port = Port { number: 1, state: 4, link: LinkLayer::InfiniBand, lid, active_mtu: 5, gids: 8, pkeys: 1 };
        let state = State {
            ports: vec![port],
            gids: Vec::new(),
            caps: CAPS,
            refused: HashMap::new(),
            // Devices return different numbers, so that a key or queue pair of one is invalid on another.
            next: u64::from(lid) << 12,
            open: BTreeMap::new(),
            connected: BTreeMap::new(),
        };
        Arc::new(Self { name: name.into(), state: Mutex::new(state) })
    }

    /// An Ethernet device with one address of this kind.
    pub(super) fn ethernet(name: &str, lid: u16, kind: GidKind, first: [u8; 14]) -> Arc<Self> {
        let fake = Self::new(name, lid);
        let mut raw = [0; 16];
        raw[..14].copy_from_slice(&first);
        raw[15] = lid as u8;
        fake.state().gids = vec![Gid { index: 3, raw, kind }];
        fake.set_port(|port| (port.link, port.lid) = (LinkLayer::Ethernet, 0));
        fake
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// Makes `call` fail in this way after `after` successful calls.
    pub(super) fn refuse(&self, call: &'static str, after: usize, errno: i64, answer: &'static str) {
        self.state().refused.insert(call, (after, errno, answer));
    }

    /// Lets `call` succeed again.
    pub(super) fn allow(&self, call: &'static str) {
        self.state().refused.remove(call);
    }

    pub(super) fn set_port(&self, change: impl FnOnce(&mut Port)) {
        change(&mut self.state().ports[0]);
    }

    pub(super) fn set_caps(&self, change: impl FnOnce(&mut RcCaps)) {
        change(&mut self.state().caps);
    }

    /// The number of objects of this kind that were not given back.
    pub(super) fn open(&self, kind: &str) -> usize {
        self.state().open.values().filter(|open| **open == kind).count()
    }

    /// The number of objects that were not given back.
    pub(super) fn open_objects(&self) -> usize {
        self.state().open.len()
    }

    /// The numbers of connected queue pairs, and their connection parameters.
    pub(super) fn connected(&self) -> Vec<(u32, VerbsConnect)> {
        self.state().connected.iter().map(|(qpn, to)| (*qpn, *to)).collect()
    }

    fn may(&self, call: &'static str) -> Result<()> {
        match self.state().refused.get_mut(call) {
            Some((0, errno, answer)) => {
                let action = format!("do what {} is asked", self.name);
                let kind = if *errno == 12 { ErrorKind::Exhausted } else { ErrorKind::InvalidArgument };
                Err(Error::new(kind, action).call(call, *errno, *answer))
            }
            Some((after, ..)) => {
                *after -= 1;
                Ok(())
            }
            None => Ok(()),
        }
    }

    fn make(&self, call: &'static str, kind: &'static str) -> Result<u64> {
        self.may(call)?;
        let mut state = self.state();
        state.next += 1;
        let number = state.next;
        state.open.insert(number, kind);
        Ok(number)
    }

    fn give_back(&self, handle: Handle, kind: &str) -> Result<()> {
        let mut state = self.state();
        let busy = |reason: &str| Err(Error::new(ErrorKind::System, "give an object back").because(reason));
        let used = |by: &[&str]| state.open.values().any(|open| by.contains(open));
        match state.open.get(&handle.0) {
            Some(open) if *open != kind => return busy("it is another"),
            None => return busy("there is none"),
            _ if kind == "pd" && used(&["mr", "qp"]) => return busy("the protection domain is in use"),
            _ => {}
        }
        state.open.remove(&handle.0);
        Ok(())
    }
}

impl VerbsNic for Fake {
    fn name(&self) -> &str {
        &self.name
    }

    fn firmware(&self) -> String {
        "1.2.3".into()
    }

    fn ports(&self) -> Result<Vec<Port>> {
        Ok(self.state().ports.clone())
    }

    fn gids(&self, _: u8) -> Result<Vec<Gid>> {
        Ok(self.state().gids.clone())
    }

    fn dealloc_pd(&self, pd: Handle) -> Result<()> {
        self.give_back(pd, "pd")
    }

    fn reg_mr(&self, _: Handle, _: Region, _: u64, _: u64, _: u32) -> Result<Mr> {
        let number = self.make("ibv_reg_mr_iova2", "mr")?;
        Ok(Mr { handle: Handle(number), lkey: number as u32, rkey: 0x10_0000 + number as u32 })
    }

    fn dereg_mr(&self, mr: Handle) -> Result<()> {
        self.give_back(mr, "mr")
    }
}

impl RcDevice for Fake {
    fn caps(&self) -> Result<RcCaps> {
        Ok(self.state().caps)
    }

    fn alloc_pd(&self) -> Result<Handle> {
        self.make("ibv_alloc_pd", "pd").map(Handle)
    }

    fn create_cq(&self, _: u32) -> Result<Handle> {
        self.make("ibv_create_cq", "cq").map(Handle)
    }

    fn destroy_cq(&self, cq: Handle) -> Result<()> {
        self.give_back(cq, "cq")
    }

    fn create_qp(&self, _: Handle, _: Handle, ask: &RcQpAsk) -> Result<RcQp> {
        let number = self.make("ibv_create_qp", "qp")?;
        // More than requested, as real devices do.
        let send_wr = ask.send_wr.next_power_of_two() * 2;
        Ok(RcQp { handle: Handle(number), qpn: number as u32, send_wr, inline_bytes: ask.inline_bytes })
    }

    fn connect(&self, qp: Handle, to: &VerbsConnect) -> Result<()> {
        self.may("ibv_modify_qp")?;
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
pub(super) struct Machine(pub(super) Vec<Arc<Fake>>);

impl RcProvider for Machine {
    fn describe(&self) -> String {
        "fakes".into()
    }

    fn list(&self) -> Result<Vec<Found>> {
        let found = |fake: &Arc<Fake>| Found { name: fake.name.clone(), pci: None, numa_node: None, is_mlx5: false };
        Ok(self.0.iter().map(found).collect())
    }

    fn open(&self, name: &str) -> Result<Arc<dyn RcDevice>> {
        let fake = self.0.iter().find(|fake| fake.name == name);
        let fake = fake.ok_or_else(|| Error::new(ErrorKind::NotFound, format!("open {name}")))?;
        fake.may("ibv_open_device")?;
        Ok(fake.clone())
    }
}
