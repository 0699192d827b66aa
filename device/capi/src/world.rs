//! The world of a C program.
//!
//! The state is in constant memory of the module, so that a kernel reads it without a load from memory. The host writes
//! these variables:
//!
//! | variable | bytes | content |
//! |---|---|---|
//! | `oxshmem_world` | 160 | the [`WorldState`], with the module's paths in the module's order |
//! | `oxshmem_teams` | 16 | the address of the [`TeamParts`] by team number, and their count |
//!
//! The first has the name `oxshmem_load_store_world` in a library for loads and stores alone.
//!
//! Before that it reads `oxshmem_version` (8 bytes: major << 32 | minor << 16 | patch) and `OXSHMEM_ABI` (the
//! [`Abi`](oxshmem_raw::state::abi::Abi)).
//!
//! [`WorldState`]: oxshmem_raw::state::WorldState
//! [`TeamParts`]: oxshmem_raw::state::team::TeamParts

use oxshmem_device_api::{NoRemote, Shmem};

/// A world whose PEs are all reached by loads and stores.
pub(crate) type LoadStore = Shmem<'static, NoRemote>;
/// A world with remote PEs.
pub(crate) type Any = oxshmem_device::Shmem<'static>;

cfg_if::cfg_if! {
    if #[cfg(target_arch = "nvptx64")] {
        mod constants;
        pub(crate) use constants::{teams, world};
    } else {
        mod host;
        pub use host::enter;
        pub(crate) use host::{teams, world};
    }
}

/// Whether there can be remote PEs.
const REMOTE: bool = cfg!(feature = "remote");

/// Returns the world for calls that use no remote path.
///
/// # Safety
///
/// **initialised**: see the crate.
#[inline(always)]
pub(crate) unsafe fn load_store() -> LoadStore {
    // SAFETY: **live**, **peopled**: by **initialised**.
    unsafe { LoadStore::from_state(world()) }
}

/// Reports whether every PE is reached by loads and stores.
#[inline(always)]
pub(crate) fn all_load_store() -> bool {
    !REMOTE || !world().has_remote()
}

/// Reports whether a PE is reached by loads and stores.
#[inline(always)]
pub(crate) fn reaches(pe: i32) -> bool {
    !REMOTE || world().is_load_store(crate::args::pe(pe))
}
