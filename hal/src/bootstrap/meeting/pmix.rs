//! Meeting through the launcher's PMIx server: PE 0 publishes its addresses there, and the other PEs read them.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use oxshmem_core::{Error, ErrorKind, Pe, Result};
use oxshmem_raw::os::pmix::{Client, Library};

use super::detect::{StartedBy, Variables, started_by};
use super::uid::{Secret, UniqueId};
use super::{BootstrapConfig, RootAt};
use crate::bootstrap::addresses::{host_addresses, listen_at, listen_to_others, same_network_first};
use crate::config::BootstrapChoice;

/// The key under which PE 0 publishes the meeting point.
const KEY: &str = "oxshmem.world";
/// First byte of the published value: `IDS` before unique ids, which differ in their addresses, or `FAILED` before the
/// reason why there are none.
const IDS: u8 = b'I';
const FAILED: u8 = b'F';
const ID_BYTES: usize = 128;

/// The variables that a launcher with PMIx sets: the job's name, and one address or more of its server.
const NAMESPACE: &str = "PMIX_NAMESPACE";
const SERVERS: [&str; 5] =
    ["PMIX_SERVER_URI41", "PMIX_SERVER_URI4", "PMIX_SERVER_URI3", "PMIX_SERVER_URI21", "PMIX_SERVER_URI2"];

/// Whether to ask PMIx for this PE's number.
///
/// # Errors
/// `NotFound` if PMIx was chosen and no launcher offers it.
pub(in crate::bootstrap) fn is_asked(variables: Variables<'_>, choice: BootstrapChoice) -> Result<bool> {
    let get = |name: &str| variables(name).filter(|value| !value.is_empty());
    let offered = get(NAMESPACE).is_some() && SERVERS.iter().any(|server| get(server).is_some());
    match choice {
        BootstrapChoice::Env => Ok(false),
        BootstrapChoice::Pmix if offered => Ok(true),
        BootstrapChoice::Pmix => Err(Error::new(ErrorKind::NotFound, "find this PE through PMIx")
            .because(format!("{NAMESPACE} and PMIX_SERVER_URI* are not set, so no launcher offers it"))
            .hint("start the program by `mpirun` or `srun --mpi=pmix`, or choose OXSHMEM_BOOTSTRAP=auto")),
        BootstrapChoice::Auto => {
            // This project's own variables take precedence. `torchrun` inside a job's process numbers its own
            // processes.
            let ours = ["OXSHMEM_PE", "OXSHMEM_UID", "OXSHMEM_ROOT"].iter().any(|name| get(name).is_some());
            let inner = started_by(&get) == Some(StartedBy::Torchrun);
            Ok(offered && !ours && !inner)
        }
    }
}

/// The operations of a launcher's PMIx server for the processes of a job.
pub(in crate::bootstrap) trait PmixServer {
    /// The number of this process in the job.
    fn rank(&self) -> u32;
    /// Number of processes in the job.
    fn job_size(&self) -> Result<u32>;
    /// Number of processes on this host, if known.
    fn local_size(&self) -> Result<Option<u32>>;
    /// Publishes bytes, which the others can [`get`](Self::get) after the next fence.
    fn put(&self, key: &str, bytes: &[u8]) -> Result<()>;
    /// Waits for all processes of the job.
    fn fence(&self, limit: Option<Duration>) -> Result<()>;
    /// Returns the bytes that process `rank` published.
    fn get(&self, rank: u32, key: &str, limit: Option<Duration>) -> Result<Vec<u8>>;
}

impl PmixServer for Client {
    fn rank(&self) -> u32 {
        self.rank()
    }

    fn job_size(&self) -> Result<u32> {
        self.job_size()
    }

    fn local_size(&self) -> Result<Option<u32>> {
        self.local_size()
    }

    fn put(&self, key: &str, bytes: &[u8]) -> Result<()> {
        self.put(key, bytes)
    }

    fn fence(&self, limit: Option<Duration>) -> Result<()> {
        self.fence(limit)
    }

    fn get(&self, rank: u32, key: &str, limit: Option<Duration>) -> Result<Vec<u8>> {
        self.get(rank, key, limit)
    }
}

/// The server's answers to this process. It is asked once: all worlds of a process meet at one place, as with a unique
/// id.
static JOB: Mutex<Option<PmixJob>> = Mutex::new(None);

#[derive(Clone, Debug)]
pub(in crate::bootstrap) struct PmixJob {
    pub(in crate::bootstrap) pe: u32,
    pub(in crate::bootstrap) n_pes: u32,
    pub(in crate::bootstrap) root: RootAt,
}

