//! The memory that work requests access: this process's, or a GPU's, which the driver copies.
//!
//! One thread at a time accesses memory of GPUs, so that no other access by these devices comes between the read and
//! the write of an atomic. Accesses by kernels can come between them, as with a real device. Copies use a stream of
//! their own and pinned memory, so that they wait for no kernel.

use std::ptr::with_exposed_provenance_mut;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::gpu::cuda::{self, Context, PinnedBytes, Stream};

use crate::lock;

/// Bytes of one copy to or from a GPU.
const BOUNCE: usize = 256 << 10;

/// An address, and the location of its memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At {
    pub(crate) address: u64,
    /// The ordinal of its GPU; `None`: it is memory of this process.
    pub(crate) gpu: Option<u32>,
}

impl At {
    /// Returns an address of this process.
    pub(crate) fn host(address: u64) -> Self {
        Self { address, gpu: None }
    }

    /// Returns the aligned 8 bytes around it.
    pub(crate) fn whole(self) -> Self {
        Self { address: self.address & !7, ..self }
    }

    fn add(self, bytes: u64) -> Self {
        Self { address: self.address + bytes, ..self }
    }
}

/// Access to the memory of all GPUs in use.
#[derive(Debug, Default)]
pub(crate) struct Gpus(Mutex<Vec<Gpu>>);

#[derive(Debug)]
struct Gpu {
    ordinal: u32,
    stream: Stream,
    bounce: PinnedBytes,
}

impl Gpu {
    fn new(ordinal: u32) -> Result<Self> {
        let context = Context::primary(cuda::Device::get(ordinal)?)?;
        let stream = Stream::new(&context)?;
        Ok(Self { ordinal, stream, bounce: PinnedBytes::zeroed(&context, BOUNCE)? })
    }

    fn bounce(&self) -> u64 {
        self.bounce.host().as_ptr().expose_provenance() as u64
    }

    /// Copies bytes, and waits for the end of the copy.
    fn move_bytes(&self, to: u64, from: u64, bytes: u64) -> Result<()> {
        // SAFETY: both ranges are registered, or in the pinned memory, and mapped until they are deregistered. Racing
        // accesses see old or new bytes, as with a device.
        unsafe { cuda::copy::anywhere_on(&self.stream, to, from, bytes as usize) }?;
        self.stream.synchronize()
    }
}

impl Gpus {
    fn with<T>(&self, ordinal: u32, act: impl FnOnce(&[Gpu], &Gpu) -> Result<T>) -> Result<T> {
        let mut gpus = lock(&self.0);
        if !gpus.iter().any(|gpu| gpu.ordinal == ordinal) {
            gpus.push(Gpu::new(ordinal)?);
        }
        let gpu = gpus.iter().find(|gpu| gpu.ordinal == ordinal).expect("it was just made");
        act(&gpus, gpu)
    }

    /// Copies in order: each piece is complete before the next begins.
    ///
    /// # Errors
    /// The driver fails.
    pub(crate) fn copy(&self, to: At, from: At, bytes: u64) -> Result<()> {
        let (None, None) = (to.gpu, from.gpu) else {
            // With two GPUs, both must be initialized before the first piece.
            to.gpu.map_or(Ok(()), |ordinal| self.with(ordinal, |_, _| Ok(())))?;
            return self.with(from.gpu.or(to.gpu).expect("one is a GPU's"), |gpus, gpu| {
                let (mut at, bounce) = (0, gpu.bounce());
                while at < bytes {
                    let piece = (bytes - at).min(BOUNCE as u64);
                    match from.gpu {
                        Some(_) => gpu.move_bytes(bounce, from.add(at).address, piece)?,
                        None => copy_on_host(bounce, from.add(at).address, piece),
                    }
                    match to.gpu {
                        Some(ordinal) => {
                            let theirs = gpus.iter().find(|gpu| gpu.ordinal == ordinal).unwrap_or(gpu);
                            theirs.move_bytes(to.add(at).address, bounce, piece)?;
                        }
                        None => copy_on_host(to.add(at).address, bounce, piece),
                    }
                    at += piece;
                }
                Ok(())
            });
        };
        copy_on_host(to.address, from.address, bytes);
        Ok(())
    }

    /// Replaces 8 bytes by `change` of their value, atomically. Returns their previous value.
    ///
    /// # Errors
    /// The driver fails.
    pub(crate) fn update(&self, at: At, change: impl Fn(u64) -> Option<u64>) -> Result<u64> {
        let Some(ordinal) = at.gpu else {
            let word = word(at.address);
            return Ok(word.fetch_update(Ordering::SeqCst, Ordering::SeqCst, change).unwrap_or_else(|was| was));
        };
        self.with(ordinal, |_, gpu| {
            let bounce = &gpu.bounce.words_u64()[0];
            gpu.move_bytes(gpu.bounce(), at.address, 8)?;
            let was = bounce.load(Ordering::Acquire);
            if let Some(now) = change(was) {
                bounce.store(now, Ordering::Release);
                gpu.move_bytes(at.address, gpu.bounce(), 8)?;
            }
            Ok(was)
        })
    }

    /// Stores the low `bytes` bytes of a word: 2, 4 or 8.
    ///
    /// # Errors
    /// The driver fails.
    pub(crate) fn store(&self, at: At, value: u64, bytes: u64) -> Result<()> {
        let value = value.to_le();
        self.copy(at, At::host((&raw const value).expose_provenance() as u64), bytes)
    }

    /// Checks that memory of a GPU can be reached.
    ///
    /// # Errors
    /// `Unreachable`, with the driver's reason.
    pub(crate) fn meet(&self, gpu: Option<u32>) -> Result<()> {
        let Some(ordinal) = gpu else { return Ok(()) };
        self.with(ordinal, |_, _| Ok(())).map_err(|error| {
            Error::new(ErrorKind::Unreachable, format!("let software verbs reach GPU {ordinal}"))
                .because(error.to_string())
        })
    }
}

fn word<'a>(at: u64) -> &'a AtomicU64 {
    // SAFETY: callers pass an aligned address in registered memory, which stays mapped while it is registered, and
    // which all users access by atomics.
    unsafe { AtomicU64::from_ptr(with_exposed_provenance_mut(at as usize)) }
}

/// Copies in order, in pieces as large as the alignment of both ends and the rest of the length allow.
fn copy_on_host(to: u64, from: u64, bytes: u64) {
    macro_rules! piece {
        ($atomic:ident, $to:expr, $from:expr) => {{
            // SAFETY: both addresses are aligned to the type by `fits`, and in ranges that are registered, in pinned
            // memory, or in a work request, all of which outlive the copy; all users access them by atomics.
            let (to, from) = unsafe {
                (
                    $atomic::from_ptr(with_exposed_provenance_mut($to as usize)),
                    $atomic::from_ptr(with_exposed_provenance_mut($from as usize)),
                )
            };
            to.store(from.load(Ordering::Acquire), Ordering::Release)
        }};
    }
    let mut at = 0;
    while at < bytes {
        let fits = |size: u64| (to + at).is_multiple_of(size) && (from + at).is_multiple_of(size) && bytes - at >= size;
        at += match () {
            () if fits(8) => {
                piece!(AtomicU64, to + at, from + at);
                8
            }
            () if fits(4) => {
                piece!(AtomicU32, to + at, from + at);
                4
            }
            () if fits(2) => {
                piece!(AtomicU16, to + at, from + at);
                2
            }
            () => {
                piece!(AtomicU8, to + at, from + at);
                1
            }
        };
    }
}
