//! Operations of the host as rows.

use std::time::Instant;

use oxshmem_core::Result;
use oxshmem_hal::Pe;

use super::answer::Answer;
use super::calls::of_a_meeting;
use super::data::{Data, Expected};
use super::request::Request;
use super::session::Session;

/// Measures the row. Collective.
pub(super) fn measure(session: &mut Session<'_>, request: &Request) -> Result<Answer> {
    match request.test.as_str() {
        "bw" => copies(session, request, Way::Bandwidth),
        "latency" => copies(session, request, Way::Blocking),
        "stream_latency" => copies(session, request, Way::OneByOne),
        "malloc" => malloc(session, request),
        "barrier_on_stream" => meet_on_stream(session, request, |session| session.stream.barrier_all()),
        "sync_on_stream" => {
            let kernel = session.module.kernel("sync_once")?;
            meet_on_stream(session, request, |session| {
                session.stream.launch_kernel(&kernel, of_a_meeting(session.world), ())
            })
        }
        other => Ok(Answer::skip(format!("there is no test {other}"))),
    }
}

/// The way in which a row of puts or gets is issued and timed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// All operations of a repetition on a stream, then a quiet, between two events.
    Bandwidth,
    /// One operation at a time on a stream, with a wait for it, by the host's clock.
    OneByOne,
    /// The same with a quiet, as the equivalent of a blocking call.
    Blocking,
}

/// Measures `put` or `get` between the PEs' heaps, issued by PE 0's host.
fn copies(session: &mut Session<'_>, request: &Request, way: Way) -> Result<Answer> {
    let world = session.world;
    if world.n_pes() < 2 {
        return Ok(Answer::skip("it takes two PEs"));
    }
    let put = match request.op_or("put") {
        "put" => true,
        "get" => false,
        other => return Ok(Answer::skip(format!("op={other}: it is put or get"))),
    };
    let place = session.buffers.place(world, request.bytes + 256, request.bytes + 256)?;
    let (me, seed) = (session.me(), |pe| Data::seed(pe, session.row));
    // The caller's side starts at the skew.
    let (mut source, mut dest, from) = (place.source, place.dest, if put { request.skew } else { 0 });
    if put {
        source = source.add(request.skew as usize);
    } else {
        dest = dest.add(request.skew as usize);
    }
    let filled = session.data.fill(place, seed(me));
    session.meet("fill the buffers of a row", filled)?;
    let (stream, count, other) = (&session.stream, request.bytes as usize, Pe::new(1 - me.min(1)));
    let calls = me == 0 || (me == 1 && request.both);
    let copy = || match put {
        true => stream.put(dest, source, count, other),
        false => stream.get(dest, source, count, other),
    };
    let timed = match (calls, way) {
        (false, _) => Ok(Vec::new()),
        (true, Way::Bandwidth) => between_events(
            session,
            request,
            || Ok(()),
            || {
                (0..request.iters).try_for_each(|_| copy())?;
                stream.quiet()
            },
        ),
        (true, Way::OneByOne | Way::Blocking) => by_clock(request, || {
            copy()?;
            if way == Way::Blocking {
                stream.quiet()?;
            }
            stream.synchronize()
        }),
    };
    let timed = session.meet("put or get from the host", timed)?;
    let checked = (|| {
        if me > 1 || !(request.both || put == (me == 1)) {
            return Ok(None);
        }
        if request.corrupt {
            world.p(dest, !world.g(dest, world.my_pe())?, world.my_pe())?;
        }
        let expected = Expected::Stream { at: dest, bytes: request.bytes, seed: seed(other.number()), from };
        match session.data.compare(expected)? {
            None => session.data.compare_guards(dest, request.bytes),
            wrong => Ok(wrong),
        }
    })();
    let wrong = session.meet("compare what arrived", checked)?;
    Ok(match wrong {
        Some(what) => Answer::Wrong(what),
        None if calls => Answer::Times(timed),
        None => Answer::Serves,
    })
}

/// Measures the collective `malloc`; `free` is not timed.
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

/// Measures barriers of all PEs on one stream, between two events. All PEs' streams have met before the first event.
fn meet_on_stream(
    session: &Session<'_>,
    request: &Request,
    meet: impl Fn(&Session<'_>) -> Result<()>,
) -> Result<Answer> {
    session.world.barrier_all()?;
    let all = || (0..request.iters).try_for_each(|_| meet(session));
    let times = between_events(session, request, || meet(session), all)?;
    session.world.barrier_all()?;
    Ok(Answer::Times(times))
}

/// Makes `iters` calls that meet all PEs on the session's stream, between two events: ns for one.
pub(super) fn between(session: &Session<'_>, request: &Request, call: impl Fn() -> Result<()>) -> Result<Vec<f64>> {
    between_events(session, request, &call, || (0..request.iters).try_for_each(|_| call()))
}

/// Runs `work` on the session's stream, once without timing, then between events and after `before`: ns for an
/// iteration.
fn between_events(
    session: &Session<'_>,
    request: &Request,
    before: impl Fn() -> Result<()>,
    work: impl Fn() -> Result<()>,
) -> Result<Vec<f64>> {
    let stream = &session.stream;
    let mut times = Vec::new();
    for repetition in 0..=request.repeat {
        before()?;
        let start = stream.record()?;
        work()?;
        let end = stream.record()?;
        stream.synchronize()?;
        if repetition > 0 {
            times.push(start.until(&end)?.as_nanos() as f64 / f64::from(request.iters));
        }
    }
    Ok(times)
}

/// Makes `iters` calls without timing, then `repeat` times by the host's clock: ns for one.
fn by_clock(request: &Request, call: impl Fn() -> Result<()>) -> Result<Vec<f64>> {
    let all = || (0..request.iters).try_for_each(|_| call());
    all()?;
    (0..request.repeat)
        .map(|_| {
            let start = Instant::now();
            all()?;
            Ok(start.elapsed().as_nanos() as f64 / f64::from(request.iters))
        })
        .collect()
}
