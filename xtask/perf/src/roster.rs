//! The peers of a run: our program, the hardware's limit, and the peers that the options name.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::Options;
use super::comparator::{self, Against, named_program};
use super::peer::Peer;
use super::plan::On;
use super::processes::Start;
use super::report::AboutPeer;
use super::results::{LIMIT, OURS};
use oxshmem_raw::settings::parse_flag;
use xtask::gpu;
use xtask::place::Place;
use xtask::programs::{self, Profile};
use xtask::ptx;
use xtask::run::Device;

/// The program of worlds.
pub(crate) const PROGRAM: &str = "oxshmem-perf";

/// Parses `NAME=PATH`.
pub(crate) fn parse_named(text: &str) -> Result<(String, PathBuf), String> {
    match text.split_once('=') {
        Some((name, path)) if !name.is_empty() && !path.is_empty() => Ok((name.to_string(), PathBuf::from(path))),
        _ => Err("it must be NAME=PATH".to_string()),
    }
}

/// Peers that are not started yet.
pub(crate) struct Roster<'a> {
    pub options: &'a Options,
    pub on: On,
    n: u32,
    peers: Vec<Peer>,
}

impl<'a> Roster<'a> {
    /// Returns an empty roster of peers with `n` processes each.
    pub(crate) fn new(options: &'a Options, on: On, n: u32) -> Self {
        Self { options, on, n, peers: Vec::new() }
    }

    pub(crate) fn add(&mut self, name: &str, program: &Path, args: Vec<String>, env: Vec<(String, String)>) {
        let device = if self.on == On::Gpus { Device::Gpu } else { Device::Host };
        let (name, program) = (name.to_string(), program.to_path_buf());
        let start = Start { name, program, args, env, n: self.n, device };
        self.peers.push(Peer::new(start, Duration::from_secs(self.options.row_seconds)));
    }

    /// Adds each mode of another library, with `args` before its own.
    pub(crate) fn add_library(&mut self, against: Against, args: &[String]) {
        for (mode, own) in against.modes {
            self.add(&mode, &against.program, [args, &own].concat(), against.environment.clone());
            self.peers.last_mut().expect("it was added").origin = Some(against.origin);
        }
    }

    /// Adds the programs that `--peer` names.
    pub(crate) fn add_others(&mut self, env: &[(String, String)]) -> Result<()> {
        for (name, program) in &self.options.peers {
            self.add(name, &named_program(program)?, Vec::new(), env.to_vec());
        }
        Ok(())
    }

    /// Returns our program: the one that the options name, or `name`.
    pub(crate) fn ours(&self, place: &Place, name: &str, profile: Profile) -> Result<PathBuf> {
        match &self.options.ours {
            Some(program) => named_program(program),
            None => programs::resolve(place, name, profile),
        }
    }

    /// Returns the peers.
    ///
    /// # Errors
    /// Two have one name.
    pub(crate) fn complete(self) -> Result<Vec<Peer>> {
        for (index, peer) in self.peers.iter().enumerate() {
            if self.peers[..index].iter().any(|before| before.name() == peer.name()) {
                bail!("two peers are named `{}`", peer.name());
            }
        }
        Ok(self.peers)
    }
}

/// Returns the device of worlds: GPUs if there is one for each PE, unless the user chooses otherwise.
pub(crate) fn on(options: &Options) -> Result<On> {
    Ok(on_for(options.device, options.n))
}

/// Returns the device of a world of `n` PEs.
pub(crate) fn on_for(device: Device, n: u32) -> On {
    let told = std::env::var("OXSHMEM_DEVICE").unwrap_or_default();
    match device {
        Device::Gpu => On::Gpus,
        Device::Host => On::Host,
        Device::Auto if told == "host" => On::Host,
        Device::Auto if told.starts_with("gpu") => On::Gpus,
        Device::Auto if gpu::count().is_ok_and(|gpus| gpus >= n) => On::Gpus,
        Device::Auto => On::Host,
    }
}

