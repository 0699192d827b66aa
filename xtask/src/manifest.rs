//! `dist.toml`: the description of a packed folder, for people and for the `xtask` in it.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::files::read_toml;

/// The folder of the C interface in a packed folder.
pub(crate) const C_FOLDER: &str = "capi";

/// The lines of the README about the C interface, if it was packed.
const C_INTERFACE: &str = "    bin/xtask capi --out DIR      the C interface; or NVSHMEM_HOME=capi of this folder\n    \
     capi/programs/run.sh          the programs in CUDA C++ on 2 GPUs, if they were packed\n";

/// The lines of the README about the tasks that run oxshmem's own programs.
const OWN_PROGRAMS: &str = "    bin/xtask demo                the Jacobi solver over several PEs; writes jacobi.png\n    \
     bin/xtask test                the tests that need no sources\n    \
     bin/xtask perf                the performance suite; `--help` says beside what it can measure\n";

/// The file's name.
pub(crate) const FILE: &str = "dist.toml";

/// The description of a packed folder. A newer `xtask` may have written further keys.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The cluster's name: its file in `xtask/clusters`.
    pub cluster: String,
    /// The cluster in a few words.
    pub about: String,
    /// The version of oxshmem.
    pub version: String,
    /// The commit of the sources, with `-dirty` if they were changed after it.
    pub commit: String,
    /// The folder of the program outside the checkout that was packed, or `None` for oxshmem's own programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outside: Option<String>,
    /// The transports of programs and kernels, as Cargo features.
    pub features: Vec<String>,
    /// The architectures of the PTX.
    pub archs: Vec<String>,
    /// The version of the C library at build time. A node needs this version or a later one.
    pub glibc: String,
    /// The release of rustc that made the PTX.
    pub ptx_toolchain: String,
    /// The programs in `bin/`, without this one.
    pub programs: Vec<String>,
    /// Environment variables of every program that is run from the folder, unless the user has set them.
    pub environment: BTreeMap<String, String>,
}

impl Manifest {
    /// Reads the manifest of the packed folder `root`.
    ///
    /// # Errors
    /// The file can't be read, or is no manifest.
    pub fn read(root: &Path) -> Result<Self> {
        read_toml(&root.join(FILE)).context("no manifest of `cargo xtask dist`")
    }

    /// Returns the text of the file.
    pub(crate) fn text(&self) -> Result<String> {
        toml::to_string_pretty(self).context("cannot write the manifest")
    }

    /// Returns the README of the folder.
    pub fn readme(&self, files: &[String]) -> String {
        let cluster = &self.cluster;
        let has_c = files.iter().any(|file| file.starts_with(&format!("{}/lib/", C_FOLDER)));
        let c = if has_c { C_INTERFACE } else { "" };
        let files: String = files.iter().map(|file| format!("    {file}\n")).collect();
        format!(
            "# {title} for `{cluster}`\n\n\
             {about}. Built from commit {commit} with the features {features}, for {archs}.\n\n\
             A node needs Linux on x86-64 with glibc {glibc} or later and, to use its GPUs, an NVIDIA driver. \
             It needs no Rust, no CUDA toolkit and no network. The folder can lie anywhere.\n\n\
             \x20   bin/xtask doctor              what this node can do, and what to do about the rest\n\
             \x20   bin/xtask doctor --nic-selftest  whether its NICs do all that the library needs\n\
             {own}\
             \x20   bin/xtask run -n 4 -- {program} a program as 4 PEs of this node\n{c}\n\
             ## Files\n\n{files}",
            title = match &self.outside {
                Some(outside) => format!("{outside} over oxshmem {}", self.version),
                None => format!("oxshmem {}", self.version),
            },
            own = if self.outside.is_none() { OWN_PROGRAMS } else { "" },
            program = self.programs.first().filter(|_| self.outside.is_some()).map_or("PROGRAM", String::as_str),
            about = self.about,
            commit = self.commit,
            features = self.features.join(", "),
            archs = self.archs.join(", "),
            glibc = self.glibc,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_is_read_as_it_was_written() {
        let manifest = Manifest {
            cluster: "local".into(),
            about: "This machine".into(),
            version: "0.1.0".into(),
            commit: "abc-dirty".into(),
            outside: None,
            features: vec!["nvlink".into()],
            archs: vec!["sm_80".into(), "sm_90".into()],
            glibc: "2.36".into(),
            ptx_toolchain: "rustc 1.96.0".into(),
            programs: vec!["oxshmem-jacobi".into()],
            environment: BTreeMap::from([("OXSHMEM_WAIT_LIMIT".to_string(), "30".to_string())]),
        };
        let back: Manifest = toml::from_str(&manifest.text().unwrap()).unwrap();
        assert_eq!(back, manifest);
        let with_c = manifest.readme(&["capi/lib/liboxshmem_host.so (4.5 MiB)".to_string()]);
        assert!(with_c.contains("bin/xtask capi --out DIR"), "{with_c}");
        let readme = manifest.readme(&["bin/xtask (2.0 MiB)".to_string()]);
        assert!(!readme.contains("capi"), "{readme}");
        assert!(
            readme.contains("sm_80, sm_90")
                && readme.contains("glibc 2.36")
                && readme.contains("    bin/xtask (2.0 MiB)")
        );
        assert!(readme.starts_with("# oxshmem 0.1.0 for `local`") && readme.contains("bin/xtask demo"), "{readme}");
        let outside = Manifest { outside: Some("heat".into()), programs: vec!["heat".into()], ..manifest };
        assert_eq!(toml::from_str::<Manifest>(&outside.text().unwrap()).unwrap(), outside);
        let readme = outside.readme(&[]);
        assert!(readme.starts_with("# heat over oxshmem 0.1.0 for `local`"), "{readme}");
        assert!(readme.contains("bin/xtask run -n 4 -- heat") && !readme.contains("bin/xtask demo"), "{readme}");
    }
}
