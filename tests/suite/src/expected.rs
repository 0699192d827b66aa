//! The case of `--expect-transport`.

use oxshmem_hal::{Pe, World};

use super::{Case, Ctx, Outcome};

/// Runs ahead of all other cases if a transport is expected.
pub(super) const CASE: Case = Case {
    name: "expected::every_remote_pe_is_reached_by_the_expected_transport",
    min_pes: 1,
    run: every_remote_pe_is_reached_by_the_expected_transport,
};

fn every_remote_pe_is_reached_by_the_expected_transport(world: &World, ctx: &Ctx) -> Outcome {
    let Some(expected) = &ctx.options().expect_transport else { return Ok(()) };
    let remote: Vec<Pe> = world.pes().filter(|pe| ctx.is_remote(*pe)).collect();
    for pe in &remote {
        let by = world.transport_to(*pe)?;
        if by != expected {
            ctx.wrong(format!("{pe} is reached by {by}, and {expected} was expected"));
        }
    }
    if remote.is_empty() {
        ctx.wrong(format!("no PE is reached by {expected}: load and store reach them all (OXSHMEM_DISABLE_P2P)"));
    }
    Ok(())
}
