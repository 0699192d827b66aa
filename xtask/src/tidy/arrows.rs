//! Dependencies point down: for each of our crates, the crates on which it may depend.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::{Finding, line_of};
use crate::files;

/// Checks the Cargo.toml of every layer.
pub(crate) fn check(root: &Path) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for folder in layers(root)? {
        let file = root.join(&folder).join("Cargo.toml");
        let text = files::read(&file)?;
        findings.extend(check_manifest(&file, &text)?);
    }
    Ok(findings)
}

/// Returns the folders of the layers that exist.
fn layers(root: &Path) -> Result<Vec<PathBuf>> {
    let mut folders: Vec<PathBuf> =
        ["core", "hal/raw", "hal/rdma", "hal", "device/api", "device"].iter().map(PathBuf::from).collect();
    for entry in std::fs::read_dir(root).with_context(|| format!("cannot read {}", root.display()))? {
        let name = entry?.file_name();
        if name.to_string_lossy().starts_with("transport-") {
            folders.push(name.into());
        }
    }
    folders.retain(|folder| root.join(folder).join("Cargo.toml").is_file());
    folders.sort();
    Ok(folders)
}

/// Returns whether `package` may depend on `other`, both ours.
fn allowed(package: &str, other: &str) -> bool {
    let transport = |name: &str| name.starts_with("oxshmem-transport-");
    match package {
        "oxshmem-core" => false,
        "oxshmem-raw" => other == "oxshmem-core",
        "oxshmem-rdma" => matches!(other, "oxshmem-core" | "oxshmem-raw"),
        "oxshmem-transport-nvlink" => matches!(other, "oxshmem-core" | "oxshmem-raw"),
        _ if transport(package) => matches!(other, "oxshmem-core" | "oxshmem-raw" | "oxshmem-rdma"),
        "oxshmem-hal" => matches!(other, "oxshmem-core" | "oxshmem-raw") || transport(other),
        "oxshmem-device-api" => matches!(other, "oxshmem-core" | "oxshmem-raw" | "oxshmem-transport-nvlink"),
        "oxshmem-device" => other == "oxshmem-device-api" || transport(other),
        _ => true,
    }
}

/// Checks one manifest. Dependencies of its tests and examples alone are free.
fn check_manifest(file: &Path, text: &str) -> Result<Vec<Finding>> {
    let table: toml::Table = text.parse().with_context(|| format!("{} is not TOML", file.display()))?;
    let package = table.get("package").and_then(|package| package.get("name")).and_then(|name| name.as_str());
    let package = package.unwrap_or_default();
    let mut names = Vec::new();
    collect(&table, &mut names);
    for platform in
        table.get("target").and_then(|target| target.as_table()).into_iter().flat_map(|target| target.values())
    {
        if let Some(platform) = platform.as_table() {
            collect(platform, &mut names);
        }
    }
    names.sort();
    names.dedup();
    let wrong = names.into_iter().filter(|name| name.starts_with("oxshmem-") && !allowed(package, name));
    Ok(wrong
        .map(|name| {
            let line = line_of(text, &name);
            Finding::error(file, line, format!("`{package}` must not depend on `{name}`: arrows point down only"))
        })
        .collect())
}

fn collect(table: &toml::Table, names: &mut Vec<String>) {
    for kind in ["dependencies", "build-dependencies"] {
        for (key, value) in table.get(kind).and_then(|kind| kind.as_table()).into_iter().flatten() {
            // A renamed dependency has its name in `package`.
            let name = value.get("package").and_then(|name| name.as_str()).unwrap_or(key);
            names.push(name.to_string());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(package: &str, rest: &str) -> Vec<String> {
        let text = format!("[package]\nname = \"{package}\"\n\n{rest}");
        check_manifest(Path::new("Cargo.toml"), &text).unwrap().iter().map(Finding::to_string).collect()
    }

    #[test]
    fn an_arrow_upwards_is_found_on_its_line() {
        let found =
            found("oxshmem-raw", "[dependencies]\noxshmem-core.workspace = true\noxshmem-hal = { path = \"..\" }\n");
        assert_eq!(
            found,
            ["Cargo.toml:6: error: `oxshmem-raw` must not depend on `oxshmem-hal`: arrows point down only"]
        );
    }

    #[test]
    fn core_knows_nobody_and_hal_and_device_do_not_know_each_other() {
        assert_eq!(found("oxshmem-core", "[dependencies]\noxshmem-raw = \"1\"\n").len(), 1);
        assert_eq!(found("oxshmem-hal", "[dependencies]\noxshmem-device = \"1\"\n").len(), 1);
        assert_eq!(found("oxshmem-hal", "[dependencies]\noxshmem-device-api = \"1\"\n").len(), 1);
        assert_eq!(found("oxshmem-device-api", "[dependencies]\noxshmem-device = \"1\"\n").len(), 1);
        assert!(found("oxshmem-device", "[dependencies]\noxshmem-device-api = \"1\"\n").is_empty());
        assert_eq!(found("oxshmem-device", "[target.'cfg(unix)'.dependencies]\noxshmem-hal = \"1\"\n").len(), 1);
    }

    #[test]
    fn a_transport_does_not_name_another_also_not_under_a_new_name() {
        let renamed = "[dependencies]\nother = { package = \"oxshmem-transport-nvlink\", version = \"1\" }\n";
        assert_eq!(found("oxshmem-transport-ibrc", renamed).len(), 1);
    }

    #[test]
    fn arrows_downwards_strangers_and_what_tests_need_pass() {
        let good = "[dependencies]\noxshmem-core = \"1\"\noxshmem-transport-nvlink = \"1\"\nlibc = \"1\"\n\
                    [dev-dependencies]\noxshmem-device = \"1\"\n";
        assert!(found("oxshmem-hal", good).is_empty());
    }
}
