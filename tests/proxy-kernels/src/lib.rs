//! Kernels that ask proxies: puts at full rate, lone ones whose post is waited for, and a word that goes to the host and
//! back.
#![cfg_attr(target_arch = "nvptx64", no_std, feature(abi_ptx))]

pub mod ask;
