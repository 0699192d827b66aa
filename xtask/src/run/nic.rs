//! A NIC for the PEs of a world: the software ConnectX, driven by the real libibverbs and libmlx5.

use std::ffi::{OsStr, OsString};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use oxshmem_raw::os::private::Scratch;

use crate::place::Place;
use crate::programs;
use crate::rdma::Rdma;

/// The package of the shared object that replaces the device files.
const PRELOAD: &str = "oxshmem-softnic-preload";
/// The file in the wire's folder in which processes record the rules that their driver broke.
const VIOLATIONS: &str = "violations";

/// The options of the NIC.
#[derive(Args, Clone, Debug, Default)]
#[group(skip)]
pub struct Options {
    /// Connects the PEs by a NIC in place of loads and stores, each PE with a software ConnectX of its own. With
    /// `soft`, kernels write its queues (IBGDA); with `ibrc-soft`, proxy threads post ordinary verbs (IBRC); with
    /// `ibdevx-soft`, proxy threads write its queues.
    #[arg(long, value_enum)]
    pub nic: Option<Kind>,
    /// Seed of the order and the delays that the software NIC chooses; 0 is in order and without delay.
    #[arg(long, value_name = "SEED", requires = "nic")]
    pub nic_seed: Option<u64>,
    /// The NIC model that the software NIC imitates [default: cx7].
    #[arg(long, value_enum, requires = "nic")]
    pub nic_profile: Option<Profile>,
    /// The link layer of the software NIC [default: ib].
    #[arg(long, value_enum, requires = "nic")]
    pub nic_link: Option<Link>,
    /// Number of software NICs, all of which each PE uses [default: 1].
    #[arg(long, value_name = "NICS", requires = "nic", value_parser = clap::value_parser!(u32).range(1..=16))]
    pub nic_count: Option<u32>,
    /// Lets PEs in groups of this size reach each other by loads and stores, and only other PEs by the NIC.
    #[arg(long, value_name = "PES", requires = "nic", value_parser = clap::value_parser!(u32).range(1..))]
    pub nic_near: Option<u32>,
}

/// A NIC, by the author of its queues' entries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// The software ConnectX, with entries written by kernels.
    #[default]
    Soft,
    /// The software ConnectX, with entries written by libmlx5 for proxy threads that post verbs.
    IbrcSoft,
    /// The software ConnectX, with entries written by proxy threads.
    IbdevxSoft,
}

impl Kind {
    /// Returns the transport that drives it.
    fn transport(self) -> &'static str {
        match self {
            Self::Soft => "ibgda",
            Self::IbrcSoft => "ibrc",
            Self::IbdevxSoft => "ibdevx",
        }
    }
}

/// The model whose capabilities the software NIC has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Profile {
    /// ConnectX-6.
    Cx6,
    /// ConnectX-7.
    Cx7,
    /// ConnectX-8.
    Cx8,
}

/// A link layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Link {
    /// InfiniBand.
    Ib,
    /// Ethernet, with RoCE v2.
    Roce,
}

impl Options {
    /// Returns the options of the software NIC with this seed.
    pub(crate) fn soft(seed: u64) -> Self {
        Self::of(Kind::Soft, seed)
    }

    /// Returns the options of a NIC of this kind with this seed.
    pub(crate) fn of(kind: Kind, seed: u64) -> Self {
        Self { nic: Some(kind), nic_seed: Some(seed), ..Self::default() }
    }

    /// Returns the options as a user would type them.
    pub(crate) fn words(&self) -> String {
        let kind = self.nic.iter().map(|kind| format!("--nic {}", typed(*kind)));
        let seed = self.nic_seed.iter().map(|seed| format!("--nic-seed {seed}"));
        let profile = self.nic_profile.iter().map(|profile| format!("--nic-profile {}", typed(*profile)));
        let link = self.nic_link.iter().map(|link| format!("--nic-link {}", typed(*link)));
        let near = self.nic_near.iter().map(|near| format!("--nic-near {near}"));
        let count = self.nic_count.iter().map(|count| format!("--nic-count {count}"));
        kind.chain(seed).chain(profile).chain(link).chain(count).chain(near).collect::<Vec<_>>().join(" ")
    }
}

/// A software NIC that is built, and the libraries that drive it.
#[derive(Clone, Debug)]
pub struct SoftNic {
    /// The shared object that replaces the device files.
    preload: PathBuf,
    /// Name and value of each further variable of the PEs.
    environment: Vec<(String, OsString)>,
}

impl SoftNic {
    /// Prepares the NIC of the options, or returns `None` if they name none. Builds the NIC and fetches libraries if
    /// they are missing.
    pub fn prepare(place: &Place, options: &Options) -> Result<Option<Self>> {
        if options.nic.is_none() {
            return Ok(None);
        }
        let rdma = Self::libraries(place)?;
        let preload = programs::build_shared(place.checkout("run --nic")?, PRELOAD)?;
        let environment = environment(&rdma, options, |name| std::env::var_os(name));
        Ok(Some(Self { preload, environment }))
    }

