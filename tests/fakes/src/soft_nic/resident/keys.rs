//! The kernel's table of keys.

use std::collections::HashMap;

use oxshmem_nic_kernels::resident::table::KeySlot;
use oxshmem_raw::gpu::cuda::{self, Context};
use oxshmem_raw::memory::Memory;
use oxshmem_softnic::{PlaneMemory, PlaneRegion};

use super::mapping::Mapping;
use super::room::{Plain, Room};

/// Slots of the table, a power of two; at most half of them are used, so that a search ends.
const SLOTS: usize = 2048;

/// Keys and the memory that was mapped for them.
#[derive(Debug)]
pub(super) struct Keys {
    memory: Memory,
    room: Room,
    known: HashMap<u64, (KeySlot, Option<Mapping>)>,
}

impl Keys {
    pub(super) fn new(memory: &Memory) -> Result<Self, String> {
        let room = Room::near(memory, SLOTS * size_of::<KeySlot>())?;
        Ok(Self { memory: memory.clone(), room, known: HashMap::new() })
    }

    /// Returns the table's address.
    pub(super) fn at(&self) -> u64 {
        self.room.at()
    }

    /// Returns the number of the table's slots, less one.
    pub(super) fn mask(&self) -> u64 {
        SLOTS as u64 - 1
    }

    pub(super) fn len(&self) -> usize {
        self.known.len()
    }

    pub(super) fn has(&self, id: u64) -> bool {
        self.known.contains_key(&id)
    }

    /// Puts a region of this NIC into the table. Called between slices.
    pub(super) fn add(&mut self, nic: u16, region: PlaneRegion) -> Result<(), String> {
        let PlaneRegion { key, iova, bytes, pd, access, place } = region;
        let id = KeySlot::id(nic.into(), key);
        let (base, mapping) = self.reach(&place, bytes)?;
        let slot = KeySlot { id, base, iova, bytes, pd, access, unused: [0; 3] };
        if self.known.len() >= SLOTS / 2 {
            // A mapping that is needed again is made again.
            self.known.clear();
        }
        self.known.insert(id, (slot, mapping));
        self.write()
    }

    /// Returns the address at which the kernel reaches the memory.
    fn reach(&self, place: &PlaneMemory, bytes: u64) -> Result<(u64, Option<Mapping>), String> {
        let at = match place {
            PlaneMemory::There(fd, offset) => {
                let (mapping, at) = Mapping::of(&self.memory, fd, *offset, bytes)?;
                return Ok((at, Some(mapping)));
            }
            PlaneMemory::Here(at) => *at,
        };
        let Memory::Gpu(context) = &self.memory else { return Ok((at, None)) };
        match cuda::device_of(at).map_err(|error| error.to_string())? {
            Some(device) if device != context.device() => {
                let owner = Context::primary(device).map_err(|error| error.to_string())?;
                // SAFETY: **mapped**: the region is registered, and stays mapped until it is deregistered.
                let (mapping, at) = unsafe { Mapping::of_device(context, &owner, at, bytes) }?;
                Ok((at, Some(mapping)))
            }
            Some(_) => Ok((at, None)),
            None => {
                // Pinned memory of the host.
                let found = cuda::kernel_address(context, at);
                found.map(|at| (at, None)).map_err(|error| error.to_string())
            }
        }
    }

    /// Removes keys. Called between slices.
    pub(super) fn retain(&mut self, keeps: impl Fn(&KeySlot) -> bool) -> Result<(), String> {
        let before = self.known.len();
        self.known.retain(|_, (slot, _)| keeps(slot));
        if self.known.len() == before { Ok(()) } else { self.write() }
    }

    /// Writes the whole table.
    fn write(&self) -> Result<(), String> {
        let mask = self.mask();
        let mut table = vec![KeySlot::default(); SLOTS];
        for (slot, _) in self.known.values() {
            let mut place = KeySlot::start(slot.id, mask);
            while table[place as usize].id != 0 {
                place = (place + 1) & mask;
            }
            table[place as usize] = *slot;
        }
        let bytes: Vec<u8> = table.iter().flat_map(|slot| slot.bytes()).copied().collect();
        self.room.write(0, &bytes)
    }
}
