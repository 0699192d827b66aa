//! The contents of a packed folder: the checkout's programs and kernels as a cluster names them, or those of a program
//! outside the checkout.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use super::cluster::Cluster;
use crate::doctor::selftest;
use crate::perf;
use crate::place::Program as Outside;
use crate::programs::{self, Program};
use crate::ptx::KernelCrate;

/// The kernels of collectives on streams, which every program may need.
const COLLECTIVES: &str = "oxshmem-collectives";

/// The programs and kernel crates to build, and where.
#[derive(Debug)]
pub(super) struct Contents {
    /// The root of the workspace whose programs are packed.
    pub workspace: PathBuf,
    /// The name of a program outside the checkout: its workspace's folder.
    pub outside: Option<String>,
    /// The programs of that workspace.
    pub programs: Vec<Program>,
    /// The checkout's own programs that are packed beside them.
    pub tools: Vec<Program>,
    /// The checkout's kernel crates.
    pub kernels: Vec<String>,
    /// The manifests of kernel crates outside it.
    pub manifests: Vec<PathBuf>,
}

impl Contents {
    /// Returns the contents that the cluster names or, if the task is run for a program outside the checkout `root`, all
    /// binaries and kernel crates of its workspace.
    ///
    /// # Errors
    /// The cluster names an unknown program, or the program's workspace has none.
    pub(super) fn of(root: &Path, cluster: &Cluster, outside: Option<&Outside>) -> Result<Self> {
        match outside {
            None => Self::of_checkout(root, cluster),
            Some(outside) => Self::of_program(root, outside),
        }
    }

    fn of_checkout(root: &Path, cluster: &Cluster) -> Result<Self> {
        let mut all = programs::all(root)?;
        let known: Vec<String> = all.iter().map(|one| one.name.clone()).collect();
        for name in &cluster.programs {
            if !known.contains(name) {
                bail!("cluster `{}` wants the program `{name}`; the workspace has {}", cluster.name, known.join(", "));
            }
        }
        all.retain(|one| cluster.programs.contains(&one.name) || one.name == perf::PROGRAM);
        Ok(Self {
            workspace: root.to_path_buf(),
            outside: None,
            programs: all,
            tools: vec![programs::this_one()],
            kernels: cluster.kernels.clone(),
            manifests: Vec::new(),
        })
    }

    fn of_program(root: &Path, outside: &Outside) -> Result<Self> {
        let mut own = programs::all(&outside.root)?;
        own.retain(Program::is_binary);
        if own.is_empty() {
            bail!("no package of {} has a binary, so there is nothing to pack", outside.root.display());
        }
        let mut tools = programs::all(root)?;
        tools.retain(|one| one.name == selftest::PROGRAM);
        tools.push(programs::this_one());
        // A program with a transport of its own has these kernels with it, under the same name.
        let name = COLLECTIVES.replace('-', "_");
        let stems = outside.kernels.iter().map(|manifest| Ok(KernelCrate::at_manifest(manifest)?.file_stem()));
        let has_collectives = stems.collect::<Result<Vec<_>>>()?.contains(&name);
        Ok(Self {
            workspace: outside.root.clone(),
            outside: Some(outside.root.file_name().unwrap_or_default().to_string_lossy().into_owned()),
            programs: own,
            tools,
            kernels: if has_collectives { Vec::new() } else { vec![COLLECTIVES.to_string()] },
            manifests: outside.kernels.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root() -> &'static Path {
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
    }

    fn names(programs: &[Program]) -> Vec<&str> {
        programs.iter().map(|one| one.name.as_str()).collect()
    }

    /// The contents for a program of `tests/vendored` with these kernel crates.
    fn vendored(folder: &str, kernels: &[&str]) -> Contents {
        let folder = root().join("tests/vendored").join(folder);
        let outside = Outside {
            target: folder.join("target"),
            kernels: kernels.iter().map(|name| folder.join(name).join("Cargo.toml")).collect(),
            root: folder,
        };
        let cluster = Cluster::read(&root().join("xtask/clusters"), "local").unwrap();
        Contents::of(root(), &cluster, Some(&outside)).unwrap()
    }

    #[test]
    fn a_program_outside_the_checkout_is_packed_with_its_kernels_and_without_the_checkouts_programs() {
        let heat = vendored("heat", &["kernels"]);
        assert_eq!((names(&heat.programs), heat.outside.as_deref()), (vec!["heat"], Some("heat")));
        assert_eq!(names(&heat.tools), ["oxshmem-nic-selftest", "xtask"]);
        assert_eq!(heat.workspace, root().join("tests/vendored/heat"));
        assert_eq!(heat.manifests, [root().join("tests/vendored/heat/kernels/Cargo.toml")]);
        assert_eq!(heat.kernels, ["oxshmem-collectives"]);
    }

    #[test]
    fn a_program_with_collectives_over_its_own_transport_keeps_them() {
        let courier = vendored("courier", &["collectives", "kernels"]);
        assert_eq!(names(&courier.programs), ["courier-conformance"]);
        assert!(courier.kernels.is_empty(), "{:?}", courier.kernels);
    }

    #[test]
    fn the_checkout_is_packed_as_its_cluster_says() {
        let cluster = Cluster::read(&root().join("xtask/clusters"), "local").unwrap();
        let ours = Contents::of(root(), &cluster, None).unwrap();
        assert!(names(&ours.programs).contains(&"oxshmem-jacobi") && names(&ours.programs).contains(&perf::PROGRAM));
        assert_eq!((ours.outside, ours.kernels), (None, cluster.kernels.clone()));
        let unknown = Cluster { programs: vec!["jacoby".into()], ..cluster };
        let error = Contents::of(root(), &unknown, None).unwrap_err().to_string();
        assert!(error.contains("`jacoby`") && error.contains("oxshmem-jacobi"), "{error}");
    }
}
