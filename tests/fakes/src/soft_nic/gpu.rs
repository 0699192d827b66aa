//! Memory of this process and of its GPUs, for a software NIC on host threads: the driver copies.
//!
//! A copy of a few bytes takes some 10 us, while kernels continue. An atomic is a read and a write, and no other atomic
//! of this NIC comes between them. Accesses by GPU threads can, as they can with a real NIC's atomics.

use std::sync::{Mutex, PoisonError};

use oxshmem_raw::gpu::cuda::{self, Context};
use oxshmem_softnic::{HostMemory, Memory, MemoryFailed, Place};

/// Host memory, which is accessed directly, and memory of GPUs.
#[derive(Debug, Default)]
pub(super) struct AnyMemory {
    /// One context for each GPU in use, by ordinal.
    contexts: Mutex<Vec<(u32, Context)>>,
    /// Held during an atomic.
    turn: Mutex<()>,
}

impl AnyMemory {
    fn context(&self, at: u64) -> Result<Context, MemoryFailed> {
        let failed = |error: oxshmem_hal::Error| MemoryFailed(error.to_string());
        let mut contexts = self.contexts.lock().unwrap_or_else(PoisonError::into_inner);
        // Most processes have one GPU, and asking the driver at each access is slow.
        if let [(_, only)] = contexts.as_slice() {
            return Ok(only.clone());
        }
        let device = cuda::device_of(at).map_err(failed)?;
        let device = device.ok_or_else(|| MemoryFailed(format!("no GPU has memory at {at:#x}")))?;
        if let Some((_, known)) = contexts.iter().find(|(ordinal, _)| *ordinal == device.ordinal()) {
            return Ok(known.clone());
        }
        let context = Context::primary(device).map_err(failed)?;
        contexts.push((device.ordinal(), context.clone()));
        Ok(context)
    }
}

impl Memory for AnyMemory {
    fn place(&self, at: u64, bytes: u64) -> Result<Place, MemoryFailed> {
        match cuda::device_of(at) {
            Ok(Some(_)) => self.context(at).map(|_| Place::Own),
            _ => HostMemory.place(at, bytes),
        }
    }

    unsafe fn read(&self, to: &mut [u8], from: u64) -> Result<(), MemoryFailed> {
        let context = self.context(from)?;
        // SAFETY: **mapped**: the caller passes mapped memory; a racing access sees old or new bytes, as with a device.
        unsafe { cuda::copy::device_to_host(&context, to, from) }.map_err(|error| MemoryFailed(error.to_string()))
    }

    unsafe fn write(&self, to: u64, from: &[u8]) -> Result<(), MemoryFailed> {
        let context = self.context(to)?;
        // SAFETY: **mapped**: the caller passes mapped memory; a racing access sees old or new bytes, as with a device.
        unsafe { cuda::copy::host_to_device(&context, to, from) }.map_err(|error| MemoryFailed(error.to_string()))
    }

    unsafe fn load(&self, from: u64) -> Result<u64, MemoryFailed> {
        let mut bytes = [0; 8];
        // SAFETY: **mapped**: the caller passes 8 mapped bytes.
        unsafe { self.read(&mut bytes, from)? };
        Ok(u64::from_ne_bytes(bytes))
    }

    unsafe fn store_last(&self, to: u64, word: u32) -> Result<(), MemoryFailed> {
        // SAFETY: **mapped**: the caller passes 4 mapped bytes. Copies are done when their calls return, so that this
        // one is last.
        unsafe { self.write(to, &word.to_ne_bytes()) }
    }

    unsafe fn update(
        &self,
        at: u64,
        bytes: usize,
        change: &mut dyn FnMut(u64) -> Option<u64>,
    ) -> Result<u64, MemoryFailed> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let mut word = [0; 8];
        // SAFETY: **mapped**: the caller passes `bytes` mapped bytes.
        unsafe { self.read(&mut word[..bytes], at)? };
        let was = u64::from_le_bytes(word);
        if let Some(now) = change(was) {
            // SAFETY: **mapped**: the caller passes `bytes` mapped bytes, which stay mapped during the call.
            unsafe { self.write(at, &now.to_le_bytes()[..bytes])? };
        }
        Ok(was)
    }
}
