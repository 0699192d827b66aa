//! Errors on the device end in an error on the host that names them, in time. Each case has a world of its own.

use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

use oxshmem_hal::{Fault, FaultStep, Launch, Pe, QpHandle, SymAddr, SymPtr, TeamHandle, World};
use oxshmem_raw::state::team::TeamParts;

use super::case::cases;
use super::{Ctx, Failure, Outcome};

cases! { "faults":
    a_wait_that_nobody_ends_is_a_fault_at_the_worlds_limit 1,
    a_wait_for_many_words_has_one_limit_however_often_one_of_them_comes 1,
    a_barrier_that_a_pe_stays_away_from_is_a_fault_that_names_it 2,
    behind_a_barrier_that_failed_no_other_succeeds 2,
    an_array_shorter_than_the_words_it_goes_with_is_a_fault_at_the_call 1,
    a_kernel_that_the_host_stops_ends_with_a_fault 1,
    a_put_to_nobody_is_a_fault_that_names_the_pe 1,
    a_remote_pe_is_a_fault_of_kernels_without_remote_paths 2,
    a_put_outside_of_the_heap_is_a_fault_that_says_where 1,
    own_memory_outside_of_the_heap_is_empty_and_a_fault 1,
    a_word_that_is_not_aligned_is_a_fault 1,
    a_queue_that_is_none_is_a_fault 1,
    a_signal_inside_its_data_is_a_fault 1,
    a_world_with_a_fault_takes_no_more_kernels_and_the_next_one_does 1,
}

/// A busy machine may be late, but not by this.
const LATE: Duration = Duration::from_secs(15);

/// Returns the fault with which a kernel must end: its step, and whether its facts are right.
pub(super) fn ends_with<R>(step: FaultStep, right: R) -> EndsWith<R>
where
    R: Fn(&World, &Fault, SymPtr<u64>) -> bool + Sync,
{
    EndsWith { step, right }
}

pub(super) struct EndsWith<R> {
    step: FaultStep,
    right: R,
}

impl<R: Fn(&World, &Fault, SymPtr<u64>) -> bool + Sync> EndsWith<R> {
    /// Launches a kernel in a world with a short limit. Every PE must end with this fault, at least one of them at
    /// first hand: once a PE has reported it, others may end with the fault that names that PE as dead.
    pub(super) fn on_all(
        &self,
        outer: &World,
        ctx: &Ctx,
        launch: impl Fn(&World, &Ctx, SymPtr<u64>) -> Outcome + Sync,
    ) -> Outcome {
        faults(outer, ctx, 0, &launch, self.step, &self.right)
    }

    /// As [`on_all`](Self::on_all), where PE 0 gets no fault.
    pub(super) fn on_all_but_pe_0(
        &self,
        outer: &World,
        ctx: &Ctx,
        launch: impl Fn(&World, &Ctx, SymPtr<u64>) -> Outcome + Sync,
    ) -> Outcome {
        faults(outer, ctx, 1, &launch, self.step, &self.right)
    }
}

