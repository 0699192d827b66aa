//! Creates the world of an example application.

use std::process::ExitCode;

use oxshmem_hal::bootstrap::BootstrapConfig;
use oxshmem_hal::{Config, DeviceChoice, Error, ErrorKind, Result, World};

/// Number of PEs of a program that runs without a launcher and without a given number.
const PES_ALONE: u32 = 4;

/// Runs `body` on each PE of the world: the launcher's world, else one PE on the GPU, else `pes` PEs on host threads (4
/// if that is `None`). Returns whether `body` returned true on all PEs of this process.
///
/// # Errors
///
/// The world could not be created or ended, `pes` is not the number that the launcher started, or `body` failed.
pub fn on_each_pe(pes: Option<u32>, body: impl Fn(&World) -> Result<bool> + Sync) -> Result<bool> {
    let config = Config::from_env()?;
    let launched = BootstrapConfig::from_env(config.bootstrap, config.wait_limit)?;
    if let (Some(launched), Some(pes)) = (&launched, pes)
        && launched.n_pes != pes
    {
        return Err(Error::new(ErrorKind::Mismatch, format!("run on {pes} PEs"))
            .because(format!("the launcher started {}", launched.n_pes))
            .hint("leave the number of PEs to the launcher"));
    }
    if launched.is_some() || (pes.is_none() && config.device != DeviceChoice::Host) {
        let world = World::init_with(config.clone())?;
        if launched.is_some() || !world.on_host() {
            let content = body(&world)?;
            world.finalize()?;
            return Ok(content);
        }
        world.finalize()?;
    }
    let config = config.with_device(DeviceChoice::Host);
    let content = World::threads(pes.unwrap_or(PES_ALONE), &config, body)?;
    Ok(content.into_iter().all(|content| content))
}

/// Returns the program's exit code: 0 on success, else 1, with the error's text on standard error.
pub fn exit_code(program: &str, outcome: Result<bool>) -> ExitCode {
    match outcome {
        Ok(content) => ExitCode::from(u8::from(!content)),
        Err(error) => {
            eprintln!("{program}: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Describes the PEs of the world: "4 PEs on host threads".
pub fn place(world: &World) -> String {
    let n = world.n_pes();
    format!("{n} {} on {}", if n == 1 { "PE" } else { "PEs" }, world.machine())
}

/// Prints, where the PEs are host threads, that their times are none of GPUs.
pub fn warn_of_times(world: &World) {
    if world.on_host() {
        println!("These are times of host threads that execute GPU threads one by one: they say nothing about GPUs,");
        println!("and do not compare transports.");
    }
}

/// Returns the largest of the PEs' numbers. Collective.
///
/// # Errors
///
/// A PE made another call, did not make this one within the limit, or died.
pub fn largest(world: &World, what: &str, mine: u64) -> Result<u64> {
    let all = world.all_gather(what, &mine.to_le_bytes())?;
    let number = |bytes: &Vec<u8>| bytes.as_slice().try_into().map_or(0, u64::from_le_bytes);
    Ok(all.iter().map(number).max().unwrap_or(mine))
}
