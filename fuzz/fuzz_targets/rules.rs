//! Rules: whatever they and the path are, they say what a slow reading of them says.
#![no_main]

use disk_core::rules::check_rules;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| check_rules(text));
