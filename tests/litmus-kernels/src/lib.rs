//! The kernels of the litmus tests: orderings that programs rely on, watched over many rounds.
//!
//! Each kernel stays on the device for thousands of rounds. The seed and the round's number determine what a round
//! sends, how much, and from and to which alignment, on both sides alike. A reader that learns that data is there
//! checks every byte at once. Errors are counted, and the first one is kept.

#![cfg_attr(target_arch = "nvptx64", no_std, feature(abi_ptx))]
pub mod barrier;
pub mod draw;
pub mod fetch;
pub mod message;
pub mod place;
pub mod race;
pub mod relay;
pub mod words;
