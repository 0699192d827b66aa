//! Declarations of `infiniband/verbs.h`, as far as they are used here. A test compares them with the header.

use core::ffi::{c_char, c_int, c_uint, c_void};

use super::work_ffi::{IbvSendWr, IbvWc};

/// `struct ibv_device`; only pointers to it are used.
#[repr(C)]
pub(crate) struct IbvDevice {
    _opaque: [u8; 0],
}

/// `struct ibv_context`.
#[repr(C)]
pub(crate) struct IbvContext {
    pub(crate) device: *mut IbvDevice,
    pub(crate) ops: IbvContextOps,
    pub(crate) cmd_fd: c_int,
    pub(crate) async_fd: c_int,
    pub(crate) num_comp_vectors: c_int,
    pub(crate) mutex: libc::pthread_mutex_t,
    pub(crate) abi_compat: *mut c_void,
}

/// A function of the table that is not used.
type Unused = Option<unsafe extern "C" fn()>;

/// `struct ibv_context_ops`.
#[repr(C)]
pub(crate) struct IbvContextOps {
    pub(crate) _compat_query_device: Unused,
    pub(crate) _compat_query_port: Unused,
    pub(crate) _compat_alloc_pd: Unused,
    pub(crate) _compat_dealloc_pd: Unused,
    pub(crate) _compat_reg_mr: Unused,
    pub(crate) _compat_rereg_mr: Unused,
    pub(crate) _compat_dereg_mr: Unused,
    pub(crate) alloc_mw: Unused,
    pub(crate) bind_mw: Unused,
    pub(crate) dealloc_mw: Unused,
    pub(crate) _compat_create_cq: Unused,
    pub(crate) poll_cq: Option<unsafe extern "C" fn(*mut IbvCq, c_int, *mut IbvWc) -> c_int>,
    pub(crate) req_notify_cq: Unused,
    pub(crate) _compat_cq_event: Unused,
    pub(crate) _compat_resize_cq: Unused,
    pub(crate) _compat_destroy_cq: Unused,
    pub(crate) _compat_create_srq: Unused,
    pub(crate) _compat_modify_srq: Unused,
    pub(crate) _compat_query_srq: Unused,
    pub(crate) _compat_destroy_srq: Unused,
    pub(crate) post_srq_recv: Unused,
    pub(crate) _compat_create_qp: Unused,
    pub(crate) _compat_query_qp: Unused,
    pub(crate) _compat_modify_qp: Unused,
    pub(crate) _compat_destroy_qp: Unused,
    pub(crate) post_send: Option<unsafe extern "C" fn(*mut IbvQp, *mut IbvSendWr, *mut *mut IbvSendWr) -> c_int>,
    pub(crate) post_recv: Unused,
    pub(crate) _compat_create_ah: Unused,
    pub(crate) _compat_destroy_ah: Unused,
    pub(crate) _compat_attach_mcast: Unused,
    pub(crate) _compat_detach_mcast: Unused,
    pub(crate) _compat_async_event: Unused,
}

/// The end of `struct verbs_context`, from `alloc_parent_domain` up to its context. Newer fields come before it.
#[repr(C)]
pub(crate) struct VerbsContextOps {
    pub(crate) alloc_parent_domain:
        Option<unsafe extern "C" fn(*mut IbvContext, *mut IbvParentDomainInitAttr) -> *mut IbvPd>,
    pub(crate) dealloc_td: Option<unsafe extern "C" fn(*mut IbvTd) -> c_int>,
    pub(crate) alloc_td: Option<unsafe extern "C" fn(*mut IbvContext, *mut IbvTdInitAttr) -> *mut IbvTd>,
    /// Functions that are not used here, from `modify_cq` to `close_xrcd`, and a placeholder.
    pub(crate) _between: [usize; 22],
    /// Bytes of the whole structure.
    pub(crate) sz: usize,
}

/// `struct ibv_td`; only pointers to it are used.
#[repr(C)]
pub(crate) struct IbvTd {
    _opaque: [u8; 0],
}

/// `struct ibv_td_init_attr`.
#[repr(C)]
pub(crate) struct IbvTdInitAttr {
    pub(crate) comp_mask: u32,
}

