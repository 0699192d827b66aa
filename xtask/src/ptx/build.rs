//! Builds one kernel crate for one architecture: by cargo, with `core` built from source and a stand-in for the
//! linker.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::toolchain::{Toolchain, Variant};
use super::{bounds, messages, panics};
use crate::files::{self, read_toml, write_whole};
use crate::place::target_dir;

/// A crate whose functions marked as kernels become PTX entries.
#[derive(Clone, Debug)]
pub(crate) struct KernelCrate {
    name: String,
    /// The name of its library, which is that of the module.
    module: String,
    manifest: PathBuf,
    checked_feature: &'static str,
    /// Whether its default features name its transports.
    is_settled: bool,
}

/// A PTX file that was built.
#[derive(Clone, Debug)]
pub struct Built {
    /// The crate's name, with `_`.
    pub name: String,
    /// The name by which programs find the file, without the architecture.
    pub stem: String,
    /// The architecture, such as `sm_80`.
    pub arch: String,
    /// Its path.
    pub file: PathBuf,
    /// The number of kernels.
    pub entries: usize,
    /// The compiler's warnings.
    pub warnings: Vec<String>,
}

impl KernelCrate {
    /// Finds a crate of this workspace.
    pub(crate) fn in_workspace(root: &Path, name: &str) -> Result<Self> {
        let manifest = root.join("Cargo.toml");
        let workspace: toml::Table = read_toml(&manifest)?;
        let members = workspace.get("workspace").and_then(|workspace| workspace.get("members"));
        let members = members.and_then(|members| members.as_array()).into_iter().flatten();
        let mut known = Vec::new();
        for member in members.filter_map(|member| member.as_str()) {
            let one = Self::at_manifest(&root.join(member).join("Cargo.toml"))?;
            if one.name == name {
                return Ok(one);
            }
            known.push(one.name);
        }
        bail!("no crate `{name}` in {}; it has {}", manifest.display(), known.join(", "))
    }

    /// Reads the crate of this Cargo.toml.
    pub(crate) fn at_manifest(manifest: &Path) -> Result<Self> {
        let manifest = match manifest.is_dir() {
            true => manifest.join("Cargo.toml"),
            false => manifest.to_path_buf(),
        };
        let manifest = manifest.canonicalize().with_context(|| {
            format!("no kernel crate at {}; --manifest-path takes the path of its Cargo.toml", manifest.display())
        })?;
        Self::described(&read_toml(&manifest)?, manifest)
    }

    fn described(table: &toml::Table, manifest: PathBuf) -> Result<Self> {
        let name = table.get("package").and_then(|package| package.get("name")).and_then(|name| name.as_str());
        let Some(name) = name else {
            bail!("{} has no [package] with a name: is it the kernel crate's Cargo.toml?", manifest.display());
        };
        let checked = table.get("features").and_then(|features| features.get("checked"));
        let checked_feature = if checked.is_some() { "checked" } else { "oxshmem-device/checked" };
        let module = table.get("lib").and_then(|lib| lib.get("name")).and_then(|name| name.as_str());
        let module = module.map_or_else(|| name.replace('-', "_"), str::to_string);
        let features = |name: &str| table.get("features")?.get(name)?.as_array();
        // A feature that enables no other names no transport.
        let names_transport = |feature: &toml::Value| {
            feature.as_str().is_some_and(|name| features(name).is_none_or(|enabled| !enabled.is_empty()))
        };
        let is_settled = features("default").is_some_and(|default| default.iter().any(names_transport));
        Ok(Self { name: name.to_string(), module, manifest, checked_feature, is_settled })
    }

    /// Returns whether its kernels have transports of their own choice, as the kernels that measure one transport
    /// have. Other kernels have the transports of their worlds.
    pub(crate) fn is_settled(&self) -> bool {
        self.is_settled
    }

