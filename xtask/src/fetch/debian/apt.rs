//! Downloads packages by apt, in the versions of the system's package lists or of newer ones, and unpacks them by dpkg.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, anyhow, bail};

use super::Packages;
use crate::files;
use crate::shell;

/// Fetches the packages, and unpacks them in `root`.
pub(super) fn download_and_unpack(folder: &Path, root: &Path, wanted: Packages) -> Result<()> {
    let debs = folder.join("debs");
    let lists = folder.join("lists");
    // An interrupted run can have left half a file.
    let _ = std::fs::remove_dir_all(&debs);
    for path in [&debs, &lists.join("partial"), root] {
        files::make_folder(path)?;
    }
    let debs = debs.canonicalize()?;
    let lists = lists.canonicalize()?;

    // The system's package lists are used if they have the packages, and lists of the target directory otherwise.
    let mut apt = Apt { lists: None };
    let old = match apt.lacks(wanted) {
        None => apt.download(wanted, &debs).err(),
        Some(lacking) => Some(anyhow!("no {lacking}")),
    };
    if let Some(why) = old {
        eprintln!("fetching Debian's package lists, as the system's won't do: {}", shell::tail(&format!("{why:#}"), 2));
        apt.lists = Some(lists);
        shell::capture(apt.command("apt-get").args(["-q", "update"]))?;
        if let Some(lacking) = apt.lacks(wanted) {
            bail!("the package sources of this system have no {lacking} (it is in {})", wanted.archive);
        }
        // The old lists may have provided some packages in old versions.
        std::fs::remove_dir_all(&debs).and_then(|()| std::fs::create_dir_all(&debs))?;
        apt.download(wanted, &debs)?;
    }

    eprintln!("unpacking them into {} ...", root.display());
    for entry in std::fs::read_dir(&debs)? {
        let deb = entry?.path();
        shell::capture(Command::new("dpkg").arg("-x").arg(&deb).arg(root))?;
        // Many packages have no such script.
        let script = shell::capture(Command::new("dpkg").arg("--info").arg(&deb).arg("postinst")).unwrap_or_default();
        for (link, target) in alternatives(&script) {
            make_link(root, &link, &target)?;
        }
    }
    // The unpacked files are enough.
    let _ = std::fs::remove_dir_all(&debs);
    Ok(())
}

/// Returns the links, each with its target, that a package's script makes by `update-alternatives`. Libraries are found
/// through some of them.
fn alternatives(script: &str) -> Vec<(String, String)> {
    let script = script.replace("\\\n", " ");
    let words: Vec<&str> = script.split_whitespace().collect();
    let installs = words.windows(4).filter(|words| words[0] == "--install");
    installs.map(|words| (words[1].to_string(), words[3].to_string())).collect()
}

/// Makes an absolute link of the system within `root`, unless the script names it by a variable, an earlier package has
/// it, or the target is in no unpacked package.
fn make_link(root: &Path, link: &str, target: &str) -> Result<()> {
    let (Some(link), Some(target)) = (link.strip_prefix('/'), target.strip_prefix('/')) else { return Ok(()) };
    let (link, target) = (root.join(link), root.join(target));
    let Some(folder) = link.parent() else { return Ok(()) };
    if link.symlink_metadata().is_ok() || !target.exists() {
        return Ok(());
    }
    std::fs::create_dir_all(folder)?;
    let target = target.canonicalize()?;
    std::os::unix::fs::symlink(target, &link).with_context(|| format!("cannot make the link {}", link.display()))
}

/// Arguments that list all transitive dependencies, without recommended and suggested packages.
const CLOSURE: [&str; 8] = [
    "depends",
    "--recurse",
    "--no-recommends",
    "--no-suggests",
    "--no-conflicts",
    "--no-breaks",
    "--no-replaces",
    "--no-enhances",
];

/// The package manager, with the system's package lists or with lists of the target directory.
struct Apt {
    lists: Option<PathBuf>,
}

impl Apt {
    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        // As root, apt would fetch as a user without the right to write here.
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

    /// Fetches `wanted` into `debs`, in the versions of these package lists.
    fn download(&self, wanted: Packages, debs: &Path) -> Result<()> {
        let mut packages: Vec<String> = wanted.packages.iter().map(|name| name.to_string()).collect();
        for name in wanted.stand_ins {
            let said = shell::capture(self.command("apt-cache").args(["depends", name]))?;
            let first = first_dependency(&said).with_context(|| format!("`{name}` depends on nothing"))?;
            packages.push(first.to_string());
        }
        if !wanted.needs_of.is_empty() {
            let closure = shell::capture(self.command("apt-cache").args(CLOSURE).args(wanted.needs_of))?;
            for name in package_names(&closure) {
                if !packages.contains(&name) && !is_installed(&name) {
                    packages.push(name);
                }
            }
        }
        eprintln!("fetching {} ...", packages.join(" "));
        shell::capture(self.command("apt-get").args(["-q", "download"]).args(&packages).current_dir(debs)).map(|_| ())
    }

