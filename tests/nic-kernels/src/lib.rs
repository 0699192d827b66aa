//! A NIC on the GPU that only completes, and kernels that post to it.
//!
//! The *sink* is a kernel of one block that stays on one multiprocessor. For each queue it polls a doorbell word in GPU
//! memory. When the word changes, it writes a completion for everything that was posted, as fast as it can. It moves no
//! data, so that the posting code bounds the measured rate as long as the sink keeps up. [`by_hand`], which posts with
//! almost no code, measures how fast the sink is.
//!
//! The sink takes only a [`table`] of addresses. Libraries with other queue layouts are therefore measured against the
//! same engine, from the same PTX.
#![cfg_attr(target_arch = "nvptx64", no_std, feature(abi_ptx))]

pub mod by_hand;
pub mod check;
pub mod post;
pub mod resident;
pub mod sink;
pub mod table;
pub mod time;
mod wire;
