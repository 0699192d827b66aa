//! The settings of NICs and their queues, as plain values; the transport that uses them gives them their meaning.

use std::fmt;
use std::net::IpAddr;

use super::choice::digits;
use super::report::shortened;

/// What NICs and their queues are to be like. It has no effect in a world whose PEs all reach each other by load and
/// store.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NicConfig {
    /// Default queue pairs to each PE. `OXSHMEM_IBGDA_NUM_RC_PER_PE`.
    pub rows: u32,
    /// Queue pairs to each PE that `qp_create` can make beside them. `OXSHMEM_IBGDA_SPARE_ROWS`.
    pub spare_rows: u32,
    /// Basic blocks (64 bytes) of a send queue, a power of two. `OXSHMEM_QP_DEPTH`.
    pub depth: u32,
    /// Threads that post for kernels, where the host does; `None`: chosen. `OXSHMEM_PROXY_THREADS`.
    pub proxy_threads: Option<u32>,
    /// Whether such threads stay on the cores near their NIC. `OXSHMEM_PROXY_PIN`.
    pub proxy_pin: bool,
    /// Whether such threads keep reads and atomics apart from writes, on queue pairs of their own, and look for their data;
    /// `None`: where the NIC may end them without. `OXSHMEM_PROXY_GUARD_FETCHES`.
    pub proxy_guard_fetches: Option<bool>,
    /// Requests to such a thread that have room, a power of two. `OXSHMEM_PROXY_RING_DEPTH`.
    pub proxy_ring_depth: u32,
    /// Which threads share a default queue pair. `OXSHMEM_IBGDA_RC_MAP_BY`.
    pub map_by: NicMapBy,
    /// Who rings the NIC. `OXSHMEM_IBGDA_NIC_HANDLER`.
    pub doorbell: NicDoorbell,
    /// Where queues are. `OXSHMEM_IBGDA_FORCE_NIC_BUF_MEMTYPE`.
    pub buffers: NicBuffers,
    /// Whether queue pairs are made by verbs in place of DEVX. `OXSHMEM_IBGDA_VERBS_TWIN`.
    pub verbs_twin: bool,
    /// Whether reads are followed by a dump before their data is trusted; `None`: as the GPU needs it.
    /// `OXSHMEM_IBGDA_DUMP`.
    pub dump: Option<bool>,
    /// Which NICs are used, in their order, as `mlx5_0:1,mlx5_1`; or which are not, as `^mlx5_2`; empty: all may be. `OXSHMEM_HCA_LIST`.
    pub hcas: String,
    /// How many NICs a PE uses. `OXSHMEM_NICS_PER_PE`.
    pub nics_per_pe: NicCount,
    /// Whether NICs are dealt out to the PEs of a host in turn, however far they are. `OXSHMEM_ENABLE_NIC_PE_MAPPING`.
    pub round_robin: bool,
    /// Which PEs of a host use which NIC and port, as `mlx5_0:1:2,mlx5_1:1:2`; empty: it is chosen.
    /// `OXSHMEM_HCA_PE_MAPPING`.
    pub hca_pe_mapping: String,
    /// What the names of NICs begin with; empty: anything. `OXSHMEM_HCA_PREFIX`.
    pub hca_prefix: String,
    /// Entry of the GID table; `None`: chosen. `OXSHMEM_IB_GID_INDEX`.
    pub gid_index: Option<u32>,
    /// RoCE version 1 or 2. `OXSHMEM_IB_ROCE_VERSION_NUM`.
    pub roce_version: u8,
    /// Which addresses of a RoCE port are preferred. `OXSHMEM_IB_ADDR_FAMILY`.
    pub addr_family: NicAddrFamily,
    /// An address and how many first bits count: others are not used. `OXSHMEM_IB_ADDR_RANGE`.
    pub addr_range: Option<(IpAddr, u8)>,
    /// Traffic class. `OXSHMEM_IB_TRAFFIC_CLASS`.
    pub traffic_class: u8,
    /// Service level. `OXSHMEM_IB_SL`.
    pub service_level: u8,
    /// Entry of the partition table. `OXSHMEM_IB_PKEY_INDEX`.
    pub pkey_index: u16,
    /// Local ACK timeout: 4.096 us * 2^this; 0: none. `OXSHMEM_IB_TIMEOUT`.
    pub ack_timeout: u8,
    /// Retries when no ACK comes. `OXSHMEM_IB_RETRY_CNT`.
    pub retry_count: u8,
    /// Retries when the peer is not ready; 7: for ever. `OXSHMEM_IB_RNR_RETRY`.
    pub rnr_retry: u8,
    /// Bytes of a packet's data: 256 to 4096, a power of two; `None`: what the ports have. `OXSHMEM_IB_MTU`.
    pub mtu_bytes: Option<u32>,
    /// Whether each queue pair has a UDP source port of its own. `OXSHMEM_IB_UDP_SPORT`.
    pub udp_sport_spread: bool,
    /// Whether GPU memory may be shared with the NIC by dma-buf. `OXSHMEM_IB_DISABLE_DMABUF` says no.
    pub dmabuf: bool,
    /// Whether writes to the heap may arrive in any order. `OXSHMEM_IB_ENABLE_RELAXED_ORDERING`.
    pub relaxed_ordering: bool,
}

