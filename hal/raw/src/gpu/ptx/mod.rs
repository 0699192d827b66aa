//! PTX, one function an instruction, each with a host twin.
//!
//! A function is named by what it is: operation, order, scope, type. On the GPU it is that
//! instruction; off it, the twin does the same on the memory of this machine, with the order that the
//! PTX has, and a system-scope access is a place where another GPU thread may run.
//!
//! Memory operations are inline PTX with order and scope spelled: what `core::sync::atomic` becomes on
//! this target is relaxed at GPU scope. Barriers and votes are LLVM's intrinsics, and not inline PTX,
//! because only those are convergent: a compiler may copy inline assembly into both arms of a branch,
//! which tears a barrier in two. (rustc's own jump threading does it to intrinsics as well; the PTX
//! build turns that pass off.)

mod atom;
mod bulk;
mod clock;
mod dependent;
mod fence;
mod mem;
mod shared;
mod space;
mod thread;
mod vector;

pub use atom::*;
pub use bulk::*;
pub use clock::*;
pub use dependent::*;
pub use fence::*;
pub use mem::*;
pub use shared::*;
pub use space::*;
pub use thread::*;
pub use vector::*;
