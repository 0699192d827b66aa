//! Who rings the NIC: kernels at its register, or a thread of the host for them.

use std::sync::Arc;

use oxshmem_core::host::Result;
use oxshmem_raw::memory::Memory;

use super::assist::{Word, Words};
use super::config::DoorbellBy;
use super::helper::Helper;
use super::mapper::{Mapped, Mapper};
use super::nic::Nic;

/// Where kernels write a queue's doorbell.
#[derive(Debug)]
pub(super) enum Bell {
    /// The register itself, at this address of kernels on the host.
    Register(u64),
    /// The register, mapped for a GPU.
    Mapped(Mapped),
    /// A word that a thread of the host watches.
    Watched(Word),
}

impl Bell {
    /// Its address for kernels.
    pub(super) fn kernel(&self) -> u64 {
        match self {
            Self::Register(at) => *at,
            Self::Mapped(mapped) => mapped.kernel(),
            Self::Watched(word) => word.kernel(),
        }
    }
}

/// Makes them, and maps what else kernels need of the host.
#[derive(Debug)]
pub(super) struct Bells {
    memory: Memory,
    by: DoorbellBy,
    mapper: Option<Mapper>,
    pub(super) helper: Helper,
    words: Option<Arc<Words>>,
    n_words: usize,
}

impl Bells {
    /// For at most `n_words` queues.
    pub(super) fn new(memory: &Memory, by: DoorbellBy, n_words: usize) -> Self {
        let mapper = match memory {
            Memory::Host => None,
            Memory::Gpu(context) => Some(Mapper::new(context)),
        };
        Self { memory: memory.clone(), by, mapper, helper: Helper::default(), words: None, n_words }
    }

    /// How kernels ring the register at `register`, which is mapped longer than the answer lives.
    ///
    /// # Errors
    /// A GPU must ring itself and can't, or there are more queues than words.
    pub(super) fn bell(&mut self, nic: &Nic, register: u64) -> Result<Bell> {
        match (&mut self.mapper, self.by) {
            (_, DoorbellBy::Cpu) => {
                nic.note("doorbells: rung by a thread of the host, as asked".into());
                self.watched(register)
            }
            (None, _) => Ok(Bell::Register(register)),
            // SAFETY: **mapped**: the register's page is given back last of all parts of its queue.
            (Some(mapper), by) => match (unsafe { mapper.register(register) }, by) {
                (Ok(mapped), _) => {
                    nic.note("doorbells: rung by the GPU".into());
                    Ok(Bell::Mapped(mapped))
                }
                (Err(error), DoorbellBy::Gpu) => {
                    Err(error.hint("OXSHMEM_IBGDA_NIC_HANDLER=cpu lets a thread of the host ring"))
                }
                (Err(error), _) => {
                    nic.note(format!("doorbells: rung by a thread of the host, since {error}"));
                    self.watched(register)
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
    pub(super) unsafe fn map(&mut self, at: u64, bytes: u64) -> Result<(u64, Option<Mapped>)> {
        match &mut self.mapper {
            None => Ok((at, None)),
            // SAFETY: **mapped**.
            Some(mapper) => unsafe { mapper.memory(at, bytes) }.map(|mapped| (mapped.kernel(), Some(mapped))),
        }
    }

    fn watched(&mut self, register: u64) -> Result<Bell> {
        let words = match &self.words {
            Some(words) => words,
            None => self.words.insert(Words::new(&self.memory, self.n_words)?),
        };
        words.watch(&mut self.helper, register).map(Bell::Watched)
    }
}
