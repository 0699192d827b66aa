//! Tests that need no GPU.

use core::mem::{align_of, offset_of, size_of};

use cudarc::driver::sys;
use oxshmem_core::host::ErrorKind;

use super::*;

#[test]
fn without_a_driver_every_entry_says_what_is_missing_and_none_panics() {
    let error = match available() {
        Ok(info) => {
            println!("skipped: there is a driver here, for CUDA {:?}", info.cuda());
            return;
        }
        Err(error) => error,
    };
    println!("{error}");
    assert!(!error.to_string().contains('\n'));
    let again = available().unwrap_err();
    assert_eq!(again.to_string(), error.to_string(), "the answer is kept");
    for other in [device_count().map(drop).unwrap_err(), Device::get(0).map(drop).unwrap_err()] {
        assert_eq!((other.kind(), other.to_string()), (error.kind(), error.to_string()));
    }
    if error.code().is_none() && error.kind() == ErrorKind::NotFound {
        assert!(error.to_string().starts_with("cannot open the CUDA driver: libcuda.so.1 not found; "), "{error}");
    }
}

#[test]
fn threads_that_ask_at_once_get_the_same_answer() {
    let answers: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| format!("{:?}", available()))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(answers.iter().all(|result| *result == answers[0]), "{answers:?}");
}

#[test]
fn the_structures_handed_to_the_driver_have_its_layout() {
    // Source: cuda.h, for x86-64 and AArch64 Linux.
    assert_eq!(size_of::<sys::CUipcMemHandle>(), 64);
    assert_eq!(size_of::<sys::CUuuid>(), 16);
    assert_eq!(size_of::<sys::CUmemLocation>(), 8);
    assert_eq!(size_of::<sys::CUmemAccessDesc>(), 12);
    assert_eq!((size_of::<sys::CUmemAllocationProp>(), align_of::<sys::CUmemAllocationProp>()), (32, 8));
    assert_eq!(offset_of!(sys::CUmemAllocationProp, requestedHandleTypes), 4);
    assert_eq!(offset_of!(sys::CUmemAllocationProp, location), 8);
    assert_eq!(offset_of!(sys::CUmemAllocationProp, win32HandleMetaData), 16);
    assert_eq!(offset_of!(sys::CUmemAllocationProp, allocFlags), 24);
    assert_eq!((size_of::<sys::CUlaunchConfig>(), offset_of!(sys::CUlaunchConfig, attrs)), (56, 40));
    assert_eq!((size_of::<sys::CUlaunchAttribute>(), offset_of!(sys::CUlaunchAttribute, value)), (72, 8));
    assert_eq!(size_of::<sys::CUdeviceptr>(), 8);
    assert_eq!(size_of::<sys::CUmemGenericAllocationHandle>(), 8);
    assert_eq!(size_of::<sys::CUresult>(), size_of::<u32>(), "an answer is read as a number");
}

#[test]
fn a_driver_version_reads_as_cuda_writes_it() {
    assert_eq!(DriverInfo { version: 13000 }.cuda(), (13, 0));
    assert_eq!(DriverInfo { version: 12080 }.cuda(), (12, 8));
}

#[test]
fn a_shape_counts_its_blocks_and_threads_without_overflow() {
    let shape = LaunchShape { grid: [7, 5, 3], ..LaunchShape::linear(1, 128) };
    assert_eq!((shape.blocks(), shape.threads()), (105, 128));
    let huge = LaunchShape { grid: [u32::MAX; 3], ..LaunchShape::linear(1, 1) };
    assert_eq!(huge.blocks(), u64::MAX);
    assert!(LaunchShape::linear(1, 1).cooperative().cooperative);
}

#[test]
fn owners_can_move_to_and_be_shared_with_other_threads() {
    fn both<T: Send + Sync>() {}
    both::<Context>();
    both::<PhysicalChunk>();
    both::<Reservation>();
    both::<DeviceMemory>();
    both::<IpcMapping>();
    both::<PinnedBytes>();
    both::<PinnedBox<core::sync::atomic::AtomicU64>>();
    both::<Module>();
    both::<Function>();
    both::<Stream>();
    both::<Event>();
}