/// The PEs from `first` on get the fault.
fn faults(
    outer: &World,
    ctx: &Ctx,
    first: u32,
    launch: &(dyn Fn(&World, &Ctx, SymPtr<u64>) -> Outcome + Sync),
    step: FaultStep,
    right: &(dyn Fn(&World, &Fault, SymPtr<u64>) -> bool + Sync),
) -> Outcome {
    let first_hand = AtomicU8::new(0);
    ctx.own_world(
        |config| config.with_heap_bytes(2 << 20).with_wait_limit(ctx.short_limit()),
        |world, ctx| {
            let (words, over) = (ctx.calloc::<u64>(64)?, ctx.calloc::<u64>(world.n_pes() as usize)?);
            let started = Instant::now();
            let launched = world.barrier_all().map_err(Failure::from).and_then(|()| launch(world, ctx, words));
            // Another PE may already have ended with its fault, which ends calls that this one is still in.
            let died = matches!(launched, Err(Failure::Died(_)));
            if !died {
                launched?;
            }
            if world.my_pe().number() < first {
                // This PE stays until each other PE has noticed, because leaving is another fault, and messages whose
                // arrival it did not wait for could be lost with it.
                for pe in world.pes().filter(|pe| *pe != world.my_pe()) {
                    while world.g(over.add(pe.number() as usize), world.my_pe())? == 0 {
                        if started.elapsed() > LATE {
                            return Err(Failure::wrong(format!("PE {pe} did not say within {LATE:?} that it ended")));
                        }
                        std::thread::sleep(Duration::from_millis(1));
                    }
                }
                return Ok(());
            }
            let ended = world.own_stream().synchronize();
            let took = started.elapsed();
            ctx.check(took < LATE, || format!("it took {took:?}"));
            match ended.map_err(|error| (error.fault(), error)) {
                Ok(()) if died => {}
                Ok(()) => ctx.wrong("the kernel ended without a fault"),
                Err((Some(fault), _)) if fault.step == step && right(world, &fault, words) => {
                    first_hand.store(1, Ordering::Relaxed);
                }
                Err((Some(Fault { step: FaultStep::PeerDied, pe, .. }), _)) if pe != world.my_pe().number() => {}
                Err((_, error)) => ctx.wrong(format!("{step:?} is expected: {error}")),
            }
            if !died {
                let again = ctx.launch("reach_wait_in_vain", Launch::new(1, 1), (words,));
                ctx.check(again.is_err(), || "another kernel was taken after a fault".into());
            }
            for pe in world.pes() {
                // A PE that has gone by now can't get the message, and does not need it.
                let told = world.p(over.add(world.my_pe().number() as usize), 1, pe);
                if pe == world.my_pe() {
                    told?;
                }
            }
            Ok(())
        },
    )?;
    let all = outer.all_gather("who saw the fault itself", &[first_hand.into_inner()])?;
    ctx.check(all.concat().contains(&1), || format!("no PE saw {step:?} with the right facts"));
    Ok(())
}

/// Skips the case unless the kernels check all of their arguments: on a GPU only modules built for it do.
pub(super) fn checked(world: &World) -> Outcome {
    match super::ctx::load(world)?.checks_arguments() {
        true => Ok(()),
        false => Err(Failure::skip("the kernels were built without `--checked`")),
    }
}

fn a_wait_that_nobody_ends_is_a_fault_at_the_worlds_limit(world: &World, ctx: &Ctx) -> Outcome {
    ends_with(FaultStep::Wait, |_, fault, words| {
        fault.at == words.add(2).addr().offset() && fault.asked == 7 && fault.seen == 0
    })
    .on_all(world, ctx, |_, ctx, words| ctx.launch("reach_wait_in_vain", Launch::new(1, 3), (words.add(2),)))
}

fn a_wait_for_many_words_has_one_limit_however_often_one_of_them_comes(world: &World, ctx: &Ctx) -> Outcome {
    // One word comes in each tenth of the limit, the last after three limits.
    let count = 30;
    ends_with(FaultStep::Wait, |_, fault, words| {
        let at = fault.at.wrapping_sub(words.addr().offset());
        // The value seen may be a word that came at the very end.
        at < 8 * count as u64 && fault.asked == 7
    })
    .on_all(world, ctx, |world, ctx, words| {
        ctx.launch("reach_wait_for_each", Launch::new(1, 1), (words, count))?;
        for i in 0..count {
            std::thread::sleep(ctx.short_limit() / 10);
            // The wait has ended.
            if world.quiet().is_err() {
                break;
            }
            world.p(words.add(i), 7, world.my_pe())?;
        }
        Ok(())
    })
}

