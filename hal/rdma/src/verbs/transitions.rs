//! The transitions of a queue pair from RESET to RTS, as attributes and in words.

use core::ffi::c_int;
use std::mem::MaybeUninit;

use super::ffi::{IbvAhAttr, IbvQpAttr, attr_mask as mask, qp_state};
use crate::hca::{AhAttr, VerbsConnect, access};
use crate::wire::mtu_bytes;

/// Returns the steps in order: the state, the attributes and their mask. The peer gets all access rights.
pub(super) fn to_rts(to: &VerbsConnect, ah_attr: IbvAhAttr) -> [(&'static str, IbvQpAttr, c_int); 3] {
    // SAFETY: every field is a number or an array of numbers, for which zeros are a value.
    let zero: IbvQpAttr = unsafe { MaybeUninit::zeroed().assume_init() };
    let init = IbvQpAttr {
        qp_state: qp_state::INIT,
        pkey_index: to.pkey_index,
        port_num: to.ah.port,
        qp_access_flags: access::LOCAL_WRITE | access::REMOTE_WRITE | access::REMOTE_READ | access::REMOTE_ATOMIC,
        ..zero
    };
    let rtr = IbvQpAttr {
        qp_state: qp_state::RTR,
        path_mtu: to.mtu.into(),
        dest_qp_num: to.remote_qpn,
        ah_attr,
        max_dest_rd_atomic: to.rd_atomic,
        min_rnr_timer: to.min_rnr_timer,
        ..zero
    };
    let rts = IbvQpAttr {
        qp_state: qp_state::RTS,
        timeout: to.timeout,
        retry_cnt: to.retry_cnt,
        rnr_retry: to.rnr_retry,
        max_rd_atomic: to.rd_atomic,
        ..zero
    };
    [
        ("INIT", init, mask::STATE | mask::PKEY_INDEX | mask::PORT | mask::ACCESS_FLAGS),
        (
            "RTR",
            rtr,
            mask::STATE
                | mask::AV
                | mask::PATH_MTU
                | mask::DEST_QPN
                | mask::RQ_PSN
                | mask::MAX_DEST_RD_ATOMIC
                | mask::MIN_RNR_TIMER,
        ),
        (
            "RTS",
            rts,
            mask::STATE | mask::TIMEOUT | mask::RETRY_CNT | mask::RNR_RETRY | mask::SQ_PSN | mask::MAX_QP_RD_ATOMIC,
        ),
    ]
}

/// Describes the parameters that a queue pair was to have in a state.
pub(super) fn parameters(to: &VerbsConnect, state: &str) -> String {
    let AhAttr { port, dlid, sl, global, hop_limit, traffic_class } = to.ah;
    match state {
        "INIT" => format!("with port {port}, entry {} of the partition table", to.pkey_index),
        "RTR" => {
            let route = global.map_or(format!("LID {dlid}"), |(gid, index)| {
                let gid = std::net::Ipv6Addr::from(gid);
                // RoCE has none.
                let lid = if dlid == 0 { String::new() } else { format!(", LID {dlid}") };
                format!("GID {gid} from entry {index} of its own table{lid}, hop limit {hop_limit}")
            });
            format!(
                "toward queue pair {:#x} at {route}; service level {sl}, traffic class {traffic_class}, packets of {} bytes, \
                 {} reads and atomics answered",
                to.remote_qpn,
                mtu_bytes(to.mtu),
                to.rd_atomic
            )
        }
        _ => format!(
            "with timeout {}, {} retries, {} RNR retries, {} reads and atomics outstanding",
            to.timeout, to.retry_cnt, to.rnr_retry, to.rd_atomic
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_transition_is_reported_with_the_parameters_of_the_queue_pair() {
        let gid = std::net::Ipv4Addr::new(10, 0, 0, 2).to_ipv6_mapped().octets();
        let ah = AhAttr { port: 1, dlid: 7, sl: 3, global: Some((gid, 4)), hop_limit: 255, traffic_class: 106 };
        let to = VerbsConnect {
            ah,
            remote_qpn: 0x11,
            mtu: 3,
            pkey_index: 2,
            timeout: 20,
            retry_cnt: 7,
            rnr_retry: 6,
            rd_atomic: 16,
            min_rnr_timer: 12,
        };
        assert_eq!(parameters(&to, "INIT"), "with port 1, entry 2 of the partition table");
        assert_eq!(
            parameters(&to, "RTR"),
            "toward queue pair 0x11 at GID ::ffff:10.0.0.2 from entry 4 of its own table, LID 7, hop limit 255; service \
             level 3, traffic class 106, packets of 1024 bytes, 16 reads and atomics answered"
        );
        let parts = "with timeout 20, 7 retries, 6 RNR retries, 16 reads and atomics outstanding";
        assert_eq!(parameters(&to, "RTS"), parts);
        let infiniband = VerbsConnect { ah: AhAttr { global: None, ..ah }, ..to };
        assert!(parameters(&infiniband, "RTR").contains("at LID 7; service level 3"));
    }
}