/// `struct ibv_parent_domain_init_attr`.
#[repr(C)]
pub(crate) struct IbvParentDomainInitAttr {
    pub(crate) pd: *mut IbvPd,
    pub(crate) td: *mut IbvTd,
    pub(crate) comp_mask: u32,
    pub(crate) alloc: Option<unsafe extern "C" fn()>,
    pub(crate) free: Option<unsafe extern "C" fn()>,
    pub(crate) pd_context: *mut c_void,
}

/// `struct ibv_pd`; only pointers to it are used.
#[repr(C)]
pub(crate) struct IbvPd {
    _opaque: [u8; 0],
}

/// `struct ibv_ah`; only pointers to it are used.
#[repr(C)]
pub(crate) struct IbvAh {
    _opaque: [u8; 0],
}

/// The beginning of `struct ibv_cq`.
#[repr(C)]
pub(crate) struct IbvCq {
    pub(crate) context: *mut IbvContext,
    pub(crate) channel: *mut c_void,
    pub(crate) cq_context: *mut c_void,
    pub(crate) handle: u32,
    pub(crate) cqe: c_int,
}

/// The beginning of `struct ibv_qp`.
#[repr(C)]
pub(crate) struct IbvQp {
    pub(crate) context: *mut IbvContext,
    pub(crate) qp_context: *mut c_void,
    pub(crate) pd: *mut IbvPd,
    pub(crate) send_cq: *mut IbvCq,
    pub(crate) recv_cq: *mut IbvCq,
    pub(crate) srq: *mut c_void,
    pub(crate) handle: u32,
    pub(crate) qp_num: u32,
}

/// `struct ibv_mr`.
#[repr(C)]
pub(crate) struct IbvMr {
    pub(crate) context: *mut IbvContext,
    pub(crate) pd: *mut IbvPd,
    pub(crate) addr: *mut c_void,
    pub(crate) length: usize,
    pub(crate) handle: u32,
    pub(crate) lkey: u32,
    pub(crate) rkey: u32,
}

/// `struct ibv_device_attr`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct IbvDeviceAttr {
    pub(crate) fw_ver: [c_char; 64],
    pub(crate) node_guid: u64,
    pub(crate) sys_image_guid: u64,
    pub(crate) max_mr_size: u64,
    pub(crate) page_size_cap: u64,
    pub(crate) vendor_id: u32,
    pub(crate) vendor_part_id: u32,
    pub(crate) hw_ver: u32,
    pub(crate) max_qp: c_int,
    pub(crate) max_qp_wr: c_int,
    pub(crate) device_cap_flags: c_uint,
    pub(crate) max_sge: c_int,
    pub(crate) max_sge_rd: c_int,
    pub(crate) max_cq: c_int,
    pub(crate) max_cqe: c_int,
    pub(crate) max_mr: c_int,
    pub(crate) max_pd: c_int,
    pub(crate) max_qp_rd_atom: c_int,
    pub(crate) max_ee_rd_atom: c_int,
    pub(crate) max_res_rd_atom: c_int,
    pub(crate) max_qp_init_rd_atom: c_int,
    pub(crate) max_ee_init_rd_atom: c_int,
    pub(crate) atomic_cap: c_uint,
    pub(crate) max_ee: c_int,
    pub(crate) max_rdd: c_int,
    pub(crate) max_mw: c_int,
    pub(crate) max_raw_ipv6_qp: c_int,
    pub(crate) max_raw_ethy_qp: c_int,
    pub(crate) max_mcast_grp: c_int,
    pub(crate) max_mcast_qp_attach: c_int,
    pub(crate) max_total_mcast_qp_attach: c_int,
    pub(crate) max_ah: c_int,
    pub(crate) max_fmr: c_int,
    pub(crate) max_map_per_fmr: c_int,
    pub(crate) max_srq: c_int,
    pub(crate) max_srq_wr: c_int,
    pub(crate) max_srq_sge: c_int,
    pub(crate) max_pkeys: u16,
    pub(crate) local_ca_ack_delay: u8,
    pub(crate) phys_port_cnt: u8,
}

