//! The hardware's limit for collectives in graphs: hand-written kernels of two PEs, launched without the library.
//!
//! A row is measured by each kernel that fits it, on several grids, once. The fastest is then measured as the library's
//! collective is.

use std::ffi::c_void;

use oxshmem_core::{Error, ErrorKind, Result, SymPtr};
use oxshmem_hal::{Graph, Pe, Stream, World};
use oxshmem_raw::gpu::cuda::{self, Context, Function, LaunchShape};

use super::collectives::Op;
use super::limit::Limit;
use super::session::Session;

/// The kernels. `collectives.cu` beside them is their source.
const PTX: &str = include_str!("../../../perf-kernels/limit/collectives.ptx");

/// The most data by packets, and the least by loads and stores.
const MOST_BY_PACKETS: u64 = 1 << 20;
const LEAST_DIRECTLY: u64 = 64 << 10;
/// Bytes of a packet that has 8 bytes of data, and of the packets of a round: two halves take turns.
const PACKET: u64 = 16;
const HALF: u64 = MOST_BY_PACKETS / 8 * PACKET;
/// Bytes of a block's word, which is in a line of its own, and the most blocks.
const LINE: u64 = 128;
const MOST_BLOCKS: u32 = 128;
/// Units of 8 bytes that a thread moves at most by packets.
const MOST_UNITS: u64 = 8;

/// Bytes of the symmetric memory: packets, flags and rounds.
pub(super) const MEMORY: u64 = 2 * HALF + 2 * LINE * MOST_BLOCKS as u64;

/// The addresses of a row: two buffers of this PE, and the peer's as mapped here.
#[derive(Clone, Copy, Debug)]
struct Ends {
    source: u64,
    dest: u64,
    peer_source: u64,
    peer_dest: u64,
    memory: u64,
    peer_memory: u64,
}

/// The parameter of a kernel, as `collectives.cu` defines it.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
struct Exchange {
    send: u64,
    own: u64,
    peer_own: u64,
    own_out: u64,
    peer_out: u64,
    received_out: u64,
    packets: u64,
    peer_packets: u64,
    flags: u64,
    peer_flags: u64,
    rounds: u64,
    sent: u64,
    received: u64,
}

/// A row of collectives between two PEs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exchanged {
    pub(super) op: Op,
    pub(super) source: SymPtr<u8>,
    pub(super) dest: SymPtr<u8>,
    /// Bytes for each pair of members.
    pub(super) bytes: u64,
    pub(super) iters: u32,
    /// The number of blocks that the row asks for, if it asks for one.
    pub(super) blocks: Option<u32>,
}

/// A kernel with its grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Choice {
    kernel: &'static str,
    blocks: u32,
    threads: u32,
}

