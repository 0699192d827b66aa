//! PTX, one function per instruction, each with a host twin.
//!
//! A function's name states the operation, order, scope and type. On the GPU it is that instruction. On the host, its
//! twin does the same on this machine's memory with the order of the PTX, and a system-scope access is a point where
//! another GPU thread may run.
//!
//! Memory operations are inline PTX that spells order and scope, because `core::sync::atomic` compiles to relaxed
//! operations at GPU scope on this target. Barriers and votes are LLVM intrinsics instead, because only intrinsics are
//! convergent: a compiler may copy inline assembly into both arms of a branch, which splits a barrier in two. (rustc's
//! own jump threading does this to intrinsics as well; the PTX build disables that pass.)

mod atom;
mod bulk;
mod clock;
mod dependent;
mod fence;
mod math;
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
pub use math::*;
pub use mem::*;
pub use shared::*;
pub use space::*;
pub use thread::*;
pub use vector::*;
