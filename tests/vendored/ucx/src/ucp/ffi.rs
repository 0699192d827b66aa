//! C types of UCX 1.13, as `<ucp/api/ucp.h>` and its companions declare them.
//!
//! Structs of parameters begin with a mask of the fields that are valid, so that a newer library's structs may be
//! longer: it does not read a field whose bit is not set. Enumerations are ints, and a status is one byte wide in
//! packed enumerations but is returned in a register as `ucs_status_t`, an `int8_t`.

#![allow(non_camel_case_types, reason = "the names are UCX's own")]

use std::ffi::{c_char, c_int, c_uint, c_void};

/// Negative for an error.
pub type ucs_status_t = i8;

pub const UCS_OK: ucs_status_t = 0;
pub const UCS_INPROGRESS: ucs_status_t = 1;
pub const UCS_ERR_IO_ERROR: ucs_status_t = -3;
pub const UCS_ERR_NO_MEMORY: ucs_status_t = -4;
pub const UCS_ERR_INVALID_PARAM: ucs_status_t = -5;
pub const UCS_ERR_UNREACHABLE: ucs_status_t = -6;
pub const UCS_ERR_INVALID_ADDR: ucs_status_t = -7;
pub const UCS_ERR_NO_DEVICE: ucs_status_t = -14;
pub const UCS_ERR_CANCELED: ucs_status_t = -16;
pub const UCS_ERR_TIMED_OUT: ucs_status_t = -20;
pub const UCS_ERR_EXCEEDS_LIMIT: ucs_status_t = -21;
pub const UCS_ERR_UNSUPPORTED: ucs_status_t = -22;
pub const UCS_ERR_REJECTED: ucs_status_t = -23;
pub const UCS_ERR_NOT_CONNECTED: ucs_status_t = -24;
pub const UCS_ERR_CONNECTION_RESET: ucs_status_t = -25;
pub const UCS_ERR_FIRST_LINK_FAILURE: ucs_status_t = -40;
pub const UCS_ERR_LAST_LINK_FAILURE: ucs_status_t = -59;
pub const UCS_ERR_FIRST_ENDPOINT_FAILURE: ucs_status_t = -60;
pub const UCS_ERR_LAST_ENDPOINT_FAILURE: ucs_status_t = -89;
pub const UCS_ERR_LAST: ucs_status_t = -100;

/// Declares types that UCX gives out by pointer alone.
macro_rules! opaque {
    ($($name:ident)*) => {$(
        #[repr(C)]
        pub struct $name {
            _opaque: [u8; 0],
        }
    )*};
}
opaque! { ucp_config ucp_context ucp_worker ucp_ep ucp_mem ucp_rkey ucp_address }

pub const UCP_PARAM_FIELD_FEATURES: u64 = 1 << 0;
pub const UCP_PARAM_FIELD_MT_WORKERS_SHARED: u64 = 1 << 5;

pub const UCP_FEATURE_RMA: u64 = 1 << 1;
pub const UCP_FEATURE_AMO32: u64 = 1 << 2;
pub const UCP_FEATURE_AMO64: u64 = 1 << 3;

#[repr(C)]
pub struct ucp_params {
    pub field_mask: u64,
    pub features: u64,
    pub request_size: usize,
    pub request_init: *const c_void,
    pub request_cleanup: *const c_void,
    pub tag_sender_mask: u64,
    pub mt_workers_shared: c_int,
    pub estimated_num_eps: usize,
    pub estimated_num_ppn: usize,
    pub name: *const c_char,
}

pub const UCP_WORKER_PARAM_FIELD_THREAD_MODE: u64 = 1 << 0;
pub const UCS_THREAD_MODE_SERIALIZED: c_int = 1;

/// The first fields of `ucp_worker_params_t`; no later one is valid.
#[repr(C)]
pub struct ucp_worker_params {
    pub field_mask: u64,
    pub thread_mode: c_int,
    /// `ucs_cpu_set_t` of 1,024 bits, and the fields after it.
    pub unused: [u64; 32],
}

