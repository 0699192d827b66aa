//! An opened NIC: its ports and doorbell pages. Other files of this folder implement the rest of its calls.

use core::ffi::c_int;
use std::fmt;
use std::sync::Arc;

use oxshmem_core::host::Result;

use super::api::Api;
use super::ffi::{DevxUar, DvPd, Obj, obj_type};
use super::objects::{Mlx5Object, pick};
use crate::hca::{
    AhAttr, Gid, Handle, Hca, Mr, Port, Region, Uar, UarKind, Umem, VerbsConnect, VerbsNic, VerbsQpLayout,
};
use crate::verbs::base::VerbsDevice;
use crate::verbs::ffi;
use crate::verbs::objects::Objects;

/// A NIC that libmlx5 drives.
///
/// Objects that were not given back are destroyed when it is dropped.
pub struct Mlx5Hca {
    pub(super) api: Arc<Api>,
    pub(super) base: VerbsDevice,
    pub(super) objects: Objects<Mlx5Object>,
}

impl Mlx5Hca {
    /// Takes a device that was opened by libmlx5 with DEVX.
    pub(super) fn new(api: Arc<Api>, base: VerbsDevice) -> Self {
        Self { api, base, objects: Objects::default() }
    }

    /// Returns the largest number of entries of a completion queue.
    pub(super) fn most_cqes(&self) -> u32 {
        u32::try_from(self.base.attr.max_cqe).unwrap_or(0)
    }

    /// Gives back an object that is not in use.
    pub(super) fn release(&self, object: Mlx5Object) -> (&'static str, c_int) {
        let (verbs, mlx5dv) = (self.base.verbs(), &self.api.mlx5dv);
        // SAFETY: the object was in the table, whose write lock is held or whose entry is removed; no other call uses
        // it.
        unsafe {
            match object {
                Mlx5Object::Qp { qp, .. } => ("ibv_destroy_qp", (verbs.ibv_destroy_qp)(qp.as_ptr())),
                Mlx5Object::Domain(domain) => self.base.free_thread_domain(domain),
                Mlx5Object::Cq(cq) => ("ibv_destroy_cq", (verbs.ibv_destroy_cq)(cq.as_ptr())),
                Mlx5Object::Devx(object) => {
                    ("mlx5dv_devx_obj_destroy", (mlx5dv.mlx5dv_devx_obj_destroy)(object.as_ptr()))
                }
                Mlx5Object::Umem(umem) => ("mlx5dv_devx_umem_dereg", (mlx5dv.mlx5dv_devx_umem_dereg)(umem.as_ptr())),
                Mlx5Object::Uar(uar) => {
                    (mlx5dv.mlx5dv_devx_free_uar)(uar.as_ptr());
                    ("mlx5dv_devx_free_uar", 0)
                }
                Mlx5Object::Mr(mr) => ("ibv_dereg_mr", (verbs.ibv_dereg_mr)(mr.as_ptr())),
                Mlx5Object::Pd(pd) => ("ibv_dealloc_pd", (verbs.ibv_dealloc_pd)(pd.as_ptr())),
            }
        }
    }

    /// Gives an object of the table back. If that succeeds, the table forgets it.
    pub(super) fn give_back(
        &self,
        handle: Handle,
        what: &str,
        pick: impl FnOnce(&Mlx5Object) -> Option<Mlx5Object>,
    ) -> Result<()> {
        self.objects.destroy(handle, what, pick, |object| {
            let (call, answered) = self.release(object);
            self.base.done(|| format!("give back {what}"), call, answered)
        })
    }
}

impl fmt::Debug for Mlx5Hca {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (firmware {})", self.base.name, self.firmware())
    }
}

impl Drop for Mlx5Hca {
    fn drop(&mut self) {
        for object in self.objects.drain() {
            // A drop can't report an error; the kernel takes back all objects when the device is closed.
            let _ = self.release(object);
            if let Mlx5Object::Qp { cq, domain, .. } = object {
                let _ = self.release(Mlx5Object::Cq(cq));
                let _ = domain.map(|domain| self.release(Mlx5Object::Domain(domain)));
            }
        }
    }
}

impl VerbsNic for Mlx5Hca {
    fn name(&self) -> &str {
        &self.base.name
    }

    fn firmware(&self) -> String {
        self.base.firmware()
    }

    fn ports(&self) -> Result<Vec<Port>> {
        self.base.ports()
    }

    fn gids(&self, port: u8) -> Result<Vec<Gid>> {
        self.base.gids(port)
    }

    fn dealloc_pd(&self, pd: Handle) -> Result<()> {
        self.give_back(pd, "a protection domain", |object| matches!(object, Mlx5Object::Pd(_)).then_some(*object))
    }

    fn reg_mr(&self, pd: Handle, region: Region, bytes: u64, iova: u64, access: u32) -> Result<Mr> {
        let mr = self
            .objects
            .with(pd, "a protection domain", pick!(Pd), |pd| self.base.register(pd, region, bytes, iova, access))?;
        // SAFETY: `mr` points to the library's structure of a memory region, which was just made and is not shared yet.
        let ffi::IbvMr { lkey, rkey, .. } = unsafe { mr.as_ptr().read() };
        Ok(Mr { handle: self.objects.keep(Mlx5Object::Mr(mr)), lkey, rkey })
    }