    /// Returns the libraries that drive it: the system's, or fetched.
    ///
    /// # Errors
    /// The libraries are missing and can't be fetched, or this is no checkout.
    pub(crate) fn libraries(place: &Place) -> Result<Rdma> {
        let root = place.checkout("run --nic")?;
        Rdma::find(root).context("the software NIC stands under libibverbs and libmlx5, which are missing")
    }

    /// Makes the wire of one world.
    pub fn wire(&self) -> Result<Wire> {
        let folder = Scratch::new("nic")?;
        // The loader separates the paths of this variable by colons and spaces, and has no way to quote them.
        let link = folder.join("nic.so");
        symlink(&self.preload, &link).with_context(|| format!("cannot make the link {}", link.display()))?;
        if separates(link.as_os_str()) {
            bail!(
                "TMPDIR names {}: a path with a space or a colon, from which nothing can be preloaded",
                folder.display()
            );
        }
        let mut environment = self.environment.clone();
        environment.push(("LD_PRELOAD".to_string(), preloaded(&link, std::env::var_os("LD_PRELOAD"))));
        environment.push(("OXSHMEM_SOFTNIC_WIRE".to_string(), folder.as_os_str().to_os_string()));
        Ok(Wire { folder, environment })
    }
}

/// Returns whether the loader would take a path for several.
fn separates(path: &OsStr) -> bool {
    path.as_encoded_bytes().iter().any(|byte| b" :".contains(byte))
}

/// Returns the value of `LD_PRELOAD` that has the library before those of the user's.
fn preloaded(library: &Path, of_user: Option<OsString>) -> OsString {
    let mut preloaded = library.as_os_str().to_os_string();
    if let Some(others) = of_user.filter(|others| !others.is_empty()) {
        preloaded.push(":");
        preloaded.push(others);
    }
    preloaded
}

/// Returns the variables of the PEs, but for `LD_PRELOAD`. A variable of the user's, as `variable` returns it, takes
/// precedence.
fn environment(rdma: &Rdma, options: &Options, variable: impl Fn(&str) -> Option<OsString>) -> Vec<(String, OsString)> {
    let mut told: Vec<(String, OsString)> = Vec::new();
    let mut tell = |name: &str, value: OsString| told.push((name.to_string(), value));
    rdma.environment().into_iter().for_each(|(name, value)| tell(name, value));
    if let Some(seed) = options.nic_seed {
        tell("OXSHMEM_SOFTNIC_SEED", seed.to_string().into());
    }
    if let Some(profile) = options.nic_profile {
        tell("OXSHMEM_SOFTNIC_PROFILE", typed(profile).into());
    }
    if let Some(link) = options.nic_link {
        tell("OXSHMEM_SOFTNIC_LINK", typed(link).into());
    }
    if let Some(count) = options.nic_count {
        tell("OXSHMEM_SOFTNIC_NICS", count.to_string().into());
    }
    let said = |name: &str| ["OXSHMEM_", "NVSHMEM_"].iter().any(|ours| variable(&format!("{ours}{name}")).is_some());
    match options.nic.unwrap_or_default() {
        // A user who disables IBGDA wants proxies.
        Kind::Soft if said("REMOTE_TRANSPORT") || said("IB_ENABLE_IBGDA") => {}
        kind => tell("OXSHMEM_REMOTE_TRANSPORT", kind.transport().into()),
    }
    if let (Some(count), false) = (options.nic_count, said("NICS_PER_PE")) {
        tell("OXSHMEM_NICS_PER_PE", count.to_string().into());
    }
    match options.nic_near {
        Some(near) => tell("OXSHMEM_MAX_P2P_GPUS", near.to_string().into()),
        // A user who configures load/store groups wants a world with both kinds of paths.
        None if said("MAX_P2P_GPUS") || said("DISABLE_P2P") => {}
        None => tell("OXSHMEM_DISABLE_P2P", "1".into()),
    }
    told
}

fn typed(value: impl ValueEnum) -> String {
    value.to_possible_value().map(|value| value.get_name().to_string()).unwrap_or_default()
}

/// The folder through which the NICs of a world's PEs are connected. It is removed when this is dropped.
pub struct Wire {
    folder: Scratch,
    environment: Vec<(String, OsString)>,
}

impl Wire {
    /// Returns the variables of each PE.
    pub fn environment(&self) -> &[(String, OsString)] {
        &self.environment
    }

