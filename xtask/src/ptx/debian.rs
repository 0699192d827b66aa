//! Debian's Rust for browsers (`rustc-web`): recent, with the sources of `core`, and unpacked here
//! without root and without touching the system.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::shell;

/// The compiler and the sources of `core`; the libraries follow from what the compiler's own library depends on.
const WANTED: [&str; 2] = ["rustc-web", "rust-web-src"];
/// Depends on the compiler's library of whatever version.
const LIBRARIES_OF: &str = "libstd-rust-web-dev";

/// The unpacked rustc and the folders of its libraries; fetches the packages first if they are not there.
pub(crate) fn unpacked(target: &Path) -> Result<(PathBuf, Vec<PathBuf>)> {
    let folder = target.join("toolchain/debian");
    let root = folder.join("root");
    let rustc = root.join("usr/bin/rustc");
    if !folder.join("complete").is_file() {
        for tool in ["apt-get", "apt-cache", "dpkg"] {
            if shell::on_path(tool).is_none() {
                bail!("`{tool}` is not on the PATH, so this is not a Debian system");
            }
        }
        fetch(&folder, &root).context("cannot fetch Debian's packages")?;
        std::fs::write(folder.join("complete"), "").context("cannot mark the packages as unpacked")?;
    }
    if !shell::is_program(&rustc) {
        bail!("{} is missing; remove {} and try again", rustc.display(), folder.display());
    }
    Ok((rustc, library_folders(&root)))
}

fn fetch(folder: &Path, root: &Path) -> Result<()> {
    let debs = folder.join("debs");
    let lists = folder.join("lists");
    // What an interrupted run left may be half a file.
    let _ = std::fs::remove_dir_all(&debs);
    for path in [&debs, &lists.join("partial"), root] {
        std::fs::create_dir_all(path).with_context(|| format!("cannot make the folder {}", path.display()))?;
    }
    let debs = debs.canonicalize()?;
    let lists = lists.canonicalize()?;

    // The system's package lists if they have the packages, else lists of our own.
    let mut apt = Apt { lists: None };
    if !apt.knows(WANTED[0]) {
        apt.lists = Some(lists);
        eprintln!("fetching Debian's package lists ...");
        shell::capture(apt.command("apt-get").args(["-q", "update"]))?;
        if !apt.knows(WANTED[0]) {
            bail!("the package sources of this system have no `{}` (it is in Debian's security archive)", WANTED[0]);
        }
    }
    let closure = shell::capture(apt.command("apt-cache").args([
        "depends",
        "--recurse",
        "--no-recommends",
        "--no-suggests",
        "--no-conflicts",
        "--no-breaks",
        "--no-replaces",
        "--no-enhances",
        LIBRARIES_OF,
    ]))?;
    let mut packages: Vec<String> = WANTED.iter().map(|name| name.to_string()).collect();
    packages.extend(package_names(&closure).into_iter().filter(|name| !is_installed(name)));
    eprintln!("fetching {} ...", packages.join(" "));
    shell::capture(apt.command("apt-get").args(["-q", "download"]).args(&packages).current_dir(&debs))?;

    eprintln!("unpacking them into {} ...", root.display());
    for entry in std::fs::read_dir(&debs)? {
        let deb = entry?.path();
        shell::capture(Command::new("dpkg").arg("-x").arg(&deb).arg(root))?;
    }
    // The packages are 250 MB that nobody needs again.
    let _ = std::fs::remove_dir_all(&debs);
    Ok(())
}

/// apt, with the system's package lists or with lists of our own.
struct Apt {
    lists: Option<PathBuf>,
}

impl Apt {
    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        // As root apt would fetch as a user that can't write here.
        command.args(["-o", "APT::Sandbox::User=root"]);
        if let Some(lists) = &self.lists {
            command.arg("-o").arg(format!("Dir::State::Lists={}", lists.display()));
            for cache in ["pkgcache", "srcpkgcache"] {
                command.arg("-o").arg(format!("Dir::Cache::{cache}={}/{cache}.bin", lists.display()));
            }
        }
        command.env("LC_ALL", "C");
        command
    }

    fn knows(&self, package: &str) -> bool {
        shell::capture(self.command("apt-cache").args(["policy", package])).is_ok_and(|said| has_candidate(&said))
    }
}

fn has_candidate(policy: &str) -> bool {
    policy.lines().filter_map(|line| line.trim().strip_prefix("Candidate:")).any(|version| version.trim() != "(none)")
}

/// The packages in the output of `apt-cache depends --recurse`: the lines that are not indented and
/// not virtual.
fn package_names(closure: &str) -> Vec<String> {
    closure
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with([' ', '<', '|']))
        .map(|line| line.trim().to_string())
        .collect()
}

fn is_installed(package: &str) -> bool {
    let query = Command::new("dpkg-query").args(["-W", "-f", "${db:Status-Status}\n", package]).output();
    query.is_ok_and(|said| String::from_utf8_lossy(&said.stdout).lines().any(|line| line == "installed"))
}

/// `usr/lib/x86_64-linux-gnu` and `lib/x86_64-linux-gnu` of the unpacked packages, for whatever machine this is.
pub(crate) fn library_folders(root: &Path) -> Vec<PathBuf> {
    let multiarch = format!("{}-linux-gnu", std::env::consts::ARCH);
    let folders = ["usr/lib", "lib"].map(|lib| root.join(lib).join(&multiarch));
    folders.into_iter().filter(|folder| folder.is_dir()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closure_is_the_lines_that_are_not_indented() {
        let said = "libstd-rust-web-dev\n  Depends: libstd-rust-web-1.96\n    libfoo\nlibstd-rust-web-1.96\n<libvirtual>\nlibc6\n";
        assert_eq!(package_names(said), ["libstd-rust-web-dev", "libstd-rust-web-1.96", "libc6"]);
    }

    #[test]
    fn a_package_without_a_candidate_is_not_known() {
        assert!(has_candidate("rustc-web:\n  Installed: (none)\n  Candidate: 1.96.0\n"));
        assert!(!has_candidate("rustc-web:\n  Installed: (none)\n  Candidate: (none)\n"));
        assert!(!has_candidate(""));
    }
}
