//! The header and the attributes of an ioctl, as libibverbs lays them out.

use std::ffi::{c_int, c_void};

/// The kernel's answer to a failed call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Errno(pub(crate) c_int);

/// The result of a method.
pub(crate) type Answer<T> = Result<T, Errno>;

/// Set in an attribute's flags if the kernel wrote its output.
const VALID_OUTPUT: u16 = 2;
/// Input of at most this many bytes is in the attribute itself.
const INLINE_BYTES: usize = 8;

/// C: `ib_uverbs_ioctl_hdr`.
#[repr(C)]
struct Header {
    bytes: u16,
    object: u16,
    method: u16,
    attrs: u16,
    reserved1: u64,
    driver: u32,
    reserved2: u32,
}
const _: () = assert!(size_of::<Header>() == 24);

/// C: `ib_uverbs_attr`.
#[repr(C)]
struct Attr {
    id: u16,
    bytes: u16,
    flags: u16,
    extra: u16,
    data: u64,
}
const _: () = assert!(size_of::<Attr>() == 16);

/// One ioctl.
pub(crate) struct Call<'a> {
    /// Its object.
    pub(crate) object: u16,
    /// Its method.
    pub(crate) method: u16,
    attrs: &'a mut [Attr],
}

impl Call<'_> {
    /// Reads an ioctl's argument.
    ///
    /// # Safety
    /// - **laid out**: `argument` is null, or the header of `RDMA_VERBS_IOCTL` followed by as many attributes as it
    ///   says, and each attribute with a pointer points to as many bytes as it says.
    pub(crate) unsafe fn read(argument: *mut c_void) -> Answer<Self> {
        if argument.is_null() {
            return Err(Errno(libc::EFAULT));
        }
        // SAFETY: **laid out**: a non-null argument is a header.
        let header = unsafe { &*argument.cast::<Header>() };
        if usize::from(header.bytes) != size_of::<Header>() + usize::from(header.attrs) * size_of::<Attr>()
            || header.reserved1 != 0
            || header.reserved2 != 0
        {
            return Err(Errno(libc::EINVAL));
        }
        // SAFETY: **laid out**: the attributes follow the header.
        let first = unsafe { argument.cast::<u8>().add(size_of::<Header>()) };
        // SAFETY: **laid out**: there are as many as the header says, and the program waits while the ioctl runs.
        let attrs = unsafe { std::slice::from_raw_parts_mut(first.cast::<Attr>(), usize::from(header.attrs)) };
        Ok(Self { object: header.object, method: header.method, attrs })
    }

    fn find(&self, id: u16) -> Option<&Attr> {
        self.attrs.iter().find(|attr| attr.id == id)
    }

    /// Reports whether the attribute is there.
    pub(crate) fn has(&self, id: u16) -> bool {
        self.find(id).is_some()
    }

    /// Returns the bytes of an input; empty if it is absent.
    pub(crate) fn bytes(&self, id: u16) -> Vec<u8> {
        let Some(attr) = self.find(id) else { return Vec::new() };
        let bytes = usize::from(attr.bytes);
        if bytes <= INLINE_BYTES {
            return attr.data.to_ne_bytes()[..bytes].to_vec();
        }
        if attr.data == 0 {
            return Vec::new();
        }
        // SAFETY: **laid out** of [`Call::read`]: the attribute points to as many bytes as it says.
        unsafe { std::slice::from_raw_parts(attr.data as *const u8, bytes) }.to_vec()
    }

    /// Returns a required input of up to 8 bytes.
    pub(crate) fn number(&self, id: u16) -> Answer<u64> {
        self.find(id).map(|attr| attr.data).ok_or(Errno(libc::EINVAL))
    }

    /// Returns a required input of 4 bytes.
    pub(crate) fn word(&self, id: u16) -> Answer<u32> {
        self.number(id).map(|number| number as u32)
    }

    /// Returns an optional input of 4 bytes; 0 if absent.
    pub(crate) fn word_or_zero(&self, id: u16) -> u32 {
        self.word(id).unwrap_or(0)
    }

    /// Returns the size of the program's buffer for an output.
    pub(crate) fn room(&self, id: u16) -> usize {
        self.find(id).map_or(0, |attr| usize::from(attr.bytes))
    }

    /// Writes an output: as much of `content` as fits, and zeros after it. Does nothing if it is absent.
    pub(crate) fn give(&mut self, id: u16, content: &[u8]) {
        let Some(attr) = self.attrs.iter_mut().find(|attr| attr.id == id) else { return };
        let room = usize::from(attr.bytes);
        if attr.data == 0 {
            return;
        }
        // SAFETY: **laid out** of [`Call::read`]: the attribute points to as many bytes as it says, and the program
        // waits for the ioctl.
        let at = unsafe { std::slice::from_raw_parts_mut(attr.data as *mut u8, room) };
        let fits = room.min(content.len());
        at[..fits].copy_from_slice(&content[..fits]);
        at[fits..].fill(0);
        attr.flags |= VALID_OUTPUT;
    }

    /// Writes an output of 4 bytes.
    pub(crate) fn give_word(&mut self, id: u16, value: u32) {
        self.give(id, &value.to_ne_bytes());
    }

    /// Writes an output of 8 bytes.
    pub(crate) fn give_number(&mut self, id: u16, value: u64) {
        self.give(id, &value.to_ne_bytes());
    }

    /// Writes the handle of a new object, or a new descriptor.
    pub(crate) fn give_handle(&mut self, id: u16, handle: u32) {
        if let Some(attr) = self.attrs.iter_mut().find(|attr| attr.id == id) {
            attr.data = u64::from(handle);
        }
    }
}

/// Reads a structure of the program field by field. Missing fields read as zero, since older libraries pass shorter
/// structures.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'a>(pub(crate) &'a [u8]);

impl Fields<'_> {
    fn array<const N: usize>(self, at: usize) -> [u8; N] {
        let mut array = [0; N];
        if let Some(found) = self.0.get(at..at + N) {
            array.copy_from_slice(found);
        }
        array
    }

    pub(crate) fn u8(self, at: usize) -> u8 {
        self.array::<1>(at)[0]
    }

    pub(crate) fn u16(self, at: usize) -> u16 {
        u16::from_ne_bytes(self.array(at))
    }

    pub(crate) fn u32(self, at: usize) -> u32 {
        u32::from_ne_bytes(self.array(at))
    }

    pub(crate) fn u64(self, at: usize) -> u64 {
        u64::from_ne_bytes(self.array(at))
    }

    pub(crate) fn gid(self, at: usize) -> [u8; 16] {
        self.array(at)
    }
}

/// Writes a structure for the program, field by field.
#[derive(Default)]
pub(crate) struct Filled(pub(crate) Vec<u8>);

impl Filled {
    pub(crate) fn u8(mut self, value: u8) -> Self {
        self.0.push(value);
        self
    }

    pub(crate) fn u16(mut self, value: u16) -> Self {
        self.0.extend_from_slice(&value.to_ne_bytes());
        self
    }

    pub(crate) fn u32(mut self, value: u32) -> Self {
        self.0.extend_from_slice(&value.to_ne_bytes());
        self
    }

    pub(crate) fn u64(mut self, value: u64) -> Self {
        self.0.extend_from_slice(&value.to_ne_bytes());
        self
    }

    pub(crate) fn bytes(mut self, value: &[u8]) -> Self {
        self.0.extend_from_slice(value);
        self
    }

    pub(crate) fn zeros(mut self, count: usize) -> Self {
        self.0.resize(self.0.len() + count, 0);
        self
    }
}
