//! `ptx`: builds kernel crates to PTX, and assembles the PTX.

mod assemble;
mod bounds;
mod build;
mod jobs;
mod messages;
mod panics;
mod ptxas;
mod toolchain;
mod transports;
mod trial;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;

use anyhow::{Result, bail};
use clap::Args;

pub(crate) use assemble::{EntryUse, assemble, parse_resources};
pub use build::Built;
pub(crate) use build::KernelCrate;
pub(crate) use build::compile_library;
pub(crate) use jobs::LOAD_STORE;
pub(crate) use ptxas::Ptxas;
pub(crate) use toolchain::{LEAST, Toolchain, Variant};
pub(crate) use transports::transports;

use crate::parallel;
use crate::place::{Checkout, Place, target_dir};
use jobs::Job;

/// The subfolder of kernels that check their arguments, in the folder for PTX.
pub(crate) const CHECKED_FOLDER: &str = "checked";
/// The subfolder of the suite's kernels with every transport, in the folder for PTX.
pub(crate) const REMOTE_FOLDER: &str = "remote";

/// The kernel crates of this workspace, in the order in which they are built: those first that take longest.
pub(crate) const KERNEL_CRATES: &[&str] = &[
    "oxshmem-litmus-kernels",
    "oxshmem-collectives",
    "oxshmem-conformance-kernels",
    "oxshmem-perf-kernels",
    "oxshmem-test-kernels",
    "oxshmem-nic-kernels",
    "oxshmem-proxy-kernels",
    "oxshmem-example-kernels",
];

/// The architectures that the project's PTX must assemble for.
pub const ASSEMBLED_ARCHS: [&str; 3] = ["sm_80", "sm_90", "sm_100"];

/// The options of `ptx`.
#[derive(Args, Clone, Debug, Default)]
pub struct Options {
    /// Kernel crate of the checkout (default: all of them; of a program outside it, its own).
    #[arg(short, long = "package", value_name = "CRATE")]
    pub packages: Vec<String>,
    /// Cargo.toml of a kernel crate outside this workspace.
    #[arg(long, value_name = "PATH", conflicts_with = "packages")]
    pub manifest_path: Option<PathBuf>,
    /// The `Cargo.toml`s of several, as a program outside the checkout has them.
    #[arg(skip)]
    pub manifests: Vec<PathBuf>,
    /// Architectures, e.g. sm_80,sm_90 (code for one runs on that one and on later ones).
    #[arg(long, value_delimiter = ',', default_value = "sm_80")]
    pub arch: Vec<String>,
    /// Features of the kernel crate.
    #[arg(long, value_delimiter = ',')]
    pub features: Vec<String>,
    /// Transports of kernels for worlds, e.g. nvlink,ibgda,ibrc (default: loads and stores). A crate whose default
    /// features name transports keeps those.
    #[arg(long, value_delimiter = ',')]
    pub transports: Vec<String>,
    /// Checks every argument on the GPU: the kernel crate's feature `checked`.
    #[arg(long)]
    pub checked: bool,
    /// Runs ptxas for sm_80, sm_90 and sm_100 and prints the resources of each entry.
    #[arg(long)]
    pub assemble: bool,
    /// Folder for the PTX (default: target/ptx).
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// rustc with the sources of `core`. No other is tried.
    #[arg(long, value_name = "PATH", env = "OXSHMEM_PTX_RUSTC")]
    pub rustc: Option<PathBuf>,
    /// ptxas to use.
    #[arg(long, value_name = "PATH", env = "OXSHMEM_PTXAS")]
    pub ptxas: Option<PathBuf>,
}

impl Options {
    /// Returns the options for every kernel crate of this workspace and every supported GPU.
    pub fn plain() -> Self {
        Self { arch: vec!["sm_80".to_string()], ..Self::default() }
    }
}

