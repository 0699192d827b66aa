//! `rdma`: finds the userspace of InfiniBand (libibverbs, libmlx5, their headers and `ibv_devinfo`) on the system, or
//! unpacks Debian's packages into `target/rdma` without root.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::apt::{self, Wanted};
use crate::place::{Place, target_dir};
use crate::{fetch, shell};

/// The options of `rdma`.
#[derive(Args, Clone, Debug)]
pub(crate) struct Options {}

/// All packages are fetched even if the system has some of them, because `libibverbs` and `libmlx5` must be of one
/// build. Their installation also depends on a tool that adds groups, which is not needed here.
const WANTED: Wanted<'static> = Wanted {
    packages: &[
        "libibverbs1",
        "ibverbs-providers",
        "ibverbs-utils",
        "libibverbs-dev",
        "libnl-3-200",
        "libnl-route-3-200",
    ],
    stand_ins: &[],
    needs_of: &["libnl-route-3-200"],
    least: "",
    archive: "Debian's main archive",
};

const LIBRARIES: [&str; 2] = ["libibverbs.so.1", "libmlx5.so.1"];
const HEADER: &str = "infiniband/mlx5dv.h";
const DEVINFO: &str = "ibv_devinfo";
/// The folder in which libibverbs looks for the names of its providers. Debian's path is compiled into it.
const CONFIG: &str = "etc/libibverbs.d";
/// The first part of the suffix of a provider's file. The version of libibverbs' provider interface follows.
const PROVIDER: &str = "-rdmav";
/// The variable that names providers in addition to those of the configuration. It takes precedence over
/// `IBV_DRIVERS`.
const DRIVERS: &str = "RDMAV_DRIVERS";

/// The userspace of InfiniBand, with headers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rdma {
    /// The root of the unpacked packages; `None` for the system's own.
    root: Option<PathBuf>,
    libraries: Vec<PathBuf>,
    devinfo: PathBuf,
    include: PathBuf,
}

impl Rdma {
    /// Returns the system's libraries if it has all of them, and Debian's otherwise, which are fetched and unpacked
    /// first if needed.
    pub fn find(root: &Path) -> Result<Self> {
        if let Some(system) = Self::of_system(Path::new("/")) {
            return Ok(system);
        }
        let folder = target_dir(root).join("rdma");
        let unpacked = apt::unpacked(&folder, WANTED).context(
            "this system has not all of libibverbs, libmlx5, their headers and ibv_devinfo; install rdma-core with its \
             development files",
        )?;
        Self::of_unpacked(&unpacked)
            .with_context(|| format!("the unpacked packages are damaged; remove {} and try again", folder.display()))
    }

    /// Finds the libraries as [`find`](Self::find) does, but fetches nothing.
    pub fn at_hand(root: &Path) -> Option<Self> {
        Self::of_system(Path::new("/")).or_else(|| {
            let folder = target_dir(root).join("rdma");
            if fetch::is_complete(&folder) { Self::of_unpacked(&folder.join("root")).ok() } else { None }
        })
    }

    fn of_system(root: &Path) -> Option<Self> {
        let mut places = apt::library_folders(root);
        places.extend(["usr/lib64", "usr/lib"].map(|folder| root.join(folder)));
        let found = places.into_iter().find(|folder| has_libraries(folder))?;
        let include = root.join("usr/include");
        let devinfo = root.join("usr/bin").join(DEVINFO);
        (include.join(HEADER).is_file() && shell::is_program(&devinfo)).then_some(Self {
            root: None,
            libraries: vec![found],
            devinfo,
            include,
        })
    }

    fn of_unpacked(root: &Path) -> Result<Self> {
        // libibverbs opens its providers with another current folder, so that a relative path would not be found.
        let root = root.canonicalize().with_context(|| format!("cannot find {}", root.display()))?;
        let libraries = apt::library_folders(&root);
        let Some(first) = libraries.first().filter(|folder| has_libraries(folder)) else {
            bail!("no {} in {}", LIBRARIES.join(" and no "), root.display());
        };
        if !has_provider(first) {
            bail!("no libmlx5{PROVIDER}*.so in {}/libibverbs", first.display());
        }
        let (devinfo, include) = (root.join("usr/bin").join(DEVINFO), root.join("usr/include"));
        for file in [&devinfo, &include.join(HEADER)] {
            if !file.is_file() {
                bail!("{} is missing", file.display());
            }
        }
        Ok(Self { root: Some(root), libraries, devinfo, include })
    }