fn a_barrier_that_a_pe_stays_away_from_is_a_fault_that_names_it(world: &World, ctx: &Ctx) -> Outcome {
    ends_with(FaultStep::Barrier, |_, fault, _| fault.pe == 0).on_all_but_pe_0(world, ctx, |_, ctx, _| {
        ctx.launch("reach_barrier_without_pe_0", Launch::new(1, 33).collective(), ())
    })
}

fn behind_a_barrier_that_failed_no_other_succeeds(world: &World, ctx: &Ctx) -> Outcome {
    ends_with(FaultStep::Barrier, |world, fault, words| {
        fault.pe == 0 && world.g(words.add(2), world.my_pe()).is_ok_and(|word| word == 0)
    })
    .on_all_but_pe_0(world, ctx, |world, ctx, words| {
        let started = Instant::now();
        let others = u64::from(world.n_pes() - 1);
        while world.my_pe().number() == 0 && world.g(words, world.my_pe())? < others && started.elapsed() < LATE {
            std::thread::sleep(Duration::from_millis(1));
        }
        ctx.launch("reach_barrier_after_a_fault", Launch::new(1, 33).collective(), (words,))
    })
}

fn an_array_shorter_than_the_words_it_goes_with_is_a_fault_at_the_call(world: &World, ctx: &Ctx) -> Outcome {
    checked(world)?;
    for (which, width) in [(0u32, 4), (1, 8), (2, 8)] {
        ends_with(FaultStep::OutOfLocal, |world, fault, words| {
            let taken = world.g(words.add(8), world.my_pe());
            fault.asked == 4 * width && fault.seen == 3 * width && taken.is_ok_and(|taken| taken == 0)
        })
        .on_all(world, ctx, |_, ctx, words| ctx.launch("reach_short_array", Launch::new(1, 1), (words, which)))?;
    }
    Ok(())
}

fn a_kernel_that_the_host_stops_ends_with_a_fault(world: &World, ctx: &Ctx) -> Outcome {
    ends_with(FaultStep::Aborted, |_, _, _| true).on_all(world, ctx, |world, ctx, words| {
        ctx.launch("reach_wait_in_vain", Launch::new(1, 1), (words,))?;
        world.abort();
        Ok(())
    })
}

fn a_put_to_nobody_is_a_fault_that_names_the_pe(world: &World, ctx: &Ctx) -> Outcome {
    checked(world)?;
    ends_with(FaultStep::NoSuchPe, |world, fault, _| {
        fault.asked == u64::from(world.n_pes() + 2) && fault.seen == u64::from(world.n_pes())
    })
    .on_all(world, ctx, |world, ctx, words| {
        let words = words.cast::<u32>();
        ctx.launch("reach_put", Launch::new(1, 32), (words, words.add(8), 4usize, world.n_pes() + 2))
    })
}

fn a_remote_pe_is_a_fault_of_kernels_without_remote_paths(world: &World, ctx: &Ctx) -> Outcome {
    checked(world)?;
    if world.pes().all(|pe| !ctx.is_remote(pe)) {
        // As in a module of such a world.
        let (words, next) = (ctx.calloc::<u64>(64)?, world.pe_after(1));
        world.barrier_all()?;
        for what in 0..4u32 {
            // SAFETY: **whole**: the kernel makes no call on it.
            let team = unsafe { TeamHandle::new(TeamParts::default()) };
            let args = (what, words, team, next.number());
            ctx.launch("reach_without_paths", Launch::new(1, 32).collective(), args)?;
        }
        return Ok(world.own_stream().synchronize()?);
    }
    let is_remote = |world: &World, pe: u32| world.transport_to(Pe::new(pe)).is_ok_and(|name| name != "nvlink");
    for what in 0..5u32 {
        ends_with(FaultStep::NotLoadStore, |world, fault, _| is_remote(world, fault.pe)).on_all(
            world,
            ctx,
            |world, ctx, words| {
                let remote = world.pes().find(|pe| is_remote(world, pe.number())).unwrap_or(world.my_pe());
                // The team lives as long as the world, in which kernels use it.
                let team = ManuallyDrop::new(world.team_world()?);
                ctx.launch("reach_without_paths", Launch::new(1, 32), (what, words, team.handle(), remote.number()))
            },
        )?;
    }
    Ok(())
}

