//! `xtask/clusters/NAME.toml`: the contents of a cluster's folder, which can inherit from a more general cluster.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

/// One file. Each key can be left to the file that it inherits from.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    inherits: Option<String>,
    about: Option<String>,
    features: Option<Vec<String>>,
    archs: Option<Vec<String>>,
    cubins: Option<bool>,
    kernels: Option<Vec<String>>,
    programs: Option<Vec<String>>,
    #[serde(default)]
    environment: BTreeMap<String, String>,
}

/// A cluster, with all inherited keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cluster {
    pub name: String,
    pub about: String,
    pub features: Vec<String>,
    pub archs: Vec<String>,
    pub cubins: bool,
    pub kernels: Vec<String>,
    pub programs: Vec<String>,
    pub environment: BTreeMap<String, String>,
}

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
            std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))
        })
    }

    fn resolve(name: &str, read: impl Fn(&str) -> Result<String>) -> Result<Self> {
        let mut whole = File::default();
        let mut chain: Vec<String> = Vec::new();
        let mut next = Some(name.to_string());
        while let Some(name) = next {
            if chain.contains(&name) {
                bail!("clusters inherit in a circle: {} -> {name}", chain.join(" -> "));
            }
            let text = read(&name)?;
            let file: File =
                toml::from_str(&text).with_context(|| format!("xtask/clusters/{name}.toml is not right"))?;
            next = file.inherits.clone();
            chain.push(name);
            whole = whole.over(file);
        }
        let missing = |key: &str| format!("`{key}` is set nowhere in {}", chain.join(" -> "));
        let cluster = Self {
            name: name.to_string(),
            about: whole.about.unwrap_or_default(),
            features: whole.features.with_context(|| missing("features"))?,
            archs: whole.archs.with_context(|| missing("archs"))?,
            cubins: whole.cubins.unwrap_or(false),
            kernels: whole.kernels.with_context(|| missing("kernels"))?,
            programs: whole.programs.with_context(|| missing("programs"))?,
            environment: whole.environment,
        };
        if cluster.archs.is_empty() {
            bail!("cluster `{name}` has an empty list `archs`; one architecture looks like \"sm_80\"");
        }
        Ok(cluster)
    }
}

impl File {
    /// Returns this file, with missing keys from `base`.
    fn over(self, base: Self) -> Self {
        let mut environment = base.environment;
        environment.extend(self.environment);
        Self {
            inherits: None,
            about: self.about.or(base.about),
            features: self.features.or(base.features),
            archs: self.archs.or(base.archs),
            cubins: self.cubins.or(base.cubins),
            kernels: self.kernels.or(base.kernels),
            programs: self.programs.or(base.programs),
            environment,
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
