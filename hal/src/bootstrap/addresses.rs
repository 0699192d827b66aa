//! The addresses of this host at which other PEs can connect, and listening at them.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};

use nix::ifaddrs::{InterfaceAddress, getifaddrs};
use nix::net::if_::InterfaceFlags;
use nix::sys::socket::SockaddrStorage;
use oxshmem_core::{Error, ErrorKind, Result};

/// The largest number of addresses announced.
const MAX_ADDRESSES: usize = 32;
/// Number of free ports that [`listen_at`] tries before it reports an error.
const PORTS_TRIED: usize = 16;

/// Listens on a free port of `ip`, and returns the socket and its address.
///
/// # Errors
/// `System`: the address is not this host's, or no port or descriptor is free.
pub(crate) fn listen_at(ip: IpAddr) -> Result<(TcpListener, Vec<SocketAddr>)> {
    // A socket that asked for any port loses it when it stops listening. One that asked for this port keeps it, so that
    // later worlds can meet there. Another process may take the port between the two calls.
    let free_port = || TcpListener::bind((ip, 0))?.local_addr();
    let bind = || free_port().and_then(TcpListener::bind);
    (0..PORTS_TRIED)
        .find_map(|_| bind().ok())
        .map_or_else(bind, Ok)
        .and_then(|listener| listener.local_addr().map(|at| (listener, vec![at])))
        .map_err(|error: io::Error| Error::new(ErrorKind::System, format!("listen on {ip}")).because(error.to_string()))
}

/// Listens on all interfaces, and returns the socket and its addresses, of which another host can reach one or more.
/// `known` is an address that another PE has reached; it comes first.
///
/// # Errors
/// As [`listen_at`]; `NotFound` if this host has no address that another host could reach.
pub(crate) fn listen_to_others(known: Option<IpAddr>) -> Result<(TcpListener, Vec<SocketAddr>)> {
    let (v6, listener, port) = listen_everywhere()?;
    let mut own: Vec<IpAddr> = known.into_iter().collect();
    own.extend(host_addresses().into_iter().map(|own| own.address).filter(|address| Some(*address) != known));
    let own = own.into_iter().filter(|address| v6 || address.is_ipv4());
    let addresses: Vec<SocketAddr> = own.take(MAX_ADDRESSES).map(|address| (address, port).into()).collect();
    if addresses.is_empty() {
        return Err(Error::new(ErrorKind::NotFound, "listen for PEs on other hosts")
            .because("this host has no address that another host could reach")
            .hint("bring a network interface up, or set OXSHMEM_ROOT and OXSHMEM_SECRET"));
    }
    Ok((listener, addresses))
}

/// Listens on a free port of all interfaces. Returns whether IPv6 is among them, the socket and the port.
fn listen_everywhere() -> Result<(bool, TcpListener, u16)> {
    let (v6, (listener, at)) = match listen_at(Ipv6Addr::UNSPECIFIED.into()) {
        Ok(both) => (true, both),
        Err(_) => (false, listen_at(Ipv4Addr::UNSPECIFIED.into())?),
    };
    Ok((v6, listener, at[0].port()))
}

/// Listens on all interfaces, and returns the socket and one address: of the first interface that `wanted` selects, or
/// else of the first that other hosts can reach and that no container or virtual machine has to itself; without any,
/// the loopback address.
///
/// # Errors
/// As [`listen_at`]; `NotFound` if no interface that `wanted` selects has an address.
pub(crate) fn listen_at_one(wanted: Option<&str>) -> Result<(TcpListener, SocketAddr)> {
    let found = getifaddrs().into_iter().flatten().filter(|one| one.flags.contains(InterfaceFlags::IFF_UP));
    let is_chosen = |name: &str, address: IpAddr| match wanted {
        Some(wanted) => is_wanted(name, wanted),
        None => is_routable(address) && is_wanted(name, VIRTUAL),
    };
    let named = found.filter_map(|one| Some((one.interface_name, ip(&one.address?)?)));
    let chosen: Vec<IpAddr> =
        named.filter(|(name, address)| is_chosen(name, *address)).map(|(_, address)| address).collect();
    let (v6, listener, port) = listen_everywhere()?;
    let usable = chosen.iter().find(|address| v6 || address.is_ipv4());
    match (usable, wanted) {
        (Some(address), _) => Ok((listener, (*address, port).into())),
        (None, None) => Ok((listener, (Ipv4Addr::LOCALHOST, port).into())),
        (None, Some(wanted)) => Err(Error::new(ErrorKind::NotFound, "listen for other PEs")
            .because(format!("no interface of this host that is up is named as in `{wanted}`"))),
    }
}

