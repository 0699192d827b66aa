//! What a test asks of the NICs of its own process while it runs.
//!
//! Nobody links with this, so that a program finds these functions by name (`dlsym`), where they are preloaded. Each says
//! whether it had a NIC to ask: one is made when the first device is opened.

use crate::nics;

/// Lets a work queue entry fail with this syndrome: the first whose index in its queue pair is at least `wqe`, of the queue
/// pair `qpn`, or of the first that gets so far (0).
#[unsafe(no_mangle)]
extern "C" fn oxshmem_softnic_fail(qpn: u32, wqe: u64, syndrome: u8) -> bool {
    let qpn = (qpn != 0).then_some(qpn);
    nics::with(|provider| provider.inject(oxshmem_softnic::Fault { qpn, wqe, syndrome }))
}

/// Takes the links of all NICs up or down.
#[unsafe(no_mangle)]
extern "C" fn oxshmem_softnic_link(up: bool) -> bool {
    nics::with(|provider| provider.set_links(up))
}

/// Holds all queue pairs back, or lets them go: doorbells are taken, but nothing is started and nothing completes.
#[unsafe(no_mangle)]
extern "C" fn oxshmem_softnic_hold(held: bool) -> bool {
    nics::with(|provider| provider.hold_all(held))
}
