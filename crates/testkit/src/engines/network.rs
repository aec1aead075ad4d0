//! A bridge for each engine: two engines on one bridge would conflict.

use std::fs::{File, TryLockError};
use std::process::Command;

/// A bridge with addresses that no other test uses; removed when dropped.
pub(super) struct Bridge {
    number: u8,
    name: String,
    address: String,
    /// Held while the bridge is in use; shared by all processes of tests.
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
        let bridge = Self { number, name: format!("yl{number}"), address: format!("172.29.{number}.1"), _lock: lock };
        // Leftovers of a killed test.
        bridge.clear();
        assert!(ip(&["link", "add", "name", &bridge.name, "type", "bridge"]), "a bridge needs root and iproute2");
        ip(&["address", "add", &format!("{}/24", bridge.address), "dev", &bridge.name]);
        ip(&["link", "set", &bridge.name, "up"]);
        bridge
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// How the bridges of networks begin that a test makes on this engine.
    pub(super) fn of_networks(&self) -> String {
        format!("ylp-t{}x", self.number)
    }

    /// One of four address ranges that no other test uses.
    pub(super) fn subnet(&self, number: u8) -> String {
        format!("172.30.{}.{}/26", self.number, u16::from(number) * 64)
    }

    fn clear(&self) {
        let (own, of_networks) = (&self.name, self.of_networks());
        let interfaces = std::fs::read_dir("/sys/class/net").into_iter().flatten().flatten();
        let names = interfaces.filter_map(|entry| entry.file_name().into_string().ok());
        for name in names.filter(|name| name == own || name.starts_with(&of_networks)) {
            ip(&["link", "delete", &name]);
        }
    }
}

impl Drop for Bridge {
    fn drop(&mut self) {
        self.clear();
    }
}

fn ip(arguments: &[&str]) -> bool {
    Command::new("ip").args(arguments).output().is_ok_and(|output| output.status.success())
}
