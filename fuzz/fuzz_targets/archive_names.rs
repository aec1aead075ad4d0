//! Names and links in archives: whatever bytes come, an entry lies inside, and so does what a link
//! leads to. The first line is the name, the rest the link's text.
#![no_main]

use disk::EntryPath;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let (name, text) = bytes.iter().position(|byte| *byte == b'\n').map_or((bytes, &[][..]), |at| {
        let (name, rest) = bytes.split_at(at);
        (name, &rest[1..])
    });
    let Some(path) = EntryPath::parse(&String::from_utf8_lossy(name)) else { return };
    let depth = path.names().len();
    assert!(depth > 0);
    for name in path.names() {
        assert!(!matches!(name.as_str(), "" | "." | "..") && name.len() <= 255);
        assert!(!name.contains(['/', '\0']) && !name.eq_ignore_ascii_case(".yunlab"));
    }
    if path.may_link_to(text) {
        let mut level = depth - 1;
        for part in text.split(|byte| *byte == b'/') {
            level = match part {
                b"" | b"." => level,
                b".." => level.checked_sub(1).expect("the link leads out"),
                _ => level + 1,
            };
        }
        assert!(!text.starts_with(b"/"));
    }
});