    /// Returns the feature that checks every argument on the GPU: the crate's own `checked`, or that of the device
    /// crate.
    pub(crate) fn checked_feature(&self) -> &'static str {
        self.checked_feature
    }

    /// Returns the stem of its files' names: the library's name, by which programs load the module.
    pub(crate) fn file_stem(&self) -> String {
        self.module.clone()
    }
}

/// Builds the crate and writes its PTX to `file`. Two builds of one variant wait for each other, because cargo locks
/// the folder.
pub(crate) fn build(
    root: &Path,
    toolchain: &Toolchain,
    kernel_crate: &KernelCrate,
    variant: &Variant,
    file: &Path,
) -> Result<Built> {
    let arch = &variant.arch;
    let folder = variant.folder(&target_dir(root));
    // Of two crates that make one module, in different workspaces, each has a file of its own: cargo writes none for a
    // crate that is fresh.
    let made = folder.join("out").join(format!("{}.s", kernel_crate.name));
    std::fs::create_dir_all(made.parent().expect("it was joined to a folder"))
        .with_context(|| format!("cannot make the folder of {}", made.display()))?;

    let mut warnings = compile(toolchain, kernel_crate, variant, &folder, &made, LineTables::Without)?;
    if !made.is_file() {
        // Cargo considers the crate fresh although its output was removed.
        let _ = std::fs::remove_dir_all(folder.join("nvptx64-nvidia-cuda/release/.fingerprint"));
        warnings = compile(toolchain, kernel_crate, variant, &folder, &made, LineTables::Without)?;
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
    if !panics::of(&ptx).is_empty() {
        bail!(cannot_panic(toolchain, kernel_crate, variant, &ptx, &folder.join("lines")));
    }
    write_whole(file, bounds::apply(&ptx)?.as_bytes())?;
    let (name, arch, file) = (kernel_crate.file_stem(), arch.to_string(), file.to_path_buf());
    Ok(Built { stem: name.clone(), name, arch, file, entries, warnings })
}

/// Returns the error for kernels that can panic. Compiles them once more with line tables, in a folder of its own, to
/// name the lines.
fn cannot_panic(
    toolchain: &Toolchain,
    kernel_crate: &KernelCrate,
    variant: &Variant,
    ptx: &str,
    folder: &Path,
) -> String {
    let made = folder.join(format!("{}.s", kernel_crate.name));
    eprintln!("kernels of `{}` can panic; compiling them once more to name the lines", kernel_crate.name);
    let with_lines = std::fs::create_dir_all(folder)
        .map_err(anyhow::Error::from)
        .and_then(|()| compile(toolchain, kernel_crate, variant, folder, &made, LineTables::With))
        .and_then(|_| Ok(std::fs::read_to_string(&made)?));
    // Without lines, the kernels and the panics are named all the same.
    let found = with_lines.map(|text| panics::of(&text)).ok().filter(|found| !found.is_empty());
    let found = found.unwrap_or_else(|| panics::of(ptx));
    let lines: Vec<String> = found.iter().map(|one| format!("\n  - kernel {}", one.line())).collect();
    format!("kernels of `{}` can panic:{}\n{}", kernel_crate.name, lines.concat(), panics::REMEDY)
}

/// Whether the text names the source line of each instruction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LineTables {
    With,
    Without,
}

