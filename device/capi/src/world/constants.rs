//! The variables in constant memory.

use core::arch::{asm, global_asm};
use core::mem::{offset_of, size_of};

use oxshmem_raw::state::{PathSlot, WorldState};

/// The world's variable. A library of loads and stores alone has another name for it, so that programs that were compiled
/// for such a one link no other.
#[cfg(feature = "remote")]
macro_rules! world_name {
    () => {
        "oxshmem_world"
    };
}
#[cfg(not(feature = "remote"))]
macro_rules! world_name {
    () => {
        "oxshmem_load_store_world"
    };
}

#[cfg(feature = "words")]
global_asm!(
    concat!(".visible .const .align 16 .b8 ", world_name!(), "[{world}];"),
    ".visible .const .align 16 .b8 oxshmem_teams[16];",
    world = const size_of::<WorldState>(),
);
#[cfg(not(feature = "words"))]
global_asm!(
    concat!(".extern .const .align 16 .b8 ", world_name!(), "[{world}];"),
    ".extern .const .align 16 .b8 oxshmem_teams[16];",
    world = const size_of::<WorldState>(),
);

#[cfg(feature = "words")]
mod described {
    use oxshmem_device::KernelWorld;
    use oxshmem_raw::state::abi::Abi;

    use crate::world::Any;

    /// The versions and layouts with which this module was built.
    #[unsafe(export_name = "OXSHMEM_ABI")]
    #[used]
    static ABI: Abi = *<Any as KernelWorld>::ABI;

    const _: () = assert!(cfg!(feature = "remote") || ABI.paths[0] == 0, "remote transports need the feature `remote`");

    /// The version of the library.
    #[unsafe(export_name = "oxshmem_version")]
    #[used]
    static VERSION: u64 = number(env!("CARGO_PKG_VERSION_MAJOR")) << 32
        | number(env!("CARGO_PKG_VERSION_MINOR")) << 16
        | number(env!("CARGO_PKG_VERSION_PATCH"));

    const fn number(text: &str) -> u64 {
        let (digits, mut value, mut i) = (text.as_bytes(), 0, 0);
        while i < digits.len() {
            value = 10 * value + (digits[i] - b'0') as u64;
            i += 1;
        }
        value
    }
}

/// Loads a field of a variable. The compiler leaves out the fields that a call does not use, and moves the others,
/// since nothing writes them while a kernel runs.
macro_rules! load {
    ($variable:expr, $at:expr, u64) => { load!($variable, $at, u64, "u64", reg64) };
    ($variable:expr, $at:expr, u32) => { load!($variable, $at, u32, "u32", reg32) };
    ($variable:expr, $at:expr, u16) => { load!($variable, $at, u16, "u16", reg16) };
    ($variable:expr, $at:expr, $type:ty, $text:literal, $reg:ident) => {{
        let value: $type;
        // SAFETY: the variable is in this module, and has a word of this type there.
        unsafe {
            asm!(concat!("ld.const.", $text, " {v}, [", $variable, "+{at}];"), v = out($reg) value, at = const $at,
                options(pure, nomem, nostack))
        }
        value
    }};
}

/// Returns the world's state.
#[inline(always)]
pub(crate) fn world() -> WorldState {
    macro_rules! state {
        ($($field:ident: $type:ident,)*) => {
            WorldState {
                $($field: load!(world_name!(), offset_of!(WorldState, $field), $type),)*
                paths: [slot!(0), slot!(1), slot!(2)],
            }
        };
    }
    macro_rules! slot {
        ($index:literal) => {
            PathSlot {
                queues: load!(world_name!(), slot_at($index) + offset_of!(PathSlot, queues), u64),
                shared: load!(world_name!(), slot_at($index) + offset_of!(PathSlot, shared), u64),
            }
        };
    }
    state! {
        heap: u64, stride: u64, heap_bytes: u64, own: u64, bases: u64, local: u64, notice: u64, fault: u64,
        wait_limit_ns: u64, my_pe: u32, n_pes: u32, path_bits: u64, path_table: u64, path_numbers: u16,
        uniform: u16, default_rows: u32, map_by: u32, reserved: u32,
    }
}

const fn slot_at(index: usize) -> usize {
    offset_of!(WorldState, paths) + index * size_of::<PathSlot>()
}

/// Returns the address of the handles of teams, and their count.
#[inline(always)]
pub(crate) fn teams() -> (u64, u64) {
    (load!("oxshmem_teams", 0, u64), load!("oxshmem_teams", 8, u64))
}
