//! Addresses and keys of registered memory.

/// The rest of a range that one key covers, from an address on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::host) struct KeyedRange {
    /// The key.
    pub(in crate::host) key: u64,
    /// Address of the first byte in work requests.
    pub(in crate::host) at: u64,
    /// Number of bytes from there to the end of the range.
    pub(in crate::host) bytes: u64,
}

/// A range as one PE registered it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::host) struct RegisteredRange {
    /// The owner's local key, or the imported key of a peer. With `bytes` 0 there is no registration.
    pub(in crate::host) key: u64,
    /// Address of the first byte in work requests.
    pub(in crate::host) at: u64,
    /// Size in bytes.
    pub(in crate::host) bytes: u64,
}

/// A buffer that the program registered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::host) struct RegisteredBuffer {
    /// First address, in the address space of kernels.
    pub(in crate::host) start: u64,
    /// Its registration.
    pub(in crate::host) registered: RegisteredRange,
}

/// All keys that one NIC of a PE uses.
#[derive(Clone, Debug, Default)]
pub(in crate::host) struct Keys {
    /// Address of this PE's heap in the address space of its kernels.
    pub(in crate::host) own: u64,
    /// Heap offsets at which extents and gaps begin, by slot and so in order. Several slots of a gap begin at its end.
    pub(in crate::host) extents: Vec<u64>,
    /// This PE's registrations, by slot.
    pub(in crate::host) local: Vec<RegisteredRange>,
    /// The peers' registrations, by NIC and slot. NIC `s` of PE `p` has number `s * n_pes + p`.
    pub(in crate::host) remote: Vec<Vec<RegisteredRange>>,
    /// Buffers that the program registered.
    pub(in crate::host) buffers: Vec<RegisteredBuffer>,
}

impl Keys {
    /// Returns the heap of the peer's NIC number `peer` from offset `at` on. `None`: it is not registered.
    pub(in crate::host) fn remote(&self, peer: u32, at: u64) -> Option<KeyedRange> {
        self.within(self.remote.get(peer as usize)?, at)
    }

    /// Returns this PE's memory from address `at` of its kernels on. `None`: it is not registered.
    pub(in crate::host) fn local(&self, at: u64) -> Option<KeyedRange> {
        let heap = at.checked_sub(self.own).and_then(|offset| self.within(&self.local, offset));
        heap.or_else(|| {
            let holds =
                |buffer: &&RegisteredBuffer| (buffer.start..buffer.start + buffer.registered.bytes).contains(&at);
            self.buffers.iter().find(holds).map(|buffer| keyed(buffer.registered, at - buffer.start))
        })
    }

    fn within(&self, registered: &[RegisteredRange], at: u64) -> Option<KeyedRange> {
        let extent = self.extents.partition_point(|start| *start <= at).checked_sub(1)?;
        let (registered, within) = (*registered.get(extent)?, at - self.extents[extent]);
        (within < registered.bytes).then(|| keyed(registered, within))
    }
}

fn keyed(registered: RegisteredRange, offset: u64) -> KeyedRange {
    KeyedRange { key: registered.key, at: registered.at + offset, bytes: registered.bytes - offset }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_found_in_its_extent_or_buffer_and_ends_where_that_ends() {
        let part = |key, at, bytes| RegisteredRange { key, at, bytes };
        let keys = Keys {
            own: 0x10_0000,
            extents: vec![0, 0x1000],
            local: vec![part(1, 0, 0x1000), part(2, 0x9000, 0x800)],
            remote: vec![Vec::new(), vec![part(3, 0x7000, 0x1000), part(4, 0x5000, 0x800)]],
            buffers: vec![RegisteredBuffer { start: 0x40_0000, registered: part(5, 0x70, 0x10) }],
        };
        let keyed = |key, at, bytes| Some(KeyedRange { key, at, bytes });
        assert_eq!(keys.remote(1, 0xfff), keyed(3, 0x7fff, 1));
        assert_eq!(keys.remote(1, 0x1000), keyed(4, 0x5000, 0x800));
        assert_eq!((keys.remote(1, 0x1800), keys.remote(0, 0), keys.remote(2, 0)), (None, None, None));
        assert_eq!(keys.local(0x10_0008), keyed(1, 8, 0xff8));
        assert_eq!(keys.local(0x10_1400), keyed(2, 0x9400, 0x400));
        assert_eq!(keys.local(0x40_000f), keyed(5, 0x7f, 1));
        assert_eq!((keys.local(0x40_0010), keys.local(0x0f_ffff), keys.local(0x10_1800)), (None, None, None));
    }
}
