//! The addresses of this host at which other PEs can connect, and listening at them.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV6, TcpListener};

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
    let free_port = || TcpListener::bind(with_scope(ip))?.local_addr();
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
pub(crate) fn listen_to_others(known: Option<SocketAddr>) -> Result<(TcpListener, Vec<SocketAddr>)> {
    let (v6, listener, port) = listen_everywhere()?;
    let mut own: Vec<SocketAddr> = known.into_iter().collect();
    let others = host_addresses().into_iter().map(|own| own.address);
    let others = others.filter(|other| known.is_none_or(|known| known.ip() != *other));
    own.extend(others.map(|other| SocketAddr::from((other, port))));
    own.iter_mut().for_each(|address| address.set_port(port));
    let addresses: Vec<SocketAddr> =
        own.into_iter().filter(|address| v6 || address.is_ipv4()).take(MAX_ADDRESSES).collect();
    if addresses.is_empty() {
        return Err(Error::new(ErrorKind::NotFound, "listen for PEs on other hosts")
            .because("this host has no address that another host could reach")
            .hint("bring a network interface up, or set OXSHMEM_ROOT and OXSHMEM_SECRET"));
    }
    Ok((listener, addresses))
}

/// Returns the address of this host's loopback interface: IPv4's, unless the interface has IPv6's alone.
pub(crate) fn loopback() -> IpAddr {
    let has = |wanted: IpAddr| interfaces().any(|(_, own, _)| own.ip() == wanted);
    match has(Ipv6Addr::LOCALHOST.into()) && !has(Ipv4Addr::LOCALHOST.into()) {
        true => Ipv6Addr::LOCALHOST.into(),
        false => Ipv4Addr::LOCALHOST.into(),
    }
}

/// Returns the name, address and network mask of the interfaces of this host that are up. An address of IPv6 has its
/// scope.
fn interfaces() -> impl Iterator<Item = (InterfaceAddress, SocketAddr, Option<IpAddr>)> {
    let up = getifaddrs().into_iter().flatten().filter(|one| one.flags.contains(InterfaceFlags::IFF_UP));
    up.filter_map(|one| {
        let (address, mask) = (socket_address(one.address.as_ref()?)?, one.netmask.as_ref().and_then(socket_address));
        Some((one, address, mask.map(|mask| mask.ip())))
    })
}

/// Returns the scope of a link-local address: the number of this host's interface that leads to it, 0 if it is not
/// known. `None` for other addresses.
fn scope(address: SocketAddr) -> Option<u32> {
    match address {
        SocketAddr::V6(v6) if v6.ip().is_unicast_link_local() => Some(v6.scope_id()),
        _ => None,
    }
}

/// Returns the address with any port, and with the scope of the interface that has it if it is link-local.
fn with_scope(ip: IpAddr) -> SocketAddr {
    let mut own = SocketAddr::from((ip, 0));
    if scope(own).is_some()
        && let Some((_, found, _)) = interfaces().find(|(_, found, _)| found.ip() == ip)
    {
        own = found;
        own.set_port(0);
    }
    own
}

/// Returns the addresses by which to connect to one that another host may have announced. The scope of a link-local
/// address is a number of that host, so each interface of this host with such an address is tried; first the one of that
/// number, which is right if both are one host.
pub(crate) fn ways_to(address: SocketAddr) -> Vec<SocketAddr> {
    let (SocketAddr::V6(v6), Some(announced)) = (address, scope(address)) else { return vec![address] };
    let mut scopes: Vec<u32> = interfaces().filter_map(|(_, own, _)| scope(own)).collect();
    scopes.sort_by_key(|scope| (*scope != announced, *scope));
    scopes.dedup();
    if scopes.is_empty() {
        return vec![address];
    }
    scopes.into_iter().map(|scope| SocketAddrV6::new(*v6.ip(), v6.port(), 0, scope).into()).collect()
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
    let is_chosen = |name: &str, address: IpAddr| match wanted {
        Some(wanted) => is_wanted(name, wanted),
        None => is_routable(address) && is_wanted(name, VIRTUAL),
    };
    let chosen: Vec<SocketAddr> = interfaces()
        .filter(|(one, address, _)| is_chosen(&one.interface_name, address.ip()))
        .map(|(_, address, _)| address)
        .collect();
    let (v6, listener, port) = listen_everywhere()?;
    let usable = chosen.into_iter().find(|address| v6 || address.is_ipv4());
    match (usable, wanted) {
        (Some(mut address), _) => {
            address.set_port(port);
            Ok((listener, address))
        }
        (None, None) => Ok((listener, (loopback(), port).into())),
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
pub(crate) fn listen_beside(local: SocketAddr, one_host: bool) -> Result<(TcpListener, Vec<SocketAddr>)> {
    if one_host && local.ip().is_loopback() { listen_at(local.ip()) } else { listen_to_others(Some(local)) }
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
    interfaces()
        .filter(|(one, ..)| !one.flags.contains(InterfaceFlags::IFF_LOOPBACK))
        .filter_map(|(_, own, mask)| Some(HostAddress { address: own.ip(), mask: mask? }))
        .filter(|own| is_routable(own.address))
        .collect()
}

fn is_routable(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(ip) => !ip.is_loopback() && !ip.is_link_local() && !ip.is_unspecified(),
        IpAddr::V6(ip) => !ip.is_loopback() && !ip.is_unicast_link_local() && !ip.is_unspecified(),
    }
}

/// Returns an address of the system's form; `None` if it is of neither version of IP.
pub(crate) fn socket_address(address: &SockaddrStorage) -> Option<SocketAddr> {
    match (address.as_sockaddr_in(), address.as_sockaddr_in6()) {
        (Some(v4), _) => Some((v4.ip(), v4.port()).into()),
        (_, Some(v6)) => Some(SocketAddrV6::new(v6.ip(), v6.port(), 0, v6.scope_id()).into()),
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
