//! Registered memory, and the words of it that messages change.

use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use oxshmem_core::{AmoOp, AmoType};
use oxshmem_rdma::fabric::AtomicRequest;

use super::domain::Object;
use super::ffi::fid_mr;

/// A registration; gone when it is dropped.
#[derive(Debug)]
pub(crate) struct Registered {
    mr: Object<fid_mr>,
    /// Bytes to subtract from an address so that the peer's operations name it: 0, or the address of the region.
    pub(crate) base: u64,
    /// Address and number of the bytes.
    at: u64,
    bytes: u64,
}

/// The reason why a word can't be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoWord {
    /// Some of its bytes are not in the registration.
    Outside,
    /// It is not aligned to its size.
    Misaligned,
    /// There is no such atomic.
    Unknown,
}

/// Returns the bytes of a type's word, if atomics on it are carried.
pub(crate) const fn size(of: AmoType) -> Option<u32> {
    match of {
        AmoType::B32 | AmoType::F32 => Some(4),
        AmoType::B64 | AmoType::F64 => Some(8),
        AmoType::F16 => None,
    }
}

impl Registered {
    /// Takes a registration of `bytes` bytes at `at`, whose addresses peers count from `base`.
    ///
    /// # Safety
    ///
    /// - **mapped**: the memory stays mapped, for reads and writes, until the registration is dropped.
    pub(super) unsafe fn new(mr: Object<fid_mr>, base: u64, at: u64, bytes: u64) -> Self {
        Self { mr, base, at, bytes }
    }

    /// Returns the key that a peer's operations name.
    pub(crate) fn key(&self) -> u64 {
        // SAFETY: **live**: this value holds the registration, whose key does not change.
        unsafe { (*self.mr.ptr()).key }
    }

    /// Returns the descriptor that this side's operations name.
    pub(crate) fn descriptor(&self) -> *mut c_void {
        // SAFETY: **live**: this value holds the registration, whose descriptor does not change.
        unsafe { (*self.mr.ptr()).mem_desc }
    }

    /// Reports whether all of `bytes` bytes from address `at` on are registered.
    pub(crate) fn contains(&self, at: u64, bytes: u32) -> bool {
        at.checked_sub(self.at).and_then(|offset| offset.checked_add(bytes.into())).is_some_and(|end| end <= self.bytes)
    }

    /// Changes the word that a peer calls `remote`, and returns its previous value. The change is atomic with all other
    /// atomics of this machine's processors.
    pub(crate) fn change(&self, remote: u64, atomic: &AtomicRequest) -> Result<u64, NoWord> {
        let bytes = size(atomic.of).ok_or(NoWord::Unknown)?;
        let at = remote.checked_add(self.base).ok_or(NoWord::Outside)?;
        if !self.contains(at, bytes) {
            return Err(NoWord::Outside);
        }
        if !at.is_multiple_of(bytes.into()) {
            return Err(NoWord::Misaligned);
        }
        Ok(match bytes {
            // SAFETY: **mapped** of `new`; the word is aligned and inside, as was checked. Others access it by atomics,
            // or by the writes and reads of libfabric and of kernels, which are not Rust's.
            4 => change_32(unsafe { AtomicU32::from_ptr(at as *mut u32) }, atomic).into(),
            // SAFETY: **mapped** of `new`; the word is aligned and inside, as was checked. Others access it by atomics,
            // or by the writes and reads of libfabric and of kernels, which are not Rust's.
            _ => change_64(unsafe { AtomicU64::from_ptr(at as *mut u64) }, atomic),
        })
    }

    /// Stores a fetched word of `bytes` bytes, 4 or 8, at address `at`. Returns whether all of it is registered.
    pub(crate) fn store(&self, at: u64, bytes: u32, word: u64) -> bool {
        if !self.contains(at, bytes) {
            return false;
        }
        match bytes {
            // SAFETY: **mapped** of `new`, and the bytes are inside. The transport keeps them unused until the
            // completion of the atomic, so that no other thread accesses them.
            4 => unsafe { (at as *mut u32).write_unaligned(word as u32) },
            // SAFETY: **mapped** of `new`, and the bytes are inside. The transport keeps them unused until the
            // completion of the atomic, so that no other thread accesses them.
            8 => unsafe { (at as *mut u64).write_unaligned(word) },
            _ => return false,
        }
        true
    }
}

macro_rules! change {
    ($name:ident, $word:ty, $atomic:ty, $float:ty, $is_float:pat) => {
        /// Changes a word and returns its previous value. All but the addition of floats are operations on integers.
        fn $name(word: &$atomic, request: &AtomicRequest) -> $word {
            let operand = request.operand as $word;
            match (request.op, request.of) {
                (AmoOp::Fetch, _) => word.load(Ordering::SeqCst),
                (AmoOp::Set, _) => word.swap(operand, Ordering::SeqCst),
                (AmoOp::CompareSwap, _) => {
                    let (compare, order) = (request.compare as $word, Ordering::SeqCst);
                    word.compare_exchange(compare, operand, order, order).unwrap_or_else(|found| found)
                }
                (AmoOp::Add, $is_float) => {
                    let sum = |was| Some((<$float>::from_bits(was) + <$float>::from_bits(operand)).to_bits());
                    word.fetch_update(Ordering::SeqCst, Ordering::SeqCst, sum).unwrap_or_else(|found| found)
                }
                (AmoOp::Add, _) => word.fetch_add(operand, Ordering::SeqCst),
                (AmoOp::And, _) => word.fetch_and(operand, Ordering::SeqCst),
                (AmoOp::Or, _) => word.fetch_or(operand, Ordering::SeqCst),
                (AmoOp::Xor, _) => word.fetch_xor(operand, Ordering::SeqCst),
            }
        }
    };
}
change!(change_32, u32, AtomicU32, f32, AmoType::F32);
change!(change_64, u64, AtomicU64, f64, AmoType::F64);
