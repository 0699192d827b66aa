//! Several NICs of a PE.

use std::collections::HashSet;
use std::time::Instant;

use oxshmem_core::host::Transport;
use oxshmem_core::{Pe, PeSet, QpHandle, QpSet, Remote, SymAddr, SymPtr};
use oxshmem_device::{Atomics, Block, Local, Rma, Signal, Signals, Thread};
use oxshmem_rdma::mlx5::cqe::syndrome;
use oxshmem_softnic::Knobs;
use oxshmem_transport_ibgda::host::IbgdaConfig;

use crate::rig::{EXTENT, LONG, Made, Rig, element, grid, on, pattern};

const SMALL: u64 = 128 << 10;
/// More rows than any PE has NICs, so that each NIC has several.
const ROWS: u32 = 7;

/// Returns PEs with these numbers of NICs, whose heap has three extents.
fn rig(nics: &[u32], seed: u64) -> Rig {
    let mut made = Made::with_nics(nics);
    made.nic.knobs = Knobs::from_seed(seed);
    made.config.rows = 2;
    Rig::grown(made, &[EXTENT, SMALL, SMALL])
}

fn at(offset: u64) -> SymPtr<u8> {
    SymPtr::new(SymAddr::new(offset))
}

/// Checks data that go to the peer and back: they are in other extents at each end, and cross the extents' ends.
fn check(rig: &mut Rig, handle: QpHandle, seed: u64) {
    let n_pes = rig.n_pes();
    let ends = [EXTENT, EXTENT + SMALL];
    for me in 0..n_pes {
        let shmem = rig.shmem(me);
        let queue = on(&shmem, handle);
        for pe in (0..n_pes).filter(|pe| *pe != me).map(Pe::new) {
            for (here, there, bytes) in [
                (100_000, ends[0] + 5000, 3000),
                (ends[1] + 64, 100_000, 3000),
                (ends[0] - 1000, ends[1] - 2000, 5000),
                (ends[1] + 9, ends[0] + 77, 20),
            ] {
                let data = pattern(bytes, seed + u64::from(me));
                rig.set_heap(me, at(here), &data);
                queue.put(Thread, at(there), at(here), bytes, pe).unwrap();
                shmem.quiet_on(Thread, PeSet::One(pe), QpSet::Of(&[handle])).unwrap();
                assert_eq!(rig.heap(pe.number(), at(there), bytes), data, "put from {me} to {pe}");
                rig.set_heap(me, at(here), &vec![0; bytes]);
                queue.get(Block, at(here), at(there), bytes, pe).unwrap();
                assert_eq!(rig.heap(me, at(here), bytes), data, "get by {me} from {pe}");
            }
            for offset in [100_000, ends[0] + 8, ends[1] + 8] {
                let word: SymPtr<u64> = SymPtr::new(SymAddr::new(offset));
                rig.set_word(pe.number(), word, 40);
                queue.p(word, 41, pe).unwrap();
                assert_eq!(queue.atomic_fetch_add(word, 1, pe).unwrap(), 41);
                assert_eq!(queue.g(word, pe).unwrap(), 42);
                queue.put_signal(Thread, at(offset + 64), at(offset), 500, Signal::add(word, 1), pe).unwrap();
                assert_eq!(queue.g(word, pe).unwrap(), 43);
            }
            // Memory of the program, registered with each NIC.
            let mut buffer = pattern(4096, seed);
            let (address, data) = (buffer.as_ptr() as u64, buffer.clone());
            rig.host(me).register(address, 4096).unwrap();
            let local = Local::of(&shmem, &mut buffer).part(0, 4096);
            queue.put(Thread, at(ends[0] + 100), local, 4096, pe).unwrap();
            shmem.quiet_on(Thread, PeSet::One(pe), QpSet::Of(&[handle])).unwrap();
            assert_eq!(rig.heap(pe.number(), at(ends[0] + 100), 4096), data);
            rig.host(me).unregister(address).unwrap();
        }
    }
}

