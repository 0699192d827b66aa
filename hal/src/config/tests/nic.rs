//! The settings of NICs.

use super::*;

/// Returns an IPv4 range, as it is mapped into IPv6.
fn ipv4_range([a, b, c, d]: [u8; 4], bits: u8) -> Option<AddrRange> {
    Some(AddrRange { address: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, a, b, c, d], bits: 96 + bits })
}

#[test]
fn every_nic_variable_sets_its_field_under_our_name() {
    let config = env(&[
        ("OXSHMEM_DISABLE_P2P", "1"),
        ("OXSHMEM_MAX_P2P_GPUS", "2"),
        ("OXSHMEM_IBGDA_NUM_RC_PER_PE", "4"),
        ("OXSHMEM_SPARE_QPS", "0"),
        ("OXSHMEM_QP_CONNECT", "lazy"),
        ("OXSHMEM_QP_DEPTH", "32768"),
        ("OXSHMEM_PROXY_THREADS", "4"),
        ("OXSHMEM_PROXY_PIN", "no"),
        ("OXSHMEM_PROXY_GUARD_FETCHES", "yes"),
        ("OXSHMEM_PROXY_RING_DEPTH", "64"),
        ("OXSHMEM_IBGDA_RC_MAP_BY", "WARP"),
        ("OXSHMEM_IBGDA_NIC_HANDLER", "cpu"),
        ("OXSHMEM_IBGDA_FORCE_NIC_BUF_MEMTYPE", "hostmem"),
        ("OXSHMEM_IBGDA_VERBS_TWIN", "yes"),
        ("OXSHMEM_IBGDA_DUMP", "1"),
        ("OXSHMEM_HCA_LIST", "^mlx5_0:1,mlx5_1"),
        ("OXSHMEM_NICS_PER_PE", "4"),
        ("OXSHMEM_ENABLE_NIC_PE_MAPPING", "1"),
        ("OXSHMEM_HCA_PE_MAPPING", "mlx5_0:1:2,mlx5_1:2:2"),
        ("OXSHMEM_HCA_PREFIX", "mlx5"),
        ("OXSHMEM_IB_GID_INDEX", "3"),
        ("OXSHMEM_IB_ROCE_VERSION_NUM", "1"),
        ("OXSHMEM_IB_ADDR_FAMILY", "AF_INET6"),
        ("OXSHMEM_IB_ADDR_RANGE", "10.1.0.0/16"),
        ("OXSHMEM_IB_TRAFFIC_CLASS", "106"),
        ("OXSHMEM_IB_SL", "3"),
        ("OXSHMEM_IB_PKEY_INDEX", "7"),
        ("OXSHMEM_IB_TIMEOUT", "0"),
        ("OXSHMEM_IB_RETRY_CNT", "5"),
        ("OXSHMEM_IB_RNR_RETRY", "0"),
        ("OXSHMEM_IB_MTU", "1024"),
        ("OXSHMEM_IB_UDP_SPORT", "0"),
        ("OXSHMEM_IB_DISABLE_DMABUF", "1"),
        ("OXSHMEM_IB_ENABLE_RELAXED_ORDERING", "1"),
    ]);
    let nic = NicSettings {
        rows: 4,
        spare_rows: 0,
        depth: 32768,
        map_by: MapBy::Warp,
        connect: Connect::Lazy,
        nics: NicParams {
            hcas: HcaList::parse("^mlx5_0:1,mlx5_1").unwrap(),
            count: NicCount::Count(4),
            round_robin: true,
            mapping: HcaMapping::parse("mlx5_0:1:2,mlx5_1:2:2").unwrap(),
            neighbours: None,
            prefix: Some("mlx5".into()),
        },
        wire: WireParams {
            gid_index: Some(3),
            roce_version: RoceVersion::V1,
            addr_family: AddrFamily::Ipv6,
            addr_range: ipv4_range([10, 1, 0, 0], 16),
            traffic_class: 106,
            service_level: 3,
            pkey_index: 7,
            ack_timeout: 0,
            retry_count: 5,
            rnr_retry: 0,
            mtu: Some(3),
            ..WireParams::default()
        },
        dmabuf: false,
    };
    for (name, value) in [
        ("OXSHMEM_PROXY_THREADS", "4"),
        ("OXSHMEM_PROXY_PIN", "0"),
        ("OXSHMEM_PROXY_GUARD_FETCHES", "1"),
        ("OXSHMEM_PROXY_RING_DEPTH", "64"),
        ("OXSHMEM_IBGDA_NIC_HANDLER", "cpu"),
        ("OXSHMEM_IBGDA_FORCE_NIC_BUF_MEMTYPE", "hostmem"),
        ("OXSHMEM_IBGDA_VERBS_TWIN", "1"),
        ("OXSHMEM_IBGDA_DUMP", "1"),
        ("OXSHMEM_IB_UDP_SPORT", "0"),
        ("OXSHMEM_IB_ENABLE_RELAXED_ORDERING", "1"),
    ] {
        assert_eq!(config.setting(name).as_deref(), Some(value), "{name}");
    }
    let mut expected = Config::new().with_nic(nic).with_disable_p2p(true).with_max_p2p_gpus(2);
    expected.transports = config.transports.clone();
    assert_eq!(config, expected);
    assert_eq!(from(Some(&config.describe()), &[]).unwrap(), config, "{}", config.describe());
}

