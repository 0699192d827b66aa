//! The host's own operations, on NICs that complete nothing.

use super::*;
use oxshmem_core::host::ErrorKind;
use oxshmem_core::{Remote, SymAddr};
use std::time::Duration;

#[test]
fn a_buffer_that_the_nic_may_still_access_is_not_used_again_before_its_queue_is_gone() {
    let fakes = nics(3);
    let config = IbgdaConfig { wait_limit: Some(Duration::from_millis(5)), ..config() };
    let mut world = World::new(&config, &fakes);
    world.make_default_rows().into_iter().for_each(Result::unwrap);
    let before = fakes[0].open_objects();
    let at = |pe| Remote { pe: Pe::new(pe), at: SymAddr::new(0) };
    let fault = world.pes[0].get(&mut [0; 8], at(1)).unwrap_err();
    assert_eq!((fault.kind(), fault.pe()), (ErrorKind::Timeout, Some(Pe::new(1))));
    let mut faults = vec![fault.to_string()];
    assert_eq!(fakes[0].open_objects(), before, "the NIC may still write what was read: nothing is given back");
    let fault = world.pes[0].put(at(2), &[1; 8]).unwrap_err();
    assert_eq!(fault.pe(), Some(Pe::new(2)));
    faults.push(fault.to_string());
    assert_eq!(fakes[0].open_objects(), before + 1, "and what goes to another PE goes through other memory");
    for (pe, fault) in (1..).zip(faults) {
        // A later entry's fault would name its own index.
        assert_eq!(world.pes[0].put(at(pe), &[1; 8]).unwrap_err().to_string(), fault);
    }
    assert_eq!(fakes[0].open_objects(), before + 1, "a queue that has stopped takes nothing more");
    drop(world);
    assert_eq!(fakes[0].open_objects(), 0);
}
