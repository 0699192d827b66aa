//! Fetches Debian packages and unpacks them into a folder of the target directory, without root and without changing
//! the system.

mod apt;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::place::target_dir;
use crate::shell;

/// A set of packages that is unpacked in a folder of its own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packages {
    /// The folder, in the target directory.
    folder: &'static str,
    /// Packages that are fetched even if the system has them.
    packages: &'static [&'static str],
    /// Packages whose first dependency is fetched in their place, such as a metapackage for a kernel whose name has a
    /// version.
    stand_ins: &'static [&'static str],
    /// Packages whose dependencies are fetched, as far as the system lacks them.
    needs_of: &'static [&'static str],
    /// The least acceptable version of `packages`, empty for any. Package lists can be months old.
    least: &'static str,
    /// The Debian archive that has them, for the error on a system whose package sources lack it.
    archive: &'static str,
    /// Files that they must have: programs, and files whose paths may end in `*`. `lib/` is a folder of libraries.
    must: &'static [&'static str],
}

const MAIN: Packages = Packages {
    folder: "",
    packages: &[],
    stand_ins: &[],
    needs_of: &[],
    least: "",
    archive: "Debian's main archive",
    must: &[],
};

/// The userspace of InfiniBand. All packages are fetched even if the system has some of them, because `libibverbs` and
/// `libmlx5` must be of one build. Their installation also depends on a tool that adds groups, which is not needed
/// here.
pub(crate) const RDMA: Packages = Packages {
    folder: "rdma",
    packages: &[
        "libibverbs1",
        "ibverbs-providers",
        "ibverbs-utils",
        "libibverbs-dev",
        "libnl-3-200",
        "libnl-route-3-200",
    ],
    needs_of: &["libnl-route-3-200"],
    must: &[
        "lib/libibverbs.so.1",
        "lib/libmlx5.so.1",
        "lib/libibverbs/libmlx5-rdmav*",
        "usr/bin/ibv_devinfo",
        "usr/include/infiniband/mlx5dv.h",
    ],
    ..MAIN
};

/// Open MPI and PMIx. A system's own packages are not mixed in, because the launcher and libpmix must match. The target
/// of `mpirun`, `orterun`, is found through links that only an installation makes.
pub(crate) const OPEN_MPI: Packages = Packages {
    folder: "mpi",
    packages: &["openmpi-bin", "openmpi-common", "libopenmpi3", "libpmix2", "libpmix-dev"],
    needs_of: &["openmpi-bin"],
    must: &["usr/bin/orterun", "lib/libpmix.so.2"],
    ..MAIN
};

/// Benchmarks over verbs.
pub(crate) const PERFTEST: Packages = Packages {
    folder: "perftest",
    packages: &["perftest"],
    needs_of: &["perftest"],
    must: &["usr/bin/ib_write_bw"],
    ..MAIN
};

/// UCX and its benchmark. Its modules are in a folder beside its libraries.
pub(crate) const UCX: Packages = Packages {
    folder: "ucx",
    packages: &["ucx-utils", "libucx0"],
    needs_of: &["ucx-utils"],
    must: &["usr/bin/ucx_perftest", "lib/libucp.so.0", "lib/ucx/libuct_ib.so.0"],
    ..MAIN
};

/// rdma-core's Python interface. Its tests are in the folder of the documentation.
pub(crate) const PYVERBS: Packages = Packages {
    folder: "pyverbs",
    packages: &["python3-pyverbs", "librdmacm1"],
    needs_of: &["python3-pyverbs"],
    must: &["usr/lib/python3/dist-packages/pyverbs/device*", "usr/share/doc/rdma-core/tests/run_tests.py"],
    ..MAIN
};

pub(crate) const LIBFABRIC: Packages = Packages {
    folder: "libfabric",
    packages: &["libfabric1"],
    needs_of: &["libfabric1"],
    must: &["lib/libfabric.so.1"],
    ..MAIN
};

