//! What of the table of settings is about how PEs find each other.

use super::BootstrapChoice;
use super::variables::{Variable, is, word};

const NOT_A_WORD: &str = "it is none of its words";
const NO_PMI: &str = "PMI and PMI-2 are not spoken: PEs find each other by variables, or by PMIx (OXSHMEM_BOOTSTRAP)";
const BY_ITSELF: &str = "PEs find each other by themselves, also in programs of MPI; OXSHMEM_BOOTSTRAP says how";

/// NVSHMEM's stand before ours, which count.
pub(super) static BOOTSTRAP_VARIABLES: &[Variable] = &[
    Variable {
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
    Variable {
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
    Variable {
        names: &["OXSHMEM_BOOTSTRAP"],
        help: "How a process learns which PE it is: by PMIx, or by variables; auto: by PMIx where the launcher offers it.",
        range: || BootstrapChoice::WORDS.into(),
        set: |config, text| word(text, BootstrapChoice::parse, |value| config.bootstrap = value),
        check: |_| Ok(()),
        show: |config| Some(config.bootstrap.to_string()),
    },
];
