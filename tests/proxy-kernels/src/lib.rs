//! Kernels that post to proxies: puts at full rate, lone puts whose post is awaited, and a word to the host and back.
#![cfg_attr(target_arch = "nvptx64", no_std, feature(abi_ptx))]

pub mod ask;
