//! A NIC that takes every command, counts what it gave out, and refuses what it is told to refuse. It moves no data.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::rdma::hca::*;
use oxshmem_raw::rdma::mlx5::devx::{AtomicCaps, CapGroup, Field, GeneralCaps, atomic_operation, get, set};

/// What a NIC is like, and what happened to it.
#[derive(Debug)]
pub(in crate::host) struct Fake {
    name: String,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    port: Port,
    gids: Vec<Gid>,
    /// Calls that fail, after so many that don't.
    refused: HashMap<&'static str, usize>,
    caps: HashMap<&'static str, u64>,
    next: u64,
    open: BTreeMap<u64, Object>,
    /// Mailboxes, as they came.
    commands: Vec<Vec<u8>>,
}

#[derive(Debug)]
enum Object {
    Pd,
    Mr,
    Umem(u32),
    Uar(#[allow(dead_code, reason = "it is the register's memory")] Box<AtomicU64>),
    /// The umem that it is in.
    Cq(u32),
    Qp(u32),
}

impl Fake {
    /// An InfiniBand NIC with an active port of LID `lid`.
    pub(in crate::host) fn new(name: &str, lid: u16) -> Arc<Self> {
        let port = Port { number: 1, state: 4, link: LinkLayer::InfiniBand, lid, active_mtu: 5, gids: 8, pkeys: 128 };
        let caps = [
            ("rc", 1),
            ("cqe_version", 1),
            ("cq_oi", 1),
            ("atomic", 1),
            ("log_max_qp_sz", 15),
            ("log_max_qp", 17),
            ("log_max_msg", 30),
            ("log_max_ra_req_qp", 4),
            ("log_max_ra_res_qp", 4),
            ("atomic_req_8b_endianness_mode", 1),
            ("atomic_operations", (atomic_operation::COMPARE_SWAP | atomic_operation::FETCH_ADD).into()),
            ("atomic_size_qp", 8),
        ];
        let state = State {
            port,
            gids: Vec::new(),
            refused: HashMap::new(),
            caps: caps.into(),
            // What NICs give out differs, so that what is another's is no key and no queue pair of this one.
            next: u64::from(lid) << 12 | 0x10,
            open: BTreeMap::new(),
            commands: Vec::new(),
        };
        Arc::new(Self { name: name.into(), state: Mutex::new(state) })
    }

