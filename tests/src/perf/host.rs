//! Rows of the host.

use std::time::Instant;

use oxshmem_core::Result;
use oxshmem_hal::{Launch, Pe};

use super::answer::Answer;
use super::data::{Data, Expected};
use super::request::Request;
use super::session::Session;

/// Measures the row. Collective.
pub(super) fn measure(session: &mut Session<'_>, request: &Request) -> Result<Answer> {
    match request.test.as_str() {
        "latency" => latency(session, request),
        "malloc" => malloc(session, request),
        "barrier_on_stream" => {
            meet_on_stream(session, request, |session| session.world.barrier_all_on(&session.stream))
        }
        "sync_on_stream" => {
            let kernel = session.module.kernel("sync_once")?;
            meet_on_stream(session, request, |session| {
                session.world.launch_on(&session.stream, &kernel, Launch::new(1, 32), ())
            })
        }
        "bw" | "stream_latency" => Ok(Answer::skip(format!("no {} on streams", request.test))),
        other => Ok(Answer::skip(format!("there is no test {other}"))),
    }
}

/// Blocking `put` or `get` between this program's memory and the peer's heap, then `quiet`.
fn latency(session: &mut Session<'_>, request: &Request) -> Result<Answer> {
    let world = session.world;
    if world.n_pes() < 2 {
        return Ok(Answer::skip("it takes two PEs"));
    }
    let put = match request.op_or("put") {
        "put" => true,
        "get" => false,
        other => return Ok(Answer::skip(format!("op={other}: it is put or get"))),
    };
    let place = session.buffers.place(world, request.bytes + 256)?;
    let (me, seed) = (session.me(), |pe| Data::seed(pe, session.row));
    let filled = session.data.fill(place, seed(me));
    session.meet("fill the buffers of a row", filled)?;
    let mut here = vec![0u8; request.bytes as usize];
    let timed = (|| {
        if me != 0 {
            return Ok(Vec::new());
        }
        if put {
            world.read(place.source, &mut here)?;
        }
        repetitions(request, || {
            for _ in 0..request.iters {
                if put {
                    world.put(place.dest, &here, Pe::new(1))?;
                } else {
                    world.get(&mut here, place.source, Pe::new(1))?;
                }
                world.quiet()?;
            }
            Ok(())
        })
    })();
    let timed = session.meet("put or get from the host", timed)?;
    let checked = (|| {
        let from = match (put, me) {
            (true, 1) => 0,
            (false, 0) => {
                world.write(place.dest, &here)?;
                1
            }
            _ => return Ok(None),
        };
        if request.corrupt {
            world.p(place.dest, !world.g(place.dest, world.my_pe())?, world.my_pe())?;
        }
        session.data.compare(Expected::Stream { at: place.dest, bytes: request.bytes, seed: seed(from), from: 0 })
    })();
    let wrong = session.meet("compare what arrived", checked)?;
    Ok(match wrong {
        Some(what) => Answer::Wrong(what),
        None if me == 0 => Answer::Times(timed),
        None => Answer::Serves,
    })
}

/// Collective `malloc`, freed outside of the time.
fn malloc(session: &mut Session<'_>, request: &Request) -> Result<Answer> {
    let world = session.world;
    let mut times = Vec::new();
    world.barrier_all()?;
    for repetition in 0..=request.repeat {
        let mut elapsed = 0;
        for _ in 0..request.iters {
            let start = Instant::now();
            let at = world.malloc::<u8>(request.bytes as usize)?;
            elapsed += start.elapsed().as_nanos();
            world.free(at)?;
        }
        if repetition > 0 {
            times.push(elapsed as f64 / f64::from(request.iters));
        }
    }
    Ok(Answer::Times(times))
}

/// Barriers of all PEs on one stream, between two events. Before the first event all PEs' streams have met.
fn meet_on_stream(
    session: &Session<'_>,
    request: &Request,
    meet: impl Fn(&Session<'_>) -> Result<()>,
) -> Result<Answer> {
    let (world, stream) = (session.world, &session.stream);
    let mut times = Vec::new();
    world.barrier_all()?;
    for repetition in 0..=request.repeat {
        meet(session)?;
        let start = world.record(stream)?;
        for _ in 0..request.iters {
            meet(session)?;
        }
        let end = world.record(stream)?;
        world.synchronize_stream(stream)?;
        if repetition > 0 {
            times.push(start.until(&end)?.as_nanos() as f64 / f64::from(request.iters));
        }
    }
    world.barrier_all()?;
    Ok(Answer::Times(times))
}

/// One untimed call of `repetition`, then timed ones: ns for an iteration, by the host's clock.
fn repetitions(request: &Request, mut repetition: impl FnMut() -> Result<()>) -> Result<Vec<f64>> {
    repetition()?;
    (0..request.repeat)
        .map(|_| {
            let start = Instant::now();
            repetition()?;
            Ok(start.elapsed().as_nanos() as f64 / f64::from(request.iters))
        })
        .collect()
}
