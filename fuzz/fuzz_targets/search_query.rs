//! The grammar of searches: whatever is written is a query or refused, and a query does with every
//! name what it does with the same name written larger, unless case counts.
#![no_main]

use disk::SearchQuery;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(query) = SearchQuery::parse(text) else { return };
    for name in ["", "a.png", "Makefile", "x.tar.gz", "图.mp4", text] {
        let _ = query.matches(name, true);
        assert!(!query.matches(name, false) || text.contains("type:") || query.matches(name, true));
        if name.is_ascii() && !text.contains("case:sensitive") {
            assert_eq!(query.matches(name, false), query.matches(&name.to_ascii_uppercase(), false));
        }
    }
});
