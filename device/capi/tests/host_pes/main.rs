//! The functions on host PEs, called as C calls them: with addresses in the own heap, and teams by number.

mod calls_together;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use oxshmem_device::prelude::*;
use oxshmem_device_capi::{copies, gets, maxloc, meet, members, ordering, puts, reduce, wait, words, world};
use oxshmem_hal::{Config, DeviceChoice, Launch, Result, World};
use oxshmem_raw::state::team::TeamParts;
use oxshmem_softnic::{Options, SoftProvider};
use oxshmem_transport_ibgda::host;

const N: usize = 1000;
/// The team of the world, by its number in the tests' table.
const TEAM: i32 = 2;
const QP_DEFAULT: i32 = 1;
const PE_ALL: i32 = 1 << 15;
const QP_ALL: i32 = i32::MAX;

/// The operations of reductions, and comparisons, by their numbers in C.
const SUM: u32 = 0;
const MIN: u32 = 2;
const MAX: u32 = 3;
const EQ: i32 = 0;
const GE: i32 = 5;

/// Returns the address of an element in this PE's heap.
fn own<T: oxshmem_core::Element>(shmem: &Shmem, at: SymPtr<T>) -> *mut T {
    (shmem.state().own + at.addr().offset()) as *mut T
}

/// Evaluates a call of the function for a thread, a warp or a block, by the threads of that group.
macro_rules! scoped {
    ($scope:expr, $thread:path, $warp:path, $block:path, ($($arg:expr),*)) => {
        // SAFETY: **initialised**: the kernel has called `enter`. **symmetric**, **live**: each test passes allocations
        // of its own, and frees them after the kernel has ended.
        unsafe {
            match $scope {
                0 if thread_in_block() == 0 => Some($thread($($arg),*)),
                1 if thread_in_block() < 32 => Some($warp($($arg),*)),
                2 => Some($block($($arg),*)),
                _ => None,
            }
        }
    };
}

