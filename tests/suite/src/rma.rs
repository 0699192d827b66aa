//! Put, get, p, g, iput and iget, against a model of memory as bytes.

use oxshmem_conformance_kernels::place::{ANY, BLOCK, CUSTOM, DEFAULT, THREAD, WARP};
use oxshmem_conformance_kernels::rma::{G, GET, GET_NBI, IGET, IPUT, P, PUT, PUT_NBI};
use oxshmem_hal::{Element, F16, Launch, Pe, QpHandle, SymPtr, World};

use super::bytes::{Plan, size};
use super::case::cases;
use super::rng::{Rng, bytes};
use super::typed::{for_all_types, for_types};
use super::{Ctx, Outcome};

cases! { "rma":
    a_put_of_any_type_and_group_lands_where_it_was_sent_and_nowhere_else 1 = of_all_types(PUT),
    a_get_of_any_type_and_group_brings_what_was_asked_for_and_nothing_else 1 = of_all_types(GET),
    a_nonblocking_put_has_landed_after_quiet 1 = of_each_width(PUT_NBI),
    a_nonblocking_get_has_arrived_after_quiet 1 = of_each_width(GET_NBI),
    p_and_g_move_one_element_of_any_type 1,
    a_strided_put_of_any_type_and_group_leaves_the_gaps_alone 1 = of_all_types(IPUT),
    a_strided_get_of_any_type_and_group_leaves_the_gaps_alone 1 = of_all_types(IGET),
    a_copy_at_every_misalignment_of_source_against_destination_moves_exactly_its_bytes 1,
    a_copy_of_every_small_size_moves_exactly_its_bytes 1,
    calls_that_name_no_queue_do_what_those_on_the_default_queue_do 1,
    a_copy_of_nothing_touches_nothing 1,
    a_copy_of_megabytes_is_whole_whatever_the_grid 1,
}

const SCOPES: [(u32, &str); 3] = [(THREAD, "a thread"), (WARP, "a warp"), (BLOCK, "a block")];
const VIEWS: [(u32, &str); 3] = [(DEFAULT, "Qp::Default"), (ANY, "Qp::Any"), (CUSTOM, "Qp::Custom")];

/// One way to launch a table of copies.
#[derive(Clone, Copy)]
struct Way {
    op: u32,
    scope: u32,
    /// The queue; `None` for the calls without a queue.
    view: Option<u32>,
    launch: Launch,
}

impl Way {
    fn name(&self, what: &str) -> String {
        const OPS: [&str; 8] = ["put", "put_nbi", "get", "get_nbi", "iput", "iget", "p", "g"];
        let by = SCOPES.iter().find(|(scope, _)| *scope == self.scope).map_or("", |(_, name)| name);
        let on = VIEWS.iter().find(|(view, _)| Some(*view) == self.view).map_or("no queue named", |(_, name)| name);
        format!(
            "{} of {what} by {by} on {on}, {:?} blocks of {:?}",
            OPS[self.op as usize], self.launch.grid, self.launch.block
        )
    }

    fn pulls(&self) -> bool {
        matches!(self.op, GET | GET_NBI | IGET | G)
    }
}

/// Returns a shape with several groups of the scope, and warps that are not full.
fn shape(rng: &mut Rng, scope: u32) -> Launch {
    match scope {
        THREAD => Launch::new(rng.within(1, 2) as u32, rng.within(1, 40) as u32),
        WARP => Launch::new(rng.within(1, 2) as u32, rng.within(20, 100) as u32),
        _ => Launch::new(rng.within(1, 3) as u32, rng.within(1, 130) as u32),
    }
}

