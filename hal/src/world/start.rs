//! Joins a program to its world, with or without a launcher, and ends the program's part of it.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use oxshmem_core::host::{Error, ErrorKind, Result};

use super::World;
use crate::bootstrap::BootstrapConfig;
use crate::config::{Config, DeviceChoice};

impl World {
    /// Runs `body` on each PE that this process has of a world, and ends the world. This call is all that a program
    /// needs to run alone and under a launcher alike:
    ///
    /// - Under a launcher (`cargo xtask run`, `mpirun`, `srun`, `torchrun`, or the `OXSHMEM_*` variables) the process
    ///   is one PE of the launcher's world, as with [`init_with`](World::init_with), and `n_if_alone` has no effect.
    /// - Alone it creates a world of `n_if_alone` PEs as its own threads, as with [`threads`](World::threads). Several
    ///   PEs are host PEs unless `config` chooses otherwise, even if there are GPUs: a PE on a GPU is a process of its
    ///   own.
    ///
    /// Returns the results of `body` on the PEs of this process, by PE: one value under a launcher, `n_if_alone`
    /// without.
    ///
    /// ```
    /// use oxshmem_hal::{Config, World};
    ///
    /// let config = Config::from_env()?;
    /// World::run(2, &config, |world| {
    ///     println!("PE {} of {}, on {}", world.my_pe(), world.n_pes(), world.machine());
    ///     Ok(())
    /// })?;
    /// # Ok::<(), oxshmem_hal::Error>(())
    /// ```
    ///
    /// # Errors
    /// The launcher's variables are wrong, the world could not be created or ended, or `body` failed, which is
    /// announced to the other PEs. `InvalidArgument` if the process is alone and the configuration puts several PEs on
    /// GPUs.
    ///
    /// # Panics
    /// If `body` panics, after that is announced to the other PEs.
    pub fn run<R: Send>(n_if_alone: u32, config: &Config, body: impl Fn(&World) -> Result<R> + Sync) -> Result<Vec<R>> {
        match BootstrapConfig::from_env(config.bootstrap, config.wait_limit)? {
            Some(launched) => Ok(vec![Self::join(config.clone(), &launched)?.conduct(body)?]),
            None => Self::threads(n_if_alone, &alone(n_if_alone, config)?, body),
        }
    }

    /// Runs `body` on this PE, ends its part of the world, and announces the outcome to the others.
    pub(super) fn conduct<R>(self, body: impl FnOnce(&World) -> Result<R>) -> Result<R> {
        // A panic must end this PE's part of the world before it continues, so that it is announced to the others.
        match catch_unwind(AssertUnwindSafe(|| body(&self))) {
            Ok(Ok(outcome)) => self.finalize().map(|()| outcome),
            Ok(Err(error)) => {
                self.control.fail(&error.to_string());
                Err(error)
            }
            Err(panic) => {
                self.control.fail(&panic_text(&*panic));
                drop(self);
                resume_unwind(panic)
            }
        }
    }
}

/// Returns the configuration for a world of this process's threads.
fn alone(n_pes: u32, config: &Config) -> Result<Config> {
    match config.device {
        DeviceChoice::Auto if n_pes > 1 => Ok(config.clone().with_device(DeviceChoice::Host)),
        DeviceChoice::Gpu | DeviceChoice::GpuOrdinal(_) if n_pes > 1 => Err(Error::new(
            ErrorKind::InvalidArgument,
            format!("run {n_pes} PEs on GPUs in one process"),
        )
        .because("no launcher started this process, and each PE on a GPU is a process of its own")
        .hint(format!(
            "start it with `cargo oxshmem run -n {n_pes} -- PROGRAM` (in oxshmem's checkout `cargo xtask run`), or set \
                     OXSHMEM_DEVICE=host"
        ))),
        _ => Ok(config.clone()),
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("it panicked: {}", text.unwrap_or("with something that is not text"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_pes_of_one_process_are_host_pes_where_the_choice_is_open() {
        let of = |n_pes, device| alone(n_pes, &Config::new().with_device(device)).unwrap().device;
        assert_eq!(of(2, DeviceChoice::Auto), DeviceChoice::Host);
        assert_eq!(of(1, DeviceChoice::Auto), DeviceChoice::Auto);
        assert_eq!(of(1, DeviceChoice::Gpu), DeviceChoice::Gpu);
    }

    #[test]
    fn several_pes_of_one_process_are_refused_gpus_and_told_how_to_get_them() {
        for device in [DeviceChoice::Gpu, DeviceChoice::GpuOrdinal(0)] {
            let error = alone(2, &Config::new().with_device(device)).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidArgument);
            assert!(error.to_string().contains("cargo oxshmem run -n 2"), "{error}");
        }
    }
}
