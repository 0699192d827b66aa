//! Steps for the files by which build systems find the C interface: each builds a host program, which then runs.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use super::{EXAMPLE_LIMIT, left_out, succeeds};
use crate::capi;
use crate::fetch::wheels::{self, Wheels};
use crate::files;
use crate::place::target_dir;
use crate::shell;
use crate::steps::{Done, Step};

/// The program. It needs neither the CUDA toolkit nor the device library.
const PROGRAM: &str = "tests/capi/host.c";

/// A tool: its names on the PATH, and its Python package with the program of the last name.
struct Tool(&'static [&'static str], Wheels);

const PKG_CONFIG: Tool = Tool(&["pkg-config", "pkgconf"], wheels::PKGCONF);
const CMAKE: Tool = Tool(&["cmake"], wheels::CMAKE);
const NINJA: Tool = Tool(&["ninja"], wheels::NINJA);

/// A project that finds the library under both names, and links each program by one of them.
const PROJECT: &str = "cmake_minimum_required(VERSION 3.18)
project(host C)
find_package(NVSHMEM 3.8 REQUIRED)
find_package(oxshmem REQUIRED)
foreach(name nvshmem oxshmem)
  add_executable(by_${name} \"${HOST_C}\")
  target_link_libraries(by_${name} ${name}::${name}_host)
endforeach()
";

/// Returns the steps.
pub(super) fn steps(root: &Path) -> [Step<'_>; 2] {
    [
        Step::new("C interface: pkg-config finds it", || by_pkg_config(root)),
        Step::new("C interface: CMake finds it", || by_cmake(root)),
    ]
}

/// Fetches the tools that this system lacks.
pub(super) fn fetch(root: &Path) -> Result<()> {
    [PKG_CONFIG, CMAKE, NINJA].iter().try_for_each(|tool| tool.find(root).map(drop))
}

fn by_pkg_config(root: &Path) -> Result<Done> {
    let (pkg_config, cc) = match (PKG_CONFIG.find(root), shell::on_path("cc")) {
        (Ok(pkg_config), Some(cc)) => (pkg_config, cc),
        (Err(why), _) => return Ok(left_out(format!("{why:#}"))),
        (_, None) => return Ok(left_out("there is no cc".into())),
    };
    let (home, folder) = installed(root, "pkg-config")?;
    for library in ["nvshmem", "oxshmem"] {
        let flags = |options: &[&str]| {
            let mut command = Command::new(&pkg_config);
            command.args(options).arg(library).env("PKG_CONFIG_PATH", home.join("lib/pkgconfig"));
            shell::capture(&mut command)
        };
        let with_device = flags(&["--libs", "--static"])?;
        if !with_device.contains(&format!("-l{library}_device")) {
            return Ok(Done::Failed(format!("`pkg-config --libs --static {library}` prints {with_device}")));
        }
        let program = folder.join(format!("by_{library}"));
        let mut compile = Command::new(&cc);
        compile
            .arg(root.join(PROGRAM))
            .arg("-o")
            .arg(&program)
            .args(flags(&["--cflags", "--libs"])?.split_whitespace());
        shell::capture(compile.arg(format!("-Wl,-rpath,{}", home.join("lib").display())))?;
        match run(root, &program)? {
            Done::Passed => {}
            failed => return Ok(failed),
        }
    }
    Ok(Done::Passed)
}

fn by_cmake(root: &Path) -> Result<Done> {
    let cmake = match CMAKE.find(root) {
        Ok(cmake) => cmake,
        Err(why) => return Ok(left_out(format!("{why:#}"))),
    };
    // CMake writes files for make if there is one.
    let ninja = match shell::on_path("make") {
        Some(_) => None,
        None => match NINJA.find(root) {
            Ok(ninja) => Some(ninja),
            Err(why) => return Ok(left_out(format!("there is no make, and {why:#}"))),
        },
    };
    let (home, folder) = installed(root, "cmake")?;
    let (project, build) = (folder.join("CMakeLists.txt"), folder.join("build"));
    files::write(&project, PROJECT)?;
    let mut configure = Command::new(&cmake);
    configure.arg("-S").arg(&folder).arg("-B").arg(&build);
    for (name, path) in [("CMAKE_PREFIX_PATH", &home), ("HOST_C", &root.join(PROGRAM))] {
        configure.arg(format!("-D{name}={}", path.display()));
    }
    match ninja {
        Some(ninja) => configure.args(["-G", "Ninja"]).arg(format!("-DCMAKE_MAKE_PROGRAM={}", ninja.display())),
        None => configure.args(["-G", "Unix Makefiles"]),
    };
    shell::capture(&mut configure)?;
    shell::capture(Command::new(&cmake).arg("--build").arg(&build))?;
    for library in ["nvshmem", "oxshmem"] {
        match run(root, &build.join(format!("by_{library}")))? {
            Done::Passed => {}
            failed => return Ok(failed),
        }
    }
    Ok(Done::Passed)
}

/// Runs a program as one host PE.
fn run(root: &Path, program: &Path) -> Result<Done> {
    succeeds(Command::new(program).env("OXSHMEM_DEVICE", "host"), root, EXAMPLE_LIMIT)
}

/// Makes the part of the C interface that host programs need, and an empty folder for programs.
fn installed(root: &Path, tool: &str) -> Result<(PathBuf, PathBuf)> {
    let folder = target_dir(root).join("capi/build-systems").join(tool);
    let _ = std::fs::remove_dir_all(&folder);
    let (home, programs) = (folder.join("installed"), folder.join("programs"));
    files::make_folder(&programs)?;
    capi::make_for_host(root, &home)?;
    Ok((home, programs))
}

impl Tool {
    /// Returns the program, which is fetched if none is on the PATH.
    fn find(&self, root: &Path) -> Result<PathBuf> {
        let Self(names, wheels) = self;
        match names.iter().find_map(|name| shell::on_path(name)) {
            Some(found) => Ok(found),
            None => Ok(wheels.find(root)?.join(names[names.len() - 1])),
        }
    }
}