/// Builds a crate of functions for CUDA C++ and bitcode, which has no kernels, and writes the compiler's output (`asm`,
/// `llvm-bc`) to `made`.
pub(crate) fn compile_library(
    toolchain: &Toolchain,
    variant: &Variant,
    manifest: &Path,
    folder: &Path,
    emit: &str,
    made: &Path,
) -> Result<()> {
    files::make_folder(folder)?;
    let mut cargo = toolchain.cargo(&variant.arch, folder)?;
    let flags = "CARGO_TARGET_NVPTX64_NVIDIA_CUDA_RUSTFLAGS";
    let set = cargo.get_envs().find(|(name, _)| *name == flags).and_then(|(_, value)| value);
    // Names of values make up a third of bitcode.
    let more = "--cfg=oxshmem_library -Zfewer-names=yes";
    let with_library = format!("{} {more}", set.unwrap_or_default().to_string_lossy());
    cargo.env(flags, with_library).arg("--manifest-path").arg(manifest);
    cargo.args(["--no-default-features", "--features", &variant.features.join(",")]);
    cargo.args(["--quiet", "--message-format=json", "--"]).arg(format!("--emit={emit}={}", made.display()));
    messages::run(&mut cargo).with_context(|| format!("cannot build {} for {}", manifest.display(), variant.arch))?;
    if !made.is_file() {
        bail!("cargo succeeded and yet made no {}; remove {}", made.display(), folder.display());
    }
    Ok(())
}

/// Compiles the crate and returns the warnings.
fn compile(
    toolchain: &Toolchain,
    kernel_crate: &KernelCrate,
    variant: &Variant,
    folder: &Path,
    made: &Path,
    lines: LineTables,
) -> Result<Vec<String>> {
    let mut cargo = toolchain.cargo(&variant.arch, folder)?;
    if lines == LineTables::With {
        cargo.env("CARGO_PROFILE_RELEASE_DEBUG", "line-tables-only");
    }
    cargo.arg("--manifest-path").arg(&kernel_crate.manifest);
    cargo.current_dir(kernel_crate.manifest.parent().expect("a Cargo.toml is in a folder"));
    if !variant.features.is_empty() {
        cargo.args(["--features", &variant.features.join(",")]);
    }
    cargo.args(["--quiet", "--message-format=json", "--"]).arg(format!("--emit=asm={}", made.display()));
    messages::run(&mut cargo).with_context(|| format!("cannot build `{}` for {}", kernel_crate.name, variant.arch))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(text: &str) -> Result<KernelCrate> {
        KernelCrate::described(&text.parse().unwrap(), "Cargo.toml".into())
    }

    #[test]
    fn an_outside_crate_is_named_by_its_manifest() {
        let one = described("[package]\nname = \"my-kernels\"\nversion = \"0.1.0\"\n").unwrap();
        assert_eq!(one.file_stem(), "my_kernels");
        let other = described("[package]\nname = \"my-kernels\"\n[lib]\nname = \"their_kernels\"\n").unwrap();
        assert_eq!(other.file_stem(), "their_kernels", "the library's name is the module's");
        let workspace = described("[workspace]\n").unwrap_err().to_string();
        assert!(workspace.contains("no [package]"), "{workspace}");
    }

    #[test]
    fn a_checked_build_takes_the_crates_own_feature_if_it_has_one() {
        let own = described("[package]\nname = \"k\"\n[features]\nchecked = []\n").unwrap();
        assert_eq!(own.checked_feature(), "checked");
        assert_eq!(described("[package]\nname = \"k\"\n").unwrap().checked_feature(), "oxshmem-device/checked");
    }

    #[test]
    fn transports_are_settled_by_default_features_that_enable_others() {
        let with = |features: &str| described(&format!("[package]\nname = \"k\"\n[features]\n{features}")).unwrap();
        assert!(with("default = [\"ibgda\"]\nibgda = [\"oxshmem-device/ibgda\"]\n").is_settled());
        assert!(with("default = [\"oxshmem-device/ibgda\"]\n").is_settled());
        assert!(!with("default = [\"kernels\"]\nkernels = []\n").is_settled());
        assert!(!with("default = []\n").is_settled());
    }

    #[test]
    fn a_manifest_that_is_not_there_is_an_error_that_names_the_option() {
        let error = KernelCrate::at_manifest(Path::new("/nowhere/Cargo.toml")).unwrap_err();
        assert!(format!("{error:#}").contains("--manifest-path"), "{error:#}");
    }
}
