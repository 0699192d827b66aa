//! The part of the table that is about NICs.

use std::net::IpAddr;

use super::choice::digits;
use super::nic::{
    NicAddrFamily, NicBuffers, NicCount, NicDoorbell, NicMapBy, check_hcas, check_mapping, is_mtu, is_name, parse_range,
};
use super::variables::{BOOL, Variable, bit, boolean, is, taken, word};

const ROWS: (u32, u32) = (1, 4096);
const SPARE_ROWS: (u32, u32) = (0, 1 << 16);
const DEPTH: (u32, u32) = (128, 32768);
const PROXY_THREADS: (u32, u32) = (1, 64);
const PROXY_RING_DEPTH: (u32, u32) = (64, 65536);
const GID_INDEX_MAX: u32 = 255;
const MTUS: &str = "auto, 256, 512, 1024, 2048, 4096";
/// As many PEs as a world may have.
const P2P_MAX: u32 = 4096;

/// A variable that is a whole number from `$least` to `$most`.
macro_rules! number {
    ($names:expr, $help:literal, $field:ident: $type:ty, $least:expr, $most:expr) => {
        Variable {
            names: $names,
            help: $help,
            range: || format!("{} to {}", $least, $most),
            set: |config, text| {
                // What has more bits than the field is out of range, whatever the field's largest value means.
                let value = number(text)?;
                taken(<$type>::try_from(value).map_err(|_| too_large(value))?, |value| config.nic.$field = value)
            },
            check: |config| within(config.nic.$field.into(), $least, $most),
            show: |config| Some(config.nic.$field.to_string()),
        }
    };
}

/// A variable that is one of the words of a type.
macro_rules! words {
    ($names:expr, $help:literal, $field:ident: $type:ty) => {
        Variable {
            names: $names,
            help: $help,
            range: || <$type>::WORDS.into(),
            set: |config, text| word(text, <$type>::parse, |value| config.nic.$field = value),
            check: |_| Ok(()),
            show: |config| Some(config.nic.$field.to_string()),
        }
    };
}

/// A variable that is yes or no.
macro_rules! yes_or_no {
    ($names:expr, $help:literal, $config:ident => $($field:tt).+) => {
        Variable {
            names: $names,
            help: $help,
            range: || BOOL.into(),
            set: |$config, text| taken(boolean(text)?, |value| $($field).+ = value),
            check: |_| Ok(()),
            show: |$config| bit($($field).+),
        }
    };
}

