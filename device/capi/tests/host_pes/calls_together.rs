//! Collectives under NVSHMEM's names, as other compilers call them.

use oxshmem_core::Scope;
use oxshmem_device::prelude::*;
use oxshmem_device_api::{AnyOp, PackedType};
use oxshmem_device_capi::{copies, names, together, world};
use oxshmem_hal::Launch;

use crate::{N, TEAM, on_three_pes, own};

/// The types by their numbers in the tests' kernels.
const TYPES: [PackedType; 12] = [
    PackedType::I8,
    PackedType::I16,
    PackedType::I32,
    PackedType::I64,
    PackedType::U8,
    PackedType::U16,
    PackedType::U32,
    PackedType::U64,
    PackedType::F16,
    PackedType::Bf16,
    PackedType::F32,
    PackedType::F64,
];

fn width(of: PackedType) -> usize {
    match of {
        PackedType::I8 | PackedType::U8 => 1,
        PackedType::I16 | PackedType::U16 | PackedType::F16 | PackedType::Bf16 => 2,
        PackedType::I32 | PackedType::U32 | PackedType::F32 => 4,
        PackedType::I64 | PackedType::U64 | PackedType::F64 => 8,
    }
}

/// Returns the bits of a small number as an element.
fn bits(of: PackedType, value: i32) -> u64 {
    match of {
        PackedType::F16 => F16::from_f32(value as f32).to_bits() as u64,
        PackedType::Bf16 => Bf16::from_f32(value as f32).to_bits() as u64,
        PackedType::F32 => (value as f32).to_bits() as u64,
        PackedType::F64 => f64::from(value).to_bits(),
        _ => value as i64 as u64 & u64::MAX >> (64 - 8 * width(of)),
    }
}

/// Returns `count` elements as bytes.
fn bytes_of(of: PackedType, count: usize, value: impl Fn(usize) -> i32) -> Vec<u8> {
    (0..count).flat_map(|i| bits(of, value(i)).to_le_bytes()[..width(of)].to_vec()).collect()
}

fn scope_of(number: u32) -> Option<Scope> {
    match number {
        0 => (thread_in_block() == 0).then_some(Scope::Thread),
        1 => (thread_in_block() < 32).then_some(Scope::Warp),
        _ => Some(Scope::Block),
    }
}

