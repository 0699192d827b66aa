//! Chooses the rustc that builds PTX: the first that works, of those that this machine has or can fetch.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::{Context, Result, anyhow, bail};
use serde::{Deserialize, Serialize};

use super::trial;
use crate::called;
use crate::fetch::{self, debian};
use crate::place::target_dir;
use crate::shell;

/// The least release of rustc that compiles the kernels: the workspace's `rust-version`.
pub(crate) const LEAST: &str = env!("CARGO_PKG_RUST_VERSION");

/// The GPU target's name.
const TARGET: &str = "nvptx64-nvidia-cuda";

/// A rustc that has the sources of `core` and has compiled the trial kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Toolchain {
    /// The compiler.
    pub rustc: PathBuf,
    /// Folders with shared libraries that it needs in addition to the system's.
    #[serde(default)]
    pub libraries: Vec<PathBuf>,
    /// Its origin, as text.
    pub source: String,
    /// Its output of `rustc -vV` when it was tried.
    pub version: String,
}

impl fmt::Display for Toolchain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}, {})", self.rustc.display(), self.source, self.first_line())
    }
}

/// Disables rustc's jump threading, which copies a block's barrier into both arms of a branch on a value that is tested
/// before and after the barrier. The threads of a block would then wait at two barriers. LLVM copies no barrier; this
/// pass does.
const CONVERGENT: &str = "-Zmir-enable-passes=-JumpThreading";

impl Toolchain {
    /// Finds a toolchain, in this order: `named`; rustup's toolchains and plain `rustc`, if they have `rust-src`;
    /// Debian's packages, installed; Debian's packages, unpacked in `target/`.
    ///
    /// # Errors
    ///
    /// Lists the reason for each candidate that was refused, and the commands that install a toolchain.
    pub(crate) fn find(root: &Path, named: Option<&Path>) -> Result<Self> {
        let target = target_dir(root);
        // Candidates are fetched and tried in a folder that all calls share.
        let _alone = fetch::lock(&target.join("toolchain/ptx-rustc.lock"))?;
        if let Some(rustc) = named {
            // Packages that were unpacked by hand have their libraries beside them, where the loader does not look.
            let root = rustc.ancestors().nth(3).unwrap_or(Path::new("/"));
            let libraries = if root == Path::new("/") { Vec::new() } else { debian::library_folders(root) };
            let candidate = Self::candidate(rustc, libraries, "named by --rustc or OXSHMEM_PTX_RUSTC")?;
            if recall(&target).as_ref() == Some(&candidate) {
                return Ok(candidate);
            }
            candidate
                .try_out(&target)
                .with_context(|| format!("{} can't make PTX; leave it out to have one found", rustc.display()))?;
            remember(&target, &candidate);
            return Ok(candidate);
        }
        if let Some(known) = recall(&target)
            && known.is_unchanged()
        {
            return Ok(known);
        }
        let mut refused = Vec::new();
        for (rustc, source) in installed() {
            match Self::candidate(&rustc, Vec::new(), &source).and_then(|one| one.tried(&target)) {
                Ok(taken) => return Ok(taken),
                Err(why) => refused.push(format!("{source}: {}", shell::tail(&format!("{why:#}"), 3))),
            }
        }
        let unpacked = debian::RUSTC
            .find(root)
            .and_then(|found| {
                let rustc = found.root.join("usr/bin/rustc");
                Self::candidate(&rustc, found.libraries, "Debian's rustc-web, unpacked in target/")
            })
            .and_then(|one| one.tried(&target));
        match unpacked {
            Ok(taken) => Ok(taken),
            Err(why) => {
                refused.push(format!("Debian's packages, unpacked: {why:#}"));
                Err(anyhow!(none_found(&refused)))
            }
        }
    }