    /// Returns the rules that the PEs' drivers broke, one a line.
    pub fn violations(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.folder.join(VIOLATIONS)).unwrap_or_default();
        text.lines().map(str::to_string).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(options: &Options, set: &[(&str, &str)]) -> Vec<(String, String)> {
        let variable = |name: &str| set.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into());
        let told = environment(&Rdma::of_nothing(), options, variable);
        told.into_iter().map(|(name, value)| (name, value.into_string().unwrap())).collect()
    }

    fn value<'a>(told: &'a [(String, String)], name: &str) -> Option<&'a str> {
        told.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    #[test]
    fn pes_are_told_to_reach_each_other_by_the_nic_alone() {
        let told = told(&Options { nic_link: Some(Link::Roce), ..Options::soft(7) }, &[]);
        assert_eq!(value(&told, "OXSHMEM_DISABLE_P2P"), Some("1"));
        assert_eq!(value(&told, "OXSHMEM_REMOTE_TRANSPORT"), Some("ibgda"));
        assert_eq!(value(&told, "OXSHMEM_SOFTNIC_SEED"), Some("7"));
        assert_eq!(value(&told, "OXSHMEM_SOFTNIC_LINK"), Some("roce"));
        assert_eq!(value(&told, "OXSHMEM_SOFTNIC_PROFILE"), None, "what is not asked for is left to the NIC");
    }

    #[test]
    fn the_kind_of_nic_says_who_writes_its_queues_and_says_it_again_over_a_variable_if_it_names_proxies() {
        let proxied = told(&Options::of(Kind::IbrcSoft, 0), &[("OXSHMEM_REMOTE_TRANSPORT", "ibgda")]);
        assert_eq!(value(&proxied, "OXSHMEM_REMOTE_TRANSPORT"), Some("ibrc"));
        assert_eq!(value(&proxied, "OXSHMEM_DISABLE_P2P"), Some("1"));
        for named in [("NVSHMEM_REMOTE_TRANSPORT", "ibrc"), ("NVSHMEM_IB_ENABLE_IBGDA", "0")] {
            assert_eq!(value(&told(&Options::soft(0), &[named]), "OXSHMEM_REMOTE_TRANSPORT"), None, "{named:?}");
        }
        assert_eq!(Options::of(Kind::IbrcSoft, 4).words(), "--nic ibrc-soft --nic-seed 4");
        let written = told(&Options::of(Kind::IbdevxSoft, 0), &[("NVSHMEM_REMOTE_TRANSPORT", "ibrc")]);
        assert_eq!(value(&written, "OXSHMEM_REMOTE_TRANSPORT"), Some("ibdevx"));
        assert_eq!(Options::of(Kind::IbdevxSoft, 4).words(), "--nic ibdevx-soft --nic-seed 4");
    }

    #[test]
    fn the_options_are_told_as_they_are_typed() {
        let options =
            Options { nic_profile: Some(Profile::Cx8), nic_near: Some(2), nic_count: Some(3), ..Options::soft(9) };
        assert_eq!(options.words(), "--nic soft --nic-seed 9 --nic-profile cx8 --nic-count 3 --nic-near 2");
    }

    #[test]
    fn pes_use_all_the_nics_that_there_are_unless_the_user_says_how_many() {
        let two = Options { nic_count: Some(2), ..Options::soft(0) };
        let told = |set: &[(&str, &str)]| told(&two, set);
        assert_eq!(value(&told(&[]), "OXSHMEM_SOFTNIC_NICS"), Some("2"));
        assert_eq!(value(&told(&[]), "OXSHMEM_NICS_PER_PE"), Some("2"));
        assert_eq!(value(&told(&[("OXSHMEM_NICS_PER_PE", "1")]), "OXSHMEM_NICS_PER_PE"), None);
    }

    #[test]
    fn what_the_user_has_set_counts() {
        let told = told(&Options::soft(0), &[("NVSHMEM_MAX_P2P_GPUS", "2")]);
        assert_eq!(value(&told, "OXSHMEM_DISABLE_P2P"), None, "some PEs are to be near");
        assert_eq!(preloaded(Path::new("/nic.so"), Some("/mine.so".into())), "/nic.so:/mine.so");
        assert_eq!(preloaded(Path::new("/nic.so"), Some("".into())), "/nic.so");
    }

    #[test]
    fn a_world_can_have_load_store_peers_and_remote_peers() {
        let told = told(&Options { nic_near: Some(2), ..Options::soft(0) }, &[]);
        assert_eq!(value(&told, "OXSHMEM_MAX_P2P_GPUS"), Some("2"));
        assert_eq!(value(&told, "OXSHMEM_DISABLE_P2P"), None);
    }

    #[test]
    fn a_wire_is_a_folder_that_goes_with_it() {
        let preload = Path::new("/a folder: of mine/nic.so");
        let nic = SoftNic { preload: preload.into(), environment: Vec::new() };
        let (one, other) = (nic.wire().unwrap(), nic.wire().unwrap());
        let (_, value) = one.environment().iter().find(|(name, _)| name == "LD_PRELOAD").unwrap();
        let first = value.to_str().unwrap().split([':', ' ']).next().unwrap();
        assert_eq!(std::fs::read_link(first).unwrap(), preload, "the loader separates paths by spaces and colons");
        let folder = one.folder.to_path_buf();
        assert!(folder.is_dir() && folder != *other.folder);
        std::fs::write(folder.join(VIOLATIONS), "mlx5_0: one\nmlx5_0: two\n").unwrap();
        assert_eq!((one.violations().len(), other.violations().len()), (2, 0));
        drop(one);
        assert!(!folder.exists());
    }
}
