//! Unique ids, by which processes meet.

use std::sync::{Arc, Mutex, PoisonError};

use oxshmem_hal::bootstrap::{IdMaker, RootAt, UniqueId};
use oxshmem_hal::{Error, ErrorKind, Result};

use crate::types::{UniqueIdC, version_of};

/// The most ids that are answered for of which no world has come: in some frameworks each PE makes an id, and all use
/// that of PE 0.
const MOST_KEPT: usize = 8;

/// The ids that this process made. An id has its maker until a world of this process has started by it, or a start as
/// PE 0 has failed. Only the latest ids have makers.
static MADE: Mutex<Vec<(UniqueId, Option<Arc<IdMaker>>)>> = Mutex::new(Vec::new());

/// Returns the meeting point of an id for a PE.
pub(crate) fn meeting_at(id: UniqueId, pe: u32) -> RootAt {
    let made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    match made.iter().find(|(one, _)| *one == id) {
        // PE 0 listens at the address again.
        Some((_, None)) if pe == 0 => RootAt::Id { id, listener: None },
        found => RootAt::Made { id, maker: found.and_then(|(_, maker)| maker.clone()) },
    }
}

/// Makes an id, at whose address this process answers.
pub(crate) fn make_id() -> Result<UniqueId> {
    let interfaces = std::env::var("NVSHMEM_BOOTSTRAP_UID_SOCK_IFNAME").ok();
    let maker = IdMaker::new(interfaces.as_deref())?;
    let id = maker.id().clone();
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    made.push((id.clone(), Some(Arc::new(maker))));
    let mut kept = made.iter_mut().rev().filter(|(_, maker)| maker.is_some());
    if let Some((_, oldest)) = kept.nth(MOST_KEPT) {
        *oldest = None;
    }
    Ok(id)
}

/// Ends the answers for an id by which a world has started, or has failed to start as PE 0.
pub(crate) fn used(id: &UniqueId) {
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    made.iter_mut().filter(|(one, _)| one == id).for_each(|(_, maker)| *maker = None);
}

/// Returns the id as NVSHMEM's struct, which has four bytes less: the id ends in zeros.
pub(crate) fn encode(id: &UniqueId) -> UniqueIdC {
    let mut internal = [0; 124];
    internal.copy_from_slice(&id.to_bytes()[..124]);
    UniqueIdC { version: version_of::<UniqueIdC>(1), internal }
}

/// Reads the id of NVSHMEM's struct.
pub(crate) fn decode(id: &UniqueIdC) -> Result<UniqueId> {
    if id.version != version_of::<UniqueIdC>(1) {
        return Err(Error::new(ErrorKind::InvalidArgument, "read nvshmemx_uniqueid_t").because(format!(
            "its version word is {:#x}, and this library knows {:#x}",
            id.version,
            version_of::<UniqueIdC>(1)
        )));
    }
    let mut bytes = [0; 128];
    bytes[..124].copy_from_slice(&id.internal);
    UniqueId::from_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_survives_nvshmems_struct_and_few_sockets_are_kept() {
        let id = make_id().unwrap();
        let mut passed = encode(&id);
        assert!(decode(&passed).unwrap() == id);
        let answers = |id: &UniqueId| matches!(meeting_at(id.clone(), 0), RootAt::Made { maker: Some(_), .. });
        assert!(answers(&id), "this process answers for it");
        used(&id);
        assert!(!answers(&id) && matches!(meeting_at(id.clone(), 0), RootAt::Id { listener: None, .. }));
        assert!(matches!(meeting_at(id, 1), RootAt::Made { maker: None, .. }));
        passed.version += 1;
        assert_eq!(decode(&passed).unwrap_err().kind(), ErrorKind::InvalidArgument);
        let empty = UniqueIdC { version: version_of::<UniqueIdC>(1), internal: [0; 124] };
        assert_eq!(decode(&empty).unwrap_err().kind(), ErrorKind::Malformed);

        // One test, since all ids of the process are in one list.
        let ids: Vec<_> = (0..MOST_KEPT + 1).map(|_| make_id().unwrap()).collect();
        assert!(!answers(&ids[0]) && ids[1..].iter().all(answers), "the oldest id's socket is closed");
    }
}
