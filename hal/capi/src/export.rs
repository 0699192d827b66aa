//! Macros that define functions of C: name, arguments, how an error is answered ([`call`](crate::call)), and the call
//! on the default world.

/// Defines functions, each under its own name.
macro_rules! export {
    ($(
        $(#[$attr:meta])*
        fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)? = $how:ident $(($or:expr))? |$face:pat_param| $call:expr;
    )*) => { $(
        $(#[$attr])*
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name($($arg: $ty),*) $(-> $ret)? {
            $crate::call::$how(stringify!($name), $($or,)? |$face| $call)
        }
    )* };
}

/// Defines functions that exist for each type of a list. In the functions the type is `T`, and in those of a list with
/// operations, the operation is `Op`. A function's name is the first text, the entry's name in C, and the second text.
macro_rules! family {
    ($list:ident { $($function:tt)* }) => { $list! { functions { $($function)* } } };
}

/// Defines each function of a family for each entry of the list.
macro_rules! functions {
    ($entries:tt { $(
        fn [$prefix:literal $suffix:literal] $args:tt $(-> $ret:ty)? = $how:ident $(($or:expr))? |$face:pat_param| $call:expr;
    )* }) => { $(
        each_entry! { $entries { [$prefix $suffix] $args [$($ret)?] $how [$($or)?] [$face] [$call] } }
    )* };
}

macro_rules! each_entry {
    ([$($name:literal { $($items:item)* })*] $function:tt) => { $( function! { $name { $($items)* } $function } )* };
}

macro_rules! function {
    ($name:literal { $($items:item)* } { [$prefix:literal $suffix:literal] ($($arg:ident: $arg_ty:ty),* $(,)?)
        [$($ret:ty)?] $how:ident [$($or:expr)?] [$face:pat_param] [$call:expr] }) => {
        const _: () = {
            $(#[allow(dead_code, reason = "not every function names all items of its entry")] $items)*
            #[unsafe(export_name = concat!($prefix, $name, $suffix))]
            unsafe extern "C" fn function($($arg: $arg_ty),*) $(-> $ret)? {
                $crate::call::$how(concat!($prefix, $name, $suffix), $($or,)? |$face| $call)
            }
        };
    };
}

/// Defines a list of types with their names in C.
macro_rules! type_list {
    ($(#[$doc:meta])* $list:ident: $($name:literal $ty:ty,)*) => {
        // The nested macro's own arguments.
        type_list! { @ ($) $(#[$doc])* $list: $($name $ty,)* }
    };
    (@ ($d:tt) $(#[$doc:meta])* $list:ident: $($name:literal $ty:ty,)*) => {
        $(#[$doc])*
        macro_rules! $list {
            ($d then:ident $d args:tt) => { $d then! { [ $($name { type T = $ty; })* ] $d args } };
        }
    };
}

type_list! {
    /// The types of copies.
    rma_types:
    "bfloat16" oxshmem_hal::Bf16, "half" oxshmem_hal::F16, "float" f32, "double" f64, "char" i8, "short" i16,
    "schar" i8, "int" i32, "long" i64, "longlong" i64, "uchar" u8, "ushort" u16, "uint" u32, "ulong" u64,
    "ulonglong" u64, "int8" i8, "int16" i16, "int32" i32, "int64" i64, "uint8" u8, "uint16" u16, "uint32" u32,
    "uint64" u64, "size" usize, "ptrdiff" isize,
}
type_list! {
    /// The types of the standard atomics.
    amo_types:
    "uint" u32, "ulong" u64, "ulonglong" u64, "int32" i32, "uint32" u32, "int64" i64, "uint64" u64, "int" i32,
    "long" i64, "longlong" i64, "size" usize, "ptrdiff" isize,
}
type_list! {
    /// The types of fetch, set and swap.
    extended_amo_types:
    "uint" u32, "ulong" u64, "ulonglong" u64, "int32" i32, "uint32" u32, "int64" i64, "uint64" u64, "int" i32,
    "long" i64, "longlong" i64, "size" usize, "ptrdiff" isize, "float" f32, "double" f64,
}
type_list! {
    /// The types of bitwise atomics.
    bitwise_amo_types:
    "uint" u32, "ulong" u64, "ulonglong" u64, "int32" i32, "uint32" u32, "int64" i64, "uint64" u64,
}
type_list! {
    /// The floating point types of atomic additions.
    float_add_types: "half" oxshmem_hal::F16, "float" f32, "double" f64,
}
type_list! {
    /// The types of waits and tests.
    wait_types:
    "short" i16, "int" i32, "long" i64, "longlong" i64, "ushort" u16, "uint" u32, "ulong" u64, "ulonglong" u64,
    "int32" i32, "int64" i64, "uint32" u32, "uint64" u64, "size" usize, "ptrdiff" isize,
}
type_list! {
    /// The types of minimum, maximum, sum and product.
    reduce_types:
    "uchar" u8, "ushort" u16, "uint" u32, "ulong" u64, "ulonglong" u64, "int8" i8, "int16" i16, "int32" i32,
    "int64" i64, "uint8" u8, "uint16" u16, "uint32" u32, "uint64" u64, "size" usize, "char" i8, "schar" i8,
    "short" i16, "int" i32, "long" i64, "longlong" i64, "bfloat16" oxshmem_hal::Bf16, "half" oxshmem_hal::F16,
    "float" f32, "double" f64,
}
type_list! {
    /// The types of bitwise reductions.
    bitwise_reduce_types:
    "uchar" u8, "ushort" u16, "uint" u32, "ulong" u64, "ulonglong" u64, "int8" i8, "int16" i16, "int32" i32,
    "int64" i64, "uint8" u8, "uint16" u16, "uint32" u32, "uint64" u64, "size" usize,
}

/// The sizes of untyped elements in bits: each element is `PARTS` words of type `T`.
macro_rules! sizes {
    ($then:ident $args:tt) => {
        $then! { [
            "8" { type T = u8; const PARTS: usize = 1; }
            "16" { type T = u16; const PARTS: usize = 1; }
            "32" { type T = u32; const PARTS: usize = 1; }
            "64" { type T = u64; const PARTS: usize = 1; }
            "128" { type T = u64; const PARTS: usize = 2; }
        ] $args }
    };
}
