//! An opened NIC: its ports, its doorbell pages, and what others of this folder do for it.

use core::ffi::{CStr, c_int};
use std::fmt;
use std::mem::MaybeUninit;
use std::path::PathBuf;
use std::ptr::NonNull;
use std::sync::Arc;

use oxshmem_core::host::{Error, ErrorKind, Result};

use super::ffi::{DevxUar, DvPd, Obj, obj_type};
use super::objects::{Object, Objects, pick};
use super::provider::Api;
use crate::hca::{
    AhAttr, Gid, GidKind, Handle, Hca, LinkLayer, Mr, Port, Region, Uar, UarKind, Umem, VerbsConnect, VerbsNic, VerbsQp,
};
use crate::verbs::ffi::{self, Context, DeviceAttr, GidEntry, PortAttr, RawGid, gid_type};
use crate::verbs::{answer, sysfs};

/// A NIC that libmlx5 drives.
///
/// What was not given back goes when it is dropped.
pub struct Device {
    pub(super) api: Arc<Api>,
    pub(super) context: NonNull<Context>,
    pub(super) name: String,
    pub(super) objects: Objects,
    sys: PathBuf,
    attr: DeviceAttr,
}

// SAFETY: verbs may be called from any thread; libibverbs and libmlx5 lock what they must.
unsafe impl Send for Device {}
// SAFETY: as above.
unsafe impl Sync for Device {}

impl Device {
    /// # Safety
    ///
    /// - **opened**: `context` was opened by libmlx5 with DEVX, and is this device's from now on, in failure too.
    pub(super) unsafe fn new(api: Arc<Api>, context: NonNull<Context>, name: String, sys: PathBuf) -> Result<Self> {
        // SAFETY: every field is a number or an array of numbers, for which zeros are a value.
        let attr: DeviceAttr = unsafe { MaybeUninit::zeroed().assume_init() };
        let mut device = Self { api, context, name, objects: Objects::default(), sys, attr };
        let mut attr = attr;
        // SAFETY: the context is open, and `attr` a live structure of its type.
        let answered = unsafe { (device.api.verbs.ibv_query_device)(device.context.as_ptr(), &mut attr) };
        device.done(|| "ask for its limits".into(), "ibv_query_device", answered)?;
        device.attr = attr;
        Ok(device)
    }

    /// The most entries that a completion queue may have.
    pub(super) fn most_cqes(&self) -> u32 {
        u32::try_from(self.attr.max_cqe).unwrap_or(0)
    }

    /// Success, or the error "cannot `action` on NAME" of a call that answers an errno.
    pub(super) fn done(&self, action: impl FnOnce() -> String, call: &'static str, answered: c_int) -> Result<()> {
        match answered {
            0 => Ok(()),
            answered => {
                let errno = answer::errno_of(answered);
                Err(answer::error(self.on(action()), call, errno))
            }
        }
    }

    /// What a call made, or the error of a call that answers null and leaves an errno.
    pub(super) fn made<T>(
        &self,
        action: impl FnOnce() -> String,
        call: &'static str,
        made: *mut T,
    ) -> Result<NonNull<T>> {
        NonNull::new(made).ok_or_else(|| {
            let errno = answer::last_errno();
            answer::error(self.on(action()), call, errno)
        })
    }

    pub(super) fn on(&self, action: String) -> String {
        format!("{action} on {}", self.name)
    }

    fn port_attr(&self, port: u8) -> Result<PortAttr> {
        // SAFETY: every field is a number, for which zero is a value; those that the library leaves stay so.
        let mut attr: PortAttr = unsafe { MaybeUninit::zeroed().assume_init() };
        // SAFETY: the context is open, and `attr` at least as large as what the library fills.
        let answered = unsafe { (self.api.verbs.ibv_query_port)(self.context.as_ptr(), port, &mut attr) };
        self.done(|| format!("ask for the state of port {port}"), "ibv_query_port", answered)?;
        Ok(attr)
    }

