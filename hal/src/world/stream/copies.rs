//! Remote memory access and signals as work of a stream.

use oxshmem_core::host::{Error, ErrorKind, Reach, Result};
use oxshmem_core::{Count, Element, Pe, Remote, Signal, SignalOp, SymAddr, SymPtr, Symmetric};
use oxshmem_raw::gpu::cuda;
use oxshmem_raw::state::on_stream::{QueueOp, SignalMode};

use super::Stream;
use crate::stream::StreamState;
use crate::world::World;
use crate::world::local_end::LocalEnd;

/// The largest copy, in bytes, that the signal's kernel makes itself. The copy engine, which starts as soon and leaves
/// the multiprocessors free, makes larger copies and all copies without a signal.
const MOST_BY_KERNEL: usize = 64 << 10;

/// A copy of `bytes` bytes on a stream: the other PE's end, and the address of this PE's end.
#[derive(Clone, Copy, Debug)]
pub(super) struct CheckedCopy {
    pub(super) remote: Remote,
    pub(super) own: u64,
    pub(super) bytes: usize,
}

impl Stream<'_> {
    /// Copies `count` elements from this PE's `source` to `dest` on `pe`, as work of a stream; returns at once. `..`
    /// stands for all elements of the slice `dest`. `source` is symmetric, or other memory of this PE's device
    /// ([`DevicePtr`](crate::DevicePtr)).
    ///
    /// Earlier work of the stream is complete when the copy begins, so that a kernel may write `source`. When the
    /// stream continues, `source` may be written again and the data is at `pe`. A reader there learns of it by a signal
    /// ([`put_signal`](Stream::put_signal)) or a barrier
    /// ([`barrier_all`](Stream::barrier_all)).
    ///
    /// # Errors
    /// There is no such PE, either range is outside the heap or longer than its slice, or an earlier kernel has
    /// reported a fault.
    pub fn put<T: Element, D: Symmetric<T>>(
        &self,
        dest: D,
        source: impl LocalEnd<T>,
        count: impl Count<D>,
        pe: Pe,
    ) -> Result<()> {
        let copy = self.world.copy("put", (dest, pe), source, count.or_all(dest.limit()))?;
        self.world.enqueue_put(&self.state, copy, None)
    }

    /// Copies `count` elements from `source` on `pe` to this PE's `dest`, as work of a stream; returns at once. `..`
    /// stands for all elements of the slice `source`.
    ///
    /// When the stream continues, the data is in `dest`.
    ///
    /// # Errors
    /// As [`put`](Stream::put).
    pub fn get<T: Element, S: Symmetric<T>>(
        &self,
        dest: impl LocalEnd<T>,
        source: S,
        count: impl Count<S>,
        pe: Pe,
    ) -> Result<()> {
        let copy = self.world.copy("get", (source, pe), dest, count.or_all(source.limit()))?;
        if copy.bytes == 0 {
            return Ok(());
        }
        let (world, stream) = (self.world, &*self.state);
        let Some(on) = stream.gpu() else {
            let queue = world.host_queue();
            // SAFETY: **mapped**: `copy` has checked the range, or its `DevicePtr` promises it.
            let get = move || unsafe { queue.get(copy.own, copy.remote, copy.bytes) };
            return world.on_host_thread(stream, "get", get);
        };
        if !world.is_load_store(copy.remote.pe) {
            return world.by_queue(stream, "get", QueueOp::Get, copy);
        }
        let from = world.mapped_at(copy)?;
        world.copy_by_engine(on, copy.own, from, copy.bytes)
    }

    /// Copies as [`put`](Stream::put), then gives the signal on `pe`: a reader there that sees the signal also
    /// sees the data. Zero elements make a signal alone.
    ///
    /// On a GPU the signal, with a copy of up to 64 KiB, is a kernel of one block: a kernel of another stream that
    /// waits for it must leave room for it.
    ///
    /// # Errors
    /// As [`put`](Stream::put), for the signal's word too, which may not lie inside the data. `InvalidArgument` on a GPU
    /// without a loaded module, because the signal is a kernel of it.
    pub fn put_signal<T: Element, D: Symmetric<T>>(
        &self,
        dest: D,
        source: impl LocalEnd<T>,
        count: impl Count<D>,
        signal: Signal,
        pe: Pe,
    ) -> Result<()> {
        let name = "put_signal";
        let copy = self.world.copy(name, (dest, pe), source, count.or_all(dest.limit()))?;
        let at = self.world.remote(name, signal.word, 1, pe)?.at.offset();
        let data = copy.remote.at.offset()..copy.remote.at.offset() + copy.bytes as u64;
        if copy.bytes > 0 && at < data.end && data.start < at + 8 {
            return Err(Error::new(
                ErrorKind::InvalidArgument,
                format!("{name} to heap offset {:#x} of {pe}", data.start),
            )
            .because(format!("the signal word at heap offset {at:#x} lies inside the data"))
            .amount(at, data.end, "as heap offset"));
        }
        self.world.enqueue_put(&self.state, copy, Some(signal))
    }

    /// Updates the signal word on `pe` as work of a stream; returns at once. A reader that sees the signal also sees
    /// the earlier puts of this stream.
    ///
    /// # Errors
    /// As [`put_signal`](Stream::put_signal).
    pub fn signal(&self, signal: Signal, pe: Pe) -> Result<()> {
        self.put_signal(signal.word, signal.word, 0, signal, pe)
    }

    /// Completes the stream's earlier puts, and those of its kernels, before its later work.
    ///
    /// If every peer is reached by load/store, the stream's order suffices: later work begins when earlier work is
    /// complete and delivered. If queues carry operations, a kernel waits until they are complete.
    ///
    /// # Errors
    /// An earlier kernel has reported a fault; or, on a GPU with queues, no module was loaded, which would provide the
    /// kernel.
    pub fn quiet(&self) -> Result<()> {
        let (world, stream) = (self.world, &*self.state);
        world.check_fault("put a quiet on a stream")?;
        if !world.has_queues() {
            return Ok(());
        }
        if stream.gpu().is_some() {
            let none = Remote { pe: world.me, at: SymAddr::new(0) };
            return world.by_queue(stream, "quiet", QueueOp::Quiet, CheckedCopy { remote: none, own: 0, bytes: 0 });
        }
        let queue = world.host_queue();
        world.on_host_thread(stream, "quiet", move || queue.quiet())
    }
}

