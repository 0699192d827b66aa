//! Single elements, strided copies and waits as work of a stream.

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_core::{Cmp, Element, Fault, Pe, Remote, SymPtr, Symmetric, Waitable};
use oxshmem_raw::state::on_stream::ElementsOp;
use oxshmem_raw::state::wait;

use super::Stream;
use crate::stream::StreamState;
use crate::world::World;
use crate::world::local_end::{DevicePtr, LocalEnd};

/// The largest number of threads that move the elements of a strided copy.
const MOST_THREADS: usize = 256;

/// A checked strided copy: the other PE's end, the address of this PE's end, both strides, and the number of elements.
#[derive(Clone, Copy, Debug)]
struct Strided {
    there: Remote,
    here: u64,
    there_stride: usize,
    here_stride: usize,
    count: usize,
    width: usize,
}

impl Stream<'_> {
    /// Writes `value` to `dest` on `pe`, as work of a stream; returns at once. When the stream continues, the element
    /// is at `pe`.
    ///
    /// # Errors
    /// As [`put`](Stream::put). `InvalidArgument` on a GPU without a loaded module, because the
    /// write is a kernel of it.
    pub fn p<T: Element>(&self, dest: SymPtr<T>, value: T, pe: Pe) -> Result<()> {
        let name = "p";
        let (world, stream) = (self.world, &*self.state);
        let to = world.remote(name, dest, 1, pe)?;
        world.check_fault(format_args!("enqueue `{name}` on a stream"))?;
        let (bits, width) = (value.to_bits64(), T::WIDTH.bytes());
        if stream.gpu().is_some() {
            let kernels = world.kernels_for(name)?;
            let args = (ElementsOp::P as u32, SymPtr::<u8>::new(to.at), bits, 1usize, 1usize, 1usize, width as u32, pe);
            return world.run_own(stream, &kernels.elements, 1, args);
        }
        let queue = world.host_queue();
        world.on_host_thread(stream, name, move || {
            // The element is in the low bytes.
            let element = bits.to_le();
            // SAFETY: **mapped**: `element` lives until the put has read it.
            unsafe { queue.put(to, &raw const element as u64, width, None) }
        })
    }

    /// Reads one element from `source` on `pe` to this PE's `dest`, as work of a stream; returns at once. When the
    /// stream continues, the element is in `dest`.
    ///
    /// # Errors
    /// As [`put`](Stream::put).
    pub fn g<T: Element>(&self, dest: impl LocalEnd<T>, source: SymPtr<T>, pe: Pe) -> Result<()> {
        self.get(dest, source, 1, pe)
    }

    /// Copies `count` elements, `source_stride` elements apart from this PE's `source` on and `dest_stride` apart from
    /// `dest` on `pe` on, as work of a stream; returns at once. When the stream continues, `source` may be written
    /// again and the elements are at `pe`.
    ///
    /// On a GPU one block of a kernel copies, element by element.
    ///
    /// # Errors
    /// As [`p`](Stream::p), for both ranges from their first to their last element.
    pub fn iput<T: Element>(
        &self,
        dest: impl Symmetric<T>,
        source: impl LocalEnd<T>,
        dest_stride: usize,
        source_stride: usize,
        count: usize,
        pe: Pe,
    ) -> Result<()> {
        let ends = ((dest, dest_stride, pe), (source, source_stride));
        self.world.strided("iput", ElementsOp::Iput, &self.state, ends, count)
    }

    /// Copies `count` elements, `source_stride` elements apart from `source` on `pe` on and `dest_stride` apart from
    /// this PE's `dest` on, as work of a stream; returns at once. When the stream continues, the elements are in
    /// `dest`.
    ///
    /// # Errors
    /// As [`iput`](Stream::iput).
    pub fn iget<T: Element>(
        &self,
        dest: impl LocalEnd<T>,
        source: impl Symmetric<T>,
        dest_stride: usize,
        source_stride: usize,
        count: usize,
        pe: Pe,
    ) -> Result<()> {
        let ends = ((source, source_stride, pe), (dest, dest_stride));
        self.world.strided("iget", ElementsOp::Iget, &self.state, ends, count)
    }

    /// Makes the stream wait until the word of this PE satisfies the comparison `cmp` with `value`; returns at once.
    /// Later work of the stream sees the data that was delivered before the word's value.
    ///
    /// # Errors
    /// As [`p`](Stream::p), at once. If the wait reaches the world's limit,
    /// [`synchronize`](Stream::synchronize) reports it.
    pub fn wait_until<T: Waitable>(&self, word: SymPtr<T>, cmp: Cmp, value: T) -> Result<()> {
        self.world.wait_on("wait_until", &self.state, word, cmp, value, (None, None))
    }

    /// Does the same with entries of lists, which are read when the stream reaches the wait: `value_at` has the value in
    /// place of `value`, and the wait is left out unless the word at `left_out_at` is 0.
    ///
    /// # Errors
    /// As [`wait_until`](Stream::wait_until), also for the entries' addresses.
    pub fn wait_until_listed<T: Waitable>(
        &self,
        word: SymPtr<T>,
        cmp: Cmp,
        value: T,
        value_at: Option<DevicePtr<T>>,
        left_out_at: Option<DevicePtr<i32>>,
    ) -> Result<()> {
        self.world.wait_on("wait_until", &self.state, word, cmp, value, (value_at, left_out_at))
    }

    /// Makes the stream wait until the signal word of this PE satisfies the comparison `cmp` with `value`; returns at
    /// once. Later work of the stream sees the data that was put before the signal.
    ///
    /// # Errors
    /// As [`wait_until`](Stream::wait_until).
    pub fn signal_wait_until(&self, word: SymPtr<u64>, cmp: Cmp, value: u64) -> Result<()> {
        self.world.wait_on("signal_wait_until", &self.state, word, cmp, value, (None, None))
    }
}

