//! What a PE is told before it can meet the others.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, ToSocketAddrs};
use std::sync::Arc;
use std::time::Duration;

use oxshmem_core::{Error, ErrorKind, Pe, Result};

use super::join::Place;
use super::rendezvous::Rendezvous;
use super::uid::{Secret, UniqueId};

/// What one PE needs to connect to its world.
#[derive(Clone, Debug)]
pub struct BootstrapConfig {
    /// This PE.
    pub pe: Pe,
    /// How many PEs the world has.
    pub n_pes: u32,
    /// Where they meet.
    pub root: RootAt,
    /// How long each collective call may wait; none is for ever.
    pub limit: Option<Duration>,
    /// Stands in for this host's identity: PEs that give different ones behave as on different hosts.
    pub host: Option<String>,
}

/// Where the PEs meet PE 0.
#[derive(Clone, Debug)]
pub enum RootAt {
    /// At the address of a unique id. PE 0 listens there itself unless it has the listening socket already.
    Id {
        /// Address and secret.
        id: UniqueId,
        /// On PE 0: the socket that listens at the id's address. It stays open, and serves one world after the other.
        listener: Option<Arc<TcpListener>>,
    },
    /// At one of several addresses of PE 0's host. Which of them lead there differs from host to host: they are tried in
    /// this order.
    Addresses {
        /// At least one.
        addresses: Vec<SocketAddr>,
        /// What admits a PE.
        secret: Secret,
        /// On PE 0: the socket that listens there. It stays open, and serves one world after the other.
        listener: Option<Arc<TcpListener>>,
    },
    /// At a `host:port` that all PEs know, with a secret that all know.
    Address {
        /// `host:port`. PE 0 listens on that port: of the address if it is a number, of every interface if it is a name.
        address: String,
        /// What admits a PE.
        secret: Secret,
    },
    /// All PEs on one host: PE 0 listens on the loopback and leaves a file that says where.
    File(Rendezvous),
    /// A world of one PE.
    Alone,
}

/// How this PE meets the others.
pub(super) enum Meeting {
    Host { listener: TcpListener, secret: Secret, then: Box<dyn FnOnce() + Send> },
    Guest { name: String, find: Box<dyn Fn() -> io::Result<Place>> },
    Alone,
}

impl RootAt {
    pub(super) fn meeting(&self, pe: Pe, n_pes: u32) -> Result<Meeting> {
        if n_pes == 1 {
            // Nobody else comes.
            return Ok(Meeting::Alone);
        }
        let host = |listener: TcpListener, secret: Secret, then: Box<dyn FnOnce() + Send>| {
            listener.set_nonblocking(true).map_err(|error| cannot_listen("the given socket", &error))?;
            Ok(Meeting::Host { listener, secret, then })
        };
        let is_root = pe.number() == 0;
        match self {
            Self::Alone => Err(Error::new(ErrorKind::InvalidArgument, format!("connect {n_pes} PEs"))
                .because("nothing says where they meet")),
            Self::Id { id, listener } if is_root => {
                let listener = match listener {
                    Some(listener) => listener.try_clone(),
                    None => TcpListener::bind(id.address()),
                };
                let listener = listener.map_err(|error| cannot_listen(&id.address().to_string(), &error))?;
                host(listener, id.secret(), Box::new(|| {}))
            }
            Self::Id { id, .. } => {
                let (address, secret) = (id.address(), id.secret());
                let find = move || Ok(Place { addresses: vec![address], secret: secret.clone(), may_be_stale: false });
                Ok(Meeting::Guest { name: address.to_string(), find: Box::new(find) })
            }
            Self::Addresses { addresses, secret, listener } if is_root => {
                let listener = match listener {
                    Some(listener) => listener.try_clone(),
                    None => TcpListener::bind(addresses.as_slice()),
                };
                let listener = listener.map_err(|error| cannot_listen(&listed(addresses), &error))?;
                host(listener, secret.clone(), Box::new(|| {}))
            }
            Self::Addresses { addresses, secret, .. } => {
                let name = listed(addresses);
                let (addresses, secret) = (addresses.clone(), secret.clone());
                let find =
                    move || Ok(Place { addresses: addresses.clone(), secret: secret.clone(), may_be_stale: false });
                Ok(Meeting::Guest { name, find: Box::new(find) })
            }
            Self::Address { address, secret } if is_root => {
                let listener = listen_at(address).map_err(|error| cannot_listen(address, &error))?;
                host(listener, secret.clone(), Box::new(|| {}))
            }
            Self::Address { address, secret } => {
                let (name, secret) = (address.clone(), secret.clone());
                let find = move || {
                    let addresses = name.to_socket_addrs()?.collect();
                    Ok(Place { addresses, secret: secret.clone(), may_be_stale: false })
                };
                Ok(Meeting::Guest { name: address.clone(), find: Box::new(find) })
            }
            Self::File(rendezvous) if is_root => {
                let (id, listener) = UniqueId::listen(Ipv4Addr::LOCALHOST.into())?;
                let file = rendezvous.publish(&id)?;
                host(listener, id.secret(), Box::new(move || drop(file)))
            }
            Self::File(rendezvous) => {
                let name = rendezvous.path().display().to_string();
                rendezvous.check()?;
                let rendezvous = rendezvous.clone();
                let find = move || {
                    let id = rendezvous.read()?;
                    Ok(Place { addresses: vec![id.address()], secret: id.secret(), may_be_stale: true })
                };
                Ok(Meeting::Guest { name, find: Box::new(find) })
            }
        }
    }
}

fn listed(addresses: &[SocketAddr]) -> String {
    addresses.iter().map(SocketAddr::to_string).collect::<Vec<_>>().join(" or ")
}

/// Names are for the others: the name of this host may lead to its loopback here and not elsewhere.
fn listen_at(address: &str) -> io::Result<TcpListener> {
    if let Ok(address) = address.parse::<SocketAddr>() {
        return TcpListener::bind(address);
    }
    let port = address.rsplit_once(':').and_then(|(_, port)| port.parse::<u16>().ok());
    let port = port.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "it is not of the form host:port"))?;
    let any_v6: IpAddr = Ipv6Addr::UNSPECIFIED.into();
    TcpListener::bind((any_v6, port)).or_else(|_| TcpListener::bind((Ipv4Addr::UNSPECIFIED, port)))
}

fn cannot_listen(at: &str, error: &io::Error) -> Error {
    Error::new(ErrorKind::System, format!("listen at {at} for the other PEs")).because(error.to_string())
}
