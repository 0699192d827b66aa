//! Rules on the Rust sources: where features may be named, how long a file should be, formatting.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::Finding;
use crate::shell;

/// The folders whose sources are checked, and whether they are part of the library.
const FOLDERS: &[(&str, bool)] = &[("core", true), ("hal", true), ("device", true), ("xtask", false), ("tests", false)];

/// The only files that name a transport's feature.
const FEATURE_FILES: [&str; 2] = ["hal/src/transports.rs", "device/src/path.rs"];

/// Lines after which a file probably does more than one thing.
const LONG: usize = 400;

/// Checks every Rust file of the checkout.
pub(crate) fn check(root: &Path) -> Result<Vec<Finding>> {
    let mut folders: Vec<(PathBuf, bool)> = FOLDERS.iter().map(|(name, library)| (root.join(name), *library)).collect();
    for entry in std::fs::read_dir(root).with_context(|| format!("cannot read {}", root.display()))? {
        let path = entry?.path();
        if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("transport-")) {
            folders.push((path, true));
        }
    }
    let mut findings = Vec::new();
    for (folder, library) in folders {
        let mut files = Vec::new();
        rust_files(&folder, &mut files)?;
        files.sort();
        for file in files {
            let text = std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
            findings.extend(check_length(&file, &text));
            let named_here = FEATURE_FILES.iter().any(|allowed| file == root.join(allowed));
            if library && !named_here {
                findings.extend(check_features(&file, &text));
            }
        }
    }
    Ok(findings)
}

fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
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

/// Features meet the code in one file, and in its device twin.
fn check_features(file: &Path, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let code = line.split("//").next().unwrap_or("");
        let squeezed: String = code.chars().filter(|c| !c.is_whitespace()).collect();
        for feature in ["nvlink", "ibgda", "ibrc"] {
            if squeezed.contains(&format!("feature=\"{feature}\"")) {
                let text = format!("the feature `{feature}` is named outside {}", FEATURE_FILES.join(" and "));
                findings.push(Finding::error(file, index + 1, text));
            }
        }
    }
    findings
}

/// What `cargo fmt --check` would change.
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

    #[test]
    fn a_transport_feature_is_found_on_its_line_however_it_is_spaced() {
        let text = "fn a() {}\n#[cfg(any(feature=\"nvlink\", feature = \"ibrc\"))]\n";
        let found = check_features(Path::new("hal/src/heap.rs"), text);
        assert_eq!(found.len(), 2);
        assert!(found[0].to_string().starts_with("hal/src/heap.rs:2: error: the feature `nvlink`"));
    }

    #[test]
    fn other_features_and_comments_pass() {
        let text = "#[cfg(feature = \"host\")]\n// as with feature = \"nvlink\"\n";
        assert!(check_features(Path::new("a.rs"), text).is_empty());
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