/// A virtual machine: its emulator, its kernel, and its programs.
pub(crate) const MACHINE: Packages = Packages {
    folder: "rxe",
    packages: &[
        "qemu-system-x86",
        "qemu-system-data",
        "seabios",
        "busybox-static",
        "iproute2",
        "libibverbs1",
        "ibverbs-providers",
    ],
    stand_ins: &["linux-image-amd64"],
    needs_of: &["qemu-system-x86", "iproute2", "ibverbs-providers"],
    must: &["usr/bin/qemu-system-x86_64", "lib/libibverbs/librxe-rdmav*"],
    ..MAIN
};

/// Debian's Rust for browsers, which is recent and has the sources of `core`: the compiler, its own library, and the
/// sources. The shared libraries are dependencies of that library, in any version. It is named itself, since the system
/// may have an older version of it.
pub(crate) const RUSTC: Packages = Packages {
    folder: "toolchain/debian",
    packages: &["rustc-web", "libstd-rust-web-dev", "rust-web-src"],
    needs_of: &["libstd-rust-web-dev"],
    least: env!("CARGO_PKG_RUST_VERSION"),
    archive: "Debian's security archive",
    must: &["usr/bin/rustc"],
    ..MAIN
};

/// Unpacked packages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unpacked {
    /// The root of a file system.
    pub(crate) root: PathBuf,
    /// The folders of libraries in it.
    pub(crate) libraries: Vec<PathBuf>,
}

impl Packages {
    /// Returns the unpacked packages, and fetches them first if they are missing.
    ///
    /// # Errors
    /// This is no Debian system, the packages can't be fetched, or a file of them is missing.
    pub(crate) fn find(&self, checkout: &Path) -> Result<Unpacked> {
        let folder = target_dir(checkout).join(self.folder);
        super::once(&folder, || {
            for tool in ["apt-get", "apt-cache", "dpkg"] {
                if shell::on_path(tool).is_none() {
                    bail!("`{tool}` is not on the PATH, so this is not a Debian system");
                }
            }
            apt::download_and_unpack(&folder, &folder.join("root"), *self).context("cannot fetch Debian's packages")
        })?;
        self.in_root(&folder.join("root"))
            .with_context(|| format!("the unpacked packages are damaged; remove {} and try again", folder.display()))
    }

    /// Returns the packages if they were unpacked before.
    pub(crate) fn at_hand(&self, checkout: &Path) -> Option<Unpacked> {
        let folder = target_dir(checkout).join(self.folder);
        super::is_complete(&folder).then(|| self.in_root(&folder.join("root")).ok())?
    }

    /// Returns the packages in this root.
    ///
    /// # Errors
    /// A file is missing.
    pub(crate) fn in_root(&self, root: &Path) -> Result<Unpacked> {
        // libibverbs opens its providers with another current folder, so that a relative path would not be found.
        let root = root.canonicalize().with_context(|| format!("cannot find {}", root.display()))?;
        let found = Unpacked { libraries: library_folders(&root), root };
        for must in self.must {
            let file = found.file(must)?;
            if must.contains("bin/") && !shell::is_program(&file) {
                bail!("{} is no program", file.display());
            }
        }
        Ok(found)
    }
}

impl Unpacked {
    /// Returns the path of a file. `lib/` is a folder of libraries, and a name may end in `*`.
    ///
    /// # Errors
    /// There is no such file.
    pub(crate) fn file(&self, name: &str) -> Result<PathBuf> {
        let places: Vec<PathBuf> = match name.strip_prefix("lib/") {
            Some(library) => self.libraries.iter().map(|folder| folder.join(library)).collect(),
            None => vec![self.root.join(name)],
        };
        let found = places.iter().find_map(|place| match place.to_string_lossy().strip_suffix('*') {
            None => place.exists().then(|| place.clone()),
            Some(begin) => {
                let files = std::fs::read_dir(place.parent()?).ok()?.flatten().map(|entry| entry.path());
                files.into_iter().find(|file| file.to_string_lossy().starts_with(begin))
            }
        });
        found.with_context(|| format!("no {} in {}", name.trim_start_matches("lib/"), self.root.display()))
    }