kernel! {
    /// Puts a row to the right neighbour in several ways, gets it back, and meets.
    fn exchange(
        shmem: Shmem, teams: u64, scope: u32, row: SymPtr<f32>, inbox: SymPtr<f32>, back: SymPtr<f32>, flag: SymPtr<u64>,
    ) -> Result<(), Fault> {
        world::enter(shmem.state(), (teams, 3));
        let (row, inbox, back, flag) = (own(&shmem, row), own(&shmem, inbox), own(&shmem, back), own(&shmem, flag));
        let (n, right) = (4 * N, shmem.pe_after(1).number() as i32);
        scoped!(scope, puts::oxshmem_put, puts::oxshmem_put_warp, puts::oxshmem_put_block,
            (inbox.cast(), row.cast(), n, right, QP_DEFAULT, 1));
        scoped!(scope, ordering::oxshmem_quiet, ordering::oxshmem_quiet_warp, ordering::oxshmem_quiet_block,
            (PE_ALL, &QP_ALL, 1));
        let second = inbox.wrapping_add(N);
        scoped!(scope, puts::oxshmem_put_signal, puts::oxshmem_put_signal_warp,
            puts::oxshmem_put_signal_block, (second.cast(), row.cast(), n, flag, 5, 10, right, QP_DEFAULT, 0));
        if thread_in_block() == 0 {
            // SAFETY: **initialised**: the kernel has called `enter`. **symmetric**, **live**: the test passes
            // allocations of its own.
            let seen = unsafe { wait::oxshmem_wait_u64(flag, GE, 5) };
            assert_eq!(seen, 5);
        }
        let third = inbox.wrapping_add(2 * N);
        // Every second element, each 4 bytes wide.
        scoped!(scope, puts::oxshmem_iput, puts::oxshmem_iput_warp, puts::oxshmem_iput_block,
            (third.cast(), row.cast(), 1, 2, N / 2, 4, right));
        scoped!(scope, meet::oxshmem_meet_all, meet::oxshmem_meet_all_warp, meet::oxshmem_meet_all_block, (1));
        scoped!(scope, gets::oxshmem_get, gets::oxshmem_get_warp, gets::oxshmem_get_block,
            (back.cast(), inbox.cast(), n, right, QP_DEFAULT, 0));
        scoped!(scope, meet::oxshmem_meet, meet::oxshmem_meet_warp, meet::oxshmem_meet_block, (TEAM, 1));
        Ok(())
    }

    /// Words of the right neighbour: elements, atomics, signals, tests, numbers of PEs.
    fn words_of_the_right(shmem: Shmem, teams: u64, words: SymPtr<u64>, small: SymPtr<i32>) -> Result<(), Fault> {
        world::enter(shmem.state(), (teams, 3));
        let (at, small) = (own(&shmem, words), own(&shmem, small));
        let (me, n) = (shmem.my_pe().number() as i32, shmem.n_pes() as i32);
        let right = (me + 1) % n;
        // SAFETY: **initialised**: the kernel has called `enter`. **symmetric**, **live**: the test passes allocations
        // of its own.
        unsafe {
            words::oxshmem_p(at.cast(), 0x0102_0304_0506_0708, 8, right, QP_DEFAULT);
            words::oxshmem_p(small.cast(), -7i32 as u32 as u64, 4, right, QP_DEFAULT);
            assert_eq!(words::oxshmem_g(at.cast(), 8, right, QP_DEFAULT), 0x0102_0304_0506_0708);
            assert_eq!(words::oxshmem_g(at.wrapping_byte_add(1).cast(), 1, right, QP_DEFAULT), 7);
            // An addition of 64 bits, and the exchange of one of 32.
            words::oxshmem_amo(at.wrapping_add(1).cast(), 3, 1, 1 << 40, right);
            assert_eq!(words::oxshmem_amo_fetch(at.wrapping_add(1).cast(), 3, 1, 2, 0, right), 1 << 40);
            assert_eq!(words::oxshmem_amo_fetch(small.cast(), 1, 0, 9, 0, right), -7i32 as u32 as u64);
            assert_eq!(words::oxshmem_amo_fetch(small.cast(), 2, 0, 11, 9, right), 9);
            words::oxshmem_signal(at.wrapping_add(2), 3, 9, right, QP_DEFAULT);
            words::oxshmem_signal(at.wrapping_add(2), 4, 10, right, QP_DEFAULT);
            assert_eq!(wait::oxshmem_wait_u64(at.wrapping_add(2), EQ, 7), 7);
            meet::oxshmem_meet_all(1);
            let (ignored, mut found) = ([0, 1, 0], [9usize; 3]);
            let values = [0x0102_0304_0506_0708u64, 0, 7];
            let every = wait::oxshmem_test_all_u64(at, 3, ignored.as_ptr(), EQ, 0, values.as_ptr());
            assert_eq!(every, 1, "the second word is ignored");
            assert_eq!(wait::oxshmem_test_any_u64(at, 3, core::ptr::null(), EQ, 1, core::ptr::null()), usize::MAX);
            let some = wait::oxshmem_wait_some_u64(
                at, 3, found.as_mut_ptr(), core::ptr::null(), GE, 7, core::ptr::null(),
            );
            assert_eq!((some, found), (3, [0, 1, 2]));
            assert_eq!((members::oxshmem_team_my_pe(TEAM), members::oxshmem_team_n_pes(TEAM)), (me, n));
            assert_eq!(members::oxshmem_team_my_pe(1), -1, "number 1 is no team");
            assert_eq!(members::oxshmem_team_my_pe(-1), -1);
            assert_eq!(members::oxshmem_team_translate_pe(TEAM, right, TEAM), right);
            assert_eq!(members::oxshmem_team_translate_pe(TEAM, n, TEAM), -1, "there is no such member");
        }
        Ok(())
    }

    /// Collectives of a team.
    fn together(
        shmem: Shmem, teams: u64, scope: u32, count: u32, source: SymPtr<i32>, sum: SymPtr<i32>, least: SymPtr<i32>,
        most: SymPtr<i32>, all: SymPtr<i32>,
    ) -> Result<(), Fault> {
        world::enter(shmem.state(), (teams, 3));
        let (source, all) = (own(&shmem, source), own(&shmem, all));
        let results = [(SUM, own(&shmem, sum)), (MIN, own(&shmem, least)), (MAX, own(&shmem, most))];
        for (op, dest) in results {
            let code = scoped!(scope, reduce::oxshmem_reduce_i32, reduce::oxshmem_reduce_i32_warp,
                reduce::oxshmem_reduce_i32_block, (TEAM, op, dest, source, count as usize));
            assert!(code.is_none_or(|code| code == 0));
        }
        scoped!(scope, copies::oxshmem_fcollect, copies::oxshmem_fcollect_warp, copies::oxshmem_fcollect_block,
            (TEAM, all.cast(), source.cast(), 4 * count as usize));
        let missing = scoped!(scope, copies::oxshmem_alltoall, copies::oxshmem_alltoall_warp,
            copies::oxshmem_alltoall_block, (1, all.cast(), source.cast(), 4));
        assert!(missing.is_none_or(|code| code != 0), "number 1 is no team");
        Ok(())
    }

    /// Sends a packet of a round to the right neighbour if it `sends`, and waits for the left one's.
    fn packets(shmem: Shmem, teams: u64, packet: SymPtr<u64>, round: u64, sends: u32) -> Result<(), Fault> {
        world::enter(shmem.state(), (teams, 3));
        let packet = own(&shmem, packet);
        let (right, left) = (shmem.pe_after(1).number() as i32, shmem.pe_after(shmem.n_pes() - 1).number());
        // SAFETY: **initialised**: the kernel has called `enter`. **symmetric**, **live**: the test passes an allocation of
        // its own.
        let code = unsafe {
            if sends != 0 {
                words::oxshmem_p(packet.cast(), round << 32 | 5, 8, right, QP_DEFAULT);
                words::oxshmem_p(packet.wrapping_add(1).cast(), round << 32 | 6, 8, right, QP_DEFAULT);
            }
            meet::oxshmem_await_packet(TEAM, left, round, packet.cast())
        };
        assert_eq!(code == 0, sends != 0);
        Ok(())
    }

    /// The largest of the members' values, with its index.
    fn largest(shmem: Shmem, teams: u64, dest: SymPtr<f64>, source: SymPtr<f64>) -> Result<(), Fault> {
        world::enter(shmem.state(), (teams, 3));
        // SAFETY: **initialised**: the kernel has called `enter`. **symmetric**, **live**: the test passes allocations
        // of its own.
        let code = unsafe { maxloc::oxshmem_maxloc_f64_block(TEAM, own(&shmem, dest), own(&shmem, source), 2) };
        assert_eq!(code, 0);
        Ok(())
    }
}