    fn dereg_mr(&self, mr: Handle) -> Result<()> {
        self.give_back(mr, "a memory registration", |object| matches!(object, Mlx5Object::Mr(_)).then_some(*object))
    }
}

// SAFETY:
// - **mapped**: the addresses are those that libmlx5 mapped, until its call that gives them back.
// - **named**: the NIC checks the key and the range of every access.
unsafe impl Hca for Mlx5Hca {
    fn general_cmd(&self, input: &[u8], output: &mut [u8]) -> Result<()> {
        self.command(input, output)
    }

    fn alloc_pd(&self) -> Result<(Handle, u32)> {
        // SAFETY: the context is open.
        let pd = unsafe { (self.base.verbs().ibv_alloc_pd)(self.base.context.as_ptr()) };
        let pd = self.base.made(|| "make a protection domain".into(), "ibv_alloc_pd", pd)?;
        let handle = self.objects.keep(Mlx5Object::Pd(pd));
        let mut described = DvPd { pdn: 0, comp_mask: 0 };
        let mut obj = Obj::none();
        obj.pd.input = pd.as_ptr();
        obj.pd.output = &mut described;
        // SAFETY: the domain is in use by this call and not destroyed, and `obj` has both pointers of the kind that is
        // named.
        let answered = unsafe { (self.api.mlx5dv.mlx5dv_init_obj)(&mut obj, obj_type::PD) };
        match self.base.done(|| "ask for the number of a protection domain".into(), "mlx5dv_init_obj", answered) {
            Ok(()) => Ok((handle, described.pdn)),
            Err(error) => {
                let _ = self.dealloc_pd(handle);
                Err(error)
            }
        }
    }

    fn umem_reg(&self, region: Region, bytes: u64, access: u32, pgsz_bitmap: Option<u64>) -> Result<Umem> {
        let umem = self.name_memory(region, bytes, access, pgsz_bitmap)?;
        // SAFETY: `umem` points to the library's structure of a umem, which was just made and is not shared yet.
        let id = unsafe { (*umem.as_ptr()).umem_id };
        Ok(Umem { handle: self.objects.keep(Mlx5Object::Umem(umem)), id })
    }

    fn umem_dereg(&self, umem: Handle) -> Result<()> {
        self.give_back(umem, "a umem", |object| matches!(object, Mlx5Object::Umem(_)).then_some(*object))
    }

    fn alloc_uar(&self, kind: UarKind) -> Result<Uar> {
        // SAFETY: the context is open.
        let uar = unsafe { (self.api.mlx5dv.mlx5dv_devx_alloc_uar)(self.base.context.as_ptr(), kind as u32) };
        let uar = self.base.made(|| format!("map a doorbell page ({kind:?})"), "mlx5dv_devx_alloc_uar", uar)?;
        // SAFETY: `uar` points to the library's structure of a doorbell page, which was just made and is not shared
        // yet.
        let DevxUar { page_id, reg_addr, base_addr, .. } = unsafe { uar.as_ptr().read() };
        Ok(Uar {
            handle: self.objects.keep(Mlx5Object::Uar(uar)),
            page: page_id,
            register: reg_addr as u64,
            base: base_addr as u64,
        })
    }

    fn free_uar(&self, uar: Handle) -> Result<()> {
        self.give_back(uar, "a doorbell page", |object| matches!(object, Mlx5Object::Uar(_)).then_some(*object))
    }

    fn query_eqn(&self) -> Result<u32> {
        let mut eqn = 0;
        // SAFETY: the context is open, and `eqn` can be written.
        let answered = unsafe { (self.api.mlx5dv.mlx5dv_devx_query_eqn)(self.base.context.as_ptr(), 0, &mut eqn) };
        self.base.done(|| "ask for the event queue of vector 0".into(), "mlx5dv_devx_query_eqn", answered)?;
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
        self.give_back(object, "a DEVX object", |object| matches!(object, Mlx5Object::Devx(_)).then_some(*object))
    }

    fn resolve_mac(&self, pd: Handle, to: &AhAttr) -> Result<[u8; 6]> {
        self.mac_behind(pd, to)
    }

    fn verbs_qp(&self, pd: Handle, depth: u32, inline_bytes: u32) -> Result<VerbsQpLayout> {
        self.make_verbs_qp(pd, depth, inline_bytes)
    }

    fn verbs_connect(&self, qp: Handle, connect: &VerbsConnect) -> Result<()> {
        self.connect_verbs_qp(qp, connect)
    }

    fn verbs_query(&self, qp: Handle, output: &mut [u8]) -> Result<()> {
        self.query_verbs_qp(qp, output)
    }

    fn verbs_destroy(&self, qp: Handle) -> Result<()> {
        self.destroy_verbs_qp(qp)
    }
}