impl Default for NicConfig {
    fn default() -> Self {
        Self {
            rows: 2,
            spare_rows: 64,
            depth: 1024,
            proxy_threads: None,
            proxy_pin: true,
            proxy_guard_fetches: None,
            proxy_ring_depth: 4096,
            map_by: NicMapBy::Cta,
            doorbell: NicDoorbell::Auto,
            buffers: NicBuffers::Auto,
            verbs_twin: false,
            dump: None,
            hcas: String::new(),
            nics_per_pe: NicCount::Auto,
            round_robin: false,
            hca_pe_mapping: String::new(),
            hca_prefix: String::new(),
            gid_index: None,
            roce_version: 2,
            addr_family: NicAddrFamily::Ipv4,
            addr_range: None,
            traffic_class: 0,
            service_level: 0,
            pkey_index: 0,
            ack_timeout: 20,
            retry_count: 7,
            rnr_retry: 7,
            mtu_bytes: None,
            udp_sport_spread: true,
            dmabuf: true,
            relaxed_ordering: false,
        }
    }
}

/// A choice among words: each with the names by which it is said, the first of which is shown.
macro_rules! words {
    ($(#[$about:meta])* $name:ident: $words:literal; $($(#[$doc:meta])* $word:ident = $($text:literal)|+;)*) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub enum $name {
            $($(#[$doc])* $word,)*
        }

        impl $name {
            pub(super) const WORDS: &str = $words;

            pub(super) fn parse(text: &str) -> Option<Self> {
                let text = text.to_ascii_lowercase();
                match text.as_str() {
                    $($($text)|+ => Some(Self::$word),)*
                    _ => None,
                }
            }

            const fn names(self) -> &'static [&'static str] {
                match self {
                    $(Self::$word => &[$($text),+],)*
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.names()[0])
            }
        }
    };
}

words! {
    /// Which threads share a default queue pair.
    NicMapBy: "cta, sm, warp";
    /// Those of a block.
    #[default]
    Cta = "cta";
    /// Those of a multiprocessor.
    Sm = "sm";
    /// Those of a warp.
    Warp = "warp";
}

words! {
    /// Who rings the NIC.
    NicDoorbell: "auto, gpu, cpu";
    /// The GPU where it can, else the CPU.
    #[default]
    Auto = "auto";
    /// The GPU.
    Gpu = "gpu";
    /// A thread of the host.
    Cpu = "cpu";
}

words! {
    /// Where queues are.
    NicBuffers: "auto, gpumem, hostmem";
    /// In GPU memory where the NIC reaches it, else on the host.
    #[default]
    Auto = "auto";
    /// In GPU memory.
    Gpu = "gpumem" | "gpu";
    /// On the host.
    Host = "hostmem" | "host";
}

words! {
    /// Addresses of a RoCE port.
    NicAddrFamily: "AF_INET, AF_INET6";
    /// IPv4.
    #[default]
    Ipv4 = "af_inet" | "inet" | "ipv4";
    /// IPv6.
    Ipv6 = "af_inet6" | "inet6" | "ipv6";
}

/// How many NICs a PE uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NicCount {
    /// One; or its part of those that are equally near to its GPU, where there are more NICs than PEs on the host.
    #[default]
    Auto,
    /// All that are equally near.
    Nearest,
    /// So many.
    Count(u32),
}

impl NicCount {
    /// The most.
    pub(super) const MOST: u32 = 16;

    pub(super) fn parse(text: &str) -> Option<Self> {
        match text.to_ascii_lowercase().as_str() {
            "auto" => Some(Self::Auto),
            "nearest" => Some(Self::Nearest),
            _ => digits(text).map(Self::Count),
        }
    }
}

impl fmt::Display for NicCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Nearest => f.write_str("nearest"),
            Self::Count(count) => write!(f, "{count}"),
        }
    }
}

/// What is wrong with a mapping of PEs to NICs, as a clause, if anything is.
pub(super) fn check_mapping(text: &str) -> Result<(), String> {
    let maps = |entry: &str| match entry.split(':').collect::<Vec<_>>()[..] {
        [name, port, count] => {
            let number = |text, most| digits(text).is_some_and(|number| (1..=most).contains(&number));
            !name.is_empty() && is_name(name) && number(port, 255) && number(count, 1 << 16)
        }
        _ => false,
    };
    match text.split(',').map(str::trim).find(|entry| !maps(entry)) {
        Some(entry) if !text.is_empty() => Err(format!("`{}` is not NAME:PORT:PES", shortened(entry))),
        _ => Ok(()),
    }
}

/// An address and how many of its first bits count: `10.1.0.0/16`, `fe80::/10`; one without a number is whole.
pub(super) fn parse_range(text: &str) -> Option<(IpAddr, u8)> {
    let (address, bits) = text.split_once('/').map_or((text, None), |(address, bits)| (address, Some(bits)));
    let address: IpAddr = address.trim().parse().ok()?;
    let most = if address.is_ipv4() { 32 } else { 128 };
    let bits = match bits {
        Some(bits) => digits(bits.trim()).filter(|bits| *bits <= most)?,
        None => most,
    };
    Some((address, bits as u8))
}

/// What is wrong with a list of NICs, as a clause, if anything is.
pub(super) fn check_hcas(text: &str) -> Result<(), String> {
    let list = text.strip_prefix('^').unwrap_or(text);
    let names = |entry: &str| {
        let (name, port) = entry.split_once(':').map_or((entry, None), |(name, port)| (name, Some(port)));
        !name.is_empty()
            && is_name(name)
            && port.is_none_or(|port| digits(port).is_some_and(|port| (1..=255).contains(&port)))
    };
    match list.split(',').map(str::trim).find(|entry| !names(entry)) {
        Some(entry) if !text.is_empty() => Err(format!("`{}` is not the name of a NIC", shortened(entry))),
        _ => Ok(()),
    }
}

/// Whether the text can be the name of a NIC, or the beginning of one.
pub(super) fn is_name(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-.".contains(&b))
}

/// Whether so many bytes are a packet's.
pub(super) fn is_mtu(bytes: u32) -> bool {
    bytes.is_power_of_two() && (256..=4096).contains(&bytes)
}
