//! Tables of types for the cases.

/// Evaluates an expression once for each type. `$t` is the type, `$suffix` the end of its kernels' names.
macro_rules! for_types {
    ($t:ident, $suffix:ident => $body:expr; $($name:literal $type:ty),+ $(,)?) => {
        $( {
            type $t = $type;
            let $suffix = $name;
            $body
        } )+
    };
}
pub(super) use for_types;

/// [`for_types`] over the 14 element types.
macro_rules! for_all_types {
    ($t:ident, $suffix:ident => $body:expr) => {
        $crate::typed::for_types!($t, $suffix => $body;
            "i8" i8, "u8" u8, "i16" i16, "u16" u16, "i32" i32, "u32" u32, "i64" i64, "u64" u64,
            "isize" isize, "usize" usize, "f16" oxshmem_hal::F16, "bf16" oxshmem_hal::Bf16, "f32" f32, "f64" f64)
    };
}
pub(super) use for_all_types;
