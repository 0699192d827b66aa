//! A fake ConnectX: it takes every command.

use std::collections::{BTreeMap, HashMap};
use std::ops::Deref;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard};

use oxshmem_core::host::{Error, ErrorKind, Result};

use super::{FakeMachine, FakeNic};
use crate::hca::*;
use crate::mlx5::devx::{AtomicCaps, CapGroup, CreateCq, Field, GeneralCaps, atomic_operation, get, set};

/// A ConnectX that keeps the mailboxes of its commands.
#[derive(Debug)]
pub struct FakeHca {
    nic: FakeNic,
    state: Mutex<HcaState>,
}

#[derive(Debug)]
struct HcaState {
    caps: HashMap<&'static str, u64>,
    /// In the order in which they came.
    mailboxes: Vec<Vec<u8>>,
    pages: Vec<FakePage>,
    /// The doorbell registers that were not given back, by handle.
    registers: BTreeMap<u64, (UarKind, u64)>,
}

/// A page of doorbell registers. As libmlx5 does, the NIC hands them out one by one, except the shared one.
#[derive(Debug)]
struct FakePage {
    kind: UarKind,
    memory: Box<PageMemory>,
}

#[derive(Debug)]
#[repr(align(4096))]
struct PageMemory([AtomicU64; 512]);

impl FakePage {
    fn new(kind: UarKind) -> Self {
        Self { kind, memory: Box::new(PageMemory([const { AtomicU64::new(0) }; 512])) }
    }

    fn base(&self) -> u64 {
        self.memory.0.as_ptr() as u64
    }

    fn registers(&self) -> impl Iterator<Item = u64> {
        let (count, distance) = match self.kind {
            UarKind::NonCachedDedicated => (4, 0x100),
            UarKind::BlueFlame => (2, 0x200),
            UarKind::NonCached => (1, 0),
        };
        let first = self.base() + 0x800;
        (0..count).map(move |number| first + number * distance)
    }
}

impl Deref for FakeHca {
    type Target = FakeNic;

    fn deref(&self) -> &FakeNic {
        &self.nic
    }
}

impl FakeHca {
    /// The number of the event queue, which has more than 8 bits.
    pub const EQN: u32 = 0x1_0205;

    /// Returns an InfiniBand NIC with an active port of LID `lid`.
    pub fn new(name: &str, lid: u16) -> Arc<Self> {
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
        let state =
            HcaState { caps: caps.into(), mailboxes: Vec::new(), pages: Vec::new(), registers: BTreeMap::new() };
        Arc::new(Self { nic: FakeNic::new(name, lid), state: Mutex::new(state) })
    }

    /// Returns a NIC on Ethernet with these addresses.
    pub fn ethernet(name: &str, gids: &[Gid]) -> Arc<Self> {
        let fake = Self::new(name, 0);
        fake.set_ethernet(gids);
        fake
    }

    fn state(&self) -> MutexGuard<'_, HcaState> {
        self.state.lock().unwrap()
    }

    /// Changes the value of a capability.
    pub fn set_cap(&self, name: &'static str, value: u64) {
        self.state().caps.insert(name, value);
    }

    /// Returns the number of queue pairs that were not given back.
    pub fn queue_pairs(&self) -> usize {
        self.open("queue pair").len()
    }

    /// Returns the kinds and addresses of the doorbell registers that were not given back, in the order in which they
    /// were made.
    pub fn registers(&self) -> Vec<(UarKind, u64)> {
        self.state().registers.values().copied().collect()
    }

    /// Returns the mailboxes of a command, in the order in which they came.
    pub fn commands(&self, opcode: u16) -> Vec<Vec<u8>> {
        self.state().mailboxes.iter().filter(|mailbox| mailbox[..2] == opcode.to_be_bytes()).cloned().collect()
    }

    fn domains(&self) -> Vec<u64> {
        self.open("protection domain")
    }
}

impl VerbsNic for FakeHca {
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
        self.give_back(pd, "protection domain")
    }

    fn reg_mr(&self, pd: Handle, _: Region, _: u64, _: u64, _: u32) -> Result<Mr> {
        let number = self.make("reg_mr", "memory region", vec![pd.0])?;
        Ok(Mr { handle: Handle(number), lkey: number as u32, rkey: 0x1000 + number as u32 })
    }

    fn dereg_mr(&self, mr: Handle) -> Result<()> {
        self.give_back(mr, "memory region")
    }
}

// SAFETY:
// - **mapped**: the addresses are those of its own memory, which lives as long.
// - **named**: it accesses no memory but its own.
unsafe impl Hca for FakeHca {
    fn general_cmd(&self, input: &[u8], output: &mut [u8]) -> Result<()> {
        self.call("general_cmd")?;
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
        self.make("alloc_pd", "protection domain", Vec::new()).map(|number| (Handle(number), number as u32))
    }

