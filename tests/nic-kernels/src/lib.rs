//! A NIC on the GPU that only completes, and kernels that post to it.
//!
//! The *sink* is a kernel of one block that stays on one multiprocessor. For each queue it watches a doorbell word in
//! the GPU's memory, and when the word changes it writes a completion for all that was posted, as fast as it can. It
//! moves no data. What threads post against it is bounded by the posting code, as long as the sink keeps up; how far it
//! does is measured by [`by_hand`], which posts with next to no code.
//!
//! It takes nothing but a [`table`] of addresses, so that whoever lays out queues in another way can be measured
//! against the same engine, from the same PTX.
#![cfg_attr(target_arch = "nvptx64", no_std, feature(abi_ptx))]

pub mod by_hand;
pub mod check;
pub mod post;
pub mod resident;
pub mod sink;
pub mod table;
pub mod time;
mod wire;
