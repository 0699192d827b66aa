//! Finds and opens software NICs.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_rdma::hca::{Found, Hca, Provider};

use crate::check::{Violation, Violations};
use crate::faults::Faults;
use crate::holds::Holds;
use crate::memory::{Dma, HostMemory};
use crate::nic::{Context, Core, Nic, Responder};
use crate::plane::{self, Answers, Asker, DataPlane};
use crate::wire::Port;
use crate::{Fault, Memory, Options};

/// Software NICs, from `mlx5_0` on.
pub struct SoftProvider {
    options: Arc<Options>,
    violations: Arc<Violations>,
    faults: Arc<Faults>,
    holds: Arc<Holds>,
    nics: Vec<Arc<Nic>>,
}

impl fmt::Debug for SoftProvider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.describe())
    }
}

impl SoftProvider {
    /// Creates NICs on the memory of this process.
    ///
    /// # Errors
    /// The folder of [`Options::wire`] can't be used, or all addresses in it are taken.
    pub fn new(options: Options) -> Result<Self> {
        Self::with_memory(options, Arc::new(HostMemory))
    }

    /// Creates NICs on other memory.
    ///
    /// # Errors
    /// Those of [`new`](Self::new).
    pub fn with_memory(options: Options, memory: Arc<dyn Memory>) -> Result<Self> {
        Self::made(options, memory, None)
    }

    /// Creates NICs on other memory, whose queues `plane` executes. They are calm: they use no freedom and inject no
    /// faults.
    ///
    /// # Errors
    /// Those of [`new`](Self::new); or the options request an effect that a data plane does not have.
    pub fn with_plane(options: Options, memory: Arc<dyn Memory>, plane: Arc<dyn DataPlane>) -> Result<Self> {
        if !options.knobs.is_calm() || !options.faults.is_empty() {
            return Err(Error::new(ErrorKind::InvalidArgument, "make a software NIC with another data plane")
                .because("seeds and faults are for the NIC's own thread")
                .hint("leave OXSHMEM_SOFTNIC_SEED and OXSHMEM_SOFTNIC_FAULT away, or OXSHMEM_SOFTNIC_ENGINE"));
        }
        plane::enlist(&plane);
        Self::made(options, memory, Some(plane))
    }

    fn made(options: Options, memory: Arc<dyn Memory>, plane: Option<Arc<dyn DataPlane>>) -> Result<Self> {
        let options = Arc::new(options);
        let violations = Violations::new(options.abort, options.broken_on_purpose.clone(), options.wire.as_deref());
        let (violations, faults) = (Arc::new(violations), Arc::new(Faults::default()));
        let holds = Arc::new(Holds::default());
        options.faults.iter().for_each(|fault| faults.add(*fault));
        let mut nics = Vec::new();
        for i in 0..options.nics {
            let dma = Dma::new(memory.clone());
            let responder = Arc::new(Responder::new(dma.clone(), i, options.defects));
            let port = Port::attach(options.wire.clone(), &responder)?;
            let answers = match (&plane, &options.wire) {
                (Some(plane), Some(folder)) => Some(Answers::start(folder, port.lid, &responder, plane)?),
                _ => None,
            };
            nics.push(Arc::new(Nic::new(Core {
                name: format!("mlx5_{i}"),
                options: options.clone(),
                dma,
                violations: violations.clone(),
                faults: faults.clone(),
                holds: holds.clone(),
                responder,
                port,
                plane: plane.clone(),
                asker: Asker::new(options.wire.clone()),
                _answers: answers,
            })));
        }
        if options.knobs.seed != 0 {
            eprintln!("softnic: OXSHMEM_SOFTNIC_SEED={}", options.knobs.seed);
        }
        Ok(Self { options, violations, faults, holds, nics })
    }

    /// Returns the rules that drivers of these NICs have broken so far.
    pub fn violations(&self) -> Vec<Violation> {
        self.violations.all()
    }

