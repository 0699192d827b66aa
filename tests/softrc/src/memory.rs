//! The memory of work requests: of this process, or of a GPU, where the driver copies.
//!
//! One thread at a time is at the memory of GPUs, so that an atomic is a read and a write which no other access of these
//! devices comes between. A kernel's may, as it may with a real device's. Copies go by a stream of their own, which waits
//! for no kernel, and through pinned memory, so that no kernel is needed for them.

use std::ptr::with_exposed_provenance_mut;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::gpu::cuda::{self, Context, PinnedBytes, Stream};

use crate::lock;

/// Bytes that go at once to or from a GPU.
const BOUNCE: usize = 256 << 10;

/// An address, and whose it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At {
    pub(crate) address: u64,
    /// The ordinal of its GPU; `None`: of this process.
    pub(crate) gpu: Option<u32>,
}

impl At {
    /// Of this process.
    pub(crate) fn host(address: u64) -> Self {
        Self { address, gpu: None }
    }

    /// The aligned 8 bytes around it.
    pub(crate) fn whole(self) -> Self {
        Self { address: self.address & !7, ..self }
    }

    fn add(self, bytes: u64) -> Self {
        Self { address: self.address + bytes, ..self }
    }
}

/// Whose memory `address` is.
pub(crate) fn owner(address: u64) -> Option<u32> {
    // Without a driver there is no other.
    matches!(cuda::device_count(), Ok(1..))
        .then(|| cuda::device_of(address).ok().flatten())
        .flatten()
        .map(|gpu| gpu.ordinal())
}

/// The memory of all GPUs that were met.
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

    /// Copies, and waits until that is done.
    fn move_bytes(&self, to: u64, from: u64, bytes: u64) -> Result<()> {
        // SAFETY: both are in ranges that were found to be registered, or in the pinned memory; who races with it reads or
        // writes what is there.
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

    /// Copies in order: each piece is there before the next begins.
    ///
    /// # Errors
    /// The driver can't.
    pub(crate) fn copy(&self, to: At, from: At, bytes: u64) -> Result<()> {
        let (None, None) = (to.gpu, from.gpu) else {
            // Of two GPUs both must be known before the first piece.
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

    /// Lets `change` make of the word what it shall be, and gives back what it was.
    ///
    /// # Errors
    /// The driver can't.
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
    /// The driver can't.
    pub(crate) fn store(&self, at: At, value: u64, bytes: u64) -> Result<()> {
        let value = value.to_le();
        self.copy(at, At::host((&raw const value).expose_provenance() as u64), bytes)
    }

    /// Whether memory of this kind can be reached.
    ///
    /// # Errors
    /// The driver says why not.
    pub(crate) fn meet(&self, gpu: Option<u32>) -> Result<()> {
        let Some(ordinal) = gpu else { return Ok(()) };
        self.with(ordinal, |_, _| Ok(())).map_err(|error| {
            Error::new(ErrorKind::Unreachable, format!("let software verbs reach GPU {ordinal}"))
                .because(error.to_string())
        })
    }
}

fn word<'a>(at: u64) -> &'a AtomicU64 {
    // SAFETY: in registered memory, aligned, and live while it is registered; others use it as atomics too.
    unsafe { AtomicU64::from_ptr(with_exposed_provenance_mut(at as usize)) }
}

/// Copies, in pieces as large as both ends and what is left are aligned, each behind those before.
fn copy_on_host(to: u64, from: u64, bytes: u64) {
    macro_rules! piece {
        ($atomic:ident, $to:expr, $from:expr) => {{
            // SAFETY: as for `word`: both are in ranges that were found to be registered, or in a work request.
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
