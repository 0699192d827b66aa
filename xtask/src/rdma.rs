//! `rdma`: finds the userspace of InfiniBand (libibverbs, libmlx5, their headers and `ibv_devinfo`) on the system, or
//! unpacks Debian's packages into `target/rdma` without root.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::fetch::debian::{self, RDMA, Unpacked};
use crate::place::Place;
use crate::shell;

/// The options of `rdma`.
#[derive(Args, Clone, Debug)]
pub(crate) struct Options {}

const LIBRARIES: [&str; 2] = ["libibverbs.so.1", "libmlx5.so.1"];
const HEADER: &str = "infiniband/mlx5dv.h";
const DEVINFO: &str = "usr/bin/ibv_devinfo";

/// The userspace of InfiniBand, with headers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rdma {
    found: Unpacked,
    include: PathBuf,
    /// Whether it is the system's own.
    of_system: bool,
}

impl Rdma {
    /// Returns the system's libraries if it has all of them, and Debian's otherwise, which are fetched and unpacked
    /// first if needed.
    pub fn find(root: &Path) -> Result<Self> {
        if let Some(system) = Self::of_system(Path::new("/")) {
            return Ok(system);
        }
        let unpacked = RDMA.find(root).context(
            "this system has not all of libibverbs, libmlx5, their headers and ibv_devinfo; install rdma-core with its \
             development files",
        )?;
        Ok(Self::of(unpacked, false))
    }

    /// Finds the libraries as [`find`](Self::find) does, but fetches nothing.
    pub fn at_hand(root: &Path) -> Option<Self> {
        Self::of_system(Path::new("/")).or_else(|| RDMA.at_hand(root).map(|unpacked| Self::of(unpacked, false)))
    }

    fn of_system(root: &Path) -> Option<Self> {
        let has_libraries = |folder: &PathBuf| LIBRARIES.iter().all(|library| folder.join(library).is_file());
        let found = debian::system_folders(root).into_iter().find(has_libraries)?;
        let one = Self::of(Unpacked { root: root.to_path_buf(), libraries: vec![found] }, true);
        (one.include.join(HEADER).is_file() && shell::is_program(&one.devinfo())).then_some(one)
    }

    fn of(found: Unpacked, of_system: bool) -> Self {
        Self { include: found.root.join("usr/include"), found, of_system }
    }

    /// Returns the folders with `libibverbs.so.1`, `libmlx5.so.1` and those of their dependencies that the system
    /// lacks, for `LD_LIBRARY_PATH`.
    pub fn library_folders(&self) -> &[PathBuf] {
        &self.found.libraries
    }

    /// Returns the path of the program `ibv_devinfo`, which needs [`environment`](Self::environment).
    pub(crate) fn devinfo(&self) -> PathBuf {
        self.found.root.join(DEVINFO)
    }

    /// Returns the folder with `infiniband/verbs.h` and `infiniband/mlx5dv.h`.
    pub fn include(&self) -> &Path {
        &self.include
    }

    /// Returns the variables by which a program finds the libraries and libibverbs finds libmlx5.
    ///
    /// libibverbs opens a provider that is named by an absolute path directly, and appends the suffix of its provider
    /// interface. It still reads `/etc/libibverbs.d`, and warns if that folder is missing. The variable takes
    /// precedence over `IBV_DRIVERS`.
    pub fn environment(&self) -> Vec<(&'static str, OsString)> {
        if self.of_system {
            return Vec::new();
        }
        let path = self.found.library_path(std::env::var_os("LD_LIBRARY_PATH"));
        vec![("LD_LIBRARY_PATH", path), ("RDMAV_DRIVERS", self.found.libraries[0].join("libibverbs/libmlx5").into())]
    }
}

#[cfg(test)]
impl Rdma {
    /// Makes a system installation that needs no environment.
    pub(crate) fn of_nothing() -> Self {
        Self::of(Unpacked { root: PathBuf::new(), libraries: Vec::new() }, true)
    }
}

/// Runs the task: fetches missing packages, and prints all paths in a form for `eval` and for people.
pub(crate) fn task(place: &Place, _options: &Options) -> Result<i32> {
    let Place::Checkout(root) = place else {
        bail!("`rdma` fetches what development needs, so it works in a checkout only");
    };
    let rdma = Rdma::find(root)?;
    let root = &rdma.found.root;
    match rdma.of_system {
        true => println!("# the system's own"),
        false => println!("# Debian's packages, unpacked in {}", root.display()),
    }
    let folders: Vec<String> = rdma.library_folders().iter().map(|folder| folder.display().to_string()).collect();
    println!("# libraries:   {}", folders.join(" "));
    println!("# headers:     {}", rdma.include().display());
    println!("# providers:   {}", root.join("etc/libibverbs.d").display());
    println!("# ibv_devinfo: {}", rdma.devinfo().display());
    for (name, value) in rdma.environment() {
        println!("export {name}='{}'", value.to_string_lossy());
    }
    Ok(0)
}

#[cfg(test)]
mod tests {
    use oxshmem_raw::os::private::Scratch;

    use super::*;

    /// Returns a fake root with every file that is searched for, in a folder of the test's own.
    fn made_up(name: &str) -> Scratch {
        use std::os::unix::fs::PermissionsExt;
        let root = Scratch::new(&format!("rdma-{name}")).unwrap();
        let libraries = format!("usr/lib/{}-linux-gnu", std::env::consts::ARCH);
        let mut files: Vec<String> = LIBRARIES.iter().map(|library| format!("{libraries}/{library}")).collect();
        files.push(format!("{libraries}/libibverbs/{}", "libmlx5-rdmav34.so"));
        files.extend([format!("usr/include/{HEADER}"), DEVINFO.to_string()]);
        for file in files {
            let file = root.join(file);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(&file, "").unwrap();
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        root
    }

    #[test]
    fn a_system_with_everything_is_used_as_it_is_and_needs_no_environment() {
        let root = made_up("system");
        let rdma = Rdma::of_system(&root).unwrap();
        assert!(rdma.environment().is_empty());
        assert_eq!(rdma.include(), root.join("usr/include"));
        std::fs::remove_file(root.join("usr/include").join(HEADER)).unwrap();
        assert_eq!(Rdma::of_system(&root), None, "libraries without headers are not everything");
    }

    #[test]
    fn unpacked_packages_come_with_the_environment_that_finds_the_provider() {
        let root = made_up("unpacked");
        let rdma = Rdma::of(RDMA.in_root(&root).unwrap(), false);
        let environment = rdma.environment();
        let named = |name: &str| environment.iter().find(|(known, _)| *known == name).unwrap().1.clone();
        let provider = PathBuf::from(format!("{}-rdmav34.so", named("RDMAV_DRIVERS").to_string_lossy()));
        assert!(provider.is_file(), "{}", provider.display());
        assert!(std::env::split_paths(&named("LD_LIBRARY_PATH")).any(|folder| folder.join(LIBRARIES[0]).is_file()));
    }
}
