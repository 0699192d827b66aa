//! A transport with a device half of its own, in a crate outside oxshmem.
//!
//! A kernel writes a request into a slot in host memory. A thread of its PE, the *courier*, executes the request by
//! copies between this PE's memory and the peers' heaps, which it maps, and writes the answer into the slot. Every
//! operation is complete when the kernel's call returns, so fence and quiet have nothing to do. It is simple, not fast.
//!
//! | file | contents |
//! |---|---|
//! | `state` | the shared part of both halves: the slots, and the state of each mailbox |
//! | `device` | the half that kernels run: a mailbox as a `RemoteQueue`, the path |
//! | `host` | the half that programs link: the factory, the courier's thread, copies and atomics |
//!
//! A slot's *turn* gives its owner, and only grows. Index `i` of a mailbox uses slot `i % DEPTH` in round `i / DEPTH`:
//!
//! | turn | the slot is | next step |
//! |---|---|---|
//! | `3 * round` | free | the thread that reserved `i` writes the request, then `3 * round + 1` |
//! | `3 * round + 1` | requested | the courier executes the request, writes the answer, then `3 * round + 2` |
//! | `3 * round + 2` | answered | the thread reads the answer, then writes `3 * (round + 1)` |
//!
//! Each step ends in a release store at system scope and begins with an acquire load of it, so that a step sees all
//! memory that the step before has written, in the slot and elsewhere.
#![cfg_attr(target_arch = "nvptx64", no_std)]

pub mod device;
#[cfg(feature = "host")]
mod host;
pub mod state;
