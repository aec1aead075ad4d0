//! What an upload announces: a length is a plain number, a time one that file systems keep.
#![no_main]

use disk::check_upload_length;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| check_upload_length(text));