/// Runs the task: builds, lists the files, and assembles them on request.
pub(crate) fn task(place: &Place, options: &Options) -> Result<i32> {
    let root = place.checkout("ptx")?;
    let mut options = options.clone();
    if let Place::Checkout(checkout) = place
        && let Some(program) = checkout.program()
    {
        options.out.get_or_insert(place.ptx());
        if options.packages.is_empty() && options.manifest_path.is_none() {
            options.manifests = program.kernel_manifests()?.to_vec();
        }
    }
    let built = build_all(root, &options)?;
    for one in &built {
        let bytes = one.file.metadata().map(|meta| meta.len()).unwrap_or(0);
        println!("{} ({}, {} entries, {} bytes)", one.file.display(), one.arch, one.entries, bytes);
    }
    if options.assemble {
        let ptxas = Ptxas::find(root, options.ptxas.as_deref())?;
        eprintln!("ptxas: {ptxas}");
        for (one, assembled) in built.iter().zip(assemble_everywhere(root, &ptxas, &built)?) {
            for (arch, uses) in assembled {
                println!("\n{} for {arch}\n{}", one.name, assemble::table(&uses));
            }
        }
    }
    Ok(0)
}

/// Returns the options for this workspace's kernel crates with checks of every argument on the GPU, in a folder of
/// their own.
pub(crate) fn checked(root: &Path) -> Options {
    let out = Place::Checkout(Checkout::new(root)).ptx().join(CHECKED_FOLDER);
    Options { checked: true, out: Some(out), ..Options::plain() }
}

/// Builds [`checked`].
pub(crate) fn build_checked(root: &Path) -> Result<Vec<Built>> {
    build_all(root, &checked(root))
}

/// Builds the suite's kernels with every transport, in a folder of their own.
pub(crate) fn build_remote(root: &Path) -> Result<Vec<Built>> {
    let out = Place::Checkout(Checkout::new(root)).ptx().join(REMOTE_FOLDER);
    let transports = ["nvlink", "ibgda", "ibrc"].map(str::to_string).into();
    let packages = vec!["oxshmem-conformance-kernels".to_string()];
    build_all(root, &Options { packages, transports, out: Some(out), ..Options::plain() })
}

/// Returns the options for the kernels of tests that use proxy threads, in a folder where no program looks for PTX.
pub(crate) fn proxied(root: &Path) -> Options {
    let out = target_dir(root).join("ptx-build/proxied");
    let (packages, features) = (vec!["oxshmem-test-kernels".to_string()], vec!["ibrc".to_string()]);
    Options { packages, features, out: Some(out), ..Options::plain() }
}

/// Builds every crate that the options name for every architecture that they name.
///
/// # Errors
/// No toolchain makes PTX, a crate does not compile, or it lacks a requested transport.
pub fn build_all(root: &Path, options: &Options) -> Result<Vec<Built>> {
    Ok(build_sets(root, std::slice::from_ref(options))?.remove(0))
}

/// Builds as [`build_all`] does, for several sets of options side by side. The first set's toolchain is used.
pub(crate) fn build_sets(root: &Path, sets: &[Options]) -> Result<Vec<Vec<Built>>> {
    build_and_tell(root, sets, &|_, _| {})
}

/// Builds as [`build_sets`] does. The crates of one variant are built one after another, so in the meantime the files
/// of the first set are assembled, for [`assemble_everywhere`] to find.
pub(crate) fn build_sets_and_assemble(root: &Path, ptxas: &Ptxas, sets: &[Options]) -> Result<Vec<Vec<Built>>> {
    let (sender, files) = mpsc::channel::<Built>();
    let over = &AtomicBool::new(false);
    // The sender is dropped at the end of this closure, which ends the thread.
    thread::scope(move |scope| {
        scope.spawn(move || {
            for (one, arch) in files.iter().flat_map(|one| runs_on(&one).map(move |arch| (one.clone(), arch))) {
                // From here on all cores assemble.
                if over.load(Ordering::Relaxed) {
                    return;
                }
                // An error comes again where the results are needed.
                let _ = assemble(root, ptxas, &one.file, arch);
            }
        });
        let built = build_and_tell(root, sets, &|set, one| {
            if set == 0 {
                // There is no receiver if the thread has panicked, which the scope reports.
                let _ = sender.send(one.clone());
            }
        });
        over.store(true, Ordering::Relaxed);
        built
    })
}

