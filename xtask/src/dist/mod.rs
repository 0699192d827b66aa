//! `dist`: makes the folder that a node without Rust, CUDA toolkit and network needs.

mod check;
mod cluster;
mod contents;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::capi;
use crate::files::{copy_folder, make_folder, read_toml};
use crate::manifest::{self, Manifest};
use crate::parallel;
use crate::place::Place;
use crate::programs::{self, Profile};
use crate::ptx::{self, Ptxas, Toolchain};
use crate::shell;
use cluster::Cluster;
use contents::Contents;

/// The largest size of a packed folder, without the kernels that check their arguments. A larger one contains a file by
/// mistake: with all transports, for one architecture, the folder has 350 MiB.
const MOST_BYTES: u64 = 512 << 20;

/// The sources of the programs with which `perf` compares. A node with a CUDA toolkit builds them itself.
const PEERS: &str = "peers";

/// The options of `dist`.
///
/// In the folder of a program outside the checkout, `cargo oxshmem dist` packs the program.
#[derive(Args, Clone, Debug)]
pub(crate) struct Options {
    /// Cluster, as in xtask/clusters/NAME.toml.
    #[arg(long, value_name = "NAME")]
    pub cluster: String,
    /// Folder to make (default: dist/NAME).
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Then runs the suite and the demo from a copy of the folder.
    #[arg(long)]
    pub check: bool,
}

/// Runs the task: builds everything into a new folder, and replaces the old folder when the new one is complete.
pub(crate) fn task(place: &Place, options: &Options) -> Result<i32> {
    let root = place.checkout("dist")?;
    let cluster = Cluster::read(&root.join("xtask/clusters"), &options.cluster)?;
    check_features(root, &cluster)?;
    let contents = Contents::of(root, &cluster, place.program())?;
    let out = options.out.clone().unwrap_or_else(|| contents.workspace.join("dist").join(&cluster.name));
    if out.exists()
        && !out.join(manifest::FILE).is_file()
        && out.read_dir().is_ok_and(|mut entries| entries.next().is_some())
    {
        bail!("{} is there and was not made by `dist`; give another --out", out.display());
    }
    let name = out.file_name().context("--out must name a folder")?.to_string_lossy().into_owned();
    let fresh = out.with_file_name(format!(".{name}.new"));
    let _ = std::fs::remove_dir_all(&fresh);
    for folder in ["bin", "ptx"] {
        make_folder(&fresh.join(folder))?;
    }

    pack_programs(root, &cluster, &contents, &fresh)?;
    pack_kernels(root, &cluster, &contents, &fresh)?;
    if contents.outside.is_none() {
        capi::pack(root, &cluster.archs, &cluster.features, &fresh.join(manifest::C_FOLDER))?;
        copy_folder(&root.join("tests").join(PEERS), &fresh.join(PEERS))?;
    }
    let manifest = describe(root, &cluster, &contents)?;
    std::fs::write(fresh.join(manifest::FILE), manifest.text()?)?;
    let files = list(&fresh)?;
    let lines: Vec<String> = files.iter().map(|(file, bytes)| format!("{file} ({})", size(*bytes))).collect();
    std::fs::write(fresh.join("README.md"), manifest.readme(&lines))?;

    let total: u64 = files.iter().map(|(_, bytes)| bytes).sum();
    if total > MOST_BYTES {
        bail!(
            "{} came to {}, and {} is the most:\n{}",
            fresh.display(),
            size(total),
            size(MOST_BYTES),
            lines.join("\n")
        );
    }
    let _ = std::fs::remove_dir_all(&out);
    std::fs::rename(&fresh, &out).with_context(|| format!("cannot put the new folder at {}", out.display()))?;
    lines.iter().for_each(|line| println!("  {line}"));
    if options.check {
        check::check(&out, &cluster.features, contents.outside.is_some())?;
    }
    println!("{}: {} for cluster `{}`", out.display(), size(total), cluster.name);
    Ok(0)
}

/// Checks that the library has these features.
fn check_features(root: &Path, cluster: &Cluster) -> Result<()> {
    let table: toml::Table = read_toml(&root.join("hal/Cargo.toml"))?;
    let known: Vec<&str> = table
        .get("features")
        .and_then(|features| features.as_table())
        .map(|features| features.keys().map(String::as_str).filter(|name| *name != "default").collect())
        .unwrap_or_default();
    for feature in &cluster.features {
        if !known.contains(&feature.as_str()) {
            bail!("cluster `{}` wants the feature `{feature}`; the library has {}", cluster.name, known.join(", "));
        }
    }
    Ok(())
}

fn pack_programs(root: &Path, cluster: &Cluster, contents: &Contents, fresh: &Path) -> Result<()> {
    let features: Vec<String> = cluster.features.iter().map(|feature| format!("oxshmem-hal/{feature}")).collect();
    for (workspace, programs) in [(root, &contents.tools), (&contents.workspace, &contents.programs)] {
        for (name, path) in programs::build(workspace, programs, Profile::Release, &features)? {
            strip(&path, &fresh.join("bin").join(name))?;
        }
    }
    Ok(())
}

/// Copies a program without its symbols.
fn strip(from: &Path, to: &Path) -> Result<()> {
    let mut strip = Command::new("strip");
    strip.arg("--strip-all").arg("-o").arg(to).arg(from);
    shell::capture(&mut strip).map(|_| ()).context("programs are stripped by binutils (apt-get install binutils)")
}

