//! The settings that all transports over NICs share.

use std::net::{IpAddr, Ipv6Addr};

use oxshmem_raw::nic_params::{AddrFamily, AddrRange, HcaList, HcaMapping, MAX_NICS, NicCount, RoceVersion};
use oxshmem_raw::settings::{FLAG_FORMS, NOT_A_WORD, Refusal, parse_flag, parse_number, power_of_two, within};
use oxshmem_raw::transport::{Connect, MapBy};

use super::field::{ConfigField, bit, is, taken};
use super::note::shortened;

const ROWS: (u32, u32) = (1, 4096);
const SPARE_ROWS: (u32, u32) = (0, 1 << 16);
const DEPTH: (u32, u32) = (128, 32768);
const GID_INDEX_MAX: u32 = 255;
const MTUS: &str = "auto, 256, 512, 1024, 2048, 4096";
/// The largest number of PEs of a world.
const P2P_MAX: u32 = 4096;

/// A choice, and the words for it; the first is shown.
type WordTable<T> = [(T, &'static [&'static str])];

const MAP_BY: &WordTable<MapBy> = &[(MapBy::Cta, &["cta"]), (MapBy::Sm, &["sm"]), (MapBy::Warp, &["warp"])];
const CONNECTS: &WordTable<Connect> = &[(Connect::Bulk, &["bulk"]), (Connect::Lazy, &["lazy"])];
const ADDR_FAMILIES: &WordTable<AddrFamily> =
    &[(AddrFamily::Ipv4, &["AF_INET", "inet", "ipv4"]), (AddrFamily::Ipv6, &["AF_INET6", "inet6", "ipv6"])];

/// A setting that is a whole number from `$least` to `$most`.
macro_rules! number {
    ($names:expr, $help:literal, $($field:ident).+: $type:ty, $least:expr, $most:expr) => {
        ConfigField {
            names: $names,
            help: $help,
            range: || format!("{} to {}", $least, $most),
            set: |config, text| {
                // A number with more bits than the field is out of range, even if the field's largest value has a
                // special meaning.
                let value = parse_number(text)?;
                let fits = <$type>::try_from(value).map_err(|_| Refusal::range(format!("{value} is too large")))?;
                taken(fits, |value| config.nic.$($field).+ = value)
            },
            check: |config| within(config.nic.$($field).+.into(), $least, $most),
            show: |config| Some(config.nic.$($field).+.to_string()),
        }
    };
}

/// A setting that is one of a few words.
macro_rules! words {
    ($names:expr, $help:literal, $words:expr, $($field:ident).+) => {
        ConfigField {
            names: $names,
            help: $help,
            range: || $words.iter().map(|(_, words)| words[0]).collect::<Vec<_>>().join(", "),
            set: |config, text| taken(meaning($words, text)?, |value| config.nic.$($field).+ = value),
            check: |_| Ok(()),
            show: |config| word_for($words, config.nic.$($field).+),
        }
    };
}

/// A setting that is on or off.
macro_rules! yes_or_no {
    ($names:expr, $help:literal, $config:ident => $($field:tt).+) => {
        ConfigField {
            names: $names,
            help: $help,
            range: || FLAG_FORMS.into(),
            set: |$config, text| taken(parse_flag(text)?, |value| $($field).+ = value),
            check: |_| Ok(()),
            show: |$config| bit($($field).+),
        }
    };
}

