//! An opened NIC.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_rdma::hca::{
    AhAttr, Gid, Handle, Hca, LinkLayer, Mr, Port, Region, Uar, UarKind, Umem, VerbsConnect, VerbsNic, VerbsQpLayout,
    access,
};

use crate::decode::mailbox::{Refusal, op};

use super::objects::{Nic, Object, Refused};
use super::{caps, commands, cq, gid};

/// An opened NIC. When dropped, it gives back everything that it still has.
pub(crate) struct Context {
    nic: Arc<Nic>,
    id: u64,
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Context({}, software)", self.nic.core.name)
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        self.nic.close(self.id);
    }
}

const ALL_ACCESS: u32 =
    access::LOCAL_WRITE | access::REMOTE_WRITE | access::REMOTE_READ | access::REMOTE_ATOMIC | access::RELAXED_ORDERING;

impl Context {
    pub(crate) fn open(nic: Arc<Nic>) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        nic.objects().contexts += 1;
        Self { nic, id: NEXT.fetch_add(1, Ordering::Relaxed) }
    }

    fn refused(&self, step: &str, call: &'static str, (errno, why): Refused) -> Error {
        let kind = match errno {
            libc::EINVAL | libc::ENOENT => ErrorKind::InvalidArgument,
            libc::ENOMEM => ErrorKind::Exhausted,
            _ => ErrorKind::System,
        };
        let answer = std::io::Error::from_raw_os_error(errno).to_string();
        Error::new(kind, format!("{step} on {}", self.nic.core.name)).because(why).call(call, errno.into(), answer)
    }

    /// Turns a refusal of the firmware into the answer and the error.
    fn answered<T>(&self, step: &str, call: &'static str, output: &mut [u8], result: Result<T, Refusal>) -> Result<T> {
        result.map_err(|refusal| {
            commands::refuse(output, &refusal);
            let Refusal { status, syndrome, why } = &refusal;
            let why = format!("{why}; the firmware answered status {status:#x}, syndrome {syndrome:#x}");
            self.refused(step, call, (refusal.errno(), why))
        })
    }

    fn remove(&self, step: &str, call: &'static str, handle: Handle, is: fn(&Object) -> bool) -> Result<()> {
        let removed = self.nic.objects().remove(self.id, handle, is);
        let object = removed.map_err(|refused| self.refused(step, call, refused))?;
        self.nic.dropped(handle.0 as u32, object);
        Ok(())
    }

    fn one_port(&self, step: &str, call: &'static str, port: u8) -> Result<()> {
        if port == 1 {
            return Ok(());
        }
        Err(self.refused(step, call, (libc::EINVAL, format!("there is no port {port}, but 1"))))
    }
}

impl VerbsNic for Context {
    fn name(&self) -> &str {
        &self.nic.core.name
    }

    fn firmware(&self) -> String {
        format!("{:?} in software", self.nic.core.options.profile)
    }

    fn ports(&self) -> Result<Vec<Port>> {
        let core = &self.nic.core;
        let up = core.responder.up.load(Ordering::Acquire);
        let ethernet = core.options.link == LinkLayer::Ethernet;
        Ok(vec![Port {
            number: 1,
            state: if up { 4 } else { 1 },
            link: core.options.link,
            lid: if ethernet { 0 } else { core.lid() },
            active_mtu: core.active_mtu(),
            gids: 8,
            pkeys: caps::PKEYS,
            grh_required: false,
        }])
    }

    fn gids(&self, port: u8) -> Result<Vec<Gid>> {
        self.one_port("read the GID table", "ibv_query_gid", port)?;
        Ok(gid::gids(self.nic.core.options.link, self.nic.core.lid()))
    }

    fn dealloc_pd(&self, pd: Handle) -> Result<()> {
        self.remove("give a protection domain back", "ibv_dealloc_pd", pd, |object| matches!(object, Object::Pd))
    }

