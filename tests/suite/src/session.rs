//! The worlds that the suite runs in.

use std::sync::Mutex;
use std::time::Duration;

use oxshmem_hal::bootstrap::{BootstrapConfig, RootAt};
use oxshmem_hal::{Config, Error, Pe, World};

use super::{Failure, Options, Outcome};

/// The way in which the PEs of a world come together.
#[derive(Debug)]
pub(super) enum Mode {
    /// This many threads of this process.
    Threads(u32),
    /// This process is one PE.
    Process(BootstrapConfig),
}

/// The least limit of the collective calls of worlds of threads.
const LIMIT: Duration = Duration::from_secs(15);

impl Mode {
    /// Chooses the PEs of the world from the options and the launcher's variables.
    ///
    /// # Errors
    /// The launcher's variables contradict each other.
    pub(super) fn choose(options: &Options, config: &Config) -> Result<Self, Error> {
        if let Some(n) = options.pes {
            return Ok(Self::Threads(n));
        }
        let alone =
            || BootstrapConfig { pe: Pe::new(0), n_pes: 1, root: RootAt::Alone, limit: config.wait_limit, host: None };
        let mut bootstrap = BootstrapConfig::from_env(config.bootstrap, config.wait_limit)?.unwrap_or_else(alone);
        if let Some(pes) = options.pes_per_node {
            bootstrap.host = Some(format!("node {}", bootstrap.pe.number() / pes));
        }
        Ok(Self::Process(bootstrap))
    }

    /// Returns the PEs that this process runs.
    pub(super) fn own_pes(&self) -> std::ops::Range<u32> {
        match self {
            Self::Threads(n) => 0..*n,
            Self::Process(bootstrap) => bootstrap.pe.number()..bootstrap.pe.number() + 1,
        }
    }

    /// Makes a world, runs `body` on each of this process's PEs, and ends the world: in good order if `body` returns
    /// true, otherwise as if the PE had died.
    ///
    /// # Errors
    /// The world could not be made.
    pub(super) fn with_world(
        &self,
        options: &Options,
        config: &Config,
        body: &(dyn Fn(&World) -> bool + Sync),
    ) -> Result<(), Error> {
        match self {
            Self::Threads(n) => {
                let made = Mutex::new(0);
                let of_pe = |pe: Pe| options.of_pe(config.clone(), pe.number());
                // Kernels may have a short limit; a PE of a busy machine may be slower to start.
                let limit = config.wait_limit.map(|limit| limit.max(LIMIT));
                let ended = World::threads_with(*n, limit, of_pe, |world| {
                    *made.lock().unwrap_or_else(std::sync::PoisonError::into_inner) += 1;
                    body(world);
                    Ok(())
                })?;
                match (
                    made.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner),
                    ended.into_iter().find_map(Result::err),
                ) {
                    (0, Some(error)) => Err(error),
                    // The end of a world does not matter once the outcome of its last case is known.
                    _ => Ok(()),
                }
            }
            Self::Process(bootstrap) => {
                let world = World::join(config.clone(), bootstrap)?;
                if body(&world) {
                    // The end of a world does not matter once the outcome of its last case is known.
                    let _ = world.finalize();
                }
                Ok(())
            }
        }
    }
}

/// The findings of a separate world.
#[derive(Debug, Default)]
pub(super) struct Findings {
    /// The errors.
    pub(super) wrong: Vec<String>,
    /// The reason why the body does not apply to such a world, if it does not.
    pub(super) skipped: Option<String>,
}

/// Runs `body` on every PE of a separate world beside `world`, and returns the findings: all of them on PE 0 if PEs
/// are threads, each PE's own if they are processes. Collective.
pub(super) fn own_world(
    mode: &Mode,
    options: &Options,
    world: &World,
    config: &Config,
    body: &(dyn Fn(&World) -> Outcome + Sync),
) -> Result<Findings, Failure> {
    if matches!(mode, Mode::Threads(_)) && world.my_pe().number() != 0 {
        return Ok(Findings::default());
    }
    let (found, skipped) = (Mutex::new(Vec::new()), Mutex::new(None));
    let told = |pe: Pe, outcome| match outcome {
        Err(Failure::Wrong(why) | Failure::Died(why)) => {
            found.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((pe, why))
        }
        Err(Failure::Skip(why)) => {
            skipped.lock().unwrap_or_else(std::sync::PoisonError::into_inner).get_or_insert(why);
        }
        Ok(()) => {}
    };
    mode.with_world(options, config, &|world| {
        told(world.my_pe(), body(world));
        true
    })?;
    let mut found = found.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    found.sort();
    let words = |(pe, why)| format!("in a world of its own, {pe}: {why}");
    let skipped = skipped.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    Ok(Findings { wrong: found.into_iter().map(words).collect(), skipped })
}
