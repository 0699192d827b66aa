//! Calls of the host, each timed by itself: their quantiles as rows.

use std::time::Instant;

use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;
use oxshmem_core::{Error, ErrorKind, Result};
use oxshmem_hal::{Launch, Pe, World};

use super::answer::Answer;
use super::request::Request;
use super::session::Session;

/// Measures the row. Collective. `None`: the test is not one of these.
pub(super) fn measure(session: &Session<'_>, request: &Request) -> Option<Result<Answer>> {
    let (world, stream) = (session.world, &session.stream);
    Some(match request.test.as_str() {
        "host_barrier" => quantiles(session, request, true, nothing, || world.barrier_all()),
        "host_malloc_free" => quantiles(session, request, true, nothing, || {
            let at = world.malloc::<u8>(request.bytes as usize)?;
            world.free(at)
        }),
        "host_p" => write_words(session, request),
        "host_meet" => {
            let kernel = match session.module.kernel("sync_once") {
                Ok(kernel) => kernel,
                Err(error) => return Some(Err(error)),
            };
            quantiles(
                session,
                request,
                true,
                || world.barrier_all(),
                || {
                    stream.launch_kernel(&kernel, of_a_meeting(world), ())?;
                    stream.synchronize()
                },
            )
        }
        _ => return None,
    })
}

/// Returns the launch of one warp that meets the other PEs. On GPUs it is a usual one, as with NVSHMEM.
pub(super) fn of_a_meeting(world: &World) -> Launch {
    let usual = Launch::new(1, 32);
    if world.on_host() { usual.collective() } else { usual }
}

/// Measures writes by PE 0 of words of PE 1, one after another.
fn write_words(session: &Session<'_>, request: &Request) -> Result<Answer> {
    let world = session.world;
    if world.n_pes() < 2 {
        return Ok(Answer::skip("it takes two PEs"));
    }
    let word = world.calloc::<u64>(1)?;
    let (mut written, other) = (0, Pe::new(1));
    let answer = quantiles(session, request, session.me() == 0, nothing, || {
        written += 1;
        world.p(word, written, other)?;
        world.quiet()
    })?;
    let expected = u64::from(request.iters) * (u64::from(request.repeat) + 1);
    let seen = world.g(word, other)?.wrapping_sub(request.corrupt.into());
    world.free(word)?;
    Ok(match seen == expected {
        true => answer,
        false => Answer::Wrong(format!("the word is of write {seen} of {expected}")),
    })
}

fn nothing() -> Result<()> {
    Ok(())
}

/// Makes `iters` calls, each after `before`, which is not timed, and does so `repeat` times after one time as warm-up.
/// Answers with the requested quantile of each, in ns. With `bound`, all threads of the process run on one core
/// meanwhile, another one for each PE.
fn quantiles(
    session: &Session<'_>,
    request: &Request,
    calls: bool,
    before: impl Fn() -> Result<()>,
    mut call: impl FnMut() -> Result<()>,
) -> Result<Answer> {
    let _bound = request.bound.then(|| Bound::to(session.me())).transpose()?;
    let mut answers = Vec::new();
    session.world.barrier_all()?;
    for repetition in 0..=request.repeat {
        let mut times = Vec::with_capacity(request.iters as usize);
        for _ in 0..if calls { request.iters } else { 0 } {
            before()?;
            let start = Instant::now();
            call()?;
            times.push(start.elapsed().as_nanos() as f64);
        }
        if repetition > 0 && calls {
            answers.push(quantile(&mut times, &request.stat));
        }
    }
    session.world.barrier_all()?;
    Ok(if calls { Answer::Times(answers) } else { Answer::Serves })
}

/// Returns the quantile of some times: `p50`, `p90`, `p99`, or else the largest.
fn quantile(times: &mut [f64], stat: &str) -> f64 {
    times.sort_by(f64::total_cmp);
    let at = |percent: usize| times[(times.len() * percent / 100).min(times.len() - 1)];
    match stat {
        "p50" => at(50),
        "p90" => at(90),
        "p99" => at(99),
        _ => at(100),
    }
}

/// All threads of this process on one core, until it is dropped.
struct Bound(CpuSet);

impl Bound {
    fn to(number: u32) -> Result<Self> {
        let refused = |error: nix::Error| {
            Error::new(ErrorKind::System, "bind the threads of this process to a core").because(error.to_string())
        };
        let before = sched_getaffinity(Pid::from_raw(0)).map_err(refused)?;
        let cores: Vec<usize> = (0..CpuSet::count()).filter(|core| before.is_set(*core).unwrap_or(false)).collect();
        let mut one = CpuSet::new();
        one.set(cores[number as usize % cores.len()]).map_err(refused)?;
        // Dropping it frees the threads, also those that were bound before an error.
        let bound = Self(before);
        for_each_thread(&one).map_err(refused)?;
        Ok(bound)
    }
}

impl Drop for Bound {
    fn drop(&mut self) {
        // The process ends soon if this fails.
        let _ = for_each_thread(&self.0);
    }
}

fn for_each_thread(cores: &CpuSet) -> nix::Result<()> {
    let threads = std::fs::read_dir("/proc/self/task").map_err(|_| nix::Error::EIO)?.flatten();
    for thread in threads.filter_map(|thread| thread.file_name().to_str()?.parse().ok()) {
        match sched_setaffinity(Pid::from_raw(thread), cores) {
            // A thread that has ended meanwhile.
            Ok(()) | Err(nix::Error::ESRCH) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantile_is_the_time_that_so_many_calls_did_not_exceed() {
        let times = || (1..=1000).rev().map(f64::from).collect::<Vec<_>>();
        let of = |stat| quantile(&mut times(), stat);
        assert_eq!([of("p50"), of("p90"), of("p99"), of("max")], [501.0, 901.0, 991.0, 1000.0]);
    }
}
