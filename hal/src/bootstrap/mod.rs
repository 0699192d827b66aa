//! The PEs of one world find each other and form a tree, without MPI.
//!
//! The PEs meet at a *root*, a thread of PE 0's process. Each PE keeps one TCP connection to its parent in the tree as
//! long as the world lives; [`Control`](crate::control::Control) makes collective calls through them. A PE proves that
//! it knows the world's secret before another PE reads anything else from its connection.
//!
//! # What a launcher must provide
//!
//! | started by | PE and number of PEs from | the PEs meet |
//! |---|---|---|
//! | `cargo xtask run`, any [`Launcher`](crate::launcher::Launcher) | `OXSHMEM_PE`, `OXSHMEM_N_PES` | by `OXSHMEM_UID` (and `OXSHMEM_ROOT_FD` on PE 0) |
//! | `mpirun` on one host | `OMPI_COMM_WORLD_*`, `PMI_*`, `PMIX_RANK` | by a file private to this user, [`Rendezvous`] |
//! | `srun` on one host | `SLURM_PROCID`, `SLURM_STEP_NUM_TASKS` or `SLURM_NTASKS` | by a file |
//! | `torchrun` on one host | `RANK`, `WORLD_SIZE` | by a file |
//! | `srun` on several hosts | as above | at the first host of `SLURM_STEP_NODELIST`; needs `OXSHMEM_SECRET` |
//! | `torchrun` on several hosts | as above | at `MASTER_ADDR`, port `MASTER_PORT` + 1; needs `OXSHMEM_SECRET` |
//! | `mpirun` on several hosts | as above | at `OXSHMEM_ROOT`; needs `OXSHMEM_SECRET` too |
//!
//! If the launcher offers PMIx (`mpirun` and `srun --mpi=pmix` set `PMIX_NAMESPACE` and `PMIX_SERVER_URI*`) and libpmix
//! can be opened, the PE number, the number of PEs and the meeting point come from PMIx instead. PE 0 publishes its
//! addresses and a fresh secret there, so the user sets nothing, on one host or several. `OXSHMEM_BOOTSTRAP` (`env`,
//! `pmix`) chooses.
//!
//! `OXSHMEM_UID` (256 hexadecimal digits) takes precedence over all other meeting points, followed by `OXSHMEM_ROOT`
//! (`host:port`) with `OXSHMEM_SECRET` (64 hexadecimal digits). `OXSHMEM_PE` and `OXSHMEM_N_PES` take precedence over
//! the launcher's numbers.

pub(crate) mod addresses;
pub(crate) mod connection;
pub(crate) mod frame;
pub(crate) mod meeting;
pub(crate) mod tree;

pub use connection::{Traffic, traffic};
pub use frame::{MAX_BLOB_BYTES, MAX_STEP_BYTES};
pub use meeting::maker::IdMaker;
pub use meeting::uid::{Rendezvous, Secret, UniqueId};
pub use meeting::{BootstrapConfig, RootAt};
pub use tree::FAN_OUT;

/// The largest number of PEs in one world. The next number is `PE_ALL` in the C interface.
pub const MAX_PES: u32 = (1 << 15) - 1;
