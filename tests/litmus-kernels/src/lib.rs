//! The kernels of the litmus tests: orderings that programs rely on, watched over many rounds.
//!
//! Each kernel stays on the device for thousands of rounds. Payload, size and alignments of a round follow from the
//! seed and the round's number, equally on both sides; the notified reader checks every byte at once. Errors are
//! counted, and the first is recorded.

#![cfg_attr(target_arch = "nvptx64", no_std, feature(abi_ptx))]
pub mod barrier;
pub mod beside;
pub mod call;
pub mod collectives;
pub mod draw;
pub mod fetch;
pub mod message;
pub mod place;
pub mod race;
pub mod relay;
pub mod replay;
mod trial;
pub mod words;
