//! The names and labels of a workload's objects.

use sha2::{Digest, Sha256};

use crate::{Workload, WorkloadId};

/// The workload's id.
pub(super) const INSTANCE: &str = "yunlab.instance";
/// Of the workload.
pub(super) const GENERATION: &str = "yunlab.generation";
/// The workload's owner.
pub(super) const TENANT: &str = "yunlab.tenant";
/// What else the driver made, and for what.
pub(super) const PART: &str = "yunlab.part";
/// Who wrote which fields, to the API server.
pub(super) const MANAGER: &str = "yunlab";
/// Keeps an object until how the workload ended is written down.
pub(super) const FINALIZER: &str = "yunlab/ledger";
/// The driver's folder in pods.
pub(super) const FOLDER: &str = "/.yunlab";
/// The container of the workload's program.
pub(super) const CONTAINER: &str = "main";

/// A pod's name is a host's, so that this is all it may have.
const MOST: usize = 52;

/// The name of all objects of a workload. As far as a cluster allows, it is the one that people know; a name that had to
/// be changed gets a part of its own, so that no two become one.
pub(super) fn base(workload: &Workload) -> String {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let name = workload.name.as_str();
    if (1..=MOST).contains(&name.len()) && name.chars().all(plain) && !name.starts_with('-') && !name.ends_with('-') {
        return name.to_owned();
    }
    let word = |c: char| if plain(c.to_ascii_lowercase()) { c.to_ascii_lowercase() } else { '-' };
    let word: String = name.chars().map(word).take(MOST).collect();
    let word = word.trim_matches('-');
    format!("{}-{}", if word.is_empty() { "i" } else { word }, short_digest(workload.id.as_str()))
}

/// The object with the credentials of a workload's image.
pub(super) fn pull(base: &str) -> String {
    format!("yunlab-pull-{base}")
}

/// Eight digits.
pub(super) fn short_digest(text: &str) -> String {
    Sha256::digest(text).iter().take(4).map(|byte| format!("{byte:02x}")).collect()
}

/// Selects the objects of a workload.
pub(super) fn selector(id: &WorkloadId) -> String {
    format!("{INSTANCE}={id}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Environment, ImageSource, Resources};

    fn named(name: &str, id: &str) -> String {
        base(&Workload {
            id: id.parse().unwrap(),
            generation: 1,
            name: name.to_owned(),
            tenant: "7".parse().unwrap(),
            image: ImageSource { name: "lab:1".parse().unwrap(), auth: None, in_registry: true },
            kept_root: None,
            command: None,
            environment: Environment::default(),
            resources: Resources { cpu_quota: 0, memory: 0, pids: 1 },
            shm: None,
            cards: Vec::new(),
            nodes: Default::default(),
            places: Vec::new(),
            ports: Vec::new(),
            no_new_privileges: false,
        })
    }

    #[test]
    fn names_are_host_names_and_stay_apart() {
        assert_eq!(named("theirs", "1"), "theirs");
        let changed = named("ins_Ann@lab.test_GPUa1b2c", "1");
        assert!(changed.starts_with("ins-ann-lab-test-gpua1b2c-"), "{changed}");
        assert_ne!(named("a_b", "1"), named("a.b", "2"));
        for name in ["", "-", "a-", "实例", &"x".repeat(300), &"_".repeat(300)] {
            let base = named(name, "1");
            assert!(base.len() <= 63 && base.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'), "{base}");
            assert!(!base.starts_with('-') && !base.ends_with('-'), "{base}");
        }
    }
}
