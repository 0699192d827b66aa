//! How the transport is opened: its NICs, the tables, and the proxies on their cores.

use std::sync::{Arc, Mutex};

use oxshmem_core::Pe;
use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::memory::{Memory, Windows};
use oxshmem_raw::queue::host::{BufferTable, ReportedFaults, RowTable};
use oxshmem_raw::transport::{Connect, PeerMessages};
use oxshmem_rdma::fabric::FabricProvider;

use crate::host::config::IbrcConfig;
use crate::host::connection::CompletionQueues;
use crate::host::connector::{Connector, ConnectorParts, Events};
use crate::host::host_ops::HostOps;
use crate::host::ibrc::Ibrc;
use crate::host::ibrc::assignment::Assignment;
use crate::host::memory::bounce::BouncePool;
use crate::host::memory::gpu_flush::GpuFlush;
use crate::host::memory::registrations::Registrations;
use crate::host::progress::proxy::Proxy;
use crate::host::progress::thread::ProgressParts;
use crate::host::ring::words::HostWords;
use crate::host::setup::cores;
use crate::host::setup::nic::{OpenNics, open_nics};
use crate::host::tables::Tables;
use crate::state::MAX_BUFFERS;

/// Bounce buffers of each proxy, for data of memory that is not registered: that of the host, and landings.
const CHUNKS: u64 = 16;

impl Ibrc {
    /// Opens devices of `provider`, starts the proxies, and reaches through them the PEs that `remote` (by PE) selects.
    /// Queues are connected at their first use if the configuration wants it and there are `messages` to the other PEs.
    ///
    /// # Errors
    /// A setting is out of range; no device can be used, or the device lacks a required capability; or memory is
    /// exhausted. Each error names the cause and the attempts.
    pub fn open(
        config: &IbrcConfig,
        provider: &dyn FabricProvider,
        memory: Memory,
        windows: Arc<Mutex<Windows>>,
        me: Pe,
        messages: Option<&Arc<dyn PeerMessages>>,
        remote: &[bool],
    ) -> Result<Self> {
        config.check()?;
        if remote.get(me.index()).copied().unwrap_or(true) {
            return Err(Error::new(ErrorKind::InvalidArgument, format!("open the proxies of {me}"))
                .because("they must be told of each PE, and that this one reaches itself"));
        }
        let OpenNics { nics, left_out, warnings } = open_nics(config, provider, &memory, me)?;
        let registrations: Vec<Registrations> = nics.into_iter().map(Registrations::new).collect();
        let allowed = cores::allowed_cores();
        // Each NIC has at least one proxy. PEs of this host share the cores.
        let sharing = config.nics.neighbours.map_or(1, |neighbours| neighbours.count.max(1)) as usize;
        let queues = config.rows as usize * remote.iter().filter(|remote| **remote).count();
        let wanted = || cores::default_proxies(&memory, allowed.len() / sharing, registrations.len(), queues);
        let count = config.proxies.unwrap_or_else(wanted).max(registrations.len() as u32);
        let cores_of_nic: Vec<Option<Vec<usize>>> = registrations
            .iter()
            .map(|registered| {
                let near =
                    if config.pin { cores::near_cores(&memory, registered.nic.device.numa_node()) } else { Vec::new() };
                cores::chosen_cores(&allowed, &near, count)
            })
            .collect();
        let tables =
            Tables::new(&memory, remote.len() as u32, config.rows + config.spare_rows, count, config.ring_depth)?;
        let lazy = messages.filter(|_| config.connect == Connect::Lazy);
        let events = lazy.map(|messages| (messages, Events::new()));
        let host_ops = HostOps::new(remote, me, count, 256, config.wait_limit)?;
        let flush = GpuFlush::of(&memory)?;
        // SAFETY: **live**: rings, answers and the queues' completion words are in the tables, which outlast the
        // proxies; all accesses to them are of whole words.
        let words = unsafe { HostWords::new() };
        let proxy = |number: u32| {
            let Registrations { nic, keys, .. } = &registrations[number as usize % registrations.len()];
            let parts = ProgressParts {
                device: nic.device.clone(),
                keys: keys.clone(),
                rings: vec![tables.end(number, words, false), host_ops.tables.end(number, words, true)],
                bounce: BouncePool::new(&memory, &nic.device, CHUNKS)?,
                flush: flush.clone(),
                words,
                cores: cores_of_nic[number as usize % registrations.len()].clone(),
                max_message: nic.caps.max_message_bytes.clamp(8, u64::from(u32::MAX)),
                needs_progress: nic.caps.needs_progress,
                connector: events.as_ref().map(|(_, events)| events.sender.clone()),
            };
            Proxy::start(format!("oxshmem-proxy-{}-{number}", me.number()), parts)
        };
        let proxies = (0..count).map(proxy).collect::<Result<Vec<_>>>()?;
        let cqs: Arc<Mutex<CompletionQueues>> = Arc::default();
        let connector = |(messages, events): (&Arc<dyn PeerMessages>, Events)| {
            let parts = ConnectorParts {
                messages: messages.clone(),
                n_pes: remote.len(),
                nics: registrations.iter().map(|registered| registered.nic.clone()).collect(),
                proxies: proxies.iter().map(Proxy::commands).collect(),
                depth: config.depth,
                cqs: cqs.clone(),
            };
            Connector::start(me, events, parts)
        };
        let connector = events.map(connector).transpose()?;
        Ok(Self {
            config: config.clone(),
            me,
            assignment: Assignment { nics: registrations.len(), proxies: proxies.len(), remote: remote.to_vec() },
            memory,
            flush,
            reported: ReportedFaults::default(),
            sides: vec![0; remote.len()],
            prepared: None,
            batch: 0,
            connector,
            proxies,
            buffers: BufferTable::new(MAX_BUFFERS as usize),
            rows: RowTable::new(remote.len() as u32),
            host_row: None,
            host_ops,
            tables,
            cqs,
            registrations,
            windows,
            left_out,
            warnings,
        })
    }
}
