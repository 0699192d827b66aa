//! The knowledge of the others about a PE that fails and whose process lives on.

mod bootstrap_support;

use std::sync::atomic::{AtomicUsize, Ordering};

use bootstrap_support::{LIMIT, configs, connect_in_tree, eventually, on_all, until_siblings_met};
use oxshmem_core::Pe;
use oxshmem_hal::bootstrap::FAN_OUT;

#[test]
fn a_pe_that_fails_and_lives_on_is_the_only_one_that_the_others_take_for_dead() {
    // PEs without children of their own, of which the last one is in another subtree than the one that fails.
    for (n_pes, fan_out, fails, ends) in [(3, FAN_OUT, 0, 2), (18, FAN_OUT, 0, 17), (13, 3, 0, 12), (20, 2, 1, 19)] {
        let world: Vec<_> = connect_in_tree(configs(n_pes, LIMIT), fan_out).into_iter().map(Result::unwrap).collect();
        until_siblings_met(&world);
        let [know, know_both, looked] = [(); 3].map(|()| AtomicUsize::new(0));
        let all = |count: &AtomicUsize, of: u32| {
            count.fetch_add(1, Ordering::SeqCst);
            eventually("all know", || count.load(Ordering::SeqCst) == of as usize);
        };
        on_all(world, |control| {
            control.barrier("all here").unwrap();
            let (me, learns) = (control.pe().number(), |pe| control.death_of(Pe::new(pe)).is_some());
            if me == fails {
                control.fail("a kernel failed");
            } else {
                eventually(&format!("PE {me} learns of PE {fails}"), || learns(fails));
            }
            all(&know, n_pes);
            if me == ends {
                return;
            }
            // A wrong announcement comes before that of a later death. The PE that failed may learn of none.
            if me != fails {
                eventually(&format!("PE {me} learns of PE {ends}"), || learns(ends));
            }
            all(&know_both, n_pes - 1);
            let wrong: Vec<u32> = (0..n_pes).filter(|pe| learns(*pe) && ![fails, ends].contains(pe)).collect();
            // A PE that returns ends.
            all(&looked, n_pes - 1);
            assert_eq!(wrong, [], "PE {me}, {n_pes} PEs, fan-out {fan_out}, PE {fails} failed");
        });
    }
}
