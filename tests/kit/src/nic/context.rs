//! Compares `QUERY_QP` of a queue pair made by commands and of one made by verbs, connected alike.

use std::sync::Arc;

use oxshmem_core::host::ErrorKind;
use oxshmem_rdma::mlx5::devx::{Access, Difference, QpContext};

use oxshmem_rdma::devx_qp::MIN_RNR_NAK;
use oxshmem_transport_ibgda::host::IbgdaConfig;
use oxshmem_transport_ibgda::host::for_tests::Nic;

use super::pair::{ConnectedPair, QueueKind};
use crate::report::{Fine, Outcome, noted, skipped, wrong};

const ASKED_DIFFERENTLY: &str = "the command's mailbox has this field in another place than this firmware: report the NIC's \
                                 model and firmware with this line";
const UNLIKE_VERBS: &str = "the kernel's driver sets this otherwise: OXSHMEM_IBGDA_VERBS_TWIN=1 works around it; report \
                            the NIC's model and firmware with this line";

/// The reason why two queue pairs may differ in some fields, and this side's value where it is known.
struct May {
    fields: &'static [&'static str],
    why: &'static str,
    ours: fn(&Nic, &IbgdaConfig) -> Option<u64>,
}

const fn any(_: &Nic, _: &IbgdaConfig) -> Option<u64> {
    None
}

/// All fields that may differ.
const MAY: &[May] = &[
    May {
        fields: &["uar_page", "cqn_snd", "cqn_rcv", "remote_qpn", "user_index"],
        why: "numbers of objects",
        ours: any,
    },
    May {
        fields: &["log_page_size", "page_offset", "dbr_addr", "dbr_umem_id", "dbr_umem_valid"],
        why: "pages and offsets of the queue's memory",
        ours: any,
    },
    May { fields: &["primary.udp_sport"], why: "derived from the queue pairs' numbers in different ways", ours: any },
    May {
        fields: &["xrcd", "srqn_rmpn_xrqn", "cs_res"],
        why: "the kernel's own, for receives, of which there are none",
        ours: |_, _| Some(0),
    },
    May {
        fields: &["primary.tclass"],
        why: "of a global header, which InfiniBand can do without",
        ours: |_, config| Some(config.wire.traffic_class.into()),
    },
    May { fields: &["counter_set_id"], why: "statistics, which the kernel keeps for verbs", ours: |_, _| Some(0) },
    May { fields: &["lag_tx_port_affinity"], why: "on bonded ports verbs takes turns", ours: |_, _| Some(0) },
    May {
        fields: &["log_ack_req_freq"],
        why: "each packet is to be acknowledged, for verbs every 2^8th",
        ours: |_, _| Some(0),
    },
    May {
        fields: &["ts_format"],
        why: "of timestamps that nobody reads",
        ours: |nic, _| Some(nic.caps.timestamp_format().into()),
    },
    May { fields: &["log_msg_max"], why: "no message is longer", ours: |nic, _| Some(nic.caps.log_message().into()) },
    May {
        fields: &["log_rra_max"],
        why: "as responder as many as the NIC can, for verbs as as requester",
        ours: |nic, _| Some(nic.caps.log_rd_atomic().1.into()),
    },
    May {
        fields: &["atomic_mode"],
        why: "words of up to 8 bytes are used, verbs takes the longest that the NIC has",
        ours: |_, _| Some(Access::ALL.atomic_mode.into()),
    },
];

/// Makes both, and compares them before anything is posted.
pub(super) fn compare(nic: &Arc<Nic>, config: &IbgdaConfig) -> Outcome {
    let verbs = ConnectedPair::new(nic, config, &QueueKind::Verbs, config.depth)?;
    let theirs = match verbs.poster.queue().context(nic) {
        Ok(theirs) => theirs,
        Err(error) if error.kind() == ErrorKind::Incompatible => return skipped(error.to_string()),
        Err(error) => return Err(error.into()),
    };
    // With the depth that verbs chose.
    let devx = ConnectedPair::new(nic, config, &QueueKind::Host, verbs.poster.depth() as u32)?;
    let ours = devx.poster.queue().context(nic)?;
    as_asked(nic, config, &devx, &ours)?;
    let outcome = judge(nic, config, &ours, &theirs);
    devx.destroy()?;
    verbs.destroy()?;
    outcome
}

/// Checks that the NIC has the requested values.
fn as_asked(nic: &Nic, config: &IbgdaConfig, devx: &ConnectedPair, ours: &QpContext) -> Fine<()> {
    let params = &devx.params;
    let asked = [
        ("state", 3),
        ("st", 0),
        ("pm_state", 3),
        ("pd", nic.pdn.into()),
        ("mtu", params.mtu.into()),
        ("log_sq_size", devx.poster.depth().ilog2().into()),
        ("rq_type", 3),
        ("remote_qpn", params.remote_qpn.into()),
        ("log_sra_max", params.log_rd_atomic.into()),
        ("retry_count", config.wire.retry_count.into()),
        ("rnr_retry", config.wire.rnr_retry.into()),
        ("min_rnr_nak", MIN_RNR_NAK.into()),
        ("rre", 1),
        ("rwe", 1),
        ("rae", 1),
        ("atomic_mode", Access::ALL.atomic_mode.into()),
        ("log_msg_max", nic.caps.log_message().into()),
        ("primary.ack_timeout", config.wire.ack_timeout.into()),
        ("primary.pkey_index", config.wire.pkey_index.into()),
        ("primary.vhca_port_num", nic.port.number.into()),
    ];
    for (field, value) in asked {
        let found = ours.field(field);
        if found != Some(value) {
            let found = found.map_or("no such field".to_string(), |found| format!("{found:#x}"));
            return Err(wrong(format!("QUERY_QP, {field}"), format!("{value:#x}"), found, ASKED_DIFFERENTLY));
        }
    }
    Ok(())
}

/// Divides the differences into allowed ones and others, which are a failure.
fn judge(nic: &Nic, config: &IbgdaConfig, ours: &QpContext, theirs: &QpContext) -> Outcome {
    let differences = ours.differences(theirs);
    let may = |difference: &Difference| {
        let may = MAY.iter().find(|may| may.fields.contains(&difference.field.as_str()))?;
        (may.ours)(nic, config).is_none_or(|ours| ours == difference.first).then_some(may)
    };
    let others: Vec<String> = differences
        .iter()
        .filter(|difference| may(difference).is_none())
        .map(|Difference { field, first, second }| format!("{field}: {first:#x} by commands, {second:#x} by verbs"))
        .collect();
    if !others.is_empty() {
        let (expected, found) = ("no difference but in numbers and places", others.join("; "));
        return Err(wrong(
            "QUERY_QP of a queue pair made by commands and of one by verbs",
            expected,
            found,
            UNLIKE_VERBS,
        ));
    }
    let mut groups = Vec::new();
    for may in MAY {
        let differs = |field: &&str| differences.iter().any(|difference| difference.field == *field);
        let fields: Vec<&str> = may.fields.iter().copied().filter(differs).collect();
        if !fields.is_empty() {
            groups.push(format!("{} ({})", fields.join(", "), may.why));
        }
    }
    noted(format!("{} fields, of which differ: {}", ours.fields().count(), groups.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fields_that_may_differ_exist_and_are_named_once() {
        let context = QpContext::parse(&[0; 272]).unwrap();
        let mut names: Vec<&str> = MAY.iter().flat_map(|may| may.fields).copied().collect();
        assert!(names.iter().all(|name| context.field(name).is_some()), "{names:?}");
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