    /// Returns a toolchain that has worked before, or was found without building or fetching anything.
    pub(crate) fn at_hand(root: &Path) -> Result<Self> {
        let target = target_dir(root);
        if let Some(known) = recall(&target)
            && known.is_unchanged()
        {
            return Ok(known);
        }
        let found = installed()
            .into_iter()
            .map(|(rustc, source)| Self::candidate(&rustc, Vec::new(), &source))
            .find_map(Result::ok);
        found.ok_or_else(|| anyhow!("none is installed; `{} ptx` fetches one into target/ if it can", called()))
    }

    /// Returns a rustc that starts and has the sources of `core`, before it has compiled anything.
    fn candidate(rustc: &Path, libraries: Vec<PathBuf>, source: &str) -> Result<Self> {
        let mut one =
            Self { rustc: rustc.to_path_buf(), libraries, source: source.to_string(), version: String::new() };
        one.version = shell::capture(one.rustc_command().arg("-vV"))?.trim().to_string();
        if !is_recent(&one.version) {
            bail!("is {}; {LEAST} or later is needed", one.first_line());
        }
        let sysroot = shell::capture(one.rustc_command().args(["--print", "sysroot"]))?;
        let sources = Path::new(sysroot.trim()).join("lib/rustlib/src/rust/library/core/Cargo.toml");
        if !sources.is_file() {
            bail!("has no sources of `core` ({} is missing)", sources.display());
        }
        Ok(one)
    }

    fn tried(self, target: &Path) -> Result<Self> {
        eprintln!("trying {self} ...");
        self.try_out(target)?;
        remember(target, &self);
        Ok(self)
    }

    /// Compiles the trial kernel. Kernels that are built later share its build of `core`.
    fn try_out(&self, target: &Path) -> Result<()> {
        let variant = Variant { arch: "sm_80".to_string(), features: Vec::new() };
        trial::compile(self.cargo(&variant.arch, &variant.folder(target))?, target)
    }

    fn is_unchanged(&self) -> bool {
        shell::capture(self.rustc_command().arg("-vV")).is_ok_and(|version| version.trim() == self.version)
    }

    fn rustc_command(&self) -> Command {
        let mut command = Command::new(&self.rustc);
        self.add_libraries(&mut command);
        command
    }

    fn add_libraries(&self, command: &mut Command) {
        if self.libraries.is_empty() {
            return;
        }
        let inherited = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
        let folders = self.libraries.iter().cloned().chain(std::env::split_paths(&inherited));
        let joined = std::env::join_paths(folders.filter(|folder| !folder.as_os_str().is_empty()));
        command.env("LD_LIBRARY_PATH", joined.unwrap_or_default());
    }

    /// Returns `cargo rustc` for one library crate, set up for the GPU. The caller adds the crate, `--`, and the
    /// output.
    ///
    /// # Errors
    /// The stand-in for the linker can't be written to `target`.
    pub(crate) fn cargo(&self, arch: &str, target: &Path) -> Result<Command> {
        let linker = stand_in(target)?;
        let mut cargo = shell::cargo();
        self.add_libraries(&mut cargo);
        for unwanted in ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER"] {
            cargo.env_remove(unwanted);
        }
        cargo
            .env("RUSTC", &self.rustc)
            // `-Zbuild-std`, inline PTX and the kernel ABI are unstable; the rest of the code is not.
            .env("RUSTC_BOOTSTRAP", "1")
            .env("CARGO_TARGET_NVPTX64_NVIDIA_CUDA_LINKER", linker)
            .env(
                "CARGO_TARGET_NVPTX64_NVIDIA_CUDA_RUSTFLAGS",
                format!("-Ctarget-cpu={arch} {CONVERGENT}{}", newer(arch)),
            );
        for (key, value) in [
            ("LTO", "fat"),
            ("CODEGEN_UNITS", "1"),
            ("PANIC", "abort"),
            ("DEBUG", "0"),
            ("OPT_LEVEL", "3"),
            ("OVERFLOW_CHECKS", "false"),
            ("DEBUG_ASSERTIONS", "false"),
            ("INCREMENTAL", "false"),
        ] {
            cargo.env(format!("CARGO_PROFILE_RELEASE_{key}"), value);
        }
        // A crate type other than the manifest's goes through whole-program optimisation.
        cargo.args(["rustc", "--lib", "--release", "--crate-type", "cdylib", "-Zbuild-std=core", "--target", TARGET]);
        cargo.arg("--target-dir").arg(target);
        Ok(cargo)
    }

    /// Returns its release, as `rustc 1.96.0 (...)`.
    pub(crate) fn first_line(&self) -> &str {
        self.version.lines().next().unwrap_or("")
    }
}