/// `struct ibv_port_attr`.
///
/// The library's function of that name fills it up to `flags`; the header's inline function of the same name, which is
/// not a symbol, fills `port_cap_flags2` too.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct IbvPortAttr {
    pub(crate) state: c_uint,
    pub(crate) max_mtu: c_uint,
    pub(crate) active_mtu: c_uint,
    pub(crate) gid_tbl_len: c_int,
    pub(crate) port_cap_flags: u32,
    pub(crate) max_msg_sz: u32,
    pub(crate) bad_pkey_cntr: u32,
    pub(crate) qkey_viol_cntr: u32,
    pub(crate) pkey_tbl_len: u16,
    pub(crate) lid: u16,
    pub(crate) sm_lid: u16,
    pub(crate) lmc: u8,
    pub(crate) max_vl_num: u8,
    pub(crate) sm_sl: u8,
    pub(crate) subnet_timeout: u8,
    pub(crate) init_type_reply: u8,
    pub(crate) active_width: u8,
    pub(crate) active_speed: u8,
    pub(crate) phys_state: u8,
    pub(crate) link_layer: u8,
    pub(crate) flags: u8,
    pub(crate) port_cap_flags2: u16,
}

/// `IBV_QPF_GRH_REQUIRED`, a bit of [`IbvPortAttr::flags`].
pub(crate) const GRH_REQUIRED: u8 = 1;

/// `union ibv_gid`: its bytes, aligned as its words are.
#[repr(C, align(8))]
#[derive(Clone, Copy)]
pub(crate) struct IbvGid {
    pub(crate) raw: [u8; 16],
}

/// `struct ibv_gid_entry`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct IbvGidEntry {
    pub(crate) gid: IbvGid,
    pub(crate) gid_index: u32,
    pub(crate) port_num: u32,
    pub(crate) gid_type: u32,
    pub(crate) ndev_ifindex: u32,
}

/// `struct ibv_global_route`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct IbvGlobalRoute {
    pub(crate) dgid: IbvGid,
    pub(crate) flow_label: u32,
    pub(crate) sgid_index: u8,
    pub(crate) hop_limit: u8,
    pub(crate) traffic_class: u8,
}

/// `struct ibv_ah_attr`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct IbvAhAttr {
    pub(crate) grh: IbvGlobalRoute,
    pub(crate) dlid: u16,
    pub(crate) sl: u8,
    pub(crate) src_path_bits: u8,
    pub(crate) static_rate: u8,
    pub(crate) is_global: u8,
    pub(crate) port_num: u8,
}

/// `struct ibv_qp_cap`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct IbvQpCap {
    pub(crate) max_send_wr: u32,
    pub(crate) max_recv_wr: u32,
    pub(crate) max_send_sge: u32,
    pub(crate) max_recv_sge: u32,
    pub(crate) max_inline_data: u32,
}

/// `struct ibv_qp_init_attr`.
#[repr(C)]
pub(crate) struct IbvQpInitAttr {
    pub(crate) qp_context: *mut c_void,
    pub(crate) send_cq: *mut IbvCq,
    pub(crate) recv_cq: *mut IbvCq,
    pub(crate) srq: *mut c_void,
    pub(crate) cap: IbvQpCap,
    pub(crate) qp_type: c_uint,
    pub(crate) sq_sig_all: c_int,
}

/// `struct ibv_qp_attr`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct IbvQpAttr {
    pub(crate) qp_state: c_uint,
    pub(crate) cur_qp_state: c_uint,
    pub(crate) path_mtu: c_uint,
    pub(crate) path_mig_state: c_uint,
    pub(crate) qkey: u32,
    pub(crate) rq_psn: u32,
    pub(crate) sq_psn: u32,
    pub(crate) dest_qp_num: u32,
    pub(crate) qp_access_flags: c_uint,
    pub(crate) cap: IbvQpCap,
    pub(crate) ah_attr: IbvAhAttr,
    pub(crate) alt_ah_attr: IbvAhAttr,
    pub(crate) pkey_index: u16,
    pub(crate) alt_pkey_index: u16,
    pub(crate) en_sqd_async_notify: u8,
    pub(crate) sq_draining: u8,
    pub(crate) max_rd_atomic: u8,
    pub(crate) max_dest_rd_atomic: u8,
    pub(crate) min_rnr_timer: u8,
    pub(crate) port_num: u8,
    pub(crate) timeout: u8,
    pub(crate) retry_cnt: u8,
    pub(crate) rnr_retry: u8,
    pub(crate) alt_port_num: u8,
    pub(crate) alt_timeout: u8,
    pub(crate) rate_limit: u32,
}

/// `enum ibv_qp_type`, `IBV_QPT_RC`.
pub(crate) const QPT_RC: c_uint = 2;
/// `IBV_LINK_LAYER_ETHERNET`.
pub(crate) const LINK_LAYER_ETHERNET: u8 = 2;

