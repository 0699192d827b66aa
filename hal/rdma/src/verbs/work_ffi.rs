//! Declarations of `infiniband/verbs.h` for posting and polling. These are inline functions there, which call through a
//! table of the context. A test compares the declarations with the header.

use core::ffi::{c_int, c_uint, c_void};

/// `struct ibv_sge`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct IbvSge {
    pub(crate) addr: u64,
    pub(crate) length: u32,
    pub(crate) lkey: u32,
}

/// `wr.rdma` of `struct ibv_send_wr`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct IbvRdmaWr {
    pub(crate) remote_addr: u64,
    pub(crate) rkey: u32,
}

/// `wr.atomic` of `struct ibv_send_wr`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct IbvAtomicWr {
    pub(crate) remote_addr: u64,
    pub(crate) compare_add: u64,
    pub(crate) swap: u64,
    pub(crate) rkey: u32,
}

/// `wr` of `struct ibv_send_wr`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) union IbvRemoteWr {
    pub(crate) rdma: IbvRdmaWr,
    pub(crate) atomic: IbvAtomicWr,
}

/// `struct ibv_send_wr`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct IbvSendWr {
    pub(crate) wr_id: u64,
    pub(crate) next: *mut IbvSendWr,
    pub(crate) sg_list: *mut IbvSge,
    pub(crate) num_sge: c_int,
    pub(crate) opcode: c_uint,
    pub(crate) send_flags: c_uint,
    pub(crate) imm_data: u32,
    pub(crate) wr: IbvRemoteWr,
    pub(crate) qp_type: u32,
    /// Memory windows and large sends, which are not used.
    pub(crate) bind_mw: [*mut c_void; 6],
}

/// `struct ibv_wc`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct IbvWc {
    pub(crate) wr_id: u64,
    pub(crate) status: c_uint,
    pub(crate) opcode: c_uint,
    pub(crate) vendor_err: u32,
    pub(crate) byte_len: u32,
    pub(crate) imm_data: u32,
    pub(crate) qp_num: u32,
    pub(crate) src_qp: u32,
    pub(crate) wc_flags: c_uint,
    pub(crate) pkey_index: u16,
    pub(crate) slid: u16,
    pub(crate) sl: u8,
    pub(crate) dlid_path_bits: u8,
}

/// `enum ibv_wr_opcode`.
pub(crate) mod wr_opcode {
    use core::ffi::c_uint;
    pub(crate) const RDMA_WRITE: c_uint = 0;
    pub(crate) const RDMA_READ: c_uint = 4;
    pub(crate) const ATOMIC_CMP_AND_SWP: c_uint = 5;
    pub(crate) const ATOMIC_FETCH_AND_ADD: c_uint = 6;
}

/// `enum ibv_send_flags`.
pub(crate) mod send_flags {
    use core::ffi::c_uint;
    pub(crate) const SIGNALED: c_uint = 1 << 1;
    pub(crate) const INLINE: c_uint = 1 << 3;
}

/// `enum ibv_wc_status`, for the statuses of senders.
pub(crate) mod wc_status {
    pub(crate) const SUCCESS: u32 = 0;
    pub(crate) const LOCAL_LENGTH: u32 = 1;
    pub(crate) const LOCAL_QP_OPERATION: u32 = 2;
    pub(crate) const LOCAL_PROTECTION: u32 = 4;
    pub(crate) const FLUSHED: u32 = 5;
    pub(crate) const WINDOW_BIND: u32 = 6;
    pub(crate) const BAD_RESPONSE: u32 = 7;
    pub(crate) const LOCAL_ACCESS: u32 = 8;
    pub(crate) const REMOTE_INVALID_REQUEST: u32 = 9;
    pub(crate) const REMOTE_ACCESS: u32 = 10;
    pub(crate) const REMOTE_OPERATION: u32 = 11;
    pub(crate) const RETRIES_EXCEEDED: u32 = 12;
    pub(crate) const RNR_RETRIES_EXCEEDED: u32 = 13;
    pub(crate) const REMOTE_ABORTED: u32 = 16;
}
