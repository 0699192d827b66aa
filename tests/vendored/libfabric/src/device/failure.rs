//! Failures: error numbers of libfabric and of its providers as statuses.

use oxshmem_rdma::fabric::Status;

use crate::libfabric::ffi::{FI_ENOKEY, FI_ENORX, FI_ETRUNC};

/// The reason of a failure: its status, and libfabric's error number.
pub(super) type Failure = (Status, u32);

/// Returns the status of an error number of libfabric's.
pub(super) fn status(errno: i32) -> Status {
    match errno {
        libc::ENOTCONN
        | libc::ECONNREFUSED
        | libc::ECONNRESET
        | libc::ECONNABORTED
        | libc::ESHUTDOWN
        | libc::ETIMEDOUT
        | libc::EHOSTDOWN
        | libc::EHOSTUNREACH
        | libc::ENETDOWN
        | libc::ENETUNREACH
        | libc::EPIPE
        | libc::EIO => Status::PeerGone,
        FI_ENORX => Status::NotReady,
        // The target refuses a key or a range by ending the connection, which cancels the operations in flight.
        libc::ECANCELED => Status::PeerAborted,
        libc::EACCES | libc::EPERM | FI_ENOKEY | libc::ENOKEY | libc::EKEYREJECTED => Status::RemoteAccess,
        libc::EREMOTEIO => Status::RemoteOperation,
        libc::EMSGSIZE | FI_ETRUNC => Status::Length,
        libc::EINVAL => Status::Endpoint,
        _ => Status::Device,
    }
}

/// Returns the status of a completion with error number `errno` and the provider's number `own`. The provider `verbs`
/// reports each failure as EIO; its number is the `ibv_wc_status`, in which "receiver not ready" has a value of its
/// own.
pub(super) fn completion_status(provider: &str, errno: i32, own: i32) -> Status {
    if !provider.starts_with("verbs") || errno != libc::EIO {
        return status(errno);
    }
    // Source: `enum ibv_wc_status` of <infiniband/verbs.h>.
    match own {
        1 => Status::Length,
        2 => Status::Endpoint,
        4 => Status::LocalProtection,
        7 => Status::BadResponse,
        8 => Status::LocalAccess,
        9 => Status::RemoteRequest,
        10 => Status::RemoteAccess,
        11 => Status::RemoteOperation,
        13 => Status::NotReady,
        16 => Status::PeerAborted,
        _ => Status::PeerGone,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receiver_that_is_not_ready_is_told_from_a_peer_that_is_gone() {
        for (provider, errno, own, expected) in [
            ("efa", FI_ENORX, 0, Status::NotReady),
            ("tcp;ofi_rxm", FI_ENORX, 0, Status::NotReady),
            ("verbs;ofi_rxm", libc::EIO, 13, Status::NotReady),
            ("verbs;ofi_rxm", libc::EIO, 12, Status::PeerGone),
            ("verbs;ofi_rxm", libc::ECANCELED, 5, Status::PeerAborted),
            // The number 13 is verbs' own.
            ("tcp;ofi_rxm", libc::EIO, 13, Status::PeerGone),
            ("tcp;ofi_rxm", libc::ECONNRESET, 13, Status::PeerGone),
        ] {
            assert_eq!(completion_status(provider, errno, own), expected, "{provider}: {errno}, {own}");
        }
        assert_eq!(status(libc::EAGAIN), Status::Device, "a full queue is no receiver that is not ready");
    }

    #[test]
    fn each_kind_of_error_number_has_the_status_on_which_faults_rest() {
        let disconnects = [libc::ENOTCONN, libc::ECONNREFUSED, libc::ECONNRESET, libc::ESHUTDOWN, libc::ETIMEDOUT];
        assert!(disconnects.into_iter().all(|errno| status(errno) == Status::PeerGone));
        assert!([libc::EACCES, FI_ENOKEY].into_iter().all(|errno| status(errno) == Status::RemoteAccess));
        assert_eq!([libc::EMSGSIZE, FI_ETRUNC].map(status), [Status::Length; 2]);
        let verbs = [4, 9, 10].map(|own| completion_status("verbs", libc::EIO, own));
        assert_eq!(verbs, [Status::LocalProtection, Status::RemoteRequest, Status::RemoteAccess]);
    }
}
