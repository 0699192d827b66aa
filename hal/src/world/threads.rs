//! Worlds whose PEs are threads of one process.

use std::panic::resume_unwind;
use std::thread;
use std::time::Duration;

use oxshmem_core::Pe;
use oxshmem_core::host::Result;

use super::World;
use crate::config::Config;
use crate::control::Control;

impl World {
    /// Creates a world of `n_pes` threads of this process, runs `body` on each with its handle of the world, and ends
    /// the world. Returns the results, by PE.
    ///
    /// # Errors
    /// The first error, by PE, that is not a consequence of another PE's.
    ///
    /// # Panics
    /// If a body panics, after all others have ended.
    pub fn threads<R: Send>(n_pes: u32, config: &Config, body: impl Fn(&World) -> Result<R> + Sync) -> Result<Vec<R>> {
        let outcomes = Self::threads_each(n_pes, config, body)?;
        // A PE that dies makes the others fail too; its own error is the relevant one.
        let consequence = |r: &Result<R>| matches!(r, Err(e) if e.kind() == oxshmem_core::ErrorKind::PeerDied);
        if let Some(cause) = outcomes.iter().position(|r| r.is_err() && !consequence(r)) {
            return Err(outcomes
                .into_iter()
                .nth(cause)
                .and_then(Result::err)
                .unwrap_or_else(|| unreachable!("it is an error")));
        }
        outcomes.into_iter().collect()
    }

    /// Runs as [`threads`](World::threads), and returns each PE's own outcome.
    ///
    /// # Errors
    /// The world's control plane could not be created.
    ///
    /// # Panics
    /// If a body panics, after all others have ended.
    pub fn threads_each<R: Send>(
        n_pes: u32,
        config: &Config,
        body: impl Fn(&World) -> Result<R> + Sync,
    ) -> Result<Vec<Result<R>>> {
        Self::threads_with(n_pes, config.wait_limit, |_| config.clone(), body)
    }

    /// Runs as [`threads_each`](World::threads_each), with a configuration for each PE, as PEs of different machines
    /// may have. No collective step waits longer than `limit`.
    ///
    /// # Errors
    /// The world's control plane could not be created.
    ///
    /// # Panics
    /// If a body panics, after all others have ended.
    pub fn threads_with<R: Send>(
        n_pes: u32,
        limit: Option<Duration>,
        config: impl Fn(Pe) -> Config + Sync,
        body: impl Fn(&World) -> Result<R> + Sync,
    ) -> Result<Vec<Result<R>>> {
        let controls = Control::in_process(n_pes, limit)?;
        let (config, body) = (&config, &body);
        Ok(thread::scope(|scope| {
            let running: Vec<_> = controls
                .into_iter()
                .map(|control| scope.spawn(move || World::with_control(config(control.pe()), control)?.conduct(body)))
                .collect();
            let ended: Vec<_> = running.into_iter().map(thread::ScopedJoinHandle::join).collect();
            ended.into_iter().map(|end| end.unwrap_or_else(|panic| resume_unwind(panic))).collect()
        }))
    }
}