kernel! {
    /// Reduces `count` elements of the type with this number, by the operation with this number.
    fn reduce_packed(
        shmem: Shmem, teams: u64, scope: u32, of: u32, op: u32, dest: SymPtr<u8>, source: SymPtr<u8>, count: u32,
    ) -> Result<(), Fault> {
        world::enter(shmem.state(), (teams, 3));
        let Some(scope) = scope_of(scope) else { return Ok(()) };
        let (of, op) = (TYPES[of as usize], AnyOp::from_raw(op).unwrap());
        let (dest, source) = (own(&shmem, dest).cast(), own(&shmem, source).cast_const().cast());
        // SAFETY: **initialised**: the kernel has called `enter`. **symmetric**, **live**: the test passes allocations
        // of its own.
        let code = unsafe { together::reduce(scope, of, op, TEAM, dest, source, width(of) * count as usize) };
        assert_eq!(code, 0);
        Ok(())
    }

    /// Broadcasts, gathers and exchanges `bytes` bytes: by the functions of NVSHMEM's names, or by those of the headers.
    fn copy_bytes(
        shmem: Shmem, teams: u64, named: u32, scope: u32, root: u32, bytes: u32, source: SymPtr<u8>, one: SymPtr<u8>,
        gathered: SymPtr<u8>, exchanged: SymPtr<u8>,
    ) -> Result<(), Fault> {
        world::enter(shmem.state(), (teams, 3));
        let (source, one) = (own(&shmem, source).cast_const(), own(&shmem, one));
        let (gathered, exchanged) = (own(&shmem, gathered), own(&shmem, exchanged));
        let (bytes, root) = (bytes as usize, root as i32);
        // SAFETY: **initialised**: the kernel has called `enter`. **symmetric**, **live**: the test passes allocations
        // of its own.
        let codes = unsafe {
            match (scope_of(scope), named) {
                (None, _) => return Ok(()),
                (Some(Scope::Thread), 0) => [
                    copies::oxshmem_broadcast(TEAM, one, source, bytes, root),
                    copies::oxshmem_fcollect(TEAM, gathered, source, bytes),
                    copies::oxshmem_alltoall(TEAM, exchanged, source, bytes),
                    copies::oxshmem_alltoall(1, exchanged, source, bytes),
                ],
                (Some(Scope::Warp), 0) => [
                    copies::oxshmem_broadcast_warp(TEAM, one, source, bytes, root),
                    copies::oxshmem_fcollect_warp(TEAM, gathered, source, bytes),
                    copies::oxshmem_alltoall_warp(TEAM, exchanged, source, bytes),
                    copies::oxshmem_fcollect_warp(1, gathered, source, bytes),
                ],
                (Some(Scope::Block), 0) => [
                    copies::oxshmem_broadcast_block(TEAM, one, source, bytes, root),
                    copies::oxshmem_fcollect_block(TEAM, gathered, source, bytes),
                    copies::oxshmem_alltoall_block(TEAM, exchanged, source, bytes),
                    copies::oxshmem_broadcast_block(1, one, source, bytes, root),
                ],
                (Some(Scope::Thread), _) => [
                    names::nvshmem_broadcastmem(TEAM, one, source, bytes, root),
                    names::nvshmem_fcollectmem(TEAM, gathered, source, bytes),
                    names::nvshmem_alltoallmem(TEAM, exchanged, source, bytes),
                    names::nvshmem_broadcastmem(TEAM, one, source, bytes, 3),
                ],
                (Some(Scope::Warp), _) => [
                    names::nvshmemx_broadcastmem_warp(TEAM, one, source, bytes, root),
                    names::nvshmemx_fcollectmem_warp(TEAM, gathered, source, bytes),
                    names::nvshmemx_alltoallmem_warp(TEAM, exchanged, source, bytes),
                    names::nvshmemx_broadcastmem_warp(TEAM, one, source, bytes, -1),
                ],
                (Some(Scope::Block), _) => [
                    names::nvshmemx_broadcastmem_block(TEAM, one, source, bytes, root),
                    names::nvshmemx_fcollectmem_block(TEAM, gathered, source, bytes),
                    names::nvshmemx_alltoallmem_block(TEAM, exchanged, source, bytes),
                    // Number 1 is no team.
                    names::nvshmemx_alltoallmem_block(1, exchanged, source, bytes),
                ],
            }
        };
        assert_eq!(codes.map(|code| code == 0), [true, true, true, false]);
        Ok(())
    }

    /// Every thread of the block makes the calls of a thread: barriers, and a sum between them.
    fn by_each_thread(shmem: Shmem, teams: u64, source: SymPtr<u64>, sum: SymPtr<u64>) -> Result<(), Fault> {
        world::enter(shmem.state(), (teams, 3));
        let (me, right) = (shmem.my_pe().number() as i32, shmem.pe_after(1).number() as i32);
        let (at, sum) = (own(&shmem, source), own(&shmem, sum));
        for round in 1..=3u64 {
            // SAFETY: **initialised**: the kernel has called `enter`. **symmetric**, **live**: the test passes
            // allocations of its own.
            unsafe {
                if thread_in_block() == 0 {
                    names::nvshmem_uint64_p(at, 10 * round + me as u64, right);
                }
                Block.sync();
                names::nvshmem_barrier_all();
                let left = (me as u64 + 2) % 3;
                assert_eq!(names::nvshmem_signal_fetch(at), 10 * round + left, "after a barrier the element is there");
                Block.sync();
                assert_eq!(names::nvshmem_barrier(TEAM), 0);
                Block.sync();
                let of = PackedType::U64;
                let code = together::reduce(Scope::Thread, of, AnyOp::Sum, TEAM, sum.cast(), at.cast(), 8);
                assert_eq!((code, *sum), (0, 30 * round + 3));
                Block.sync();
                assert_eq!(names::nvshmem_team_sync(TEAM), 0);
                names::nvshmem_sync_all();
            }
        }
        Ok(())
    }
}