    /// Returns the folders with `libibverbs.so.1`, `libmlx5.so.1` and those of their dependencies that the system
    /// lacks, for `LD_LIBRARY_PATH`.
    pub fn library_folders(&self) -> &[PathBuf] {
        &self.libraries
    }

    /// Returns the path of the program `ibv_devinfo`, which needs [`environment`](Self::environment).
    pub(crate) fn devinfo(&self) -> &Path {
        &self.devinfo
    }

    /// Returns the folder with `infiniband/verbs.h` and `infiniband/mlx5dv.h`.
    pub fn include(&self) -> &Path {
        &self.include
    }

    /// Returns the folder with a file for each provider, such as `mlx5.driver`: the equivalent of the system's
    /// `/etc/libibverbs.d`.
    pub(crate) fn config(&self) -> PathBuf {
        self.root.as_deref().unwrap_or(Path::new("/")).join(CONFIG)
    }

    /// Returns the variables by which a program finds the libraries and libibverbs finds libmlx5.
    ///
    /// libibverbs opens a provider that is named by an absolute path directly, and appends the suffix of its provider
    /// interface. It still reads `/etc/libibverbs.d`, and warns if that folder is missing.
    pub fn environment(&self) -> Vec<(&'static str, OsString)> {
        if self.root.is_none() {
            return Vec::new();
        }
        let mut folders = self.libraries.clone();
        if let Some(others) = std::env::var_os("LD_LIBRARY_PATH").filter(|others| !others.is_empty()) {
            folders.extend(std::env::split_paths(&others));
        }
        // A path with a colon can't be represented in this variable.
        let path = std::env::join_paths(folders).unwrap_or_default();
        let provider = provider(&self.libraries[0]).into_os_string();
        vec![("LD_LIBRARY_PATH", path), (DRIVERS, provider)]
    }
}

#[cfg(test)]
impl Rdma {
    /// Makes a system installation that needs no environment.
    pub(crate) fn of_nothing() -> Self {
        Self { root: None, libraries: Vec::new(), devinfo: PathBuf::new(), include: PathBuf::new() }
    }
}

/// Returns the provider's path as a configuration has it, without the suffix.
fn provider(libraries: &Path) -> PathBuf {
    libraries.join("libibverbs/libmlx5")
}

fn has_provider(libraries: &Path) -> bool {
    let files = std::fs::read_dir(libraries.join("libibverbs")).into_iter().flatten().flatten();
    files.map(|file| file.file_name()).any(|name| name.to_string_lossy().starts_with(&format!("libmlx5{PROVIDER}")))
}

fn has_libraries(folder: &Path) -> bool {
    LIBRARIES.iter().all(|library| folder.join(library).is_file())
}

/// Runs the task: fetches missing packages, and prints all paths in a form for `eval` and for people.
pub(crate) fn task(place: &Place, _options: &Options) -> Result<i32> {
    let Place::Checkout(root) = place else {
        bail!("`rdma` fetches what development needs, so it works in a checkout only");
    };
    let rdma = Rdma::find(root)?;
    match &rdma.root {
        Some(root) => println!("# Debian's packages, unpacked in {}", root.display()),
        None => println!("# the system's own"),
    }
    let folders: Vec<String> = rdma.library_folders().iter().map(|folder| folder.display().to_string()).collect();
    println!("# libraries:   {}", folders.join(" "));
    println!("# headers:     {}", rdma.include().display());
    println!("# providers:   {}", rdma.config().display());
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
        files.extend([format!("usr/include/{HEADER}"), format!("usr/bin/{DEVINFO}")]);
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
        let rdma = Rdma::of_unpacked(&root).unwrap();
        let environment = rdma.environment();
        let named = |name: &str| environment.iter().find(|(known, _)| *known == name).unwrap().1.clone();
        let provider = PathBuf::from(format!("{}-rdmav34.so", named("RDMAV_DRIVERS").to_string_lossy()));
        assert!(provider.is_file(), "{}", provider.display());
        assert!(std::env::split_paths(&named("LD_LIBRARY_PATH")).any(|folder| has_libraries(&folder)));
        std::fs::remove_file(&provider).unwrap();
        let error = Rdma::of_unpacked(&root).unwrap_err().to_string();
        assert!(error.contains("libmlx5-rdmav"), "{error}");
    }
}