#[test]
fn whatever_is_posted_on_any_row_has_the_keys_of_the_nics_at_both_ends() {
    for (seed, nics) in [(0, &[2, 2][..]), (0, &[2, 1]), (3, &[1, 3]), (5, &[2, 3, 1])] {
        let mut rig = rig(nics, seed);
        let handles = rig.create(ROWS);
        let owners: HashSet<u32> = handles.iter().map(|handle| rig.queue_of(0, *handle, 1).qpn() >> 16).collect();
        assert_eq!(owners.len(), nics[0] as usize, "the rows of PE 0 are on all of its NICs");
        for handle in handles {
            check(&mut rig, handle, seed);
        }
        // The heap grows while the rows exist.
        rig.grow(SMALL);
        rig.set_limit(LONG);
        let handle = rig.create(1)[0];
        check(&mut rig, handle, seed);
        rig.set_heap(0, at(EXTENT + 2 * SMALL + 8), &[7; 600]);
        let shmem = rig.shmem(0);
        on(&shmem, handle)
            .put(Thread, at(EXTENT + 2 * SMALL + 700), at(EXTENT + 2 * SMALL + 8), 600, Pe::new(1))
            .unwrap();
        shmem.quiet().unwrap();
        assert_eq!(rig.heap(1, at(EXTENT + 2 * SMALL + 700), 600), [7; 600]);
    }
}

#[test]
fn default_rows_of_all_blocks_are_on_all_nics_and_a_quiet_completes_them_all() {
    for (seed, nics) in [(0, [2, 2]), (9, [1, 2])] {
        let rig = rig(&nics, seed);
        let shmem = rig.shmem(0);
        grid(8, 32, seed, || {
            let me = u64::from(oxshmem_raw::gpu::ptx::linear_ctaid() * 32 + oxshmem_raw::gpu::ptx::linear_tid());
            shmem.p(element(me), me + 1, Pe::new(1)).unwrap();
            shmem.quiet().unwrap();
        });
        for me in 0..256 {
            assert_eq!(rig.word(1, element(me)), me + 1);
        }
        assert!((0..2).all(|row| rig.queue(0, row, 1).posted() > 0), "both rows were used");
    }
}

#[test]
fn a_nic_whose_link_goes_down_stops_its_own_queues_and_no_others() {
    let config = IbgdaConfig { rows: 2, ..Made::default().config };
    let mut rig = Rig::new(Made { config, ..Made::with_nics(&[2, 2]) });
    let handles = rig.create(4);
    let shmem = rig.shmem(0);
    let one = Pe::new(1);
    let put = |handle: QpHandle, value: u64| {
        on(&shmem, handle).p(element(5), value, one)?;
        shmem.quiet_on(Thread, PeSet::One(one), QpSet::Of(&[handle]))
    };
    handles.iter().for_each(|handle| put(*handle, 1).unwrap());
    // The second NIC of PE 0: its rows are the odd ones.
    rig.nic.set_link("mlx5_1", false).unwrap();
    let since = Instant::now();
    for round in 2..4 {
        for (row, handle) in (0..).zip(&handles) {
            match (row % 2, put(*handle, round)) {
                (0, ended) => ended.unwrap(),
                (_, ended) => {
                    let fault = ended.unwrap_err();
                    assert_eq!((fault.pe, fault.qp), (1, handle.raw()));
                    assert_eq!(fault.detail & 0xff, u32::from(syndrome::RETRIES_EXCEEDED), "{fault}");
                }
            }
        }
    }
    assert!(since.elapsed() < LONG / 2);
    assert_eq!(rig.word(1, element(5)), 3);
    // The host reports those queues and no others.
    let mut told: Vec<i32> = rig.host(0).faults().unwrap().iter().map(|fault| fault.qp).collect();
    told.sort_unstable();
    assert_eq!(told, [handles[1].raw(), handles[3].raw()]);
    assert!(rig.host(1).faults().unwrap().is_empty());
    // The host's own queues are on the first NIC.
    rig.host(0).put(Remote { pe: one, at: element::<u64>(6).addr() }, &[9; 8]).unwrap();
    assert_eq!(rig.word(1, element(6)), u64::from_le_bytes([9; 8]));
}

#[test]
fn rounds_of_worlds_over_two_nics_leave_them_as_they_were() {
    for round in 0..6 {
        let mut rig = rig(&[2, 1 + round % 2], u64::from(round));
        for count in 1..4 {
            let handles = rig.create(count);
            check(&mut rig, handles[count as usize - 1], u64::from(round));
            rig.destroy(&handles);
        }
    }
}