    /// Calls `sink` for each completion event of a queue: once for each time that the program has armed it.
    ///
    /// # Errors
    /// There is no NIC of this name, or it has no such completion queue.
    pub fn watch(&self, name: &str, cqn: u32, sink: Box<dyn Fn() + Send>) -> Result<()> {
        let nic = self.nic(name)?;
        nic.watch(cqn, sink).map_err(|why| {
            Error::new(ErrorKind::NotFound, format!("watch completion queue {cqn:#x} of {name}")).because(why)
        })
    }

    /// Calls `sink` each time that a queue pair comes into error.
    ///
    /// # Errors
    /// There is no NIC of this name, or it has no such queue pair.
    pub fn on_error(&self, name: &str, qpn: u32, sink: Box<dyn Fn() + Send + Sync>) -> Result<()> {
        self.nic(name)?
            .on_error(qpn, sink)
            .map_err(|why| Error::new(ErrorKind::NotFound, format!("watch queue pair {qpn:#x} of {name}")).because(why))
    }

    /// Calls `sink` once when fewer than `limit` entries of a shared receive queue are posted; 0: never.
    ///
    /// # Errors
    /// There is no NIC of this name, or it has no such queue.
    pub fn on_low(&self, name: &str, number: u32, limit: u16, sink: Box<dyn Fn() + Send + Sync>) -> Result<()> {
        self.nic(name)?.on_low(number, limit, sink).map_err(|why| {
            Error::new(ErrorKind::NotFound, format!("watch shared receive queue {number:#x} of {name}")).because(why)
        })
    }

    /// Makes a WQE fail.
    pub fn inject(&self, fault: Fault) {
        self.faults.add(fault);
    }

    /// Holds a queue pair, or releases it. A held queue pair takes doorbells, but starts and completes nothing.
    pub fn hold(&self, qpn: u32, held: bool) {
        self.holds.set(qpn, held);
    }

    /// Holds every queue pair, also future ones, or releases those that are not held individually.
    pub fn hold_all(&self, held: bool) {
        self.holds.set_all(held);
    }

    /// Takes the links of all NICs up or down, like [`set_link`](Self::set_link).
    pub fn set_links(&self, up: bool) {
        self.nics.iter().for_each(|nic| nic.core.responder.up.store(up, Ordering::Release));
    }

    /// Takes a NIC's link up or down. While it is down, requests to its peers fail.
    ///
    /// # Errors
    /// There is no NIC of this name.
    pub fn set_link(&self, name: &str, up: bool) -> Result<()> {
        self.nic(name)?.core.responder.up.store(up, Ordering::Release);
        Ok(())
    }

    /// Makes a NIC refuse registrations of memory, or accept them again.
    ///
    /// # Errors
    /// There is no NIC of this name.
    pub fn refuse_registrations(&self, name: &str, refuses: bool) -> Result<()> {
        self.nic(name)?.core.responder.refuses.store(refuses, Ordering::Release);
        Ok(())
    }

    fn nic(&self, name: &str) -> Result<&Arc<Nic>> {
        self.nics.iter().find(|nic| nic.core.name == name).ok_or_else(|| {
            let names: Vec<_> = self.nics.iter().map(|nic| nic.core.name.as_str()).collect();
            Error::new(ErrorKind::NotFound, format!("open the NIC {name}"))
                .because(format!("there are {}", names.join(", ")))
                .call("ibv_open_device", libc::ENODEV.into(), "No such device")
        })
    }
}

impl Provider for SoftProvider {
    fn describe(&self) -> String {
        format!("software NIC, {:?}, seed {}", self.options.profile, self.options.knobs.seed)
    }

    fn list(&self) -> Result<Vec<Found>> {
        let found = self.nics.iter().enumerate().map(|(i, nic)| Found {
            name: nic.core.name.clone(),
            pci: Some((0, 0x10 + i as u8, 0, 0)),
            numa_node: Some(0),
            is_mlx5: true,
        });
        Ok(found.collect())
    }

    fn open(&self, name: &str) -> Result<Arc<dyn Hca>> {
        Ok(Arc::new(Context::open(self.nic(name)?.clone())))
    }
}
