//! Rules on the sources: the places that name transports' features, the length of files, formatting.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::{Finding, prose};
use crate::files;
use crate::shell;

/// The folders of the libraries, beside the transports'.
const LIBRARIES: [&str; 9] =
    ["core", "hal/raw", "hal/rdma", "hal", "hal/capi", "device", "device/api", "device/capi", "device/collectives"];

/// The folders whose sources are checked.
const FOLDERS: [&str; 5] = ["core", "hal", "device", "xtask", "tests"];

/// The prefix of a transport's folder. Its name, which is also that of its feature, follows.
const TRANSPORT: &str = "transport-";

/// The crates that choose transports by feature, each in one file.
const COMPOSERS: [&str; 2] = ["hal/src", "device/src"];

/// The recommended most lines of a file. A longer one probably does more than one thing.
const LONG: usize = 400;

/// The most lines of the README.
const README: usize = 150;

/// Checks every Rust file of the checkout, and the README.
pub(crate) fn check(root: &Path) -> Result<Vec<Finding>> {
    let transports = transports(root)?;
    let library = |file: &Path| !["xtask", "tests"].iter().any(|folder| file.starts_with(root.join(folder)));
    let mut findings = Vec::new();
    let mut naming: Vec<Vec<Finding>> = Vec::new();
    for file in sources(root)? {
        let text = read(&file)?;
        findings.extend(check_length(&file, &text));
        findings.extend(prose::check(&file, &text));
        if library(&file) {
            naming.push(check_features(&file, &text, &transports));
        }
    }
    findings.extend(spread(naming.into_iter().flatten().collect(), root));
    let readme = root.join("README.md");
    findings.extend(check_readme(&readme, &read(&readme)?));
    Ok(findings)
}

pub(super) fn read(file: &Path) -> Result<String> {
    files::read(file)
}

/// Returns the names of all transports, from the names of their folders.
fn transports(root: &Path) -> Result<BTreeSet<String>> {
    let entries = std::fs::read_dir(root).with_context(|| format!("cannot read {}", root.display()))?;
    let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    Ok(names.filter_map(|name| name.strip_prefix(TRANSPORT).map(str::to_string)).collect())
}

/// Returns the folders of all transports.
pub(super) fn transport_folders(root: &Path) -> Result<Vec<String>> {
    Ok(transports(root)?.into_iter().map(|name| format!("{TRANSPORT}{name}")).collect())
}

/// A library's source folder, and its files with their texts.
pub(super) type Library = (PathBuf, Vec<(PathBuf, String)>);

/// Returns every library.
pub(super) fn libraries(root: &Path) -> Result<Vec<Library>> {
    let folders = LIBRARIES.map(str::to_string).into_iter().chain(transport_folders(root)?);
    folders.map(|folder| library(root, &folder)).collect()
}

/// Returns the crate in a folder of the checkout.
pub(super) fn library(root: &Path, folder: &str) -> Result<Library> {
    let source = root.join(folder).join("src");
    let mut files = Vec::new();
    rust_files(&source, &mut files)?;
    files.sort();
    let texts = files.into_iter().map(|file| Ok((file.clone(), read(&file)?)));
    Ok((source, texts.collect::<Result<_>>()?))
}

/// Returns every Rust file, sorted.
pub(super) fn sources(root: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for folder in FOLDERS.map(str::to_string).into_iter().chain(transport_folders(root)?) {
        rust_files(&root.join(folder), &mut files)?;
    }
    files.sort();
    Ok(files)
}

/// Adds the Rust files in a folder and in those below it.
pub(super) fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Ok(()) };
    for entry in entries {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && name != "target" && !name.starts_with('.') {
            rust_files(&path, files)?;
        } else if name.ends_with(".rs") {
            files.push(path);
        }
    }
    Ok(())
}

fn check_length(file: &Path, text: &str) -> Option<Finding> {
    let lines = text.lines().count();
    (lines > LONG).then(|| {
        Finding::warning(
            file,
            LONG + 1,
            format!("{lines} lines; a file that does one thing has {LONG} at most as a rule"),
        )
    })
}

/// Returns the lines of a file that name the feature of a transport.
fn check_features(file: &Path, text: &str, transports: &BTreeSet<String>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let code = line.split("//").next().unwrap_or("");
        let squeezed: String = code.chars().filter(|c| !c.is_whitespace()).collect();
        for feature in transports.iter().filter(|name| squeezed.contains(&format!("feature=\"{name}\""))) {
            let text = format!(
                "the feature `{feature}` is named outside the one file of hal, or of device, that chooses transports"
            );
            findings.push(Finding::error(file, index + 1, text));
        }
    }
    findings
}

