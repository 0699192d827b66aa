//! The control plane between the PEs of one world, without MPI.
//!
//! The PEs meet at a *root*, a thread of PE 0's process: each keeps one TCP connection to it as long as the world
//! lives, and whatever is collective goes through it. [`Control`] is one PE's handle. A connection proves that it
//! knows the world's secret before anything else it says is read; a connection that ends before its PE
//! [left](Control::leave) is a death, which all others are told.
//!
//! # What a launcher must provide
//!
//! | started by | PE and number of PEs from | the PEs meet |
//! |---|---|---|
//! | `cargo xtask run`, any [`Launcher`] | `OXSHMEM_PE`, `OXSHMEM_N_PES` | by `OXSHMEM_UID` (and `OXSHMEM_ROOT_FD` on PE 0) |
//! | `mpirun` on one host | `OMPI_COMM_WORLD_*`, `PMI_*`, `PMIX_RANK` | by a file of this user's, [`Rendezvous`] |
//! | `srun` on one host | `SLURM_PROCID`, `SLURM_STEP_NUM_TASKS` or `SLURM_NTASKS` | by a file |
//! | `torchrun` on one host | `RANK`, `WORLD_SIZE` | by a file |
//! | `srun` on several hosts | as above | at the first host of `SLURM_STEP_NODELIST`; needs `OXSHMEM_SECRET` |
//! | `torchrun` on several hosts | as above | at `MASTER_ADDR`, port `MASTER_PORT` + 1; needs `OXSHMEM_SECRET` |
//! | `mpirun` on several hosts | as above | at `OXSHMEM_ROOT`; needs `OXSHMEM_SECRET` too |
//!
//! Where the launcher offers PMIx (`PMIX_NAMESPACE` and `PMIX_SERVER_URI*`, which `mpirun` and `srun --mpi=pmix` set) and
//! libpmix can be opened, number, size and place come from there instead: PE 0 lays out its addresses and a fresh secret,
//! and nothing need be set, on one host or several. `OXSHMEM_BOOTSTRAP` (`env`, `pmix`) chooses.
//!
//! `OXSHMEM_UID` (256 hexadecimal digits) goes before all others; then `OXSHMEM_ROOT` (`host:port`) with
//! `OXSHMEM_SECRET` (64 hexadecimal digits). `OXSHMEM_PE` and `OXSHMEM_N_PES` go before the launcher's numbers.

mod calls;
mod collective;
mod connection;
mod control;
pub mod detect;
mod fds;
mod handshake;
mod launcher;
mod meeting;
mod pmix;
mod root;
mod uid;

pub use connection::{MAX_BLOB_BYTES, MAX_STEP_BYTES};
pub use control::Control;
pub use fds::MAX_FDS;
pub use launcher::Launcher;
pub use meeting::{BootstrapConfig, Rendezvous, RootAt};
pub use uid::{Secret, UniqueId};

/// The most PEs of one world: the number above is `PE_ALL` at the C edge.
pub const MAX_PES: u32 = (1 << 15) - 1;