/// Interfaces that lead to containers and virtual machines of this host alone.
const VIRTUAL: &str = "^docker,virbr";

/// Returns whether an interface is among those that a list selects: a prefix of a name or several, with commas between;
/// whole names after `=`; all others after `^`.
fn is_wanted(name: &str, wanted: &str) -> bool {
    let (others, list) = wanted.strip_prefix('^').map_or((false, wanted), |list| (true, list));
    let (whole, list) = list.strip_prefix('=').map_or((false, list), |list| (true, list));
    list.split(',').any(|one| if whole { name == one } else { name.starts_with(one) }) != others
}

/// Listens for other PEs, which reach this one by the interface with the address `local` or by others; if it is the
/// loopback interface and `one_host` holds, all are on this host.
pub(crate) fn listen_beside(local: IpAddr, one_host: bool) -> Result<(TcpListener, Vec<SocketAddr>)> {
    if one_host && local.is_loopback() { listen_at(local) } else { listen_to_others(Some(local)) }
}

/// Encodes addresses for other PEs.
pub(crate) fn encode(addresses: &[SocketAddr]) -> Vec<u8> {
    addresses.iter().map(SocketAddr::to_string).collect::<Vec<_>>().join(",").into_bytes()
}

/// Decodes another PE's addresses, those on a network of this host first; `None` if they have another form.
pub(crate) fn decode(bytes: &[u8]) -> Option<Vec<SocketAddr>> {
    let text = std::str::from_utf8(bytes).ok()?;
    let mut addresses = text.split(',').map(|one| one.parse().ok()).collect::<Option<Vec<_>>>()?;
    same_network_first(&mut addresses, &host_addresses());
    Some(addresses)
}

/// An address of this host and its network mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HostAddress {
    pub(crate) address: IpAddr,
    pub(crate) mask: IpAddr,
}

impl HostAddress {
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

/// Returns the addresses by which other hosts can reach this one: those of interfaces that are up, without loopback and
/// link-local addresses.
pub(crate) fn host_addresses() -> Vec<HostAddress> {
    let found = getifaddrs().into_iter().flatten();
    let up = found
        .filter(|one| one.flags.contains(InterfaceFlags::IFF_UP) && !one.flags.contains(InterfaceFlags::IFF_LOOPBACK));
    up.filter_map(|one: InterfaceAddress| Some(HostAddress { address: ip(&one.address?)?, mask: ip(&one.netmask?)? }))
        .filter(|own| is_routable(own.address))
        .collect()
}

fn is_routable(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(ip) => !ip.is_loopback() && !ip.is_link_local() && !ip.is_unspecified(),
        IpAddr::V6(ip) => !ip.is_loopback() && !ip.is_unicast_link_local() && !ip.is_unspecified(),
    }
}

pub(crate) fn ip(address: &SockaddrStorage) -> Option<IpAddr> {
    match (address.as_sockaddr_in(), address.as_sockaddr_in6()) {
        (Some(v4), _) => Some(v4.ip().into()),
        (_, Some(v6)) => Some(v6.ip().into()),
        _ => None,
    }
}

/// Moves addresses on a network of this host to the front and keeps the order otherwise.
pub(crate) fn same_network_first(addresses: &mut [SocketAddr], own: &[HostAddress]) {
    addresses.sort_by_key(|address| !own.iter().any(|own| own.reaches(address.ip())));
}

#[cfg(test)]
#[path = "tests/addresses.rs"]
mod tests;
