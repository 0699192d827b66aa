//! A provider of fabrics made of verbs devices: chooses NICs, ports and addresses, and connects queue pairs.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use oxshmem_core::Pe;
use oxshmem_core::host::{Error, ErrorKind, Result};

use super::{Atomics, RcCaps, RcDevice, RcProvider, RcQpAsk};
use crate::fabric::{
    AtomicSet, Capabilities, Completion, Endpoint, EndpointRequest, FabricDevice, FabricProvider, Handle, MemoryRegion,
    MemoryRequest, OpenDevices, OpenRequest, PeerAddress, PostError, WorkRequest,
};
use crate::hca::{Port, access};
use crate::wire::{self, Candidate, Candidates, Choice, Choices, PathInfo, PortInfo, WireParams, mtu_bytes};

/// The greatest number of reads and atomics that a queue pair has outstanding, even if its device allows more.
const RD_ATOMIC: u8 = 16;

/// Devices of InfiniBand and RoCE by libibverbs, or by another [`RcProvider`].
#[derive(Clone, Debug)]
pub struct VerbsFabric(Arc<dyn RcProvider>);

impl VerbsFabric {
    /// Makes a provider of fabrics of this library.
    pub fn new(verbs: Arc<dyn RcProvider>) -> Self {
        Self(verbs)
    }
}

impl FabricProvider for VerbsFabric {
    fn name(&self) -> &str {
        "verbs"
    }

    fn describe(&self) -> String {
        self.0.describe()
    }

    fn open(&self, request: &OpenRequest<'_>) -> Result<OpenDevices> {
        let open = |name: &str| self.0.open(name).and_then(|device| usable(device, request.depth));
        let candidates = Candidates { found: self.0.list()?, from: self.0.describe(), only_mlx5: false, open: &open };
        let Choices { ports, left_out, missed: warnings } = wire::choose_for_proxies(request, &candidates)?;
        let device = |choice| Ok(Arc::new(VerbsFabricDevice::new(request, choice)?) as Arc<dyn FabricDevice>);
        Ok(OpenDevices { devices: ports.into_iter().map(device).collect::<Result<_>>()?, left_out, warnings })
    }
}

/// Checks that a device has the capabilities on which proxies depend.
fn usable(device: Arc<dyn RcDevice>, depth: u32) -> Result<Arc<dyn RcDevice>> {
    let caps = device.caps()?;
    let action = || format!("use {} by proxies", device.name());
    if caps.atomics == Atomics::None {
        return Err(Error::new(ErrorKind::Incompatible, action())
            .because("it has no atomics (`ibv_devinfo -v`: atomic_cap: ATOMIC_NONE)")
            .hint("choose another one with OXSHMEM_HCA_LIST"));
    }
    if caps.max_rd_atom_requester == 0 || caps.max_rd_atom_responder == 0 {
        return Err(Error::new(ErrorKind::Incompatible, action())
            .because(format!(
                "it lets {} reads and atomics be outstanding and answers {}: each must be at least 1",
                caps.max_rd_atom_requester, caps.max_rd_atom_responder
            ))
            .hint("choose another one with OXSHMEM_HCA_LIST"));
    }
    if depth > caps.max_qp_wr {
        return Err(Error::new(ErrorKind::OutOfRange, action())
            .amount(depth.into(), caps.max_qp_wr.into(), "work requests of a queue pair")
            .hint("lower OXSHMEM_QP_DEPTH"));
    }
    Ok(device)
}

/// A device with its port and protection domain.
#[derive(Debug)]
struct VerbsFabricDevice {
    device: Arc<dyn RcDevice>,
    /// The name, such as `mlx5_0 port 1`.
    name: String,
    me: Pe,
    caps: RcCaps,
    port: Port,
    gids: Vec<Candidate>,
    pd: Handle,
    wire: WireParams,
    /// The reason for choosing this device, for people.
    why: String,
    /// Ports of peers' devices, by the bytes that announced them: a peer has few ports, and many endpoints on each.
    peers: Mutex<HashMap<Vec<u8>, PortInfo>>,
}

impl VerbsFabricDevice {
    /// Takes a device that was chosen.
    ///
    /// # Errors
    /// The device refuses a call, or has no usable address.
    fn new(request: &OpenRequest<'_>, choice: Choice<dyn RcDevice>) -> Result<Self> {
        let Choice { nic: device, port, why } = choice;
        let (caps, wire) = (device.caps()?, request.wire.clone());
        port.check(device.name(), &wire)?;
        let gids = wire::candidates(&wire, device.name(), &port, &device.gids(port.number)?)?;
        let pd = device.alloc_pd()?;
        let name = format!("{} port {}", device.name(), port.number);
        Ok(Self { device, name, me: request.me, caps, port, gids, pd, wire, why, peers: Mutex::default() })
    }

    fn port_info(&self) -> PortInfo {
        PortInfo {
            link: self.port.link,
            lid: self.port.lid,
            mtu: self.port.active_mtu,
            rd_atomic: self.caps.max_rd_atom_requester.min(RD_ATOMIC),
            dest_rd_atomic: self.caps.max_rd_atom_responder.min(RD_ATOMIC),
            grh_required: self.port.grh_required,
            gids: self.gids.clone(),
        }
    }