/// The stand-in for the linker. The PTX is complete before the step that cargo calls linking. Cargo looks for the
/// output of that step to decide whether the crate is fresh, so the script creates an empty file.
const LINKER: &str = "#!/bin/sh\nwhile [ $# -gt 0 ]; do [ \"$1\" = -o ] && : > \"$2\"; shift; done\n";

/// Returns the path of the stand-in in `folder`, and writes it if it is missing.
fn stand_in(folder: &Path) -> Result<PathBuf> {
    use std::os::unix::fs::PermissionsExt;
    let file = folder.join("linker.sh");
    if std::fs::read_to_string(&file).is_ok_and(|text| text == LINKER) {
        return Ok(file);
    }
    // Another build, of this process or of another one, may write or execute it at this time, so the file is replaced
    // as a whole.
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let part = folder.join(format!("linker.sh.{}-{number}.part", std::process::id()));
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(&part, LINKER))
        .and_then(|()| std::fs::set_permissions(&part, std::fs::Permissions::from_mode(0o755)))
        .and_then(|()| std::fs::rename(&part, &file))
        .with_context(|| format!("cannot write {}", file.display()))?;
    Ok(file)
}

/// An architecture and a set of features that kernels are built for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Variant {
    /// The architecture, such as `sm_80`.
    pub arch: String,
    /// Features of the kernel crate and of its dependencies.
    pub features: Vec<String>,
}

impl Variant {
    /// Returns cargo's target folder for it, below `target`. Each variant has its own folder, so that two can be built
    /// at a time, and because the name of a cdylib's output has no hash: in a shared folder cargo would consider one
    /// variant fresh although another has overwritten its output.
    pub(crate) fn folder(&self, target: &Path) -> PathBuf {
        let words: Vec<String> =
            std::iter::once(&self.arch).chain(&self.features).map(|word| word.replace('/', "-")).collect();
        target.join("ptx-build").join(words.join("-"))
    }
}

/// Returns the compiler's flags for instructions that exist from sm_90 on: bulk copies and dependent launches
/// (`hal/raw/src/gpu/ptx/bulk.rs`, `dependent.rs`).
fn newer(arch: &str) -> &'static str {
    let number = arch.strip_prefix("sm_").map(|rest| rest.trim_end_matches(|c: char| c.is_ascii_alphabetic()));
    match number.and_then(|number| number.parse::<u32>().ok()) {
        // The first PTX version with this architecture has all the instructions.
        Some(number) if number >= 100 => " --cfg=oxshmem_sm90",
        // Without the feature LLVM names the first PTX version with this architecture, which lacks the copies.
        Some(number) if number >= 90 => " --cfg=oxshmem_sm90 -Ctarget-feature=+ptx82",
        _ => " -Ctarget-feature=+ptx82",
    }
}

/// Returns the compilers of this machine, the most promising first: rustup's nightlies, its other toolchains, plain
/// `rustc`, Debian's package.
fn installed() -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    if let Ok(list) = shell::capture(Command::new("rustup").args(["toolchain", "list"])) {
        for name in rustup_names(&list) {
            let which = Command::new("rustup").args(["which", "rustc", "--toolchain", &name]).output();
            if let Ok(which) = which
                && which.status.success()
            {
                let rustc = PathBuf::from(String::from_utf8_lossy(&which.stdout).trim());
                found.push((rustc, format!("rustup's {name}")));
            }
        }
    }
    found.extend(shell::on_path("rustc").map(|rustc| (rustc, "rustc on the PATH".to_string())));
    let debian = PathBuf::from("/usr/bin/rustc");
    if shell::is_program(&debian) && !found.iter().any(|(rustc, _)| *rustc == debian) {
        found.push((debian, "Debian's package".to_string()));
    }
    found
}

