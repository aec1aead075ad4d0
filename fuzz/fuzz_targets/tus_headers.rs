//! The headers of resumable uploads: whatever they say, it is refused or taken for just that.
#![no_main]

use disk::check_tus_headers;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| check_tus_headers(text));
