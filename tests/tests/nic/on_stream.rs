//! The kernels of calls on streams, which host PEs replace by calls of their own threads.

use std::time::Duration;

use oxshmem_core::{Cmp, Fault, FaultStep, Pe, SymPtr, Waitable};
use oxshmem_device::__private::{elements_on_stream, wait_on_stream};

use crate::rig::{Made, Rig, element, grid};

const ALL: [Cmp; 6] = [Cmp::Eq, Cmp::Ne, Cmp::Gt, Cmp::Le, Cmp::Lt, Cmp::Ge];

/// Compares the outcome of a wait with the comparison itself, for each pair of these values.
fn waits_as_it_compares<T: Waitable>(rig: &Rig, values: [T; 3]) {
    for (seen, value, cmp) in values
        .into_iter()
        .flat_map(|seen| values.map(|value| (seen, value)))
        .flat_map(|(seen, value)| ALL.map(|cmp| (seen, value, cmp)))
    {
        // The bytes beside the word must not count.
        let beside = u64::MAX.checked_shl(8 * size_of::<T>() as u32).unwrap_or(0);
        rig.set_word(0, element(2), beside | seen.to_bits64());
        let word = element::<u64>(2).addr();
        // SAFETY: **mapped**: there are no entries of lists.
        let ended =
            unsafe { wait_on_stream(rig.shmem(0), word, Fault::wait_detail::<T>(cmp), value.to_bits64(), 0, 0) };
        assert_eq!(ended.is_ok(), cmp.holds(seen, value), "{} {seen:?} {cmp:?} {value:?}", T::NAME);
        if let Err(fault) = ended {
            assert_eq!((fault.step, fault.at), (FaultStep::Wait, word.offset()));
            assert_eq!((fault.asked, fault.seen), (value.to_bits64(), seen.to_bits64()));
            assert_eq!(fault.detail, Fault::wait_detail::<T>(cmp));
            rig.forget_fault(0);
        }
    }
}

#[test]
fn a_wait_on_a_stream_compares_words_of_every_type_in_their_own_order() {
    let mut rig = Rig::new(Made::default());
    rig.set_limit(Duration::from_millis(1));
    waits_as_it_compares(&rig, [i16::MIN, -1, 5]);
    waits_as_it_compares(&rig, [0u16, 5, u16::MAX]);
    waits_as_it_compares(&rig, [i32::MIN, -1, 5]);
    waits_as_it_compares(&rig, [0u32, 5, u32::MAX]);
    waits_as_it_compares(&rig, [i64::MIN, -1, 5]);
    waits_as_it_compares(&rig, [0u64, 5, u64::MAX]);
}

#[test]
fn a_wait_on_a_stream_takes_its_value_from_a_list_and_is_left_out_by_another() {
    let mut rig = Rig::new(Made::default());
    rig.set_limit(Duration::from_millis(1));
    let (word, how) = (element::<u64>(2).addr(), Fault::wait_detail::<i32>(Cmp::Eq));
    rig.set_word(0, element(2), 5);
    // A list's neighbours must not count.
    let (values, left_out) = ([6i32, 5, 6], [0i32, 7, 0]);
    let at = |list: &[i32; 3], i: usize| &raw const list[i] as u64;
    let wait = |value, value_at, left_out_at| {
        // SAFETY: **mapped**: the entries are those of the lists above, which nothing changes.
        unsafe { wait_on_stream(rig.shmem(0), word, how, value, value_at, left_out_at) }
    };
    assert_eq!(wait(6, at(&values, 1), 0), Ok(()));
    assert_eq!(wait(5, 0, at(&left_out, 0)), Ok(()));
    assert_eq!(wait(6, at(&values, 0), at(&left_out, 1)), Ok(()), "left out");
    let fault = wait(5, at(&values, 0), at(&left_out, 2)).unwrap_err();
    assert_eq!((fault.asked, fault.seen), (6, 5));
}

#[test]
fn single_elements_on_a_stream_go_to_this_pe_and_to_a_remote_one() {
    const WRITE: u32 = 0;
    const PUT: u32 = 1;
    const GET: u32 = 2;
    let rig = Rig::new(Made::default());
    let (there, room) = (element::<u8>(4096), 512);
    for (pe, width) in [0, 1].into_iter().flat_map(|pe| [1usize, 2, 4, 8].map(|width| (pe, width))) {
        let run = |what: u32, there: SymPtr<u8>, here: u64, strides: (usize, usize), count: usize| {
            grid(1, 32, width as u64, || {
                let shmem = rig.shmem(0);
                let (to, from) = strides;
                // SAFETY: **mapped**: the callers keep the arrays whose address they give.
                unsafe { elements_on_stream(shmem, what, there, here, to, from, count, width as u32, Pe::new(pe)) }
                    .unwrap();
            });
        };
        let what = |call: &str| format!("{call} of {width} bytes, PE {pe}");
        rig.set_heap(pe, there, &[0xee; 512]);
        run(WRITE, there.add(width), 0x8877_6655_4433_2211, (1, 1), 1);
        let mut expected = vec![0xee; room];
        expected[width..2 * width].copy_from_slice(&0x8877_6655_4433_2211_u64.to_le_bytes()[..width]);
        assert_eq!(rig.heap(pe, there, room), expected, "{}", what("p"));

        // Memory that is neither symmetric nor registered.
        let count = 20;
        let mut own: Vec<u64> = (0..64).map(|i| i * 0x0101_0101_0101_0101).collect();
        let bytes = |own: &[u64]| own.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>();
        let sent = bytes(&own);
        rig.set_heap(pe, there, &[0xee; 512]);
        run(PUT, there, own.as_mut_ptr() as u64, (3, 2), count);
        let mut expected = vec![0xee; room];
        for i in 0..count {
            expected[3 * i * width..][..width].copy_from_slice(&sent[2 * i * width..][..width]);
        }
        assert_eq!(rig.heap(pe, there, room), expected, "{}", what("iput"));

        let mut got = vec![0u64; 64];
        run(GET, there, got.as_mut_ptr() as u64, (3, 1), count);
        let mut expected = vec![0; room];
        for i in 0..count {
            expected[i * width..][..width].copy_from_slice(&sent[2 * i * width..][..width]);
        }
        assert_eq!(bytes(&got), expected, "{}", what("iget"));
    }
}
