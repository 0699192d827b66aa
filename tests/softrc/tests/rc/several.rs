//! PEs with several NICs, in different numbers: rows take turns among them at both ends.

use oxshmem_core::host::Transport;
use oxshmem_core::{AmoOp, AmoType, Completion, OrderingDomain, PeSet, Qp, QpResource, QpSet, Width};
use oxshmem_raw::gpu::group::Thread;
use oxshmem_raw::state::RESERVED_BYTES;
use oxshmem_rdma::wire::{HcaList, NicCount, NicParams};
use oxshmem_softrc::Options;
use oxshmem_transport_ibrc::host::IbrcConfig;

use crate::rig::{EXTENT, Made, Rig, at, pattern, queues_of};

const PES: u32 = 3;
const BYTES: usize = 5000;

/// Returns a rig in which PE 0 has one NIC and the others two.
fn rig(proxies: Option<u32>, seed: u64) -> Rig {
    let hcas = HcaList::parse("soft0,soft1,soft1_1,soft2,soft2_1").unwrap();
    let nics = NicParams { hcas, count: NicCount::Nearest, ..NicParams::default() };
    let config = IbrcConfig { rows: 2, nics, proxies, ..Made::default().config };
    let options = Options { seed, nics: 2, wanted_bases: seed.is_multiple_of(2), ..Options::default() };
    Rig::new(Made { n_pes: PES, config, options, extents: 2, careless: &[], lazy: false })
}

#[test]
fn operations_on_every_row_arrive_whichever_nics_it_leads_over() {
    for (proxies, seed) in [(None, 1), (None, 2), (Some(5), 3)] {
        let mut rig = rig(proxies, seed);
        let handles = rig.create(3);
        for me in 0..PES {
            let state = rig.state(me);
            for (place, handle) in (0..).zip([Qp::Default].into_iter().chain(handles.iter().map(|h| Qp::Custom(*h)))) {
                let queues = queues_of(&state, handle);
                for pe in (0..PES).filter(|pe| *pe != me) {
                    // Ranges in the first extent, across its end, and after it, so that the keys of both extents are
                    // used.
                    let to = at(pe, EXTENT - RESERVED_BYTES - 2000 + 8192 * u64::from(4 * me + place));
                    let data = pattern(BYTES, u64::from(16 * me + place + 100 * pe));
                    rig.set_heap(me, RESERVED_BYTES, &data);
                    let (from, back) = (rig.local(me, RESERVED_BYTES), rig.local(me, RESERVED_BYTES + 16384));
                    queues.put(Thread, to, from, BYTES, Completion::Nonblocking).unwrap();
                    queues.quiet(Thread, PeSet::All, QpSet::All).unwrap();
                    assert_eq!(rig.heap(pe, to.at.offset(), BYTES), data, "PE {me} to {pe}, row {place}, seed {seed}");
                    queues.get(Thread, back, to, BYTES, Completion::Blocking).unwrap();
                    assert_eq!(rig.heap(me, RESERVED_BYTES + 16384, BYTES), data);
                    queues.amo(at(pe, 65536), AmoOp::Add, AmoType::B64, 1).unwrap();
                    let count = 65544 + 8 * u64::from(me);
                    assert_eq!(queues.amo_fetch(at(pe, count), AmoOp::Add, AmoType::B64, 1, 0).unwrap(), place.into());
                    assert_eq!(queues.g(at(pe, count), Width::B8).unwrap(), u64::from(place) + 1);
                }
                queues.quiet(Thread, PeSet::All, QpSet::All).unwrap();
            }
        }
        for pe in 0..PES {
            assert_eq!(rig.get_word(pe, RESERVED_BYTES + 65536), 2 * 4, "four rows of each of two PEs");
        }
        let text = rig.pes[1].describe();
        assert!(text.contains("soft1 serves rows 0, 2, 4") && text.contains("soft1_1 serves rows 1, 3"), "{text}");
        assert!(!rig.pes[0].describe().contains("serves"), "with one there is nothing to tell");
    }
}

#[test]
fn rows_are_destroyed_and_made_anew_on_every_nic() {
    let mut rig = rig(None, 4);
    for round in 0..6 {
        let handles = rig.create(2);
        let state = rig.state(1);
        for (place, handle) in (0u64..).zip(&handles) {
            let queues = queues_of(&state, Qp::Custom(*handle));
            queues.p(at(0, 8 * place), Width::B8, round + place).unwrap();
            queues.quiet(Thread, PeSet::All, QpSet::All).unwrap();
            assert_eq!(rig.get_word(0, RESERVED_BYTES + 8 * place), round + place);
        }
        rig.destroy(&handles);
    }
}
