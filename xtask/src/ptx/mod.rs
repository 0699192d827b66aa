//! `ptx`: kernel crates to PTX, and PTX through the assembler.

mod assemble;
mod bounds;
mod build;
mod debian;
mod ptxas;
mod toolchain;
mod transports;
mod trial;

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::Args;

pub(crate) use assemble::{EntryUse, assemble};
pub use build::Built;
pub(crate) use build::KernelCrate;
pub(crate) use ptxas::Ptxas;
pub(crate) use toolchain::Toolchain;
pub(crate) use transports::transports;

use crate::place::Place;

/// Where, in the folder of PTX, that of kernels which check their arguments goes.
pub(crate) const CHECKED_FOLDER: &str = "checked";
/// The folder below that of PTX with the suite for every transport.
pub(crate) const FAR_FOLDER: &str = "far";

/// The kernel crates of this workspace.
pub(crate) const KERNEL_CRATES: &[&str] = &[
    "oxshmem-test-kernels",
    "oxshmem-conformance-kernels",
    "oxshmem-litmus-kernels",
    "oxshmem-perf-kernels",
    "oxshmem-nic-kernels",
    "oxshmem-proxy-kernels",
    "oxshmem-example-kernels",
];

/// The architectures that the project's PTX must assemble for.
pub const ASSEMBLED_ARCHS: &[&str] = &["sm_80", "sm_90", "sm_100"];

/// What `ptx` is asked.
#[derive(Args, Clone, Debug, Default)]
pub struct Options {
    /// Kernel crate of this workspace (default: all of them).
    #[arg(short, long = "package", value_name = "CRATE")]
    pub packages: Vec<String>,
    /// Cargo.toml of a kernel crate outside this workspace.
    #[arg(long, value_name = "PATH", conflicts_with = "packages")]
    pub manifest_path: Option<PathBuf>,
    /// Architectures, e.g. sm_80,sm_90 (code for one runs on that one and on later ones).
    #[arg(long, value_delimiter = ',', default_value = "sm_80")]
    pub arch: Vec<String>,
    /// Features of the kernel crate.
    #[arg(long, value_delimiter = ',')]
    pub features: Vec<String>,
    /// Transports that kernels for worlds have, e.g. nvlink,ibgda,ibrc (default: loads and stores; a crate whose default
    /// features name transports has those).
    #[arg(long, value_delimiter = ',')]
    pub transports: Vec<String>,
    /// Checks every argument on the GPU: the kernel crate's feature `checked`.
    #[arg(long)]
    pub checked: bool,
    /// Runs ptxas for sm_80, sm_90 and sm_100 and prints what each entry uses.
    #[arg(long)]
    pub assemble: bool,
    /// Folder for the PTX (default: target/ptx).
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// rustc with the sources of `core`; it is taken, or the reason why it can't be is the error.
    #[arg(long, value_name = "PATH", env = "OXSHMEM_PTX_RUSTC")]
    pub rustc: Option<PathBuf>,
    /// ptxas to use.
    #[arg(long, value_name = "PATH", env = "OXSHMEM_PTXAS")]
    pub ptxas: Option<PathBuf>,
}

impl Options {
    /// Every kernel crate of this workspace, for what every supported GPU runs.
    pub fn plain() -> Self {
        Self { arch: vec!["sm_80".to_string()], ..Self::default() }
    }
}

/// The task: builds, says what it made, and assembles if asked.
pub(crate) fn task(place: &Place, options: &Options) -> Result<i32> {
    let root = place.checkout("ptx")?;
    let built = build_all(root, options)?;
    for one in &built {
        let bytes = one.file.metadata().map(|meta| meta.len()).unwrap_or(0);
        println!("{} ({}, {} entries, {} bytes)", one.file.display(), one.arch, one.entries, bytes);
    }
    if options.assemble {
        let ptxas = Ptxas::find(root, options.ptxas.as_deref())?;
        eprintln!("ptxas: {ptxas}");
        for one in &built {
            for (arch, uses) in assemble_everywhere(root, &ptxas, one)? {
                println!("\n{} for {arch}\n{}", one.name, assemble::table(&uses));
            }
        }
    }
    Ok(0)
}

