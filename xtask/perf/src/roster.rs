//! The peers of a run: our program, the hardware's limit, and the peers that the options name.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::Options;
use super::comparator::{self, Against};
use super::peer::Peer;
use super::plan::On;
use super::processes::Start;
use super::report::AboutPeer;
use super::results::LIMIT;
use oxshmem_raw::settings::parse_flag;
use xtask::gpu;
use xtask::place::Place;
use xtask::programs::{self, Profile};
use xtask::ptx;
use xtask::run::Device;
use xtask::shell;

/// The name of our program.
const PROGRAM: &str = "oxshmem-perf";
/// Our name in every table.
const OURS: &str = "oxshmem";

/// Parses `NAME=PATH`.
pub(crate) fn parse_named(text: &str) -> Result<(String, PathBuf), String> {
    match text.split_once('=') {
        Some((name, path)) if !name.is_empty() && !path.is_empty() => Ok((name.to_string(), PathBuf::from(path))),
        _ => Err("it must be NAME=PATH".to_string()),
    }
}

/// Returns the device of a run: GPUs if there is one for each PE, unless the user chooses otherwise.
pub(crate) fn on(device: Device, n: u32) -> On {
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

/// Builds the missing programs, and returns the peers, ours first. None is started yet.
pub(crate) fn enlist(place: &Place, options: &Options, on: On, out: &Path) -> Result<Vec<Peer>> {
    if on == On::Gpus {
        let gpus = gpu::count().context("`perf` on GPUs")?;
        let shared = std::env::var("OXSHMEM_GPU_SHARE").is_ok_and(|text| parse_flag(&text) == Ok(true));
        if gpus < options.n && !(shared && gpus > 0) {
            bail!(
                "{} PEs need a GPU each, and the driver sees {gpus}; ask for fewer with -n, or for --device host, or let \
                 PEs share GPUs with OXSHMEM_GPU_SHARE=1, whose times are not those of separate GPUs",
                options.n
            );
        }
    }
    let start = |name: &str, program: &Path, args: &[String], env: Vec<(String, String)>| {
        let device = if on == On::Gpus { Device::Gpu } else { Device::Host };
        let (name, program) = (name.to_string(), program.to_path_buf());
        let start = Start { name, program, args: args.to_vec(), env, n: options.n, device };
        Peer::new(start, Duration::from_secs(options.row_seconds))
    };
    let ours = our_program(place, options, on)?;
    let mut peers = vec![start(OURS, &ours, &[], place.environment())];
    if options.limit {
        peers.push(start(LIMIT, &ours, &["--limit".to_string()], place.environment()));
    }
    if let Some(bytes) = options.lend {
        let args = ["--lend".to_string(), bytes.to_string()];
        peers.push(start(&format!("{OURS}-lend"), &ours, &args, place.environment()));
    }
    for (name, path) in &options.against {
        if on == On::Host && comparator::is_known(name) {
            bail!(
                "{name} runs on GPUs alone, and this run is on host PEs; leave --against out, or see `cargo xtask doctor`"
            );
        }
        let Against { program, origin, modes, environment } =
            comparator::against(place, name, path, out, options.collectives)?;
        for (mode, args) in modes {
            let mut peer = start(&mode, &program, &args, environment.clone());
            peer.origin = Some(origin);
            peers.push(peer);
        }
    }
    for (name, program) in &options.peers {
        peers.push(start(name, &named_program(program)?, &[], place.environment()));
    }
    for (index, peer) in peers.iter().enumerate() {
        if peers[..index].iter().any(|before| before.name() == peer.name()) {
            bail!("two peers are named `{}`", peer.name());
        }
    }
    Ok(peers)
}

fn our_program(place: &Place, options: &Options, on: On) -> Result<PathBuf> {
    if let Some(program) = &options.ours {
        return named_program(program);
    }
    if let (Place::Checkout(root), On::Gpus) = (place, on) {
        ptx::build_all(root, &ptx::Options::plain())?;
    }
    // Figures of host PEs in the quick profile only show that everything works.
    let profile = if options.quick && on == On::Host { Profile::Dev } else { Profile::Release };
    programs::resolve(place, PROGRAM, profile)
}

pub(crate) fn named_program(program: &Path) -> Result<PathBuf> {
    if !shell::is_program(program) {
        bail!("{} is not a program", program.display());
    }
    // A program may depend on the name by which it is called, so links are kept.
    std::path::absolute(program).with_context(|| format!("cannot reach {}", program.display()))
}

/// Returns the description of each peer.
pub(crate) fn about(peers: &[Peer]) -> BTreeMap<String, AboutPeer> {
    let of = |peer: &Peer| AboutPeer {
        program: peer.start.program.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        origin: peer.origin,
        args: peer.start.args.iter().map(|arg| super::without_folders(arg)).collect(),
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
        let environment = crate::nvshmem::environment(Path::new("/somewhere/nvshmem"));
        assert!(environment.iter().any(|(_, value)| value.contains("/somewhere")), "{environment:?}");
        let told = told(&environment);
        // NVSHMEM makes some of its calls by NCCL.
        for name in ["NVSHMEM_DISABLE_NVLS", "NCCL_NVLS_ENABLE"] {
            assert!(told.contains_key(name), "{told:?}");
        }
        assert!(told.iter().all(|(name, value)| !name.contains("PATH") && !value.contains('/')), "{told:?}");
    }

    #[test]
    fn a_peer_is_a_name_and_a_path() {
        assert_eq!(parse_named("a=/b=c"), Ok(("a".into(), "/b=c".into())));
        for wrong in ["a", "=b", "a=", ""] {
            assert!(parse_named(wrong).is_err(), "{wrong}");
        }
    }
}
