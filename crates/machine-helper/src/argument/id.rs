//! Ids of containers, projects and boots.

use serde::{Deserialize, Serialize};

use super::{Invalid, checked_text};

checked_text!(
    /// An engine's full id of a container: 64 lower-case hexadecimal digits.
    ContainerId,
    container_id
);
checked_text!(
    /// The kernel's random id of a boot, as in `2f7c…-…`.
    BootId,
    boot_id
);

fn is_hex(byte: u8) -> bool {
    byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte)
}

fn container_id(text: &str) -> Result<(), Invalid> {
    let fine = text.len() == 64 && text.bytes().all(is_hex);
    if fine { Ok(()) } else { Err(Invalid("a container's id has 64 hexadecimal digits")) }
}

fn boot_id(text: &str) -> Result<(), Invalid> {
    let fine = text.len() == 36 && text.bytes().all(|byte| is_hex(byte) || byte == b'-');
    if fine { Ok(()) } else { Err(Invalid("a boot's id is a UUID")) }
}

/// A project of a file system's quota. Only numbers of a range of our own are taken, so that projects that
/// an administrator has set up by hand are never changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
pub struct ProjectId(u32);

impl ProjectId {
    /// The smallest number that is ours.
    pub const FIRST: u32 = 1_500_000_000;
    /// The largest number that is ours.
    pub const LAST: u32 = 1_500_999_999;

    /// The number.
    #[must_use]
    pub fn number(self) -> u32 {
        self.0
    }
}

impl TryFrom<u32> for ProjectId {
    type Error = Invalid;

    fn try_from(number: u32) -> Result<Self, Invalid> {
        if (Self::FIRST..=Self::LAST).contains(&number) {
            Ok(Self(number))
        } else {
            Err(Invalid("the project is outside of our range"))
        }
    }
}

impl From<ProjectId> for u32 {
    fn from(id: ProjectId) -> Self {
        id.0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn projects_of_others_are_out_of_reach() {
        for number in [0, 1, 42, ProjectId::FIRST - 1, ProjectId::LAST + 1, u32::MAX] {
            assert!(ProjectId::try_from(number).is_err(), "{number}");
            assert!(serde_json::from_str::<ProjectId>(&number.to_string()).is_err(), "{number}");
        }
        assert_eq!(ProjectId::try_from(ProjectId::FIRST).unwrap().number(), ProjectId::FIRST);
    }

    proptest! {
        #[test]
        fn a_containers_id_is_hexadecimal(text in "[0-9a-fA-F./g]{60,66}") {
            let fine = text.len() == 64 && text.chars().all(|c| matches!(c, '0'..='9' | 'a'..='f'));
            prop_assert_eq!(text.parse::<ContainerId>().is_ok(), fine);
        }

        #[test]
        fn a_whole_id_passes(text in "[0-9a-f]{64}") {
            prop_assert!(text.parse::<ContainerId>().is_ok());
        }
    }
}