/// Runs copies on every PE, each from or to the PE `distance` after it, and compares all of memory with the model.
fn copies<T: Element>(
    suffix: &str,
    world: &World,
    ctx: &Ctx,
    qp: QpHandle,
    rng: &mut Rng,
    ways: &[Way],
    plan: &dyn Fn(&mut Rng) -> Plan,
) -> Outcome {
    let width = T::WIDTH.bytes();
    // Each way has an area of its own, so that one barrier serves them all.
    let areas: Vec<(Way, Plan, u64)> = ways.iter().map(|&way| (way, plan(rng), rng.next())).collect();
    let distance = rng.below(world.n_pes() as usize) as u32;
    let most = |len: fn(&Plan) -> usize| areas.iter().map(|(_, plan, _)| len(plan)).sum::<usize>().max(1);
    let dest = world.malloc::<T>(most(|plan| plan.dest_len)).map_err(|error| ctx.for_want_of_room(error))?;
    let source = world.malloc::<T>(most(|plan| plan.source_len)).map_err(|error| ctx.for_want_of_room(error))?;
    let tables = world.malloc::<u64>(most(|plan| plan.table().len())).map_err(|error| ctx.for_want_of_room(error))?;
    let contents =
        |seed: u64, pe: Pe, salt: u64, len: usize| bytes(seed ^ (u64::from(pe.number()) << 32) ^ salt, len * width);
    let fill = |at: SymPtr<T>, bytes: &[u8]| ctx.write(at.cast::<u8>(), bytes);
    let (mut d, mut s, mut t) = (dest, source, tables);
    let mut places = Vec::new();
    for (_, plan, seed) in &areas {
        fill(d, &contents(*seed, world.my_pe(), 1, plan.dest_len))?;
        fill(s, &contents(*seed, world.my_pe(), 2, plan.source_len))?;
        ctx.write(t, &plan.table())?;
        places.push((d, s, t));
        (d, s, t) = (d.add(plan.dest_len), s.add(plan.source_len), t.add(plan.table().len()));
    }
    world.barrier_all()?;
    let target = world.pe_after(distance);
    for ((way, plan, _), &(d, s, t)) in areas.iter().zip(&places) {
        let (rows, nbi) = (plan.copies.len(), if matches!(way.op, PUT_NBI | GET_NBI) { "nbi_" } else { "" });
        match way.view {
            Some(view) => {
                let kernel = format!("rma_{nbi}{suffix}");
                ctx.launch(&kernel, way.launch, (way.op, way.scope, view, qp, d, s, t, rows, target))?;
            }
            None => {
                let kernel = format!("rma_plain_{nbi}{suffix}");
                ctx.launch(&kernel, way.launch, (way.op, way.scope, d, s, t, rows, target))?;
            }
        }
    }
    world.barrier_all()?;
    for ((way, plan, seed), &(d, s, _)) in areas.iter().zip(&places) {
        let me = world.my_pe();
        let from = if way.pulls() { target } else { ctx.pe_before(distance) };
        let mut expected = contents(*seed, me, 1, plan.dest_len);
        plan.apply(&mut expected, &contents(*seed, from, 2, plan.source_len), width);
        let seen = ctx.read(d.cast::<u8>(), plan.dest_len * width)?;
        plan.check(ctx, || format!("destination after {} from {from}", way.name(T::NAME)), &seen, &expected, width);
        let kept = ctx.read(s.cast::<u8>(), plan.source_len * width)?;
        ctx.check_same(
            || format!("source after {}", way.name(T::NAME)),
            &kept,
            &contents(*seed, me, 2, plan.source_len),
        );
    }
    world.free(tables)?;
    world.free(source)?;
    world.free(dest)?;
    Ok(())
}

/// Returns every scope on every queue.
fn ways(rng: &mut Rng, op: u32) -> Vec<Way> {
    let mut ways = Vec::new();
    for (scope, _) in SCOPES {
        for (view, _) in VIEWS {
            ways.push(Way { op, scope, view: Some(view), launch: shape(rng, scope) });
        }
    }
    ways
}

/// Draws copies of all kinds of sizes, strided or not.
fn some(ctx: &Ctx, rng: &mut Rng, strided: bool) -> Plan {
    let mut plan = Plan::default();
    for _ in 0..ctx.up_to(8) {
        let stride = |rng: &mut Rng| if strided { rng.within(1, 5) } else { 1 };
        let strides = (stride(rng), stride(rng));
        let (count, skews) = (size(rng, if strided { 100 } else { 300 }), (rng.below(16), rng.below(16)));
        let gap = rng.below(20);
        plan.push(count, skews, strides, gap);
    }
    plan
}

fn of_type<T: Element>(suffix: &str, world: &World, ctx: &Ctx, qp: QpHandle, rng: &mut Rng, op: u32) -> Outcome {
    let ways = ways(rng, op);
    copies::<T>(suffix, world, ctx, qp, rng, &ways, &|rng: &mut Rng| some(ctx, rng, matches!(op, IPUT | IGET)))
}

fn of_all_types(world: &World, ctx: &Ctx, op: u32) -> Outcome {
    let (qp, mut rng) = (ctx.custom_qp()?, ctx.rng());
    for_all_types!(T, suffix => of_type::<T>(suffix, world, ctx, qp, &mut rng, op)?);
    Ok(())
}

fn of_each_width(world: &World, ctx: &Ctx, op: u32) -> Outcome {
    let (qp, mut rng) = (ctx.custom_qp()?, ctx.rng());
    for_types!(T, suffix => of_type::<T>(suffix, world, ctx, qp, &mut rng, op)?; "u8" u8, "f16" F16, "i32" i32, "f64" f64);
    Ok(())
}

fn p_and_g_move_one_element_of_any_type(world: &World, ctx: &Ctx) -> Outcome {
    fn both<T: Element>(suffix: &str, world: &World, ctx: &Ctx, qp: QpHandle, rng: &mut Rng) -> Outcome {
        let mut ways = Vec::new();
        for (view, _) in VIEWS {
            ways.extend([P, G].map(|op| Way { op, scope: THREAD, view: Some(view), launch: shape(rng, THREAD) }));
        }
        copies::<T>(suffix, world, ctx, qp, rng, &ways, &|rng: &mut Rng| {
            let mut plan = Plan::default();
            (0..12).for_each(|_| {
                let (count, skews, gap) = (rng.below(4), (rng.below(16), rng.below(16)), rng.below(3));
                plan.push(count, skews, (1, 1), gap);
            });
            plan
        })
    }
    let (qp, mut rng) = (ctx.custom_qp()?, ctx.rng());
    for_all_types!(T, suffix => both::<T>(suffix, world, ctx, qp, &mut rng)?);
    Ok(())
}

