//! A bridge of its own for each engine: two on one would fight over it.

use std::fs::{File, TryLockError};
use std::process::Command;

/// A bridge with addresses that no other test uses; gone when dropped.
pub(super) struct Bridge {
    name: String,
    address: String,
    /// Held while it is in use, by all processes of tests.
    _lock: File,
}

impl Bridge {
    pub(super) fn new() -> Self {
        let folder = std::env::temp_dir().join("yunlab-test-bridges");
        std::fs::create_dir_all(&folder).expect("a folder for locks");
        for number in 0..250 {
            let lock = File::create(folder.join(number.to_string())).expect("a lock");
            match lock.try_lock() {
                Ok(()) => return Self::make(number, lock),
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(error)) => panic!("locks: {error}"),
            }
        }
        panic!("250 engines at once");
    }

    fn make(number: u8, lock: File) -> Self {
        let bridge = Self { name: format!("yl{number}"), address: format!("172.29.{number}.1"), _lock: lock };
        // One that a killed test left.
        ip(&["link", "delete", &bridge.name]);
        assert!(ip(&["link", "add", "name", &bridge.name, "type", "bridge"]), "a bridge needs root and iproute2");
        ip(&["address", "add", &format!("{}/24", bridge.address), "dev", &bridge.name]);
        ip(&["link", "set", &bridge.name, "up"]);
        bridge
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }
}

impl Drop for Bridge {
    fn drop(&mut self) {
        ip(&["link", "delete", &self.name]);
    }
}

fn ip(arguments: &[&str]) -> bool {
    Command::new("ip").args(arguments).output().is_ok_and(|output| output.status.success())
}
