//! Compares the declarations here with the headers, by the system's own C compiler.

use std::env;
use std::fmt::Write as _;
use std::mem::offset_of;
use std::path::PathBuf;
use std::process::Command;

use super::ffi::*;
use crate::hca::{UarKind, access};
use crate::verbs::ffi::*;
use crate::verbs::work_ffi::*;
use oxshmem_raw::os::private::Scratch;

/// A struct as declared here: its name in C, its size if it is declared whole, and the path, offset and size of each
/// field.
struct Layout {
    c: &'static str,
    size: Option<usize>,
    fields: Vec<(String, usize, usize)>,
}

fn size_of_field<T, F>(_: fn(&T) -> &F) -> usize {
    size_of::<F>()
}

/// The fields of a struct, all of them, as the compiler checks; then the fields within these.
macro_rules! layout {
    ($c:literal, $ty:ty, $size:expr, { $($field:ident),* $(,)? } $(+ { $($($inner:ident).+),* $(,)? })?) => {{
        type T = $ty;
        #[allow(dead_code)]
        fn all_of_them(T { $($field: _),* }: &T) {}
        #[allow(unused_mut)]
        let mut fields = vec![$((
            stringify!($field).to_string(),
            core::mem::offset_of!(T, $field),
            size_of_field(|s: &T| &s.$field),
        )),*];
        $(fields.extend([$((
            [$(stringify!($inner)),+].join("."),
            core::mem::offset_of!(T, $($inner).+),
            // SAFETY: it is never called; only its type is used. (A field of a union needs the block.)
            size_of_field(#[allow(unused_unsafe)] |s: &T| unsafe { &s.$($inner).+ }),
        )),*]);)?
        Layout { c: $c, size: $size, fields }
    }};
}

fn whole<T>() -> Option<usize> {
    Some(size_of::<T>())
}

fn of_verbs() -> Vec<Layout> {
    vec![
        layout!("struct ibv_qp", IbvQp, None, { context, qp_context, pd, send_cq, recv_cq, srq, handle, qp_num }),
        layout!("struct ibv_td_init_attr", IbvTdInitAttr, whole::<IbvTdInitAttr>(), { comp_mask }),
        layout!("struct ibv_parent_domain_init_attr", IbvParentDomainInitAttr, whole::<IbvParentDomainInitAttr>(), {
            pd, td, comp_mask, alloc, free, pd_context,
        }),
        layout!("struct ibv_mr", IbvMr, whole::<IbvMr>(), { context, pd, addr, length, handle, lkey, rkey }),
        layout!("struct ibv_device_attr", IbvDeviceAttr, whole::<IbvDeviceAttr>(), {
            fw_ver, node_guid, sys_image_guid, max_mr_size, page_size_cap, vendor_id, vendor_part_id, hw_ver, max_qp,
            max_qp_wr, device_cap_flags, max_sge, max_sge_rd, max_cq, max_cqe, max_mr, max_pd, max_qp_rd_atom,
            max_ee_rd_atom, max_res_rd_atom, max_qp_init_rd_atom, max_ee_init_rd_atom, atomic_cap, max_ee, max_rdd,
            max_mw, max_raw_ipv6_qp, max_raw_ethy_qp, max_mcast_grp, max_mcast_qp_attach, max_total_mcast_qp_attach,
            max_ah, max_fmr, max_map_per_fmr, max_srq, max_srq_wr, max_srq_sge, max_pkeys, local_ca_ack_delay,
            phys_port_cnt,
        }),
        layout!("struct ibv_port_attr", IbvPortAttr, whole::<IbvPortAttr>(), {
            state, max_mtu, active_mtu, gid_tbl_len, port_cap_flags, max_msg_sz, bad_pkey_cntr, qkey_viol_cntr,
            pkey_tbl_len, lid, sm_lid, lmc, max_vl_num, sm_sl, subnet_timeout, init_type_reply, active_width,
            active_speed, phys_state, link_layer, flags, port_cap_flags2,
        }),
        layout!("union ibv_gid", IbvGid, whole::<IbvGid>(), { raw }),
        layout!("struct ibv_gid_entry", IbvGidEntry, whole::<IbvGidEntry>(), {
            gid, gid_index, port_num, gid_type, ndev_ifindex,
        }),
        layout!("struct ibv_global_route", IbvGlobalRoute, whole::<IbvGlobalRoute>(), {
            dgid, flow_label, sgid_index, hop_limit, traffic_class,
        }),
        layout!("struct ibv_ah_attr", IbvAhAttr, whole::<IbvAhAttr>(), {
            grh, dlid, sl, src_path_bits, static_rate, is_global, port_num,
        }),
        layout!("struct ibv_qp_cap", IbvQpCap, whole::<IbvQpCap>(), {
            max_send_wr, max_recv_wr, max_send_sge, max_recv_sge, max_inline_data,
        }),
        layout!("struct ibv_qp_init_attr", IbvQpInitAttr, whole::<IbvQpInitAttr>(), {
            qp_context, send_cq, recv_cq, srq, cap, qp_type, sq_sig_all,
        }),
        layout!("struct ibv_qp_attr", IbvQpAttr, whole::<IbvQpAttr>(), {
            qp_state, cur_qp_state, path_mtu, path_mig_state, qkey, rq_psn, sq_psn, dest_qp_num, qp_access_flags, cap,
            ah_attr, alt_ah_attr, pkey_index, alt_pkey_index, en_sqd_async_notify, sq_draining, max_rd_atomic,
            max_dest_rd_atomic, min_rnr_timer, port_num, timeout, retry_cnt, rnr_retry, alt_port_num, alt_timeout,
            rate_limit,
        }),
    ]
}

fn of_work() -> Vec<Layout> {
    vec![
        layout!("struct ibv_context", IbvContext, whole::<IbvContext>(), {
            device, ops, cmd_fd, async_fd, num_comp_vectors, mutex, abi_compat,
        } + { ops.poll_cq, ops.post_send }),
        layout!("struct ibv_context_ops", IbvContextOps, whole::<IbvContextOps>(), {
            _compat_query_device, _compat_query_port, _compat_alloc_pd, _compat_dealloc_pd, _compat_reg_mr,
            _compat_rereg_mr, _compat_dereg_mr, alloc_mw, bind_mw, dealloc_mw, _compat_create_cq, poll_cq,
            req_notify_cq, _compat_cq_event, _compat_resize_cq, _compat_destroy_cq, _compat_create_srq,
            _compat_modify_srq, _compat_query_srq, _compat_destroy_srq, post_srq_recv, _compat_create_qp,
            _compat_query_qp, _compat_modify_qp, _compat_destroy_qp, post_send, post_recv, _compat_create_ah,
            _compat_destroy_ah, _compat_attach_mcast, _compat_detach_mcast, _compat_async_event,
        }),
        layout!("struct ibv_cq", IbvCq, None, { context, channel, cq_context, handle, cqe }),
        layout!("struct ibv_sge", IbvSge, whole::<IbvSge>(), { addr, length, lkey }),
        layout!("struct ibv_send_wr", IbvSendWr, whole::<IbvSendWr>(), {
            wr_id, next, sg_list, num_sge, opcode, send_flags, imm_data, wr, qp_type, bind_mw,
        } + {
            wr.rdma.remote_addr, wr.rdma.rkey, wr.atomic.remote_addr, wr.atomic.compare_add, wr.atomic.swap,
            wr.atomic.rkey,
        }),
        layout!("struct ibv_wc", IbvWc, whole::<IbvWc>(), {
            wr_id, status, opcode, vendor_err, byte_len, imm_data, qp_num, src_qp, wc_flags, pkey_index, slid, sl,
            dlid_path_bits,
        }),
    ]
}

fn of_mlx5dv() -> Vec<Layout> {
    vec![
        layout!("struct mlx5dv_context_attr", ContextAttr, whole::<ContextAttr>(), { flags, comp_mask }),
        layout!("struct mlx5dv_obj", Obj, whole::<Obj>(), { qp, cq, srq, rwq, dm, ah, pd } + {
            qp.input, qp.output, cq.input, cq.output, srq.input, rwq.input, dm.input, ah.input, ah.output, pd.input,
            pd.output,
        }),
        layout!("struct mlx5dv_pd", DvPd, whole::<DvPd>(), { pdn, comp_mask }),
        layout!("struct mlx5dv_ah", DvAh, whole::<DvAh>(), { av, comp_mask }),
        layout!("struct mlx5_wqe_av", WqeAv, whole::<WqeAv>(), {
            key, dqp_dct, stat_rate_sl, fl_mlid, rlid, reserved0, rmac, tclass, hop_limit, grh_gid_fl, rgid,
        }),
        layout!("struct mlx5dv_qp", DvQp, whole::<DvQp>(), {
            dbrec, sq, rq, bf, comp_mask, uar_mmap_offset, tirn, tisn, rqn, sqn, tir_icm_addr,
        } + { sq.buf, sq.wqe_cnt, sq.stride, rq.buf, rq.wqe_cnt, rq.stride, bf.reg, bf.size }),
        layout!("struct mlx5dv_cq", DvCq, whole::<DvCq>(), {
            buf, dbrec, cqe_cnt, cqe_size, cq_uar, cqn, comp_mask,
        }),
        layout!("struct mlx5dv_devx_umem", DevxUmem, whole::<DevxUmem>(), { umem_id }),
        layout!("struct mlx5dv_devx_umem_in", DevxUmemIn, whole::<DevxUmemIn>(), {
            addr, size, access, pgsz_bitmap, comp_mask, dmabuf_fd,
        }),
        layout!("struct mlx5dv_devx_uar", DevxUar, whole::<DevxUar>(), {
            reg_addr, base_addr, page_id, mmap_off, comp_mask,
        }),
    ]
}

/// The distance of a field of `struct verbs_context` from its context, as C computes it.
macro_rules! from_context {
    ($field:literal) => {
        concat!("(offsetof(struct verbs_context, context) - offsetof(struct verbs_context, ", $field, "))")
    };
}

/// Returns the same distance as declared here.
fn from_end(offset: usize) -> u64 {
    (size_of::<VerbsContextOps>() - offset) as u64
}

fn constants() -> Vec<(&'static str, u64)> {
    vec![
        ("IBV_QPT_RC", QPT_RC.into()),
        ("IBV_LINK_LAYER_ETHERNET", LINK_LAYER_ETHERNET.into()),
        ("IBV_QPF_GRH_REQUIRED", GRH_REQUIRED.into()),
        ("IBV_GID_TYPE_ROCE_V1", gid_type::ROCE_V1.into()),
        ("IBV_GID_TYPE_ROCE_V2", gid_type::ROCE_V2.into()),
        ("IBV_QPS_INIT", qp_state::INIT.into()),
        ("IBV_QPS_RTR", qp_state::RTR.into()),
        ("IBV_QPS_RTS", qp_state::RTS.into()),
        ("IBV_QPS_ERR", qp_state::ERR.into()),
        ("IBV_ATOMIC_HCA", atomic_cap::HCA.into()),
        ("IBV_ATOMIC_GLOB", atomic_cap::GLOB.into()),
        ("IBV_WR_RDMA_WRITE", wr_opcode::RDMA_WRITE.into()),
        ("IBV_WR_RDMA_READ", wr_opcode::RDMA_READ.into()),
        ("IBV_WR_ATOMIC_CMP_AND_SWP", wr_opcode::ATOMIC_CMP_AND_SWP.into()),
        ("IBV_WR_ATOMIC_FETCH_AND_ADD", wr_opcode::ATOMIC_FETCH_AND_ADD.into()),
        ("IBV_SEND_SIGNALED", send_flags::SIGNALED.into()),
        ("IBV_SEND_INLINE", send_flags::INLINE.into()),
        ("IBV_WC_SUCCESS", wc_status::SUCCESS.into()),
        ("IBV_WC_LOC_LEN_ERR", wc_status::LOCAL_LENGTH.into()),
        ("IBV_WC_LOC_QP_OP_ERR", wc_status::LOCAL_QP_OPERATION.into()),
        ("IBV_WC_LOC_PROT_ERR", wc_status::LOCAL_PROTECTION.into()),
        ("IBV_WC_WR_FLUSH_ERR", wc_status::FLUSHED.into()),
        ("IBV_WC_BAD_RESP_ERR", wc_status::BAD_RESPONSE.into()),
        ("IBV_WC_LOC_ACCESS_ERR", wc_status::LOCAL_ACCESS.into()),
        ("IBV_WC_REM_ABORT_ERR", wc_status::REMOTE_ABORTED.into()),
        ("IBV_WC_REM_INV_REQ_ERR", wc_status::REMOTE_INVALID_REQUEST.into()),
        ("IBV_WC_REM_ACCESS_ERR", wc_status::REMOTE_ACCESS.into()),
        ("IBV_WC_REM_OP_ERR", wc_status::REMOTE_OPERATION.into()),
        ("IBV_WC_RETRY_EXC_ERR", wc_status::RETRIES_EXCEEDED.into()),
        ("IBV_WC_RNR_RETRY_EXC_ERR", wc_status::RNR_RETRIES_EXCEEDED.into()),
        ("IBV_QP_STATE", attr_mask::STATE as u64),
        ("IBV_QP_ACCESS_FLAGS", attr_mask::ACCESS_FLAGS as u64),
        ("IBV_QP_PKEY_INDEX", attr_mask::PKEY_INDEX as u64),
        ("IBV_QP_PORT", attr_mask::PORT as u64),
        ("IBV_QP_AV", attr_mask::AV as u64),
        ("IBV_QP_PATH_MTU", attr_mask::PATH_MTU as u64),
        ("IBV_QP_TIMEOUT", attr_mask::TIMEOUT as u64),
        ("IBV_QP_RETRY_CNT", attr_mask::RETRY_CNT as u64),
        ("IBV_QP_RNR_RETRY", attr_mask::RNR_RETRY as u64),
        ("IBV_QP_RQ_PSN", attr_mask::RQ_PSN as u64),
        ("IBV_QP_MAX_QP_RD_ATOMIC", attr_mask::MAX_QP_RD_ATOMIC as u64),
        ("IBV_QP_MIN_RNR_TIMER", attr_mask::MIN_RNR_TIMER as u64),
        ("IBV_QP_SQ_PSN", attr_mask::SQ_PSN as u64),
        ("IBV_QP_MAX_DEST_RD_ATOMIC", attr_mask::MAX_DEST_RD_ATOMIC as u64),
        ("IBV_QP_DEST_QPN", attr_mask::DEST_QPN as u64),
        ("IBV_ACCESS_LOCAL_WRITE", access::LOCAL_WRITE.into()),
        ("IBV_ACCESS_REMOTE_WRITE", access::REMOTE_WRITE.into()),
        ("IBV_ACCESS_REMOTE_READ", access::REMOTE_READ.into()),
        ("IBV_ACCESS_REMOTE_ATOMIC", access::REMOTE_ATOMIC.into()),
        ("IBV_ACCESS_RELAXED_ORDERING", access::RELAXED_ORDERING.into()),
        ("IBV_ACCESS_OPTIONAL_RANGE", crate::verbs::base::OPTIONAL_ACCESS.into()),
        // The table grows downwards from the context.
        (from_context!("alloc_parent_domain"), from_end(offset_of!(VerbsContextOps, alloc_parent_domain))),
        (from_context!("dealloc_td"), from_end(offset_of!(VerbsContextOps, dealloc_td))),
        (from_context!("alloc_td"), from_end(offset_of!(VerbsContextOps, alloc_td))),
        (from_context!("sz"), from_end(offset_of!(VerbsContextOps, sz))),
        ("MLX5DV_CONTEXT_FLAGS_DEVX", CONTEXT_FLAGS_DEVX.into()),
        ("MLX5DV_UMEM_MASK_DMABUF", UMEM_MASK_DMABUF),
        ("MLX5DV_OBJ_QP", obj_type::QP),
        ("MLX5DV_OBJ_CQ", obj_type::CQ),
        ("MLX5DV_OBJ_AH", obj_type::AH),
        ("MLX5DV_OBJ_PD", obj_type::PD),
        ("MLX5_IB_UAPI_UAR_ALLOC_TYPE_BF", UarKind::BlueFlame as u64),
        ("MLX5_IB_UAPI_UAR_ALLOC_TYPE_NC", UarKind::NonCached as u64),
    ]
}

/// Returns a line for each size, field and constant: its name and its numbers. Both sides write the same lines.
fn here(layouts: &[Layout]) -> Vec<String> {
    let mut lines = Vec::new();
    for Layout { c, size, fields } in layouts {
        lines.extend(size.map(|size| format!("{c} is {size} bytes")));
        lines.extend(fields.iter().map(|(path, at, size)| format!("{c}.{path} is {size} bytes at {at}")));
    }
    lines.extend(constants().iter().map(|(name, value)| format!("{name} is {value}")));
    lines
}

fn program(layouts: &[Layout]) -> String {
    let mut text =
        "#include <stdio.h>\n#include <stddef.h>\n#include <infiniband/mlx5dv.h>\nint main(void) {\n".to_string();
    for Layout { c, size, fields } in layouts {
        if size.is_some() {
            writeln!(text, "printf(\"{c} is %zu bytes\\n\", sizeof({c}));").unwrap();
        }
        for (path, ..) in fields {
            // `in` is a keyword of Rust.
            let member = path.replace(".input", ".in").replace(".output", ".out");
            writeln!(
                text,
                "printf(\"{c}.{path} is %zu bytes at %zu\\n\", sizeof((({c} *)0)->{member}), offsetof({c}, {member}));"
            )
            .unwrap();
        }
    }
    for (name, _) in constants() {
        writeln!(text, "printf(\"{name} is %llu\\n\", (unsigned long long){name});").unwrap();
    }
    text + "return 0; }\n"
}

/// Returns the folder of the headers: that of `cargo xtask rdma`, or the system's.
pub(super) fn headers() -> Option<PathBuf> {
    let checkout = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| checkout.join("target"), |named| checkout.join(named));
    [target.join("rdma/root/usr/include"), PathBuf::from("/usr/include")]
        .into_iter()
        .find(|folder| folder.join("infiniband/mlx5dv.h").is_file())
}

