//! Our programs by name: cargo builds them in a checkout; a packed folder has them in `bin/`.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::metadata::{Metadata, Target};
use crate::place::Place;
use crate::shell;

/// Arguments that select all packages but the tasks, which have a profile of their own.
pub(crate) const WITHOUT_TASKS: [&str; 3] = ["--workspace", "--exclude=xtask", "--exclude=xtask-perf"];
/// Arguments that select the tasks' packages and their profile.
pub(crate) const TASKS: [&str; 3] = ["--package=xtask", "--package=xtask-perf", "--profile=xtask"];

/// A binary or an example of a package of this workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Program {
    /// Its name.
    pub name: String,
    package: String,
    kind: Kind,
    /// The packages on which its package depends directly.
    needs: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Binary,
    Example,
}

impl Program {
    /// Whether it is a binary, and no example.
    pub(crate) fn is_binary(&self) -> bool {
        self.kind == Kind::Binary
    }
}

/// The optimization of a program: fast to build, or fast to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// Fast to build.
    Dev,
    /// Fast to run.
    Release,
}

/// Returns the path of a program that the user or a task names: a path, one of ours, or one on the PATH.
pub fn resolve(place: &Place, name: impl AsRef<OsStr>, profile: Profile) -> Result<PathBuf> {
    let path = Path::new(&name);
    // Names of ours and of programs on the PATH are UTF-8; a path need not be.
    let Some(name) = path.to_str().filter(|name| !name.contains('/')) else {
        if !shell::is_program(path) {
            bail!(
                "{} is not a program; give the path of an executable file, or the name of one of ours",
                path.display()
            );
        }
        return Ok(path.to_path_buf());
    };
    let known = match place {
        Place::Packed(root) => {
            let path = root.join("bin").join(name);
            if shell::is_program(&path) {
                return Ok(path);
            }
            packed_names(root)
        }
        Place::Checkout(checkout) => {
            let mut known = Vec::new();
            // A program outside the checkout has its own programs, and may use the checkout's.
            for root in checkout.program().map(|program| program.root.as_path()).into_iter().chain([&**checkout]) {
                let all = all(root)?;
                if let Some(one) = all.iter().find(|one| one.name == name) {
                    return build(root, std::slice::from_ref(one), profile, &[])?
                        .remove(name)
                        .with_context(|| format!("cargo built `{name}` and did not say where"));
                }
                known.extend(all.into_iter().map(|one| one.name));
            }
            known
        }
    };
    shell::on_path(name).with_context(|| not_found(name, &known))
}

fn not_found(name: &str, known: &[String]) -> String {
    let known = if known.is_empty() { "none".to_string() } else { known.join(", ") };
    format!(
        "no program `{name}`: it is not one of ours ({known}) and not on the PATH; a path needs a `/`, as in ./{name}"
    )
}