pub const UCP_EP_PARAM_FIELD_REMOTE_ADDRESS: u64 = 1 << 0;
pub const UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE: u64 = 1 << 1;
pub const UCP_EP_PARAM_FIELD_ERR_HANDLER: u64 = 1 << 2;
pub const UCP_ERR_HANDLING_MODE_PEER: c_int = 1;

pub type ucp_err_handler_cb_t = unsafe extern "C" fn(*mut c_void, *mut ucp_ep, ucs_status_t);

#[repr(C)]
pub struct ucs_sock_addr {
    pub addr: *const c_void,
    pub addrlen: u32,
}

#[repr(C)]
pub struct ucp_ep_params {
    pub field_mask: u64,
    pub address: *const ucp_address,
    pub err_mode: c_int,
    pub err_handler: Option<ucp_err_handler_cb_t>,
    pub err_handler_arg: *mut c_void,
    pub user_data: *mut c_void,
    pub flags: c_uint,
    pub sockaddr: ucs_sock_addr,
    pub conn_request: *mut c_void,
    pub name: *const c_char,
    pub local_sockaddr: ucs_sock_addr,
}

pub const UCP_MEM_MAP_PARAM_FIELD_ADDRESS: u64 = 1 << 0;
pub const UCP_MEM_MAP_PARAM_FIELD_LENGTH: u64 = 1 << 1;
pub const UCP_MEM_MAP_PARAM_FIELD_PROT: u64 = 1 << 3;
pub const UCP_MEM_MAP_PARAM_FIELD_MEMORY_TYPE: u64 = 1 << 4;
pub const UCP_MEM_MAP_PROT_LOCAL_READ: c_uint = 1 << 0;
pub const UCP_MEM_MAP_PROT_LOCAL_WRITE: c_uint = 1 << 1;
pub const UCP_MEM_MAP_PROT_REMOTE_READ: c_uint = 1 << 8;
pub const UCP_MEM_MAP_PROT_REMOTE_WRITE: c_uint = 1 << 9;
pub const UCS_MEMORY_TYPE_HOST: c_int = 0;

#[repr(C)]
pub struct ucp_mem_map_params {
    pub field_mask: u64,
    pub address: *mut c_void,
    pub length: usize,
    pub flags: c_uint,
    pub prot: c_uint,
    pub memory_type: c_int,
}

pub const UCP_OP_ATTR_FIELD_DATATYPE: u32 = 1 << 3;
pub const UCP_OP_ATTR_FIELD_FLAGS: u32 = 1 << 4;
pub const UCP_OP_ATTR_FIELD_REPLY_BUFFER: u32 = 1 << 5;
pub const UCP_OP_ATTR_FIELD_MEMORY_TYPE: u32 = 1 << 6;
pub const UCP_OP_ATTR_FIELD_MEMH: u32 = 1 << 8;
/// The flag of `ucp_ep_close_nbx` that waits for no peer.
pub const UCP_EP_CLOSE_FLAG_FORCE: u32 = 1 << 0;

#[repr(C)]
pub struct ucp_request_param {
    pub op_attr_mask: u32,
    pub flags: u32,
    pub request: *mut c_void,
    pub cb: *const c_void,
    pub datatype: u64,
    pub user_data: *mut c_void,
    pub reply_buffer: *mut c_void,
    pub memory_type: c_int,
    pub recv_info: *mut c_void,
    pub memh: *mut ucp_mem,
}

/// Returns the datatype of elements of `bytes` bytes.
pub const fn ucp_dt_make_contig(bytes: u64) -> u64 {
    bytes << 3
}

