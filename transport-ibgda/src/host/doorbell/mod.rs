//! How kernels ring the NIC: at its register, or through a thread of the host.

mod cpu_doorbell;
pub(in crate::host) mod mapper;

use std::sync::Arc;

use oxshmem_core::host::Result;
use oxshmem_raw::memory::Memory;

use crate::host::config::DoorbellBy;
use crate::host::service_thread::ServiceThread;
use crate::host::setup::nic::Nic;
use cpu_doorbell::{DoorbellWord, DoorbellWords};
use mapper::{HostMapper, KernelMapping};

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
    /// The address for kernels.
    pub(in crate::host) fn kernel(&self) -> u64 {
        match self {
            Self::Register(at) => *at,
            Self::KernelMapping(mapped) => mapped.kernel(),
            Self::Watched(word) => word.kernel(),
        }
    }
}

/// Makes doorbells, and maps other host memory for kernels.
#[derive(Debug)]
pub(in crate::host) struct Doorbells {
    memory: Memory,
    by: DoorbellBy,
    mapper: Option<HostMapper>,
    pub(in crate::host) service: ServiceThread,
    words: Option<Arc<DoorbellWords>>,
    n_words: usize,
}

impl Doorbells {
    /// Returns the doorbells of at most `n_words` queue pairs.
    pub(in crate::host) fn new(memory: &Memory, by: DoorbellBy, n_words: usize) -> Self {
        let mapper = match memory {
            Memory::Host => None,
            Memory::Gpu(context) => Some(HostMapper::new(context)),
        };
        Self { memory: memory.clone(), by, mapper, service: ServiceThread::default(), words: None, n_words }
    }

    /// Makes a doorbell for the register at `register`.
    ///
    /// # Errors
    /// The settings demand that the GPU rings and it can't, or there are more queue pairs than words.
    ///
    /// # Safety
    ///
    /// - **mapped**: `register` is an aligned doorbell register, and its page stays mapped while the doorbell lives.
    pub(in crate::host) unsafe fn doorbell(&mut self, nic: &Nic, register: u64) -> Result<Doorbell> {
        match (&mut self.mapper, self.by) {
            (_, DoorbellBy::Cpu) => {
                nic.registrar.note("doorbells: rung by a thread of the host, as asked".into());
                // SAFETY: **mapped**: the caller keeps the register's page mapped while the doorbell lives.
                unsafe { self.watched(register) }
            }
            (None, _) => Ok(Doorbell::Register(register)),
            // SAFETY: **mapped**: the caller keeps the register's page mapped while the doorbell, which owns the
            // mapping, lives.
            (Some(mapper), by) => match (unsafe { mapper.register(register) }, by) {
                (Ok(mapped), _) => {
                    nic.registrar.note("doorbells: rung by the GPU".into());
                    Ok(Doorbell::KernelMapping(mapped))
                }
                (Err(error), DoorbellBy::Gpu) => {
                    Err(error.hint("OXSHMEM_IBGDA_NIC_HANDLER=cpu lets a thread of the host ring"))
                }
                (Err(error), _) => {
                    nic.registrar.note(format!("doorbells: rung by a thread of the host, since {error}"));
                    // SAFETY: **mapped**: the caller keeps the register's page mapped while the doorbell lives.
                    unsafe { self.watched(register) }
                }
            },
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

    /// # Safety
    ///
    /// - **mapped**: as for [`doorbell`](Self::doorbell).
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