impl Exchanged {
    /// Returns the kernels by packets and by loads and stores that fit the row.
    fn kernels(&self) -> (&'static str, [&'static str; 2]) {
        match self.op {
            Op::Reduce => ("limit_sum_by_packets", ["limit_sum_to_both_4", "limit_sum_to_both_2"]),
            Op::Reducescatter => ("limit_sum_by_packets", ["limit_sum_4", "limit_sum_2"]),
            Op::Fcollect | Op::Broadcast => ("limit_copy_by_packets", ["limit_copy_to_both_4", "limit_copy_to_both_8"]),
            Op::Alltoall => ("limit_copy_by_packets", ["limit_copy_4", "limit_copy_8"]),
        }
    }

    /// Returns every kernel and grid to try.
    fn choices(&self) -> Vec<Choice> {
        let (by_packets, directly) = self.kernels();
        let fits = |blocks: &u32| self.blocks.is_none_or(|asked| *blocks == asked.min(MOST_BLOCKS));
        let grids = |threads: &'static [u32]| {
            let blocks = (0..=MOST_BLOCKS.ilog2()).map(|log| 1 << log).filter(fits);
            blocks.flat_map(move |blocks| threads.iter().map(move |threads| (blocks, *threads)))
        };
        let mut choices = Vec::new();
        if self.bytes <= MOST_BY_PACKETS {
            let units = self.bytes.div_ceil(8);
            let is_whole = |&(blocks, threads): &(u32, u32)| {
                let all = u64::from(blocks) * u64::from(threads);
                units <= all * MOST_UNITS && u64::from(blocks - 1) * u64::from(threads) < units
            };
            let grids = grids(&[32, 128, 256, 512]).filter(is_whole);
            choices.extend(grids.map(|(blocks, threads)| Choice { kernel: by_packets, blocks, threads }));
        }
        if self.bytes >= LEAST_DIRECTLY {
            let grids = grids(&[256, 512, 1024]).filter(|(blocks, _)| *blocks >= 16);
            let all = grids.flat_map(|(blocks, threads)| directly.map(|kernel| Choice { kernel, blocks, threads }));
            choices.extend(all);
        }
        choices
    }

    /// Returns the parameter of a kernel on PE `me` of two.
    fn exchange(&self, me: u64, ends: Ends, directly: bool) -> Exchange {
        let (c, peer) = (self.bytes, 1 - me);
        let all = Exchange {
            packets: ends.memory,
            peer_packets: ends.peer_memory,
            flags: ends.memory + 2 * HALF,
            peer_flags: ends.peer_memory + 2 * HALF,
            rounds: ends.memory + 2 * HALF + LINE * u64::from(MOST_BLOCKS),
            send: ends.source,
            own: ends.source,
            sent: c,
            received: c,
            ..Exchange::default()
        };
        match self.op {
            // Each PE adds one half of the elements, and stores the sums on both PEs.
            Op::Reduce if directly => {
                let half = c / 2 * me;
                Exchange {
                    own: ends.source + half,
                    peer_own: ends.peer_source + half,
                    own_out: ends.dest + half,
                    peer_out: ends.peer_dest + half,
                    sent: c / 2,
                    ..all
                }
            }
            Op::Reduce => Exchange { own_out: ends.dest, ..all },
            Op::Reducescatter => Exchange {
                send: ends.source + c * peer,
                own: ends.source + c * me,
                peer_own: ends.peer_source + c * me,
                own_out: ends.dest,
                ..all
            },
            Op::Fcollect => Exchange {
                own_out: ends.dest + c * me,
                peer_out: ends.peer_dest + c * me,
                received_out: ends.dest + c * peer,
                ..all
            },
            Op::Alltoall => Exchange {
                send: ends.source + c * peer,
                own: ends.source + c * me,
                own_out: ends.dest + c * me,
                peer_out: ends.peer_dest + c * me,
                received_out: ends.dest + c * peer,
                ..all
            },
            Op::Broadcast => Exchange {
                own_out: ends.dest,
                peer_out: ends.peer_dest,
                received_out: ends.dest,
                sent: if me == 0 { c } else { 0 },
                received: if me == 0 { 0 } else { c },
                ..all
            },
        }
    }
}

/// The kernels, on the world's GPU.
#[derive(Debug)]
pub(super) struct Kernels(cuda::Module);

impl Kernels {
    pub(super) fn load(context: &Context) -> Result<Self> {
        Ok(Self(cuda::Module::load(context, PTX.as_bytes())?))
    }

    /// Records a graph of the row's collectives by this kernel.
    fn graph<'w>(&self, stream: &Stream<'w>, row: &Exchanged, choice: Choice, ends: Ends) -> Result<Graph<'w>> {
        let world = stream.world();
        let function = self.0.function(choice.kernel)?;
        let directly = !choice.kernel.ends_with("by_packets");
        let mut exchange = row.exchange(u64::from(world.my_pe().number()), ends, directly);
        stream.capture(|stream| (0..row.iters).try_for_each(|_| self.launch(&function, choice, stream, &mut exchange)))
    }

    fn launch(&self, function: &Function, choice: Choice, stream: &Stream<'_>, exchange: &mut Exchange) -> Result<()> {
        let shape = LaunchShape::linear(choice.blocks, choice.threads).early();
        // SAFETY: **stream**: it belongs to this GPU, and the session keeps it.
        let on = unsafe { cuda::Stream::from_raw(self.0.context(), stream.raw()) }?;
        // SAFETY: **arguments**: every entry takes an `Exchange`. **kernel**: the addresses are of this world's heaps,
        // which stay mapped; the sizes are those of their buffers. **early**: the kernels wait first.
        unsafe { cuda::launch(function, &shape, &on, &mut [(&raw mut *exchange).cast::<c_void>()]) }
    }
}

