//! Streams of a world, and their operations.

mod copies;
mod elements;
pub(super) mod kernels;

use std::ffi::c_void;
use std::sync::Arc;

use oxshmem_core::host::{Error, ErrorKind, Result};

use super::World;
use crate::stream::StreamState;

/// A queue of work on a PE's machine: kernels, copies, signals, waits and barriers, which run one after another. Work of
/// different streams may run at the same time.
///
/// [`World::stream`] makes one, and [`World::own_stream`] returns the one that every world has. Dropping a stream waits
/// for its work. The world waits for that work as well before it ends.
#[derive(Debug)]
pub struct Stream<'w> {
    pub(super) world: &'w World,
    pub(super) state: Arc<StreamState>,
}

/// A stream without the borrow of its world, for interfaces that keep both in one place. It keeps the stream as a
/// [`Stream`] does.
#[cfg(feature = "capi")]
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct DetachedStream(Arc<StreamState>);

#[cfg(feature = "capi")]
impl DetachedStream {
    /// Returns an address that no other stream has as long as this one exists.
    pub fn address(&self) -> *const c_void {
        Arc::as_ptr(&self.0).cast()
    }
}

impl World {
    /// Makes a stream.
    ///
    /// # Errors
    /// The machine has no room for another.
    pub fn stream(&self) -> Result<Stream<'_>> {
        let state = Arc::new(self.streams.make(&self.machine.memory)?);
        Ok(Stream { world: self, state })
    }

    /// Returns the world's own stream, after whose work collectives of the host begin.
    pub fn own_stream(&self) -> Stream<'_> {
        Stream { world: self, state: self.stream.clone() }
    }

    /// Returns the stream of a detached value. Allocates nothing.
    ///
    /// # Errors
    /// `InvalidArgument` if the stream is of another world.
    #[cfg(feature = "capi")]
    #[doc(hidden)]
    pub fn attach_stream(&self, stream: DetachedStream) -> Result<Stream<'_>> {
        match self.streams.contains(&stream.0) {
            true => Ok(Stream { world: self, state: stream.0 }),
            false => Err(Error::new(ErrorKind::InvalidArgument, "use a stream").because("it is of another world")),
        }
    }
}

impl<'w> Stream<'w> {
    /// Returns the stream's world.
    pub fn world(&self) -> &'w World {
        self.world
    }

    /// Waits for all work of the stream.
    ///
    /// # Errors
    /// A kernel reported a fault, panicked, or could not run.
    pub fn synchronize(&self) -> Result<()> {
        self.world.refuse_in_capture("synchronize")?;
        self.world.refuse_captured("synchronize", &self.state)?;
        self.world.check_outcome(self.state.drain())
    }

    /// Returns the GPU's stream (`CUstream`), for the program's own work; null for a host PE's.
    pub fn raw(&self) -> *mut c_void {
        self.state.raw()
    }

    /// Returns a value for the stream that does not borrow the world, for [`World::attach_stream`].
    #[cfg(feature = "capi")]
    #[doc(hidden)]
    pub fn detached(&self) -> DetachedStream {
        DetachedStream(self.state.clone())
    }
}