/// Returns this process's configuration in its job. The first call is collective over the job.
///
/// # Errors
/// As [`find_world`], and if the server rejects this process.
pub(in crate::bootstrap) fn job_config(library: Library, limit: Option<Duration>) -> Result<BootstrapConfig> {
    let mut known = JOB.lock().unwrap_or_else(PoisonError::into_inner);
    let job = match &*known {
        Some(job) => job.clone(),
        None => known.insert(find_world(&Client::connect(library)?, limit)?).clone(),
    };
    let PmixJob { pe, n_pes, root } = job;
    Ok(BootstrapConfig { pe: Pe::new(pe), n_pes, root, limit, host: std::env::var("OXSHMEM_HOST").ok() })
}

/// Finds this PE's number and the addresses at which PE 0 listens.
///
/// # Errors
/// `OutOfRange` for a job that is too large for a world; `Timeout` if some processes of the job did not join;
/// `Unreachable` with PE 0's reason if PE 0 can't listen; the server's own errors.
pub(in crate::bootstrap) fn find_world(server: &impl PmixServer, limit: Option<Duration>) -> Result<PmixJob> {
    let (pe, n_pes) = (server.rank(), server.job_size()?);
    if pe >= n_pes || n_pes > crate::bootstrap::MAX_PES {
        return Err(Error::new(ErrorKind::OutOfRange, "find this PE through PMIx").because(format!(
            "this is process {pe} of {n_pes}; a world has 1 to {} PEs, numbered from 0",
            crate::bootstrap::MAX_PES
        )));
    }
    if n_pes == 1 {
        return Ok(PmixJob { pe, n_pes, root: RootAt::Alone });
    }
    // A process that fails before the fence still takes part in it, so that the others don't wait for it in vain.
    let one_host = server.local_size().map(|local| local.is_some_and(|local| local >= n_pes));
    if pe != 0 {
        server.fence(limit)?;
        let (mut addresses, secret) = decode(&server.get(0, KEY, limit)?)?;
        same_network_first(&mut addresses, &host_addresses());
        return Ok(PmixJob { pe, n_pes, root: RootAt::Addresses { addresses, secret, listener: None } });
    }
    let listener = one_host.and_then(listen);
    let published = server.put(KEY, &encode(&listener));
    server.fence(limit)?;
    published?;
    let RootListener { listener, addresses, secret } = listener?;
    Ok(PmixJob { pe, n_pes, root: RootAt::Addresses { addresses, secret, listener: Some(Arc::new(listener)) } })
}

struct RootListener {
    listener: TcpListener,
    addresses: Vec<SocketAddr>,
    secret: Secret,
}

/// Listens on the loopback interface if all PEs are on this host, so that no other host can connect; otherwise on all
/// addresses, which PEs on other hosts try until one is reachable.
fn listen(one_host: bool) -> Result<RootListener> {
    let (listener, addresses) = if one_host { listen_at(Ipv4Addr::LOCALHOST.into())? } else { listen_to_others(None)? };
    Ok(RootListener { listener, addresses, secret: Secret::fresh()? })
}

fn encode(listener: &Result<RootListener>) -> Vec<u8> {
    match listener {
        Ok(RootListener { addresses, secret, .. }) => {
            let ids = addresses.iter().flat_map(|address| UniqueId::new(*address, secret).to_bytes());
            std::iter::once(IDS).chain(ids).collect()
        }
        Err(error) => std::iter::once(FAILED).chain(error.to_string().into_bytes()).collect(),
    }
}

fn decode(published: &[u8]) -> Result<(Vec<SocketAddr>, Secret)> {
    let action = "learn from PE 0 where the PEs meet";
    let malformed = || {
        Error::new(ErrorKind::Malformed, action)
            .because(format!("the {} bytes that it published are of another version of oxshmem", published.len()))
            .about(Pe::new(0))
    };
    let ids = match published.split_first() {
        Some((&FAILED, why)) => {
            let why = format!("it {}", String::from_utf8_lossy(why));
            return Err(Error::new(ErrorKind::Unreachable, action).because(why).about(Pe::new(0)));
        }
        Some((&IDS, ids)) => ids,
        _ => return Err(malformed()),
    };
    let (ids, rest) = ids.as_chunks::<ID_BYTES>();
    let ids = ids.iter().map(|bytes| UniqueId::from_bytes(*bytes)).collect::<Result<Vec<_>>>()?;
    match ids.first() {
        Some(first) if rest.is_empty() => Ok((ids.iter().map(UniqueId::address).collect(), first.secret())),
        _ => Err(malformed()),
    }
}

#[cfg(test)]
#[path = "tests/pmix.rs"]
mod tests;
