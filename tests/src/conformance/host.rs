//! To come.

use super::case::cases;
use super::{Ctx, Failure};
use oxshmem_hal::World;

cases! { "host": nothing_yet 1 }

fn nothing_yet(_: &World, _: &Ctx<'_>) -> Result<(), Failure> { Ok(()) }