impl World {
    /// `lists`: the entries that [`wait_until_listed`](Stream::wait_until_listed) reads.
    fn wait_on<T: Waitable>(
        &self,
        name: &str,
        stream: &StreamState,
        word: SymPtr<T>,
        cmp: Cmp,
        value: T,
        lists: (Option<DevicePtr<T>>, Option<DevicePtr<i32>>),
    ) -> Result<()> {
        let at = self.remote(name, word, 1, self.me)?.at;
        let value_at = lists.0.map_or(Ok(0), |entry| entry.address(self, name, 1))?;
        let left_out_at = lists.1.map_or(Ok(0), |entry| entry.address(self, name, 1))?;
        self.check_fault(format_args!("enqueue `{name}` on a stream"))?;
        if stream.gpu().is_some() {
            let kernels = self.kernels_for(name)?;
            let args = (at, Fault::wait_detail::<T>(cmp), value.to_bits64(), value_at, left_out_at);
            return self.run_own(stream, &kernels.wait, 1, args);
        }
        let queue = self.host_queue();
        self.on_host_thread(stream, name, move || {
            // SAFETY: **live**: `address` has checked that the entries are aligned, and `DevicePtr`'s **mapped** keeps
            // them until the stream has done this.
            let left_out = left_out_at != 0 && unsafe { wait::acquire::<i32>(left_out_at as *const u8) } != 0;
            if left_out {
                return Ok(());
            }
            // SAFETY: **live**: as above.
            let value = if value_at == 0 { value } else { unsafe { wait::acquire::<T>(value_at as *const u8) } };
            queue.wait(at, cmp, value)
        })
    }

    /// Enqueues a strided copy between `there` on a PE and `here` on this one, each with its stride.
    fn strided<T: Element>(
        &self,
        name: &str,
        op: ElementsOp,
        stream: &StreamState,
        ((there, there_stride, pe), (here, here_stride)): ((impl Symmetric<T>, usize, Pe), (impl LocalEnd<T>, usize)),
        count: usize,
    ) -> Result<()> {
        let (there_len, here_len) = (spread(name, there_stride, count)?, spread(name, here_stride, count)?);
        let (there, here) = (self.remote(name, there, there_len, pe)?, here.address(self, name, here_len)?);
        self.check_fault(format_args!("enqueue `{name}` on a stream"))?;
        if count == 0 {
            return Ok(());
        }
        let copy = Strided { there, here, there_stride, here_stride, count, width: T::WIDTH.bytes() };
        if stream.gpu().is_some() {
            let kernels = self.kernels_for(name)?;
            // Each thread that posts on a queue needs many registers.
            let most = if self.is_load_store(pe) { MOST_THREADS } else { 32 };
            let threads = count.next_multiple_of(32).min(most) as u32;
            let at = SymPtr::<u8>::new(there.at);
            let args = (op as u32, at, here, there_stride, here_stride, count, copy.width as u32, pe);
            return self.run_own(stream, &kernels.elements, threads, args);
        }
        let queue = self.host_queue();
        self.on_host_thread(stream, name, move || {
            let Strided { there, here, there_stride, here_stride, count, width } = copy;
            for i in 0..count {
                let at = Remote { at: there.at.add((i * there_stride * width) as u64), ..there };
                let here = here + (i * here_stride * width) as u64;
                // SAFETY: **mapped**: `strided` has checked the range, or its `DevicePtr` promises it.
                unsafe {
                    match op {
                        ElementsOp::Iget => queue.get(here, at, width)?,
                        ElementsOp::P | ElementsOp::Iput => queue.put(at, here, width, None)?,
                    }
                }
            }
            Ok(())
        })
    }
}

/// Returns the number of elements from the first to the last of `count` elements that are `stride` apart.
fn spread(name: &str, stride: usize, count: usize) -> Result<usize> {
    let Some(gaps) = count.checked_sub(1) else { return Ok(0) };
    gaps.checked_mul(stride).and_then(|before| before.checked_add(1)).ok_or_else(|| {
        Error::new(ErrorKind::OutOfRange, format!("{name} {count} elements at a stride of {stride} elements"))
            .because("the range overflows")
    })
}
