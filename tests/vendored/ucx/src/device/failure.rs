//! Failures: statuses of UCX as statuses of requests.

use oxshmem_rdma::fabric::Status;

use crate::ucp::ffi::{
    UCS_ERR_CANCELED, UCS_ERR_CONNECTION_RESET, UCS_ERR_EXCEEDS_LIMIT, UCS_ERR_FIRST_ENDPOINT_FAILURE,
    UCS_ERR_FIRST_LINK_FAILURE, UCS_ERR_INVALID_ADDR, UCS_ERR_INVALID_PARAM, UCS_ERR_IO_ERROR,
    UCS_ERR_LAST_ENDPOINT_FAILURE, UCS_ERR_LAST_LINK_FAILURE, UCS_ERR_NOT_CONNECTED, UCS_ERR_REJECTED,
    UCS_ERR_TIMED_OUT, UCS_ERR_UNREACHABLE, UCS_ERR_UNSUPPORTED, ucs_status_t,
};

/// The reason of a failure: its status, and UCX's own, which is 0 if UCX has no part in it.
pub(super) type Failure = (Status, ucs_status_t);

/// Returns the failure of an operation that UCX has ended with a status.
pub(super) fn of(status: ucs_status_t) -> Failure {
    let meaning = match status {
        UCS_ERR_CONNECTION_RESET
        | UCS_ERR_NOT_CONNECTED
        | UCS_ERR_REJECTED
        | UCS_ERR_TIMED_OUT
        | UCS_ERR_UNREACHABLE
        // A NIC's error completion and a broken socket have this status in common, and both end the connection.
        | UCS_ERR_IO_ERROR
        | UCS_ERR_LAST_LINK_FAILURE..=UCS_ERR_FIRST_LINK_FAILURE
        | UCS_ERR_LAST_ENDPOINT_FAILURE..=UCS_ERR_FIRST_ENDPOINT_FAILURE => Status::PeerGone,
        UCS_ERR_CANCELED => Status::PeerAborted,
        UCS_ERR_EXCEEDS_LIMIT => Status::Length,
        UCS_ERR_INVALID_PARAM | UCS_ERR_INVALID_ADDR | UCS_ERR_UNSUPPORTED => Status::Endpoint,
        _ => Status::Device,
    };
    (meaning, status)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_status_of_a_lost_peer_says_so_and_others_do_not() {
        for status in [-3, -6, -20, -23, -24, -25, -40, -59, -60, -80, -89] {
            assert_eq!(of(status), (Status::PeerGone, status));
        }
        assert_eq!(of(UCS_ERR_CANCELED).0, Status::PeerAborted);
        assert_eq!([-5, -7, -22].map(|status| of(status).0), [Status::Endpoint; 3]);
        assert_eq!([-1, -4, -39, -90].map(|status| of(status).0), [Status::Device; 4]);
    }
}