    fn reg_mr(&self, pd: Handle, region: Region, bytes: u64, iova: u64, access: u32) -> Result<Mr> {
        const STEP: &str = "register memory";
        let call = match region {
            Region::Address(_) => "ibv_reg_mr_iova2",
            Region::DmaBuf { .. } => "ibv_reg_dmabuf_mr",
        };
        let refused = |errno, why: String| Err(self.refused(STEP, call, (errno, why)));
        if bytes == 0 || iova.checked_add(bytes).is_none() {
            return refused(libc::EINVAL, format!("{bytes} bytes called {iova:#x} on"));
        }
        if access & !ALL_ACCESS != 0 {
            return refused(libc::EINVAL, format!("access bits {:#x} are not known", access & !ALL_ACCESS));
        }
        if access & (access::REMOTE_WRITE | access::REMOTE_ATOMIC) != 0 && access & access::LOCAL_WRITE == 0 {
            return refused(libc::EINVAL, "what others may write, this side must be allowed to write".into());
        }
        let mut objects = self.nic.objects();
        if !matches!(objects.get(self.id, pd.0), Some(Object::Pd)) {
            return refused(libc::EINVAL, format!("there is no protection domain {:#x}", pd.0));
        }
        let core = &self.nic.core;
        if core.responder.refuses.load(Ordering::Acquire) {
            return refused(libc::ENOMEM, "the limit of locked memory is reached".into());
        }
        let (span, mapping) = core.span_of(region, bytes).map_err(|why| self.refused(STEP, call, why))?;
        let (lkey, rkey) = core.responder.register(pd.0 as u32, iova, span, access);
        let number = objects.number(core.lid());
        let object = Object::Mr { lkey, _mapping: mapping };
        let handle = objects.add(number, self.id, object, vec![pd.0 as u32]);
        if let (Some(plane), Some(region)) = (&core.plane, core.responder.region_of(lkey)) {
            plane.learn(core.lid(), region.plane(lkey));
        }
        Ok(Mr { handle, lkey, rkey })
    }

    fn dereg_mr(&self, mr: Handle) -> Result<()> {
        self.remove("give memory back", "ibv_dereg_mr", mr, |object| matches!(object, Object::Mr { .. }))
    }
}

// SAFETY:
// - **mapped**: the addresses are those of memory that the NIC owns until they are given back.
// - **named**: the NIC checks the key and the range of every access, as the hardware does.
unsafe impl Hca for Context {
    fn general_cmd(&self, input: &[u8], output: &mut [u8]) -> Result<()> {
        let result = self.nic.general(input, output);
        self.answered("run a command", "mlx5dv_devx_general_cmd", output, result)
    }

    fn alloc_pd(&self) -> Result<(Handle, u32)> {
        let mut objects = self.nic.objects();
        let number = objects.number(self.nic.core.lid());
        Ok((objects.add(number, self.id, Object::Pd, Vec::new()), number))
    }

    fn umem_reg(&self, region: Region, bytes: u64, access: u32, pgsz_bitmap: Option<u64>) -> Result<Umem> {
        const STEP: &str = "register memory for commands";
        let call = if pgsz_bitmap.is_some() { "mlx5dv_devx_umem_reg_ex" } else { "mlx5dv_devx_umem_reg" };
        let refused = |errno, why: String| Err(self.refused(STEP, call, (errno, why)));
        if bytes == 0 {
            return refused(libc::EINVAL, "it has no bytes".into());
        }
        let allowed = access::LOCAL_WRITE | access::REMOTE_WRITE | access::REMOTE_READ;
        if access & !allowed != 0 {
            let more = access & !allowed;
            return refused(
                libc::EINVAL,
                format!("access bits {more:#x}: a umem has local write, remote write and read"),
            );
        }
        if pgsz_bitmap.is_some() && !self.nic.core.options.umem_reg_ex {
            return refused(libc::EOPNOTSUPP, "the library is too old for a pgsz_bitmap".into());
        }
        if pgsz_bitmap == Some(0) {
            return refused(libc::EINVAL, "no page size is fine (pgsz_bitmap is 0)".into());
        }
        if matches!(region, Region::DmaBuf { .. }) && pgsz_bitmap.is_none() {
            return refused(libc::EINVAL, "a DMA buffer needs umem_reg_ex, with a pgsz_bitmap".into());
        }
        let (span, mapping) = self.nic.core.span_of(region, bytes).map_err(|why| self.refused(STEP, call, why))?;
        let mut objects = self.nic.objects();
        let number = objects.number(self.nic.core.lid());
        let object = Object::Umem { span, offsets: pgsz_bitmap.is_some(), _mapping: mapping };
        Ok(Umem { handle: objects.add(number, self.id, object, Vec::new()), id: number })
    }

    fn umem_dereg(&self, umem: Handle) -> Result<()> {
        let is = |object: &Object| matches!(object, Object::Umem { .. });
        self.remove("give memory for commands back", "mlx5dv_devx_umem_dereg", umem, is)
    }

    fn alloc_uar(&self, kind: UarKind) -> Result<Uar> {
        const STEP: &str = "map a doorbell page";
        let refused = |errno: i32, why: String| self.refused(STEP, "mlx5dv_devx_alloc_uar", (errno, why));
        let (pages, alias, seen) = self.nic.core.doorbell_page().map_err(|(errno, why)| refused(errno, why))?;
        let base = pages.at();
        // SAFETY: **mapped**: the object keeps the page as long as queues use it.
        let span = unsafe { self.nic.core.dma.span(seen, 4096) }.map_err(|e| refused(libc::EFAULT, e.0))?;
        // A BlueFlame page has two registers, each of two halves that are written in turn. A user of this function uses
        // the first; libmlx5, which requests pages from the kernel, assigns them one by one.
        let mut offsets = if kind == UarKind::BlueFlame { vec![0x800, 0x900, 0xa00, 0xb00] } else { vec![0x800] };
        if self.nic.core.options.profile == crate::Profile::ConnectX8 {
            // The doorbell that counts without a record has an offset of its own.
            offsets.push(0x600);
        }
        let words = offsets.iter().filter_map(|offset| span.part(*offset, 8)).collect();
        let mut objects = self.nic.objects();
        let page = objects.number(self.nic.core.lid());
        let handle = objects.add(page, self.id, Object::Uar { words, _pages: pages, _alias: alias }, Vec::new());
        Ok(Uar { handle, page, register: base + 0x800, base })
    }

