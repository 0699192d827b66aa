//! The attributes of a launch: the program's own, and those that the launch needs.

use cudarc::driver::sys::CUlaunchAttribute;
use oxshmem_core::host::{Error, ErrorKind, Result};

/// An attribute of a launch, with the layout of the driver's `CUlaunchAttribute` and the runtime's
/// `cudaLaunchAttribute`. The driver reads the value, whose meaning depends on the number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(8))]
pub struct LaunchAttribute {
    number: u32,
    pad: u32,
    value: [u32; 16],
}
const _: () = assert!(size_of::<LaunchAttribute>() == size_of::<CUlaunchAttribute>());
const _: () = assert!(align_of::<LaunchAttribute>() == align_of::<CUlaunchAttribute>());

/// `CU_LAUNCH_ATTRIBUTE_IGNORE`
const IGNORE: u32 = 0;
/// `CU_LAUNCH_ATTRIBUTE_COOPERATIVE`
const COOPERATIVE: u32 = 2;
/// `CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION`
const CLUSTER_DIMENSION: u32 = 4;
/// `CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION`
const STREAM_SERIALIZATION: u32 = 6;
/// The names of attributes in errors.
const NAMES: [(u32, &str); 11] = [
    (1, "access policy window"),
    (COOPERATIVE, "cooperative"),
    (3, "synchronization policy"),
    (CLUSTER_DIMENSION, "cluster dimension"),
    (5, "cluster scheduling policy preference"),
    (STREAM_SERIALIZATION, "programmatic stream serialization"),
    (7, "programmatic event"),
    (8, "priority"),
    (9, "memory synchronization domain map"),
    (10, "memory synchronization domain"),
    (11, "preferred cluster dimension"),
];

impl LaunchAttribute {
    /// Returns the attribute that places all blocks at once.
    pub const fn cooperative() -> Self {
        Self::with(COOPERATIVE, 1)
    }

    /// Returns the attribute that lets a kernel start before the preceding one has ended.
    pub(super) const fn early() -> Self {
        Self::with(STREAM_SERIALIZATION, 1)
    }

    /// Returns the attribute that makes clusters of so many blocks in x, y and z.
    pub const fn of_cluster(blocks: [u32; 3]) -> Self {
        let mut attribute = Self::with(CLUSTER_DIMENSION, blocks[0]);
        (attribute.value[1], attribute.value[2]) = (blocks[1], blocks[2]);
        attribute
    }

    /// Returns an attribute whose value is one word.
    const fn with(number: u32, word: u32) -> Self {
        let mut value = [0; 16];
        value[0] = word;
        Self { number, pad: 0, value }
    }

    /// Returns the attribute's name in errors.
    fn name(&self) -> String {
        let known = NAMES.iter().find(|(number, _)| *number == self.number);
        known.map_or_else(|| format!("number {}", self.number), |(_, name)| format!("`{name}`"))
    }

    /// Returns the blocks of a cluster in x, y and z, if these attributes set them.
    pub fn cluster(attributes: &[Self]) -> Option<[u32; 3]> {
        let found = attributes.iter().find(|attribute| attribute.number == CLUSTER_DIMENSION)?;
        Some([found.value[0], found.value[1], found.value[2]])
    }

    /// Merges a program's attributes with that of a cooperative launch, and returns all of them.
    ///
    /// # Errors
    /// `InvalidArgument`: an attribute is there twice, or it excludes a cooperative launch.
    pub fn merged(own: &[Self]) -> Result<Vec<Self>> {
        let refuse = |reason: String| Error::new(ErrorKind::InvalidArgument, "launch a kernel").because(reason);
        let mut all = vec![Self::cooperative()];
        for (at, one) in own.iter().enumerate().filter(|(_, one)| one.number != IGNORE) {
            if own[..at].iter().any(|before| before.number == one.number) {
                return Err(refuse(format!("the attribute {} is there twice", one.name())));
            }
            match one.number {
                COOPERATIVE if one.value[0] == 0 => {
                    return Err(refuse(
                        "the attribute `cooperative` is 0, and a collective launch is cooperative".into(),
                    ));
                }
                COOPERATIVE => {}
                _ => all.push(*one),
            }
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use cudarc::driver::sys::CUlaunchAttributeID as Id;

    use super::*;

    #[test]
    fn numbers_and_places_are_the_drivers() {
        assert_eq!(offset_of!(LaunchAttribute, value), offset_of!(CUlaunchAttribute, value));
        assert_eq!(IGNORE, Id::CU_LAUNCH_ATTRIBUTE_IGNORE as u32);
        assert_eq!(COOPERATIVE, Id::CU_LAUNCH_ATTRIBUTE_COOPERATIVE as u32);
        assert_eq!(CLUSTER_DIMENSION, Id::CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION as u32);
        assert_eq!(STREAM_SERIALIZATION, Id::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION as u32);
    }

    #[test]
    fn a_programs_attributes_follow_the_cooperative_one_which_is_there_once() {
        let (priority, event) = (LaunchAttribute::with(8, 3), LaunchAttribute::with(77, 5));
        let ignored = LaunchAttribute::with(IGNORE, 9);
        let own = [ignored, priority, LaunchAttribute::cooperative(), ignored, event];
        let all = LaunchAttribute::merged(&own).unwrap();
        assert_eq!(
            all,
            [LaunchAttribute::cooperative(), priority, event],
            "a number that is not known is the driver's"
        );
        assert_eq!(LaunchAttribute::merged(&[]).unwrap(), [LaunchAttribute::cooperative()]);
    }

    #[test]
    fn an_attribute_that_contradicts_or_is_there_twice_is_an_error_that_names_it() {
        let text = |own: &[LaunchAttribute]| LaunchAttribute::merged(own).unwrap_err().to_string();
        assert!(text(&[LaunchAttribute::with(COOPERATIVE, 0)]).contains("`cooperative` is 0"));
        let priority = LaunchAttribute::with(8, 3);
        assert!(text(&[priority, LaunchAttribute::early(), priority]).contains("`priority` is there twice"));
        assert!(text(&[LaunchAttribute::with(77, 1); 2]).contains("number 77 is there twice"));
    }

    #[test]
    fn the_size_of_a_cluster_is_read() {
        let cluster = LaunchAttribute::of_cluster([2, 3, 4]);
        assert_eq!(LaunchAttribute::cluster(&[LaunchAttribute::early(), cluster]), Some([2, 3, 4]));
        assert_eq!(LaunchAttribute::cluster(&[LaunchAttribute::early()]), None);
    }
}