/// Builds this workspace's kernel crates with checks of every argument on the GPU, into a folder of their own.
pub(crate) fn build_checked(root: &std::path::Path) -> Result<Vec<Built>> {
    let out = Place::Checkout(root.to_path_buf()).ptx().join(CHECKED_FOLDER);
    build_all(root, &Options { checked: true, out: Some(out), ..Options::plain() })
}

/// Builds the suite's kernels with every transport, into a folder of their own.
pub(crate) fn build_far(root: &std::path::Path) -> Result<Vec<Built>> {
    let out = Place::Checkout(root.to_path_buf()).ptx().join(FAR_FOLDER);
    let transports = ["nvlink", "ibgda", "ibrc"].map(str::to_string).into();
    let packages = vec!["oxshmem-conformance-kernels".to_string()];
    build_all(root, &Options { packages, transports, out: Some(out), ..Options::plain() })
}

/// Builds the kernels of tests with what asks proxy threads, where nobody looks for PTX to run.
pub(crate) fn build_proxied(root: &std::path::Path) -> Result<Vec<Built>> {
    let out = crate::place::target_dir(root).join("ptx-build/proxied");
    let (packages, features) = (vec!["oxshmem-test-kernels".to_string()], vec!["ibrc".to_string()]);
    build_all(root, &Options { packages, features, out: Some(out), ..Options::plain() })
}

/// Builds every crate that the options name for every architecture that they name.
pub fn build_all(root: &std::path::Path, options: &Options) -> Result<Vec<Built>> {
    for arch in &options.arch {
        check_arch(arch)?;
    }
    let named = options.packages.iter().map(String::as_str);
    let crates = match &options.manifest_path {
        Some(manifest) => vec![KernelCrate::at_manifest(manifest)?],
        None => {
            let named: Vec<&str> = if options.packages.is_empty() { KERNEL_CRATES.to_vec() } else { named.collect() };
            named.iter().map(|name| KernelCrate::in_workspace(root, name)).collect::<Result<_>>()?
        }
    };
    let toolchain = Toolchain::find(root, options.rustc.as_deref())?;
    eprintln!("PTX toolchain: {toolchain}");
    let out = options.out.clone().unwrap_or_else(|| crate::place::target_dir(root).join("ptx"));
    std::fs::create_dir_all(&out).with_context(|| format!("cannot make the folder {}", out.display()))?;
    let mut built = Vec::new();
    for kernel_crate in &crates {
        let mut features = options.features.clone();
        let transports = if kernel_crate.is_settled() { &[][..] } else { &options.transports[..] };
        features.extend(transports.iter().map(|name| format!("oxshmem-device/{name}")));
        if options.checked {
            features.push(kernel_crate.checked_feature().to_string());
        }
        for arch in &options.arch {
            let suffix = if options.arch.len() > 1 { format!(".{arch}") } else { String::new() };
            let file = out.join(format!("{}{suffix}.ptx", kernel_crate.file_stem()));
            let one = build::build(root, &toolchain, kernel_crate, arch, &features, &file)?;
            if !transports.is_empty() {
                has_all(&one.file, transports)?;
            }
            built.push(one);
        }
    }
    Ok(built)
}

/// PTX has the transports that were asked for: on a machine where it is first loaded, it would be too late to tell.
fn has_all(file: &std::path::Path, asked: &[String]) -> Result<()> {
    let has = transports(file)?;
    match asked.iter().find(|name| !has.contains(name)) {
        None => Ok(()),
        Some(lacks) => bail!("{} has the transports {}, and not `{lacks}`", file.display(), has.join(", ")),
    }
}

/// Assembles one PTX for each of [`ASSEMBLED_ARCHS`] that it can run on.
pub(crate) fn assemble_everywhere(
    root: &std::path::Path,
    ptxas: &Ptxas,
    one: &Built,
) -> Result<Vec<(&'static str, Vec<EntryUse>)>> {
    let scratch = crate::place::target_dir(root).join("ptx-build/cubin");
    ASSEMBLED_ARCHS
        .iter()
        .filter(|arch| arch_number(arch) >= arch_number(&one.arch))
        .map(|arch| {
            let cubin = scratch.join(format!("{}.{arch}.cubin", one.name));
            Ok((*arch, assemble(ptxas, &one.file, arch, &cubin)?))
        })
        .collect()
}

/// 80 of `sm_80`, 90 of `sm_90a`.
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