    /// Returns the path of a program.
    ///
    /// # Errors
    /// There is none of this name.
    pub(crate) fn program(&self, name: &str) -> Result<PathBuf> {
        let folders = ["usr/bin", "usr/sbin", "bin", "sbin"].into_iter();
        let mut places = folders.map(|folder| self.root.join(folder).join(name));
        places.find(|file| shell::is_program(file)).with_context(|| format!("no {name} in {}", self.root.display()))
    }

    /// Returns `LD_LIBRARY_PATH` with the libraries before `others`.
    pub(crate) fn library_path(&self, others: Option<OsString>) -> OsString {
        let others = others.filter(|others| !others.is_empty());
        let others: Vec<PathBuf> = others.iter().flat_map(std::env::split_paths).collect();
        // A path with a colon can't be represented in this variable.
        std::env::join_paths(self.libraries.iter().chain(&others)).unwrap_or_default()
    }
}

/// Returns `usr/lib/x86_64-linux-gnu` and `lib/x86_64-linux-gnu` of the unpacked packages, with this machine's
/// architecture.
pub(crate) fn library_folders(root: &Path) -> Vec<PathBuf> {
    let multiarch = format!("{}-linux-gnu", std::env::consts::ARCH);
    let folders = ["usr/lib", "lib"].map(|lib| root.join(lib).join(&multiarch));
    folders.into_iter().filter(|folder| folder.is_dir()).collect()
}

/// Returns the folders in which a system keeps its libraries.
pub(crate) fn system_folders(root: &Path) -> Vec<PathBuf> {
    let others = ["usr/lib64", "usr/lib"].map(|folder| root.join(folder));
    library_folders(root).into_iter().chain(others).collect()
}

#[cfg(test)]
mod tests {
    use oxshmem_raw::os::private::Scratch;

    use super::*;

    #[test]
    fn a_file_that_is_missing_of_the_packages_is_named_and_their_libraries_come_before_the_users() {
        use std::os::unix::fs::PermissionsExt;
        let root = Scratch::new("unpacked").unwrap();
        let libraries = root.join(format!("usr/lib/{}-linux-gnu", std::env::consts::ARCH));
        for folder in [&libraries.join("libibverbs"), &root.join("usr/bin")] {
            std::fs::create_dir_all(folder).unwrap();
        }
        let missing = |packages: Packages| packages.in_root(&root).unwrap_err().to_string();
        let orterun = root.join("usr/bin/orterun");
        assert!(missing(OPEN_MPI).contains("no usr/bin/orterun"), "{}", missing(OPEN_MPI));
        std::fs::write(&orterun, "").unwrap();
        assert!(missing(OPEN_MPI).contains("usr/bin/orterun is no program"), "{}", missing(OPEN_MPI));
        std::fs::set_permissions(&orterun, std::fs::Permissions::from_mode(0o755)).unwrap();
        assert!(missing(OPEN_MPI).contains("no libpmix.so.2"), "{}", missing(OPEN_MPI));
        std::fs::write(libraries.join("libpmix.so.2"), "").unwrap();
        let path = OPEN_MPI.in_root(&root).unwrap().library_path(Some("/other".into())).into_string().unwrap();
        assert!(path.ends_with(":/other") && path.contains("-linux-gnu"), "{path}");

        for library in ["libibverbs.so.1", "libmlx5.so.1"] {
            std::fs::write(libraries.join(library), "").unwrap();
        }
        assert!(missing(RDMA).contains("no libibverbs/libmlx5-rdmav*"), "{}", missing(RDMA));
        std::fs::write(libraries.join("libibverbs/libmlx5-rdmav34.so"), "").unwrap();
        assert!(missing(RDMA).contains("no usr/bin/ibv_devinfo"), "{}", missing(RDMA));
    }
}
