//! The decoding of paths: whatever bytes come, the result is a list of plain names, or nothing.
#![no_main]

use disk_core::jail::VirtualPath;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(path) = VirtualPath::parse(text) else { return };
    for name in path.names() {
        assert!(!matches!(name.as_str(), "" | "." | "..") && name.len() <= 255);
        assert!(!name.contains(['/', '\0']));
    }
    if !path.is_root() {
        assert_eq!(VirtualPath::parse(&path.encoded()), Ok(path.clone()));
        assert_eq!(VirtualPath::from_decoded(&path.to_string()), Ok(path));
    }
});