/// Returns whether `version`, the output of `rustc -vV`, is of [`LEAST`] or later. A release that can't be parsed
/// counts as recent.
fn is_recent(version: &str) -> bool {
    let numbers = |text: &str| -> Option<(u32, u32)> {
        let mut parts = text.trim().split('.').map(str::parse);
        Some((parts.next()?.ok()?, parts.next()?.ok()?))
    };
    let release = version.lines().find_map(|line| line.strip_prefix("release:")).and_then(numbers);
    release.is_none_or(|release| Some(release) >= numbers(LEAST))
}

/// Returns the names in `rustup toolchain list`, nightlies first.
fn rustup_names(list: &str) -> Vec<String> {
    let mut names: Vec<String> = list
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| name.contains('-') && *name != "no")
        .map(str::to_string)
        .collect();
    names.sort_by_key(|name| !name.starts_with("nightly"));
    names
}

fn memory(target: &Path) -> PathBuf {
    target.join("toolchain/ptx-rustc.toml")
}

fn recall(target: &Path) -> Option<Toolchain> {
    toml::from_str(&std::fs::read_to_string(memory(target)).ok()?).ok()
}

/// Records the toolchain. A failure only costs the next run time.
fn remember(target: &Path, taken: &Toolchain) {
    let file = memory(target);
    if let (Some(folder), Ok(text)) = (file.parent(), toml::to_string(taken)) {
        let _ = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&file, text));
    }
}

fn none_found(refused: &[String]) -> String {
    format!(
        "no toolchain on this machine makes PTX:\n  - {}\nGet one by any of\n  \
         rustup component add rust-src                  (for the toolchain in use)\n  \
         rustup toolchain install nightly -c rust-src   (beside it)\n  \
         apt-get install rustc-web rust-web-src         (Debian, as root)\n  \
         {:<46} (one that you have: rustc {LEAST} or later with rust-src)",
        refused.join("\n  - "),
        format!("{} ptx --rustc /path/to/rustc", called())
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nightlies_are_tried_before_other_rustup_toolchains() {
        let list =
            "stable-x86_64-unknown-linux-gnu (active, default)\nnightly-x86_64-unknown-linux-gnu\n1.95.0-x86_64\n";
        let names = rustup_names(list);
        assert_eq!(names[0], "nightly-x86_64-unknown-linux-gnu");
        assert_eq!(names.len(), 3);
        assert!(rustup_names("no installed toolchains\n").is_empty());
    }

    #[test]
    fn a_rustc_that_is_too_old_is_told_from_a_recent_one() {
        assert!(is_recent("rustc 1.96.0 (x)\nrelease: 1.96.0\n"));
        assert!(is_recent(&format!("rustc {LEAST}.0-nightly (x)\nrelease: {LEAST}.0-nightly\n")));
        assert!(is_recent("release: 2.1.0\n"));
        assert!(!is_recent("rustc 1.85.0 (x)\nrelease: 1.85.0\n"));
    }

    #[test]
    fn a_rustc_that_is_not_there_is_an_error_that_names_it() {
        let error = Toolchain::candidate(Path::new("/nowhere/rustc"), Vec::new(), "named").unwrap_err();
        assert!(format!("{error:#}").contains("/nowhere/rustc"), "{error:#}");
    }

    #[test]
    fn no_toolchain_is_an_error_with_every_reason_and_the_commands_that_help() {
        let text = none_found(&["rustup's stable: has no sources".to_string()]);
        for part in ["rustup's stable: has no sources", "rust-src", "apt-get install", "--rustc"] {
            assert!(text.contains(part), "{part} in {text}");
        }
    }
}