    fn free_uar(&self, uar: Handle) -> Result<()> {
        let is = |object: &Object| matches!(object, Object::Uar { .. });
        self.remove("give a doorbell page back", "mlx5dv_devx_free_uar", uar, is)
    }

    fn query_eqn(&self) -> Result<u32> {
        Ok(cq::EQN)
    }

    fn obj_create(&self, input: &[u8], output: &mut [u8]) -> Result<Handle> {
        let step = match crate::decode::mailbox::opcode(input) {
            op::CREATE_CQ => "make a completion queue",
            op::CREATE_QP => "make a queue pair",
            op::CREATE_RMP => "make a shared receive queue",
            _ => "make an object",
        };
        let result = self.nic.create(self.id, input, output);
        self.answered(step, "mlx5dv_devx_obj_create", output, result)
    }

    fn obj_modify(&self, object: Handle, input: &[u8], output: &mut [u8]) -> Result<()> {
        let step = match crate::decode::mailbox::opcode(input) {
            op::RST2INIT => "move a queue pair to INIT",
            op::INIT2RTR => "move a queue pair to RTR",
            op::RTR2RTS => "move a queue pair to RTS",
            _ => "change an object",
        };
        let result = self.nic.modify(self.id, object, input, output);
        self.answered(step, "mlx5dv_devx_obj_modify", output, result)
    }

    fn obj_query(&self, object: Handle, input: &[u8], output: &mut [u8]) -> Result<()> {
        let result = self.nic.query_object(self.id, object, input, output);
        self.answered("ask about an object", "mlx5dv_devx_obj_query", output, result)
    }

    fn obj_destroy(&self, object: Handle) -> Result<()> {
        let is = |object: &Object| matches!(object, Object::Cq(_) | Object::Qp(_) | Object::Srq(_) | Object::Dct);
        self.remove("destroy an object", "mlx5dv_devx_obj_destroy", object, is)
    }

    fn resolve_mac(&self, _pd: Handle, to: &AhAttr) -> Result<[u8; 6]> {
        const STEP: &str = "resolve a peer's Ethernet address";
        self.one_port(STEP, "ibv_create_ah", to.port)?;
        let refused = |why: String| self.refused(STEP, "ibv_create_ah", (libc::EINVAL, why));
        let Some((raw, index)) = to.global else {
            return Err(refused("there is no GID to resolve".into()));
        };
        let own = gid::gids(self.nic.core.options.link, self.nic.core.lid());
        if index as usize >= own.len() {
            return Err(refused(format!("GID index {index} of {}", own.len())));
        }
        let lid = gid::lid_of(self.nic.core.options.link, raw);
        lid.map(gid::mac).ok_or_else(|| refused(format!("no NIC has the GID {raw:02x?}")))
    }

    fn verbs_qp(&self, pd: Handle, depth: u32, inline_bytes: u32) -> Result<VerbsQpLayout> {
        let made = self.nic.verbs_create(self.id, pd, depth, inline_bytes);
        made.map_err(|refused| self.refused("make a queue pair by verbs", "ibv_create_qp", refused))
    }

    fn verbs_connect(&self, qp: Handle, connect: &VerbsConnect) -> Result<()> {
        let connected = self.nic.verbs_connect(self.id, qp, connect);
        connected.map_err(|refused| self.refused("connect a queue pair by verbs", "ibv_modify_qp", refused))
    }

    fn verbs_query(&self, qp: Handle, output: &mut [u8]) -> Result<()> {
        let result = self.nic.answer_query(self.id, qp.0 as u32, output);
        self.answered("ask about a queue pair", "mlx5dv_devx_qp_query", output, result)
    }

    fn verbs_destroy(&self, qp: Handle) -> Result<()> {
        let cq_and_page = self.nic.verbs_parts(self.id, qp);
        let is = |object: &Object| matches!(object, Object::VerbsQp(..));
        self.remove("destroy a queue pair of verbs", "ibv_destroy_qp", qp, is)?;
        for part in cq_and_page {
            self.remove("destroy what belonged to a queue pair of verbs", "ibv_destroy_cq", part, |_| true)?;
        }
        Ok(())
    }
}
