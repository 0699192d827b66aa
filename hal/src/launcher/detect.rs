//! Detects this process's PE number and the meeting point from the environment that a launcher set.
//!
//! [`detect`] is a pure function over variables and process ids.
//! [`BootstrapConfig::from_env`](crate::bootstrap::BootstrapConfig::from_env) applies it to this process.

use std::os::fd::RawFd;
use std::path::PathBuf;

use oxshmem_core::{Error, ErrorKind, Result};
use oxshmem_raw::os::private::folder_of_user;

use crate::bootstrap::meeting::uid::{Rendezvous, Secret, UniqueId};

/// The inputs of [`detect`] that are not variables.
#[derive(Clone, Copy, Debug)]
pub struct ProcessIds {
    /// User id of this process.
    pub user: u32,
    /// Process number of its parent. The PEs of one host share it, so it identifies the job if the launcher names none.
    pub parent: u32,
}

/// The launcher that started this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartedBy {
    /// The launcher of this project, or any that sets `OXSHMEM_PE` and `OXSHMEM_N_PES`.
    Oxshmem,
    /// Open MPI's `mpirun`.
    OpenMpi,
    /// A launcher that speaks PMI (MPICH, Intel MPI, MVAPICH).
    Pmi,
    /// A launcher that speaks PMIx.
    Pmix,
    /// `srun`.
    Slurm,
    /// `torchrun`.
    Torchrun,
}

/// The meeting point that the environment names.
#[derive(Clone, Debug)]
pub enum MeetingPoint {
    /// A unique id. PE 0 may have inherited its listening socket under this descriptor number.
    Id(UniqueId, Option<RawFd>),
    /// A `host:port` and the secret.
    Address(String, Secret),
    /// A file.
    File(Rendezvous),
    /// None: the world has one PE.
    Alone,
}

/// The result of [`detect`].
#[derive(Clone, Debug)]
pub struct Detected {
    /// The launcher that set the variables.
    pub by: StartedBy,
    /// This PE.
    pub pe: u32,
    /// Number of PEs.
    pub n_pes: u32,
    /// The meeting point of the PEs.
    pub meeting_point: MeetingPoint,
}

/// The variables of one launcher, in order of precedence.
struct LauncherVariables {
    by: StartedBy,
    pe: &'static [&'static str],
    n_pes: &'static [&'static str],
    /// Number of PEs on this host; fewer than all PEs means several hosts.
    local_pes: &'static [&'static str],
    /// The variables that identify the job: its name consists of all that are set.
    job: &'static [&'static str],
}

