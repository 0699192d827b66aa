//! The settings by which PEs find each other.

use oxshmem_raw::settings::NOT_A_WORD;

use super::choice::BootstrapChoice;
use super::field::{ConfigField, is, word};

const NO_PMI: &str = "PMI and PMI-2 are not spoken: PEs find each other by variables, or by PMIx (OXSHMEM_BOOTSTRAP)";
const BY_ITSELF: &str = "PEs find each other by themselves, also in programs of MPI; OXSHMEM_BOOTSTRAP says how";

/// NVSHMEM's variables come before ours, so that ours take precedence.
pub(super) static BOOTSTRAP_VARIABLES: &[ConfigField] = &[
    ConfigField {
        names: &["NVSHMEM_BOOTSTRAP"],
        help: "UID stands for OXSHMEM_BOOTSTRAP = env; PMI leaves it to NVSHMEM_BOOTSTRAP_PMI.",
        range: || "PMI, UID, MPI, SHMEM, plugin".into(),
        set: |config, text| match text {
            _ if is(text, "PMI") => Ok(None),
            _ if is(text, "UID") => {
                config.bootstrap = BootstrapChoice::Env;
                Ok(None)
            }
            _ if ["MPI", "SHMEM", "plugin"].iter().any(|known| is(text, known)) => Ok(Some(BY_ITSELF.into())),
            _ => Err(NOT_A_WORD.into()),
        },
        check: |_| Ok(()),
        show: |_| None,
    },
    ConfigField {
        names: &["NVSHMEM_BOOTSTRAP_PMI"],
        help: "PMIX stands for OXSHMEM_BOOTSTRAP = pmix.",
        range: || "PMIX, PMI, PMI-2".into(),
        set: |config, text| match text {
            _ if is(text, "PMIX") => {
                config.bootstrap = BootstrapChoice::Pmix;
                Ok(None)
            }
            _ if ["PMI", "PMI-2", "PMI2"].iter().any(|known| is(text, known)) => Ok(Some(NO_PMI.into())),
            _ => Err(NOT_A_WORD.into()),
        },
        check: |_| Ok(()),
        show: |_| None,
    },
    ConfigField {
        names: &["OXSHMEM_BOOTSTRAP"],
        help: "How a process learns which PE it is: by PMIx, or by variables; auto: by PMIx where the launcher offers it.",
        range: || BootstrapChoice::WORDS.into(),
        set: |config, text| word(text, BootstrapChoice::parse, |value| config.bootstrap = value),
        check: |_| Ok(()),
        show: |config| Some(config.bootstrap.to_string()),
    },
];

#[cfg(test)]
mod tests {
    use super::super::Config;
    use super::*;

    fn set(variables: &[(&str, &str)]) -> oxshmem_core::Result<Config> {
        Config::from_sources(None, variables.iter().map(|(name, value)| (name.to_string(), value.to_string())))
    }

    #[test]
    fn nvshmems_names_say_the_same_as_ours_and_ours_count() {
        for (variables, expected) in [
            (&[][..], BootstrapChoice::Auto),
            (&[("OXSHMEM_BOOTSTRAP", "PMIx")], BootstrapChoice::Pmix),
            (&[("NVSHMEM_BOOTSTRAP", "PMI"), ("NVSHMEM_BOOTSTRAP_PMI", "PMIX")], BootstrapChoice::Pmix),
            (&[("NVSHMEM_BOOTSTRAP", "UID")], BootstrapChoice::Env),
            (&[("NVSHMEM_BOOTSTRAP_PMI", "PMIX"), ("OXSHMEM_BOOTSTRAP", "env")], BootstrapChoice::Env),
        ] {
            let config = set(variables).unwrap();
            assert_eq!(config.bootstrap, expected, "{variables:?}");
            assert!(config.notes().is_empty(), "{variables:?}: {:?}", config.notes());
        }
    }

    #[test]
    fn ways_that_are_not_gone_are_told_and_words_that_nobody_knows_refused() {
        for (name, value) in [("NVSHMEM_BOOTSTRAP", "MPI"), ("NVSHMEM_BOOTSTRAP_PMI", "PMI-2")] {
            let config = set(&[(name, value)]).unwrap();
            assert_eq!((config.bootstrap, config.notes().len()), (BootstrapChoice::Auto, 1), "{name}");
        }
        for name in ["OXSHMEM_BOOTSTRAP", "NVSHMEM_BOOTSTRAP", "NVSHMEM_BOOTSTRAP_PMI"] {
            let error = set(&[(name, "carrier pigeon")]).unwrap_err().to_string();
            assert!(error.contains(name) && error.to_ascii_lowercase().contains("pmi"), "{error}");
        }
    }
}