/// Times graphs of the row's collectives by the fastest kernel: ns for one, and its blocks. `poison` overwrites the
/// destination. Collective.
pub(super) fn in_graph(
    session: &Session<'_>,
    limit: &Limit,
    memory: SymPtr<u8>,
    row: &Exchanged,
    poison: impl Fn() -> Result<()>,
    times: impl Fn(&Graph<'_>, u32) -> Result<Vec<f64>>,
) -> Result<(Vec<f64>, u32)> {
    let world = session.world;
    let (kernels, ends) = (limit.collectives(), ends(world, row, memory)?);
    let mut best: Option<(f64, Choice)> = None;
    for choice in row.choices() {
        clear(world, memory)?;
        let graph = kernels.graph(&session.stream, row, choice, ends)?;
        let time = slowest(world, times(&graph, 1)?.first().copied().unwrap_or(f64::MAX))?;
        if best.is_none_or(|(least, _)| time < least) {
            best = Some((time, choice));
        }
    }
    let Some((_, choice)) = best else {
        return Err(Error::new(ErrorKind::NotFound, "find a hand-written kernel for the row"));
    };
    poison()?;
    clear(world, memory)?;
    let graph = kernels.graph(&session.stream, row, choice, ends)?;
    Ok((times(&graph, u32::MAX)?, choice.blocks))
}

/// Sets packets, flags and rounds to those before the first round. Collective.
fn clear(world: &World, memory: SymPtr<u8>) -> Result<()> {
    world.write(memory, &vec![0u8; MEMORY as usize])?;
    world.barrier_all()
}

/// Returns the time of the slower PE, so that both choose alike. Collective.
fn slowest(world: &World, time: f64) -> Result<f64> {
    let all = world.all_gather("compare the times of a kernel", &time.to_le_bytes())?;
    let times = all.iter().map(|bytes| bytes.as_slice().try_into().map_or(f64::MAX, f64::from_le_bytes));
    Ok(times.fold(0.0, f64::max))
}

fn ends(world: &World, row: &Exchanged, memory: SymPtr<u8>) -> Result<Ends> {
    let (me, peer) = (world.my_pe(), Pe::new(1 - world.my_pe().number()));
    let address = |at: SymPtr<u8>, pe: Pe| match world.ptr(at, pe)? {
        Some(at) => Ok(at as u64),
        None => Err(Error::new(ErrorKind::Unreachable, format!("find {pe}'s memory")).about(pe)),
    };
    Ok(Ends {
        source: address(row.source, me)?,
        dest: address(row.dest, me)?,
        peer_source: address(row.source, peer)?,
        peer_dest: address(row.dest, peer)?,
        memory: address(memory, me)?,
        peer_memory: address(memory, peer)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(op: Op, bytes: u64, blocks: Option<u32>) -> Exchanged {
        let at = SymPtr::<u8>::new(oxshmem_core::SymAddr::new(0));
        Exchanged { op, source: at, dest: at, bytes, iters: 1, blocks }
    }

    #[test]
    fn every_size_has_kernels_and_the_packets_of_each_fit() {
        for op in [Op::Reduce, Op::Reducescatter, Op::Fcollect, Op::Alltoall, Op::Broadcast] {
            for (bytes, blocks) in [(8, None), (8 << 10, None), (1 << 20, None), (64 << 20, None), (4 << 20, Some(16))]
            {
                let row = row(op, bytes, blocks);
                let choices = row.choices();
                assert!(!choices.is_empty(), "{row:?}");
                for choice in choices {
                    assert!(PTX.contains(&format!(".entry {}(", choice.kernel)), "{choice:?}");
                    assert!(blocks.is_none_or(|asked| choice.blocks == asked) && choice.blocks <= MOST_BLOCKS);
                    assert!(!choice.kernel.ends_with("by_packets") || bytes <= MOST_BY_PACKETS, "{choice:?}");
                }
            }
        }
    }

    #[test]
    fn the_source_of_the_kernels_has_the_same_sizes() {
        let source = include_str!("../../../perf-kernels/limit/collectives.cu");
        assert!(source.contains("#define HALF (2u << 20)") && HALF == 2 << 20);
        assert!(source.contains("#define LINE 16  // words") && LINE == 16 * 8);
    }

    #[test]
    fn what_one_pe_sends_is_stored_where_the_other_expects_it() {
        const SOURCE: [u64; 2] = [1 << 30, 2 << 30];
        const DEST: [u64; 2] = [3 << 30, 4 << 30];
        let ends = |me: usize| Ends {
            source: SOURCE[me],
            dest: DEST[me],
            peer_source: SOURCE[1 - me],
            peer_dest: DEST[1 - me],
            memory: (5 + me as u64) << 30,
            peer_memory: (6 - me as u64) << 30,
        };
        for op in [Op::Reduce, Op::Reducescatter, Op::Fcollect, Op::Alltoall, Op::Broadcast] {
            for directly in [false, true] {
                let row = row(op, 1 << 20, None);
                let [zero, one] = [0, 1].map(|me| row.exchange(me as u64, ends(me), directly));
                assert_eq!((zero.peer_packets, zero.peer_flags), (one.packets, one.flags));
                if !directly {
                    assert_eq!((zero.sent, zero.received), (one.received, one.sent), "{op:?}");
                }
                if directly && matches!(op, Op::Fcollect | Op::Alltoall) {
                    assert_eq!((zero.peer_out, one.peer_out), (one.received_out, zero.received_out), "{op:?}");
                }
            }
        }
        let halves = [0, 1].map(|me| row(Op::Reduce, 1 << 20, None).exchange(me as u64, ends(me), true));
        assert_eq!(halves.map(|half| half.own_out - DEST[0]), [0, (1 << 30) + (1 << 19)]);
        assert_eq!(halves[0].peer_own - SOURCE[1], halves[0].own - SOURCE[0]);
    }
}
