//! Parts of suites without a world, in which each peer is one process.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use super::plan::On;
use super::roster::Roster;
use xtask::gpu;
use xtask::place::Place;
use xtask::ptx;
use xtask::run::Device;

/// Returns the device to measure: a GPU, unless the user asks for host threads. A list of rows needs no GPU.
///
/// # Errors
///
/// There is no GPU; `what` names the measurement that needs one.
pub(crate) fn on(device: Device, listed: bool, what: &'static str) -> Result<On> {
    let told = || std::env::var("OXSHMEM_DEVICE").is_ok_and(|told| told == "host");
    if device == Device::Host || (device == Device::Auto && told()) {
        return Ok(On::Host);
    }
    match gpu::count() {
        _ if listed => Ok(On::Gpus),
        Ok(0) => bail!("{what}: the driver sees no GPU"),
        counted => counted.context(what).map(|_| On::Gpus),
    }
}

/// Names and values of variables.
type Environment = Vec<(String, String)>;

/// Returns the environment of the peers and, on a GPU, the PTX of a kernel crate, which all of them use, even if
/// another folder has one. In a checkout it is built for `arch`, in the folder `folder`, because the other tasks build
/// for every supported GPU.
pub(crate) fn environment(
    roster: &Roster<'_>,
    place: &Place,
    package: &str,
    (folder, arch): (&str, &str),
) -> Result<(Environment, Option<PathBuf>)> {
    let mut environment = place.environment();
    if roster.on == On::Host {
        return Ok((environment, None));
    }
    let file = kernels(place, package, folder, arch)?;
    let parent = file.parent().context("a kernel's file is in a folder")?;
    environment.retain(|(name, _)| name != "OXSHMEM_PTX_PATH");
    environment.push(("OXSHMEM_PTX_PATH".into(), parent.display().to_string()));
    Ok((environment, Some(file)))
}

fn kernels(place: &Place, package: &str, folder: &str, arch: &str) -> Result<PathBuf> {
    match place {
        Place::Packed(root) => {
            let file = place.ptx().join(format!("{}.ptx", package.replace('-', "_")));
            if !file.is_file() {
                bail!("{} is missing: {} was packed without `{package}`", file.display(), root.display());
            }
            Ok(file)
        }
        Place::Checkout(root) => {
            let options = ptx::Options {
                packages: vec![package.to_string()],
                arch: vec![arch.to_string()],
                out: Some(place.ptx().join(folder)),
                ..ptx::Options::default()
            };
            Ok(ptx::build_all(root, &options)?.into_iter().next().context("nothing was built")?.file)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_threads_are_asked_for_by_name() {
        const NEEDS: &str = "it needs a GPU; `--device host` does without";
        assert_eq!(on(Device::Host, false, NEEDS).unwrap(), On::Host);
        if gpu::count().is_ok_and(|gpus| gpus > 0) {
            return;
        }
        let error = format!("{:#}", on(Device::Gpu, false, NEEDS).unwrap_err());
        assert!(error.contains("needs a GPU") && error.contains("--device host"), "{error}");
    }
}
