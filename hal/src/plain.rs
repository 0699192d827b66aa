//! Elements as bytes.

use oxshmem_core::Element;

/// Returns the bytes of elements.
pub(crate) fn bytes_of<T: Element>(elements: &[T]) -> &[u8] {
    // SAFETY: an `Element` is a number (the trait is sealed), which has no padding, and the lengths agree.
    unsafe { std::slice::from_raw_parts(elements.as_ptr().cast(), size_of_val(elements)) }
}

/// Returns the bytes of elements, for writing. Any bytes are a valid number.
pub(crate) fn bytes_of_mut<T: Element>(elements: &mut [T]) -> &mut [u8] {
    // SAFETY: an `Element` is a number (the trait is sealed): it has no padding, and any bits are valid.
    unsafe { std::slice::from_raw_parts_mut(elements.as_mut_ptr().cast(), size_of_val(elements)) }
}
