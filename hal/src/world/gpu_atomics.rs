//! Atomics of the host on words of GPUs that load/store reaches. No processor can perform them, so a kernel of one
//! thread does, and writes the word's previous bits to memory of the host.

use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use oxshmem_core::host::{Error, ErrorKind, HostAmo, Result};
use oxshmem_core::{Pe, Remote};
use oxshmem_raw::gpu::cuda::PinnedBytes;

use super::World;
use crate::stream::StreamState;

/// Looks at the answer between two looks at the clock and at the stream.
const LOOKS: u32 = 256;

/// The stream and the memory of these atomics. A PE performs one at a time, and makes both at its first one.
#[derive(Debug, Default)]
pub(super) struct GpuAtomics(Mutex<Option<Means>>);

#[derive(Debug)]
struct Means {
    /// A stream of its own, so that no work of the program comes before the kernel.
    stream: StreamState,
    /// The number of the last atomic that a kernel has performed, and the previous bits of its word.
    answer: PinnedBytes,
    /// The number of the last atomic.
    number: u64,
}

impl World {
    /// Returns whether a kernel must perform the atomics of this host on words of `pe`.
    pub(super) fn needs_kernel_for_atomics(&self, pe: Pe) -> bool {
        !self.on_host() && self.is_load_store(pe)
    }

    /// Performs an atomic by a kernel, and returns the word's previous bits. The word is of a load/store PE.
    ///
    /// # Errors
    /// There are no kernels; the kernel could not run, or did not end within the world's limit.
    pub(super) fn atomic_by_kernel(&self, word: Remote, what: HostAmo) -> Result<u64> {
        if !self.has_stream_kernels() {
            self.load_collectives()?;
        }
        let kernel = &self.kernels_for("an atomic of the host")?.atomic;
        let mut means = self.gpu_atomics.0.lock().unwrap_or_else(PoisonError::into_inner);
        let means = match &mut *means {
            Some(means) => means,
            none => none.insert(Means {
                stream: self.streams.make(&self.machine.memory)?,
                answer: PinnedBytes::zeroed(self.gpu_context("memory")?, 2 * size_of::<u64>())?,
                number: 0,
            }),
        };
        means.number += 1;
        let code = what.op as u32 | (what.of as u32) << 8;
        let args = (code, word.at, word.pe, what.operand, what.compare, means.answer.device(), means.number);
        self.run_own(&means.stream, kernel, 1, args)?;
        self.await_answer(means, word.pe)
    }

    /// Waits for the answer of the last kernel, which begins when the GPU has room for it.
    fn await_answer(&self, means: &Means, pe: Pe) -> Result<u64> {
        let (words, start) = (means.answer.words_u64(), Instant::now());
        loop {
            for _ in 0..LOOKS {
                if words[0].load(Ordering::Acquire) == means.number {
                    return Ok(words[1].load(Ordering::Relaxed));
                }
                std::hint::spin_loop();
            }
            // A kernel that has crashed writes no answer.
            let asked = means.stream.gpu().map_or(Ok(true), |stream| stream.query());
            self.check_given(asked.map(drop))?;
            if self.config.wait_limit.is_some_and(|limit| start.elapsed() > limit) {
                return Err(Error::new(ErrorKind::Timeout, format!("do an atomic of the host to a word of {pe}"))
                    .because(format!("its kernel did not end within {:?}", start.elapsed()))
                    .hint("leave room on the GPU of this PE for a kernel of one thread, or set OXSHMEM_WAIT_LIMIT")
                    .about(self.me));
            }
            std::thread::yield_now();
        }
    }
}
