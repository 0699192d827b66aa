//! Compares two ways by which the PEs of a job give each other their addresses and keys: the launcher's PMIx server,
//! and the tree of the control plane.
//!
//! In each round every PE publishes a blob and receives that of every other one. By PMIx these are `PMIx_Put`,
//! `PMIx_Commit`, `PMIx_Fence` with collected data, and a `PMIx_Get` for each PE; by the tree, one `all_gather`. PE 0
//! prints the median time of a round in milliseconds, over all PEs the latest.

use std::error::Error;
use std::time::{Duration, Instant};

use oxshmem_hal::bootstrap::BootstrapConfig;
use oxshmem_hal::config::BootstrapChoice;
use oxshmem_hal::control::Control;
use oxshmem_raw::os::pmix::{Client, Library};

/// Bytes of a blob: the keys of an extent on one NIC, and the addresses of 8 queue pairs.
const SIZES: [usize; 2] = [40, 1000];
const ROUNDS: usize = 15;
const LIMIT: Duration = Duration::from_secs(60);

/// Takes part as one PE of the launcher's job.
pub(crate) fn compare() -> Result<(), Box<dyn Error>> {
    let client = Client::connect(Library::open()?)?;
    let n_pes = client.job_size()?;
    let began = Instant::now();
    let config = BootstrapConfig::from_env(BootstrapChoice::Pmix, Some(LIMIT))?.ok_or("no launcher offers PMIx")?;
    let found = began.elapsed();
    let control = Control::connect(&BootstrapConfig { host: Some(format!("host of {}", config.pe)), ..config })?;
    let connected = began.elapsed();
    let me = control.pe().number();
    if me == 0 {
        println!("{n_pes} PEs: meeting point by PMIx {:.1} ms, connected {:.1} ms", ms(found), ms(connected));
    }
    for bytes in SIZES {
        let by_pmix = rounds(&control, |round| {
            let (key, blob) = (format!("oxshmem.{bytes}.{round}"), vec![me as u8; bytes]);
            client.put(&key, &blob)?;
            client.fence(Some(LIMIT))?;
            (0..n_pes).map(|pe| Ok(client.get(pe, &key, Some(LIMIT))?)).collect()
        })?;
        let by_tree = rounds(&control, |_| Ok(control.all_gather("blobs", &vec![me as u8; bytes])?))?;
        if me == 0 {
            println!("{n_pes} PEs, {bytes} bytes: PMIx {:.2} ms, tree {:.2} ms", ms(by_pmix), ms(by_tree));
        }
    }
    control.leave()?;
    Ok(())
}

/// Returns the median time of a round that gathers the blobs of all PEs; of each round, that of the slowest PE.
fn rounds(
    control: &Control,
    gather: impl Fn(usize) -> Result<Vec<Vec<u8>>, Box<dyn Error>>,
) -> Result<Duration, Box<dyn Error>> {
    let mut times = Vec::new();
    for round in 0..ROUNDS {
        control.barrier("begin of a round")?;
        let began = Instant::now();
        let all = gather(round)?;
        let nanos = began.elapsed().as_nanos() as u64;
        if (0..).zip(&all).any(|(pe, blob)| blob.first() != Some(&(pe as u8))) || all.len() != control.n_pes() as usize
        {
            return Err("a blob is not that of its PE".into());
        }
        let of_all = control.all_gather("time of a round", &nanos.to_le_bytes())?;
        let of_all = of_all.iter().filter_map(|bytes| Some(u64::from_le_bytes(bytes.as_slice().try_into().ok()?)));
        times.push(Duration::from_nanos(of_all.max().unwrap_or(0)));
    }
    times.sort_unstable();
    Ok(times[ROUNDS / 2])
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
