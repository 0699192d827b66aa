//! What libraries see of the operating system: the C functions that take the place of libc's.

mod device;
mod files;
mod next;
pub(crate) mod paths;
pub(crate) mod tree;