/// Returns the names of the programs in a packed folder.
pub(crate) fn packed_names(root: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(root.join("bin")).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Returns every binary and example of the workspace, without this one.
pub(crate) fn all(root: &Path) -> Result<Vec<Program>> {
    Ok(programs_in(Metadata::of(root, &["--no-deps"])?))
}

fn programs_in(metadata: Metadata) -> Vec<Program> {
    let mut programs = Vec::new();
    for package in metadata.packages.into_iter().filter(|package| package.name != env!("CARGO_PKG_NAME")) {
        let needs: Vec<String> = package.dependencies.into_iter().map(|one| one.name).collect();
        for target in package.targets {
            let kind = match target.kind.first().map(String::as_str) {
                Some("bin") => Kind::Binary,
                Some("example") => Kind::Example,
                _ => continue,
            };
            programs.push(Program { name: target.name, package: package.name.clone(), kind, needs: needs.clone() });
        }
    }
    programs.sort_by(|a, b| a.name.cmp(&b.name));
    programs
}

/// Returns the program that is running.
pub(crate) fn this_one() -> Program {
    let name = env!("CARGO_PKG_NAME").to_string();
    Program { package: name.clone(), name, kind: Kind::Binary, needs: Vec::new() }
}

/// Returns the examples of a package.
pub(crate) fn examples_of<'a>(programs: &'a [Program], package: &'a str) -> impl Iterator<Item = &'a Program> {
    programs.iter().filter(move |one| one.package == package && one.kind == Kind::Example)
}

/// Builds the programs and returns the path of each by its name.
///
/// `features` are named with their package, as `oxshmem-hal/nvlink`, and apply to programs of that package and of those
/// that depend on it.
pub(crate) fn build(
    root: &Path,
    programs: &[Program],
    profile: Profile,
    features: &[String],
) -> Result<BTreeMap<String, PathBuf>> {
    let mut by_package: BTreeMap<&str, Vec<&Program>> = BTreeMap::new();
    for one in programs {
        // A dev build selects all packages, so that features are the same as for `cargo test` and nothing is compiled
        // twice.
        let of = if profile == Profile::Dev { "" } else { &one.package };
        by_package.entry(of).or_default().push(one);
    }
    let mut paths = BTreeMap::new();
    for (package, programs) in by_package {
        let mut cargo = shell::cargo();
        cargo.args(["build", "--message-format=json-render-diagnostics"]).current_dir(root);
        match profile {
            // A program outside the checkout has no tasks to leave out.
            Profile::Dev if !root.join("xtask").is_dir() => cargo.arg("--workspace"),
            Profile::Dev => cargo.args(WITHOUT_TASKS),
            Profile::Release => cargo.args(["--release", "--package", package]),
        };
        let features = match profile {
            Profile::Dev => features.to_vec(),
            Profile::Release => features_for(package, &programs[0].needs, features),
        };
        if !features.is_empty() {
            cargo.args(["--features", &features.join(",")]);
        }
        for one in &programs {
            cargo.args([if one.kind == Kind::Binary { "--bin" } else { "--example" }, &one.name]);
        }
        let built = artifacts(&mut cargo)?.into_iter().filter_map(|one| Some((one.target?.name, one.executable?)));
        paths.extend(built.filter(|(name, _)| programs.iter().any(|one| one.name == *name)));
    }
    Ok(paths)
}

/// Returns the features that a package can be built with: cargo refuses features of a package that it does not depend
/// on.
fn features_for(package: &str, needs: &[String], features: &[String]) -> Vec<String> {
    let of = |feature: &str| feature.split_once('/').map_or("", |(of, _)| of).to_string();
    features.iter().filter(|feature| of(feature) == package || needs.contains(&of(feature))).cloned().collect()
}

/// Builds the shared object of a package and returns its path.
pub(crate) fn build_shared(root: &Path, package: &str) -> Result<PathBuf> {
    let mut cargo = shell::cargo();
    cargo.args(["build", "--message-format=json-render-diagnostics", "--package", package, "--lib"]).current_dir(root);
    let is_of_package = |target: &Target| target.name == package.replace('-', "_");
    let messages = artifacts(&mut cargo)?.into_iter();
    messages
        .filter(|message| message.target.as_ref().is_some_and(is_of_package))
        .flat_map(|message| message.filenames)
        .find(|file| file.extension().is_some_and(|suffix| suffix == "so"))
        .with_context(|| format!("`{}` did not say where the shared object is", shell::typed(&cargo)))
}

#[derive(Deserialize)]
struct Message {
    target: Option<Target>,
    executable: Option<PathBuf>,
    #[serde(default)]
    filenames: Vec<PathBuf>,
}

/// Runs cargo with messages as JSON, and returns those about what it built.
fn artifacts(cargo: &mut Command) -> Result<Vec<Message>> {
    let output = cargo.stdin(Stdio::null()).stderr(Stdio::inherit()).output();
    let output = output.with_context(|| format!("cannot start `{}`", shell::typed(cargo)))?;
    if !output.status.success() {
        bail!("`{}` failed: {}", shell::typed(cargo), output.status);
    }
    Ok(parse_artifacts(&String::from_utf8_lossy(&output.stdout)))
}

fn parse_artifacts(lines: &str) -> Vec<Message> {
    lines.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binaries_and_examples_are_programs_and_libraries_and_this_one_are_not() {
        let json = r#"{"packages":[
            {"name":"oxshmem-hal","targets":[{"name":"oxshmem_hal","kind":["lib"]},{"name":"01-put","kind":["example"]}]},
            {"name":"oxshmem-apps","targets":[{"name":"oxshmem-jacobi","kind":["bin"]}]},
            {"name":"xtask","targets":[{"name":"xtask","kind":["bin"]}]}]}"#;
        let programs = programs_in(Metadata::parse(json).unwrap());
        assert_eq!(programs.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["01-put", "oxshmem-jacobi"]);
        assert_eq!(examples_of(&programs, "oxshmem-hal").count(), 1);
    }

    #[test]
    fn features_are_for_programs_of_their_package_and_of_those_that_depend_on_it() {
        let json = r#"{"packages":[
            {"name":"tests","targets":[{"name":"a","kind":["bin"]}],"dependencies":[{"name":"serde"},{"name":"hal"}]},
            {"name":"bench","targets":[{"name":"b","kind":["bin"]}],"dependencies":[{"name":"serde"}]},
            {"name":"hal","targets":[{"name":"c","kind":["example"]}],"dependencies":[]}]}"#;
        let features = ["hal/one".to_string(), "hal/two".to_string(), "serde/three".to_string()];
        let programs = programs_in(Metadata::parse(json).unwrap());
        let given = programs.iter().map(|one| features_for(&one.package, &one.needs, &features));
        let [all, serde, hal] = [&features[..], &features[2..], &features[..2]].map(<[String]>::to_vec);
        assert_eq!(given.collect::<Vec<_>>(), [all, serde, hal]);
    }

    #[test]
    fn the_path_of_a_program_is_the_one_that_cargo_says() {
        let lines = "{\"reason\":\"compiler-artifact\",\"target\":{\"name\":\"lib\",\"kind\":[\"lib\"]},\"executable\":null}\n\
            {\"reason\":\"compiler-artifact\",\"target\":{\"name\":\"j\",\"kind\":[\"bin\"]},\"executable\":\"/t/j\"}\nnot json\n";
        let built = parse_artifacts(lines).into_iter().filter_map(|one| Some((one.target?.name, one.executable?)));
        assert_eq!(built.collect::<Vec<_>>(), [("j".to_string(), PathBuf::from("/t/j"))]);
    }

    #[test]
    fn an_unknown_program_is_an_error_that_lists_ours() {
        let text = not_found("jacoby", &["oxshmem-jacobi".to_string()]);
        assert!(text.contains("`jacoby`") && text.contains("oxshmem-jacobi") && text.contains("PATH"), "{text}");
    }

    #[test]
    fn a_path_that_is_no_program_is_an_error() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        let error = resolve(&Place::Packed("/nowhere".into()), file, Profile::Dev).unwrap_err().to_string();
        assert!(error.contains("Cargo.toml is not a program"), "{error}");
    }
}
