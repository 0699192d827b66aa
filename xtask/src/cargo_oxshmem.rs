//! `cargo oxshmem`: the tasks in the folder of a program that depends on oxshmem. `cargo metadata` gives the checkout.

use std::env;
use std::ffi::OsString;

use anyhow::{Context, Result, bail};

use crate::metadata::{Metadata, Package};
use crate::place::{Checkout, DEVICE, HOST, Place, Program};

/// Any of these is a package of the checkout: a transport's own workspace may depend only on the last two.
const OURS: [&str; 4] = [HOST, DEVICE, "oxshmem-raw", "oxshmem-core"];

/// Finds the checkout on which the program in the current folder depends.
///
/// # Errors
/// There is no program here, it does not depend on oxshmem, or the dependency has no sources of the tasks.
pub fn find() -> Result<Place> {
    let folder = env::current_dir().context("cannot read the path of the current folder")?;
    if !folder.ancestors().any(|folder| folder.join("Cargo.toml").is_file()) {
        bail!(
            "no Cargo.toml in {} or above: run `cargo oxshmem` in the folder of a program that depends on {HOST} or {DEVICE}",
            folder.display()
        );
    }
    checkout(&Metadata::of(&folder, &[])?).map(Place::Checkout)
}

/// Reports whether a package is a library of device code, which depends on the device side and not on the host side.
fn is_kernel_crate(package: &Package) -> bool {
    let is_library = package.targets.iter().any(|target| target.kind.iter().any(|kind| kind == "lib"));
    let depends_on = |name: &str| {
        let mut needed = package.dependencies.iter().filter(|one| one.kind.is_none());
        needed.any(|one| one.rename.as_ref().unwrap_or(&one.name) == name)
    };
    is_library && depends_on(DEVICE) && !depends_on(HOST)
}

fn checkout(metadata: &Metadata) -> Result<Checkout> {
    let program = metadata.workspace_root.display();
    let ours = OURS.iter().find_map(|name| metadata.packages.iter().find(|package| package.name == *name));
    let Some(ours) = ours else {
        bail!(
            "{program} depends on neither {HOST} nor {DEVICE}; add one to its Cargo.toml, such as \
             {HOST} = {{ path = \"../oxshmem/hal\", default-features = false, features = [\"nvlink\"] }}"
        );
    };
    if let Some(source) = &ours.source {
        bail!(
            "{program} takes {} from {source}, and the tasks need its sources in a folder: clone or vendor the repository, \
             and depend on it by `path`",
            ours.name
        );
    }
    let root = ours.manifest_path.ancestors().find(|folder| folder.join("xtask/Cargo.toml").is_file());
    let root = root.with_context(|| {
        format!("{} is without the folder `xtask`: vendor the whole repository", ours.manifest_path.display())
    })?;
    if ours.version != env!("CARGO_PKG_VERSION") {
        eprintln!(
            "warning: this is cargo-oxshmem {}, and {program} depends on oxshmem {}; run `cargo install --path {}`",
            env!("CARGO_PKG_VERSION"),
            ours.version,
            root.join("xtask").display()
        );
    }
    if metadata.workspace_root == root {
        return Ok(Checkout::new(root));
    }
    Ok(Checkout::of_program(root, program_of(metadata)))
}

fn program_of(metadata: &Metadata) -> Program {
    let members = metadata.packages.iter().filter(|package| metadata.workspace_members.contains(&package.id));
    let kernels = members.filter(|package| is_kernel_crate(package));
    Program {
        kernels: kernels.map(|package| package.manifest_path.clone()).collect(),
        root: metadata.workspace_root.clone(),
        target: metadata.target_directory.clone(),
    }
}

/// Returns the command line without the subcommand's name, which cargo repeats as the first argument.
pub fn arguments(args: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut args: Vec<_> = args.collect();
    if args.get(1).is_some_and(|first| first == "oxshmem") {
        args.remove(1);
    }
    args
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::*;

    /// Returns the output of `cargo metadata` for a program `/p` with this package of ours, at this path and from this
    /// source.
    fn metadata(ours: &str, manifest: &str, source: &str) -> String {
        let package = |name: &str, manifest: &str, source: &str, needs: &str| {
            format!(
                r#"{{"id":"{name}","name":"{name}","version":"{}","manifest_path":"{manifest}","source":{source},
                "dependencies":[{needs}],"targets":[{{"kind":["lib"]}}]}}"#,
                env!("CARGO_PKG_VERSION")
            )
        };
        let needs = |name: &str| format!(r#"{{"name":"{name}","kind":null}}"#);
        let packages = [
            package("heat", "/p/Cargo.toml", "null", &needs(HOST)),
            package("heat-kernels", "/p/kernels/Cargo.toml", "null", &needs(DEVICE)),
            package(ours, manifest, source, ""),
        ];
        format!(
            r#"{{"packages":[{}],"workspace_members":["heat","heat-kernels"],"workspace_root":"/p","target_directory":"/p/target"}}"#,
            packages.join(",")
        )
    }

    fn read(json: &str) -> Result<Checkout> {
        checkout(&Metadata::parse(json)?)
    }

    /// Returns the `Cargo.toml` of this checkout's `hal`, and the checkout.
    fn hal() -> (String, PathBuf) {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        (root.join("hal/Cargo.toml").display().to_string(), root.to_path_buf())
    }

    #[test]
    fn the_checkout_is_that_of_the_path_dependency_and_kernel_crates_are_those_without_a_host_side() {
        let (manifest, root) = hal();
        let checkout = read(&metadata(HOST, &manifest, "null")).unwrap();
        assert_eq!(&*checkout, root.as_path());
        let program = checkout.program().unwrap();
        assert_eq!((program.root.as_path(), program.target.as_path()), (Path::new("/p"), Path::new("/p/target")));
        assert_eq!(program.kernel_manifests().unwrap(), [PathBuf::from("/p/kernels/Cargo.toml")]);
    }

    #[test]
    fn the_checkout_itself_is_no_program_outside_it() {
        let (manifest, root) = hal();
        let json = metadata(HOST, &manifest, "null")
            .replace(r#""workspace_root":"/p""#, &format!(r#""workspace_root":"{}""#, root.display()));
        assert_eq!(read(&json).unwrap(), Checkout::new(root));
    }

    #[test]
    fn a_program_that_can_have_no_tasks_is_an_error_that_says_what_to_do() {
        let registry = r#""registry+https://example.org""#;
        for (ours, manifest, source, parts) in [
            ("serde", "/x/Cargo.toml", "null", ["depends on neither oxshmem-hal nor oxshmem-device", "path ="]),
            (HOST, "/x/hal/Cargo.toml", registry, ["registry+https://example.org", "depend on it by `path`"]),
            (
                HOST,
                "/x/hal/Cargo.toml",
                "null",
                ["/x/hal/Cargo.toml is without the folder `xtask`", "vendor the whole"],
            ),
        ] {
            let error = read(&metadata(ours, manifest, source)).unwrap_err().to_string();
            assert!(parts.iter().all(|part| error.contains(part)), "{parts:?} in {error}");
        }
    }

    #[test]
    fn cargo_repeats_the_subcommand_and_an_alias_does_not() {
        let words = |line: &str| arguments(line.split(' ').map(Into::into));
        assert_eq!(words("cargo-oxshmem oxshmem run -n 2"), words("cargo-oxshmem run -n 2"));
    }
}
