//! The committed API documents match the code.

use std::fs;

use tests::{Setup, root};

#[test]
fn the_committed_documents_are_those_of_the_binary() {
    let setup = Setup::bare();
    let dir = setup.dir().display().to_string();
    assert!(setup.run(&["openapi", &dir]).ok);
    for name in ["portal.json", "disk.json"] {
        let ours = fs::read_to_string(setup.dir().join(name)).expect("a document");
        let committed = fs::read_to_string(root().join("openapi").join(name)).unwrap_or_default();
        let differs = ours.lines().zip(committed.lines()).position(|(ours, committed)| ours != committed);
        assert!(ours == committed, "openapi/{name} differs from line {differs:?}; run `yunlab openapi openapi`");
    }
}
