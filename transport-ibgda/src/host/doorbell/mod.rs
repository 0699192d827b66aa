//! Who rings the NIC: kernels at its register, or a thread of the host for them.

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

/// Where kernels write a queue's doorbell.
#[derive(Debug)]
pub(in crate::host) enum Doorbell {
    /// The register itself, at this address of kernels on the host.
    DoorbellRegister(u64),
    /// The register, mapped for a GPU.
    KernelMapping(KernelMapping),
    /// A word that a thread of the host watches.
    Watched(DoorbellWord),
}

impl Doorbell {
    /// Its address for kernels.
    pub(in crate::host) fn kernel(&self) -> u64 {
        match self {
            Self::DoorbellRegister(at) => *at,
            Self::KernelMapping(mapped) => mapped.kernel(),
            Self::Watched(word) => word.kernel(),
        }
    }
}

/// Makes them, and maps what else kernels need of the host.
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
    /// For at most `n_words` queues.
    pub(in crate::host) fn new(memory: &Memory, by: DoorbellBy, n_words: usize) -> Self {
        let mapper = match memory {
            Memory::Host => None,
            Memory::Gpu(context) => Some(HostMapper::new(context)),
        };
        Self { memory: memory.clone(), by, mapper, service: ServiceThread::default(), words: None, n_words }
    }

    /// How kernels ring the register at `register`.
    ///
    /// # Errors
    /// A GPU must ring itself and can't, or there are more queues than words.
    ///
    /// # Safety
    ///
    /// - **mapped**: `register` is an aligned doorbell register, and its page stays mapped while the answer lives.
    pub(in crate::host) unsafe fn doorbell(&mut self, nic: &Nic, register: u64) -> Result<Doorbell> {
        match (&mut self.mapper, self.by) {
            (_, DoorbellBy::Cpu) => {
                nic.registrar.note("doorbells: rung by a thread of the host, as asked".into());
                // SAFETY: **mapped**.
                unsafe { self.watched(register) }
            }
            (None, _) => Ok(Doorbell::DoorbellRegister(register)),
            // SAFETY: **mapped**.
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
                    // SAFETY: **mapped**.
                    unsafe { self.watched(register) }
                }
            },
        }
    }

    /// Where kernels find `bytes` bytes of this process's memory at `at`.
    ///
    /// # Errors
    /// The driver can't map them.
    ///
    /// # Safety
    ///
    /// - **mapped**: the range's pages stay mapped in this process while the answer lives.
    pub(in crate::host) unsafe fn map(&mut self, at: u64, bytes: u64) -> Result<(u64, Option<KernelMapping>)> {
        match &mut self.mapper {
            None => Ok((at, None)),
            // SAFETY: **mapped**.
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
        // SAFETY: **mapped**.
        unsafe { words.watch(&mut self.service, register) }.map(Doorbell::Watched)
    }
}