pub(super) static NIC_VARIABLES: &[Variable] = &[
    yes_or_no!(
        &["OXSHMEM_DISABLE_P2P", "NVSHMEM_DISABLE_P2P"],
        "Whether PEs reach each other over the NIC alone, also those that could by load and store.",
        config => config.disable_p2p
    ),
    Variable {
        names: &["OXSHMEM_MAX_P2P_GPUS", "NVSHMEM_MAX_P2P_GPUS"],
        help: "How many PEs of a machine reach each other by load and store, as one group; others go over the NIC.",
        range: || format!("none, or 1 to {P2P_MAX}"),
        set: |config, text| {
            let value = if is(text, "none") { None } else { Some(number(text)?) };
            taken(value, |value| config.max_p2p_gpus = value)
        },
        check: |config| config.max_p2p_gpus.map_or(Ok(()), |value| within(value, 1, P2P_MAX)),
        show: |config| Some(config.max_p2p_gpus.map_or("none".into(), |value| value.to_string())),
    },
    number!(
        &["OXSHMEM_IBGDA_NUM_RC_PER_PE", "NVSHMEM_IBGDA_NUM_RC_PER_PE"],
        "Default queue pairs to each PE.",
        rows: u32, ROWS.0, ROWS.1
    ),
    number!(
        &["OXSHMEM_IBGDA_SPARE_ROWS"],
        "Queue pairs to each PE that qp_create can make beside them.",
        spare_rows: u32, SPARE_ROWS.0, SPARE_ROWS.1
    ),
    Variable {
        names: &["OXSHMEM_QP_DEPTH", "NVSHMEM_QP_DEPTH"],
        help: "Basic blocks (64 bytes) of a send queue; where threads of the host post, work requests.",
        range: || format!("a power of two from {} to {}", DEPTH.0, DEPTH.1),
        set: |config, text| taken(number(text)?, |value| config.nic.depth = value),
        check: |config| power_of_two(config.nic.depth, DEPTH),
        show: |config| Some(config.nic.depth.to_string()),
    },
    Variable {
        names: &["OXSHMEM_PROXY_THREADS"],
        help: "Threads of the host that post for kernels, over the transport ibrc; auto: by NICs and cores.",
        range: || format!("auto, or {} to {}", PROXY_THREADS.0, PROXY_THREADS.1),
        set: |config, text| {
            let value = if is(text, "auto") { None } else { Some(number(text)?) };
            taken(value, |value| config.nic.proxy_threads = value)
        },
        check: |config| {
            config.nic.proxy_threads.map_or(Ok(()), |value| within(value, PROXY_THREADS.0, PROXY_THREADS.1))
        },
        show: |config| Some(config.nic.proxy_threads.map_or("auto".into(), |value| value.to_string())),
    },
    yes_or_no!(
        &["OXSHMEM_PROXY_PIN"],
        "Whether such threads stay on the cores near their NIC that the process may use.",
        config => config.nic.proxy_pin
    ),
    Variable {
        names: &["OXSHMEM_PROXY_GUARD_FETCHES"],
        help: "Whether such threads keep reads and atomics apart from writes, on queue pairs of their own, and a fetch that \
               brings nothing is a fault; auto: with NICs that may answer wrongly where packets are lost (Soft-RoCE).",
        range: || format!("auto, {BOOL}"),
        set: |config, text| {
            let value = if is(text, "auto") { None } else { Some(boolean(text)?) };
            taken(value, |value| config.nic.proxy_guard_fetches = value)
        },
        check: |_| Ok(()),
        show: |config| config.nic.proxy_guard_fetches.map_or(Some("auto".into()), bit),
    },
    Variable {
        names: &["OXSHMEM_PROXY_RING_DEPTH"],
        help: "Requests of kernels that a ring to such a thread has room for.",
        range: || format!("a power of two from {} to {}", PROXY_RING_DEPTH.0, PROXY_RING_DEPTH.1),
        set: |config, text| taken(number(text)?, |value| config.nic.proxy_ring_depth = value),
        check: |config| power_of_two(config.nic.proxy_ring_depth, PROXY_RING_DEPTH),
        show: |config| Some(config.nic.proxy_ring_depth.to_string()),
    },
    words!(
        &["OXSHMEM_IBGDA_RC_MAP_BY", "NVSHMEM_IBGDA_RC_MAP_BY"],
        "Which GPU threads share a default queue pair: those of a block, a multiprocessor or a warp.",
        map_by: NicMapBy
    ),
    words!(
        &["OXSHMEM_IBGDA_NIC_HANDLER", "NVSHMEM_IBGDA_NIC_HANDLER"],
        "Who rings the NIC's doorbell.",
        doorbell: NicDoorbell
    ),
    words!(
        &["OXSHMEM_IBGDA_FORCE_NIC_BUF_MEMTYPE", "NVSHMEM_IBGDA_FORCE_NIC_BUF_MEMTYPE"],
        "Where send queues, completions and doorbell records are.",
        buffers: NicBuffers
    ),
    yes_or_no!(
        &["OXSHMEM_IBGDA_VERBS_TWIN"],
        "Whether queue pairs are made by verbs, in host memory, in place of DEVX: to compare, and where DEVX is refused.",
        config => config.nic.verbs_twin
    ),
    Variable {
        names: &["OXSHMEM_IBGDA_DUMP"],
        help: "Whether reads are followed by a dump before their data is trusted; auto: as the GPU needs it.",
        range: || format!("auto, {BOOL}"),
        set: |config, text| {
            let value = if is(text, "auto") { None } else { Some(boolean(text)?) };
            taken(value, |value| config.nic.dump = value)
        },
        check: |_| Ok(()),
        show: |config| config.nic.dump.map_or(Some("auto".into()), bit),
    },
    Variable {
        names: &["OXSHMEM_HCA_LIST", "NVSHMEM_HCA_LIST"],
        help: "Which NICs and ports are used, in this order where they are equally near, or after a ^ which are not.",
        range: || "names, each with :PORT if one is meant, separated by commas; a ^ before them leaves them out".into(),
        set: |config, text| {
            check_hcas(text)?;
            taken(text.to_string(), |value| config.nic.hcas = value)
        },
        check: |config| check_hcas(&config.nic.hcas),
        show: |config| Some(config.nic.hcas.clone()).filter(|text| !text.is_empty()),
    },
    Variable {
        names: &["NVSHMEM_IBGDA_ENABLE_MULTI_PORT", "NVSHMEM_ENABLE_MULTI_PORT"],
        help: "1 stands for OXSHMEM_NICS_PER_PE = nearest.",
        range: || BOOL.into(),
        set: |config, text| {
            if boolean(text)? {
                config.nic.nics_per_pe = NicCount::Nearest;
            }
            Ok(None)
        },
        check: |_| Ok(()),
        show: |_| None,
    },
    Variable {
        names: &["OXSHMEM_NICS_PER_PE"],
        help: "NICs that a PE uses, the nearest first; auto: one, or its part of the nearest where there are more than PEs.",
        range: || format!("auto, nearest (all that are equally near), or 1 to {}", NicCount::MOST),
        set: |config, text| word(text, NicCount::parse, |value| config.nic.nics_per_pe = value),
        check: |config| match config.nic.nics_per_pe {
            NicCount::Count(count) => within(count, 1, NicCount::MOST),
            NicCount::Auto | NicCount::Nearest => Ok(()),
        },
        show: |config| Some(config.nic.nics_per_pe.to_string()),
    },
    yes_or_no!(
        &["OXSHMEM_ENABLE_NIC_PE_MAPPING", "NVSHMEM_ENABLE_NIC_PE_MAPPING"],
        "Whether NICs are dealt out to the PEs of a machine in turn, however far they are.",
        config => config.nic.round_robin
    ),
    Variable {
        names: &["OXSHMEM_HCA_PE_MAPPING", "NVSHMEM_HCA_PE_MAPPING"],
        help: "Which NIC and port the PEs of a machine use: so many of them the first, so many after them the second.",
        range: || "NAME:PORT:PES, separated by commas".into(),
        set: |config, text| {
            check_mapping(text)?;
            taken(text.to_string(), |value| config.nic.hca_pe_mapping = value)
        },
        check: |config| check_mapping(&config.nic.hca_pe_mapping),
        show: |config| Some(config.nic.hca_pe_mapping.clone()).filter(|text| !text.is_empty()),
    },
    Variable {
        names: &["OXSHMEM_HCA_PREFIX", "NVSHMEM_HCA_PREFIX"],
        help: "What the name of a NIC begins with for it to be used.",
        range: || "the beginning of a name".into(),
        set: |config, text| taken(text.to_string(), |value| config.nic.hca_prefix = value),
        check: |config| match is_name(&config.nic.hca_prefix) {
            true => Ok(()),
            false => Err("no name of a NIC begins so".into()),
        },
        show: |config| Some(config.nic.hca_prefix.clone()).filter(|text| !text.is_empty()),
    },
    Variable {
        names: &["OXSHMEM_IB_GID_INDEX", "NVSHMEM_IB_GID_INDEX"],
        help: "Entry of the port's GID table; auto: by RoCE version and address family.",
        range: || format!("auto, -1 for the same, or 0 to {GID_INDEX_MAX}"),
        set: |config, text| {
            let value = if is(text, "auto") || text == "-1" { None } else { Some(number(text)?) };
            taken(value, |value| config.nic.gid_index = value)
        },
        check: |config| config.nic.gid_index.map_or(Ok(()), |value| within(value, 0, GID_INDEX_MAX)),
        show: |config| Some(config.nic.gid_index.map_or("auto".into(), |value| value.to_string())),
    },
    number!(
        &["OXSHMEM_IB_ROCE_VERSION_NUM", "NVSHMEM_IB_ROCE_VERSION_NUM"],
        "RoCE on Ethernet frames (1) or on UDP (2).",
        roce_version: u8, 1, 2
    ),
    words!(
        &["OXSHMEM_IB_ADDR_FAMILY", "NVSHMEM_IB_ADDR_FAMILY"],
        "Which addresses of a RoCE port are preferred.",
        addr_family: NicAddrFamily
    ),
    Variable {
        names: &["OXSHMEM_IB_ADDR_RANGE", "NVSHMEM_IB_ADDR_RANGE"],
        help: "Addresses of a RoCE port outside this range are not used.",
        range: || "any, or an address and how many of its first bits count, as 10.1.0.0/16 or fd00::/8".into(),
        set: |config, text| {
            if is(text, "any") {
                return taken(None, |value| config.nic.addr_range = value);
            }
            let value = parse_range(text).ok_or("it is not an address with a number of bits")?;
            // What holds for every address of every family is no range.
            let every = value.1 == 0 && value.0.is_ipv6();
            taken(Some(value).filter(|_| !every), |value| config.nic.addr_range = value)
        },
        check: |config| match config.nic.addr_range {
            Some((IpAddr::V4(_), bits)) => within(bits.into(), 0, 32),
            Some((IpAddr::V6(_), bits)) => within(bits.into(), 0, 128),
            None => Ok(()),
        },
        show: |config| Some(config.nic.addr_range.map_or("any".into(), |(address, bits)| format!("{address}/{bits}"))),
    },
    number!(
        &["OXSHMEM_IB_TRAFFIC_CLASS", "NVSHMEM_IB_TRAFFIC_CLASS"],
        "Traffic class; its upper six bits are the DSCP on RoCE.",
        traffic_class: u8, 0, 255
    ),
    number!(
        &["OXSHMEM_IB_SL", "NVSHMEM_IB_SL"],
        "Service level; the priority on RoCE.",
        service_level: u8, 0, 15
    ),
    number!(
        &["OXSHMEM_IB_PKEY_INDEX", "NVSHMEM_IB_PKEY_INDEX"],
        "Entry of the port's partition table.",
        pkey_index: u16, 0, 65535
    ),
    number!(
        &["OXSHMEM_IB_TIMEOUT", "NVSHMEM_IB_TIMEOUT"],
        "How long to wait for an ACK: 4.096 us * 2^this; 0: for ever.",
        ack_timeout: u8, 0, 31
    ),
    number!(
        &["OXSHMEM_IB_RETRY_CNT", "NVSHMEM_IB_RETRY_CNT"],
        "Retries when no ACK comes.",
        retry_count: u8, 0, 7
    ),
    number!(
        &["OXSHMEM_IB_RNR_RETRY"],
        "Retries when the peer is not ready; 7: for ever.",
        rnr_retry: u8, 0, 7
    ),
    Variable {
        names: &["OXSHMEM_IB_MTU"],
        help: "Bytes of a packet's data; auto: the most that both ports have.",
        range: || MTUS.into(),
        set: |config, text| {
            let value = if is(text, "auto") { None } else { Some(number(text)?) };
            taken(value, |value| config.nic.mtu_bytes = value)
        },
        check: |config| match config.nic.mtu_bytes {
            Some(bytes) if !is_mtu(bytes) => Err(format!("packets don't have {bytes} bytes of data")),
            _ => Ok(()),
        },
        show: |config| Some(config.nic.mtu_bytes.map_or("auto".into(), |bytes| bytes.to_string())),
    },
    yes_or_no!(
        &["OXSHMEM_IB_UDP_SPORT"],
        "Whether each queue pair has a UDP source port of its own (RoCE v2), so that switches spread them.",
        config => config.nic.udp_sport_spread
    ),
    Variable {
        names: &["OXSHMEM_IB_DISABLE_DMABUF", "NVSHMEM_IB_DISABLE_DMABUF"],
        help: "Whether GPU memory is not shared with the NIC by dma-buf, but by nvidia-peermem.",
        range: || BOOL.into(),
        set: |config, text| taken(boolean(text)?, |value| config.nic.dmabuf = !value),
        check: |_| Ok(()),
        show: |config| bit(!config.nic.dmabuf),
    },
    yes_or_no!(
        &["OXSHMEM_IB_ENABLE_RELAXED_ORDERING", "NVSHMEM_IB_ENABLE_RELAXED_ORDERING"],
        "Whether writes to the heap may arrive in any order; a fence is a quiet then.",
        config => config.nic.relaxed_ordering
    ),
];

fn number(text: &str) -> Result<u32, String> {
    digits(text).filter(|_| !text.is_empty()).ok_or_else(|| "it is not a whole number of 32 bits".into())
}

fn within(value: u32, least: u32, most: u32) -> Result<(), String> {
    match value {
        _ if value < least => Err(format!("{value} is too small")),
        _ if value > most => Err(too_large(value)),
        _ => Ok(()),
    }
}

fn power_of_two(value: u32, (least, most): (u32, u32)) -> Result<(), String> {
    within(value, least, most)?;
    if value.is_power_of_two() { Ok(()) } else { Err("it is not a power of two".into()) }
}

fn too_large(value: u32) -> String {
    format!("{value} is too large")
}
