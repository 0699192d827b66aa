//! Promises that hold on every path: loads and stores, a NIC's queues, proxies.
//!
//! In each case every PE deals with every other PE, so that in a world of several paths each pair of paths is met.

use oxshmem_conformance_kernels::place::{ANY, CUSTOM, DEFAULT};
use oxshmem_hal::{Launch, Pe, World};

use super::case::cases;
use super::{Ctx, Outcome};

cases! { "paths":
    who_sees_a_flag_behind_a_quiet_gets_the_message_from_a_third_pe 3,
    one_fence_orders_what_went_to_every_pe 1 = order_all(true),
    one_quiet_completes_what_went_to_every_pe 1 = order_all(false),
    lanes_that_put_with_signals_to_different_pes_each_signal_behind_their_own_data 1,
    behind_a_barrier_every_pe_gets_what_any_pe_put_to_any 1,
    every_pe_names_the_transport_to_each_and_both_ends_name_the_same 1,
    kernels_loaded_for_calls_to_some_pes_reach_them 1,
    a_counter_has_every_addition_and_its_tickets_are_all_different_on_any_route 1,
}

fn who_sees_a_flag_behind_a_quiet_gets_the_message_from_a_third_pe(world: &World, ctx: &Ctx) -> Outcome {
    let (qp, n, mut rng) = (ctx.custom_qp()?, world.n_pes(), ctx.rng());
    for there in 1..n {
        for flagged in (1..n).filter(|flagged| *flagged != there) {
            let (view, len, rounds) = ([DEFAULT, ANY, CUSTOM][rng.below(3)], rng.within(1, 300), ctx.rounds(100));
            let (inbox, flags, record) = (ctx.calloc::<u64>(3 * len)?, ctx.calloc::<u64>(2)?, ctx.record()?);
            world.barrier_all()?;
            let args = (view, qp, there, flagged, inbox, len, flags, rounds, record);
            ctx.launch("paths_relay", Launch::new(2, 1).collective(), args)?;
            world.barrier_all()?;
            ctx.check_record(record, |step| {
                let (round, i) = (step >> 32, step & u64::from(u32::MAX));
                format!(
                    "word {i} of {len} in round {round}, put {there} PEs further and told of {flagged} PEs further, \
                     queue {view}"
                )
            })?;
        }
    }
    Ok(())
}

/// Sends from one thread of each PE to all PEs, with this call between the messages and their flags.
fn order_all(world: &World, ctx: &Ctx, by_fence: bool) -> Outcome {
    let (qp, n, mut rng) = (ctx.custom_qp()?, world.n_pes() as usize, ctx.rng());
    for len in [1, rng.within(2, 20), rng.within(100, 400)] {
        let (inbox, flags, record) = (ctx.calloc::<u64>(2 * n * len)?, ctx.calloc::<u64>(2 * n)?, ctx.record()?);
        world.barrier_all()?;
        let args = (u32::from(by_fence), qp, inbox, len, flags, ctx.rounds(200), record);
        ctx.launch("paths_order_all", Launch::new(1, 1).collective(), args)?;
        world.barrier_all()?;
        ctx.check_record(record, |step| {
            format!("message of {len} words from PE {} in round {}", step >> 32, step & u64::from(u32::MAX))
        })?;
    }
    Ok(())
}

fn lanes_that_put_with_signals_to_different_pes_each_signal_behind_their_own_data(world: &World, ctx: &Ctx) -> Outcome {
    let (qp, mut rng) = (ctx.custom_qp()?, ctx.rng());
    for (view, add) in [(DEFAULT, 0_u32), (CUSTOM, 1), (ANY, 1), (CUSTOM, 0)] {
        let (lanes, len, rounds) = (32, rng.within(1, 200), ctx.rounds(100));
        let (inbox, signals, record) =
            (ctx.calloc::<u64>(2 * lanes * len)?, ctx.calloc::<u64>(2 * lanes)?, ctx.record()?);
        world.barrier_all()?;
        let args = (view, qp, add, inbox, len, signals, rounds, record);
        ctx.launch("paths_signal_lanes", Launch::new(1, lanes as u32).collective(), args)?;
        world.barrier_all()?;
        ctx.check_record(record, |step| {
            format!("{len} words of lane {} in round {}, queue {view}", step >> 32, step & u64::from(u32::MAX))
        })?;
        let expected = vec![rounds as u64; lanes];
        ctx.check_same(|| "signals at the end".into(), &ctx.read(signals, lanes)?, &expected);
    }
    Ok(())
}

