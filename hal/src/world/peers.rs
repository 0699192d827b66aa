//! The PEs of this host that a PE's GPU can map, and the kind of access to each.

use oxshmem_core::Pe;
use oxshmem_raw::gpu::cuda::{self, Device};
use oxshmem_raw::memory::Memory;

use crate::control::Control;

/// The identity of a GPU.
pub(super) type Uuid = [u8; 16];

/// A PE's knowledge of its peers before it maps anything.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Peers {
    /// By PE, whether its memory can be mapped.
    pub(super) mappable: Vec<bool>,
    /// By PE, the reason why its memory can't be mapped, if it is known.
    pub(super) reasons: Vec<Option<String>>,
    /// Notes for the user on the PEs that can be mapped.
    pub(super) notes: Vec<String>,
}

/// The access from one GPU to another, as the driver reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PeerAccess {
    /// Unknown: this process does not see one of the GPUs. The attempt to map the memory decides.
    Unknown,
    None,
    NoAtomics,
    Whole,
}

impl Peers {
    /// Asks the driver about each PE of this host. `uuids` has, by PE, the GPU on which it runs.
    pub(super) fn find(memory: &Memory, control: &Control, uuids: &[Option<Uuid>]) -> Self {
        let visible = match memory {
            Memory::Host => Vec::new(),
            Memory::Gpu(_) => visible_devices(),
        };
        let mut peers = Self::default();
        for (pe, uuid) in (0..).map(Pe::new).zip(uuids) {
            let theirs = visible.iter().find(|(seen, _)| Some(seen) == uuid.as_ref()).map(|(_, device)| device);
            match (memory, theirs) {
                (Memory::Gpu(context), Some(theirs)) if control.same_host(pe) => {
                    let mine = context.device();
                    peers.add(control.pe(), pe, link(&mine, theirs), &mine.to_string(), &theirs.to_string());
                }
                _ => peers.push(control.same_host(pe), None),
            }
        }
        peers
    }

    fn add(&mut self, me: Pe, pe: Pe, link: PeerAccess, mine: &str, theirs: &str) {
        let refused = (link == PeerAccess::None).then(|| {
            format!("{mine}, this PE's, can't reach the memory of {theirs}: the driver has no way between them")
        });
        self.push(link != PeerAccess::None, refused);
        // Only one PE of a pair reports it.
        if link == PeerAccess::NoAtomics && me.number() < pe.number() {
            self.notes.push(format!(
                "atomics between {mine} (PE {me_number}) and {theirs} (PE {pe_number}) are not native: the link between \
                 them has none, and what several PEs do to one word at the same time may be lost",
                me_number = me.number(),
                pe_number = pe.number(),
            ));
        }
    }

    fn push(&mut self, mappable: bool, reason: Option<String>) {
        self.mappable.push(mappable);
        self.reasons.push(reason);
    }
}

fn visible_devices() -> Vec<(Uuid, Device)> {
    (0..cuda::device_count().unwrap_or(0))
        .filter_map(|ordinal| Device::get(ordinal).ok())
        .filter_map(|device| Some((device.uuid().ok()?, device)))
        .collect()
}

/// Asks the driver about the access from one GPU to another. An access that it can't report may still work.
fn link(mine: &Device, theirs: &Device) -> PeerAccess {
    match (mine.can_access_peer(theirs), mine.native_atomics_with(theirs)) {
        (Ok(false), _) => PeerAccess::None,
        (Ok(true), Ok(true)) => PeerAccess::Whole,
        (Ok(true), Ok(false)) => PeerAccess::NoAtomics,
        _ => PeerAccess::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(me: u32, links: &[PeerAccess]) -> Peers {
        let mut peers = Peers::default();
        for (pe, &link) in (0..).zip(links) {
            peers.add(Pe::new(me), Pe::new(pe), link, &format!("GPU {me}"), &format!("GPU {pe}"));
        }
        peers
    }

    #[test]
    fn a_gpu_that_the_driver_does_not_reach_is_not_mapped_and_the_reason_names_both() {
        let peers = of(0, &[PeerAccess::Whole, PeerAccess::None, PeerAccess::Unknown]);
        assert_eq!(peers.mappable, [true, false, true]);
        let reason = peers.reasons[1].as_deref().unwrap();
        assert!(reason.contains("GPU 0") && reason.contains("GPU 1"), "{reason}");
        assert_eq!((&peers.reasons[0], &peers.reasons[2], peers.notes.len()), (&None, &None, 0));
    }

    #[test]
    fn of_two_gpus_without_native_atomics_one_tells() {
        let links = [PeerAccess::Whole, PeerAccess::NoAtomics];
        let peers = of(0, &links);
        assert_eq!(peers.mappable, [true, true]);
        assert!(peers.notes[0].contains("GPU 0 (PE 0) and GPU 1 (PE 1) are not native"), "{:?}", peers.notes);
        assert_eq!(of(1, &[PeerAccess::NoAtomics, PeerAccess::Whole]).notes.len(), 0);
    }
}
