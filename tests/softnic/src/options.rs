//! Options of software NICs.

use std::path::PathBuf;

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_rdma::hca::LinkLayer;

use crate::{Defects, Fault, Knobs, Rule};

/// The model, which determines the capabilities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// ConnectX-6: masked atomics, no queue pair without a doorbell record.
    ConnectX6,
    /// ConnectX-7: the same, faster.
    ConnectX7,
    /// ConnectX-8: also queue pairs without a doorbell record.
    ConnectX8,
}

/// Options of a provider's NICs.
#[derive(Clone, Debug)]
pub struct Options {
    /// The model.
    pub profile: Profile,
    /// The link layer.
    pub link: LinkLayer,
    /// The use that the NICs make of their freedom.
    pub knobs: Knobs,
    /// Number of NICs, from `mlx5_0` on.
    pub nics: u32,
    /// The folder through which NICs of several processes meet; `None`: only NICs of this process meet.
    pub wire: Option<PathBuf>,
    /// Injected failures.
    pub faults: Vec<Fault>,
    /// Permanent errors.
    pub defects: Defects,
    /// Rules that are broken on purpose: an operation that breaks one fails, without a violation.
    pub broken_on_purpose: Vec<Rule>,
    /// Whether the first violation ends the process.
    pub abort: bool,
    /// Whether the library can limit the page size of memory for commands (`mlx5dv_devx_umem_reg_ex`, rdma-core 35).
    pub umem_reg_ex: bool,
    /// Whether DMA buffers are mapped (`mmap` of their descriptor) at registration; otherwise they are refused.
    pub map_dma_buf: bool,
    /// Whether the NIC's data and completions are unordered, so that [`Knobs::early_cqe`] has an effect.
    pub dump_needed: bool,
    /// Whether doorbells may come before their record, as a hint (a later one must follow the record).
    pub early_doorbells: bool,
    /// Index of the first block of every send queue, instead of 0, for drivers that continue from there. The NIC then
    /// sets the doorbell record accordingly when the queue is connected.
    pub first_index: u64,
}

impl Default for Options {
    /// Returns the options of a calm ConnectX-7 on InfiniBand, for this process.
    fn default() -> Self {
        Self {
            profile: Profile::ConnectX7,
            link: LinkLayer::InfiniBand,
            knobs: Knobs::calm(),
            nics: 1,
            wire: None,
            faults: Vec::new(),
            defects: Defects::default(),
            broken_on_purpose: Vec::new(),
            abort: false,
            umem_reg_ex: true,
            map_dma_buf: false,
            dump_needed: false,
            early_doorbells: false,
            first_index: 0,
        }
    }
}

impl Options {
    /// Reads the variables `OXSHMEM_SOFTNIC_SEED`, `_PROFILE` (cx6, cx7, cx8), `_LINK` (ib, roce), `_WIRE`, `_FAULT`,
    /// `_DEFECT`, `_ON_PURPOSE` (rules that are broken on purpose), `_STRICT` (abort), `_NICS`.
    ///
    /// # Errors
    /// A variable has an invalid value.
    pub fn from_env() -> Result<Self> {
        Self::from_variables(|name| std::env::var(name).ok())
    }

    fn from_variables(get: impl Fn(&str) -> Option<String>) -> Result<Self> {
        let mut options = Self::default();
        let wrong = |name: &str, value: &str, can: &str| {
            Error::new(ErrorKind::InvalidArgument, format!("make a software NIC with {name}={value}")).hint(can)
        };
        let value = |name: &'static str| get(name).filter(|value| !value.is_empty()).map(|value| (name, value));
        if let Some((name, text)) = value("OXSHMEM_SOFTNIC_SEED") {
            let seed = text.parse().map_err(|_| wrong(name, &text, "a seed is a number; 0 is calm"))?;
            options.knobs = Knobs::from_seed(seed);
        }
        if let Some((name, text)) = value("OXSHMEM_SOFTNIC_PROFILE") {
            options.profile = match text.as_str() {
                "cx6" => Profile::ConnectX6,
                "cx7" => Profile::ConnectX7,
                "cx8" => Profile::ConnectX8,
                _ => return Err(wrong(name, &text, "profiles are cx6, cx7 and cx8")),
            };
        }
        if let Some((name, text)) = value("OXSHMEM_SOFTNIC_LINK") {
            options.link = match text.as_str() {
                "ib" => LinkLayer::InfiniBand,
                "roce" => LinkLayer::Ethernet,
                _ => return Err(wrong(name, &text, "links are ib and roce")),
            };
        }
        if let Some((name, text)) = value("OXSHMEM_SOFTNIC_NICS") {
            let nics = text.parse().ok().filter(|nics| (1..=64).contains(nics));
            options.nics = nics.ok_or_else(|| wrong(name, &text, "1 to 64 NICs"))?;
        }
        if let Some((name, text)) = value("OXSHMEM_SOFTNIC_STRICT") {
            options.abort = match text.as_str() {
                "abort" => true,
                "record" => false,
                _ => return Err(wrong(name, &text, "it is abort or record")),
            };
        }
        if let Some((_, text)) = value("OXSHMEM_SOFTNIC_FAULT") {
            options.faults = Fault::parse_all(&text)?;
        }
        if let Some((_, text)) = value("OXSHMEM_SOFTNIC_DEFECT") {
            options.defects = Defects::parse(&text)?;
        }
        if let Some((name, text)) = value("OXSHMEM_SOFTNIC_ON_PURPOSE") {
            let rule = |known: &str| Rule::ALL.iter().copied().find(|rule| rule.name() == known.trim());
            let rules: Option<Vec<Rule>> = text.split(',').map(rule).collect();
            options.broken_on_purpose =
                rules.ok_or_else(|| wrong(name, &text, "it is a list of rules: remote-key,..."))?;
        }
        options.wire = value("OXSHMEM_SOFTNIC_WIRE").map(|(_, text)| text.into());
        Ok(options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_make_options_and_wrong_ones_are_refused_with_what_they_can_be() {
        let with = |name: &'static str, value: &'static str| {
            Options::from_variables(move |asked| (asked == name).then(|| value.to_owned()))
        };
        assert_eq!(with("OXSHMEM_SOFTNIC_PROFILE", "cx8").unwrap().profile, Profile::ConnectX8);
        assert_eq!(with("OXSHMEM_SOFTNIC_LINK", "roce").unwrap().link, LinkLayer::Ethernet);
        assert_eq!(with("OXSHMEM_SOFTNIC_SEED", "7").unwrap().knobs, Knobs::from_seed(7));
        assert!(with("OXSHMEM_SOFTNIC_STRICT", "abort").unwrap().abort);
        for name in ["SEED", "PROFILE", "LINK", "NICS", "STRICT", "FAULT", "DEFECT", "ON_PURPOSE"] {
            let name = format!("OXSHMEM_SOFTNIC_{name}");
            let error = Options::from_variables(|asked| (asked == name).then(|| "nonsense".into())).unwrap_err();
            assert!(error.to_string().contains("nonsense"), "{error}");
        }
    }
}