    /// Returns the first package that the lists lack, or have in too old a version.
    fn lacks(&self, wanted: Packages) -> Option<String> {
        wanted.packages.iter().chain(wanted.stand_ins).find_map(|package| {
            let said = shell::capture(self.command("apt-cache").args(["policy", package])).unwrap_or_default();
            match candidate(&said) {
                None => Some(format!("`{package}`")),
                Some(version) if wanted.least.is_empty() || is_at_least(version, wanted.least) => None,
                Some(version) => Some(format!("`{package}` {} or later, only {version}", wanted.least)),
            }
        })
    }
}

/// Parses the output of `apt-cache depends`.
fn first_dependency(said: &str) -> Option<&str> {
    said.lines().find_map(|line| line.trim().strip_prefix("Depends: ")).filter(|name| !name.starts_with('<'))
}

/// Returns the version that would be installed, from the output of `apt-cache policy` for one package.
fn candidate(policy: &str) -> Option<&str> {
    let mut candidates = policy.lines().filter_map(|line| line.trim().strip_prefix("Candidate:"));
    candidates.next().map(str::trim).filter(|version| *version != "(none)")
}

/// Compares by Debian's rules, with epochs and tildes.
fn is_at_least(version: &str, least: &str) -> bool {
    Command::new("dpkg").args(["--compare-versions", version, "ge", least]).status().is_ok_and(|said| said.success())
}

/// Returns the packages in the output of `apt-cache depends --recurse`: the lines that are neither indented nor
/// virtual.
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

#[cfg(test)]
mod tests {
    use oxshmem_raw::os::private::Scratch;

    use super::*;

    #[test]
    fn the_closure_is_the_lines_that_are_not_indented() {
        let said = "libstd-rust-web-dev\n  Depends: libstd-rust-web-1.96\n    libfoo\nlibstd-rust-web-1.96\n<libvirtual>\nlibc6\n";
        assert_eq!(package_names(said), ["libstd-rust-web-dev", "libstd-rust-web-1.96", "libc6"]);
    }

    #[test]
    fn a_library_that_only_an_alternative_names_is_linked() {
        let script = "#!/bin/sh\nset -e\nupdate-alternatives --install /usr/lib/libx.so.1 libx.so.1 \\\n    /usr/lib/x1/libx.so.1.16 40\n\
                      update-alternatives --install $LINK name $TARGET 5\n";
        let links = alternatives(script);
        let expected = [("/usr/lib/libx.so.1", "/usr/lib/x1/libx.so.1.16"), ("$LINK", "$TARGET")];
        assert_eq!(links, expected.map(|(link, target)| (link.to_string(), target.to_string())));

        let root = Scratch::new("alternatives").unwrap();
        std::fs::create_dir_all(root.join("usr/lib/x1")).unwrap();
        for (link, target) in &links {
            make_link(&root, link, target).unwrap();
        }
        assert!(!root.join("usr/lib/libx.so.1").is_symlink(), "the target is in no package");
        std::fs::write(root.join("usr/lib/x1/libx.so.1.16"), "library").unwrap();
        make_link(&root, &links[0].0, &links[0].1).unwrap();
        assert_eq!(std::fs::read_to_string(root.join("usr/lib/libx.so.1")).unwrap(), "library");
        make_link(&root, &links[0].0, &links[0].1).unwrap();
    }

    #[test]
    fn a_stand_in_stands_for_the_first_that_it_depends_on() {
        let said = "linux-image-amd64\n  Depends: linux-image-6.1.0-56-amd64\n  Depends: other\n";
        assert_eq!(first_dependency(said), Some("linux-image-6.1.0-56-amd64"));
        assert_eq!(first_dependency("libc6\n"), None);
    }

    #[test]
    fn a_package_without_a_candidate_is_not_known() {
        assert_eq!(candidate("rustc-web:\n  Installed: (none)\n  Candidate: 1.96.0\n"), Some("1.96.0"));
        assert_eq!(candidate("rustc-web:\n  Installed: (none)\n  Candidate: (none)\n"), None);
        assert_eq!(candidate(""), None);
    }

    #[test]
    fn a_candidate_of_old_package_lists_is_not_new_enough() {
        if shell::on_path("dpkg").is_none() {
            return;
        }
        assert!(is_at_least("1.96.0+dfsg1-1~deb12u1", "1.90"));
        assert!(!is_at_least("1.85.0+dfsg3-1~deb12u3", "1.90"));
    }
}
