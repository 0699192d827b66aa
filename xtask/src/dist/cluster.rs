//! `xtask/clusters/NAME.toml`: the contents of a cluster's folder, which can inherit from a more general cluster.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use serde::Deserialize;

use crate::files;

/// A cluster, with all inherited keys.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Cluster {
    #[serde(skip)]
    pub name: String,
    #[serde(default)]
    pub about: String,
    pub features: Vec<String>,
    pub archs: Vec<String>,
    #[serde(default)]
    pub cubins: bool,
    pub kernels: Vec<String>,
    pub programs: Vec<String>,
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
}

/// The keys of a file, and the one that names the file from which it inherits the others.
const KEYS: [&str; 8] = ["inherits", "about", "features", "archs", "cubins", "kernels", "programs", "environment"];

impl Cluster {
    /// Reads the cluster and the files that it inherits from.
    ///
    /// # Errors
    ///
    /// An unknown cluster (the error lists the known ones), an unknown key (it lists the known ones), a circle, or a
    /// key that no file of the chain sets.
    pub(crate) fn read(folder: &Path, name: &str) -> Result<Self> {
        Self::resolve(name, |name| {
            let file = folder.join(format!("{name}.toml"));
            if !file.is_file() {
                bail!("no cluster `{name}` in {}; there are: {}", folder.display(), names(folder).join(", "));
            }
            files::read(&file)
        })
    }

    fn resolve(name: &str, read: impl Fn(&str) -> Result<String>) -> Result<Self> {
        let mut whole = toml::Table::new();
        let mut chain: Vec<String> = Vec::new();
        let mut next = Some(name.to_string());
        while let Some(name) = next {
            if chain.contains(&name) {
                bail!("clusters inherit in a circle: {} -> {name}", chain.join(" -> "));
            }
            let wrong = || format!("xtask/clusters/{name}.toml is not right");
            let file: toml::Table = read(&name)?.parse().with_context(wrong)?;
            if let Some(key) = file.keys().find(|key| !KEYS.contains(&key.as_str())) {
                let known = KEYS.map(|key| format!("`{key}`")).join(", ");
                return Err(anyhow!("unknown key `{key}`, expected one of {known}")).with_context(wrong);
            }
            next = file.get("inherits").and_then(|name| name.as_str()).map(str::to_string);
            chain.push(name);
            inherit(&mut whole, file);
        }
        whole.remove("inherits");
        for key in ["features", "archs", "kernels", "programs"] {
            if !whole.contains_key(key) {
                bail!("`{key}` is set nowhere in {}", chain.join(" -> "));
            }
        }
        let wrong = || format!("a file of {} is not right", chain.join(" -> "));
        let cluster = Self { name: name.to_string(), ..Self::deserialize(whole).with_context(wrong)? };
        if cluster.archs.is_empty() {
            bail!("cluster `{name}` has an empty list `archs`; one architecture looks like \"sm_80\"");
        }
        Ok(cluster)
    }
}

/// Adds the keys of `base` that are missing, in the environment variable by variable.
fn inherit(whole: &mut toml::Table, base: toml::Table) {
    for (key, value) in base {
        match (whole.get_mut(&key), value) {
            (Some(toml::Value::Table(own)), toml::Value::Table(base)) => inherit(own, base),
            (Some(_), _) => {}
            (None, value) => drop(whole.insert(key, value)),
        }
    }
}

/// Returns the names of all clusters.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.filter_map(|entry| entry.file_name().to_str()?.strip_suffix(".toml").map(str::to_string)).collect();
    names.sort();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &str = "features = [\"nvlink\"]\narchs = [\"sm_80\"]\nkernels = [\"k\"]\nprograms = [\"p\"]\n\
        [environment]\nA = \"1\"\nB = \"2\"\n";

    fn resolve(name: &str, files: &[(&str, &str)]) -> Result<Cluster> {
        Cluster::resolve(name, |name| match files.iter().find(|(known, _)| *known == name) {
            Some((_, text)) => Ok(text.to_string()),
            None => bail!("no cluster `{name}`"),
        })
    }

    #[test]
    fn a_cluster_has_its_own_lists_and_inherits_the_rest_variable_by_variable() {
        let own = "inherits = \"base\"\narchs = [\"sm_90\"]\n[environment]\nB = \"3\"\n";
        let cluster = resolve("own", &[("base", BASE), ("own", own)]).unwrap();
        assert_eq!((cluster.archs, cluster.features), (vec!["sm_90".to_string()], vec!["nvlink".to_string()]));
        assert_eq!(cluster.environment.into_iter().map(|(k, v)| k + &v).collect::<Vec<_>>(), ["A1", "B3"]);
    }

    #[test]
    fn a_typo_is_an_error_with_the_file_and_the_keys_that_there_are() {
        let error = resolve("own", &[("own", "inherits = \"base\"\narch = [\"sm_90\"]\n")]).unwrap_err();
        let text = format!("{error:#}");
        for part in ["clusters/own.toml", "`arch`", "`archs`", "`programs`"] {
            assert!(text.contains(part), "{part} in {text}");
        }
    }

    #[test]
    fn a_circle_is_an_error_and_not_a_hang() {
        let error = resolve("a", &[("a", "inherits = \"b\""), ("b", "inherits = \"a\"")]).unwrap_err().to_string();
        assert!(error.contains("a -> b -> a"), "{error}");
    }

    #[test]
    fn a_key_that_nobody_sets_is_named() {
        let error = resolve("a", &[("a", "features = []")]).unwrap_err().to_string();
        assert!(error.contains("`archs` is set nowhere"), "{error}");
    }

    #[test]
    fn an_unknown_cluster_is_an_error_that_lists_the_shipped_ones_and_each_of_those_is_right() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("clusters");
        let error = Cluster::read(&folder, "h300").unwrap_err().to_string();
        assert!(error.contains("`h300`") && error.contains("base, h200, h200-ib, local"), "{error}");
        for name in names(&folder) {
            Cluster::read(&folder, &name).unwrap();
        }
    }
}
