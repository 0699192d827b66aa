//! Teams that are drawn from a seed.

use oxshmem_hal::{Pe, Result, Team, TeamOptions, World};
use oxshmem_litmus_kernels::collectives::SMALL_PAYLOAD;

use crate::rng::Rng;

/// Bytes that a slot of each team has for each member. Both are small, so that a call takes many rounds.
const PAYLOADS: [u32; 2] = [SMALL_PAYLOAD as u32, 256];

/// Makes two teams of `slots` slots: all PEs in a random order, and, of three PEs or more, a random part of them and
/// the other part; of fewer, all again in another order. Collective.
///
/// # Errors
/// The memory of teams is used up.
pub(super) fn draw(world: &World, seed: u64, slots: usize) -> Result<[Team; 2]> {
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
    let make =
        |pes: &[Pe], payload| world.team(pes, TeamOptions::default().with_slots(slots as u32).with_payload(payload));
    Ok([make(&all, PAYLOADS[0])?, make(&part, PAYLOADS[1])?])
}
