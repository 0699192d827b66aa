//! Control of the NICs by a test in the same process, while it runs.
//!
//! Programs do not link with this library; they look these functions up by name (`dlsym`) when it is preloaded. Each
//! function returns whether there was a NIC: NICs are created when the first device is opened.

use crate::nics;

/// Makes a work queue entry fail with this syndrome: the first whose index in its queue pair is at least `wqe`, on
/// queue pair `qpn`, or on the first that reaches the index (0).
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

/// Holds all queue pairs, or releases them. Held queue pairs take doorbells, but start and complete nothing.
#[unsafe(no_mangle)]
extern "C" fn oxshmem_softnic_hold(held: bool) -> bool {
    nics::with(|provider| provider.hold_all(held))
}
