//! The addresses of this host, and which of another host's are likely to lead there.

use std::net::{IpAddr, SocketAddr};

use nix::ifaddrs::{InterfaceAddress, getifaddrs};
use nix::net::if_::InterfaceFlags;
use nix::sys::socket::SockaddrStorage;

/// An address of this host with the bits that its network has in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Own {
    pub(super) address: IpAddr,
    pub(super) mask: IpAddr,
}

impl Own {
    fn reaches(&self, other: IpAddr) -> bool {
        match (self.address, self.mask, other) {
            (IpAddr::V4(own), IpAddr::V4(mask), IpAddr::V4(other)) => {
                (own.to_bits() ^ other.to_bits()) & mask.to_bits() == 0
            }
            (IpAddr::V6(own), IpAddr::V6(mask), IpAddr::V6(other)) => {
                (own.to_bits() ^ other.to_bits()) & mask.to_bits() == 0
            }
            _ => false,
        }
    }
}

/// Those of interfaces that are up, by which other hosts can come: neither the loopback's nor those of one link alone.
pub(super) fn own() -> Vec<Own> {
    let found = getifaddrs().into_iter().flatten();
    let up = found
        .filter(|one| one.flags.contains(InterfaceFlags::IFF_UP) && !one.flags.contains(InterfaceFlags::IFF_LOOPBACK));
    up.filter_map(|one: InterfaceAddress| Some(Own { address: ip(&one.address?)?, mask: ip(&one.netmask?)? }))
        .filter(|own| is_of_the_world(own.address))
        .collect()
}

fn is_of_the_world(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(ip) => !ip.is_loopback() && !ip.is_link_local() && !ip.is_unspecified(),
        IpAddr::V6(ip) => !ip.is_loopback() && !ip.is_unicast_link_local() && !ip.is_unspecified(),
    }
}

fn ip(address: &SockaddrStorage) -> Option<IpAddr> {
    match (address.as_sockaddr_in(), address.as_sockaddr_in6()) {
        (Some(v4), _) => Some(v4.ip().into()),
        (_, Some(v6)) => Some(v6.ip().into()),
        _ => None,
    }
}

/// Puts first what is on a network of this host, and keeps the order otherwise.
pub(super) fn near_first(addresses: &mut [SocketAddr], own: &[Own]) {
    addresses.sort_by_key(|address| !own.iter().any(|own| own.reaches(address.ip())));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own_of(address: &str, mask: &str) -> Own {
        Own { address: address.parse().unwrap(), mask: mask.parse().unwrap() }
    }

    #[test]
    fn an_address_on_a_network_of_this_host_is_tried_first() {
        let own = [own_of("10.1.0.7", "255.255.0.0"), own_of("fd00::7", "ffff:ffff:ffff:ffff::")];
        let mut there: Vec<SocketAddr> = ["172.17.0.1:5", "10.2.0.1:5", "10.1.9.9:5", "[fd01::1]:5", "[fd00::1]:5"]
            .map(|a| a.parse().unwrap())
            .into();
        near_first(&mut there, &own);
        let there: Vec<String> = there.iter().map(SocketAddr::to_string).collect();
        assert_eq!(there, ["10.1.9.9:5", "[fd00::1]:5", "172.17.0.1:5", "10.2.0.1:5", "[fd01::1]:5"]);
    }

    #[test]
    fn what_leads_to_no_other_host_is_left_out() {
        for ours in own() {
            assert!(is_of_the_world(ours.address), "{ours:?}");
        }
        for local in ["127.0.0.1", "::1", "169.254.3.4", "fe80::1", "0.0.0.0"] {
            assert!(!is_of_the_world(local.parse().unwrap()), "{local}");
        }
    }
}