#[test]
fn nvshmem_names_of_nic_settings_are_honoured() {
    let config = env(&[
        ("NVSHMEM_DISABLE_P2P", "1"),
        ("NVSHMEM_MAX_P2P_GPUS", "128"),
        ("NVSHMEM_IBGDA_NUM_RC_PER_PE", "8"),
        ("NVSHMEM_IBGDA_RC_MAP_BY", "sm"),
        ("NVSHMEM_IBGDA_NIC_HANDLER", "gpu"),
        ("NVSHMEM_IBGDA_FORCE_NIC_BUF_MEMTYPE", "gpumem"),
        ("NVSHMEM_HCA_LIST", "mlx5_0:1,mlx5_1:2"),
        ("NVSHMEM_IBGDA_ENABLE_MULTI_PORT", "1"),
        ("NVSHMEM_ENABLE_NIC_PE_MAPPING", "1"),
        ("NVSHMEM_HCA_PE_MAPPING", "mlx5_0:1:8"),
        ("NVSHMEM_HCA_PREFIX", "mlx5"),
        ("NVSHMEM_IB_GID_INDEX", "-1"),
        ("NVSHMEM_IB_TRAFFIC_CLASS", "255"),
        ("NVSHMEM_IB_SL", "15"),
        ("NVSHMEM_IB_TIMEOUT", "31"),
        ("NVSHMEM_IB_RETRY_CNT", "7"),
        ("NVSHMEM_IB_PKEY_INDEX", "1"),
        ("NVSHMEM_IB_ADDR_FAMILY", "AF_INET"),
        ("NVSHMEM_IB_ADDR_RANGE", "::/0"),
        ("NVSHMEM_IB_ROCE_VERSION_NUM", "2"),
        ("NVSHMEM_IB_DISABLE_DMABUF", "0"),
        ("NVSHMEM_IB_ENABLE_RELAXED_ORDERING", "0"),
        ("NVSHMEM_QP_DEPTH", "128"),
    ]);
    assert_eq!(config.notes(), [], "all of it has its effect");
    let nic = &config.nic;
    assert_eq!((nic.rows, nic.map_by), (8, MapBy::Sm));
    assert_eq!(config.setting("OXSHMEM_IBGDA_NIC_HANDLER").as_deref(), Some("gpu"));
    assert_eq!(config.setting("OXSHMEM_IBGDA_FORCE_NIC_BUF_MEMTYPE").as_deref(), Some("gpumem"));
    assert_eq!((nic.nics.hcas.to_string().as_str(), nic.wire.gid_index), ("mlx5_0:1,mlx5_1:2", None));
    assert_eq!(
        (nic.nics.count, nic.nics.round_robin, nic.nics.mapping.to_string().as_str()),
        (NicCount::Nearest, true, "mlx5_0:1:8")
    );
    let counted = env(&[("NVSHMEM_IBGDA_ENABLE_MULTI_PORT", "1"), ("OXSHMEM_NICS_PER_PE", "2")]);
    assert_eq!(counted.nic.nics.count, NicCount::Count(2), "what is said in our name counts");
    assert_eq!((nic.wire.addr_range, nic.depth, nic.wire.traffic_class), (None, 128, 255));
    assert_eq!((config.disable_p2p, config.max_p2p_gpus), (true, Some(128)));
}

