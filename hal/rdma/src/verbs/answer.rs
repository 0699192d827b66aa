//! Turns answers of libibverbs and libmlx5 into errors.

use std::io;

use oxshmem_core::host::{Error, ErrorKind};

/// Returns the error "cannot `action`" of a call that answered with this errno, with advice if there is any for it.
pub(crate) fn error(action: impl Into<String>, call: &'static str, errno: i32) -> Error {
    let error = Error::new(kind(errno), action).call(call, i64::from(errno), words(errno));
    match hint(call, errno) {
        Some(hint) => error.hint(hint),
        None => error,
    }
}

/// Returns the errno of this thread's last call.
pub(crate) fn last_errno() -> i32 {
    io::Error::last_os_error().raw_os_error().unwrap_or(0)
}

/// Returns the errno of an answer. Some calls of these libraries return it, some return it negated, and some return -1
/// and set it.
pub(crate) fn errno_of(answer: i32) -> i32 {
    match answer {
        -1 => last_errno(),
        answer => answer.abs(),
    }
}

fn words(errno: i32) -> String {
    let text = io::Error::from_raw_os_error(errno).to_string();
    text.split(" (os error").next().unwrap_or_default().to_string()
}

const fn kind(errno: i32) -> ErrorKind {
    match errno {
        libc::EPERM | libc::EACCES => ErrorKind::Refused,
        libc::ENOMEM | libc::EAGAIN | libc::ENOSPC | libc::EMFILE => ErrorKind::Exhausted,
        libc::EINVAL | libc::EFAULT => ErrorKind::InvalidArgument,
        libc::ENODEV | libc::ENOENT | libc::ENXIO | libc::ENOSYS => ErrorKind::NotFound,
        libc::EOPNOTSUPP | libc::EPROTONOSUPPORT => ErrorKind::Incompatible,
        libc::ETIMEDOUT => ErrorKind::Timeout,
        libc::EHOSTUNREACH | libc::ENETUNREACH => ErrorKind::Unreachable,
        _ => ErrorKind::System,
    }
}

/// The advice if too little memory may be locked.
pub(super) const MEMLOCK: &str = "the limit of locked memory may be too low: `ulimit -l unlimited`, for good in \
    /etc/security/limits.conf, in a container --ulimit memlock=-1";

fn hint(call: &str, errno: i32) -> Option<&'static str> {
    Some(match (call, errno) {
        ("ibv_get_device_list", libc::ENOSYS) => {
            "the kernel has no verbs. With a NIC: modprobe ib_uverbs mlx5_ib. Without one: `cargo oxshmem run --nic \
             soft -- PROGRAM` (in oxshmem's checkout `cargo xtask run`) has one in software"
        }
        ("mlx5dv_open_device" | "ibv_open_device", libc::EPERM | libc::EACCES) => {
            "this user must be able to read and write /dev/infiniband/uverbs*: in a container --device=/dev/infiniband, \
             else check the files' group and mode"
        }
        ("mlx5dv_open_device" | "ibv_open_device", libc::ENOENT | libc::ENODEV | libc::ENXIO) => {
            "there is no file in /dev/infiniband for it: modprobe ib_uverbs; in a container --device=/dev/infiniband"
        }
        ("mlx5dv_open_device", libc::EOPNOTSUPP | libc::EINVAL) => {
            "its driver or firmware has no DEVX: Linux 4.20 or later, and a NIC of ConnectX-5 or later with \
             UCTX_EN=1 (mlxconfig)"
        }
        ("ibv_reg_mr" | "ibv_reg_mr_iova2" | "mlx5dv_devx_umem_reg" | "mlx5dv_devx_umem_reg_ex", libc::ENOMEM) => {
            MEMLOCK
        }
        ("ibv_reg_mr" | "ibv_reg_mr_iova2" | "mlx5dv_devx_umem_reg", libc::EFAULT) => {
            "nothing is mapped at the address that the kernel can pin; memory of a GPU needs the module nvidia-peermem"
        }
        ("ibv_reg_mr_iova2" | "ibv_reg_dmabuf_mr", libc::EINVAL) => {
            "the address that others use must be at the same place in a page as the memory is"
        }
        ("ibv_reg_dmabuf_mr" | "mlx5dv_devx_umem_reg_ex", libc::EOPNOTSUPP | libc::EPROTONOSUPPORT | libc::ENOTTY) => {
            "no dma-buf here: it needs Linux 5.12 or later for memory (6.1 or later for queues), NVIDIA's open kernel \
             modules, and rdma-core 41 or later"
        }
        ("ibv_create_qp" | "ibv_create_cq", libc::ENOMEM) => {
            "the device's queues are used up by this and other programs, or `ulimit -l` is too low for their memory: ask \
             for fewer or shallower ones"
        }
        ("ibv_create_qp" | "ibv_create_cq", libc::EINVAL) => {
            "it is more than the device has (`ibv_devinfo -v`): lower OXSHMEM_QP_DEPTH"
        }
        ("ibv_modify_qp", libc::EINVAL) => {
            "the device takes no such parameters: OXSHMEM_IB_* set them, `ibv_devinfo -v` shows what its port has"
        }
        ("ibv_modify_qp", libc::ETIMEDOUT | libc::EHOSTUNREACH | libc::ENETUNREACH | libc::ENODEV | libc::ENXIO) => {
            "the kernel finds no way to the peer's address: check that the port is up, the route and `ip neigh`, and that \
             both ends chose GIDs of one network (OXSHMEM_IB_GID_INDEX)"
        }
        ("ibv_dealloc_pd" | "mlx5dv_devx_umem_dereg" | "mlx5dv_devx_obj_destroy", libc::EBUSY) => {
            "something that was made with it is still there, and goes first"
        }
        ("ibv_create_ah", libc::EHOSTUNREACH | libc::ENETUNREACH | libc::ETIMEDOUT | libc::EINVAL) => {
            "the kernel can't resolve the peer's Ethernet address: check the route and `ip neigh`, and that both ends \
             chose GIDs of one kind"
        }
        ("mlx5dv_devx_alloc_uar", libc::EOPNOTSUPP) => {
            "this libmlx5 or kernel is too old for pages of this kind; one of another kind will do"
        }
        ("mlx5dv_devx_alloc_uar", libc::ENOMEM | libc::ENOSPC) => {
            "the NIC's pages of doorbell registers are used up by this and other processes"
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_becomes_an_error_with_the_call_its_code_and_advice() {
        let error = error("register 4096 bytes on mlx5_0", "ibv_reg_mr", libc::ENOMEM);
        assert_eq!((error.kind(), error.code()), (ErrorKind::Exhausted, Some(12)));
        let text = error.to_string();
        for part in
            ["cannot register 4096 bytes on mlx5_0", "(ibv_reg_mr returned 12: Cannot allocate memory)", "ulimit -l"]
        {
            assert!(text.contains(part), "{part} in: {text}");
        }
    }

    #[test]
    fn an_errno_is_found_whichever_way_a_call_gives_it() {
        assert_eq!((errno_of(22), errno_of(-22)), (22, 22));
    }

    #[test]
    fn an_answer_that_nothing_is_known_about_has_no_hint() {
        assert_eq!(
            error("ask", "ibv_query_port", libc::EIO).to_string(),
            "cannot ask (ibv_query_port returned 5: Input/output error)"
        );
    }
}
