//! How kernels ring the NIC: at its register, or through a thread of the host.

mod cpu_doorbell;
pub(in crate::host) mod mapper;

use std::collections::HashMap;
use std::sync::Arc;

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::memory::Memory;
use oxshmem_raw::os::shm;
use oxshmem_rdma::devx_qp;
use oxshmem_rdma::hca::UarKind;

use crate::host::config::DoorbellBy;
use crate::host::service_thread::ServiceThread;
use crate::host::setup::nic::{DoorbellRegister, Nic};
use cpu_doorbell::{DoorbellWord, DoorbellWords};
use mapper::{HostMapper, KernelMapping};

/// The kinds of registers that a GPU rings, in the order in which they are tried. Each gives a queue pair a register of
/// its own: if several threads of a warp store to one address at once, only one of the stores is performed (CUDA C++
/// Programming Guide, "Device Memory Accesses"), so that a register of several queue pairs would lose doorbells.
const FOR_GPU: [UarKind; 2] = [UarKind::NonCachedDedicated, UarKind::BlueFlame];
const BY_CPU: &str = "OXSHMEM_IBGDA_NIC_HANDLER=cpu lets a thread of the host ring";

/// The place to which kernels write a queue pair's doorbell.
#[derive(Debug)]
pub(in crate::host) enum Doorbell {
    /// The register itself, at this address, for kernels on the host.
    Register(u64),
    /// The register, mapped for a GPU.
    KernelMapping(KernelMapping),
    /// A word that the service thread polls.
    Watched(DoorbellWord),
}

impl Doorbell {
    /// Returns the address for kernels.
    pub(in crate::host) fn kernel(&self) -> u64 {
        match self {
            Self::Register(at) => *at,
            Self::KernelMapping(mapped) => mapped.kernel(),
            Self::Watched(word) => word.kernel(),
        }
    }
}

/// Kinds of registers that can't be used, each with the reason.
type Refusals = Vec<(UarKind, String)>;

/// Makes doorbells, and maps other host memory for kernels.
#[derive(Debug)]
pub struct Doorbells {
    memory: Memory,
    by: DoorbellBy,
    mapper: Option<HostMapper>,
    pub(in crate::host) service: ServiceThread,
    words: Option<Arc<DoorbellWords>>,
    n_words: usize,
    /// By name of a NIC, the kinds of registers that the GPU can't ring, which are not tried again. A kind whose
    /// registers are all in use is tried again.
    refused: HashMap<String, Refusals>,
}

impl Doorbells {
    /// Returns the doorbells of at most `n_words` queue pairs.
    pub fn new(memory: &Memory, by: DoorbellBy, n_words: usize) -> Self {
        let mapper = match memory {
            Memory::Host => None,
            Memory::Gpu(context) => Some(HostMapper::new(Box::new(context.clone()), shm::granularity() as u64)),
        };
        Self::with_mapper(memory, mapper, by, n_words)
    }

    /// Returns the same with this mapper of host addresses, if kernels need one.
    pub(in crate::host) fn with_mapper(
        memory: &Memory,
        mapper: Option<HostMapper>,
        by: DoorbellBy,
        n_words: usize,
    ) -> Self {
        let (service, refused) = (ServiceThread::default(), HashMap::new());
        Self { memory: memory.clone(), by, mapper, service, words: None, n_words, refused }
    }

    /// Allocates a register of `nic` for a new queue pair, and makes its doorbell. The doorbell must be dropped first.
    ///
    /// The GPU rings at the first kind of register that libmlx5 has and the driver maps. If there is none, a thread of
    /// the host rings.
    ///
    /// # Errors
    /// The settings demand that the GPU rings and it can't, or there are more queue pairs than registers or words.
    pub(in crate::host) fn take(&mut self, nic: &Arc<Nic>) -> Result<(DoorbellRegister, Doorbell)> {
        let asked = self.by == DoorbellBy::Cpu;
        let refused = match (&mut self.mapper, asked) {
            (Some(mapper), false) => {
                let refused = self.refused.entry(nic.name()).or_default();
                if let Some(taken) = take_for_gpu(nic, mapper, refused) {
                    return Ok(taken);
                }
                listed(refused)
            }
            _ => String::new(),
        };
        if self.by == DoorbellBy::Gpu && self.mapper.is_some() {
            let action = format!("let the GPU ring {}", nic.name());
            return Err(Error::new(ErrorKind::Unreachable, action).because(refused).hint(BY_CPU));
        }
        let (register, which) = devx_qp::register_for_cpu(nic, &nic.name())?;
        if self.mapper.is_none() && !asked {
            nic.registrar.note(format!("doorbells: {which}, rung by kernels on the host"));
            let at = register.uar.register;
            return Ok((register, Doorbell::Register(at)));
        }
        let why = if asked { "as asked".to_string() } else { format!("since the GPU can't: {refused}") };
        nic.registrar.note(format!("doorbells: {which}, rung by a thread of the host, {why}"));
        // SAFETY: **mapped**: the caller drops the doorbell before the register, which keeps its page mapped.
        let doorbell = unsafe { self.watched(register.uar.register) }?;
        Ok((register, doorbell))
    }