    /// Returns the peer's port, and the number of its queue pair.
    fn peer(&self, to: &PeerAddress<'_>) -> Result<(PortInfo, u32)> {
        let malformed = || {
            Error::new(ErrorKind::Malformed, format!("connect queue pairs with {}", to.pe))
                .because("the addresses that it announced are not those of a verbs device")
                .about(to.pe)
        };
        let qpn = to.endpoint.try_into().map(u32::from_le_bytes).map_err(|_| malformed())?;
        let mut peers = self.peers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(port) = peers.get(to.device) {
            return Ok((port.clone(), qpn));
        }
        let port = PortInfo::decode(to.device).ok_or_else(malformed)?;
        peers.insert(to.device.to_vec(), port.clone());
        Ok((port, qpn))
    }
}

impl Drop for VerbsFabricDevice {
    fn drop(&mut self) {
        // The device releases a domain that can't be given back here.
        let _ = self.device.dealloc_pd(self.pd);
    }
}

// SAFETY: **named**, **until**, **once**: those of the verbs device, to which requests and regions go unchanged.
unsafe impl FabricDevice for VerbsFabricDevice {
    fn name(&self) -> &str {
        &self.name
    }

    fn describe(&self) -> String {
        let gids: Vec<String> =
            self.gids.iter().map(|gid| format!("GID {} ({})", gid.index, gid.class.text())).collect();
        format!(
            "{} ({:?}, firmware {}), {}MTU {} bytes, {}, {} of 8 bytes\n{}",
            self.name,
            self.port.link,
            self.device.firmware(),
            self.port.lid_text(),
            mtu_bytes(self.wire.mtu.unwrap_or(self.port.active_mtu)),
            if gids.is_empty() { "no GID".into() } else { gids.join(", ") },
            if self.caps.atomics == Atomics::System { "atomics (with CPUs, too)" } else { "atomics" },
            self.why,
        )
    }

    fn capabilities(&self) -> Capabilities {
        let caps = &self.caps;
        Capabilities {
            max_endpoints: caps.max_qp,
            max_depth: caps.max_qp_wr,
            max_completions: caps.max_cqe,
            max_message_bytes: u64::from(caps.max_message_bytes.max(8)),
            atomics: AtomicSet::VERBS,
            ordered: true,
            needs_progress: false,
            dma_buf: caps.dma_buf,
            empty_fetches: caps.empty_fetches,
        }
    }

    fn numa_node(&self) -> Option<u32> {
        let file = format!("/sys/class/infiniband/{}/device/numa_node", self.device.name());
        // -1 means that the device has no nearest node.
        std::fs::read_to_string(Path::new(&file)).ok()?.trim().parse().ok()
    }

    fn address(&self) -> Vec<u8> {
        self.port_info().encode()
    }

    fn register(&self, request: &MemoryRequest) -> Result<MemoryRegion> {
        let base = if self.caps.iova { request.wanted_base } else { request.address };
        let rights = match request.remote {
            true => access::LOCAL_WRITE | access::REMOTE_WRITE | access::REMOTE_READ | access::REMOTE_ATOMIC,
            false => access::LOCAL_WRITE,
        };
        let mr = self.device.reg_mr(self.pd, request.region, request.bytes, base, rights)?;
        let remote_key = if request.remote { mr.rkey.to_le_bytes().to_vec() } else { Vec::new() };
        Ok(MemoryRegion {
            handle: mr.handle,
            local_key: mr.lkey.into(),
            local_base: base,
            remote_key,
            remote_base: base,
        })
    }

    fn deregister(&self, region: Handle) -> Result<()> {
        self.device.dereg_mr(region)
    }

    fn import_key(&self, peer: Pe, key: &[u8]) -> Result<u64> {
        key.try_into().map(|key| u32::from_le_bytes(key).into()).map_err(|_| {
            Error::new(ErrorKind::Malformed, format!("use a key of {peer}"))
                .because(format!("it has {} bytes, and a key of verbs has 4", key.len()))
                .about(peer)
        })
    }

    fn create_completion_queue(&self, entries: u32) -> Result<Handle> {
        self.device.create_cq(entries)
    }

    fn destroy_completion_queue(&self, queue: Handle) -> Result<()> {
        self.device.destroy_cq(queue)
    }

    fn create_endpoint(&self, queue: Handle, request: &EndpointRequest) -> Result<(Endpoint, Vec<u8>)> {
        let ask = RcQpAsk { send_wr: request.depth, inline_bytes: request.inline_bytes };
        let qp = self.device.create_qp(self.pd, queue, &ask)?;
        let endpoint = Endpoint { handle: qp.handle, depth: qp.send_wr, inline_bytes: qp.inline_bytes };
        Ok((endpoint, qp.qpn.to_le_bytes().to_vec()))
    }

    fn connect(&self, endpoint: Handle, to: &PeerAddress<'_>) -> Result<()> {
        let (port, qpn) = self.peer(to)?;
        let path = PathInfo::find(&self.wire, self.port.number, (self.me, &self.port_info()), (to.pe, &port))?;
        let connected = self.device.connect(endpoint, &path.by_verbs(&self.wire, qpn));
        connected.map_err(|error| error.about(to.pe))
    }

    fn stop(&self, endpoint: Handle) -> Result<()> {
        self.device.fail_qp(endpoint)
    }

    fn destroy_endpoint(&self, endpoint: Handle) -> Result<()> {
        self.device.destroy_qp(endpoint)
    }

    fn post(&self, endpoint: Handle, list: &[WorkRequest]) -> std::result::Result<(), PostError> {
        self.device.post(endpoint, list)
    }

    fn poll(&self, queue: Handle, out: &mut [Completion]) -> Result<usize> {
        self.device.poll(queue, out)
    }

    fn explain(&self, completion: &Completion) -> String {
        format!("{}, vendor syndrome {:#x}", completion.status.text(), completion.code)
    }
}