pub(super) static NIC_VARIABLES: &[ConfigField] = &[
    yes_or_no!(
        &["OXSHMEM_DISABLE_P2P", "NVSHMEM_DISABLE_P2P"],
        "Whether PEs reach each other over the NIC alone, also those that could by load and store.",
        config => config.disable_p2p
    ),
    ConfigField {
        names: &["OXSHMEM_MAX_P2P_GPUS", "NVSHMEM_MAX_P2P_GPUS"],
        help: "How many PEs of a machine reach each other by load and store, as one group; others go over the NIC.",
        range: || format!("none, or 1 to {P2P_MAX}"),
        set: |config, text| {
            let value = if is(text, "none") { None } else { Some(parse_number(text)?) };
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
        &["OXSHMEM_SPARE_QPS"],
        "Queue pairs to each PE that qp_create can make beside them.",
        spare_rows: u32, SPARE_ROWS.0, SPARE_ROWS.1
    ),
    words!(
        &["OXSHMEM_QP_CONNECT"],
        "When queue pairs are connected: all when they are made, or each when it is first used.",
        CONNECTS,
        connect
    ),
    ConfigField {
        names: &["OXSHMEM_QP_DEPTH", "NVSHMEM_QP_DEPTH"],
        help: "Basic blocks (64 bytes) of a send queue; where threads of the host post, work requests.",
        range: || format!("a power of two from {} to {}", DEPTH.0, DEPTH.1),
        set: |config, text| taken(parse_number(text)?, |value| config.nic.depth = value),
        check: |config| power_of_two(config.nic.depth, DEPTH.0, DEPTH.1),
        show: |config| Some(config.nic.depth.to_string()),
    },
    words!(
        &["OXSHMEM_IBGDA_RC_MAP_BY", "NVSHMEM_IBGDA_RC_MAP_BY"],
        "Which GPU threads share a default queue pair: those of a block, a multiprocessor or a warp.",
        MAP_BY,
        map_by
    ),
    ConfigField {
        names: &["OXSHMEM_HCA_LIST", "NVSHMEM_HCA_LIST"],
        help: "Which NICs and ports are used, in this order where they are equally near, or after a ^ which are not.",
        range: || "names, each with :PORT if one is meant, separated by commas; a ^ before them leaves them out".into(),
        set: |config, text| {
            taken(HcaList::parse(text).map_err(|why| shortened(&why))?, |list| config.nic.nics.hcas = list)
        },
        check: |_| Ok(()),
        show: |config| Some(config.nic.nics.hcas.to_string()).filter(|text| !text.is_empty()),
    },
    ConfigField {
        names: &["NVSHMEM_IBGDA_ENABLE_MULTI_PORT", "NVSHMEM_ENABLE_MULTI_PORT"],
        help: "1 stands for OXSHMEM_NICS_PER_PE = nearest.",
        range: || FLAG_FORMS.into(),
        set: |config, text| {
            if parse_flag(text)? {
                config.nic.nics.count = NicCount::Nearest;
            }
            Ok(None)
        },
        check: |_| Ok(()),
        show: |_| None,
    },
    ConfigField {
        names: &["OXSHMEM_NICS_PER_PE"],
        help: "NICs that a PE uses, the nearest first; auto: one, or its part of the nearest where there are more than PEs.",
        range: || format!("auto, nearest (all that are equally near), or 1 to {}", MAX_NICS),
        set: |config, text| {
            let count = match text {
                _ if is(text, "auto") => NicCount::Auto,
                _ if is(text, "nearest") => NicCount::Nearest,
                _ => NicCount::Count(parse_number(text).map_err(|_| NOT_A_WORD)?),
            };
            taken(count, |count| config.nic.nics.count = count)
        },
        check: |config| match config.nic.nics.count {
            NicCount::Count(count) => within(count, 1, MAX_NICS),
            NicCount::Auto | NicCount::Nearest => Ok(()),
        },
        show: |config| {
            Some(match config.nic.nics.count {
                NicCount::Auto => "auto".into(),
                NicCount::Nearest => "nearest".into(),
                NicCount::Count(count) => count.to_string(),
            })
        },
    },
    yes_or_no!(
        &["OXSHMEM_ENABLE_NIC_PE_MAPPING", "NVSHMEM_ENABLE_NIC_PE_MAPPING"],
        "Whether NICs are dealt out to the PEs of a machine in turn, however far they are.",
        config => config.nic.nics.round_robin
    ),
    ConfigField {
        names: &["OXSHMEM_HCA_PE_MAPPING", "NVSHMEM_HCA_PE_MAPPING"],
        help: "Which NIC and port successive groups of a machine's PEs use.",
        range: || "NAME:PORT:PES, separated by commas".into(),
        set: |config, text| {
            taken(HcaMapping::parse(text).map_err(|why| shortened(&why))?, |mapping| config.nic.nics.mapping = mapping)
        },
        check: |_| Ok(()),
        show: |config| Some(config.nic.nics.mapping.to_string()).filter(|text| !text.is_empty()),
    },
    ConfigField {
        names: &["OXSHMEM_HCA_PREFIX", "NVSHMEM_HCA_PREFIX"],
        help: "The beginning of the names of the NICs that may be used.",
        range: || "the beginning of a name".into(),
        set: |config, text| taken(Some(text.to_string()), |value| config.nic.nics.prefix = value),
        check: |config| match config.nic.nics.prefix.as_deref().is_none_or(can_begin_a_name) {
            true => Ok(()),
            false => Err("no name of a NIC begins so".into()),
        },
        show: |config| config.nic.nics.prefix.clone(),
    },
    ConfigField {
        names: &["OXSHMEM_IB_GID_INDEX", "NVSHMEM_IB_GID_INDEX"],
        help: "Entry of the port's GID table; auto: by RoCE version and address family.",
        range: || format!("auto, -1 for the same, or 0 to {GID_INDEX_MAX}"),
        set: |config, text| {
            let value = if is(text, "auto") || text == "-1" { None } else { Some(parse_number(text)?) };
            taken(value, |value| config.nic.wire.gid_index = value)
        },
        check: |config| config.nic.wire.gid_index.map_or(Ok(()), |value| within(value, 0, GID_INDEX_MAX)),
        show: |config| Some(config.nic.wire.gid_index.map_or("auto".into(), |value| value.to_string())),
    },
    ConfigField {
        names: &["OXSHMEM_IB_ROCE_VERSION_NUM", "NVSHMEM_IB_ROCE_VERSION_NUM"],
        help: "RoCE on Ethernet frames (1) or on UDP (2).",
        range: || "1 to 2".into(),
        set: |config, text| {
            let version = match parse_number(text)? {
                1 => RoceVersion::V1,
                2 => RoceVersion::V2,
                other => return Err(Refusal::range(format!("there is no version {other}"))),
            };
            taken(version, |version| config.nic.wire.roce_version = version)
        },
        check: |_| Ok(()),
        show: |config| {
            Some(match config.nic.wire.roce_version {
                RoceVersion::V1 => "1".into(),
                RoceVersion::V2 => "2".into(),
            })
        },
    },
    words!(
        &["OXSHMEM_IB_ADDR_FAMILY", "NVSHMEM_IB_ADDR_FAMILY"],
        "Which addresses of a RoCE port are preferred.",
        ADDR_FAMILIES,
        wire.addr_family
    ),
    ConfigField {
        names: &["OXSHMEM_IB_ADDR_RANGE", "NVSHMEM_IB_ADDR_RANGE"],
        help: "Addresses of a RoCE port outside this range are not used.",
        range: || "any, or an address and how many of its first bits count, as 10.1.0.0/16 or fd00::/8".into(),
        set: |config, text| {
            if is(text, "any") {
                return taken(None, |value| config.nic.wire.addr_range = value);
            }
            let value = parse_range(text).ok_or("it is not an address with a number of bits")?;
            // A range that contains every address of every family counts as no range.
            taken(Some(value).filter(|range| range.bits > 0), |value| config.nic.wire.addr_range = value)
        },
        check: |config| config.nic.wire.addr_range.map_or(Ok(()), |range| within(range.bits.into(), 0, 128)),
        show: |config| Some(config.nic.wire.addr_range.map_or("any".into(), range_text)),
    },
    number!(
        &["OXSHMEM_IB_TRAFFIC_CLASS", "NVSHMEM_IB_TRAFFIC_CLASS"],
        "Traffic class; its upper six bits are the DSCP on RoCE.",
        wire.traffic_class: u8, 0, 255
    ),
    number!(
        &["OXSHMEM_IB_SL", "NVSHMEM_IB_SL"],
        "Service level; the priority on RoCE.",
        wire.service_level: u8, 0, 15
    ),
    number!(
        &["OXSHMEM_IB_PKEY_INDEX", "NVSHMEM_IB_PKEY_INDEX"],
        "Entry of the port's partition table.",
        wire.pkey_index: u16, 0, 65535
    ),
    number!(
        &["OXSHMEM_IB_TIMEOUT", "NVSHMEM_IB_TIMEOUT"],
        "How long to wait for an ACK: 4.096 us * 2^this; 0: for ever.",
        wire.ack_timeout: u8, 0, 31
    ),
    number!(
        &["OXSHMEM_IB_RETRY_CNT", "NVSHMEM_IB_RETRY_CNT"],
        "Retries when no ACK comes.",
        wire.retry_count: u8, 0, 7
    ),
    number!(
        &["OXSHMEM_IB_RNR_RETRY"],
        "Retries when the peer is not ready; 7: for ever.",
        wire.rnr_retry: u8, 0, 7
    ),
    ConfigField {
        names: &["OXSHMEM_IB_MTU"],
        help: "Bytes of a packet's data; auto: the most that both ports have.",
        range: || MTUS.into(),
        set: |config, text| {
            let code = match is(text, "auto") {
                true => None,
                false => Some(mtu_code(parse_number(text)?)?),
            };
            taken(code, |code| config.nic.wire.mtu = code)
        },
        check: |config| match config.nic.wire.mtu {
            Some(code) if !(1..=5).contains(&code) => Err(format!("{code} is not the code of a packet size")),
            _ => Ok(()),
        },
        show: |config| {
            Some(
                config
                    .nic
                    .wire
                    .mtu
                    .map_or("auto".into(), |code| 128u32.checked_shl(code.into()).unwrap_or(0).to_string()),
            )
        },
    },
    ConfigField {
        names: &["OXSHMEM_IB_DISABLE_DMABUF", "NVSHMEM_IB_DISABLE_DMABUF"],
        help: "Whether GPU memory is not shared with the NIC by dma-buf, but by nvidia-peermem.",
        range: || FLAG_FORMS.into(),
        set: |config, text| taken(parse_flag(text)?, |value| config.nic.dmabuf = !value),
        check: |_| Ok(()),
        show: |config| bit(!config.nic.dmabuf),
    },
];

/// Returns the choice that a word stands for.
fn meaning<T: Copy>(words: &WordTable<T>, text: &str) -> Result<T, Refusal> {
    let said = words.iter().find(|(_, words)| words.iter().any(|word| is(text, word)));
    said.map(|(choice, _)| *choice).ok_or_else(|| NOT_A_WORD.into())
}

/// Returns the word that is shown for a choice.
fn word_for<T: Copy + PartialEq>(words: &WordTable<T>, choice: T) -> Option<String> {
    words.iter().find(|(other, _)| *other == choice).map(|(_, words)| words[0].into())
}

/// Reads `10.1.0.0/16` or `fe80::/10`; without a number of bits, the whole address counts.
fn parse_range(text: &str) -> Option<AddrRange> {
    let (address, bits) = text.split_once('/').map_or((text, None), |(address, bits)| (address, Some(bits)));
    let address: IpAddr = address.trim().parse().ok()?;
    let most = if address.is_ipv4() { 32 } else { 128 };
    let bits = match bits {
        Some(bits) => parse_number(bits.trim()).ok().filter(|bits| *bits <= most)?,
        None => most,
    };
    // An IPv4 address is an IPv6 address with 96 known first bits.
    Some(match address {
        IpAddr::V4(v4) => AddrRange { address: v4.to_ipv6_mapped().octets(), bits: bits as u8 + 96 },
        IpAddr::V6(v6) => AddrRange { address: v6.octets(), bits: bits as u8 },
    })
}

/// Returns the text that [`parse_range`] reads.
fn range_text(range: AddrRange) -> String {
    let address = Ipv6Addr::from(range.address);
    match (address.to_ipv4_mapped(), range.bits.checked_sub(96)) {
        (Some(v4), Some(bits)) => format!("{v4}/{bits}"),
        _ => format!("{address}/{}", range.bits),
    }
}

/// Returns the code that verbs use for this many bytes of a packet's data.
fn mtu_code(bytes: u32) -> Result<u8, Refusal> {
    match bytes.is_power_of_two() && (256..=4096).contains(&bytes) {
        true => Ok((bytes / 256).ilog2() as u8 + 1),
        false => Err(Refusal::range(format!("packets don't have {bytes} bytes of data"))),
    }
}

fn can_begin_a_name(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-.".contains(&b))
}