#[test]
fn a_nic_setting_out_of_range_is_an_error_that_gives_the_variable_and_the_range() {
    for (name, value, range) in [
        ("NVSHMEM_QP_DEPTH", "1000", "a power of two from 128 to 32768"),
        ("OXSHMEM_QP_DEPTH", "64", "a power of two from 128 to 32768"),
        ("OXSHMEM_QP_DEPTH", "65536", "a power of two from 128 to 32768"),
        ("NVSHMEM_IBGDA_NUM_RC_PER_PE", "0", "1 to 4096"),
        ("OXSHMEM_SPARE_QPS", "65537", "0 to 65536"),
        ("NVSHMEM_IB_TIMEOUT", "32", "0 to 31"),
        ("NVSHMEM_IB_RETRY_CNT", "8", "0 to 7"),
        ("OXSHMEM_IB_RNR_RETRY", "8", "0 to 7"),
        ("NVSHMEM_IB_SL", "16", "0 to 15"),
        ("NVSHMEM_IB_GID_INDEX", "256", "auto, -1 for the same, or 0 to 255"),
        ("NVSHMEM_IB_ROCE_VERSION_NUM", "3", "1 to 2"),
        ("OXSHMEM_NICS_PER_PE", "0", "auto, nearest (all that are equally near), or 1 to 16"),
        ("OXSHMEM_NICS_PER_PE", "17", "auto, nearest (all that are equally near), or 1 to 16"),
        ("OXSHMEM_IB_MTU", "1500", "auto, 256, 512, 1024, 2048, 4096"),
        ("NVSHMEM_MAX_P2P_GPUS", "0", "none, or 1 to 4096"),
        ("OXSHMEM_PROXY_THREADS", "0", "auto, or 1 to 64"),
        ("OXSHMEM_PROXY_THREADS", "65", "auto, or 1 to 64"),
        ("OXSHMEM_PROXY_RING_DEPTH", "32", "a power of two from 64 to 65536"),
        ("OXSHMEM_PROXY_RING_DEPTH", "100", "a power of two from 64 to 65536"),
    ] {
        let (kind, text) = refused(name, value);
        assert_eq!(kind, ErrorKind::OutOfRange, "{text}");
        let set = format!("use {name} = {value} (in the environment)");
        assert!(text.contains(&set) && text.contains(&format!("it takes {range}")), "{text}");
    }
}

#[test]
fn what_is_no_nic_setting_is_refused_with_what_it_takes() {
    for (name, value, takes) in [
        ("NVSHMEM_HCA_LIST", "mlx5_0,", "separated by commas"),
        ("NVSHMEM_HCA_LIST", "mlx5_0:0", "PORT"),
        ("NVSHMEM_HCA_PE_MAPPING", "mlx5_0:1", "NAME:PORT:PES"),
        ("OXSHMEM_NICS_PER_PE", "all", "nearest"),
        ("NVSHMEM_IBGDA_RC_MAP_BY", "dct", "cta, sm, warp"),
        ("NVSHMEM_IBGDA_NIC_HANDLER", "dpu", "auto, gpu, cpu"),
        ("NVSHMEM_IB_TRAFFIC_CLASS", "256", "0 to 255"),
        ("NVSHMEM_IB_PKEY_INDEX", "65536", "0 to 65535"),
        ("NVSHMEM_IB_ADDR_FAMILY", "AF_UNIX", "AF_INET, AF_INET6"),
        ("NVSHMEM_IB_ADDR_RANGE", "10.0.0.0/33", "10.1.0.0/16"),
        ("NVSHMEM_IB_TIMEOUT", "soon", "0 to 31"),
    ] {
        let (_, text) = refused(name, value);
        assert!(text.contains(name) && text.contains("it takes ") && text.contains(takes), "{text}");
    }
}

#[test]
fn a_setting_of_the_transport_that_is_not_used_is_told_with_the_reason() {
    let set = [
        ("OXSHMEM_PROXY_THREADS", "4"),
        ("NVSHMEM_IBGDA_NIC_HANDLER", "cpu"),
        ("OXSHMEM_IB_UDP_SPORT", "0"),
        ("OXSHMEM_QP_DEPTH", "128"),
    ];
    let told = |remote: &str, compiled: &[&str]| -> Vec<String> {
        let config = env(&[&set[..], &[("OXSHMEM_REMOTE_TRANSPORT", remote)]].concat());
        config.notes_on_transports(compiled).iter().map(Note::to_string).collect()
    };
    let both = ["nvlink", "ibgda", "ibrc"];
    let by_gpu = told("ibgda", &both);
    assert!(by_gpu.len() == 1 && by_gpu[0].starts_with("PROXY_THREADS = 4 is without effect: "), "{by_gpu:?}");
    let by_proxy = told("ibrc", &both);
    assert_eq!(by_proxy.len(), 2, "{by_proxy:?}");
    assert!(by_proxy[0].starts_with("IBGDA_NIC_HANDLER = cpu is without effect: "), "{by_proxy:?}");
    assert!(by_proxy[1].starts_with("IB_UDP_SPORT = 0 is without effect: "), "{by_proxy:?}");
    assert_eq!(told("auto", &["nvlink", "ibrc"]), by_proxy, "the one that is compiled in");
    assert_eq!(told("auto", &["nvlink"]), [""; 0], "nobody asks for a NIC");
}