impl World {
    pub(in crate::world) fn is_load_store(&self, pe: Pe) -> bool {
        self.toward(pe).reach(pe) == Reach::LoadStore
    }

    /// Launches the kernel that posts on a queue.
    fn by_queue(&self, stream: &StreamState, name: &str, op: QueueOp, copy: CheckedCopy) -> Result<()> {
        let kernels = self.kernels_for(name)?;
        let there = SymPtr::<u8>::new(copy.remote.at);
        self.run_own(stream, &kernels.queue, 1, (op as u32, there, copy.own, copy.bytes, copy.remote.pe))
    }

    /// Returns a checked copy between `there` on a PE and `here` on this one.
    fn copy<T: Element>(
        &self,
        name: &str,
        (there, pe): (impl Symmetric<T>, Pe),
        here: impl LocalEnd<T>,
        count: usize,
    ) -> Result<CheckedCopy> {
        let (remote, own) = (self.remote(name, there, count, pe)?, here.address(self, name, count)?);
        self.check_fault(format_args!("enqueue `{name}` on a stream"))?;
        Ok(CheckedCopy { remote, own, bytes: count * T::WIDTH.bytes() })
    }

    fn enqueue_put(&self, stream: &StreamState, copy: CheckedCopy, signal: Option<Signal>) -> Result<()> {
        if copy.bytes == 0 && signal.is_none() {
            return Ok(());
        }
        let Some(on) = stream.gpu() else {
            let queue = self.host_queue();
            // SAFETY: **mapped**: `copy` has checked the range, or its `DevicePtr` promises it.
            let put = move || unsafe { queue.put(copy.remote, copy.own, copy.bytes, signal) };
            return self.on_host_thread(stream, "put", put);
        };
        let load_store = self.is_load_store(copy.remote.pe);
        let Some(Signal { word, value, op }) = signal else {
            return match load_store {
                true => self.copy_by_engine(on, self.mapped_at(copy)?, copy.own, copy.bytes),
                false => self.by_queue(stream, "put", QueueOp::Put, copy),
            };
        };
        let kernels = self.kernels_for("put_signal")?;
        let small = copy.bytes <= MOST_BY_KERNEL || !load_store;
        if !small {
            self.copy_by_engine(on, self.mapped_at(copy)?, copy.own, copy.bytes)?;
        }
        // After the copy engine the kernel only signals: the stream starts it when the copy is complete.
        let bytes = if small { copy.bytes } else { 0 };
        let (dest, source) = (SymPtr::<u8>::new(copy.remote.at), copy.own);
        let how = match op {
            SignalOp::Set => SignalMode::Set,
            SignalOp::Add => SignalMode::Add,
        };
        self.run_own(
            stream,
            &kernels.put,
            threads_for(bytes),
            (dest, source, bytes, word, value, how as u32, copy.remote.pe),
        )
    }

    /// Returns the address at which a load/store peer's end of a copy is mapped.
    fn mapped_at(&self, CheckedCopy { remote, bytes, .. }: CheckedCopy) -> Result<u64> {
        let address = self.windows().address(remote.pe, remote.at.offset());
        address.ok_or_else(|| Error::new(ErrorKind::Unreachable, format!("copy {bytes} bytes on a stream")))
    }

    fn copy_by_engine(&self, on: &cuda::Stream, to: u64, from: u64, bytes: usize) -> Result<()> {
        // SAFETY: **mapped**: a range of the heap was checked, and all of the heap is mapped; for others a `DevicePtr`
        // promises it. **unshared**: the ranges are in the program's part; a concurrent access is a race of the
        // program, and reads old or new bytes.
        self.check_given(unsafe { cuda::copy::device_to_device_on(on, to, from, bytes) })
    }
}

/// Returns the number of threads of a block that copies `bytes` bytes: one for each 16 bytes, in whole warps. The
/// kernel is limited to 512 threads, which together have all of a small copy in flight.
fn threads_for(bytes: usize) -> u32 {
    (bytes.div_ceil(16).next_multiple_of(32) as u32).clamp(32, 512)
}