    /// All entries of the tables of all ports, if the library can tell.
    fn gid_table(&self, entries: usize) -> Option<Vec<GidEntry>> {
        let query = self.api.verbs._ibv_query_gid_table?;
        let unused = GidEntry { gid: RawGid { raw: [0; 16] }, gid_index: 0, port_num: 0, gid_type: 0, ndev_ifindex: 0 };
        let mut table = vec![unused; entries];
        // SAFETY: the context is open, and the table has room for `entries` entries of the size that is given.
        let count = unsafe { query(self.context.as_ptr(), table.as_mut_ptr(), entries, 0, size_of::<GidEntry>()) };
        table.truncate(usize::try_from(count).ok()?);
        Some(table)
    }

    fn gid(&self, port: u8, index: u32) -> Result<[u8; 16]> {
        let mut gid = RawGid { raw: [0; 16] };
        // SAFETY: the context is open, and `gid` a live union of its type.
        let answered = unsafe { (self.api.verbs.ibv_query_gid)(self.context.as_ptr(), port, index as c_int, &mut gid) };
        self.done(|| format!("read GID {index} of port {port}"), "ibv_query_gid", answered)?;
        Ok(gid.raw)
    }

    /// Gives back one object that nobody uses any more.
    fn release(&self, object: Object) -> (&'static str, c_int) {
        let Api { verbs, mlx5dv, .. } = &*self.api;
        // SAFETY: the object is of the table, which forgets it if this succeeds; nobody else uses it meanwhile.
        unsafe {
            match object {
                Object::Qp { qp, .. } => ("ibv_destroy_qp", (verbs.ibv_destroy_qp)(qp.as_ptr())),
                Object::Cq(cq) => ("ibv_destroy_cq", (verbs.ibv_destroy_cq)(cq.as_ptr())),
                Object::Devx(object) => ("mlx5dv_devx_obj_destroy", (mlx5dv.mlx5dv_devx_obj_destroy)(object.as_ptr())),
                Object::Umem(umem) => ("mlx5dv_devx_umem_dereg", (mlx5dv.mlx5dv_devx_umem_dereg)(umem.as_ptr())),
                Object::Uar(uar) => {
                    (mlx5dv.mlx5dv_devx_free_uar)(uar.as_ptr());
                    ("mlx5dv_devx_free_uar", 0)
                }
                Object::Mr(mr) => ("ibv_dereg_mr", (verbs.ibv_dereg_mr)(mr.as_ptr())),
                Object::Pd(pd) => ("ibv_dealloc_pd", (verbs.ibv_dealloc_pd)(pd.as_ptr())),
            }
        }
    }

    /// Releases an object of the table, which forgets it if that succeeds.
    pub(super) fn give_back(
        &self,
        handle: Handle,
        what: &str,
        pick: impl FnOnce(&Object) -> Option<Object>,
    ) -> Result<()> {
        self.objects.destroy(handle, what, pick, |object| {
            let (call, answered) = self.release(object);
            self.done(|| format!("give back {what}"), call, answered)
        })
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (firmware {})", self.name, self.firmware())
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        for object in self.objects.drain() {
            // There is nobody to tell; the kernel takes back what is left when the device is closed.
            let _ = self.release(object);
            if let Object::Qp { cq, .. } = object {
                let _ = self.release(Object::Cq(cq));
            }
        }
        // SAFETY: the context is open, and nothing of it is used after this.
        let _ = unsafe { (self.api.verbs.ibv_close_device)(self.context.as_ptr()) };
    }
}

impl VerbsNic for Device {
    fn name(&self) -> &str {
        &self.name
    }

    fn firmware(&self) -> String {
        let bytes: Vec<u8> = self.attr.fw_ver.iter().map(|&byte| byte as u8).chain([0]).collect();
        CStr::from_bytes_until_nul(&bytes).map_or_else(|_| String::new(), |text| text.to_string_lossy().into_owned())
    }