/// Kernel crates of tests and measurements that pass no wrong arguments. With checks the compiler takes more than nine
/// minutes for the first.
const NEVER_CHECKED: [&str; 4] =
    ["oxshmem-litmus-kernels", "oxshmem-perf-kernels", "oxshmem-nic-kernels", "oxshmem-proxy-kernels"];

fn pack_kernels(root: &Path, cluster: &Cluster, contents: &Contents, fresh: &Path) -> Result<()> {
    let plain = ptx::Options {
        packages: contents.kernels.clone(),
        manifests: contents.manifests.clone(),
        arch: cluster.archs.clone(),
        out: Some(fresh.join("ptx")),
        transports: cluster.features.clone(),
        ..ptx::Options::default()
    };
    // Kernels that check their arguments are for tests and for finding bugs, and need not be small or load fast.
    let checked = ptx::Options {
        packages: plain.packages.iter().filter(|name| !NEVER_CHECKED.contains(&name.as_str())).cloned().collect(),
        arch: cluster.archs.iter().take(1).cloned().collect(),
        out: Some(fresh.join("ptx").join(ptx::CHECKED_FOLDER)),
        checked: true,
        ..plain.clone()
    };
    // Without a name all crates would be built.
    let any_checked = !checked.packages.is_empty() || plain.packages.is_empty();
    let sets = if any_checked { vec![plain, checked] } else { vec![plain] };
    let built = ptx::build_sets(root, &sets)?.remove(0);
    // A program looks for `CRATE.ptx`. Code for the oldest architecture runs on all of them.
    if cluster.archs.len() > 1 {
        let oldest = built.iter().map(|one| ptx::arch_number(&one.arch)).min().flatten();
        for one in built.iter().filter(|one| ptx::arch_number(&one.arch) == oldest) {
            let file = fresh.join("ptx").join(format!("{}.ptx", one.stem));
            std::fs::copy(&one.file, &file).with_context(|| format!("cannot write {}", file.display()))?;
        }
    }
    if cluster.cubins {
        let ptxas = Ptxas::find(root, None)?;
        parallel::map(&built, |one| {
            let made = ptx::assemble(root, &ptxas, &one.file, &one.arch)?.cubin;
            let cubin = fresh.join("ptx").join(format!("{}.{}.cubin", one.stem, one.arch));
            std::fs::copy(&made, &cubin).with_context(|| format!("cannot write {}", cubin.display()))
        })?;
    }
    Ok(())
}

fn describe(root: &Path, cluster: &Cluster, contents: &Contents) -> Result<Manifest> {
    let glibc = shell::capture(Command::new("getconf").arg("GNU_LIBC_VERSION")).unwrap_or_default();
    Ok(Manifest {
        cluster: cluster.name.clone(),
        about: cluster.about.clone(),
        version: env!("CARGO_PKG_VERSION").to_string(),
        commit: commit(&contents.workspace),
        outside: contents.outside.clone(),
        features: cluster.features.clone(),
        archs: cluster.archs.clone(),
        glibc: glibc.split_whitespace().last().unwrap_or("of the machine that built it").to_string(),
        ptx_toolchain: Toolchain::find(root, None)?.first_line().to_string(),
        programs: contents.programs.iter().map(|one| one.name.clone()).collect(),
        environment: cluster.environment.clone(),
    })
}

/// Returns the commit of the sources, if git knows it.
pub fn commit(root: &Path) -> String {
    let mut git = Command::new("git");
    git.args(["describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]).current_dir(root);
    shell::capture(&mut git).map_or_else(|_| "unknown".to_string(), |said| said.trim().to_string())
}

/// Returns every file below `folder` with its size, sorted by name.
fn list(folder: &Path) -> Result<Vec<(String, u64)>> {
    let mut files = Vec::new();
    let mut parts = vec![PathBuf::new()];
    while let Some(part) = parts.pop() {
        for entry in std::fs::read_dir(folder.join(&part))? {
            let entry = entry?;
            let name = part.join(entry.file_name());
            match entry.file_type()?.is_dir() {
                // Kernels that check their arguments have the same names again, and would fill the page.
                true if name.ends_with(ptx::CHECKED_FOLDER) => {}
                true => parts.push(name),
                false => files.push((name.display().to_string(), entry.metadata()?.len())),
            }
        }
    }
    files.sort();
    Ok(files)
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..1_048_576 => format!("{:.1} KiB", bytes as f64 / 1024.0),
        _ => format!("{:.1} MiB", bytes as f64 / 1_048_576.0),
    }
}

#[cfg(test)]
mod tests {
    use oxshmem_raw::os::private::Scratch;

    use super::*;

    #[test]
    fn a_folder_is_copied_and_listed_with_the_folders_in_it() {
        let base = Scratch::new("dist").unwrap();
        let (from, to) = (base.join("from"), base.join("to"));
        std::fs::create_dir_all(from.join("a/b")).unwrap();
        std::fs::write(from.join("a/b/c.cu"), "12345").unwrap();
        std::fs::write(from.join("top"), "1").unwrap();
        copy_folder(&from, &to).unwrap();
        let listed = list(&to).unwrap();
        assert_eq!(listed, [("a/b/c.cu".to_string(), 5), ("top".to_string(), 1)]);
    }

    #[test]
    fn a_size_is_written_in_the_unit_that_fits() {
        assert_eq!([size(7), size(1536), size(3 << 20)], ["7 B", "1.5 KiB", "3.0 MiB"]);
    }
}