/// Returns the findings of [`check_features`] without those in the one file of each composer that may name features.
/// If several files of a composer name features, all of them remain.
fn spread(mut findings: Vec<Finding>, root: &Path) -> Vec<Finding> {
    for composer in COMPOSERS {
        let folder = root.join(composer);
        let files: BTreeSet<PathBuf> =
            findings.iter().map(|one| one.file.clone()).filter(|file| file.starts_with(&folder)).collect();
        if files.len() == 1 {
            findings.retain(|one| !one.file.starts_with(&folder));
        }
    }
    findings
}

/// Checks the length of the README, which is to be read whole.
fn check_readme(file: &Path, text: &str) -> Option<Finding> {
    let lines = text.lines().count();
    let text = format!("{lines} lines, where {README} are allowed: details belong in docs/");
    (lines > README).then(|| Finding::error(file, README + 1, text))
}

/// Returns a finding for each change that `cargo fmt --check` reports.
pub(crate) fn check_format(root: &Path) -> Result<Vec<Finding>> {
    let mut fmt = shell::cargo();
    fmt.args(["fmt", "--all", "--check"]).current_dir(root);
    let output = shell::output(&mut fmt)?;
    if output.status.success() {
        return Ok(Vec::new());
    }
    let findings = parse_format(&String::from_utf8_lossy(&output.stdout));
    if findings.is_empty() {
        anyhow::bail!("`cargo fmt` failed: {}", shell::tail(&String::from_utf8_lossy(&output.stderr), 10));
    }
    Ok(findings)
}

fn parse_format(said: &str) -> Vec<Finding> {
    said.lines()
        .filter_map(|line| line.strip_prefix("Diff in "))
        .filter_map(|place| {
            let (file, line) = place.trim_end_matches(':').rsplit_once(':')?;
            Some(Finding::error(file, line.parse().ok()?, "not formatted; run `cargo fmt`"))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(file: &str, text: &str) -> Vec<Finding> {
        check_features(Path::new(file), text, &["nvlink", "ibrc"].map(str::to_string).into())
    }

    #[test]
    fn a_transport_feature_is_found_on_its_line_however_it_is_spaced() {
        let found = named("hal/raw/src/heap.rs", "fn a() {}\n#[cfg(any(feature=\"nvlink\", feature = \"ibrc\"))]\n");
        assert_eq!(found.len(), 2);
        assert!(found[0].to_string().starts_with("hal/raw/src/heap.rs:2: error: the feature `ibrc`"), "{}", found[0]);
        assert_eq!(spread(found, Path::new("")).len(), 2);
    }

    #[test]
    fn other_features_and_comments_pass() {
        assert!(named("a.rs", "#[cfg(feature = \"host\")]\n// as with feature = \"nvlink\"\n").is_empty());
    }

    #[test]
    fn one_file_of_a_composer_may_name_features_and_two_may_not() {
        let cfg = "#[cfg(feature = \"nvlink\")]";
        let one = [named("hal/src/transports.rs", cfg), named("device/src/path.rs", cfg)].concat();
        assert!(spread(one.clone(), Path::new("")).is_empty());
        let two = [one, named("hal/src/world.rs", cfg)].concat();
        assert_eq!(spread(two, Path::new("")).len(), 2, "those of hal, and not that of device");
    }

    #[test]
    fn a_readme_of_150_lines_passes_and_one_more_is_an_error() {
        assert!(check_readme(Path::new("README.md"), &"x\n".repeat(150)).is_none());
        assert!(check_readme(Path::new("README.md"), &"x\n".repeat(151)).unwrap().is_error());
    }

    #[test]
    fn the_transports_of_this_checkout_are_known_by_their_folders() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        assert!(transports(root).unwrap().contains("nvlink"));
    }

    #[test]
    fn a_file_of_400_lines_passes_and_one_more_is_a_warning() {
        assert!(check_length(Path::new("a.rs"), &"x\n".repeat(400)).is_none());
        assert!(!check_length(Path::new("a.rs"), &"x\n".repeat(401)).unwrap().is_error());
    }

    #[test]
    fn each_place_that_is_not_formatted_is_a_finding() {
        let found = parse_format("Diff in /src/a.rs:12:\n-  x\n+ x\nDiff in /src/b.rs:3:\n");
        assert_eq!(found.len(), 2);
        assert!(found[0].to_string().starts_with("/src/a.rs:12: error"), "{}", found[0]);
    }
}