/// Returns blocking and nonblocking calls in both directions, by every group, on bytes.
fn byte_ways(rng: &mut Rng) -> Vec<Way> {
    let mut ways = Vec::new();
    for op in [PUT, GET, PUT_NBI, GET_NBI] {
        for (scope, _) in SCOPES {
            ways.push(Way { op, scope, view: Some(rng.pick(&[DEFAULT, ANY, CUSTOM])), launch: shape(rng, scope) });
        }
    }
    ways
}

fn a_copy_at_every_misalignment_of_source_against_destination_moves_exactly_its_bytes(
    world: &World,
    ctx: &Ctx,
) -> Outcome {
    let (qp, mut rng) = (ctx.custom_qp()?, ctx.rng());
    for _ in 0..ctx.rounds(3) {
        let ways = byte_ways(&mut rng);
        // One way after the other, since 256 copies of up to 5000 bytes take some hundred thousand bytes.
        for way in ways {
            copies::<u8>("u8", world, ctx, qp, &mut rng, &[way], &|rng: &mut Rng| {
                let mut plan = Plan::default();
                for skews in (0..16).flat_map(|dest| (0..16).map(move |source| (dest, source))) {
                    let (count, gap) = (size(rng, 5000), rng.below(40));
                    plan.push(count, skews, (1, 1), gap);
                }
                plan
            })?;
        }
    }
    Ok(())
}

fn a_copy_of_every_small_size_moves_exactly_its_bytes(world: &World, ctx: &Ctx) -> Outcome {
    let (qp, mut rng) = (ctx.custom_qp()?, ctx.rng());
    for _ in 0..ctx.rounds(3) {
        let ways = byte_ways(&mut rng);
        copies::<u8>("u8", world, ctx, qp, &mut rng, &ways, &|rng: &mut Rng| {
            let mut plan = Plan::default();
            for count in 0..=96 {
                let skews = (rng.below(16), rng.below(16));
                plan.push(count, skews, (1, 1), 0);
                // The widest accesses are used if both ends are aligned alike.
                plan.push(count, (skews.0, skews.0), (1, 1), 0);
            }
            plan
        })?;
    }
    Ok(())
}

fn calls_that_name_no_queue_do_what_those_on_the_default_queue_do(world: &World, ctx: &Ctx) -> Outcome {
    fn plain<T: Element>(suffix: &str, world: &World, ctx: &Ctx, rng: &mut Rng) -> Outcome {
        for op in [PUT, GET, PUT_NBI, GET_NBI, IPUT, IGET, P, G] {
            let mut ways = Vec::new();
            for (scope, _) in SCOPES {
                ways.push(Way { op, scope, view: None, launch: shape(rng, scope) });
            }
            let strided = matches!(op, IPUT | IGET);
            copies::<T>(suffix, world, ctx, QpHandle::DEFAULT, rng, &ways, &|rng: &mut Rng| some(ctx, rng, strided))?;
        }
        Ok(())
    }
    let mut rng = ctx.rng();
    for_types!(T, suffix => plain::<T>(suffix, world, ctx, &mut rng)?; "u8" u8, "f64" f64);
    Ok(())
}

fn a_copy_of_nothing_touches_nothing(world: &World, ctx: &Ctx) -> Outcome {
    let (qp, mut rng) = (ctx.custom_qp()?, ctx.rng());
    for op in [PUT, GET, PUT_NBI, GET_NBI, IPUT, IGET] {
        // There are nonblocking kernels for one type of each width; a strided copy of nothing may have any stride.
        let ways = ways(&mut rng, op);
        copies::<u8>("u8", world, ctx, qp, &mut rng, &ways, &|rng: &mut Rng| {
            let mut plan = Plan::default();
            (0..6).for_each(|_| {
                let strides = (rng.below(9), rng.below(9));
                plan.push(0, (rng.below(16), rng.below(16)), strides, 3)
            });
            plan
        })?;
    }
    Ok(())
}

fn a_copy_of_megabytes_is_whole_whatever_the_grid(world: &World, ctx: &Ctx) -> Outcome {
    let (qp, mut rng) = (ctx.custom_qp()?, ctx.rng());
    let megabytes = if world.on_host() { 1 } else { 16 };
    for (op, blocks) in [(PUT, 1), (GET, 3), (PUT_NBI, 16), (GET_NBI, 64)] {
        let way = Way { op, scope: BLOCK, view: Some(DEFAULT), launch: Launch::new(blocks, 256) };
        let odd = rng.below(1000);
        copies::<f64>("f64", world, ctx, qp, &mut rng, &[way], &|_: &mut Rng| {
            let mut plan = Plan::default();
            // A piece for each block.
            let each = (megabytes << 17) / blocks as usize;
            (0..blocks).for_each(|_| plan.push(each + odd, (0, 1), (1, 1), 0));
            plan
        })?;
    }
    Ok(())
}