pub const UCP_ATOMIC_OP_ADD: c_int = 0;
pub const UCP_ATOMIC_OP_SWAP: c_int = 1;
pub const UCP_ATOMIC_OP_CSWAP: c_int = 2;
pub const UCP_ATOMIC_OP_AND: c_int = 3;
pub const UCP_ATOMIC_OP_OR: c_int = 4;
pub const UCP_ATOMIC_OP_XOR: c_int = 5;

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::mem::{offset_of, size_of};
    use std::process::{Command, Stdio};

    use super::*;

    /// Types, fields and where they are: the least size of a type, since newer headers add fields to the end.
    const SIZES: [(&str, usize); 9] = [
        ("ucp_params_t", size_of::<ucp_params>()),
        ("ucp_worker_params_t", 200),
        ("ucp_ep_params_t", size_of::<ucp_ep_params>()),
        ("ucp_mem_map_params_t", size_of::<ucp_mem_map_params>()),
        ("ucp_request_param_t", size_of::<ucp_request_param>()),
        ("ucs_status_t", size_of::<ucs_status_t>()),
        ("ucs_thread_mode_t", size_of::<c_int>()),
        ("ucs_memory_type_t", size_of::<c_int>()),
        ("ucp_atomic_op_t", size_of::<c_int>()),
    ];
    const OFFSETS: [(&str, &str, usize, usize); 15] = [
        ("ucp_params_t", "features", offset_of!(ucp_params, features), 8),
        ("ucp_params_t", "mt_workers_shared", offset_of!(ucp_params, mt_workers_shared), 48),
        ("ucp_worker_params_t", "thread_mode", offset_of!(ucp_worker_params, thread_mode), 8),
        ("ucp_ep_params_t", "address", offset_of!(ucp_ep_params, address), 8),
        ("ucp_ep_params_t", "err_mode", offset_of!(ucp_ep_params, err_mode), 16),
        ("ucp_ep_params_t", "err_handler", offset_of!(ucp_ep_params, err_handler), 24),
        ("ucp_ep_params_t", "sockaddr", offset_of!(ucp_ep_params, sockaddr), 56),
        ("ucp_mem_map_params_t", "prot", offset_of!(ucp_mem_map_params, prot), 28),
        ("ucp_mem_map_params_t", "memory_type", offset_of!(ucp_mem_map_params, memory_type), 32),
        ("ucp_request_param_t", "flags", offset_of!(ucp_request_param, flags), 4),
        ("ucp_request_param_t", "cb", offset_of!(ucp_request_param, cb), 16),
        ("ucp_request_param_t", "datatype", offset_of!(ucp_request_param, datatype), 24),
        ("ucp_request_param_t", "reply_buffer", offset_of!(ucp_request_param, reply_buffer), 40),
        ("ucp_request_param_t", "memory_type", offset_of!(ucp_request_param, memory_type), 48),
        ("ucp_request_param_t", "memh", offset_of!(ucp_request_param, memh), 64),
    ];
    const VALUES: [(&str, i64); 30] = [
        ("UCP_PARAM_FIELD_FEATURES", UCP_PARAM_FIELD_FEATURES as i64),
        ("UCP_PARAM_FIELD_MT_WORKERS_SHARED", UCP_PARAM_FIELD_MT_WORKERS_SHARED as i64),
        ("UCP_FEATURE_RMA", UCP_FEATURE_RMA as i64),
        ("UCP_FEATURE_AMO32", UCP_FEATURE_AMO32 as i64),
        ("UCP_FEATURE_AMO64", UCP_FEATURE_AMO64 as i64),
        ("UCP_WORKER_PARAM_FIELD_THREAD_MODE", UCP_WORKER_PARAM_FIELD_THREAD_MODE as i64),
        ("UCS_THREAD_MODE_SERIALIZED", UCS_THREAD_MODE_SERIALIZED as i64),
        ("UCP_EP_PARAM_FIELD_REMOTE_ADDRESS", UCP_EP_PARAM_FIELD_REMOTE_ADDRESS as i64),
        ("UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE", UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE as i64),
        ("UCP_EP_PARAM_FIELD_ERR_HANDLER", UCP_EP_PARAM_FIELD_ERR_HANDLER as i64),
        ("UCP_ERR_HANDLING_MODE_PEER", UCP_ERR_HANDLING_MODE_PEER as i64),
        ("UCP_MEM_MAP_PARAM_FIELD_ADDRESS", UCP_MEM_MAP_PARAM_FIELD_ADDRESS as i64),
        ("UCP_MEM_MAP_PARAM_FIELD_LENGTH", UCP_MEM_MAP_PARAM_FIELD_LENGTH as i64),
        ("UCP_MEM_MAP_PARAM_FIELD_PROT", UCP_MEM_MAP_PARAM_FIELD_PROT as i64),
        ("UCP_MEM_MAP_PARAM_FIELD_MEMORY_TYPE", UCP_MEM_MAP_PARAM_FIELD_MEMORY_TYPE as i64),
        ("UCP_MEM_MAP_PROT_LOCAL_WRITE", UCP_MEM_MAP_PROT_LOCAL_WRITE as i64),
        ("UCP_MEM_MAP_PROT_REMOTE_READ", UCP_MEM_MAP_PROT_REMOTE_READ as i64),
        ("UCP_MEM_MAP_PROT_REMOTE_WRITE", UCP_MEM_MAP_PROT_REMOTE_WRITE as i64),
        ("UCP_OP_ATTR_FIELD_DATATYPE", UCP_OP_ATTR_FIELD_DATATYPE as i64),
        ("UCP_OP_ATTR_FIELD_FLAGS", UCP_OP_ATTR_FIELD_FLAGS as i64),
        ("UCP_OP_ATTR_FIELD_REPLY_BUFFER", UCP_OP_ATTR_FIELD_REPLY_BUFFER as i64),
        ("UCP_OP_ATTR_FIELD_MEMORY_TYPE", UCP_OP_ATTR_FIELD_MEMORY_TYPE as i64),
        ("UCP_OP_ATTR_FIELD_MEMH", UCP_OP_ATTR_FIELD_MEMH as i64),
        ("UCP_EP_CLOSE_FLAG_FORCE", UCP_EP_CLOSE_FLAG_FORCE as i64),
        ("ucp_dt_make_contig(8)", ucp_dt_make_contig(8) as i64),
        ("UCP_ATOMIC_OP_CSWAP", UCP_ATOMIC_OP_CSWAP as i64),
        ("UCP_ATOMIC_OP_XOR", UCP_ATOMIC_OP_XOR as i64),
        ("UCS_ERR_CONNECTION_RESET", UCS_ERR_CONNECTION_RESET as i64),
        ("UCS_ERR_LAST_ENDPOINT_FAILURE", UCS_ERR_LAST_ENDPOINT_FAILURE as i64),
        ("UCS_ERR_LAST", UCS_ERR_LAST as i64),
    ];

    #[test]
    fn fields_are_where_ucx_1_13_has_them() {
        for (name, field, here, there) in OFFSETS {
            assert_eq!(here, there, "{name}.{field}");
        }
        let sizes = SIZES.map(|(_, bytes)| bytes);
        assert_eq!(sizes, [80, 200, 104, 40, 72, 1, 4, 4, 4]);
        // The library may read as far as its own struct goes: a mask comes first, but padding costs nothing.
        assert!(size_of::<ucp_worker_params>() >= 200);
    }

    /// Runs if this system has the headers (`libucx-dev`), or `OXSHMEM_UCX_INCLUDE` names their folder.
    #[test]
    fn sizes_offsets_and_values_are_those_of_the_headers() {
        let folder = std::env::var("OXSHMEM_UCX_INCLUDE").unwrap_or_else(|_| "/usr/include".into());
        if !std::path::Path::new(&folder).join("ucp/api/ucp.h").is_file() {
            println!("skipped: there is no {folder}/ucp/api/ucp.h");
            return;
        }
        let mut source = String::from("#include <stddef.h>\n#include <ucp/api/ucp.h>\n");
        for (name, bytes) in SIZES {
            source += &format!("_Static_assert(sizeof({name}) >= {bytes}, \"{name}\");\n");
        }
        for (name, field, at, _) in OFFSETS {
            source += &format!("_Static_assert(offsetof({name}, {field}) == {at}, \"{name}.{field}\");\n");
        }
        for (name, value) in VALUES {
            source += &format!("_Static_assert((long)({name}) == {value}, \"{name}\");\n");
        }
        let mut compiler = Command::new("cc");
        compiler.args(["-fsyntax-only", "-I", &folder, "-x", "c", "-"]).stdin(Stdio::piped()).stderr(Stdio::piped());
        let mut compiler = compiler.spawn().unwrap();
        compiler.stdin.take().unwrap().write_all(source.as_bytes()).unwrap();
        let checked = compiler.wait_with_output().unwrap();
        assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
    }
}
