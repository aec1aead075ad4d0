//! The `Range` header: whatever it says, the parts lie within the file and are together no larger.
#![no_main]

use disk::check_range;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| check_range(text));
