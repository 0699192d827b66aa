//! The one file of the suite that names the fakes: the software NIC and the verbs in software.

use oxshmem_hal::{Config, Error};

use super::Options;

/// Returns the rules that were broken so far, a line each.
pub(super) type Violations = Box<dyn Fn() -> Vec<String>>;

#[cfg(feature = "fakes")]
mod linked {
    use oxshmem_fakes::{soft_nic, soft_verbs};
    use oxshmem_hal::ErrorKind;

    use super::*;

    /// Sets the environment that the fakes need before the driver for GPUs starts.
    ///
    /// # Safety
    ///
    /// - **alone**: no other thread of this process runs.
    pub unsafe fn prepare() {
        // SAFETY: **alone** is the caller's.
        unsafe { soft_nic::prepare() }
    }

    /// Installs the fakes that the options ask for, and returns the configuration of the worlds that use them.
    ///
    /// # Errors
    /// The options contradict each other, or a variable is wrong.
    pub(crate) fn connect(options: &Options, mut config: Config) -> Result<Config, Error> {
        if options.soft_nic && options.soft_verbs && options.proxied.is_empty() {
            return Err(Error::new(ErrorKind::InvalidArgument, "connect PEs by --soft-nic and --soft-verbs")
                .because("no PE leaves posting to proxies")
                .hint("name some with --proxied, or leave one of the two out"));
        }
        if options.nic_seeds.is_some() && !options.soft_verbs {
            config = soft_nic::by_nic(config);
        }
        if options.soft_nic {
            soft_nic::install_for(options.nics_of_threads()?)?;
            config = soft_nic::by_nic(config);
        }
        if options.soft_verbs {
            // (Of many seeds each is installed in its turn.)
            if options.nic_seeds.is_none() {
                soft_verbs::install(options.seed);
            }
            config = soft_verbs::by_proxy(config);
        }
        Ok(config)
    }

    /// Installs the fake of one seed.
    ///
    /// # Errors
    /// A variable is wrong.
    pub(crate) fn install_seed(options: &Options, seed: u64) -> Result<Violations, Error> {
        if options.soft_verbs {
            let network = soft_verbs::install(seed);
            return Ok(Box::new(move || overruns(network.overruns()).into_iter().collect()));
        }
        let nic = soft_nic::install_seed(seed, options.nics_of_threads()?)?;
        Ok(Box::new(move || nic.violations().iter().map(ToString::to_string).collect()))
    }

    /// Returns the violation of verbs in software that saw work requests posted without room for them.
    fn overruns(count: u64) -> Option<String> {
        (count > 0).then(|| format!("{count} work requests were posted without room for them or their completions"))
    }
}

#[cfg(not(feature = "fakes"))]
mod linked {
    use oxshmem_hal::ErrorKind;

    use super::*;

    /// Does nothing: without fakes the environment needs no preparation.
    ///
    /// # Safety
    ///
    /// - **alone**: no other thread of this process runs.
    pub unsafe fn prepare() {}

    /// Returns the configuration unchanged.
    ///
    /// # Errors
    /// The options ask for a fake.
    pub(crate) fn connect(options: &Options, config: Config) -> Result<Config, Error> {
        if options.soft_nic || options.soft_verbs || options.nic_seeds.is_some() { Err(missing()) } else { Ok(config) }
    }

    /// Refuses: there is no fake to install.
    ///
    /// # Errors
    /// Always.
    pub(crate) fn install_seed(_: &Options, _: u64) -> Result<Violations, Error> {
        Err(missing())
    }

    fn missing() -> Error {
        Error::new(ErrorKind::InvalidArgument, "connect PEs by a software NIC or by verbs in software")
            .because("this program was built without them")
            .hint("build it with the feature `fakes` of oxshmem-conformance")
    }
}

pub use linked::prepare;
pub(super) use linked::{connect, install_seed};