fn behind_a_barrier_every_pe_gets_what_any_pe_put_to_any(world: &World, ctx: &Ctx) -> Outcome {
    let (qp, rounds) = (ctx.custom_qp()?, ctx.rounds(150));
    for threads in [1, 3, 40] {
        let (words, record) = (ctx.calloc::<u64>(2 * world.n_pes() as usize)?, ctx.record()?);
        world.barrier_all()?;
        ctx.launch("paths_barrier", Launch::new(1, threads).collective(), (qp, words, rounds, record))?;
        world.barrier_all()?;
        ctx.check_record(record, |step| format!("at PE {}: word of PE {}", step >> 32, step & u64::from(u32::MAX)))?;
    }
    Ok(())
}

fn every_pe_names_the_transport_to_each_and_both_ends_name_the_same(world: &World, ctx: &Ctx) -> Outcome {
    let mine: Vec<&str> = world.pes().map(|pe| world.transport_to(pe)).collect::<Result<_, _>>()?;
    let all = world.all_gather("how PEs are reached", mine.join(" ").as_bytes())?;
    let all: Vec<String> = all.into_iter().map(|said| String::from_utf8_lossy(&said).into_owned()).collect();
    for (pe, name) in mine.iter().enumerate() {
        let theirs = all[pe].split(' ').nth(world.my_pe().index()).unwrap_or_default();
        ctx.check(*name == theirs, || format!("this PE reaches PE {pe} by {name}, and is reached from it by {theirs}"));
    }
    ctx.check(mine[world.my_pe().index()] == "nvlink", || format!("it reaches itself by another path: {mine:?}"));
    ctx.check(world.transport_to(oxshmem_hal::Pe::new(world.n_pes())).is_err(), || {
        "a PE too many has a transport".into()
    });
    Ok(())
}

fn kernels_loaded_for_calls_to_some_pes_reach_them(world: &World, ctx: &Ctx) -> Outcome {
    let (n, len, me) = (world.n_pes() as usize, ctx.rng().within(1, 300), world.my_pe());
    let (near, far): (Vec<Pe>, Vec<Pe>) = world.pes().partition(|pe| !ctx.is_remote(*pe));
    let (source, inbox) = (ctx.calloc::<u32>(len)?, ctx.calloc::<u32>(n * len)?);
    let message = |pe: Pe| (0..len).map(|i| 1000 * (pe.number() + 1) + i as u32).collect::<Vec<_>>();
    ctx.write(source, &message(me))?;
    world.barrier_all()?;
    for pes in [near, far] {
        let kernel = ctx.load_for(&pes)?.kernel("reach_put")?;
        for pe in pes {
            let dest = inbox.add(me.index() * len);
            world.own_stream().launch_kernel(&kernel, Launch::new(1, 64), (dest, source, len, pe.number()))?;
        }
    }
    world.barrier_all()?;
    for pe in world.pes() {
        ctx.check_same(|| format!("from {pe}"), &ctx.read(inbox.add(pe.index() * len), len)?, &message(pe));
    }
    let error = ctx.load_for(&[me, Pe::new(world.n_pes())]).err();
    ctx.check(error.is_some_and(|error| error.to_string().contains(&format!("PE {n}"))), || {
        "kernels were loaded for calls to a PE too many".into()
    });
    Ok(())
}

fn a_counter_has_every_addition_and_its_tickets_are_all_different_on_any_route(world: &World, ctx: &Ctx) -> Outcome {
    let (n, times) = (world.n_pes() as usize, ctx.rounds(20));
    for (blocks, threads) in [(1, 1), (2, 37)] {
        let taken = (blocks * threads) as usize * times;
        let (words, tickets, record) = (ctx.calloc::<u64>(6)?, ctx.calloc::<u64>(n * taken)?, ctx.record()?);
        world.barrier_all()?;
        let launch = Launch::new(blocks, threads).collective();
        // Each PE takes its tickets into a part of its own, which it then puts to PE 0.
        let mine = tickets.add(world.my_pe().number() as usize * taken);
        ctx.launch("paths_counter", launch, (words, mine, times, record))?;
        world.own_stream().synchronize()?;
        world.put(mine, &ctx.read(mine, taken)?, Pe::new(0))?;
        world.barrier_all()?;
        ctx.check_record(record, |step| format!("check {step} of a counter, {blocks} blocks of {threads} threads"))?;
        if world.my_pe() == Pe::new(0) {
            let mut all = ctx.read(tickets, n * taken)?;
            all.sort_unstable();
            all.dedup();
            ctx.check(all.len() == n * taken, || format!("{} of {} tickets differ", all.len(), n * taken));
        }
        world.barrier_all()?;
    }
    Ok(())
}