    fn ports(&self) -> Result<Vec<Port>> {
        (1..=self.attr.phys_port_cnt)
            .map(|number| {
                let attr = self.port_attr(number)?;
                Ok(Port {
                    number,
                    state: attr.state as u8,
                    link: match attr.link_layer {
                        ffi::LINK_LAYER_ETHERNET => LinkLayer::Ethernet,
                        _ => LinkLayer::InfiniBand,
                    },
                    lid: attr.lid,
                    active_mtu: attr.active_mtu as u8,
                    gids: u32::try_from(attr.gid_tbl_len).unwrap_or(0),
                    pkeys: u32::from(attr.pkey_tbl_len),
                })
            })
            .collect()
    }

    fn gids(&self, port: u8) -> Result<Vec<Gid>> {
        let ports = self.ports()?;
        let Some(one) = ports.iter().find(|one| one.number == port) else {
            return Err(Error::new(ErrorKind::OutOfRange, self.on(format!("read the GIDs of port {port}")))
                .because(format!("it has ports 1 to {}", ports.len())));
        };
        let entries = ports.iter().map(|port| port.gids as usize).sum();
        if let Some(table) = self.gid_table(entries) {
            let of_port = table.iter().filter(|entry| entry.port_num == u32::from(port));
            return Ok(of_port
                .map(|entry| Gid { index: entry.gid_index, raw: entry.gid.raw, kind: kind_of(entry.gid_type) })
                .collect());
        }
        let ethernet = one.link == LinkLayer::Ethernet;
        let mut gids = Vec::new();
        for index in 0..one.gids {
            let raw = self.gid(port, index)?;
            let kind = match sysfs::gid_kind(&self.sys, &self.name, port, index, ethernet) {
                Some(kind) => kind,
                None if !ethernet => GidKind::InfiniBand,
                None => continue,
            };
            if raw != [0; 16] {
                gids.push(Gid { index, raw, kind });
            }
        }
        Ok(gids)
    }

    fn dealloc_pd(&self, pd: Handle) -> Result<()> {
        self.give_back(pd, "a protection domain", |object| matches!(object, Object::Pd(_)).then_some(*object))
    }

    fn reg_mr(&self, pd: Handle, region: Region, bytes: u64, iova: u64, access: u32) -> Result<Mr> {
        let mr = self
            .objects
            .with(pd, "a protection domain", pick!(Pd), |pd| self.register(pd, region, bytes, iova, access))?;
        // SAFETY: the library's structure of a registration, which is live.
        let ffi::Mr { lkey, rkey, .. } = unsafe { mr.as_ptr().read() };
        Ok(Mr { handle: self.objects.keep(Object::Mr(mr)), lkey, rkey })
    }

    fn dereg_mr(&self, mr: Handle) -> Result<()> {
        self.give_back(mr, "a memory registration", |object| matches!(object, Object::Mr(_)).then_some(*object))
    }
}

impl Hca for Device {
    fn general_cmd(&self, input: &[u8], output: &mut [u8]) -> Result<()> {
        self.command(input, output)
    }

    fn alloc_pd(&self) -> Result<(Handle, u32)> {
        // SAFETY: the context is open.
        let pd = unsafe { (self.api.verbs.ibv_alloc_pd)(self.context.as_ptr()) };
        let pd = self.made(|| "make a protection domain".into(), "ibv_alloc_pd", pd)?;
        let handle = self.objects.keep(Object::Pd(pd));
        let mut described = DvPd { pdn: 0, comp_mask: 0 };
        let mut obj = Obj::none();
        obj.pd.input = pd.as_ptr();
        obj.pd.output = &mut described;
        // SAFETY: the domain is live, and `obj` has both pointers of the kind that is named.
        let answered = unsafe { (self.api.mlx5dv.mlx5dv_init_obj)(&mut obj, obj_type::PD) };
        match self.done(|| "ask for the number of a protection domain".into(), "mlx5dv_init_obj", answered) {
            Ok(()) => Ok((handle, described.pdn)),
            Err(error) => {
                let _ = self.dealloc_pd(handle);
                Err(error)
            }
        }
    }