#[test]
fn every_type_is_reduced_by_every_operation_and_scope() {
    on_three_pes(|world, teams| {
        let me = world.my_pe().number() as i32;
        let (source, dest) = (world.malloc::<u8>(8 * N)?, world.malloc::<u8>(8 * N)?);
        let kernel = world.modules().load("host_pes")?.kernel("reduce_packed")?;
        let value = |pe: i32, i: usize| (i as i32 % 5 - 2) * (pe + 1) + pe;
        for (number, of) in TYPES.into_iter().enumerate() {
            let is_signed = !matches!(of, PackedType::U8 | PackedType::U16 | PackedType::U32 | PackedType::U64);
            // Unsigned numbers are compared as such.
            let value = |pe: i32, i: usize| if is_signed { value(pe, i) } else { value(pe, i).abs() };
            for (op, scope, count) in [(0, 0, 5), (1, 1, 37), (2, 2, N), (3, 2, 333), (0, 2, N), (0, 1, N - 1)] {
                let combine = [|a, b| a + b, |a, b| a * b, i32::min, i32::max][op as usize];
                world.write(source, &bytes_of(of, count, |i| value(me, i)))?;
                world.write(dest, &vec![0x5a; 8 * N])?;
                world.barrier_all()?;
                let args = (teams, scope as u32, number as u32, op as u32, dest, source, count as u32);
                world.own_stream().launch_kernel(&kernel, Launch::new(1, 64).collective(), args)?;
                world.barrier_all()?;
                let mut expected = bytes_of(of, count, |i| combine(combine(value(0, i), value(1, i)), value(2, i)));
                expected.resize(8 * N, 0x5a);
                let mut got = vec![0; 8 * N];
                world.read(dest, &mut got)?;
                assert!(got == expected, "{of:?}, operation {op}, scope {scope}, {count} elements");
            }
        }
        Ok(())
    });
}

#[test]
fn bytes_are_broadcast_gathered_and_exchanged_by_each_scope_in_each_way() {
    /// More than a block of 64 threads copies by packets.
    const N: usize = 6000;
    on_three_pes(|world, teams| {
        let me = world.my_pe().number() as usize;
        let [source, gathered, exchanged] = [world.malloc::<u8>(3 * N)?, world.malloc(3 * N)?, world.malloc(3 * N)?];
        let one = world.malloc::<u8>(N)?;
        let kernel = world.modules().load("host_pes")?.kernel("copy_bytes")?;
        let value = |pe: usize, i: usize| (pe * 71 + i * 3) as u8;
        world.write(source, &(0..3 * N).map(|i| value(me, i)).collect::<Vec<_>>())?;
        // At most 8 bytes of each thread, more by packets, and large data.
        let sizes =
            [(0, 8), (0, 13), (0, 900), (1, 200), (1, 500), (1, 4000), (2, 1), (2, 500), (2, 1000), (2, N), (2, 0)];
        for (named, (scope, bytes)) in (0..2u32).flat_map(|named| sizes.map(|size| (named, size))) {
            let root = bytes % 3;
            for place in [one, gathered, exchanged] {
                world.write(place, &vec![0x5a; if place == one { N } else { 3 * N }])?;
            }
            world.barrier_all()?;
            let args = (teams, named, scope as u32, root as u32, bytes as u32, source, one, gathered, exchanged);
            world.own_stream().launch_kernel(&kernel, Launch::new(1, 64).collective(), args)?;
            world.barrier_all()?;
            let mut got = vec![0; 3 * N];
            world.read(one, &mut got[..N])?;
            let poison = |i: usize, byte: u8| if i < bytes { byte } else { 0x5a };
            assert!((0..N).all(|i| got[i] == poison(i, value(root, i))), "broadcast, scope {scope}, {bytes} bytes");
            world.read(gathered, &mut got)?;
            let block = |i: usize| i.checked_div(bytes).unwrap_or(0);
            let all = |i: usize, byte: u8| if i < 3 * bytes { byte } else { 0x5a };
            let right = |i: usize| got[i] == all(i, value(block(i), i - block(i) * bytes));
            assert!((0..3 * N).all(right), "all-gather, scope {scope}, {bytes} bytes");
            world.read(exchanged, &mut got)?;
            let right = |i: usize| got[i] == all(i, value(block(i), me * bytes + i - block(i) * bytes));
            assert!((0..3 * N).all(right), "all-to-all, scope {scope}, {bytes} bytes");
        }
        Ok(())
    });
}

#[test]
fn the_calls_of_a_thread_may_be_made_by_every_thread_of_a_block() {
    on_three_pes(|world, teams| {
        let (source, sum) = (world.calloc::<u64>(1)?, world.calloc::<u64>(1)?);
        let kernel = world.modules().load("host_pes")?.kernel("by_each_thread")?;
        world.own_stream().launch_kernel(&kernel, Launch::new(1, 96).collective(), (teams, source, sum))?;
        world.barrier_all()
    });
}