/// Checks that each of `n` PEs has a GPU.
///
/// # Errors
/// There are fewer, and they are not shared; the message ends with `instead`, a way out.
pub(crate) fn check_gpus(n: u32, instead: &str) -> Result<()> {
    let gpus = gpu::count().context("`perf` on GPUs")?;
    let shared = std::env::var("OXSHMEM_GPU_SHARE").is_ok_and(|text| parse_flag(&text) == Ok(true));
    if gpus < n && !(shared && gpus > 0) {
        bail!(
            "{n} PEs need a GPU each, and the driver sees {gpus}; {instead}, or let PEs share GPUs with \
             OXSHMEM_GPU_SHARE=1, whose times are not those of separate GPUs"
        );
    }
    Ok(())
}

/// Enlists worlds: ours, the limit, and other libraries.
pub(crate) fn enlist(roster: &mut Roster<'_>, place: &Place, out: &Path) -> Result<()> {
    let (options, on) = (roster.options, roster.on);
    if on == On::Gpus {
        check_gpus(options.n, "ask for fewer with -n, or for --device host")?;
    }
    if let (Place::Checkout(root), On::Gpus, None) = (place, on, &options.ours) {
        ptx::build_all(root, &ptx::Options::plain())?;
    }
    // Figures of host PEs in the quick profile only show that everything works.
    let profile = if options.quick && on == On::Host { Profile::Dev } else { Profile::Release };
    let ours = roster.ours(place, PROGRAM, profile)?;
    roster.add(OURS, &ours, Vec::new(), place.environment());
    if options.limit {
        roster.add(LIMIT, &ours, vec!["--limit".to_string()], place.environment());
    }
    if let Some(bytes) = options.lend {
        let args = vec!["--lend".to_string(), bytes.to_string()];
        roster.add(&format!("{OURS}-lend"), &ours, args, place.environment());
    }
    for (name, path) in &options.against {
        let library = comparator::library(name)?;
        if on == On::Host {
            bail!(
                "{name} runs on GPUs alone, and this run is on host PEs; leave --against out, or see `cargo xtask doctor`"
            );
        }
        roster.add_library(library.against(place, path, out, options.collectives)?, &[]);
    }
    roster.add_others(&place.environment())
}

/// Returns the description of each peer.
pub(crate) fn about(peers: &[Peer]) -> BTreeMap<String, AboutPeer> {
    let of = |peer: &Peer| AboutPeer {
        program: peer.start.program.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        origin: peer.origin,
        args: peer.start.args.iter().map(|arg| super::report::without_folders(arg)).collect(),
        environment: told(&peer.start.env),
        version: peer.ready.as_ref().map(|ready| ready.version.clone()),
        device: peer.ready.as_ref().map(|ready| ready.device.clone()),
        driver: peer.ready.as_ref().map(|ready| ready.driver.clone()),
    };
    peers.iter().map(|peer| (peer.name().to_string(), of(peer))).collect()
}

/// Returns the variables of a peer that control its library, without those that contain paths.
fn told(environment: &[(String, String)]) -> BTreeMap<String, String> {
    let tells = |(name, value): &&(String, String)| !name.contains("PATH") && !value.contains('/');
    environment.iter().filter(tells).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_peer_is_told_is_kept_without_this_machines_paths() {
        let of = |(name, value): (&str, &str)| (name.to_string(), value.to_string());
        let environment =
            [("NVSHMEM_DISABLE_NVLS", "1"), ("LD_LIBRARY_PATH", "lib"), ("NVSHMEM_HOME", "/somewhere/nvshmem")].map(of);
        assert_eq!(told(&environment), BTreeMap::from([of(("NVSHMEM_DISABLE_NVLS", "1"))]));
    }

    #[test]
    fn a_peer_is_a_name_and_a_path() {
        assert_eq!(parse_named("a=/b=c"), Ok(("a".into(), "/b=c".into())));
        for wrong in ["a", "=b", "a=", ""] {
            assert!(parse_named(wrong).is_err(), "{wrong}");
        }
    }
}
