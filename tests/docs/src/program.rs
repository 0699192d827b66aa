//! Parts of host programs.

use oxshmem_hal::{Cmp, Launch, Pe, Result, Signal, Stream, Sum, SymPtr, TeamOptions, World};

use crate::kernels::{merge, smooth, step};

/// Reduces by a team on a stream, then launches a kernel that uses the team.
///
/// # Errors
/// As of the calls.
pub fn reduce_and_launch(
    world: &World,
    stream: &Stream<'_>,
    (dest, source, field): (SymPtr<f32>, SymPtr<f32>, SymPtr<f32>),
    n: usize,
) -> Result<()> {
    let team = world.team(&[Pe::new(0), Pe::new(2)], TeamOptions::default())?; // on PE 0 and PE 2
    team.on(stream).reduce(Sum, dest, source, n)?;
    stream.launch(Launch::new(64, 256).collective(), step { team: team.handle(), field, n })?;
    world.drop_team(team)
}

/// Captures launches and messages in a graph, and replays it.
///
/// # Errors
/// As of the calls.
pub fn capture(
    stream: &Stream<'_>,
    (field, other_field, n): (SymPtr<f32>, SymPtr<f32>, usize),
    (inbox, edge, m): (SymPtr<f32>, SymPtr<f32>, usize),
    flag: SymPtr<u64>,
    right: Pe,
) -> Result<()> {
    let mut graph = stream.capture(|stream| {
        stream.launch(Launch::new(64, 256), smooth { field, n })?;
        stream.put_signal(inbox, edge, m, Signal::set(flag, 1), right)?;
        stream.signal_wait_until(flag, Cmp::Eq, 1)?;
        stream.launch(Launch::new(1, 256), merge { inbox, flag })?; // also clears the flag
        stream.barrier_all()
    })?;
    for _ in 0..1000 {
        graph.launch(stream)?;
    }
    graph.set_args(0, smooth { field: other_field, n })?; // of the first kernel, in later launches
    Ok(())
}