    /// Makes a doorbell for the register at `register`, which belongs to a queue pair made by verbs. The GPU rings it
    /// if no other queue pair `shares` it.
    ///
    /// # Errors
    /// The settings demand that the GPU rings and it can't, or there are more queue pairs than words.
    ///
    /// # Safety
    ///
    /// - **mapped**: `register` is an aligned doorbell register, and its page stays mapped while the doorbell lives.
    pub(in crate::host) unsafe fn at(&mut self, nic: &Nic, register: u64, shares: bool) -> Result<Doorbell> {
        match (&mut self.mapper, self.by) {
            (_, DoorbellBy::Cpu) => {
                nic.registrar.note("doorbells: rung by a thread of the host, as asked".into());
                // SAFETY: **mapped**: the caller keeps the register's page mapped while the doorbell lives.
                unsafe { self.watched(register) }
            }
            (None, _) => Ok(Doorbell::Register(register)),
            (Some(mapper), by) => {
                let mapped = match shares {
                    true => Err(shared(nic)),
                    // SAFETY: **mapped**: the caller keeps the register's page mapped while the doorbell, which owns
                    // the mapping, lives.
                    false => unsafe { mapper.register(register) },
                };
                match (mapped, by) {
                    (Ok(mapped), _) => {
                        nic.registrar.note("doorbells: rung by the GPU".into());
                        Ok(Doorbell::KernelMapping(mapped))
                    }
                    (Err(error), DoorbellBy::Gpu) => Err(error.hint(BY_CPU)),
                    (Err(error), _) => {
                        nic.registrar.note(format!("doorbells: rung by a thread of the host, since {error}"));
                        // SAFETY: **mapped**: the caller keeps the register's page mapped while the doorbell lives.
                        unsafe { self.watched(register) }
                    }
                }
            }
        }
    }

    /// Maps `bytes` bytes of this process at `at` for kernels, and returns their address there.
    ///
    /// # Errors
    /// The driver can't map them.
    ///
    /// # Safety
    ///
    /// - **mapped**: the range's pages stay mapped in this process while the mapping lives.
    pub(in crate::host) unsafe fn map(&mut self, at: u64, bytes: u64) -> Result<(u64, Option<KernelMapping>)> {
        match &mut self.mapper {
            None => Ok((at, None)),
            // SAFETY: **mapped**: the caller keeps the range's pages mapped while the mapping lives.
            Some(mapper) => unsafe { mapper.memory(at, bytes) }.map(|mapped| (mapped.kernel(), Some(mapped))),
        }
    }

    /// Returns the doorbell of a register that the service thread rings.
    ///
    /// # Errors
    /// There are more queue pairs than words, or the thread can't be started.
    ///
    /// # Safety
    ///
    /// - **mapped**: as for [`at`](Self::at).
    unsafe fn watched(&mut self, register: u64) -> Result<Doorbell> {
        let words = match &self.words {
            Some(words) => words,
            None => self.words.insert(DoorbellWords::new(&self.memory, self.n_words)?),
        };
        // SAFETY: **mapped**: the caller keeps the register's page mapped while the doorbell, which owns the word,
        // lives.
        unsafe { words.watch(&mut self.service, register) }.map(Doorbell::Watched)
    }
}

/// Allocates a register that the GPU can ring, and maps it. Adds kinds without one to `refused`.
fn take_for_gpu(
    nic: &Arc<Nic>,
    mapper: &mut HostMapper,
    refused: &mut Refusals,
) -> Option<(DoorbellRegister, Doorbell)> {
    let mut none_left = Refusals::new();
    for kind in FOR_GPU {
        if refused.iter().any(|(known, _)| *known == kind) {
            continue;
        }
        let taken = nic.doorbell(kind).and_then(|register| {
            // SAFETY: **mapped**: the register keeps its page mapped, and `take` has its caller drop the doorbell,
            // which owns the mapping, before it.
            let mapped = unsafe { mapper.register(register.uar.register) }?;
            Ok((register, Doorbell::KernelMapping(mapped)))
        });
        match taken {
            Ok(taken) => {
                let all = [&refused[..], &none_left].concat();
                let why = if all.is_empty() { String::new() } else { format!(", since {}", listed(&all)) };
                nic.registrar.note(format!("doorbells: {} registers, rung by the GPU{why}", kind.text()));
                return Some(taken);
            }
            Err(error) if error.kind() == ErrorKind::Exhausted => none_left.push((kind, error.to_string())),
            Err(error) => refused.push((kind, error.to_string())),
        }
    }
    None
}

/// Returns the reason why the GPU can't ring a register of several queue pairs.
fn shared(nic: &Nic) -> Error {
    Error::new(ErrorKind::Unreachable, format!("let the GPU ring queue pairs made by verbs on {}", nic.name()))
        .because("they share doorbell registers: this libmlx5 or kernel has no thread domains (ibv_alloc_td)")
}

/// Returns the refusals, for people.
fn listed(refused: &[(UarKind, String)]) -> String {
    let texts: Vec<String> = refused.iter().map(|(kind, why)| format!("{}: {why}", kind.text())).collect();
    texts.join("; ")
}