    fn umem_reg(&self, region: Region, bytes: u64, access: u32, pgsz_bitmap: Option<u64>) -> Result<Umem> {
        let umem = self.name_memory(region, bytes, access, pgsz_bitmap)?;
        // SAFETY: the library's structure of a umem, which is live.
        let id = unsafe { (*umem.as_ptr()).umem_id };
        Ok(Umem { handle: self.objects.keep(Object::Umem(umem)), id })
    }

    fn umem_dereg(&self, umem: Handle) -> Result<()> {
        self.give_back(umem, "a umem", |object| matches!(object, Object::Umem(_)).then_some(*object))
    }

    fn alloc_uar(&self, kind: UarKind) -> Result<Uar> {
        // SAFETY: the context is open.
        let uar = unsafe { (self.api.mlx5dv.mlx5dv_devx_alloc_uar)(self.context.as_ptr(), kind as u32) };
        let uar = self.made(|| format!("map a doorbell page ({kind:?})"), "mlx5dv_devx_alloc_uar", uar)?;
        // SAFETY: the library's structure of a doorbell page, which is live.
        let DevxUar { page_id, reg_addr, base_addr, .. } = unsafe { uar.as_ptr().read() };
        Ok(Uar {
            handle: self.objects.keep(Object::Uar(uar)),
            page: page_id,
            register: reg_addr as u64,
            base: base_addr as u64,
        })
    }

    fn free_uar(&self, uar: Handle) -> Result<()> {
        self.give_back(uar, "a doorbell page", |object| matches!(object, Object::Uar(_)).then_some(*object))
    }

    fn query_eqn(&self) -> Result<u32> {
        let mut eqn = 0;
        // SAFETY: the context is open, and `eqn` a live number.
        let answered = unsafe { (self.api.mlx5dv.mlx5dv_devx_query_eqn)(self.context.as_ptr(), 0, &mut eqn) };
        self.done(|| "ask for the event queue of vector 0".into(), "mlx5dv_devx_query_eqn", answered)?;
        Ok(eqn)
    }

    fn obj_create(&self, input: &[u8], output: &mut [u8]) -> Result<Handle> {
        self.create(input, output)
    }

    fn obj_modify(&self, object: Handle, input: &[u8], output: &mut [u8]) -> Result<()> {
        self.modify(object, input, output)
    }

    fn obj_query(&self, object: Handle, input: &[u8], output: &mut [u8]) -> Result<()> {
        self.query(object, input, output)
    }

    fn obj_destroy(&self, object: Handle) -> Result<()> {
        self.give_back(object, "a DEVX object", |object| matches!(object, Object::Devx(_)).then_some(*object))
    }

    fn resolve_mac(&self, pd: Handle, to: &AhAttr) -> Result<[u8; 6]> {
        self.mac_behind(pd, to)
    }

    fn verbs_qp(&self, pd: Handle, depth: u32, inline_bytes: u32) -> Result<VerbsQp> {
        self.make_twin(pd, depth, inline_bytes)
    }

    fn verbs_connect(&self, qp: Handle, connect: &VerbsConnect) -> Result<()> {
        self.connect_twin(qp, connect)
    }

    fn verbs_query(&self, qp: Handle, output: &mut [u8]) -> Result<()> {
        self.query_twin(qp, output)
    }

    fn verbs_destroy(&self, qp: Handle) -> Result<()> {
        self.destroy_twin(qp)
    }
}

const fn kind_of(gid_type: u32) -> GidKind {
    match gid_type {
        gid_type::ROCE_V2 => GidKind::RoceV2,
        gid_type::ROCE_V1 => GidKind::RoceV1,
        _ => GidKind::InfiniBand,
    }
}