/// In order of precedence: a launcher that runs inside another one comes first.
const LAUNCHERS: [LauncherVariables; 5] = [
    LauncherVariables {
        by: StartedBy::OpenMpi,
        pe: &["OMPI_COMM_WORLD_RANK"],
        n_pes: &["OMPI_COMM_WORLD_SIZE"],
        local_pes: &["OMPI_COMM_WORLD_LOCAL_SIZE"],
        job: &["PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "PMIX_SERVER_URI2"],
    },
    LauncherVariables {
        by: StartedBy::Torchrun,
        pe: &["RANK"],
        n_pes: &["WORLD_SIZE"],
        local_pes: &["LOCAL_WORLD_SIZE"],
        job: &["MASTER_ADDR", "MASTER_PORT", "TORCHELASTIC_RUN_ID", "TORCHELASTIC_RESTART_COUNT"],
    },
    LauncherVariables {
        by: StartedBy::Pmi,
        pe: &["PMI_RANK"],
        n_pes: &["PMI_SIZE"],
        local_pes: &["MPI_LOCALNRANKS", "PMI_LOCAL_SIZE"],
        job: &["PMI_JOBID", "SLURM_JOB_ID", "SLURM_STEP_ID"],
    },
    LauncherVariables {
        by: StartedBy::Pmix,
        pe: &["PMIX_RANK"],
        n_pes: &["PMIX_SIZE", "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"],
        local_pes: &["PMIX_LOCAL_SIZE"],
        job: &["PMIX_NAMESPACE"],
    },
    LauncherVariables {
        by: StartedBy::Slurm,
        pe: &["SLURM_PROCID"],
        n_pes: &["SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"],
        local_pes: &[],
        job: &["SLURM_JOB_ID", "SLURM_STEP_ID"],
    },
];

/// Looks a variable up by name.
pub(crate) type Variables<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Reads the environment; `None` if no launcher set it.
///
/// # Errors
/// `Malformed` or `OutOfRange` for an impossible value, with the name of its variable; `NotFound` if the launcher
/// provides no meeting point for PEs on several hosts, or no secret for them, with the variable to set.
pub fn detect(variables: Variables<'_>, ids: ProcessIds) -> Result<Option<Detected>> {
    // An empty variable counts as unset.
    let get = |name: &str| variables(name).filter(|value| !value.is_empty());
    let launcher = launcher(&get);
    let ours = get("OXSHMEM_PE").is_some();
    let (pe_names, size_names, by) = match launcher {
        None if !ours => return Ok(None),
        None => (&[][..], &[][..], StartedBy::Oxshmem),
        Some(launcher) => (launcher.pe, launcher.n_pes, if ours { StartedBy::Oxshmem } else { launcher.by }),
    };
    let pe = number(&get, "OXSHMEM_PE", pe_names)?.ok_or_else(|| missing("which PE this is", "OXSHMEM_PE"))?;
    let n_pes = number(&get, "OXSHMEM_N_PES", size_names)?;
    let n_pes = n_pes.ok_or_else(|| missing("how many PEs there are", "OXSHMEM_N_PES"))?;
    if pe.value >= n_pes.value || n_pes.value > crate::bootstrap::MAX_PES {
        return Err(Error::new(ErrorKind::OutOfRange, "find this PE in the environment").because(format!(
            "{} is {}, {} is {}; a world has 1 to {} PEs, numbered from 0",
            pe.name,
            pe.value,
            n_pes.name,
            n_pes.value,
            crate::bootstrap::MAX_PES
        )));
    }
    let meeting_point = meeting_point(&get, launcher, pe.value, n_pes.value, ids)?;
    Ok(Some(Detected { by, pe: pe.value, n_pes: n_pes.value, meeting_point }))
}

/// Returns the launcher that started this process. `get` must not return empty values.
pub(crate) fn started_by(get: Variables<'_>) -> Option<StartedBy> {
    launcher(get).map(|launcher| launcher.by)
}

fn launcher(get: Variables<'_>) -> Option<&'static LauncherVariables> {
    let known = |names: &[&str]| names.iter().any(|name| get(name).is_some());
    LAUNCHERS.iter().find(|launcher| {
        // Other programs use the name `RANK` too.
        known(launcher.pe) && (launcher.by != StartedBy::Torchrun || (known(launcher.n_pes) && known(&["MASTER_ADDR"])))
    })
}

struct NumberVariable {
    name: String,
    value: u32,
}

fn number(get: Variables<'_>, ours: &str, names: &[&str]) -> Result<Option<NumberVariable>> {
    let first = std::iter::once(ours).chain(names.iter().copied()).find_map(|name| Some((name, get(name)?)));
    let Some((name, text)) = first else { return Ok(None) };
    let value = text.trim().parse().map_err(|_| {
        Error::new(ErrorKind::Malformed, format!("read {name}")).because(format!("`{text}` is not a number of PEs"))
    })?;
    Ok(Some(NumberVariable { name: name.into(), value }))
}

fn missing(what: &str, variable: &str) -> Error {
    Error::new(ErrorKind::NotFound, "find this PE in the environment")
        .because(format!("the launcher does not say {what}"))
        .hint(format!("set {variable}"))
}

fn meeting_point(
    get: Variables<'_>,
    launcher: Option<&LauncherVariables>,
    pe: u32,
    n_pes: u32,
    ids: ProcessIds,
) -> Result<MeetingPoint> {
    if let Some(text) = get("OXSHMEM_UID") {
        let id = text.parse()?;
        let fd = get("OXSHMEM_ROOT_FD").filter(|_| pe == 0);
        let fd = fd.map(|text| text.parse().map_err(|_| malformed("OXSHMEM_ROOT_FD", "it is not a descriptor number")));
        return Ok(MeetingPoint::Id(id, fd.transpose()?));
    }
    if n_pes == 1 {
        return Ok(MeetingPoint::Alone);
    }
    let secret = get("OXSHMEM_SECRET").map(|text| Secret::from_hex(&text)).transpose()?;
    let address = get("OXSHMEM_ROOT");
    match (address, secret) {
        (Some(address), Some(secret)) => Ok(MeetingPoint::Address(check_address(address)?, secret)),
        (Some(_), None) => Err(no_secret("OXSHMEM_ROOT says where PE 0 is, but there is no secret that admits a PE")),
        (None, secret) => {
            let Some(launcher) = launcher else {
                return Err(missing("where the PEs meet", "OXSHMEM_UID, or OXSHMEM_ROOT and OXSHMEM_SECRET"));
            };
            if on_one_host(get, launcher, n_pes)? {
                return Ok(MeetingPoint::File(Rendezvous::new(directory(get, ids), &job(get, launcher, ids))));
            }
            let Some(address) = root_of(get, launcher)? else {
                return Err(missing("where PEs on several hosts meet", "OXSHMEM_ROOT (host:port) and OXSHMEM_SECRET"));
            };
            let secret = secret
                .ok_or_else(|| no_secret("the PEs are on several hosts, and there is no secret that admits a PE"))?;
            Ok(MeetingPoint::Address(address, secret))
        }
    }
}

fn malformed(name: &str, reason: &str) -> Error {
    Error::new(ErrorKind::Malformed, format!("read {name}")).because(reason)
}

fn no_secret(reason: &str) -> Error {
    Error::new(ErrorKind::NotFound, "let the PEs meet")
        .because(reason)
        .hint("set OXSHMEM_SECRET to the same 64 hexadecimal digits on all PEs (`openssl rand -hex 32` makes some)")
}

fn check_address(address: String) -> Result<String> {
    match address.rsplit_once(':') {
        Some((host, port)) if !host.is_empty() && port.parse::<u16>().is_ok_and(|port| port > 0) => Ok(address),
        _ => Err(malformed("OXSHMEM_ROOT", &format!("`{address}` is not of the form host:port"))),
    }
}

fn on_one_host(get: Variables<'_>, launcher: &LauncherVariables, n_pes: u32) -> Result<bool> {
    for name in launcher.local_pes {
        if let Some(text) = get(name) {
            let local: u32 = text.trim().parse().map_err(|_| malformed(name, "not a number of PEs"))?;
            return Ok(local >= n_pes);
        }
    }
    let nodes = ["SLURM_STEP_NUM_NODES", "SLURM_NNODES"].iter().find_map(|name| get(name));
    let listed = ["SLURM_STEP_NODELIST", "SLURM_NODELIST"].iter().find_map(|name| get(name));
    Ok(match (nodes, listed) {
        (Some(nodes), _) => nodes.trim() == "1",
        // `n1,n2`, `n[1,2]` and `n[1-2]` are several hosts; `n-1` is one.
        (None, Some(list)) => !list.contains(',') && !list.split_once('[').is_some_and(|(_, n)| n.contains('-')),
        // No variable mentions other hosts.
        (None, None) => true,
    })
}

/// Derives the address where PEs on several hosts meet, if the launcher names a host.
fn root_of(get: Variables<'_>, launcher: &LauncherVariables) -> Result<Option<String>> {
    if launcher.by == StartedBy::Torchrun {
        let (Some(host), Some(port)) = (get("MASTER_ADDR"), get("MASTER_PORT")) else { return Ok(None) };
        let port: u16 = port.trim().parse().map_err(|_| malformed("MASTER_PORT", "not a port"))?;
        // torch's store listens on the port itself.
        let port = port.checked_add(1).unwrap_or(port - 1);
        return Ok(Some(host_and_port(&host, port)));
    }
    let Some(list) = get("SLURM_STEP_NODELIST") else { return Ok(None) };
    let job = job_number(get);
    Ok(Some(host_and_port(&first_host(&list), 20_000 + (job % 10_000) as u16)))
}

fn host_and_port(host: &str, port: u16) -> String {
    if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
}

/// Combines the numbers of job and step.
fn job_number(get: Variables<'_>) -> u64 {
    let number = |name: &str| get(name).and_then(|text| text.trim().parse::<u64>().ok()).unwrap_or(0);
    number("SLURM_JOB_ID").wrapping_mul(31).wrapping_add(number("SLURM_STEP_ID"))
}

/// Returns the first host of a list in Slurm's notation: `a[03-05,7],b` begins with `a03`.
fn first_host(list: &str) -> String {
    let end = list.find([',', '[']).unwrap_or(list.len());
    let (host, rest) = list.split_at(end);
    let Some(ranges) = rest.strip_prefix('[') else { return host.into() };
    let first = ranges.split([',', '-', ']']).next().unwrap_or_default();
    let suffix = ranges.split_once(']').map_or("", |(_, after)| after.split(',').next().unwrap_or_default());
    format!("{host}{first}{suffix}")
}

fn job(get: Variables<'_>, launcher: &LauncherVariables, ids: ProcessIds) -> String {
    let known: Vec<String> = launcher.job.iter().filter_map(|name| Some(format!("{name}={}", get(name)?))).collect();
    match known.is_empty() {
        true => format!("{:?} parent {}", launcher.by, ids.parent),
        false => known.join(" "),
    }
}

fn directory(get: Variables<'_>, ids: ProcessIds) -> PathBuf {
    match get("XDG_RUNTIME_DIR") {
        Some(directory) => PathBuf::from(directory).join("oxshmem"),
        None => folder_of_user(ids.user),
    }
}

#[cfg(test)]
#[path = "tests/detect.rs"]
mod tests;
