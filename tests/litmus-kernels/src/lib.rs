//! The kernels of the litmus tests: orderings that programs rely on, watched over many rounds.
//!
//! Each kernel stays on the device for thousands of rounds. What a round sends, how much, and from and to which
//! alignment, follows from the seed and the round's number, on both sides alike; who is told that it is there checks
//! every byte at once. What is wrong is counted, and the first of it is kept.

#![cfg_attr(target_arch = "nvptx64", no_std, feature(abi_ptx))]
pub mod barrier;
pub mod draw;
pub mod fetch;
pub mod message;
pub mod place;
pub mod race;
pub mod relay;
pub mod words;