    fn umem_reg(&self, _: Region, _: u64, _: u32, pages: Option<u64>) -> Result<Umem> {
        if pages.is_some() {
            self.call("umem_reg_ex")?;
        }
        let number = self.make("umem_reg", "umem", self.domains())?;
        Ok(Umem { handle: Handle(number), id: number as u32 })
    }

    fn umem_dereg(&self, umem: Handle) -> Result<()> {
        self.give_back(umem, "umem")
    }

    fn alloc_uar(&self, kind: UarKind) -> Result<Uar> {
        self.call(match kind {
            UarKind::NonCachedDedicated => "alloc_uar dedicated",
            UarKind::NonCached => "alloc_uar shared",
            UarKind::BlueFlame => "alloc_uar blueflame",
        })?;
        let number = self.make("alloc_uar", "doorbell register", self.domains())?;
        let mut state = self.state();
        let is_free = |at: u64| kind == UarKind::NonCached || state.registers.values().all(|(_, taken)| *taken != at);
        let pages = || state.pages.iter().enumerate().filter(|(_, page)| page.kind == kind);
        let free = pages().find_map(|(place, page)| Some((place, page.registers().find(|at| is_free(*at))?)));
        let (place, register) = free.unwrap_or_else(|| {
            let page = FakePage::new(kind);
            let first = page.base() + 0x800;
            state.pages.push(page);
            (state.pages.len() - 1, first)
        });
        state.registers.insert(number, (kind, register));
        Ok(Uar { handle: Handle(number), page: place as u32 + 1, register, base: state.pages[place].base() })
    }

    fn free_uar(&self, uar: Handle) -> Result<()> {
        self.give_back(uar, "doorbell register")?;
        self.state().registers.remove(&uar.0);
        Ok(())
    }

    fn query_eqn(&self) -> Result<u32> {
        Ok(Self::EQN)
    }

    fn obj_create(&self, input: &[u8], output: &mut [u8]) -> Result<Handle> {
        let field = |name, at, bits| get(input, Field::new(name, at, bits));
        let number = if input[..2] == CreateCq::OPCODE.to_be_bytes() {
            self.make("create_cq", "completion queue", vec![field("cq_umem_id", 0x2c0, 32)])?
        } else {
            // The context begins at bit 0xc0.
            let cqn = field("cqn_snd", 0xc0 + 0x3e8, 24);
            self.make("create_qp", "queue pair", vec![field("wq_umem_id", 0x840, 32), cqn])?
        };
        self.state().mailboxes.push(input.to_vec());
        set(output, Field::new("number", 0x48, 24), number);
        Ok(Handle(number))
    }

    fn obj_modify(&self, _: Handle, input: &[u8], _: &mut [u8]) -> Result<()> {
        self.call("obj_modify")?;
        self.state().mailboxes.push(input.to_vec());
        Ok(())
    }

    fn obj_query(&self, _: Handle, _: &[u8], output: &mut [u8]) -> Result<()> {
        set(output, Field::new("state", 0xc0, 4), 3);
        Ok(())
    }

    fn obj_destroy(&self, object: Handle) -> Result<()> {
        let is_cq = self.open("completion queue").contains(&object.0);
        self.give_back(object, if is_cq { "completion queue" } else { "queue pair" })
    }

    fn resolve_mac(&self, _: Handle, _: &AhAttr) -> Result<[u8; 6]> {
        self.call("resolve_mac")?;
        Ok([2, 0, 0, 0, 0, 9])
    }

    fn verbs_qp(&self, _: Handle, _: u32, _: u32) -> Result<VerbsQpLayout> {
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

impl Provider for FakeMachine<FakeHca> {
    fn describe(&self) -> String {
        "fakes".into()
    }

    fn list(&self) -> Result<Vec<Found>> {
        Ok(self.found())
    }

    fn open(&self, name: &str) -> Result<Arc<dyn Hca>> {
        self.find(name, "open").map(|nic| nic as Arc<dyn Hca>)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use super::*;

    #[test]
    fn an_object_in_use_is_not_given_back() {
        let fake = FakeHca::new("mlx5_0", 1);
        let (pd, _) = fake.alloc_pd().unwrap();
        let mr = fake.reg_mr(pd, Region::Address(0), 1, 0, 0).unwrap();
        assert!(fake.dealloc_pd(pd).is_err());
        fake.dereg_mr(mr.handle).unwrap();
        let uar = fake.alloc_uar(UarKind::NonCached).unwrap();
        // SAFETY: the register lives until its page is given back, which is below.
        unsafe { AtomicU64::from_ptr(uar.register as *mut u64) }.store(1, Ordering::Relaxed);
        assert!(fake.dealloc_pd(pd).is_err(), "the page is in use");
        fake.free_uar(uar.handle).unwrap();
        fake.dealloc_pd(pd).unwrap();
        assert_eq!(fake.open_objects(), 0);
    }
}
