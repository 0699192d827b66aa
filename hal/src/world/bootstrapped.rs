//! PEs that have met, before their world has a machine.

use oxshmem_core::Pe;
use oxshmem_core::host::Result;

use super::World;
use super::choose_machine::on_host;
use super::exit;
use crate::bootstrap::{BootstrapConfig, RootAt};
use crate::config::Config;
use crate::control::Control;

/// The PEs of a world that have met and know each other, before the world has a machine and memory. A program can so
/// choose a GPU by its PE's place on the host.
///
/// Dropping it without [`leave`](Self::leave) or [`start`](Self::start) counts as this PE's death.
#[derive(Debug)]
pub struct Bootstrapped(Control);

impl Bootstrapped {
    /// Meets the other PEs of the launcher's world, or none without a launcher, as [`World::init`]. Collective.
    ///
    /// # Errors
    /// A variable is wrong, or the others can't be reached within the limit.
    pub fn by_launcher(config: &Config) -> Result<Self> {
        let limit = config.wait_limit;
        let alone = || BootstrapConfig { pe: Pe::new(0), n_pes: 1, root: RootAt::Alone, limit, host: None };
        Self::by(&BootstrapConfig::from_env(config.bootstrap, limit)?.unwrap_or_else(alone))
    }

    /// Meets the other PEs where `bootstrap` says. Collective.
    ///
    /// # Errors
    /// The others can't be reached within the limit.
    pub fn by(bootstrap: &BootstrapConfig) -> Result<Self> {
        Control::connect(bootstrap).map(Self)
    }

    /// Starts the world. Collective.
    ///
    /// # Errors
    /// As [`World::init`].
    pub fn start(self, config: Config) -> Result<World> {
        World::with_control(config, self.0)
    }

    /// Parts without a world. Collective.
    ///
    /// # Errors
    /// A PE did not arrive or died.
    pub fn leave(self) -> Result<()> {
        self.0.barrier("finalize")?;
        self.0.leave()
    }

    /// Returns this PE.
    pub fn my_pe(&self) -> Pe {
        self.0.pe()
    }

    /// Returns the number of PEs.
    pub fn n_pes(&self) -> u32 {
        self.0.n_pes()
    }

    /// Returns this PE's number among the PEs of its host, and the number of these.
    pub fn place_on_host(&self) -> (u32, u32) {
        (on_host(&self.0, self.my_pe().number()), on_host(&self.0, self.n_pes()))
    }

    /// Registers a function that is called, by a thread of the library, when another PE has announced the end of the
    /// program: with that PE and the status. It stays registered in the world.
    pub fn on_exit(&self, ended: impl Fn(Pe, i32) + Send + Sync + 'static) {
        exit::on_exit(&self.0, ended);
    }

    /// Announces to all PEs that this one can't continue: they end with `PeerDied` and this text.
    pub fn give_up(&self, reason: &str) {
        self.0.give_up(reason);
    }

    /// Announces to all PEs that the program ends with this exit status.
    pub fn announce_exit(&self, status: i32) {
        self.0.give_up(&exit::reason(status));
    }
}
