//! Parts of host programs.

use oxshmem_hal::{Cmp, Launch, Pe, Result, Signal, Stream, Sum, SymPtr, SymSlice, TeamOptions, World};

use crate::kernels::{merge, smooth, step};

/// Reduces by a team on a stream, then launches a kernel that uses the team.
///
/// # Errors
/// As of the calls.
pub fn reduce_and_launch(
    world: &World,
    stream: &Stream<'_>,
    (dest, source, field): (SymSlice<f32>, SymSlice<f32>, SymSlice<f32>),
) -> Result<()> {
    let team = world.team(&[Pe::new(0), Pe::new(2)], TeamOptions::default())?; // on PE 0 and PE 2
    team.on(stream).reduce(Sum, dest, source, ..)?;
    stream.launch(Launch::new(64, 256).collective(), step { team: team.handle(), field })?;
    world.drop_team(team)
}

/// Writes, and reads back, a part of symmetric memory.
///
/// # Errors
/// As of the calls.
pub fn slices(world: &World, right: Pe) -> Result<Vec<f32>> {
    let row = world.alloc_zeroed::<f32>(100)?;
    world.put(row.try_range(..3)?, &[1.0, 2.0, 3.0], right)?; // an error, if the data is longer than the range
    world.barrier_all()?;
    world.read_vec(row)
}

/// Captures launches and messages in a graph, and replays it.
///
/// # Errors
/// As of the calls.
pub fn capture(
    stream: &Stream<'_>,
    (field, other_field): (SymSlice<f32>, SymSlice<f32>),
    (inbox, edge): (SymSlice<f32>, SymSlice<f32>),
    flag: SymPtr<u64>,
    right: Pe,
) -> Result<()> {
    let mut graph = stream.capture(|stream| {
        stream.launch(Launch::new(64, 256), smooth { field })?;
        stream.put_signal(inbox, edge, .., Signal::set(flag, 1), right)?;
        stream.signal_wait_until(flag, Cmp::Eq, 1)?;
        stream.launch(Launch::new(1, 256), merge { inbox, flag })?; // also clears the flag
        stream.barrier_all()
    })?;
    for _ in 0..1000 {
        graph.launch(stream)?;
    }
    graph.set_args(0, smooth { field: other_field })?; // of the first kernel, in later launches
    Ok(())
}
