use super::*;

fn host_address(address: &str, mask: &str) -> HostAddress {
    HostAddress { address: address.parse().unwrap(), mask: mask.parse().unwrap() }
}

#[test]
fn an_address_on_a_network_of_this_host_is_tried_first() {
    let own = [host_address("10.1.0.7", "255.255.0.0"), host_address("fd00::7", "ffff:ffff:ffff:ffff::")];
    let mut there: Vec<SocketAddr> =
        ["172.17.0.1:5", "10.2.0.1:5", "10.1.9.9:5", "[fd01::1]:5", "[fd00::1]:5"].map(|a| a.parse().unwrap()).into();
    same_network_first(&mut there, &own);
    let there: Vec<String> = there.iter().map(SocketAddr::to_string).collect();
    assert_eq!(there, ["10.1.9.9:5", "[fd00::1]:5", "172.17.0.1:5", "10.2.0.1:5", "[fd01::1]:5"]);
}

#[test]
fn addresses_that_lead_to_no_other_host_are_left_out() {
    for ours in host_addresses() {
        assert!(is_routable(ours.address), "{ours:?}");
    }
    for local in ["127.0.0.1", "::1", "169.254.3.4", "fe80::1", "0.0.0.0"] {
        assert!(!is_routable(local.parse().unwrap()), "{local}");
    }
}

#[test]
fn interfaces_are_selected_by_prefix_by_name_or_by_exclusion() {
    for (name, wanted, selected) in [
        ("eth0", "eth", true),
        ("ib0", "eth,ib", true),
        ("ib0", "eth", false),
        ("eth01", "=eth0", false),
        ("eth0", "=ib0,eth0", true),
        ("docker0", "^docker", false),
        ("eth0", "^docker", true),
        ("eth0", "^=eth0", false),
    ] {
        assert_eq!(is_wanted(name, wanted), selected, "{name} in {wanted}");
    }
}

#[test]
fn an_id_has_the_address_of_the_interface_that_is_asked_for() {
    let (_socket, at) = listen_at_one(Some("lo")).unwrap();
    assert!(at.ip().is_loopback() && at.port() != 0, "{at}");
    let error = listen_at_one(Some("=no-such-interface")).unwrap_err();
    assert!(error.kind() == ErrorKind::NotFound && error.to_string().contains("no-such-interface"), "{error}");
    assert!(listen_at_one(None).is_ok());
}

#[test]
fn announced_addresses_are_read_back_and_other_text_is_not() {
    let all: Vec<SocketAddr> = ["127.0.0.1:4242", "[fe80::1]:7"].iter().map(|at| at.parse().unwrap()).collect();
    assert_eq!(decode(&encode(&all)), Some(all));
    assert_eq!([&b""[..], b"127.0.0.1", b"127.0.0.1:1,", &[0xff]].map(decode), [None, None, None, None]);
}

#[test]
fn on_one_host_only_this_host_can_connect() {
    let (listener, addresses) = listen_beside((Ipv4Addr::LOCALHOST, 0).into(), true).unwrap();
    assert_eq!((listener.local_addr().unwrap(), addresses.len()), (addresses[0], 1));
    assert!(addresses[0].ip().is_loopback());
    // A name may lead PE 0's own host to the loopback interface, and other hosts elsewhere.
    let (listener, addresses) = listen_beside((Ipv4Addr::LOCALHOST, 0).into(), false).unwrap();
    assert!(listener.local_addr().unwrap().ip().is_unspecified());
    assert_eq!(addresses[0].ip(), IpAddr::from(Ipv4Addr::LOCALHOST));
}