#[test]
fn every_struct_field_and_constant_is_as_in_the_headers() {
    let layouts: Vec<Layout> = of_verbs().into_iter().chain(of_work()).chain(of_mlx5dv()).collect();
    let Some(headers) = headers() else {
        println!("skipped: infiniband/mlx5dv.h is not here; `cargo xtask rdma` fetches it");
        return;
    };
    let folder = Scratch::new("layout").unwrap();
    let (source, asked) = (folder.join("layout.c"), folder.join("layout"));
    std::fs::write(&source, program(&layouts)).unwrap();
    let compiled = Command::new("cc").arg("-I").arg(&headers).arg(&source).arg("-o").arg(&asked).output();
    let compiled = match compiled {
        Ok(compiled) => compiled,
        Err(error) => return println!("skipped: no C compiler: cc: {error}"),
    };
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let said = Command::new(&asked).output().unwrap().stdout;
    let said = String::from_utf8(said).unwrap();
    let here = here(&layouts);
    assert_eq!(said.lines().count(), here.len());
    let differ: Vec<String> = here
        .iter()
        .zip(said.lines())
        .filter(|(here, there)| here != there)
        .map(|(here, there)| format!("here {here}, but {there}"))
        .collect();
    assert!(differ.is_empty(), "with the headers in {}:\n{}", headers.display(), differ.join("\n"));
}