/// Runs a test on 3 PEs, which get the address of a table of teams: first on PEs that reach each other by loads and
/// stores, then on PEs that software NICs connect.
fn on_three_pes(body: impl Fn(&World, u64) -> Result<()> + Send + Sync) {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let provider = Arc::new(SoftProvider::new(Options::default()).unwrap());
    host::install(provider.clone());
    for is_remote in [false, true] {
        let config = Config::new().with_device(DeviceChoice::Host).with_heap_bytes(1 << 20).with_disable_p2p(is_remote);
        World::threads(3, &config, |world| {
            let team = world.team_world()?;
            let table = [TeamParts::default(), TeamParts::default(), *team.handle()];
            body(world, table.as_ptr() as u64)
        })
        .unwrap();
    }
    assert!(provider.violations().is_empty(), "{:#?}", provider.violations());
}

#[test]
fn transfers_and_barriers_of_each_scope_move_a_row_around_a_ring() {
    on_three_pes(|world, teams| {
        let (row, back) = (world.malloc::<f32>(N)?, world.calloc::<f32>(N)?);
        let value = |pe: u32, i: usize| (pe * 1000) as f32 + i as f32;
        let me = world.my_pe().number();
        let left = (me + 2) % 3;
        world.write(row, &(0..N).map(|i| value(me, i)).collect::<Vec<_>>())?;
        for scope in 0..3u32 {
            let (inbox, flag) = (world.calloc::<f32>(3 * N)?, world.calloc::<u64>(1)?);
            let kernel = world.modules().load("host_pes")?.kernel("exchange")?;
            world.own_stream().launch_kernel(
                &kernel,
                Launch::new(1, 64).collective(),
                (teams, scope, row, inbox, back, flag),
            )?;
            world.barrier_all()?;
            let mut got = vec![0.0; 3 * N];
            world.read(inbox, &mut got)?;
            for i in 0..N {
                assert_eq!([got[i], got[N + i]], [value(left, i); 2], "scope {scope}, element {i}");
                let strided = if i < N / 2 { value(left, 2 * i) } else { 0.0 };
                assert_eq!(got[2 * N + i], strided, "scope {scope}, strided element {i}");
            }
            world.read(back, &mut got[..N])?;
            assert_eq!(got[N - 1], value(me, N - 1), "the right neighbour has this PE's row");
            world.free(inbox)?;
            world.free(flag)?;
        }
        Ok(())
    });
}

#[test]
fn words_of_a_peer_are_written_read_and_changed_and_teams_have_numbers() {
    on_three_pes(|world, teams| {
        let (words, small) = (world.calloc::<u64>(3)?, world.calloc::<i32>(1)?);
        let kernel = world.modules().load("host_pes")?.kernel("words_of_the_right")?;
        world.own_stream().launch_kernel(&kernel, Launch::new(1, 1).collective(), (teams, words, small))?;
        world.barrier_all()?;
        let mut got = [0];
        world.read(small, &mut got)?;
        assert_eq!(got, [11]);
        Ok(())
    });
}

