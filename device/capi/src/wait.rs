//! Waits and tests on words of the calling PE, for each type of word. They use no remote path.
//!
//! `status` is null, or has an entry for each word. `values` is null, or has a value for each word in place of `value`.

use oxshmem_device_api::Local;

use crate::args;
use crate::world::{LoadStore, load_store};

/// Returns `count` elements of this PE's memory, which the caller's **live** covers; `None` for null.
#[inline(always)]
fn list<T: oxshmem_core::Element>(shmem: &LoadStore, at: *const T, count: usize) -> Option<Local<'_, T>> {
    // SAFETY: **mapped**: by **live**.
    (!at.is_null()).then(|| unsafe { shmem.local_at(at.cast_mut(), count) })
}

/// Defines a function over the world of this PE.
macro_rules! waits {
    ($(
        $(#[$doc:meta])*
        $name:ident($($arg:ident: $type:ty),*) $(-> $result:ty)? { $shmem:ident => $call:expr }
    )*) => { $(
        $(#[$doc])*
        ///
        /// # Safety
        ///
        /// **initialised**, **symmetric**, **live**: see the crate.
        #[cfg_attr(all(target_arch = "nvptx64", not(feature = "names")), unsafe(no_mangle))]
        #[cfg_attr(feature = "names", inline(never))]
        #[allow(clippy::too_many_arguments, reason = "OpenSHMEM's own list")]
        pub unsafe extern "C" fn $name($($arg: $type),*) $(-> $result)? {
            // SAFETY: **initialised** by the caller.
            let $shmem = unsafe { load_store() };
            $call
        }
    )* };
}

macro_rules! words {
    ($($type:ty: $wait:ident $all:ident $any:ident $some:ident $test_all:ident $test_any:ident $test_some:ident;)*) => { $(
        waits! {
            /// Waits until the word satisfies the comparison, and returns its value at that time.
            $wait(word: *const $type, cmp: i32, value: $type) -> $type { shmem => {
                shmem.wait_until_value(shmem.symmetric(word), args::cmp(cmp), value).unwrap_or(value)
            } }
            /// Waits until each word has satisfied the comparison.
            $all(words: *const $type, count: usize, status: *const i32, cmp: i32, value: $type, values: *const $type) {
                shmem => {
                    let (at, status, cmp) = (shmem.symmetric(words), list(&shmem, status, count), args::cmp(cmp));
                    let _ = match list(&shmem, values, count) {
                        Some(values) => shmem.wait_until_all_vector(at, count, status, cmp, values),
                        None => shmem.wait_until_all(at, count, status, cmp, value),
                    };
                }
            }
            /// Waits until any word satisfies the comparison, and returns its index, or the largest number if all
            /// words are ignored.
            $any(words: *const $type, count: usize, status: *const i32, cmp: i32, value: $type, values: *const $type)
                -> usize
            {
                shmem => {
                    let (at, status, cmp) = (shmem.symmetric(words), list(&shmem, status, count), args::cmp(cmp));
                    let found = match list(&shmem, values, count) {
                        Some(values) => shmem.wait_until_any_vector(at, count, status, cmp, values),
                        None => shmem.wait_until_any(at, count, status, cmp, value),
                    };
                    found.ok().flatten().unwrap_or(usize::MAX)
                }
            }
            /// Waits until some words satisfy the comparison, and returns their number and their indices.
            $some(
                words: *const $type, count: usize, indices: *mut usize, status: *const i32, cmp: i32, value: $type,
                values: *const $type
            ) -> usize {
                shmem => {
                    let (at, status, cmp) = (shmem.symmetric(words), list(&shmem, status, count), args::cmp(cmp));
                    // SAFETY: **mapped**: by **live**.
                    let indices = unsafe { shmem.local_at(indices, count) };
                    match list(&shmem, values, count) {
                        Some(values) => shmem.wait_until_some_vector(at, count, indices, status, cmp, values),
                        None => shmem.wait_until_some(at, count, indices, status, cmp, value),
                    }
                    .unwrap_or(0)
                }
            }
            /// Reports whether each word satisfies the comparison.
            $test_all(words: *const $type, count: usize, status: *const i32, cmp: i32, value: $type, values: *const $type)
                -> i32
            {
                shmem => {
                    let (at, status, cmp) = (shmem.symmetric(words), list(&shmem, status, count), args::cmp(cmp));
                    let all = match list(&shmem, values, count) {
                        Some(values) => shmem.test_all_vector(at, count, status, cmp, values),
                        None => shmem.test_all(at, count, status, cmp, value),
                    };
                    all.unwrap_or(false) as i32
                }
            }
            /// Returns the index of a word that satisfies the comparison, or the largest number if there is none.
            $test_any(words: *const $type, count: usize, status: *const i32, cmp: i32, value: $type, values: *const $type)
                -> usize
            {
                shmem => {
                    let (at, status, cmp) = (shmem.symmetric(words), list(&shmem, status, count), args::cmp(cmp));
                    let found = match list(&shmem, values, count) {
                        Some(values) => shmem.test_any_vector(at, count, status, cmp, values),
                        None => shmem.test_any(at, count, status, cmp, value),
                    };
                    found.ok().flatten().unwrap_or(usize::MAX)
                }
            }
            /// Returns the number and the indices of the words that satisfy the comparison.
            $test_some(
                words: *const $type, count: usize, indices: *mut usize, status: *const i32, cmp: i32, value: $type,
                values: *const $type
            ) -> usize {
                shmem => {
                    let (at, status, cmp) = (shmem.symmetric(words), list(&shmem, status, count), args::cmp(cmp));
                    // SAFETY: **mapped**: by **live**.
                    let indices = unsafe { shmem.local_at(indices, count) };
                    match list(&shmem, values, count) {
                        Some(values) => shmem.test_some_vector(at, count, indices, status, cmp, values),
                        None => shmem.test_some(at, count, indices, status, cmp, value),
                    }
                    .unwrap_or(0)
                }
            }
        }
    )* };
}
words! {
    i16: oxshmem_wait_i16 oxshmem_wait_all_i16 oxshmem_wait_any_i16 oxshmem_wait_some_i16
        oxshmem_test_all_i16 oxshmem_test_any_i16 oxshmem_test_some_i16;
    u16: oxshmem_wait_u16 oxshmem_wait_all_u16 oxshmem_wait_any_u16 oxshmem_wait_some_u16
        oxshmem_test_all_u16 oxshmem_test_any_u16 oxshmem_test_some_u16;
    i32: oxshmem_wait_i32 oxshmem_wait_all_i32 oxshmem_wait_any_i32 oxshmem_wait_some_i32
        oxshmem_test_all_i32 oxshmem_test_any_i32 oxshmem_test_some_i32;
    u32: oxshmem_wait_u32 oxshmem_wait_all_u32 oxshmem_wait_any_u32 oxshmem_wait_some_u32
        oxshmem_test_all_u32 oxshmem_test_any_u32 oxshmem_test_some_u32;
    i64: oxshmem_wait_i64 oxshmem_wait_all_i64 oxshmem_wait_any_i64 oxshmem_wait_some_i64
        oxshmem_test_all_i64 oxshmem_test_any_i64 oxshmem_test_some_i64;
    u64: oxshmem_wait_u64 oxshmem_wait_all_u64 oxshmem_wait_any_u64 oxshmem_wait_some_u64
        oxshmem_test_all_u64 oxshmem_test_any_u64 oxshmem_test_some_u64;
}
