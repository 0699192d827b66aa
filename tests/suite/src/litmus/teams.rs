//! Teams that are drawn from a seed.

use crate::rng::Rng;
use oxshmem_hal::{Pe, Result, Team, TeamOptions, World};

/// Makes two teams of `slots` slots, with these bytes in each slot for each member: all PEs in a random order, and, of
/// three PEs or more, a random part of them and the other part; of fewer, all again in another order. Calls of the
/// second one are not compared, on host PEs as on GPUs, so that members get ahead of each other. Collective.
///
/// # Errors
/// The memory of teams is used up.
pub(super) fn draw(world: &World, seed: u64, slots: usize, payloads: [u32; 2]) -> Result<[Team<'_>; 2]> {
    let mut rng = Rng::new(seed);
    let mut shuffled = || {
        let mut pes: Vec<Pe> = world.pes().collect();
        (1..pes.len()).rev().for_each(|last| pes.swap(last, rng.below(last + 1)));
        pes
    };
    let (all, mut part) = (shuffled(), shuffled());
    if part.len() > 2 {
        let other = part.split_off(1 + rng.below(part.len() - 1));
        if !part.contains(&world.my_pe()) {
            part = other;
        }
    }
    let options = payloads.map(|payload| TeamOptions::default().with_slots(slots as u32).with_payload(payload));
    Ok([world.team(&all, options[0])?, world.team(&part, options[1].without_comparison())?])
}
