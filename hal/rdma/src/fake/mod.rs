//! Fake NICs for tests: they count the objects that they hand out, refuse calls on demand, and move no data.
//!
//! [`FakeNic`] is the part that every kind of NIC shares. [`FakeHca`] adds the commands of a ConnectX.

mod hca;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard};

use oxshmem_core::host::{Error, ErrorKind, Result};

use super::hca::{Found, Gid, Handle, LinkLayer, Port};

pub use hca::FakeHca;

/// A port, its addresses, the objects of a NIC, and the calls that it refuses.
#[derive(Debug)]
pub struct FakeNic {
    name: String,
    state: Mutex<FakeState>,
}

#[derive(Debug)]
struct FakeState {
    port: Port,
    gids: Vec<Gid>,
    refusals: HashMap<&'static str, RefusedCall>,
    last_number: u64,
    open: BTreeMap<u64, FakeObject>,
}

/// The calls that fail, after `after` calls that do not.
#[derive(Debug)]
struct RefusedCall {
    after: usize,
    errno: i64,
    answer: &'static str,
}

#[derive(Debug)]
struct FakeObject {
    kind: &'static str,
    /// The objects that can't be given back before this one.
    uses: Vec<u64>,
}

impl FakeNic {
    /// Returns an InfiniBand NIC with an active port of LID `lid`.
    pub fn new(name: &str, lid: u16) -> Self {
        let port = Port {
            number: 1,
            state: 4,
            link: LinkLayer::InfiniBand,
            lid,
            active_mtu: 5,
            gids: 8,
            pkeys: 128,
            grh_required: false,
        };
        let state = FakeState {
            port,
            gids: Vec::new(),
            refusals: HashMap::new(),
            // NICs hand out different numbers, so that another NIC's key or queue pair is none of this one.
            last_number: u64::from(lid) << 12 | 0x10,
            open: BTreeMap::new(),
        };
        Self { name: name.into(), state: Mutex::new(state) }
    }

    fn state(&self) -> MutexGuard<'_, FakeState> {
        self.state.lock().unwrap()
    }

    /// Returns the NIC's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the port.
    pub fn port(&self) -> Port {
        self.state().port.clone()
    }

    /// Returns the used entries of the GID table.
    pub fn gids(&self) -> Vec<Gid> {
        self.state().gids.clone()
    }

    /// Changes the port.
    pub fn set_port(&self, change: impl FnOnce(&mut Port)) {
        change(&mut self.state().port);
    }

    /// Makes the port one of Ethernet, with these addresses and no LID.
    pub fn set_ethernet(&self, gids: &[Gid]) {
        let mut state = self.state();
        (state.port.link, state.port.lid, state.gids) = (LinkLayer::Ethernet, 0, gids.to_vec());
    }

    /// Makes `call` fail for lack of memory, after `after` calls that succeed.
    pub fn refuse(&self, call: &'static str, after: usize) {
        self.refuse_with(call, after, 12, "no memory");
    }

    /// Makes `call` fail with this errno and text, after `after` calls that succeed.
    pub fn refuse_with(&self, call: &'static str, after: usize, errno: i64, answer: &'static str) {
        self.state().refusals.insert(call, RefusedCall { after, errno, answer });
    }

    /// Makes `call` succeed again.
    pub fn allow(&self, call: &'static str) {
        self.state().refusals.remove(call);
    }

    /// Counts a call, and refuses it if it must fail.
    pub fn call(&self, call: &'static str) -> Result<()> {
        match self.state().refusals.get_mut(call) {
            Some(RefusedCall { after: 0, errno, answer }) => {
                let kind = if *errno == 12 { ErrorKind::Exhausted } else { ErrorKind::InvalidArgument };
                Err(Error::new(kind, format!("do what {} is asked", self.name)).call(call, *errno, *answer))
            }
            Some(refusal) => {
                refusal.after -= 1;
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Makes an object that uses others, and returns its number.
    pub fn make(&self, call: &'static str, kind: &'static str, uses: Vec<u64>) -> Result<u64> {
        self.call(call)?;
        let mut state = self.state();
        state.last_number += 1;
        let number = state.last_number;
        state.open.insert(number, FakeObject { kind, uses });
        Ok(number)
    }

    /// Gives an object back.
    ///
    /// # Errors
    /// There is none, it is not of this kind, or another object uses it.
    pub fn give_back(&self, handle: Handle, kind: &str) -> Result<()> {
        let mut state = self.state();
        let refused =
            |reason: String| Err(Error::new(ErrorKind::System, format!("give a {kind} back")).because(reason));
        match state.open.get(&handle.0) {
            None => return refused("there is none".into()),
            Some(object) if object.kind != kind => return refused(format!("it is a {}", object.kind)),
            Some(_) => {}
        }
        if let Some(user) = state.open.values().find(|object| object.uses.contains(&handle.0)) {
            return refused(format!("a {} uses it", user.kind));
        }
        state.open.remove(&handle.0);
        Ok(())
    }

    /// Returns the numbers of the objects of a kind that were not given back.
    pub fn open(&self, kind: &str) -> Vec<u64> {
        self.state().open.iter().filter(|(_, object)| object.kind == kind).map(|(number, _)| *number).collect()
    }

    /// Returns the number of objects that were not given back.
    pub fn open_objects(&self) -> usize {
        self.state().open.len()
    }
}

/// A machine with these NICs. Those whose names begin with `other` are not driven by mlx5.
#[derive(Debug)]
pub struct FakeMachine<N>(pub Vec<Arc<N>>);

impl<N: std::ops::Deref<Target = FakeNic>> FakeMachine<N> {
    /// Returns the NICs, as the system lists them.
    pub fn found(&self) -> Vec<Found> {
        let found = |nic: &Arc<N>| Found {
            name: nic.name().into(),
            pci: None,
            numa_node: None,
            is_mlx5: !nic.name().starts_with("other"),
        };
        self.0.iter().map(found).collect()
    }

    /// Opens a NIC by name. The call can be refused as `call`.
    ///
    /// # Errors
    /// There is none of this name, or the call is refused.
    pub fn find(&self, name: &str, call: &'static str) -> Result<Arc<N>> {
        let nic = self.0.iter().find(|nic| nic.name() == name);
        let nic = nic.ok_or_else(|| Error::new(ErrorKind::NotFound, format!("open {name}")))?;
        nic.call(call)?;
        Ok(nic.clone())
    }
}