fn a_put_outside_of_the_heap_is_a_fault_that_says_where(world: &World, ctx: &Ctx) -> Outcome {
    checked(world)?;
    ends_with(FaultStep::OutOfHeap, |world, fault, _| {
        fault.at == world.heap().mapped - 8 && fault.asked == 12 && fault.seen == world.heap().mapped
    })
    .on_all(world, ctx, |world, ctx, words| {
        let end = SymPtr::<u32>::new(SymAddr::new(world.heap().mapped - 8));
        ctx.launch("reach_put", Launch::new(1, 32), (end, words.cast::<u32>(), 3usize, world.pe_after(1).number()))
    })
}

fn own_memory_outside_of_the_heap_is_empty_and_a_fault(world: &World, ctx: &Ctx) -> Outcome {
    checked(world)?;
    // Behind the heap, around the end of the address space, and in the library's part.
    for (at, count) in [(1 << 40, 1usize), (u64::MAX - 7, 4), (64, 1), (1 << 20, usize::MAX)] {
        ends_with(FaultStep::OutOfHeap, |_, fault, _| {
            fault.at == at && fault.asked == (count as u64).saturating_mul(4)
        })
        .on_all(world, ctx, |_, ctx, _| {
            ctx.launch("reach_local", Launch::new(1, 1), (SymPtr::<u32>::new(SymAddr::new(at)), count))
        })?;
    }
    Ok(())
}

fn a_word_that_is_not_aligned_is_a_fault(world: &World, ctx: &Ctx) -> Outcome {
    checked(world)?;
    let odd = |words: SymPtr<u64>| SymPtr::<u64>::new(SymAddr::new(words.addr().offset() + 4));
    ends_with(FaultStep::Misaligned, |_, fault, words| fault.at == odd(words).addr().offset() && fault.asked == 8)
        .on_all(world, ctx, |_, ctx, words| ctx.launch("reach_add", Launch::new(1, 1), (odd(words), QpHandle::DEFAULT)))
}

fn a_queue_that_is_none_is_a_fault(world: &World, ctx: &Ctx) -> Outcome {
    checked(world)?;
    let nothing = QpHandle::from_raw(123_456);
    ends_with(FaultStep::NoSuchQp, |_, fault, _| fault.qp == nothing.raw())
        .on_all(world, ctx, |_, ctx, words| ctx.launch("reach_add", Launch::new(1, 1), (words, nothing)))
}

fn a_signal_inside_its_data_is_a_fault(world: &World, ctx: &Ctx) -> Outcome {
    checked(world)?;
    ends_with(FaultStep::SignalOverlap, |_, fault, words| {
        fault.at == words.add(4).addr().offset() && fault.seen == words.addr().offset()
    })
    .on_all(world, ctx, |_, ctx, words| {
        ctx.launch("reach_put_signal", Launch::new(1, 32), (words, words.add(10), 5usize, words.add(4)))
    })
}

fn a_world_with_a_fault_takes_no_more_kernels_and_the_next_one_does(world: &World, ctx: &Ctx) -> Outcome {
    a_kernel_that_the_host_stops_ends_with_a_fault(world, ctx)?;
    ctx.own_world(
        |config| config.with_heap_bytes(2 << 20),
        |world, ctx| {
            let notes = ctx.calloc::<u32>(8)?;
            ctx.launch("reach_numbers", Launch::new(1, 1), (notes,))?;
            world.barrier_all()?;
            ctx.check_same(|| "this PE's number".into(), &ctx.read(notes, 1)?, &[world.my_pe().number()]);
            Ok(())
        },
    )
}
