//! One kernel crate for one architecture: cargo, with `core` built from source and no linker.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::Toolchain;
use crate::place::target_dir;
use crate::shell;

/// A crate whose functions marked as kernels become PTX entries.
#[derive(Clone, Debug)]
pub(crate) struct KernelCrate {
    name: String,
    manifest: Option<PathBuf>,
}

/// PTX that was made.
#[derive(Clone, Debug)]
pub(crate) struct Built {
    /// The crate's name, with `_`.
    pub name: String,
    /// What it is for, such as `sm_80`.
    pub arch: String,
    /// Where it is.
    pub file: PathBuf,
    /// Kernels in it.
    pub entries: usize,
}

impl KernelCrate {
    /// A crate of this workspace.
    pub(crate) fn in_workspace(name: &str) -> Self {
        Self { name: name.to_string(), manifest: None }
    }

    /// The crate that this Cargo.toml describes.
    pub(crate) fn at_manifest(manifest: &Path) -> Result<Self> {
        let manifest = match manifest.is_dir() {
            true => manifest.join("Cargo.toml"),
            false => manifest.to_path_buf(),
        };
        let manifest = manifest.canonicalize().with_context(|| {
            format!("no kernel crate at {}; --manifest-path takes the path of its Cargo.toml", manifest.display())
        })?;
        let text = std::fs::read_to_string(&manifest).with_context(|| format!("cannot read {}", manifest.display()))?;
        Ok(Self { name: package_name(&text, &manifest)?, manifest: Some(manifest) })
    }

    /// The name that its files carry: the crate's name as Rust sees it.
    pub(crate) fn file_stem(&self) -> String {
        self.name.replace('-', "_")
    }
}

fn package_name(text: &str, manifest: &Path) -> Result<String> {
    let table: toml::Table = text.parse().with_context(|| format!("{} is not TOML", manifest.display()))?;
    match table.get("package").and_then(|package| package.get("name")).and_then(|name| name.as_str()) {
        Some(name) => Ok(name.to_string()),
        None => bail!("{} has no [package] with a name: is it the kernel crate's Cargo.toml?", manifest.display()),
    }
}

/// Builds the crate and puts its PTX at `file`.
pub(crate) fn build(
    root: &Path,
    toolchain: &Toolchain,
    kernel_crate: &KernelCrate,
    arch: &str,
    features: &[String],
    file: &Path,
) -> Result<Built> {
    // The name of a cdylib has no hash, so each variant gets an output of its own: else cargo would
    // call one variant fresh while the file holds another's PTX.
    let variant = match features.is_empty() {
        true => arch.to_string(),
        false => format!("{arch}-{}", features.join("-").replace('/', "-")),
    };
    let target = target_dir(root).join("ptx-build");
    let made = target.join("out").join(variant).join(format!("{}.s", kernel_crate.file_stem()));
    std::fs::create_dir_all(made.parent().expect("it was joined to a folder"))
        .with_context(|| format!("cannot make the folder of {}", made.display()))?;

    compile(root, toolchain, kernel_crate, arch, features, &target, &made)?;
    if !made.is_file() {
        // Cargo calls the crate fresh and somebody removed its output.
        let profile = target.join("nvptx64-nvidia-cuda/release/.fingerprint");
        let _ = std::fs::remove_dir_all(profile);
        compile(root, toolchain, kernel_crate, arch, features, &target, &made)?;
    }

    let ptx = std::fs::read_to_string(&made)
        .with_context(|| format!("cargo succeeded and yet made no PTX at {}", made.display()))?;
    let entries = ptx.lines().filter(|line| line.contains(".entry ")).count();
    if entries == 0 {
        bail!(
            "the PTX of `{}` has no kernel: a kernel is a function in `oxshmem_device::kernel! {{ pub fn ... }}`",
            kernel_crate.name
        );
    }
    write_whole(file, ptx.as_bytes())?;
    Ok(Built { name: kernel_crate.file_stem(), arch: arch.to_string(), file: file.to_path_buf(), entries })
}

fn compile(
    root: &Path,
    toolchain: &Toolchain,
    kernel_crate: &KernelCrate,
    arch: &str,
    features: &[String],
    target: &Path,
    made: &Path,
) -> Result<()> {
    let mut cargo = toolchain.cargo(arch, target);
    match &kernel_crate.manifest {
        Some(manifest) => cargo.arg("--manifest-path").arg(manifest).current_dir(manifest.parent().unwrap_or(root)),
        None => cargo.args(["--package", &kernel_crate.name]).current_dir(root),
    };
    if !features.is_empty() {
        cargo.args(["--features", &features.join(",")]);
    }
    cargo.arg("--").arg(format!("--emit=asm={}", made.display()));
    shell::run(&mut cargo).with_context(|| format!("cannot build `{}` for {arch}", kernel_crate.name))
}

/// Writes a file so that nobody ever sees half of it.
pub(crate) fn write_whole(file: &Path, bytes: &[u8]) -> Result<()> {
    let part = file.with_extension(format!("{}.part", std::process::id()));
    std::fs::write(&part, bytes)
        .and_then(|()| std::fs::rename(&part, file))
        .with_context(|| format!("cannot write {}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_an_outside_crate_comes_from_its_manifest() {
        let named = "[package]\nname = \"my-kernels\"\nversion = \"0.1.0\"\n";
        assert_eq!(package_name(named, Path::new("Cargo.toml")).unwrap(), "my-kernels");
        let workspace = package_name("[workspace]\n", Path::new("Cargo.toml")).unwrap_err().to_string();
        assert!(workspace.contains("no [package]"), "{workspace}");
    }

    #[test]
    fn a_manifest_that_is_not_there_is_an_error_that_names_the_option() {
        let error = KernelCrate::at_manifest(Path::new("/nowhere/Cargo.toml")).unwrap_err();
        assert!(format!("{error:#}").contains("--manifest-path"), "{error:#}");
    }
}
