//! The environment of a container's program, as far as a user may set it.

use std::collections::BTreeMap;

use crate::Invalid;

/// Environment variables. Variables that tell a container runtime which cards to add are refused: with a careless
/// default runtime one of them would open every card.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Environment(BTreeMap<String, String>);

/// Variables that only choose among the cards that a program already has.
const HARMLESS: [&str; 3] = ["CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"];
const RUNTIMES: [&str; 5] = ["NVIDIA_MIG_", "NVIDIA_IMEX_", "NVIDIA_REQUIRE_", "ASCEND_VNPU_", "ASCEND_RUNTIME_"];

impl Environment {
    /// Adds or replaces a variable.
    ///
    /// # Errors
    /// An invalid name, a value with a NUL or over 32 KiB, a name that chooses cards or is reserved.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), Invalid> {
        let invalid = |why| Invalid::new("environment variable", name, why);
        let inner = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if name.is_empty()
            || name.len() > 200
            || name.starts_with(|c: char| c.is_ascii_digit())
            || !name.chars().all(inner)
        {
            return Err(invalid("only letters, digits and '_', no digit first"));
        }
        if value.len() > 32 << 10 || value.contains('\0') {
            return Err(invalid("its value is over 32 KiB or has a NUL"));
        }
        let chooses = name.ends_with("_VISIBLE_DEVICES") && !HARMLESS.contains(&name);
        if chooses || RUNTIMES.iter().any(|prefix| name.starts_with(prefix)) || name.starts_with("YUNLAB_") {
            return Err(invalid("is set by the portal alone"));
        }
        self.0.insert(name.to_owned(), value.to_owned());
        Ok(())
    }

    /// In order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Whether it is set.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_open_cards_are_refused() {
        let mut environment = Environment::default();
        for good in ["A", "_x", "CUDA_VISIBLE_DEVICES", "HTTP_PROXY", "NVIDIA_DRIVER_CAPABILITIES"] {
            environment.set(good, "值 with = and \n").unwrap();
        }
        for bad in [
            "",
            "1A",
            "A B",
            "A=B",
            "A\0",
            "é",
            "NVIDIA_VISIBLE_DEVICES",
            "ASCEND_VISIBLE_DEVICES",
            "NVIDIA_MIG_CONFIG_DEVICES",
            "ASCEND_VNPU_SPECS",
            "YUNLAB_TERMINAL",
        ] {
            assert!(environment.set(bad, "all").is_err(), "{bad:?}");
        }
        assert!(environment.set("A", "a\0b").is_err());
        assert!(environment.set("A", &"x".repeat(40_000)).is_err());
        assert_eq!(environment.iter().count(), 5);
    }
}
