//! Validated arguments: each is checked when it is constructed or parsed, and never again.

mod id;
mod network;
mod path;
mod text;

use std::fmt;

pub use id::{BootId, ContainerId, ProjectId};
pub use network::{BRIDGE_PREFIX, BridgeName, Guard, GuardState, InterfaceName, Span};
pub use path::{Folder, HostPath, InstancePath};
pub use text::{Fact, LogText};

/// Why a value is no argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Invalid(pub(crate) &'static str);

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for Invalid {}

/// A checked text: `$check` is a function from `&str` to `Result<(), Invalid>`.
macro_rules! checked_text {
    ($(#[$doc:meta])* $name:ident, $check:path) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// As text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = $crate::Invalid;

            fn try_from(text: String) -> Result<Self, $crate::Invalid> {
                $check(&text).map(|()| Self(text))
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::Invalid;

            fn from_str(text: &str) -> Result<Self, $crate::Invalid> {
                Self::try_from(text.to_owned())
            }
        }

        impl From<$name> for String {
            fn from(value: $name) -> Self {
                value.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

pub(crate) use checked_text;
