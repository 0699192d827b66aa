//! Declarations of `infiniband/mlx5dv.h`, as far as they are used here. A test compares them with the header.

use core::ffi::{c_int, c_void};

use crate::verbs::ffi::{IbvAh, IbvContext, IbvCq, IbvDevice, IbvPd, IbvQp};

/// `struct mlx5dv_context_attr`.
#[repr(C)]
pub(crate) struct ContextAttr {
    pub(crate) flags: u32,
    pub(crate) comp_mask: u64,
}

/// `MLX5DV_CONTEXT_FLAGS_DEVX`.
pub(crate) const CONTEXT_FLAGS_DEVX: u32 = 1;

/// The argument of `mlx5dv_init_obj` for one kind of object: the object, and the place of its description.
#[repr(C)]
pub(crate) struct InOut<I, O> {
    pub(crate) input: *mut I,
    pub(crate) output: *mut O,
}

/// `struct mlx5dv_obj`.
#[repr(C)]
pub(crate) struct Obj {
    pub(crate) qp: InOut<IbvQp, DvQp>,
    pub(crate) cq: InOut<IbvCq, DvCq>,
    pub(crate) srq: InOut<c_void, c_void>,
    pub(crate) rwq: InOut<c_void, c_void>,
    pub(crate) dm: InOut<c_void, c_void>,
    pub(crate) ah: InOut<IbvAh, DvAh>,
    pub(crate) pd: InOut<IbvPd, DvPd>,
}

/// `enum mlx5dv_obj_type`.
pub(crate) mod obj_type {
    pub(crate) const QP: u64 = 1 << 0;
    pub(crate) const CQ: u64 = 1 << 1;
    pub(crate) const AH: u64 = 1 << 5;
    pub(crate) const PD: u64 = 1 << 6;
}

/// `struct mlx5dv_pd`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct DvPd {
    pub(crate) pdn: u32,
    pub(crate) comp_mask: u64,
}

/// `struct mlx5dv_ah`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct DvAh {
    pub(crate) av: *mut WqeAv,
    pub(crate) comp_mask: u64,
}

/// `struct mlx5_wqe_av`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct WqeAv {
    pub(crate) key: u64,
    pub(crate) dqp_dct: u32,
    pub(crate) stat_rate_sl: u8,
    pub(crate) fl_mlid: u8,
    pub(crate) rlid: u16,
    pub(crate) reserved0: [u8; 4],
    pub(crate) rmac: [u8; 6],
    pub(crate) tclass: u8,
    pub(crate) hop_limit: u8,
    pub(crate) grh_gid_fl: u32,
    pub(crate) rgid: [u8; 16],
}

/// A work queue of `struct mlx5dv_qp`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct DvWq {
    pub(crate) buf: *mut c_void,
    pub(crate) wqe_cnt: u32,
    pub(crate) stride: u32,
}

/// The doorbell register of `struct mlx5dv_qp`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct DvBf {
    pub(crate) reg: *mut c_void,
    pub(crate) size: u32,
}

/// `struct mlx5dv_qp`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct DvQp {
    pub(crate) dbrec: *mut u32,
    pub(crate) sq: DvWq,
    pub(crate) rq: DvWq,
    pub(crate) bf: DvBf,
    pub(crate) comp_mask: u64,
    pub(crate) uar_mmap_offset: libc::off_t,
    pub(crate) tirn: u32,
    pub(crate) tisn: u32,
    pub(crate) rqn: u32,
    pub(crate) sqn: u32,
    pub(crate) tir_icm_addr: u64,
}

/// `struct mlx5dv_cq`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct DvCq {
    pub(crate) buf: *mut c_void,
    pub(crate) dbrec: *mut u32,
    pub(crate) cqe_cnt: u32,
    pub(crate) cqe_size: u32,
    pub(crate) cq_uar: *mut c_void,
    pub(crate) cqn: u32,
    pub(crate) comp_mask: u64,
}

/// `struct mlx5dv_devx_obj`; only pointers to it are used.
#[repr(C)]
pub(crate) struct DevxObj {
    _opaque: [u8; 0],
}

/// `struct mlx5dv_devx_umem`.
#[repr(C)]
pub(crate) struct DevxUmem {
    pub(crate) umem_id: u32,
}

/// `struct mlx5dv_devx_umem_in`.
#[repr(C)]
pub(crate) struct DevxUmemIn {
    pub(crate) addr: *mut c_void,
    pub(crate) size: usize,
    pub(crate) access: u32,
    pub(crate) pgsz_bitmap: u64,
    pub(crate) comp_mask: u64,
    pub(crate) dmabuf_fd: c_int,
}

/// `MLX5DV_UMEM_MASK_DMABUF`.
pub(crate) const UMEM_MASK_DMABUF: u64 = 1;

/// `struct mlx5dv_devx_uar`.
#[repr(C)]
pub(crate) struct DevxUar {
    pub(crate) reg_addr: *mut c_void,
    pub(crate) base_addr: *mut c_void,
    pub(crate) page_id: u32,
    pub(crate) mmap_off: libc::off_t,
    pub(crate) comp_mask: u64,
}

crate::verbs::library::functions! {
    /// The functions of libmlx5. Those that an old library may lack are an `Option`.
    pub(crate) struct Mlx5dv {
        mlx5dv_is_supported: fn(*mut IbvDevice) -> bool,
        mlx5dv_open_device: fn(*mut IbvDevice, *mut ContextAttr) -> *mut IbvContext,
        mlx5dv_init_obj: fn(*mut Obj, u64) -> c_int,
        mlx5dv_devx_general_cmd: fn(*mut IbvContext, *const c_void, usize, *mut c_void, usize) -> c_int,
        mlx5dv_devx_obj_create: fn(*mut IbvContext, *const c_void, usize, *mut c_void, usize) -> *mut DevxObj,
        mlx5dv_devx_obj_modify: fn(*mut DevxObj, *const c_void, usize, *mut c_void, usize) -> c_int,
        mlx5dv_devx_obj_query: fn(*mut DevxObj, *const c_void, usize, *mut c_void, usize) -> c_int,
        mlx5dv_devx_obj_destroy: fn(*mut DevxObj) -> c_int,
        mlx5dv_devx_umem_reg: fn(*mut IbvContext, *mut c_void, usize, u32) -> *mut DevxUmem,
        mlx5dv_devx_umem_dereg: fn(*mut DevxUmem) -> c_int,
        mlx5dv_devx_alloc_uar: fn(*mut IbvContext, u32) -> *mut DevxUar,
        mlx5dv_devx_free_uar: fn(*mut DevxUar),
        mlx5dv_devx_query_eqn: fn(*mut IbvContext, u32, *mut u32) -> c_int,
    }
    optional {
        mlx5dv_devx_umem_reg_ex: fn(*mut IbvContext, *mut DevxUmemIn) -> *mut DevxUmem,
        mlx5dv_devx_qp_query: fn(*mut IbvQp, *const c_void, usize, *mut c_void, usize) -> c_int,
    }
}