#[test]
fn without_settings_nics_and_wire_are_what_transports_take_them_for() {
    assert_eq!(env(&[]).nic, NicSettings::default());
    assert_eq!(env(&[]).transports, Default::default());
}

#[test]
fn every_variable_of_the_wire_is_read_under_both_names() {
    let settings = [
        ("GID_INDEX", "3"),
        ("ROCE_VERSION_NUM", "1"),
        ("ADDR_FAMILY", "AF_INET6"),
        ("ADDR_RANGE", "10.1.0.0/16"),
        ("TRAFFIC_CLASS", "106"),
        ("SL", "3"),
        ("PKEY_INDEX", "7"),
        ("TIMEOUT", "18"),
        ("RETRY_CNT", "5"),
    ];
    for prefix in ["OXSHMEM_IB_", "NVSHMEM_IB_"] {
        let named: Vec<_> = settings.iter().map(|(name, value)| (format!("{prefix}{name}"), *value)).collect();
        let mut named: Vec<_> = named.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        named.extend([("OXSHMEM_IB_RNR_RETRY", "2"), ("OXSHMEM_IB_MTU", "1024")]);
        let expected = WireParams {
            gid_index: Some(3),
            roce_version: RoceVersion::V1,
            addr_family: AddrFamily::Ipv6,
            addr_range: ipv4_range([10, 1, 0, 0], 16),
            traffic_class: 106,
            service_level: 3,
            pkey_index: 7,
            ack_timeout: 18,
            retry_count: 5,
            rnr_retry: 2,
            mtu: Some(3),
            udp_sport_spread: true,
        };
        assert_eq!(env(&named).nic.wire, expected);
    }
}

#[test]
fn address_ranges_are_shown_as_they_are_read() {
    for text in ["10.1.0.0/16", "10.1.2.3/32", "0.0.0.0/0", "fd00::/8", "fe80::1/128", "any"] {
        assert_eq!(env(&[("OXSHMEM_IB_ADDR_RANGE", text)]).setting("OXSHMEM_IB_ADDR_RANGE").as_deref(), Some(text));
    }
    assert_eq!(env(&[("OXSHMEM_IB_ADDR_RANGE", "10.1.2.3")]).nic.wire.addr_range, ipv4_range([10, 1, 2, 3], 32));
}

#[test]
fn lists_and_mappings_of_nics_are_read_with_the_defaults_of_the_rest() {
    let config = env(&[
        ("OXSHMEM_HCA_LIST", "^mlx5_0:1,rxe1"),
        ("OXSHMEM_NICS_PER_PE", "2"),
        ("OXSHMEM_ENABLE_NIC_PE_MAPPING", "1"),
        ("OXSHMEM_HCA_PE_MAPPING", "rxe0:1:2"),
        ("OXSHMEM_HCA_PREFIX", "rxe"),
    ]);
    let expected = NicParams {
        hcas: HcaList::parse("^mlx5_0:1,rxe1").unwrap(),
        count: NicCount::Count(2),
        round_robin: true,
        mapping: HcaMapping::parse("rxe0:1:2").unwrap(),
        neighbours: None,
        prefix: Some("rxe".into()),
    };
    assert_eq!(config.nic.nics, expected);
}

#[test]
fn a_program_sets_a_transports_variable_by_name_and_is_held_to_its_range() {
    let config = Config::new().with_setting("OXSHMEM_PROXY_THREADS", "4").unwrap();
    assert_eq!(config.setting("OXSHMEM_PROXY_THREADS").as_deref(), Some("4"));
    let error = Config::new().with_setting("OXSHMEM_PROXY_THREADS", "65").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutOfRange);
    assert!(error.to_string().contains("use OXSHMEM_PROXY_THREADS = 65 (by the program)"), "{error}");
    assert_eq!(Config::new().with_setting("OXSHMEM_PROXY_THREAD", "4").unwrap_err().kind(), ErrorKind::NotFound);
}