    /// The same on Ethernet, with these addresses.
    pub(in crate::host) fn ethernet(name: &str, gids: &[Gid]) -> Arc<Self> {
        let fake = Self::new(name, 0);
        fake.state().port.link = LinkLayer::Ethernet;
        fake.state().gids = gids.to_vec();
        fake
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// Lets `call` fail after so many that don't.
    pub(in crate::host) fn refuse(&self, call: &'static str, after: usize) {
        self.state().refused.insert(call, after);
    }

    /// Lets `call` succeed again.
    pub(in crate::host) fn allow(&self, call: &'static str) {
        self.state().refused.remove(call);
    }

    /// Makes a capability say something else.
    pub(in crate::host) fn set_cap(&self, name: &'static str, value: u64) {
        self.state().caps.insert(name, value);
    }

    /// Changes the port.
    pub(in crate::host) fn set_port(&self, change: impl FnOnce(&mut Port)) {
        change(&mut self.state().port);
    }

    /// Objects that were not given back.
    pub(in crate::host) fn open_objects(&self) -> usize {
        self.state().open.len()
    }

    /// Queue pairs that were not given back.
    pub(in crate::host) fn queue_pairs(&self) -> usize {
        self.state().open.values().filter(|object| matches!(object, Object::Qp(_))).count()
    }

    /// The mailboxes of a command, in the order in which they came.
    pub(in crate::host) fn commands(&self, opcode: u16) -> Vec<Vec<u8>> {
        self.state().commands.iter().filter(|command| command[..2] == opcode.to_be_bytes()).cloned().collect()
    }

    fn may(&self, call: &'static str) -> Result<()> {
        match self.state().refused.get_mut(call) {
            Some(0) => Err(Error::new(ErrorKind::Exhausted, "do what was asked").call(call, 12, "no memory")),
            Some(after) => {
                *after -= 1;
                Ok(())
            }
            None => Ok(()),
        }
    }

    fn make(&self, call: &'static str, object: impl FnOnce(u64) -> Object) -> Result<u64> {
        self.may(call)?;
        let mut state = self.state();
        state.next += 1;
        let number = state.next;
        state.open.insert(number, object(number));
        Ok(number)
    }

    fn drop_object(&self, handle: Handle) -> Result<()> {
        let mut state = self.state();
        let busy = |reason: &str| Err(Error::new(ErrorKind::System, "give an object back").because(reason));
        let in_use = |umem: u32| {
            state.open.values().any(|object| matches!(object, Object::Cq(at) | Object::Qp(at) if *at == umem))
        };
        match state.open.get(&handle.0) {
            None => return busy("there is none"),
            Some(Object::Pd) if state.open.len() > 1 => return busy("the protection domain is in use"),
            Some(Object::Umem(id)) if in_use(*id) => return busy("the umem is in use"),
            Some(Object::Cq(at)) => {
                let qps = |object: &&Object| matches!(object, Object::Qp(qp) if qp == at);
                let cqs = |object: &&Object| matches!(object, Object::Cq(cq) if cq == at);
                if state.open.values().filter(qps).count() >= state.open.values().filter(cqs).count() {
                    return busy("the completion queue is in use");
                }
            }
            Some(_) => {}
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
        Ok(vec![self.state().port.clone()])
    }

    fn gids(&self, _: u8) -> Result<Vec<Gid>> {
        Ok(self.state().gids.clone())
    }

    fn dealloc_pd(&self, pd: Handle) -> Result<()> {
        self.drop_object(pd)
    }

    fn reg_mr(&self, _: Handle, _: Region, _: u64, _: u64, _: u32) -> Result<Mr> {
        let number = self.make("reg_mr", |_| Object::Mr)?;
        Ok(Mr { handle: Handle(number), lkey: number as u32, rkey: 0x1000 + number as u32 })
    }

    fn dereg_mr(&self, mr: Handle) -> Result<()> {
        self.drop_object(mr)
    }
}

impl Hca for Fake {
    fn general_cmd(&self, input: &[u8], output: &mut [u8]) -> Result<()> {
        self.may("general_cmd")?;
        let group = get(input, Field::new("group", 0x30, 15));
        let fields = match group {
            _ if group == CapGroup::General as u64 => GeneralCaps::FIELDS,
            _ if group == CapGroup::Atomic as u64 => AtomicCaps::FIELDS,
            _ => return Ok(()),
        };
        for field in fields {
            set(&mut output[16..], *field, self.state().caps.get(field.name).copied().unwrap_or(0));
        }
        Ok(())
    }

    fn alloc_pd(&self) -> Result<(Handle, u32)> {
        self.make("alloc_pd", |_| Object::Pd).map(|number| (Handle(number), number as u32))
    }

    fn umem_reg(&self, _: Region, _: u64, _: u32, _: Option<u64>) -> Result<Umem> {
        let number = self.make("umem_reg", |number| Object::Umem(number as u32))?;
        Ok(Umem { handle: Handle(number), id: number as u32 })
    }

    fn umem_dereg(&self, umem: Handle) -> Result<()> {
        self.drop_object(umem)
    }

    fn alloc_uar(&self, kind: UarKind) -> Result<Uar> {
        if kind == UarKind::NonCachedDedicated {
            self.may("alloc_uar dedicated")?;
        }
        let register = Box::new(AtomicU64::new(0));
        let at = register.as_ptr() as u64;
        let number = self.make("alloc_uar", |_| Object::Uar(register))?;
        Ok(Uar { handle: Handle(number), page: number as u32, register: at, base: at })
    }

    fn free_uar(&self, uar: Handle) -> Result<()> {
        self.drop_object(uar)
    }

    fn query_eqn(&self) -> Result<u32> {
        Ok(5)
    }

    fn obj_create(&self, input: &[u8], output: &mut [u8]) -> Result<Handle> {
        let is_cq = input[..2] == [4, 0];
        let umem = get(input, Field::new("umem", if is_cq { 0x2c0 } else { 0x840 }, 32)) as u32;
        let call = if is_cq { "create_cq" } else { "create_qp" };
        let number = self.make(call, |_| if is_cq { Object::Cq(umem) } else { Object::Qp(umem) })?;
        self.state().commands.push(input.to_vec());
        set(output, Field::new("number", 0x48, 24), number);
        Ok(Handle(number))
    }

    fn obj_modify(&self, _: Handle, input: &[u8], _: &mut [u8]) -> Result<()> {
        self.may("obj_modify")?;
        self.state().commands.push(input.to_vec());
        Ok(())
    }

    fn obj_query(&self, _: Handle, _: &[u8], output: &mut [u8]) -> Result<()> {
        set(output, Field::new("state", 0xc0, 4), 3);
        Ok(())
    }

    fn obj_destroy(&self, object: Handle) -> Result<()> {
        self.drop_object(object)
    }

    fn resolve_mac(&self, _: Handle, _: &AhAttr) -> Result<[u8; 6]> {
        self.may("resolve_mac")?;
        Ok([2, 0, 0, 0, 0, 9])
    }

    fn verbs_qp(&self, _: Handle, _: u32, _: u32) -> Result<VerbsQp> {
        Err(Error::new(ErrorKind::Incompatible, "make a queue pair by verbs"))
    }

    fn verbs_connect(&self, _: Handle, _: &VerbsConnect) -> Result<()> {
        Err(Error::new(ErrorKind::Incompatible, "connect a queue pair by verbs"))
    }

    fn verbs_query(&self, _: Handle, _: &mut [u8]) -> Result<()> {
        Err(Error::new(ErrorKind::Incompatible, "query a queue pair by verbs"))
    }

    fn verbs_destroy(&self, _: Handle) -> Result<()> {
        Err(Error::new(ErrorKind::Incompatible, "destroy a queue pair by verbs"))
    }
}

/// A machine with these NICs.
#[derive(Debug)]
pub(in crate::host) struct Machine(pub(in crate::host) Vec<Arc<Fake>>);

impl Provider for Machine {
    fn describe(&self) -> String {
        "fakes".into()
    }

    fn list(&self) -> Result<Vec<Found>> {
        let found = |fake: &Arc<Fake>| Found {
            name: fake.name.clone(),
            pci: None,
            numa_node: None,
            is_mlx5: !fake.name.starts_with("other"),
        };
        Ok(self.0.iter().map(found).collect())
    }

    fn open(&self, name: &str) -> Result<Arc<dyn Hca>> {
        let fake = self.0.iter().find(|fake| fake.name == name);
        let fake = fake.ok_or_else(|| Error::new(ErrorKind::NotFound, format!("open {name}")))?;
        fake.may("open")?;
        Ok(fake.clone())
    }
}

/// What gives memory to a register outlives nothing: it is there while its page is.
#[test]
fn what_is_in_use_is_not_given_back() {
    let fake = Fake::new("mlx5_0", 1);
    let (pd, _) = fake.alloc_pd().unwrap();
    let mr = fake.reg_mr(pd, Region::Address(0), 1, 0, 0).unwrap();
    assert!(fake.dealloc_pd(pd).is_err());
    fake.dereg_mr(mr.handle).unwrap();
    let uar = fake.alloc_uar(UarKind::NonCached).unwrap();
    // SAFETY: the register lives until its page is given back.
    unsafe { AtomicU64::from_ptr(uar.register as *mut u64) }.store(1, Ordering::Relaxed);
    fake.free_uar(uar.handle).unwrap();
    fake.dealloc_pd(pd).unwrap();
    assert_eq!(fake.open_objects(), 0);
}