/// `enum ibv_gid_type`.
pub(crate) mod gid_type {
    pub(crate) const ROCE_V1: u32 = 1;
    pub(crate) const ROCE_V2: u32 = 2;
}

/// `enum ibv_qp_state`.
pub(crate) mod qp_state {
    use core::ffi::c_uint;
    pub(crate) const INIT: c_uint = 1;
    pub(crate) const RTR: c_uint = 2;
    pub(crate) const RTS: c_uint = 3;
    pub(crate) const ERR: c_uint = 6;
}

/// `enum ibv_atomic_cap`.
pub(crate) mod atomic_cap {
    use core::ffi::c_uint;
    pub(crate) const HCA: c_uint = 1;
    pub(crate) const GLOB: c_uint = 2;
}

/// `enum ibv_qp_attr_mask`.
pub(crate) mod attr_mask {
    use core::ffi::c_int;
    pub(crate) const STATE: c_int = 1 << 0;
    pub(crate) const ACCESS_FLAGS: c_int = 1 << 3;
    pub(crate) const PKEY_INDEX: c_int = 1 << 4;
    pub(crate) const PORT: c_int = 1 << 5;
    pub(crate) const AV: c_int = 1 << 7;
    pub(crate) const PATH_MTU: c_int = 1 << 8;
    pub(crate) const TIMEOUT: c_int = 1 << 9;
    pub(crate) const RETRY_CNT: c_int = 1 << 10;
    pub(crate) const RNR_RETRY: c_int = 1 << 11;
    pub(crate) const RQ_PSN: c_int = 1 << 12;
    pub(crate) const MAX_QP_RD_ATOMIC: c_int = 1 << 13;
    pub(crate) const MIN_RNR_TIMER: c_int = 1 << 15;
    pub(crate) const SQ_PSN: c_int = 1 << 16;
    pub(crate) const MAX_DEST_RD_ATOMIC: c_int = 1 << 17;
    pub(crate) const DEST_QPN: c_int = 1 << 20;
}

crate::verbs::library::functions! {
    /// The functions of libibverbs. Those that an old library may lack are an `Option`.
    pub(crate) struct Verbs {
        ibv_get_device_list: fn(*mut c_int) -> *mut *mut IbvDevice,
        ibv_free_device_list: fn(*mut *mut IbvDevice),
        ibv_get_device_name: fn(*mut IbvDevice) -> *const c_char,
        ibv_open_device: fn(*mut IbvDevice) -> *mut IbvContext,
        ibv_close_device: fn(*mut IbvContext) -> c_int,
        ibv_query_device: fn(*mut IbvContext, *mut IbvDeviceAttr) -> c_int,
        ibv_query_port: fn(*mut IbvContext, u8, *mut IbvPortAttr) -> c_int,
        ibv_query_gid: fn(*mut IbvContext, u8, c_int, *mut IbvGid) -> c_int,
        ibv_alloc_pd: fn(*mut IbvContext) -> *mut IbvPd,
        ibv_dealloc_pd: fn(*mut IbvPd) -> c_int,
        ibv_reg_mr: fn(*mut IbvPd, *mut c_void, usize, c_int) -> *mut IbvMr,
        ibv_dereg_mr: fn(*mut IbvMr) -> c_int,
        ibv_create_ah: fn(*mut IbvPd, *mut IbvAhAttr) -> *mut IbvAh,
        ibv_destroy_ah: fn(*mut IbvAh) -> c_int,
        ibv_create_cq: fn(*mut IbvContext, c_int, *mut c_void, *mut c_void, c_int) -> *mut IbvCq,
        ibv_destroy_cq: fn(*mut IbvCq) -> c_int,
        ibv_create_qp: fn(*mut IbvPd, *mut IbvQpInitAttr) -> *mut IbvQp,
        ibv_modify_qp: fn(*mut IbvQp, *mut IbvQpAttr, c_int) -> c_int,
        ibv_destroy_qp: fn(*mut IbvQp) -> c_int,
    }
    optional {
        ibv_reg_mr_iova2: fn(*mut IbvPd, *mut c_void, usize, u64, c_uint) -> *mut IbvMr,
        ibv_reg_dmabuf_mr: fn(*mut IbvPd, u64, usize, u64, c_int, c_int) -> *mut IbvMr,
        _ibv_query_gid_table: fn(*mut IbvContext, *mut IbvGidEntry, usize, u32, usize) -> isize,
    }
}