/// Builds several sets of options side by side, and tells of each file with the index of its set.
fn build_and_tell(root: &Path, sets: &[Options], tell: &(dyn Fn(usize, &Built) + Sync)) -> Result<Vec<Vec<Built>>> {
    let mut jobs = Vec::new();
    for (set, options) in sets.iter().enumerate() {
        jobs.extend(jobs::of(root, options)?.into_iter().map(|job| (set, job)));
    }
    let toolchain = Toolchain::find(root, sets.first().and_then(|options| options.rustc.as_deref()))?;
    eprintln!("PTX toolchain: {toolchain}");
    let mut built: Vec<Vec<Built>> = sets.iter().map(|_| Vec::new()).collect();
    let (of_sets, jobs): (Vec<usize>, Vec<Job>) = jobs.into_iter().unzip();
    let done = jobs::run(root, &toolchain, &jobs, &|index, one| tell(of_sets[index], one))?;
    for (set, one) in of_sets.into_iter().zip(done) {
        built[set].push(one);
    }
    Ok(built)
}

/// The resources of a PTX's entries, by the architecture that it was assembled for.
pub(crate) type Resources = Vec<(&'static str, Vec<EntryUse>)>;

/// Assembles each PTX for each of [`ASSEMBLED_ARCHS`] that it can run on, and returns the entries' resources by
/// architecture.
pub(crate) fn assemble_everywhere(root: &Path, ptxas: &Ptxas, built: &[Built]) -> Result<Vec<Resources>> {
    let pairs: Vec<(usize, &'static str)> =
        built.iter().enumerate().flat_map(|(index, one)| runs_on(one).map(move |arch| (index, arch))).collect();
    let uses = parallel::map(&pairs, |&(index, arch)| Ok(assemble(root, ptxas, &built[index].file, arch)?.uses))?;
    let mut all: Vec<Resources> = built.iter().map(|_| Vec::new()).collect();
    for ((index, arch), uses) in pairs.into_iter().zip(uses) {
        all[index].push((arch, uses));
    }
    Ok(all)
}

/// Kernels that only suites launch: two thirds of the text, without budgets.
const OF_SUITES: [&str; 2] = ["oxshmem_litmus_kernels", "oxshmem_conformance_kernels"];
/// The architecture that those are assembled for.
const OF_SUITES_ARCH: &str = "sm_90";

/// Returns those of [`ASSEMBLED_ARCHS`] on which a file can run; one of them for kernels of suites.
fn runs_on(one: &Built) -> impl Iterator<Item = &'static str> + use<> {
    let least = arch_number(&one.arch);
    let is_of_suite = OF_SUITES.contains(&one.name.as_str());
    ASSEMBLED_ARCHS
        .into_iter()
        .filter(move |arch| arch_number(arch) >= least && (!is_of_suite || *arch == OF_SUITES_ARCH))
}

/// Returns 80 for `sm_80`, 90 for `sm_90a`.
pub fn arch_number(arch: &str) -> Option<u32> {
    arch.strip_prefix("sm_")?.trim_end_matches(['a', 'f']).parse().ok()
}

fn check_arch(arch: &str) -> Result<()> {
    match arch_number(arch) {
        Some(70..) => Ok(()),
        Some(_) => bail!("--arch {arch}: too old; the memory model that oxshmem needs starts with sm_70"),
        None => bail!("--arch {arch}: not an architecture; one looks like sm_80, several like sm_80,sm_90"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_architecture_is_sm_and_a_number_from_70_on() {
        assert!(check_arch("sm_80").is_ok() && check_arch("sm_90a").is_ok());
        assert!(check_arch("sm_60").unwrap_err().to_string().contains("sm_70"));
        assert!(check_arch("hopper").unwrap_err().to_string().contains("sm_80"));
    }
}