#[test]
fn reductions_of_signed_words_by_each_scope_have_the_order_of_signed_numbers() {
    on_three_pes(|world, teams| {
        let me = world.my_pe().number();
        let value = |pe: u32, i: usize| if i.is_multiple_of(2) { pe as i32 - 1 } else { i as i32 * (pe as i32 - 1) };
        let source = world.malloc::<i32>(N)?;
        world.write(source, &(0..N).map(|i| value(me, i)).collect::<Vec<_>>())?;
        // At most 8 bytes of each thread, and more.
        for (scope, count) in [(0u32, 2), (0, N), (1, 61), (1, N), (2, 128), (2, N)] {
            let results = [world.calloc::<i32>(N)?, world.calloc::<i32>(N)?, world.calloc::<i32>(N)?];
            let all = world.calloc::<i32>(3 * N)?;
            let kernel = world.modules().load("host_pes")?.kernel("together")?;
            let [sum, least, most] = results;
            let launch = Launch::new(1, 64).collective();
            world.own_stream().launch_kernel(
                &kernel,
                launch,
                (teams, scope, count as u32, source, sum, least, most, all),
            )?;
            world.barrier_all()?;
            let mut got = vec![0; 3 * N];
            for (result, expected) in results.into_iter().zip([
                |values: [i32; 3]| values.iter().sum::<i32>(),
                |values: [i32; 3]| values.into_iter().min().unwrap(),
                |values: [i32; 3]| values.into_iter().max().unwrap(),
            ]) {
                world.read(result, &mut got[..N])?;
                for (i, &element) in got[..N].iter().enumerate() {
                    let wanted = if i < count { expected([0, 1, 2].map(|pe| value(pe, i))) } else { 0 };
                    assert_eq!(element, wanted, "scope {scope}, element {i} of {count}");
                }
                world.free(result)?;
            }
            world.read(all, &mut got)?;
            for (i, &element) in got[..3 * count].iter().enumerate() {
                assert_eq!(element, value((i / count) as u32, i % count), "scope {scope}, gathered element {i}");
            }
            world.free(all)?;
        }
        Ok(())
    });
}

#[test]
fn a_packet_is_awaited_until_both_of_its_flags_are_those_of_the_round() {
    on_three_pes(|world, teams| {
        let packet = world.calloc::<u64>(2)?;
        let kernel = world.modules().load("host_pes")?.kernel("packets")?;
        for round in [7u64, 8] {
            world.own_stream().launch_kernel(&kernel, Launch::new(1, 1).collective(), (teams, packet, round, 1u32))?;
            world.barrier_all()?;
            let mut got = [0; 2];
            world.read(packet, &mut got)?;
            assert_eq!(got, [round << 32 | 5, round << 32 | 6]);
            // The neighbour sends the next one only then.
            world.barrier_all()?;
        }
        Ok(())
    });
}

#[test]
fn a_packet_that_does_not_come_is_a_fault_that_names_its_sender() {
    let config = Config::new().with_device(DeviceChoice::Host).with_wait_limit(Duration::from_millis(200));
    let ended = World::threads(2, &config, |world| {
        let team = world.team_world()?;
        let table = [TeamParts::default(), TeamParts::default(), *team.handle()];
        let packet = world.calloc::<u64>(2)?;
        let kernel = world.modules().load("host_pes")?.kernel("packets")?;
        let launch = Launch::new(1, 1).collective();
        world.own_stream().launch_kernel(&kernel, launch, (table.as_ptr() as u64, packet, 7u64, 0u32))?;
        world.barrier_all()
    });
    let said = format!("{:#}", ended.unwrap_err());
    assert!(said.contains("had not come to round 7 of a slot of team"), "{said}");
}

#[test]
fn the_largest_value_and_its_index_are_every_members() {
    on_three_pes(|world, teams| {
        let (dest, source) = (world.calloc::<f64>(4)?, world.calloc::<f64>(4)?);
        let me = f64::from(world.my_pe().number());
        // All have the same first value; PE 1 has the largest second one.
        world.write(source, &[2.5, 9.0 - me, -(me - 1.0).abs(), me])?;
        let kernel = world.modules().load("host_pes")?.kernel("largest")?;
        world.own_stream().launch_kernel(&kernel, Launch::new(1, 40).collective(), (teams, dest, source))?;
        world.barrier_all()?;
        let mut got = [0.0; 4];
        world.read(dest, &mut got)?;
        assert_eq!(got, [2.5, 7.0, 0.0, 1.0]);
        Ok(())
    });
}
